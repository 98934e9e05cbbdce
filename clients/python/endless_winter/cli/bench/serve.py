"""``ew bench serve``: decisions over the network, beside a bare gRPC echo in the same run."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path

import click

from endless_winter.cli.process import running

GAMES = 64
_LOAD = (sys.executable, "-m", "endless_winter.cli.bench.load")
_SERVE = (sys.executable, "-m", "endless_winter.cli", "serve", "--listen", "127.0.0.1:0")


def load(**job: object) -> dict[str, float]:
    """Run one job of load.py in a process of its own."""
    done = subprocess.run(  # noqa: S603 # our own module
        [*_LOAD, json.dumps(job)], capture_output=True, text=True, check=False, timeout=600
    )
    if done.returncode:
        raise click.ClickException(f"the load failed: {done.stderr.strip().splitlines()[-1:]}")
    figures: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return figures


@click.command(short_help="Decisions over the network beside a bare gRPC echo.")
@click.option("--answers", default=6000, show_default=True, type=click.IntRange(min=200))
@click.option("--repeat", default=3, show_default=True, type=click.IntRange(min=1))
def serve(*, answers: int, repeat: int) -> None:
    """Measure a real server process under bots in another process.

    An echo of equally large messages, 64 streams with one in flight each, is measured between the
    runs, so that the ratios mean the same on any machine. The best of the repeats counts.
    """
    rows: dict[str, list[dict[str, float]]] = {}

    def note(name: str, figures: dict[str, float]) -> None:
        rows.setdefault(name, []).append(figures)

    with tempfile.TemporaryDirectory(prefix="ew-bench-") as folder:
        echo_server = running([*_LOAD, json.dumps({"kind": "serve_echo"})])
        with running(_SERVE, folder=Path(folder)) as server, echo_server as echo:
            for _ in range(repeat):
                one = load(
                    kind="bots", address=server.address, games=GAMES, streams=1, answers=answers
                )
                note("64 games, one stream", one)
                note(
                    "64 games, 64 streams",
                    load(
                        kind="bots",
                        address=server.address,
                        games=GAMES,
                        streams=GAMES,
                        answers=answers,
                    ),
                )
                note(
                    "one game, one stream",
                    load(kind="bots", address=server.address, games=1, streams=1, answers=150),
                )
                octets = round(one["octets"])
                note(
                    "echo, 64 streams",
                    load(
                        kind="echo",
                        address=echo.address,
                        streams=GAMES,
                        octets=octets,
                        answers=answers,
                    ),
                )
                note(
                    "echo, one stream",
                    load(kind="echo", address=echo.address, streams=1, octets=octets, answers=500),
                )
    best = {name: max(found, key=lambda one: one["per_second"]) for name, found in rows.items()}
    click.echo(f"{'':24}{'answers/s':>12}{'p50 ms':>10}{'p99 ms':>10}{'bytes':>10}")
    for name, one in best.items():
        click.echo(
            f"{name:24}{one['per_second']:>12,.0f}{one['p50_ms']:>10.2f}{one['p99_ms']:>10.2f}"
            f"{one['octets']:>10,.0f}"
        )
    echo_rate = best["echo, 64 streams"]["per_second"]
    for name, target in (("64 games, one stream", 1.5), ("64 games, 64 streams", 0.65)):
        ratio = best[name]["per_second"] / echo_rate
        verdict = "met" if ratio >= target else "MISSED"
        click.echo(f"{name}: {ratio:.2f}x the echo (at least {target}x)  {verdict}")
