"""Random play: the walks that tests of what always holds are made on.

A walk is a game of one of the agreed kinds, with a seed of its own, in which every choice is
drawn by a seeded `random.Random`. Walk number n is always the same game, so that a failure can
be repeated from its number; the first 36 numbers meet every player count with every variant,
every set of modules and every layout. In every second walk all options are equally likely; in
the others the players are eager to build, so that Villages, stacks and Sacred Stones are met.
Numbers from SOLO_FROM on are solo games: the Nomad in either seat, every switch on and off; those
from EXTRAS_FROM on have Warriors, the Mammoth or both, every fourth one solo. From ALL_FROM on
every switch of every kind of game is on or off: those of ALL meet each value of each switch
together with each value of every other one. From OTHERS_FROM on are games with each further
module that the registry and the frozen pack have, alone and with others: a new one has walks of
its own at once, and those of the old ones stay what they are.
"""

from __future__ import annotations

import itertools
import json
import random
from functools import cache
from hashlib import blake2b
from typing import TYPE_CHECKING

from endless_winter.rules import Config, Game
from endless_winter.rules import options as o
from endless_winter.rules.config import NOMAD_SWITCHES, NomadRules
from endless_winter.rules.modules import REGISTRY
from endless_winter.rules.modules.mammoth import DRIVE
from endless_winter.rules.modules.warriors import RAID
from endless_winter.rules.position import write
from endless_winter.rules.rivers import codes
from endless_winter.rules.rivers.agreed import RiversRules, rules_in
from endless_winter.rules.terrain import ADJACENT
from tests.rules.scene import TABLES

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from endless_winter.rules import Decision

    Switches = dict[str, int | str]  # a kind of game: each switch that it has, with its value
    Pair = frozenset[tuple[str, int | str]]

GLACIER_TOKENS = "glacier_tokens"
REST_TOKENS = "rest_tokens"
MODULES = ((), (GLACIER_TOKENS,), (REST_TOKENS,), (GLACIER_TOKENS, REST_TOKENS))
MORE_MODULES = (("warriors", "mammoth"), ("mammoth",), ("warriors",))
LAYOUTS = tuple(layout.name for layout in TABLES.layouts)
PLAYERS = (2, 3, 4)

SMALL = range(60)  # of every run
SOLO_FROM = 2_000_000
SOLO = range(SOLO_FROM, SOLO_FROM + 16)
EXTRAS_FROM = 4_000_000
EXTRAS = range(EXTRAS_FROM, EXTRAS_FROM + 12)
RIVERS_FROM = 6_000_000
RIVERS = range(RIVERS_FROM, RIVERS_FROM + 18)
ALL_FROM = 8_000_000
ALL = range(ALL_FROM, ALL_FROM + 32)
ALL_MODULES = (GLACIER_TOKENS, REST_TOKENS, "warriors", "mammoth", "sea_cows")
LANDMARKS = ("tree", "arch", "volcano", "monolith", "butte")
FOUND = ("drawn", "named", "decided")
VARIANTS = ("dealt", "setup draft", "chief draft")
OF_THE_NOMAD = ("seat", *NOMAD_SWITCHES)


def playable(name: str) -> bool:
    """Whether a module is simply switched on, and the frozen pack has what is printed of it."""
    if REGISTRY[name].own_rules:
        return False
    return not REGISTRY[name].refusal(Config(TABLES, modules=(RiversRules(), name)))


OTHERS_FROM = 10_000_000
OTHER_MODULES = tuple(name for name in REGISTRY if name not in ALL_MODULES and playable(name))
ALONE = 4  # walks of such a module alone, the last one solo
OF_EACH = 12
OTHERS = range(OTHERS_FROM, OTHERS_FROM + OF_EACH * len(OTHER_MODULES))
EVERY = (*SMALL, *SOLO, *EXTRAS, *RIVERS, *ALL, *OTHERS)
# Where the numbers of each sort begin, for tests that draw walks; each has a million and more.
STARTS = (0, SOLO_FROM, EXTRAS_FROM, RIVERS_FROM, ALL_FROM)
# More than any game can need; a walk that goes on is reported instead of running for ever.
TOO_LONG = 5000


