"""The reports of a tournament: written into its folder, and its table at the terminal."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import click
from rich.console import Console

from endless_winter.cli import replay_file
from endless_winter.cli.replay_page import Links, page_of_record
from endless_winter.content import load_pack
from endless_winter.engine.replay.record import file_hash, record_of, secret_fits
from endless_winter.engine.stream import CONTRACT_REVISION
from endless_winter.store.errors import StoreError
from endless_winter.store.opening import read_game
from endless_winter.tournament import reasons
from endless_winter.tournament.report import conduct, files, html
from endless_winter.tournament.report.summary import remarks, undecided
from endless_winter.tournament.report.text import head_to_head, standings

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from endless_winter.content import Pack
    from endless_winter.tournament.report.summary import Summary
    from endless_winter.tournament.results import Game
    from endless_winter.v1 import replay_pb2

REPLAYS = "replays"
# Up to 400 kB and some 1 s each; `ew replay page` writes those of further games, which are linked
# to their records.
MOST_PAGES = 12


def write(summary: Summary, out: Path) -> None:
    """All reports, each whole or not at all."""
    replays = _replays(summary, out)

    def replay(game: Game) -> str:
        return replays.get(game.id, "")

    _put(out / "standings.csv", files.standings_csv(summary))
    _put(out / "games.csv", files.games_csv(summary))
    _put(out / "report.md", files.markdown(summary))
    _put(out / "report.html", html.page(summary, replay))


def _put(path: Path, text: str) -> None:
    fresh = path.with_name(f".{path.name}.new")
    fresh.write_text(text, encoding="utf-8")
    os.replace(fresh, path)  # noqa: PTH105 # of two paths of ours


def _replays(summary: Summary, out: Path) -> dict[str, str]:
    """Write the replays of revealed games; where each is, from the report."""
    found: dict[str, str] = {}
    pack = load_pack()
    (out / REPLAYS).mkdir(exist_ok=True)
    public = [game for game in summary.games if summary.results.public(game)]
    said = _said(summary, out, public)
    for game in public:
        path = out / REPLAYS / f"{game.id}.ewr"
        if path.exists() or (game.store and _export(out / game.store, game.id, path, said)):
            if len(found) < MOST_PAGES:
                path = _page(path, pack)
            found[game.id] = f"{REPLAYS}/{path.name}"
    return found


def _page(record: Path, pack: Pack) -> Path:
    """The page beside a record; a record that cannot be shown is its own replay."""
    path = record.with_suffix(".html")
    if path.exists():
        return path
    try:
        links = Links(record=record.name, home="../report.html")
        _put(path, page_of_record(replay_file.read(record), pack, links))
    except replay_file.ReplayError:
        return record
    return path


def _said(
    summary: Summary, out: Path, games: list[Game]
) -> Mapping[str, list[replay_pb2.ChoiceReason]]:
    """Why bots chose in games that have no record yet; nothing if it was not asked for."""
    if not summary.spec.explain:
        return {}
    fresh = [game for game in games if not (out / REPLAYS / f"{game.id}.ewr").exists()]
    return reasons.read(out, fresh, summary.spec.names)


def _export(
    store: Path,
    game_id: str,
    path: Path,
    said: Mapping[str, list[replay_pb2.ChoiceReason]],
) -> bool:
    """One replay. The seal does not matter here: the results say that the seed is public."""
    try:
        found = read_game(store, game_id)
    except StoreError:
        return False
    if found is None or not secret_fits(found[0]):
        return False
    file = record_of(*found, CONTRACT_REVISION)
    if game_id in said:
        file.reasons.extend(said[game_id])
        file.file_hash = file_hash(file)
    fresh = path.with_suffix(".new")
    fresh.write_bytes(replay_file.to_bytes(file, as_json=False))
    os.replace(fresh, path)  # noqa: PTH105 # of two paths of ours
    return True


def show(summary: Summary, out: Path) -> None:
    """The table, what happened, and where to look."""
    console = Console()
    click.echo(f"{summary.spec.title}: {summary.heading}")
    click.echo()
    console.print(standings(summary.table, summary.spec.seats))
    click.echo()
    console.print(head_to_head(summary.table))
    click.echo()
    for line in (
        *undecided(summary),
        *conduct.warnings(summary),
        *conduct.failures(summary),
        *conduct.burners(summary),
        *remarks(summary),
    ):
        click.echo(line)
    if summary.verdict:
        click.echo(summary.verdict)
    click.echo(f"ew tournament: {summary.table.games} games; the report is {out / 'report.html'}")
