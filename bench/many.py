"""Many games at once: starting with them, keeping them in memory, and what each decision costs."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from bench import prepared, processes
from bench.counting import resident

if TYPE_CHECKING:
    from pathlib import Path

    from bench.protocol import Run
    from endless_winter.cli.process import Server

SEATS = 4
IDLE_KB = 64.0
CONNECTED_KB = 170.0
COST_GROWTH = 1.2  # "does not grow": a fifth for caches of the processor that no longer fit
FLAT_GROWTH = 2.0  # per cent, over the second half: caches of encoded parts fill ever more slowly
SAMPLES = 20
UNDER_WAY = 10  # answers at a time, whatever the number of games
_STORE = "games.db"


def _prepared(run: Run) -> Path:
    """The folder of the store with many games; made once in a run."""
    folder = run.inside("many")
    if not (folder / _STORE).exists():
        run.progress(f"preparing {run.sizes.idle_games:,} games of {SEATS} seats")
        prepared.prepare(
            folder / _STORE,
            games=run.sizes.idle_games,
            seats=SEATS,
            decisions=run.sizes.played,
            secret=run.secret,
        )
    return folder


def _weigh(server: Server) -> int:
    processes.collect_garbage(server)
    return resident(server.process.pid)


def start(run: Run) -> None:
    """From the start of the process to its first answer, and what a game costs when asked for."""
    folder = _prepared(run)
    games = prepared.names(run.sizes.idle_games)
    some = games[: max(len(games) // 10, 1)]
    for name, store in (("empty store", "empty.db"), (f"{len(games):,} games", _STORE)):
        run.progress(f"start, {name}")
        took = []
        for _ in range(run.repeat):
            begun = time.perf_counter()
            with processes.host(folder, store) as server:
                took.append(time.perf_counter() - begun)
                if store == _STORE and len(took) == run.repeat:
                    loaded = processes.load(
                        "look",
                        address=server.address,
                        secret=run.secret,
                        games=some,
                        seats=SEATS,
                    )
        run.judge(f"start, {name}", took, None, unit=" s")
    run.judge(
        f"loading a game of {run.sizes.played} decisions", [loaded["load_ms"]], None, unit=" ms"
    )


def memory(run: Run) -> None:
    """5,000 idle games in memory, first alone, then with a stream for each of their seats."""
    folder = _prepared(run)
    games = prepared.names(run.sizes.idle_games)
    job = {"secret": run.secret, "seats": SEATS}
    with processes.host(folder, _STORE) as server:
        # What the first games make once for all: caches, pools, code.
        processes.load("look", address=server.address, games=games[:20], **job)
        base = _weigh(server)
        run.progress(f"loading {len(games):,} games")
        processes.load("look", address=server.address, games=games, **job)
        idle = _weigh(server)
        run.progress(f"opening {len(games) * SEATS:,} streams")
        with processes.holding(address=server.address, games=games, **job):
            connected = _weigh(server)
        gone = _weigh(server)
    run.note("the server without games", f"{base / 1e6:,.1f} MB")
    many = max(len(games) - 20, 1)
    for name, weight, limit in (
        ("an idle game", idle, IDLE_KB),
        (f"with {SEATS} seats connected", connected, CONNECTED_KB),
        ("when they have left again", gone, None),
    ):
        run.judge(name, [(weight - base) / many / 1000], limit, unit=" kB")


def cost(run: Run) -> None:
    """Processor time of the server for a decision, the more games it has in play."""
    folder = _prepared(run)
    costs = []
    for number in run.sizes.counts:
        run.progress(f"cost of a decision with {number:,} games")
        with processes.host(folder, _STORE) as server:
            found = processes.load(
                "bots",
                address=server.address,
                secret=run.secret,
                games=prepared.names(min(number, run.sizes.idle_games)),
                streams=1,
                seats=SEATS,
                most=min(UNDER_WAY, number),
                # None of the games may end, and each has gone on before it counts: the first choice
                # after a start also logs the start, and nothing of its view is encoded yet.
                answers=min(max(run.sizes.cost_answers, number), number * run.sizes.played),
                warm=2 * number,
                server=server.process.pid,
            )
        costs.append(found["server_us"])
        run.raw.setdefault("cost", {})[number] = found
        run.note(f"a decision with {number:,} games", f"{costs[-1]:,.0f} us of the processor")
    few, most = run.sizes.counts[0], run.sizes.counts[-1]
    run.judge(
        f"a decision with {most:,} games, of {few:,}",
        [cost / max(costs[0], 1e-9) for cost in costs],
        COST_GROWTH,
        unit="x",
        value=costs[-1] / max(costs[0], 1e-9),
    )


def flat(run: Run) -> None:
    """Resident memory over many decisions; ended games leave, new ones come."""
    run.progress(f"memory over {run.sizes.flat_answers:,} decisions")
    with processes.host(run.inside("flat"), "flat.db") as server:
        found = processes.load(
            "bots",
            address=server.address,
            secret=run.secret,
            games=run.sizes.games,
            streams=1,
            answers=run.sizes.flat_answers,
            server=server.process.pid,
            samples=SAMPLES,
            # Until the place for ended games is full, and most of what views cache is cached.
            warm=run.sizes.flat_answers // 2,
        )
    series = [size / 1e6 for size in found["series"]]
    run.raw["flat"] = series
    run.note("memory, MB", " ".join(f"{size:.1f}" for size in series))
    # What waits for its place in the logs grows, and goes all at once: peaks are compared.
    half = len(series) // 2
    before = max(series[:half])
    growth = [(size / before - 1) * 100 for size in series[half:]]
    run.judge("memory gained in the second half", growth, FLAT_GROWTH, unit=" %", value=max(growth))
