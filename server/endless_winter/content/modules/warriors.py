"""Warriors: a Tribe card that may take the place of another one (RAF-15)."""

from typing import Final

from endless_winter.content.making import Making
from endless_winter.content.plugin import ContentModule
from endless_winter.content.reader import Source
from endless_winter.content.schema import Id, PersonCard
from endless_winter.rules.modules.warriors import WarriorParts


class WarriorCard(PersonCard, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The Tribe card that may take the place of another one (RAF-15)."""

    section = "warrior"
    label = "warrior"
    replaces: Id


class WarriorsContent(ContentModule):
    sections = (WarriorCard,)

    def check(self, source: Source) -> None:
        """At most one, in place of a Tribe card that exists."""
        warriors = source.content.entries(WarriorCard)
        if len(warriors) > 1:
            raise source.section_error(WarriorCard, f"{len(warriors)} entries, the game has 1")
        for warrior in warriors:
            if all(card.id != warrior.replaces for card in source.content.tribe):
                raise source.error(warrior, f'replaces unknown Tribe card "{warrior.replaces}"')

    def build(self, making: Making) -> WarriorParts | None:
        for warrior in making.content.entries(WarriorCard):
            return WarriorParts(making.add_person(warrior), making.card(warrior.replaces))
        return None


CONTENT: Final = WarriorsContent()
