"""What is agreed about Rivers & Rafts before a game starts."""

from typing import Final

from endless_winter.rules.config import Config, ModuleRules
from endless_winter.rules.errors import BadConfig
from endless_winter.rules.reading import Reader

RIVERS: Final = "rivers"
MAX_LANDMARKS: Final = 3


class RiversRules(ModuleRules):
    """Rivers & Rafts: how many Landmarks, and how they are found (RAF-02, RAF-04).

    `named` are Landmarks by their names, one per Landmark hex from the Headwaters to the Delta;
    `decided`: the players choose them in turn order. Else they are drawn at random.
    """

    __slots__ = ("decided", "landmarks", "named")

    name = RIVERS
    first = True

    def __init__(
        self, landmarks: int = 3, named: tuple[str, ...] = (), decided: bool = False
    ) -> None:
        if not 1 <= landmarks <= MAX_LANDMARKS:
            raise BadConfig(f"1 to {MAX_LANDMARKS} Landmarks, not {landmarks}")
        if named and decided:
            raise BadConfig("Landmarks are named or decided in the game, not both")
        if named and (len(named) != landmarks or len(set(named)) != landmarks):
            raise BadConfig(f"{landmarks} different Landmarks expected, not {', '.join(named)}")
        self.landmarks: int = landmarks
        self.named: tuple[str, ...] = named
        self.decided: bool = decided

    def written(self) -> dict[str, object]:
        return {
            "landmarks": self.landmarks,
            "named": list(self.named),
            "decided": self.decided,
        }


def read_rules(reader: Reader) -> RiversRules:
    return RiversRules(
        landmarks=reader.number("landmarks"),
        named=tuple(reader.texts("named")),
        decided=reader.truth("decided"),
    )


def rules_in(config: Config) -> RiversRules | None:
    """None: the game is not played with Rivers & Rafts."""
    rules = config.rules.get(RIVERS)
    return rules if isinstance(rules, RiversRules) else None
