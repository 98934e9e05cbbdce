"""Tables in the making: what modules add to, and may look at."""

from endless_winter.content.printed import animal_of, benefit_of, person_of
from endless_winter.content.reader import Source
from endless_winter.content.schema import AnimalType, Content, Part, PersonCard
from endless_winter.rules import tables


class Making:
    """The lists of the base game, in the order of their numbers; what modules add comes behind."""

    __slots__ = ("animals", "cards", "source", "stones", "terrains")

    def __init__(
        self,
        source: Source,
        cards: list[tables.Card],
        animals: list[tables.Animal],
        terrains: list[tables.Terrain],
        stones: list[tables.Stone],
    ) -> None:
        self.source: Source = source
        self.cards: list[tables.Card] = cards  # the number of a Tribe card is that of its deck
        self.animals: list[tables.Animal] = animals
        self.terrains: list[tables.Terrain] = terrains
        self.stones: list[tables.Stone] = stones

    @property
    def content(self) -> Content:
        return self.source.content

    def card(self, name: str) -> int:
        """The number of a card."""
        return [card.name for card in self.cards].index(name)

    def terrain(self, name: str) -> int:
        """The number of a Terrain type."""
        return [terrain.name for terrain in self.terrains].index(name)

    def benefit(self, part: Part, field: str, text: str) -> bytes:
        """The pool of a benefit where there always is one."""
        return benefit_of(self.source, part, field, text)

    def add_person(self, entry: PersonCard) -> int:
        """Another Tribe card, in no deck until the module says so; its number."""
        self.cards.append(person_of(self.source, entry))
        return len(self.cards) - 1

    def add_animal(self, entry: AnimalType) -> int:
        """Another type of Animal, in the box until the module says else; its number."""
        self.animals.append(animal_of(self.source, entry, apart=True))
        return len(self.animals) - 1
