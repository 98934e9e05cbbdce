"""Why an option is chosen, in the words of a player.

The option and its best rival are each played to the end of the turn in a world that agrees with
the view. What differs is the reason: what one pays, what one gets, what becomes of it in points.
Nothing is looked at but what the seat may know.
"""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import TYPE_CHECKING, Final, NamedTuple

from endless_winter.bots import search
from endless_winter.bots.evaluation import PARTS, evaluate, parts
from endless_winter.bots.policy import Policy
from endless_winter.rules import agenda, board, icons, options, scoring
from endless_winter.rules.megaliths import BOARD_SITES
from endless_winter.rules.options import a_of, b_of, verb_of
from endless_winter.views import phrases
from endless_winter.views.sampling import Known, read

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from endless_winter.content import Pack
    from endless_winter.rules.game import Game
    from endless_winter.rules.state import Player, Position
    from endless_winter.rules.tables import Card
    from endless_winter.sdk import Decision, Option, View

WORLDS: Final = 4  # that agree with the view; points are their mean
_SAME: Final = 0.05  # points: so close to each other, options are alike
_MUCH: Final = 0.75  # points: what a part of the evaluation must differ by to be named
_NAMED: Final = 3  # things at most in a list

# What a turn changes, in the order in which a player would say it: one of it, and many.
_THINGS: Final = {
    "point": ("point at once", "points at once"),
    "animal": ("Animal", "Animals"),
    "tipped": ("Animal tipped", "Animals tipped"),
    "culture": ("Culture card", "Culture cards"),
    "tribe": ("Tribe card", "Tribe cards"),
    "bury": ("card buried", "cards buried"),
    "village": ("Village", "Villages"),
    "stone": ("Sacred Stone", "Sacred Stones"),
    "megalith": ("Megalith", "Megaliths"),
    "lead": ("hex to lead", "hexes to lead"),
    "camp": ("Camp on the map", "Camps on the map"),
    "honor": ("step on the Honor track", "steps on the Honor track"),
    "offering": ("step on the Offering track", "steps on the Offering track"),
    "tool": ("Tool", "Tools"),
    "food": ("Food", "Food"),
    "played": ("card", "cards"),
}
# Paid with: what a turn spends.
_MEANS: Final = ("tool", "food", "played", "animal")
_PART_WORDS: Final = dict(
    zip(
        PARTS,
        (
            "points at once",
            "my sets of Animals",
            "cards to use again and to bury",
            "Food, Tools, Megaliths and Villages",
            "the Offering track",
            "the Honor track and what buried cards score by it",
            "the hexes I lead",
            "my Sacred Stones",
            "an earlier place in turn order",
        ),
        strict=True,
    )
)
# Options that have the same reason wherever they are chosen.
_PLAIN: Final = {
    options.BOTTOM: "it costs nothing",
    options.END: "what is left is worth more in a later turn",
    options.DONE: "what is left is worth more in my hand",
    options.LEAVE: "nothing that is left brings more than it costs",
    options.DISCARD: "it is the card that I miss least",
    options.LEAD: "my Chief gives it for nothing",
    options.USE: "what it gives is worth more than what it costs",
    options.PAY: "what it gives is worth more than what it costs",
}
_BUYS: Final = (
    (options.HUNT, "Animal", "Animals"),
    (options.INITIATE, "Tribe card", "Tribe cards"),
    (options.DEVELOP, "Culture card", "Culture cards"),
    (options.TRAVEL, "Camp move", "Camp moves"),
)
_WHICH: Final = ("first", "second", "third", "fourth", "fifth", "sixth")
_NUMBERS: Final = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")


class Reason(NamedTuple):
    """An option of a decision, and why one would take it."""

    option: Option
    points: float
    """The final score that the seat may expect with it."""
    text: str
    """What speaks for it: `two Tools buy three Animals`; without a full stop."""


def reasons(
    decision: Decision,
    view: View,
    also: Iterable[Option] = (),
    *,
    seed: int = 0,
    pack: Pack | None = None,
) -> list[Reason]:
    """The options worth a thought, the best first, each with its points and its reason.

    Judged from the view alone, as `heuristic` does, in several worlds that agree with it. `also`
    are options to be weighed in any case, such as the one that a player took. The same decision
    has the same answer. A game with another content pack than the engine's own needs its `pack`.
    """
    weighed = _weighed(decision, read(view, pack=pack), also, seed, WORLDS)
    world, points = weighed.worlds[0], weighed.points
    return [
        Reason(
            decision.options[weighed.codes.index(code)],
            points[code],
            because(world, code, _rival(list(points), code)),
        )
        for code in points
    ]


def expected(
    decision: Decision,
    view: View,
    also: Iterable[Option] = (),
    *,
    seed: int = 0,
    worlds: int = WORLDS,
    pack: Pack | None = None,
) -> list[tuple[Option, float]]:
    """The points of `reasons` without their texts, which take longer than the points."""
    weighed = _weighed(decision, read(view, pack=pack), also, seed, worlds)
    return [
        (decision.options[weighed.codes.index(code)], points)
        for code, points in weighed.points.items()
    ]


