"""Where a module plugs into content packs.

What is printed of a module is in `content/modules/`, a file under the name that it has in
`rules.modules.REGISTRY`, with an object `CONTENT`. Without such a file it has nothing printed.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from importlib.util import find_spec
from types import GenericAlias, ModuleType
from typing import TYPE_CHECKING, Final, TypeVar

import msgspec

from endless_winter.content.schema import Content, Entry
from endless_winter.rules.modules import REGISTRY

if TYPE_CHECKING:
    from endless_winter.content.making import Making
    from endless_winter.content.reader import Source
    from endless_winter.rules.tables import ModuleParts

_PACKAGE: Final = "endless_winter.content.modules"

E = TypeVar("E", bound=Entry)


class ContentModule:
    """The named points. Each method of this class is "nothing is printed"."""

    # The entries of its own, by their classes. A pack may lack them all.
    sections: tuple[type[Entry], ...] = ()

    def check(self, source: Source) -> None:
        """Raise `ContentError` for the first thing that is not as in the module's box.

        Shape, provenance, and what holds for all Tribe cards and Animals are looked at elsewhere.
        """

    def build(self, making: Making) -> ModuleParts | None:
        """Add cards, Animals, Terrain and Stones to those of the base game; what the core has
        to know of them is the result. None: the module is not in the pack.
        """
        return None


def module_files(package: str) -> dict[str, ModuleType]:
    """The files of a package that are called as modules of the registry, in its order."""
    paths = {name: f"{package}.{name}" for name in REGISTRY}
    return {
        name: import_module(path) for name, path in paths.items() if find_spec(path) is not None
    }


@cache
def content_modules() -> dict[str, ContentModule]:
    """Of all modules with something printed, by their names."""
    return {name: file.CONTENT for name, file in module_files(_PACKAGE).items()}


def module_sections() -> tuple[type[Entry], ...]:
    return tuple(kind for module in content_modules().values() for kind in module.sections)


def of_modules(content: Content, kind: type[E]) -> list[E]:
    """The entries of modules that are of a kind, such as Tribe cards."""
    found: list[E] = []
    for section in module_sections():
        if issubclass(section, kind):
            found.extend(content.entries(section))
    return found


def content_type() -> type[Content]:
    """`Content` with the sections of all modules."""
    return _content_type(module_sections())


@cache
def _content_type(kinds: tuple[type[Entry], ...]) -> type[Content]:
    made = msgspec.defstruct(
        Content.__name__,
        [(kind.section, GenericAlias(tuple, (kind, ...)), ()) for kind in kinds],
        bases=(Content,),
        frozen=True,
        kw_only=True,
        omit_defaults=True,
    )
    assert issubclass(made, Content)
    return made
