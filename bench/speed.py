"""How quickly decisions are served, beside an echo in the same run."""

from __future__ import annotations

import os
import sqlite3
import statistics
import tempfile
import time
from contextlib import closing
from typing import TYPE_CHECKING, Any

from bench import processes
from bench.protocol import middle

if TYPE_CHECKING:
    from pathlib import Path

    from bench.protocol import Run
    from endless_winter.cli.process import Server

ONE_STREAM = 1.0
MANY_STREAMS = 0.5
ON_A_DATABASE = 1.5
LATENCY = 1.5  # of the echo, besides a commit and a quarter of a millisecond
LATENCY_MS = 0.25
PACED_P99_MS = 10.0
ECHO_P99_MS = 5.0
COMMITS = 200


def _note(run: Run, name: str, figures: dict[str, Any]) -> None:
    run.raw.setdefault(name, []).append(figures)
    run.note(
        name,
        f"{figures['per_second']:,.0f}/s, wait p50 {figures['p50_ms']:.2f} p99 "
        f"{figures['p99_ms']:.2f} most {figures['most_ms']:.1f} ms, "
        f"{figures['size']:,.0f} bytes, processor us: server "
        f"{figures['server_us']:,.0f}, load {figures['load_us']:,.0f}",
    )


def _play(run: Run, server: Server, streams: int, games: int, answers: int) -> dict[str, Any]:
    return processes.load(
        "bots",
        address=server.address,
        secret=run.secret,
        games=games,
        streams=streams,
        answers=answers,
        server=server.process.pid,
    )


def throughput(run: Run) -> None:
    """64 games on one stream and on 64, between echoes of the same size."""
    sizes = run.sizes
    one: list[dict[str, Any]] = []
    many: list[dict[str, Any]] = []
    echoes: list[dict[str, Any]] = []
    with processes.product(run.inside("throughput")) as server, processes.echo_server() as echo:
        for number in range(run.repeat):
            run.progress(f"throughput, {number + 1} of {run.repeat}")
            one.append(_play(run, server, 1, sizes.games, sizes.answers))
            size = round(one[-1]["size"])
            for into, streams in ((echoes, 0), (many, sizes.games), (echoes, 0)):
                if streams:
                    into.append(_play(run, server, streams, sizes.games, sizes.answers))
                    continue
                into.append(
                    processes.load(
                        "echo",
                        address=echo.address,
                        streams=sizes.games,
                        size=size,
                        answers=sizes.answers,
                        server=echo.process.pid,
                    )
                )
    _note(run, f"echo, {sizes.games} streams", middle(echoes))
    for name, runs, limit in (
        (f"{sizes.games} games, one stream", one, ONE_STREAM),
        (f"{sizes.games} games, {sizes.games} streams", many, MANY_STREAMS),
    ):
        _note(run, name, middle(runs))
        run.judge(
            f"{name}, of the echo's rate",
            # Each between the two echoes of its own round.
            [
                ours["per_second"] / max(e["per_second"] for e in echoes[2 * at : 2 * at + 2])
                for at, ours in enumerate(runs)
            ],
            limit,
            at_least=True,
            unit="x",
        )


def store(run: Run) -> None:
    """Processor time of a server for a decision on a database, of that on a file, in turns."""
    if not run.store:
        return
    ratios: dict[int, list[float]] = {}
    with (
        processes.product(run.inside("file")) as file,
        processes.product(run.inside("database"), variables={"EW_STORE": run.store}) as database,
    ):
        for number in range(run.repeat):
            for games in (run.sizes.games, 1):
                run.progress(f"{games} games on a database, {number + 1} of {run.repeat}")
                answers = run.sizes.answers if games > 1 else run.sizes.single
                theirs = _play(run, file, 1, games, answers)
                ours = _play(run, database, 1, games, answers)
                ratios.setdefault(games, []).append(ours["server_us"] / theirs["server_us"])
                _note(run, f"{games} games, one stream, on a file", theirs)
                _note(run, f"{games} games, one stream, on a database", ours)
    for games, found in ratios.items():
        limit = ON_A_DATABASE if games > 1 else None
        name = f"processor time with {games} games on a database, of that on a file"
        run.judge(name, found, limit, unit="x")