class _Weighed(NamedTuple):
    """Options by what may be expected of them, the best first."""

    worlds: list[Game]
    codes: list[int]
    points: dict[int, float]


def _weighed(
    decision: Decision, known: Known, also: Iterable[Option], seed: int, count: int
) -> _Weighed:
    draw = Random(f"{seed}/{decision.id}")  # worlds to think in
    worlds = [known.draw(draw) for _ in range(count)]
    codes = worlds[0].options()
    tried = _tried(worlds[0])
    tried += [codes[one.id] for one in also if codes[one.id] not in tried]
    points = {code: sum(_expected(world, code) for world in worlds) / count for code in tried}
    best = sorted(tried, key=lambda code: -points[code])
    return _Weighed(worlds, codes, {code: points[code] for code in best})


def because(world: Game, code: int, instead: int | None = None) -> str:
    """What speaks for an option in a world of the own view, against another one."""
    if len(world.options()) == 1:
        return "there is nothing else to do"
    line = Line(world, code)
    other = None if instead is None else Line(world, instead)
    if line.placed:
        return _placed(line, other)
    said = _known(world, code, line)
    if said:
        return said
    change: Mapping[str, int] = line.change
    if other is not None:
        change = {thing: number - other.change[thing] for thing, number in change.items()}
        if abs(line.worth - other.worth) < _SAME:
            return "it makes no difference here"
        if line.worth < other.worth:
            return "little speaks for it"
        most, worth = _most(line, other)
        if worth >= _MUCH and not any(number > 0 for number in change.values()):
            return f"it does most for {most}"
    return _traded(change) or "nothing else seems better"


def _placed(line: Line, other: Line | None) -> str:
    """What the turn of a figure will bring, and what it is good for."""
    said = _traded(line.change) or "the figure is worth little anywhere"
    if other is None:
        return said
    most, worth = _most(line, other)
    return f"{said}; it does more for {most}" if worth >= _MUCH else said


def _most(line: Line, other: Line) -> tuple[str, float]:
    """What an option does most for, compared with another one, and by how many points."""
    worths = [mine - theirs for mine, theirs in zip(line.parts, other.parts, strict=False)]
    if not worths:
        return "", 0.0
    most = max(range(len(worths)), key=lambda part: worths[part])
    return _PART_WORDS[PARTS[most]], worths[most]


def _traded(change: Mapping[str, int]) -> str:
    """What is paid, and what is got for it: `two Tools and a card buy three Animals`."""
    got = [thing for thing in _THINGS if change[thing] > 0 and thing != "played"]
    paid = [thing for thing in _MEANS if change[thing] < 0]
    if not got:
        return ""
    gains = _listed([_counted(thing, change[thing]) for thing in got[:_NAMED]])
    if not paid:
        return f"it brings {gains}"
    costs = _listed([_counted(thing, -change[thing]) for thing in paid])
    many = len(paid) > 1 or change[paid[0]] < -1
    return f"{costs} {'buy' if many else 'buys'} {gains}"


def _counted(thing: str, number: int) -> str:
    return _many(number, *_THINGS[thing])


