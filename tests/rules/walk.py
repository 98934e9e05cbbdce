"""Random play: the walks that tests of what always holds are made on.

A walk is a game of one of the agreed kinds, with a seed of its own, in which every choice is
drawn by a seeded `random.Random`. Walk number n is always the same game, so that a failure can
be repeated from its number; the first 36 numbers meet every player count with every variant,
every set of modules and every layout. In every second walk all options are equally likely; in
the others the players are eager to build, so that Villages, stacks and Sacred Stones are met.
Numbers from SOLO_FROM on are solo games: the Nomad in either seat, every switch on and off; those
from EXTRAS_FROM on have Warriors, the Mammoth or both, every fourth one solo. From ALL_FROM on
every switch of every kind of game is on or off. From OTHERS_FROM on are games with each further
module that the registry and the frozen pack have, alone and with others: a new one has walks of
its own at once, and those of the old ones stay what they are.
"""

from __future__ import annotations

import json
import random
from hashlib import blake2b
from typing import TYPE_CHECKING

from endless_winter.rules import Config, Game
from endless_winter.rules import options as o
from endless_winter.rules.config import NomadRules
from endless_winter.rules.modules import REGISTRY
from endless_winter.rules.modules.mammoth import DRIVE
from endless_winter.rules.modules.warriors import RAID
from endless_winter.rules.position import write
from endless_winter.rules.rivers import codes
from endless_winter.rules.rivers.agreed import RiversRules
from endless_winter.rules.terrain import ADJACENT
from tests.rules.scene import TABLES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from endless_winter.rules import Decision

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
ALL = range(ALL_FROM, ALL_FROM + 16)
ALL_MODULES = (GLACIER_TOKENS, REST_TOKENS, "warriors", "mammoth", "sea_cows")


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
    named = ("tree", "arch", "volcano", "monolith", "butte")[number % 2 :][:landmarks]
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
    """All at once, then every switch on or off by a draw of its own; Sea Cows need the river."""
    draw = random.Random(f"switches {number}")
    on = [draw.random() < 0.5 or number < 2 for _ in range(16)]
    solo = number % 4 == 1
    nomad = NomadRules(
        number // 4 % 2, on[0], on[1], on[2], on[3], on[4], on[5], second_extra_card=on[0] and on[6]
    )
    wanted = {*(name for at, name in enumerate(ALL_MODULES) if on[9 + at]), *more}
    names = [name for name in REGISTRY if name in wanted]
    river = (RiversRules(number // 2 % 3 + 1, decided=on[7]),) if on[8] else ()
    if not river:
        plain = {name: Config(TABLES, modules=(name,)) for name in names}
        names = [name for name in names if not REGISTRY[name].refusal(plain[name])]
    return Config(
        TABLES,
        players=2 if solo else PLAYERS[number % 3],
        setup_draft=not solo and on[14],
        chief_draft=not solo and on[15],
        modules=(*names, *river),
        layout=LAYOUTS[number % 3],
        nomad=nomad if solo else None,
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

    It is one game that goes on: whoever wants to keep a position takes a copy.
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
