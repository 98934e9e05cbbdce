"""Which games are played: a pure function of the spec and, for some formats, of the results.

A *match* is a scheduled game: who sits where, in which block. Its id is a hash of what decides it
alone, so that a spec with more blocks or entrants, or another concurrency, finds its finished games
again. A *block* is a set of games of one group of entrants, one for each rotation of the seats:
what is resampled, and what a sequential test looks at. Each game has a seed of its own, or with
`paired_seeds` the whole block one.

In a solo field each entrant with the Nomad is a group. With `paired_seeds` the whole field is one:
with other entrants it is another field, on seeds that nobody has seen.
"""

from __future__ import annotations

import base64
import hashlib
from itertools import combinations
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import msgspec

from endless_winter.tournament.spec import NOMAD, Entrant
from endless_winter.tournament.statistics.ratings import shares
from endless_winter.tournament.statistics.sprt import Sprt, Verdict

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from endless_winter.tournament.results import Game
    from endless_winter.tournament.spec import Spec

LOOKAHEAD: Final = 8  # blocks that a sequential test plays beyond those that are decided


class World(NamedTuple):
    """What decides games besides the spec."""

    rules_version: str
    content_hash: str


class Match(NamedTuple):
    """A scheduled game."""

    id: str
    block: str
    rotation: int
    entrants: tuple[str, ...]
    """By seat."""

    def game_id(self, attempt: int) -> str:
        return f"{self.id}-{attempt}"


class Block(NamedTuple):
    """A set of games, one for each rotation of a group; of a paired solo field all on a seed."""

    id: str
    group: tuple[str, ...]
    matches: tuple[Match, ...]


class Plan(NamedTuple):
    """What is known of the schedule."""

    blocks: tuple[Block, ...]
    over: bool
    """Whether nothing will follow these blocks."""
    total: int
    """Games that the whole tournament has, as far as that is known."""
    verdict: Verdict | None = None
    """Of a sequential test."""

    def matches(self) -> Iterator[Match]:
        for block in self.blocks:
            yield from block.matches

    def counted(self, finished: Mapping[str, Game]) -> list[Game]:
        """The finished games (by match) that belong to it, in its order.

        Others are those of entrants who were taken out or edited, and what a sequential test played
        beyond its decision.
        """
        return [finished[match.id] for match in self.matches() if match.id in finished]


def plan(spec: Spec, world: World, finished: Mapping[str, Game]) -> Plan:
    """The schedule as far as the finished games (by match) let it be known."""
    draw = _Draw(spec, world)
    if spec.solo and spec.paired_seeds:
        fields = tuple(draw.solo(spec.names, number) for number in range(spec.blocks))
        return Plan(fields, over=True, total=sum(len(field.matches) for field in fields))
    if spec.format == "sprt":
        return _sprt(spec, draw, finished)
    if spec.format == "swiss":
        return _swiss(spec, draw, finished)
    blocks = tuple(
        draw.block(group, number)
        # Set by set, not group by group: whenever it is stopped, all have met about as often.
        for number in range(spec.blocks)
        for group in groups(spec)
    )
    return Plan(blocks, over=True, total=len(blocks) * spec.seats)


def groups(spec: Spec) -> list[tuple[str, ...]]:
    """Who meets whom, in the order of the spec."""
    names = spec.names
    if spec.solo:
        return [(name, NOMAD) for name in names]
    if spec.format == "gauntlet":
        rest = combinations(names[1:], spec.players - 1)
        return [(names[0], *others) for others in rest]
    return list(combinations(names, spec.players))


class _Draw:
    """Makes blocks; knows what goes into an id."""

    def __init__(self, spec: Spec, world: World) -> None:
        self._entrants: dict[str, Entrant] = {one.name: one for one in spec.entrant}
        self._common = [list(world), _said(spec.game), _said(spec.clock)]
        if spec.solo:
            self._entrants[NOMAD] = Entrant(name=NOMAD)
            self._common.append(_said(spec.nomad))

    def block(self, group: Sequence[str], number: int, prefix: str = "") -> Block:
        block = f"{prefix}{'+'.join(group)}:{number}"
        turns = [tuple(group[turn:]) + tuple(group[:turn]) for turn in range(len(group))]
        return Block(
            block,
            tuple(group),
            tuple(
                Match(self._id(block, turn, seats), block, turn, seats)
                for turn, seats in enumerate(turns)
            ),
        )

    def solo(self, names: Sequence[str], number: int) -> Block:
        """A paired field, on one seed: each alone against the Nomad, in both seats."""
        block = f"solo:{'+'.join(names)}:{number}"
        seatings = [seats for name in names for seats in ((name, NOMAD), (NOMAD, name))]
        return Block(
            block,
            tuple(names),
            tuple(
                Match(self._id(block, turn % 2, seats), block, turn % 2, seats)
                for turn, seats in enumerate(seatings)
            ),
        )

    def _id(self, block: str, rotation: int, seats: Sequence[str]) -> str:
        entrants = [self._entrants[name] for name in seats]
        who = [[one.name, one.fingerprint or one.bot, one.options] for one in entrants]
        decides = msgspec.json.encode([*self._common, who, block, rotation], order="sorted")
        digest = hashlib.blake2b(decides, digest_size=15, person=b"ew-match-1").digest()
        return base64.b32encode(digest).decode().lower()


