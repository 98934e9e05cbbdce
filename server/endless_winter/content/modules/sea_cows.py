"""Sea Cows: a type of Animal of Rivers & Rafts (RAF-13)."""

from typing import Final

from endless_winter.content.making import Making
from endless_winter.content.plugin import ContentModule
from endless_winter.content.reader import Source
from endless_winter.content.schema import AnimalType
from endless_winter.rules.modules.sea_cows import SeaCowParts

SEA_COWS: Final = 5


class SeaCow(AnimalType, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The Animal of Rivers & Rafts (RAF-13)."""

    section = "sea_cow"
    label = "sea cow"


class SeaCowsContent(ContentModule):
    sections = (SeaCow,)

    def check(self, source: Source) -> None:
        """At most one type, of 5 cards."""
        sea_cows = source.content.entries(SeaCow)
        if len(sea_cows) > 1:
            raise source.section_error(SeaCow, f"{len(sea_cows)} entries, the game has 1")
        for sea_cow in sea_cows:
            if sea_cow.copies != SEA_COWS:
                reason = f"{sea_cow.copies} copies, the game has {SEA_COWS}"
                raise source.error(sea_cow, reason)

    def build(self, making: Making) -> SeaCowParts | None:
        for sea_cow in making.content.entries(SeaCow):
            return SeaCowParts(making.add_animal(sea_cow))
        return None


CONTENT: Final = SeaCowsContent()