def commit_ms(folder: Path) -> float:
    """The median of a commit of two small rows in write-ahead mode, waiting for the disk."""
    took = []
    path = folder / "commit.db"
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("CREATE TABLE entries (seq INTEGER PRIMARY KEY, payload BLOB)")
        for seq in range(COMMITS):
            start = time.perf_counter()
            connection.execute("BEGIN IMMEDIATE")
            connection.execute("INSERT INTO entries VALUES (?, ?)", (seq, bytes(400)))
            connection.execute("COMMIT")
            took.append(time.perf_counter() - start)
    path.unlink()
    return statistics.median(took) * 1000


def latency(run: Run) -> None:
    """One game alone: from an answer to the next question."""
    waits, echoes, commits, excess = [], [], [], []
    with processes.product(run.inside("latency")) as server, processes.echo_server() as echo:
        for number in range(run.repeat):
            run.progress(f"latency of one game, {number + 1} of {run.repeat}")
            before = commit_ms(run.folder)
            ours = _play(run, server, 1, 1, run.sizes.single)
            commits.append(min(before, commit_ms(run.folder)))
            theirs = processes.load(
                "echo",
                address=echo.address,
                streams=1,
                size=round(ours["size"]),
                answers=run.sizes.single,
                server=echo.process.pid,
            )
            waits.append(ours["p50_ms"])
            echoes.append(theirs["p50_ms"])
            excess.append((waits[-1] - commits[-1]) / echoes[-1])
            _note(run, "one game, one stream", ours)
            _note(run, "echo, one stream", theirs)
    commit = statistics.median(commits)
    bare = bare_fsync(run.folder) / 1000
    run.note(
        "a commit that waits for the disk", f"{commit:.3f} ms; bare write and fsync {bare:.3f} ms"
    )
    limit = LATENCY * statistics.median(echoes) + commit + LATENCY_MS
    run.judge("one game: median wait", waits, round(limit, 3), unit=" ms")
    run.judge("  without a commit, of the echo's", excess, None, unit="x")


def pace(run: Run) -> None:
    """1,000 games at 1,000 decisions a second, and an echo at the same pace."""
    sizes = run.sizes
    ours, theirs = [], []
    with processes.product(run.inside("pace")) as server, processes.echo_server() as echo:
        for number in range(run.repeat):
            run.progress(f"{sizes.paced_games:,} games paced, {number + 1} of {run.repeat}")
            shape = {
                "games": sizes.paced_games,
                "streams": sizes.paced_streams,
                "answers": sizes.paced_answers,
                "per_second": sizes.per_second,
            }
            played = processes.load(
                "paced",
                address=server.address,
                secret=run.secret,
                server=server.process.pid,
                **shape,
            )
            echoed = processes.load(
                "paced_echo", address=echo.address, size=round(played["size"]), **shape
            )
            ours.append(played["p99_ms"])
            theirs.append(echoed["p99_ms"])
            _note(run, f"{sizes.paced_games:,} games at {sizes.per_second:,}/s", played)
            _note(run, "echo at the same pace", echoed)
    quiet = min(theirs) < ECHO_P99_MS
    if not quiet:
        run.note("paced echo", f"p99 never below {ECHO_P99_MS:g} ms: the machine is too busy")
    run.judge("the echo's p99 at that pace", theirs, None, unit=" ms", value=min(theirs))
    run.judge(
        f"{sizes.paced_games:,} games at {sizes.per_second:,}/s: p99",
        ours,
        PACED_P99_MS if quiet else None,
        unit=" ms",
        value=min(ours),
    )


def bare_fsync(folder: Path, times: int = 200) -> float:
    """Microseconds (median) of adding 4 KiB to a file and waiting for the disk."""
    took = []
    with tempfile.NamedTemporaryFile(dir=folder) as file:
        for _ in range(times):
            begun = time.perf_counter()
            os.write(file.fileno(), bytes(4096))
            os.fsync(file.fileno())
            took.append(time.perf_counter() - begun)
    return sorted(took)[times // 2] * 1_000_000
