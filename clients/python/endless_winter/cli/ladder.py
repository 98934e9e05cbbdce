"""``ew ladder``: how strong each bot is, at tables in this process, with intervals."""

from __future__ import annotations

import json
import math
import multiprocessing
import os
import statistics
import sys
import time
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

import click

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

RIVAL: Final = "heuristic"
Z: Final = 1.959964
NEAR: Final = 0.05  # the test tells a rate so much above its target from one so much below
ERROR: Final = 0.05  # how often it may err, either way
LEAST: Final = 20  # games before it is asked


class Line(NamedTuple):
    """A bot alone among rivals."""

    bot: str
    players: int
    games: int
    target: float | None = None  # the share of games to win; None: it is measured, not tested
    points: float | None = None  # the share of a rival's points to make
    solo: str = ""  # a variant of the Nomad instead of rivals

    @property
    def key(self) -> str:
        return f"{self.bot} {self.table}"

    @property
    def table(self) -> str:
        """Who sits there, for the table."""
        return f"solo, {self.solo}" if self.solo else f"{self.players}"


LINES: Final = (
    Line("quick", 2, 400, points=0.85),
    Line("quick", 4, 400, points=0.85),
    Line("learned", 2, 400, 0.60),
    Line("learned", 4, 400, 0.35),
    Line("search:ms=100", 2, 400, 0.70),
    Line("search:ms=100", 4, 400, 0.45),
    Line("search:ms=1000", 2, 100, 0.80),
    Line("search:ms=1000", 4, 100, 0.55),
)
BY_TIME: Final = tuple(Line(f"search:ms={ms}", 2, 60) for ms in (10, 30, 100, 300, 1000))

SOLO_GAMES: Final = 100
NORMAL: Final = "normal"
EVERY: Final = "every switch"


class Game(NamedTuple):
    """One game of a line: seeds count on when every seat had its turn."""

    key: str
    number: int
    won: bool
    own: int
    best: int
    others: float
    decisions: int
    seconds: float
    longest: float = 0.0  # seconds of its slowest decision


@click.command()
@click.argument("bots", nargs=-1, metavar="[BOT ...]")
@click.option("--players", type=click.IntRange(2, 4), help="Only games of so many.")
@click.option("--games", type=click.IntRange(min=2), help="Of each line.  [default: up to 400]")
@click.option("--by-time", is_flag=True, help="How search gains by thinking longer, instead.")
@click.option("--solo", is_flag=True, help="Against the Nomad: each expert variant, and all.")
@click.option("--all-games", is_flag=True, help="Play on when a target is met or missed for sure.")
@click.option(
    "--out",
    type=click.Path(dir_okay=False, path_type=Path),
    default=Path("ladder.jsonl"),
    show_default=True,
    help="The games that were played; what is in it is not played again.",
)
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True)
@click.option(
    "--processes",
    type=click.IntRange(1, 256),
    default=lambda: len(os.sched_getaffinity(0)),
    help="Games at the same time.  [default: one for each processor]",
)
def ladder(
    *,
    bots: tuple[str, ...],
    players: int | None,
    games: int | None,
    by_time: bool,
    solo: bool,
    all_games: bool,
    out: Path,
    seed: int,
    processes: int,
) -> None:
    """Play each BOT against `heuristic` and print how often it wins.

    One BOT and one rival at tables of two, three rivals at tables of four; every seed in each
    seat. Without BOT: every bot of the ladder. A line ends after its games, or as soon as a
    sequential test has decided whether its target is met. Games are played in this process,
    without views and messages: each bot thinks in worlds in which everything that its seat cannot
    see is drawn anew.

    \b
    For example:
      ew ladder                                 the whole ladder (takes hours)
      ew ladder quick --games 40                one bot
      ew ladder search:worlds=16 --players 2    a search that is the same on every machine
      ew ladder search --solo                   how often it wins against the Nomad
    """  # noqa: D301 # click's own mark
    from endless_winter.bots import named  # noqa: PLC0415 # only when needed
    from endless_winter.sdk.errors import BotFailed  # noqa: PLC0415

    if solo and (by_time or players is not None):
        raise click.UsageError("--solo goes with BOT, --games and --seed only")
    lines = _solo_lines(bots, games) if solo else _lines(bots, players, games, by_time=by_time)
    try:
        for line in lines:
            named(line.bot)
    except BotFailed as error:
        raise click.UsageError(str(error)) from error
    played = _read(out, seed)
    click.echo(HEADING)
    context = multiprocessing.get_context("spawn")
    with (
        out.open("a", encoding="utf-8") as file,
        ProcessPoolExecutor(processes, mp_context=context) as pool,
    ):
        for line in lines:
            found = played.setdefault(line.key, {})
            for game in _games(pool, line, found, seed, processes, all_games=all_games):
                found[game.number] = game
                file.write(json.dumps([seed, *game]) + "\n")
                file.flush()
                _progress(f"{line.key}: {len(found)} of {line.games} games")
            _progress("")
            click.echo(row(line, list(found.values())))


