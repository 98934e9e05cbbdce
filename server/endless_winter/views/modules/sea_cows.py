"""Sea Cows (RAF-13): more Animal cards, and nothing else to show."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from endless_winter.content.modules.sea_cows import SeaCow
from endless_winter.views.catalog import animals
from endless_winter.views.plugin import ViewModule

if TYPE_CHECKING:
    from endless_winter.v1 import catalog_pb2
    from endless_winter.views.words import Words


class SeaCowsView(ViewModule):
    def fill_catalog(self, words: Words, catalog: catalog_pb2.Catalog) -> None:
        catalog.animals.extend(animals(words, words.pack.content.entries(SeaCow)))


VIEW: Final = SeaCowsView()
