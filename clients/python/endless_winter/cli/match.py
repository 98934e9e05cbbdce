"""``ew match``: bots against each other, over the network, with one command."""

from __future__ import annotations

import time
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import ExitStack, contextmanager
from pathlib import Path
from secrets import randbits, token_hex
from typing import TYPE_CHECKING

import click

from endless_winter.cli.bot import NOMAD, STUMBLED, findable
from endless_winter.cli.bot_process import BotProcess, Entrant, playing
from endless_winter.cli.kind import Kind, kind_options
from endless_winter.cli.match_report import Played, line_of, report
from endless_winter.cli.process import COMMAND, ServerFailed, running
from endless_winter.cli.tls import credentials_of, tls_options, tls_words
from endless_winter.v1 import game_pb2

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from endless_winter.cli.replay_file import Remote
    from endless_winter.sdk import Result
    from endless_winter.sdk.client import Client
    from endless_winter.v1 import config_pb2

# Our own server: nothing has to survive it, and one client creates all games.
SERVER = (*COMMAND, "--synchronous", "off", "--creates-per-minute", "0", "--log-level", "warning")
LOOK = 0.1  # seconds between looks at the processes
MOST_AT_ONCE = 64


@click.command()
@click.argument("bots", nargs=-1, required=True, metavar="BOT BOT [BOT [BOT]]")
@click.option(
    "--games",
    type=click.IntRange(min=1),
    help="At least so many games; rounded up so that every seat order is played equally often."
    "  [default: one of each]",
)
@click.option(
    "--seed",
    type=click.IntRange(min=0),
    help="Count seeds from this number, to play the same games again. Who knows the number knows "
    "every card.  [default: each game has a secret seed of its own]",
)
@click.option(
    "--paired-seeds",
    is_flag=True,
    help="Play each seed in every seat order. For your own bots alone: who keeps notes knows in "
    "the second game what was hidden in the first.",
)
@click.option(
    "--hard",
    multiple=True,
    metavar="SWITCH",
    help="A harder Nomad; several times for several, or 'all' (docs/nomad.md).",
)
@kind_options
@click.option("--server", metavar="HOST:PORT", help="A running server; without it, one of our own.")
@click.option(
    "--explain",
    is_flag=True,
    help="Have each bot say what it chooses and why, one game after the other.",
)
@click.option(
    "--replays",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="FOLDER",
    help="Write each game there, for 'ew replay show' and 'ew replay verify'.",
)
@click.option(
    "--at-once",
    type=click.IntRange(1, MOST_AT_ONCE),
    help="Games side by side.  [default: as many as cores, so that no bot waits for one]",
)
@click.option(
    "--time-limit",
    type=click.FloatRange(min=0),
    default=30.0,
    show_default=True,
    metavar="SECONDS",
    help="For each decision, then the default is played; 0: none.",
)
@click.option(
    "--start-limit",
    type=click.FloatRange(min=0),
    default=60.0,
    show_default=True,
    metavar="SECONDS",
    help="How long a bot may take to attach, and then to take its seat.",
)
@tls_options
def match(
    bots: tuple[str, ...],
    *,
    games: int | None,
    seed: int | None,
    paired_seeds: bool,
    hard: tuple[str, ...],
    kind: Kind,
    server: str | None,
    explain: bool,
    replays: Path | None,
    at_once: int | None,
    time_limit: float,
    start_limit: float,
    tls_ca: Path | None,
    tls_cert: Path | None,
    tls_key: Path | None,
) -> int:
    """Play 2 to 4 bots against each other and say who won, and why.

    A BOT is one that comes along (random, greedy, quick, heuristic, learned, search;
    or search:ms=30), a Python file (my_bot.py, or my_bot.py:Name), or any program: "cmd: node
    bot.js". Each runs as a process of its own and plays over the network, on a server that is
    started for this and gone afterwards.

    Every seat order is played equally often, and each game on a secret seed of its own, so that no
    bot can know hidden cards from an earlier game; --seed and --paired-seeds change that.

    A bot and "nomad" play solo games: the server plays the Nomad.

    Ends with status 1 when a bot crashes, raises or chooses something illegal.
    """
    from endless_winter.cli.replay_file import Remote, ReplayError  # noqa: PLC0415
    from endless_winter.sdk.client import Client  # noqa: PLC0415
    from endless_winter.sdk.errors import BadAddress, SdkError  # noqa: PLC0415
    from endless_winter.tournament.executor import cores  # noqa: PLC0415 # only when needed

    if not 2 <= len(bots) <= 4:
        raise click.UsageError(f"a game has 2 to 4 bots, not {len(bots)}")
    entrants = _entrants(bots, apart=server is not None)
    solo = _solo(bots, hard)
    players = [entrant for entrant in entrants if entrant.spec != NOMAD]
    rounds = -(-(games or 1) // len(bots))
    credentials = credentials_of(tls_ca, tls_cert, tls_key)
    flags = [*(["--explain"] if explain else []), *tls_words(tls_ca, tls_cert, tls_key)]
    if explain and at_once not in (None, 1):
        raise click.UsageError("--explain plays one game at a time: leave out --at-once")
    at_once = 1 if explain else min(at_once or cores(), rounds * len(bots), MOST_AT_ONCE)
    if replays is not None:
        _make_folder(replays)
    try:
        with ExitStack() as stack:
            address = server or stack.enter_context(running(SERVER)).address
            client = stack.enter_context(Client(address, credentials=credentials))
            processes = stack.enter_context(
                playing(players, address, capacity=at_once, flags=flags)
            )
            _attached(client, processes, start_limit, server is None)
            table = Match(client, entrants, processes, time_limit, solo, kind, start_limit)
            table.check_ability()
            if replays is not None:
                remote = stack.enter_context(Remote(address, credentials=credentials))
                table.keep_replays(remote, replays)
            seeds = seeds_of(rounds, len(bots), seed, paired=paired_seeds)
            played = table.play(seeds, at_once, _seed_line(seed, paired=paired_seeds))
            stumbled = {
                bot.entrant.name: bot.failures() for bot in processes if bot.stop() == STUMBLED
            }
    except BadAddress as error:
        raise click.UsageError(str(error)) from error
    except (SdkError, ServerFailed, ReplayError) as error:
        raise click.ClickException(str(error)) from error
    click.echo()
    click.echo(report([entrant.name for entrant in entrants], played, stumbled))
    unfinished = sum(not game.result.completed for game in played)
    if unfinished:
        raise click.ClickException(
            f"{unfinished} of {len(played)} games were not played to the end"
        )
    if stumbled:
        raise click.ClickException(
            f"{' and '.join(stumbled)} raised or chose something illegal (see above): "
            "defaults were played instead"
        )
    return 0


def seeds_of(rounds: int, orders: int, first: int | None, *, paired: bool) -> list[list[int]]:
    """The seeds of the games: for each round, one for each seat order.

    Without a first number they are drawn, each by itself: a seed is revealed when its game has
    ended, and must not reveal the next. 64 bits are more than anybody can try out.
    """
    count = rounds if paired else rounds * orders
    seeds = [randbits(64) if first is None else first + number for number in range(count)]
    if paired:
        return [[seed] * orders for seed in seeds]
    return [seeds[at : at + orders] for at in range(0, count, orders)]


def _seed_line(first: int | None, *, paired: bool) -> str:
    """What the seeds are, in a line."""
    shared = "each seed in every seat order" if paired else "every game on a seed of its own"
    if first is not None:
        return f"{shared}, counted from {first}: a bot can know every card"
    return f"{shared}: a bot that keeps notes knows hidden cards" if paired else f"{shared}, secret"


def _entrants(specs: Sequence[str], *, apart: bool) -> list[Entrant]:
    """Names that differ; `apart` also from any other bot that a server may know."""
    from endless_winter.sdk.loading import name_of  # noqa: PLC0415 # only when needed

    entrants: list[Entrant] = []
    suffix = f"-{token_hex(3)}" if apart else ""
    for spec in specs:
        if spec != NOMAD:
            findable(spec)
        name = name_of(spec)
        same = sum(one.name.split(":")[0] == name for one in entrants)
        entrants.append(Entrant(spec, f"{name}:{same + 1}" if same else name))
    # In the arena a name has no colon.
    return [one._replace(name=one.name.replace(":", "-") + suffix) for one in entrants]


def _solo(bots: Sequence[str], hard: Sequence[str]) -> config_pb2.NomadConfig | None:
    """How hard the Nomad plays; None: it does not."""
    from endless_winter.sdk import SWITCHES, NotThisGame, solo_config  # noqa: PLC0415

    if NOMAD not in bots:
        if hard:
            raise click.UsageError("--hard is for the Nomad: ew match heuristic nomad")
        return None
    if len(bots) != 2 or bots.count(NOMAD) != 1:
        raise click.UsageError("the Nomad plays against one bot: ew match heuristic nomad")
    try:
        return solo_config(switches=SWITCHES if "all" in hard else hard).nomad
    except NotThisGame as error:
        raise click.UsageError(str(error)) from error


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise click.ClickException(f"{folder}: cannot be made: {error.strerror}") from error


def _check(processes: Sequence[BotProcess]) -> None:
    """A bot that is gone ends the match."""
    for bot in processes:
        status = bot.status()
        if status is not None:
            how = f"was killed by signal {-status}" if status < 0 else f"ended with status {status}"
            raise click.ClickException(
                f"the bot {bot.entrant.name} {how}; what it said, if anything, is above"
            )


def _attached(
    client: Client,
    processes: Sequence[BotProcess],
    limit: float,
    alone: bool,  # noqa: FBT001 # on a server of our own, where nobody else attaches
) -> None:
    """Wait until every bot waits for games."""
    until = time.monotonic() + limit
    while True:
        _check(processes)
        known = {bot.name for bot in client.bots()}
        missing = [bot.entrant.name for bot in processes if bot.entrant.name not in known]
        if not missing:
            return
        if time.monotonic() > until:
            others = sorted(known - {bot.entrant.name for bot in processes}) if alone else []
            but = f", but one called {others[0]!r} did" if others else ""
            raise click.ClickException(
                f"the bot {missing[0]} did not attach within {limit:g} s{but}; a program must read "
                "EW_SERVER, EW_CLIENT_SECRET and EW_BOT_NAME and call ArenaService.AttachBot"
            )
        time.sleep(LOOK)


def _not_begun(info: game_pb2.GameInfo, names: Sequence[str], full: set[str], limit: float) -> str:
    """Which bot a game waits for, and what that has to do; `names` are those of the seats.

    Empty: it waits for one that plays as many seats as it can.
    """
    for seat in info.seats:
        name = names[seat.seat]
        if not seat.taken and name not in full:
            return (
                f"the bot {name} attached, but did not take its seat within {limit:g} s; "
                "a program must answer each SeatOffer by an OfferReply that accepts it"
            )
        if seat.taken and not seat.ready and info.status == game_pb2.GAME_STATUS_STARTING:
            return (
                f"the bot {name} took its seat, but was not ready within {limit:g} s; "
                "a program must attach the game on PlayService.Play and send Ready"
            )
    return ""


class Match:
    """The games of a match."""

    def __init__(
        self,
        client: Client,
        entrants: Sequence[Entrant],
        processes: Sequence[BotProcess],
        time_limit: float,
        solo: config_pb2.NomadConfig | None = None,
        kind: Kind = Kind(),  # noqa: B008 # a tuple, never changed
        start_limit: float = 60.0,
    ) -> None:
        self._client = client
        self._entrants = entrants
        self._processes = processes
        self._limit_ms = int(time_limit * 1000)
        self._solo = solo
        self._kind = kind
        self._start_limit = start_limit
        self._waiting: dict[str, tuple[float, list[str]]] = {}
        """Games that may not have begun: until when they must, and the names of their seats."""
        self._remote: Remote | None = None
        self._replays = Path()

    def keep_replays(self, remote: Remote, folder: Path) -> None:
        """Write each game that ends into a folder."""
        self._remote, self._replays = remote, folder

    def check_ability(self) -> None:
        """Refuse a game that a bot has not said it plays: its seat would never be offered."""
        from endless_winter.engine.ability import lacking  # noqa: PLC0415 # only when needed

        config = self._config(range(len(self._entrants)))
        playing = {bot.entrant.name for bot in self._processes}
        for bot in self._client.bots():
            if bot.name in playing:
                for field in lacking(bot.ability, config):
                    raise click.ClickException(
                        f"the bot {bot.name} does not say that it plays such games; if it does, "
                        f"set ability.{field} in its BotHello"
                    )

    def play(self, seeds: Sequence[Sequence[int]], at_once: int, headline: str) -> list[Played]:
        """A game for each seed, each list in all rotations; a line for each game as it ends."""
        names = [entrant.name for entrant in self._entrants]
        count = len(names)
        todo = [
            (seed, tuple((seat + turn) % count for seat in range(count)))
            for rotations in seeds
            for turn, seed in enumerate(rotations)
        ]
        total = len(todo)
        click.echo(f"{total} games: {' against '.join(names)}")
        click.echo(headline)
        todo.reverse()
        played: list[Played] = []
        running_: dict[Future[Result], tuple[int, tuple[int, ...]]] = {}
        with _pool(at_once) as pool:
            while todo or running_:
                while todo and len(running_) < at_once:
                    seed, seats = todo.pop()
                    game = self._client.create(seed=seed, config=self._config(seats))
                    running_[pool.submit(self._client.result, game.game_id)] = seed, seats
                    until = time.monotonic() + self._start_limit
                    self._waiting[game.game_id] = until, [names[bot] for bot in seats]
                done, _ = wait(running_, timeout=LOOK, return_when=FIRST_COMPLETED)
                for future in done:
                    seed, seats = running_.pop(future)
                    played.append(Played(seed, seats, future.result()))
                    click.echo(line_of(names, played[-1], len(played), total))
                    self._keep(played[-1], len(played), total)
                if running_ or todo:
                    _check(self._processes)
                    self._check_begun()
        return played

    def _check_begun(self) -> None:
        """A bot that attaches and then does nothing would keep everybody waiting."""
        now = time.monotonic()
        for game_id in [one for one, (until, _) in self._waiting.items() if until < now]:
            _, names = self._waiting.pop(game_id)
            info = self._client.game(game_id)
            if info.status in (game_pb2.GAME_STATUS_OPEN, game_pb2.GAME_STATUS_STARTING):
                full = {bot.name for bot in self._client.bots() if bot.busy >= bot.capacity}
                why = _not_begun(info, names, full, self._start_limit)
                if why:
                    raise click.ClickException(why)
                self._waiting[game_id] = now + self._start_limit, names

    def _keep(self, game: Played, number: int, of: int) -> None:
        if self._remote is None:
            return
        from endless_winter.cli import replay_file  # noqa: PLC0415 # only when needed

        record = self._remote.export(game.result.game_id)
        file = self._replays / f"game-{number:0{len(str(of))}}-{game.result.game_id}.ewr"
        try:
            file.write_bytes(replay_file.to_bytes(record, as_json=False))
        except OSError as error:
            raise click.ClickException(f"cannot write {file}: {error.strerror}") from error

    def _config(self, seats: Sequence[int]) -> config_pb2.GameConfig:
        from endless_winter.v1 import clock_pb2, config_pb2  # noqa: PLC0415 # only when needed

        control = None
        if self._limit_ms:
            control = clock_pb2.TimeControl(decision_limit_ms=self._limit_ms)
        config = config_pb2.GameConfig(
            seats=[self._seat(self._entrants[bot]) for bot in seats],
            nomad=self._solo,
            time_control=control,
            visibility=config_pb2.VISIBILITY_UNLISTED,
            tags=["match"],
        )
        self._kind.apply_to(config)
        return config

    def _seat(self, entrant: Entrant) -> config_pb2.SeatConfig:
        from endless_winter.v1 import config_pb2  # noqa: PLC0415 # only when needed

        if entrant.spec == NOMAD:
            return config_pb2.SeatConfig(kind=config_pb2.SEAT_KIND_NOMAD)
        return config_pb2.SeatConfig(kind=config_pb2.SEAT_KIND_BOT, bot_name=entrant.name)


@contextmanager
def _pool(threads: int) -> Iterator[ThreadPoolExecutor]:
    """Threads that wait for results; when the match breaks off they are not waited for."""
    pool = ThreadPoolExecutor(threads, thread_name_prefix="ew-match")
    try:
        yield pool
    except BaseException:
        pool.shutdown(wait=False, cancel_futures=True)
        raise
    pool.shutdown()