def config_of(number: int) -> Config:
    """The kind of game that a walk plays."""
    if number >= OTHERS_FROM:
        return _others(number - OTHERS_FROM)
    if number >= ALL_FROM:
        return _all(number - ALL_FROM)
    if number >= RIVERS_FROM:
        return _rivers(number - RIVERS_FROM)
    if number >= EXTRAS_FROM:
        return _extras(number - EXTRAS_FROM)
    if number >= SOLO_FROM:
        return _solo(number - SOLO_FROM)
    variant = number // 3 % 3
    return Config(
        TABLES,
        players=PLAYERS[number % 3],
        setup_draft=variant == 1,
        chief_draft=variant == 2,
        modules=MODULES[number // 9 % 4],
        layout=LAYOUTS[(number + number // 3 + number // 9 + number // 36) % 3],
    )


def _solo(number: int) -> Config:
    """The plain game, hard mode, everything at once, then mixtures."""
    switches = 0 if number == 0 else 3 if number == 1 else 127 if number == 2 else number * 37 + 5
    return Config(
        TABLES,
        modules=MODULES[number % 4],
        layout=LAYOUTS[number % 3],
        nomad=NomadRules(
            seat=number // 2 % 2,
            extra_card=bool(switches & 65),
            token_is_village=bool(switches & 2),
            setup_card=bool(switches & 4),
            idol_head_start=bool(switches & 8),
            four_player_terrain=bool(switches & 16),
            bottom_actions=bool(switches & 32),
            second_extra_card=bool(switches & 64),
        ),
    )


def _extras(number: int) -> Config:
    """Both, then the Mammoth or the Warriors alone, now and then with tokens."""
    solo = number % 4 == 3
    return Config(
        TABLES,
        players=2 if solo else PLAYERS[number % 3],
        modules=(*MODULES[number % 4], *MORE_MODULES[number // 3 % 3]),
        layout=LAYOUTS[number % 3],
        nomad=NomadRules(seat=number // 4 % 2) if solo else None,
    )


def _rivers(number: int) -> Config:
    """1 to 3 Landmarks, drawn, named or chosen; all variants; each fourth game is a solo one."""
    solo = number % 4 == 3
    landmarks = number % 3 + 1
    named = LANDMARKS[number % 2 :][:landmarks]
    switches = number * 37 + 5
    nomad = NomadRules(number // 4 % 2, *[bool(switches & 1 << n) for n in (0, 1, 2, 3, 4, 5)])
    return Config(
        TABLES,
        players=2 if solo else PLAYERS[number // 2 % 3],
        setup_draft=not solo and number % 5 == 1,
        chief_draft=not solo and number % 5 == 2,
        modules=(
            RiversRules(landmarks, named if number % 3 == 1 else (), number % 3 == 2),
            *MODULES[number // 3 % 4],
            *(MORE_MODULES[number // 6 % 3] if number % 6 else ()),
        ),
        layout=LAYOUTS[number % 3],
        nomad=nomad if solo else None,
    )


def _others(number: int) -> Config:
    """The module alone, if it can be, then with all others, then as those of `_all`."""
    which, kind = divmod(number, OF_EACH)
    name = OTHER_MODULES[which]
    if kind >= ALONE:
        return _all(kind - ALONE, name)
    solo = kind == ALONE - 1
    river = (RiversRules(),) if REGISTRY[name].refusal(Config(TABLES, modules=(name,))) else ()
    return Config(
        TABLES,
        players=2 if solo else PLAYERS[kind],
        modules=(*river, name),
        nomad=NomadRules() if solo else None,
    )


def _all(number: int, *more: str) -> Config:
    """All at once, the same solo, then kinds that together meet every pair of switch values."""
    kinds = _kinds(ALL_MODULES)
    kind = kinds[number] if number < len(kinds) else _drawn(number, ALL_MODULES)[0]
    wanted = {*(name for name in ALL_MODULES if kind[name]), *more}
    names = [name for name in REGISTRY if name in wanted]
    landmarks = int(kind["landmarks"])
    river: tuple[RiversRules, ...] = ()
    if landmarks:
        named = LANDMARKS[number % 3 :][:landmarks] if kind["found"] == "named" else ()
        river = (RiversRules(landmarks, named, kind["found"] == "decided"),)
    else:
        plain = {name: Config(TABLES, modules=(name,)) for name in names}
        names = [name for name in names if not REGISTRY[name].refusal(plain[name])]
    solo = kind["players"] == 1
    nomad = None
    if solo:
        nomad = NomadRules(int(kind["seat"]), *(bool(kind[name]) for name in NOMAD_SWITCHES))
    return Config(
        TABLES,
        players=2 if solo else int(kind["players"]),
        setup_draft=kind.get("variant") == "setup draft",
        chief_draft=kind.get("variant") == "chief draft",
        modules=(*names, *river),
        layout=str(kind["layout"]),
        nomad=nomad,
    )


CANDIDATES = 200


@cache
def _kinds(modules: tuple[str, ...]) -> list[Switches]:
    """Those of ALL. Each is the one of many drawn ones that meets the most pairs not met yet."""
    everything: Switches = {"landmarks": 1, "found": "decided", "layout": LAYOUTS[0]}
    everything |= dict.fromkeys(modules, 1)
    people: Switches = {"players": 2, "variant": "chief draft"}
    solo: Switches = {"players": 1, "seat": 0, **dict.fromkeys(NOMAD_SWITCHES, 1)}
    kinds = [everything | people, everything | solo]
    met = {pair for kind in kinds for pair in pairs_of(kind)}
    for number in range(len(kinds), len(ALL)):
        drawn = _drawn(number, modules, CANDIDATES)
        kinds.append(max(drawn, key=lambda kind: len(pairs_of(kind) - met)))
        met |= pairs_of(kinds[-1])
    return kinds


def _drawn(number: int, modules: tuple[str, ...], how_many: int = 1) -> list[Switches]:
    """Kinds of game; each lacks the switches that it cannot have, as a solo game the variants."""
    draw = random.Random(f"switches {number}")
    solo = number % 4 in (1, 2)  # one of the two by an eager player, as of the other two
    kinds = []
    for _ in range(how_many):
        kind: Switches = {"landmarks": draw.randrange(4), "layout": draw.choice(LAYOUTS)}
        kind |= {name: draw.randrange(2) for name in modules}
        if kind["landmarks"]:
            kind["found"] = draw.choice(FOUND)
        elif "sea_cows" in kind:
            kind["sea_cows"] = 0
        if solo:
            kind["players"] = 1
            kind |= {name: draw.randrange(2) for name in OF_THE_NOMAD}
            if not kind["extra_card"]:
                kind["second_extra_card"] = 0
            if kind["four_player_terrain"]:
                kind[GLACIER_TOKENS] = 1
        else:
            kind["players"] = draw.choice(PLAYERS)
            kind["variant"] = draw.choice(VARIANTS)
        kinds.append(kind)
    return kinds


def switches_of(config: Config) -> Switches:
    """The kind of game that has been agreed, whatever way its walk came to it."""
    kind: Switches = {"layout": config.layout, "landmarks": 0}
    kind |= {name: int(name in config.modules) for name in ALL_MODULES}
    rivers = rules_in(config)
    if rivers is not None:
        kind["landmarks"] = rivers.landmarks
        kind["found"] = FOUND[2 if rivers.decided else 1 if rivers.named else 0]
    if config.nomad is None:
        kind["players"] = config.players
        kind["variant"] = VARIANTS[config.setup_draft + config.chief_draft]
    else:
        kind["players"] = 1
        kind |= {name: int(getattr(config.nomad, name)) for name in OF_THE_NOMAD}
    return kind


def pairs_of(kind: Switches) -> set[Pair]:
    """Every two of its switches, each with its value."""
    return {frozenset(two) for two in itertools.combinations(kind.items(), 2)}


def pairs_in(numbers: Iterable[int]) -> set[Pair]:
    """What walks meet of them."""
    return {pair for number in numbers for pair in pairs_of(switches_of(config_of(number)))}


def every_pair() -> set[Pair]:
    """All that a game can have; written down apart from the draws, which must come to the same."""
    values: dict[str, Iterable[int | str]] = {
        "players": (1, *PLAYERS),
        "variant": VARIANTS,
        "layout": LAYOUTS,
        "landmarks": range(4),
        "found": FOUND,
        **dict.fromkeys((*ALL_MODULES, *OF_THE_NOMAD), (0, 1)),
    }
    each = [[(name, value) for value in values[name]] for name in values]
    twos = itertools.chain(*(itertools.product(*two) for two in itertools.combinations(each, 2)))
    return {frozenset(two) for two in twos if not _contradict(dict(two))}


def _contradict(two: Switches) -> bool:
    of_solo = any(name in two for name in OF_THE_NOMAD)
    return bool(
        (of_solo and two.get("players", 1) != 1)
        or ("variant" in two and (of_solo or two.get("players") == 1))  # SOL-05
        or (two.get("landmarks") == 0 and ("found" in two or two.get("sea_cows")))  # RAF-13
        or (two.get("second_extra_card") and two.get("extra_card") == 0)  # XPT-05
        or (two.get("four_player_terrain") and two.get(GLACIER_TOKENS) == 0)  # XPT-03
    )


def seed_of(number: int) -> bytes:
    return blake2b(f"walk {number}".encode(), digest_size=32).digest()


def name_of(number: int) -> str:
    """What to say about a walk when something is wrong with it."""
    config = config_of(number)
    kind = "chief draft" if config.chief_draft else "setup draft" if config.setup_draft else "dealt"
    if config.nomad is not None:
        kind = "solo"
    return (
        f"walk {number} ({config.players} players, {kind}, layout {config.layout}, "
        f"modules {', '.join(config.modules) or 'none'})"
    )


def begin(number: int, *, listen: bool = False) -> Game:
    return Game.new(config_of(number), seed_of(number), listen)


class Choices(random.Random):
    """Draws options: all alike, or eagerly."""

    eager: bool = False

    def option(self, game: Game) -> int:
        listed = game.options()
        if not self.eager:
            return listed[int(self.random() * len(listed))]
        seat = game.position.agenda[-1][1]
        camps = game.position.players[seat].camps
        return self.choices(listed, [_weight(code, camps) for code in listed])[0]


# How much more an eager player likes an option than one of weight 1.
_WEIGHTS = {
    o.SETTLE: 200.0,
    o.VILLAGE: 200.0,
    codes.SETTLE_WITH_RAFT: 200.0,
    codes.VILLAGE_WITH_RAFT: 200.0,
    o.STONE: 20.0,
    o.MEGALITH: 4.0,
    o.PITCH: 6.0,
    o.CULTURE: 20.0,
    o.DEVELOP: 8.0,
    o.PILE: 3.0,
    o.CAMP: 6.0,
    o.LEAVE: 0.1,
    o.END: 0.1,
    o.EAT: 0.1,
    o.FEAST: 4.0,
    o.PLAY: 4.0,
    DRIVE: 0.3,
    RAID: 8.0,
}
_PLACES = (0.0, 0.5, 1.0, 4.0, 1.0, 0.0, 0.0, 0.5)  # by the place of a figure
_BOARD_SITES = 32


def _weight(code: int, camps: bytes) -> float:
    verb, a, b = o.verb_of(code), o.a_of(code), o.b_of(code)
    if verb == o.PLACE:
        return _PLACES[b]
    if verb in (o.TRAVEL, o.MOVE):
        # Out of the Base, and to where others of one's own are near.
        near = sum(hex_ in camps for hex_ in ADJACENT[b] if hex_ not in (0, a))
        return 0.05 if not b or b in camps else 1.0 + 6.0 * near + (2.0 if not a else 0.0)
    if verb == o.MEGALITH and a >= _BOARD_SITES:
        return 40.0
    return _WEIGHTS.get(verb, 1.0)


def random_of(number: int) -> Choices:
    choices = Choices(f"choices {number}")
    choices.eager = number % 2 == 1
    return choices


def pending(game: Game) -> Decision:
    decision = game.decision
    assert decision is not None
    return decision


def walk(number: int) -> Iterator[Game]:
    """The game before each of its decisions, and once more when it is over.

    It is one game that goes on: a caller that needs a position later takes a copy.
    """
    game = begin(number)
    choices = random_of(number)
    for _ in range(TOO_LONG):
        yield game
        if game.decision is None:
            return
        game.apply(choices.option(game))
    raise AssertionError(f"{name_of(number)} does not end")


def text_of(game: Game) -> str:
    """A position as one line of canonical JSON, for comparing."""
    return json.dumps(write(game.position), sort_keys=True)