def _lines(
    bots: tuple[str, ...], players: int | None, games: int | None, *, by_time: bool
) -> list[Line]:
    """The lines that were asked for; a bot that is not on the ladder has lines like the others."""
    if by_time and bots:
        raise click.UsageError("--by-time has its own bots")
    found = list(BY_TIME if by_time else LINES)
    if bots:
        known = {line.bot: [one for one in LINES if one.bot == line.bot] for line in LINES}
        found = []
        for bot in bots:
            found += known.get(bot) or [Line(bot, 2, 400), Line(bot, 4, 400)]
    if players is not None:
        found = [line._replace(players=players) for line in found if players in (3, line.players)]
        found = list({line.key: line for line in found}.values())
    if games is not None:
        found = [line._replace(games=games) for line in found]
    return found


def _solo_lines(bots: tuple[str, ...], games: int | None) -> list[Line]:
    """The plain solo game, each switch of the Nomad by itself, and all of them."""
    from endless_winter.sdk import SWITCHES  # noqa: PLC0415 # only when needed

    return [
        Line(bot, 1, games or SOLO_GAMES, solo=variant)
        for bot in bots or (RIVAL,)
        for variant in (NORMAL, *SWITCHES, EVERY)
    ]


def _games(
    pool: ProcessPoolExecutor,
    line: Line,
    found: dict[int, Game],
    seed: int,
    at_once: int,
    *,
    all_games: bool,
) -> Iterator[Game]:
    """The games of a line that are still to be played, whole blocks of seats, until it is clear."""
    blocks = iter(range(math.ceil(line.games / line.players)))
    running: set[Future[Game]] = set()
    while True:
        while len(running) < at_once and (all_games or not decided(line, found.values())):
            block = next(blocks, None)
            if block is None:
                break
            for number in range(block * line.players, (block + 1) * line.players):
                if number not in found:
                    running.add(pool.submit(play_solo if line.solo else play, line, number, seed))
        if not running:
            return
        done, running = wait(running, return_when=FIRST_COMPLETED)
        for one in done:
            yield one.result()


def play(line: Line, number: int, seed: int) -> Game:
    """One game; the bot sits in another seat each time, and then comes the next seed."""
    from endless_winter.bots import named  # noqa: PLC0415 # in a process of its own
    from endless_winter.bots.players import rng  # noqa: PLC0415
    from endless_winter.bots.self_play import Unseen  # noqa: PLC0415
    from endless_winter.content import load_pack  # noqa: PLC0415
    from endless_winter.rules import Config  # noqa: PLC0415
    from endless_winter.rules import Game as Table  # noqa: PLC0415

    at = number % line.players
    shuffle = seed + number // line.players
    seated = [named(line.bot if seat == at else RIVAL)() for seat in range(line.players)]
    table = Table.new(Config(load_pack().tables, line.players), shuffle.to_bytes(32, "big"))
    decisions = asked = 0
    seconds = longest = 0.0
    while legal := table.options():
        asked += 1
        seat = table.position.agenda[-1][1]
        code = legal[0]
        if len(legal) > 1:
            draw = rng(number, f"ladder-{shuffle}", asked)
            start = time.thread_time()
            code = seated[seat].think(Unseen(table, seat), draw)[0].option
            if seat == at:
                spent = time.thread_time() - start
                seconds += spent
                longest = max(longest, spent)
                decisions += 1
        table.apply(code)
    result = table.result
    assert result is not None  # a game played to its end has one
    points = [score.total for score in result.scores]
    others = points[:at] + points[at + 1 :]
    return Game(
        line.key,
        number,
        result.winner == at,
        points[at],
        max(others),
        statistics.fmean(others),
        decisions,
        seconds,
        longest,
    )