def _said(part: msgspec.Struct) -> dict[str, Any]:
    """What a part of a spec says that is not so by default.

    A key that a later version adds thus leaves the ids of a tournament that goes on as they were.
    """
    usual = type(part)()
    return {
        key: value
        for key, value in msgspec.structs.asdict(part).items()
        if value != getattr(usual, key)
    }


def ended(block: Block, finished: Mapping[str, Game]) -> bool:
    return all(match.id in finished for match in block.matches)


def _sprt(spec: Spec, draw: _Draw, finished: Mapping[str, Game]) -> Plan:
    """Blocks until the test has decided; they are looked at in order, whichever ended first."""
    group = spec.names
    test = Sprt(spec.sprt.rating0, spec.sprt.rating1, spec.sprt.alpha, spec.sprt.beta)
    blocks: list[Block] = []
    for number in range(spec.blocks):
        block = draw.block(group, number)
        if not ended(block, finished):
            break
        blocks.append(block)
        verdict = test.add(_block_score(block, finished))
        if verdict.decided:
            return Plan(tuple(blocks), True, len(blocks) * spec.players, verdict)  # noqa: FBT003 # over
    done = len(blocks)
    more = range(done, min(done + LOOKAHEAD, spec.blocks))
    blocks += [draw.block(group, number) for number in more]
    total = spec.blocks * spec.players
    return Plan(tuple(blocks), done == spec.blocks, total, test.verdict())


def _block_score(block: Block, finished: Mapping[str, Game]) -> float:
    """How the first of the group did against the second, over all rotations of a block."""
    first, second = block.group[:2]
    total = 0.0
    for match in block.matches:
        place = {seat.entrant: seat.place for seat in finished[match.id].seats}
        gap = place[second] - place[first]
        total += 0.5 if not gap else float(gap > 0)
    return total / len(block.matches)


def _swiss(spec: Spec, draw: _Draw, finished: Mapping[str, Game]) -> Plan:
    """Round by round: those of like standing meet, and if possible not those who met before."""
    size = spec.players
    places = len(spec.names) // size
    total = spec.rounds * places * spec.blocks * size
    blocks: list[Block] = []
    table = _SwissTable(spec.names)
    for number in range(spec.rounds):
        pairing = table.pair(size)
        new = [
            draw.block(group, seed, f"round{number + 1}:")
            for seed in range(spec.blocks)
            for group in pairing
        ]
        blocks += new
        if not all(ended(block, finished) for block in new):
            return Plan(tuple(blocks), number + 1 == spec.rounds, total)
        for block in new:
            for match in block.matches:
                table.count(finished[match.id])
    return Plan(tuple(blocks), over=True, total=total)


class _SwissTable:
    """Points so far, who met whom, and who sat out."""

    def __init__(self, names: Sequence[str]) -> None:
        self._names = names
        self._points = dict.fromkeys(names, 0.0)
        self._games = dict.fromkeys(names, 0)
        self._out = dict.fromkeys(names, 0)
        self._met: dict[frozenset[str], int] = {}

    def count(self, game: Game) -> None:
        gained = shares([seat.place for seat in game.seats])
        for seat, share in zip(game.seats, gained, strict=True):
            self._points[seat.entrant] += share
            self._games[seat.entrant] += 1

    def _standing(self) -> list[str]:
        """Best first; by the mean, so that sitting out neither helps nor hurts."""
        order = {name: number for number, name in enumerate(self._names)}
        return sorted(
            self._names,
            key=lambda name: (
                -round(self._points[name] / max(self._games[name], 1), 9),
                order[name],
            ),
        )

    def pair(self, size: int) -> list[tuple[str, ...]]:
        waiting = self._standing()
        for _ in range(len(waiting) % size):
            # The lowest of those who sat out least.
            least = min(self._out[name] for name in waiting)
            out = [name for name in waiting if self._out[name] == least][-1]
            self._out[out] += 1
            waiting.remove(out)
        pairing = []
        while waiting:
            group = [waiting.pop(0)]
            while len(group) < size:
                best = min(waiting, key=lambda name: self._meetings(name, group))
                waiting.remove(best)
                group.append(best)
            pairing.append(tuple(group))
            for pair in combinations(group, 2):
                self._met[frozenset(pair)] = self._met.get(frozenset(pair), 0) + 1
        return pairing

    def _meetings(self, name: str, group: Sequence[str]) -> int:
        return sum(self._met.get(frozenset((name, other)), 0) for other in group)
