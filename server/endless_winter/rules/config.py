"""What is agreed before a game starts."""

from typing import Final

from endless_winter.rules.errors import BadConfig
from endless_winter.rules.tables import Tables

MIN_PLAYERS: Final = 2
MAX_PLAYERS: Final = 4
GLACIER_TOKENS: Final = "glacier_tokens"
NOMAD: Final = "nomad"  # the module that plays its seat

NOMAD_SWITCHES: Final = (
    "extra_card",
    "token_is_village",
    "setup_card",
    "idol_head_start",
    "four_player_terrain",
    "bottom_actions",
    "second_extra_card",
)


class ModuleRules:
    """What is agreed about a module where that is more than that it is played.

    A class of its own for each such module; an object of it switches the module on.
    """

    __slots__ = ()

    name: str = ""
    first: bool = False  # it lays out the board of the others, so it comes before them

    def written(self) -> dict[str, object]:
        """As JSON values, which `Module.read_rules` reads."""
        return {}


class NomadRules(ModuleRules):
    """The Nomad's seat and how hard it plays: switches that combine (SOL-11, XPT)."""

    __slots__ = (
        "bottom_actions",
        "extra_card",
        "four_player_terrain",
        "idol_head_start",
        "seat",
        "second_extra_card",
        "setup_card",
        "token_is_village",
    )

    name = NOMAD

    def __init__(
        self,
        seat: int = 1,
        extra_card: bool = False,
        token_is_village: bool = False,
        setup_card: bool = False,
        idol_head_start: bool = False,
        four_player_terrain: bool = False,
        bottom_actions: bool = False,
        second_extra_card: bool = False,
    ) -> None:
        if second_extra_card and not extra_card:
            raise BadConfig("second_extra_card lies on top of extra_card: switch that on too")
        self.seat: int = seat
        self.extra_card: bool = extra_card  # hard mode (SOL-11)
        self.token_is_village: bool = token_is_village  # hard mode (SOL-11)
        self.setup_card: bool = setup_card  # XPT-01
        self.idol_head_start: bool = idol_head_start  # XPT-02
        self.four_player_terrain: bool = four_player_terrain  # XPT-03
        self.bottom_actions: bool = bottom_actions  # XPT-04
        self.second_extra_card: bool = second_extra_card  # XPT-05

    def written(self) -> dict[str, object]:
        return {
            "seat": self.seat,
            "extra_card": self.extra_card,
            "token_is_village": self.token_is_village,
            "setup_card": self.setup_card,
            "idol_head_start": self.idol_head_start,
            "four_player_terrain": self.four_player_terrain,
            "bottom_actions": self.bottom_actions,
            "second_extra_card": self.second_extra_card,
        }


class Config:
    """The agreed game: content, players, set-up variants, modules.

    `layout` names one of the pack's Megalith layouts; empty means that of the player count
    (SET-12). `modules` are names from `endless_winter.rules.modules.REGISTRY`, or the rules of a
    module that has its own; afterwards they are the names, and `rules` has the rules. `nomad` makes
    it a solo game: 2 seats, one of them the Nomad's.
    """

    __slots__ = (
        "chief_draft",
        "layout",
        "modules",
        "nomad",
        "players",
        "rules",
        "setup_draft",
        "tables",
        "terrain_players",
    )

    def __init__(
        self,
        tables: Tables,
        players: int = 2,
        setup_draft: bool = False,
        chief_draft: bool = False,
        layout: str = "",
        modules: tuple[str | ModuleRules, ...] = (),
        nomad: NomadRules | None = None,
    ) -> None:
        if not MIN_PLAYERS <= players <= MAX_PLAYERS:
            raise BadConfig(f"a game has {MIN_PLAYERS} to {MAX_PLAYERS} players, not {players}")
        names = [known.name for known in tables.layouts]
        if not layout:
            layout = names[players - MIN_PLAYERS]
        if layout not in names:
            raise BadConfig(f'no Megalith layout "{layout}"; the pack has {", ".join(names)}')
        if not isinstance(modules, tuple):
            raise BadConfig(f"modules is a tuple of names, not {modules!r}")
        self.rules: dict[str, ModuleRules] = {} if nomad is None else {NOMAD: nomad}
        played: list[str] = []
        for module in modules:
            self._switch_on(module, played)
        self.terrain_players: int = players  # whose number of Glaciers the Terrain has (SET-10)
        self.nomad: NomadRules | None = nomad
        if nomad is not None:
            if players != MIN_PLAYERS or not 0 <= nomad.seat < players:
                raise BadConfig("a solo game has 2 seats, one of them the Nomad's")
            if setup_draft or chief_draft:
                raise BadConfig("no draft in a solo game: it has its own choice of set-up cards")
            if not tables.nomad_cards:
                raise BadConfig("the content pack has no Nomad cards")
            # SOL-05: 1 of 2 Chiefs, 1 of 2 Setup cards is the draft of a single player.
            chief_draft = True
            if nomad.four_player_terrain:
                self.terrain_players = MAX_PLAYERS
                if GLACIER_TOKENS not in played:
                    played.insert(0, GLACIER_TOKENS)
            played.append(NOMAD)
        self.modules: tuple[str, ...] = tuple(sorted(played, key=self._late))
        self.tables: Tables = tables
        self.players: int = players
        # VAR-02 is the Chief draft followed by VAR-01, so it brings the Setup draft along.
        self.setup_draft: bool = setup_draft or chief_draft
        self.chief_draft: bool = chief_draft
        self.layout: str = layout

    def _switch_on(self, module: str | ModuleRules, played: list[str]) -> None:
        name = module.name if isinstance(module, ModuleRules) else module
        if name == NOMAD:
            raise BadConfig("the Nomad is not switched on as a module, but by its seat")
        if name in played:
            raise BadConfig(f"a module is named twice: {name}")
        if isinstance(module, ModuleRules):
            self.rules[name] = module
        played.append(name)

    def _late(self, name: str) -> bool:
        return name not in self.rules or not self.rules[name].first
