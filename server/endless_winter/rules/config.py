"""What is agreed before a game starts."""

from typing import Final

from endless_winter.rules.errors import BadConfig
from endless_winter.rules.tables import Tables

MIN_PLAYERS: Final = 2
MAX_PLAYERS: Final = 4
GLACIER_TOKENS: Final = "glacier_tokens"
NOMAD: Final = "nomad"  # the module that plays its seat
RIVERS: Final = "rivers"
MAX_LANDMARKS: Final = 3
SWITCHED_APART: Final = (NOMAD, RIVERS)  # modules that have their own part of the configuration


NOMAD_SWITCHES: Final = (
    "extra_card",
    "token_is_village",
    "setup_card",
    "idol_head_start",
    "four_player_terrain",
    "bottom_actions",
    "second_extra_card",
)


class NomadRules:
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


class RiversRules:
    """Rivers & Rafts: how many Landmarks, and how they are found (RAF-02, RAF-04).

    `named` are Landmarks by their names, one per Landmark hex from the Headwaters to the Delta;
    `decided`: the players choose them in turn order. Else they are drawn at random.
    """

    __slots__ = ("decided", "landmarks", "named")

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


class Config:
    """The agreed game: content, players, set-up variants, modules.

    `layout` names one of the pack's Megalith layouts; empty means that of the player count
    (SET-12). `modules` are names from `endless_winter.rules.modules.REGISTRY`. `nomad` makes it a
    solo game: 2 seats, one of them the Nomad's. `rivers` is Rivers & Rafts.
    """

    __slots__ = (
        "chief_draft",
        "layout",
        "modules",
        "nomad",
        "players",
        "rivers",
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
        modules: tuple[str, ...] = (),
        nomad: NomadRules | None = None,
        rivers: RiversRules | None = None,
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
        if len(set(modules)) != len(modules):
            raise BadConfig(f"a module is named twice: {', '.join(modules)}")
        if NOMAD in modules:
            raise BadConfig("the Nomad is not switched on as a module, but by its seat")
        if RIVERS in modules:
            raise BadConfig("Rivers & Rafts is not switched on as a module, but by its own rules")
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
                if GLACIER_TOKENS not in modules:
                    modules = (GLACIER_TOKENS, *modules)
            modules = (*modules, NOMAD)
        self.rivers: RiversRules | None = rivers
        if rivers is not None:
            _check_landmarks(tables, rivers)
            modules = (RIVERS, *modules)  # first: it lays out the board of the others
        self.tables: Tables = tables
        self.players: int = players
        # VAR-02 is the Chief draft followed by VAR-01, so it brings the Setup draft along.
        self.setup_draft: bool = setup_draft or chief_draft
        self.chief_draft: bool = chief_draft
        self.layout: str = layout
        self.modules: tuple[str, ...] = modules


def _check_landmarks(tables: Tables, rivers: RiversRules) -> None:
    if tables.rivers is None:
        raise BadConfig("the content pack has no Rivers & Rafts")
    known = [landmark.name for landmark in tables.rivers.landmarks]
    for name in rivers.named:
        if name not in known:
            raise BadConfig(f'no Landmark "{name}"; the pack has {", ".join(known)}')