def _listed(words: list[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


def _known(world: Game, code: int, line: Line) -> str:
    """What a player says of this kind of option; empty: it is for comparing."""
    position = world.position
    tables = position.tables
    player = position.players[position.agenda[-1][1]]
    verb, a, b = verb_of(code), a_of(code), b_of(code)
    if verb in (options.PLAY, options.EAT):
        return f"it helps to pay for {line.bought}" if line.bought else ""
    if verb in (options.HUNT, options.ANIMAL):
        return _animal(position, player, a)
    if verb == options.TIP:
        return f"it brings {phrases.pool(tables.animals[a].tip)}, and its set loses less than that"
    if verb in (options.DEVELOP, options.TAKE, options.INITIATE, options.TRIBE, options.RECRUIT):
        return _card(tables.cards[a])
    if verb == options.BURY:
        return f"buried cards score by the Honor track, and {tables.cards[a].title} is missed least"
    if verb == options.MEGALITH and a < BOARD_SITES:
        space = tables.megalith_tiles[position.tiles[a >> 3]][a & 7]
        return f"its space brings {phrases.pool(space.benefit)}" if space.benefit else ""
    if verb == options.STONE:
        points = scoring.stone_points(position, player, tables.stones[a])
        return f"it scores {points} now, and again in every Eclipse phase" if points else ""
    if verb in (options.TRAVEL, options.MOVE):
        return _hex(world, code, b)
    if verb == options.PILE:
        eclipse = [one for one in tables.cards[a].abilities if one.where == icons.ECLIPSE]
        does = [phrases.ability(one, where=False) for one in eclipse]
        does += ["its Labor for turn order"] if tables.cards[a].labor else []
        return f"in the Eclipse phase it gives {_listed(does)}" if does else ""
    if verb == options.PITCH:
        return "a Camp on the map can win a hex, and raises my Food limit"
    return _PLAIN.get(verb, "")


def _animal(position: Position, player: Player, animal: int) -> str:
    printed = position.tables.animals[animal]
    if printed.wild:
        return f"{printed.title} is wild and joins any set"
    number = player.animals.count(animal)
    before = printed.sets[min(number, len(printed.sets)) - 1] if number else 0
    points = printed.sets[min(number, len(printed.sets) - 1)] - before
    which = _WHICH[number] if number < len(_WHICH) else "next"
    return f"the {which} {printed.title} is worth {_points(points)} more"


def _card(card: Card) -> str:
    does = [] if card.era else [phrases.tribe_card(card)]
    does += [phrases.culture_card(card)] if card.era else []
    points = f", and it scores {_points(card.points)} in the end" if card.points else ""
    return f"played, it gives {_listed(does)}{points}"


def _points(number: int) -> str:
    return f"{number} point{'' if number == 1 else 's'}"


def _hex(world: Game, code: int, hex_: int) -> str:
    """A Camp that moves: a hex led from now on, or land on the way."""
    position = world.position
    if hex_ >= len(position.terrain):
        return ""
    after = world.copy()
    after.apply(code)
    seat = position.agenda[-1][1]
    benefit = phrases.pool(position.tables.terrains[position.terrain[hex_]].benefit)
    if not benefit:
        return ""
    leads = [_leads(one.position, seat, hex_) for one in (world, after)]
    if leads[1] and not leads[0]:
        return f"I lead hex {hex_} then, which brings {benefit} in every Eclipse phase"
    return "it is a step towards better land" if not leads[1] else ""


class Line:
    """An option played to the end of the turn by the policy: what it changes for the seat."""

    def __init__(self, world: Game, code: int) -> None:
        before = world.position
        kind, seat = before.agenda[-1][:2]
        self.placed = kind == agenda.TURN and verb_of(code) == options.PLACE
        eclipse = _in_eclipse(before)
        after = world.copy()
        policy = Policy(before, seat)
        played = 0
        buys: Counter[int] = Counter()
        for _ in range(search.STEPS):
            played += verb_of(code) == options.PLAY
            buys[verb_of(code)] += 1
            after.apply(code)
            if after.position.over or _in_eclipse(after.position) != eclipse:
                break
            frame = after.position.agenda[-1]
            if frame[1] != seat or frame[0] == agenda.TURN:
                break
            code = policy.choose(after)
        mine, ends = before.players[seat], after.position.players[seat]
        self.change = Counter(_owned(after.position, ends))
        self.change.subtract(_owned(before, mine))
        self.change["played"] -= played
        self.parts = [] if after.position.over else parts(after.position, seat)
        self.worth = evaluate(after.position, seat)
        names = [(buys[verb], one, many) for verb, one, many in _BUYS if buys[verb]]
        self.bought = _listed([_many(*name) for name in names]) if names else ""


def _in_eclipse(position: Position) -> bool:
    return any(frame[0] == agenda.ECLIPSE for frame in position.agenda)


def _many(number: int, one: str, many: str) -> str:
    words = _NUMBERS[number] if number < len(_NUMBERS) else str(number)
    return f"{words} {one if number == 1 else many}"


def _owned(position: Position, player: Player) -> dict[str, int]:
    cards = player.hand + player.deck + player.discard + player.above + player.pile + player.buried
    printed = position.tables.cards
    culture = sum(1 for card in cards if printed[card].era)
    return {
        "point": player.score,
        "animal": len(player.animals),
        "tipped": len(player.tipped),
        "culture": culture,
        "tribe": len(cards) - culture,
        "bury": len(player.buried),
        "village": len(player.villages),
        "stone": len(player.stones),
        "megalith": board.MEGALITHS - player.megaliths,
        "lead": _led(position, player),
        "camp": sum(1 for hex_ in player.camps if hex_ != board.camp_home(position)),
        "honor": player.honor,
        "offering": player.offering,
        "tool": player.tools,
        "food": player.food,
        "played": 0,
    }


def _led(position: Position, player: Player) -> int:
    return sum(_leads(position, player.seat, hex_) for hex_ in range(len(position.terrain)))


def _leads(position: Position, seat: int, hex_: int) -> bool:
    by_seat = [influence[hex_] for influence in board.influences(position)]
    return 0 < by_seat[seat] == max(by_seat)


def _expected(world: Game, code: int) -> float:
    return search.look_ahead(world, code, Policy(world.position, world.position.agenda[-1][1]))


def _tried(world: Game) -> list[int]:
    if len(world.options()) == 1:
        return world.options()[:]
    seat = world.position.agenda[-1][1]
    return search.candidates(world, Policy(world.position, seat))


def _rival(tried: list[int], code: int) -> int | None:
    """What an option is compared with: the best of the others."""
    others = [one for one in tried if one != code]
    return others[0] if others else None