def play_solo(line: Line, number: int, seed: int) -> Game:
    """One game against the Nomad. Its hidden cards are drawn from the view, as over the network."""
    from endless_winter.bots import named  # noqa: PLC0415 # in a process of its own
    from endless_winter.sdk import SWITCHES, LocalTable, solo_config  # noqa: PLC0415

    switches = {NORMAL: (), EVERY: SWITCHES}.get(line.solo, (line.solo,))
    table = LocalTable(seed=seed + number, config=solo_config(switches=switches))
    bot = named(line.bot)()
    decisions = 0
    seconds = longest = 0.0
    while not table.over:
        decision = table.decision
        if table.seat or len(decision.options) == 1:
            table.play(decision.default)
            continue
        view = table.view(0)
        start = time.thread_time()
        option = bot.choose(decision, view)
        spent = time.thread_time() - start
        seconds += spent
        longest = max(longest, spent)
        decisions += 1
        table.play(option)
    result = table.result
    assert result is not None  # a game played to its end has one
    own, nomads = result.scores
    won = result.winner == 0
    return Game(line.key, number, won, own, nomads, float(nomads), decisions, seconds, longest)


def decided(line: Line, games: Collection[Game]) -> bool:
    """Wald's sequential test: whether the target is met, or missed, beyond doubt."""
    if line.target is None or len(games) < LEAST:
        return False
    low, high = line.target - NEAR, line.target + NEAR
    wins = sum(game.won for game in games)
    ratio = wins * math.log(high / low)
    ratio += (len(games) - wins) * math.log((1 - high) / (1 - low))
    return abs(ratio) >= math.log((1 - ERROR) / ERROR)


HEADING: Final = (
    "| bot | players | games | wins, 95 % interval | of a rival's points | ahead of the best |"
    " a decision | slowest | target |\n| --- | --- | --- | --- | --- | --- | --- | --- | --- |"
)


def row(line: Line, games: list[Game]) -> str:
    """A line of the table."""
    number = len(games)
    wins = sum(game.won for game in games)
    low, high = interval(wins, number)
    share = sum(game.own for game in games) / sum(game.others for game in games)
    ahead = [float(game.own - game.best) for game in games]
    half = Z * statistics.stdev(ahead) / math.sqrt(number) if number > 1 else math.inf
    spent = sum(game.seconds for game in games) / max(sum(game.decisions for game in games), 1)
    slowest = max(game.longest for game in games)
    target = ""
    if line.target is not None:
        met = "met" if wins > line.target * number else "MISSED"
        target = f"above {100 * line.target:.0f} %: {met}"
    if line.points is not None:
        target = f"{100 * line.points:.0f} % of the points: "
        target += "met" if share >= line.points else "MISSED"
    return (
        f"| `{line.bot}` | {line.table} | {number} "
        f"| {100 * wins / number:.1f} % ({100 * low:.1f} - {100 * high:.1f}) "
        f"| {100 * share:.1f} % | {statistics.fmean(ahead):+.1f} ± {half:.1f} "
        f"| {1000 * spent:.3f} ms | {1000 * slowest:.1f} ms | {target} |"
    )


def interval(hits: int, number: int) -> tuple[float, float]:
    """Wilson's interval, sound for few games and near 0 or 1."""
    rate = hits / number
    spread = Z * Z / number
    middle = (rate + spread / 2) / (1 + spread)
    half = Z * math.sqrt(rate * (1 - rate) / number + spread / (4 * number)) / (1 + spread)
    return max(0.0, middle - half), min(1.0, middle + half)


def _read(path: Path, seed: int) -> dict[str, dict[int, Game]]:
    """The games of a file, by line and number; a line that broke off is left out."""
    found: dict[str, dict[int, Game]] = {}
    if not path.exists():
        return found
    for text in path.read_text(encoding="utf-8").splitlines():
        try:
            first, *rest = json.loads(text)
            game = Game(*rest)
        except (ValueError, TypeError):
            continue
        if first == seed:
            found.setdefault(game.key, {})[game.number] = game
    return found


def _progress(text: str) -> None:
    if sys.stderr.isatty():
        click.echo(f"\r{text:60}\r", err=True, nl=False)
