"""A spec that is changed in the middle of a tournament: what counts, and what stays secret."""

from __future__ import annotations

import asyncio
import re
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from endless_winter.cli.tournament_progress import Lines
from endless_winter.tournament import results, schedule
from endless_winter.tournament.errors import TournamentError
from endless_winter.tournament.report.summary import summarize
from endless_winter.tournament.results import Journal
from endless_winter.tournament.runner import Tournament, open_key
from tests.tournament.tables import WORLD, by_strength, spec_of
from tests.tournament.test_runner import STRENGTH, Desk, Hall, Stopped, go

if TYPE_CHECKING:
    from pathlib import Path

    from endless_winter.tournament.results import Game, Results
    from endless_winter.tournament.spec import Spec
    from endless_winter.tournament.worker import Order


def honest(desk: Desk, order: Order) -> Game:
    del desk
    game = by_strength(STRENGTH)(order.match)
    return msgspec.structs.replace(game, id=order.game_id, attempt=order.attempt)


def begun(spec: Spec, folder: Path, games: int) -> Results:
    """A tournament that is stopped after so many games."""

    def stop(desk: Desk, order: Order) -> Game:
        if len(hall.orders) > games:
            raise Stopped
        return honest(desk, order)

    hall = Hall(stop, [1])
    with pytest.raises(Stopped):
        go(spec, folder, hall)
    return results.read(folder / "results.jsonl")[0]


def edited(spec: Spec) -> Spec:
    """The same with another file of the first bot."""
    first, *rest = spec.entrant
    changed = msgspec.structs.replace(first, fingerprint="edited")
    return msgspec.structs.replace(spec, entrant=(changed, *rest))


def changed(spec: Spec, what: str) -> Spec:
    if what == "bot":
        return edited(spec)
    parts: dict[str, dict[str, Any]] = {
        "options": {"entrant": [{"name": "a", "options": "x"}, {"name": "b"}]},
        "clock": {"clock": {"decision": 5.0}},
        "game": {"game": {"rest_tokens": True}},
        "nomad": {"nomad": {"extra_card": True}},
    }
    keys = ("format", "blocks", "rounds", "paired_seeds")
    same = {key: getattr(spec, key) for key in keys}
    return spec_of("a", "b", **{**same, **parts[what]})


@pytest.mark.parametrize(
    ("form", "what"),
    [
        ("round_robin", "bot"),
        ("round_robin", "options"),
        ("gauntlet", "clock"),
        ("swiss", "game"),
        ("sprt", "bot"),
        ("solo_field", "nomad"),
    ],
)
def test_no_game_is_played_on_a_seed_that_is_public(tmp_path: Path, form: str, what: str) -> None:
    spec = spec_of("a", "b", format=form, blocks=6, rounds=3, paired_seeds=True)
    before = begun(spec, tmp_path, 9)
    assert before.revealed
    hall = Hall(honest)
    with pytest.raises(TournamentError) as caught:
        go(changed(spec, what), tmp_path, hall)
    message = str(caught.value)
    assert "is public, and games on it could be foreseen" in message
    assert "undo that, or begin a new one with --out" in message
    assert "\n" not in message
    assert not hall.orders
    assert results.read(tmp_path / "results.jsonl")[0].games == before.games
    found = go(spec, tmp_path, Hall(honest)).results  # with the edit undone it goes on
    assert found.ended is not None


@pytest.mark.parametrize(
    ("form", "what"), [("round_robin", "bot"), ("sprt", "clock"), ("solo_field", "nomad")]
)
def test_with_a_seed_for_each_game_a_changed_spec_plays_on_other_seeds(
    tmp_path: Path, form: str, what: str
) -> None:
    spec = spec_of("a", "b", format=form, blocks=6, rounds=3)
    begun(spec, tmp_path, 9)
    public = {
        line["seed"]
        for line in map(msgspec.json.decode, (tmp_path / "results.jsonl").read_bytes().splitlines())
        if line["kind"] == "reveal"
    }
    hall = Hall(honest)
    found = go(changed(spec, what), tmp_path, hall).results
    assert found.ended is not None
    assert public
    assert not public & {order.seed.hex() for order in hall.orders}
    assert len({order.seed for order in hall.orders}) == len(hall.orders)


def test_a_bot_may_be_edited_before_the_first_seed_is_public(tmp_path: Path) -> None:
    spec = spec_of("a", "b", blocks=3, paired_seeds=True)
    assert not begun(spec, tmp_path, 1).revealed
    hall = Hall(honest)
    found = go(edited(spec), tmp_path, hall).results
    assert len(hall.orders) == 6  # an edited bot is another bot
    assert found.ended is not None
    known = schedule.plan(edited(spec), WORLD, found.finished)
    assert len(known.counted(found.finished)) == 6


@pytest.mark.parametrize("order", [("a", "b", "c"), ("c", "a", "b")])
def test_new_entrants_and_blocks_get_seeds_that_are_secret(
    tmp_path: Path, order: tuple[str, ...]
) -> None:
    public = begun(spec_of("a", "b", blocks=3, paired_seeds=True), tmp_path, 4).revealed
    assert public == {"a+b:0", "a+b:1"}
    hall = Hall(honest)
    go(spec_of(*order, blocks=5, paired_seeds=True), tmp_path, hall)
    assert len(hall.orders) == 3 * 5 * 2 - 4
    assert not public & {one.match.block for one in hall.orders}


def test_a_paired_solo_field_with_one_more_begins_anew_on_seeds_that_are_secret(
    tmp_path: Path,
) -> None:
    # All must play the same seeds to be compared, and those of before are public.
    paired = {"format": "solo_field", "blocks": 3, "paired_seeds": True}
    public = begun(spec_of("a", "b", **paired), tmp_path, 5).revealed
    assert public == {"solo:a+b:0"}
    hall = Hall(honest)
    found = go(spec_of("a", "b", "c", **paired), tmp_path, hall).results
    assert len(hall.orders) == 3 * 3 * 2
    assert not public & {one.match.block for one in hall.orders}
    assert found.ended is not None


def test_a_solo_field_with_one_more_keeps_what_was_played(tmp_path: Path) -> None:
    begun(spec_of("a", "b", format="solo_field", blocks=3), tmp_path, 5)
    hall = Hall(honest)
    found = go(spec_of("a", "b", "c", format="solo_field", blocks=3), tmp_path, hall).results
    assert len(hall.orders) == 3 * 3 * 2 - 5
    assert found.ended is not None


def test_a_schedule_that_grows_comes_to_a_public_seed_and_stops(tmp_path: Path) -> None:
    # Round 2 is known only when round 1 has been played again, under another seed.
    spec = spec_of("a", "b", format="swiss", blocks=1, rounds=2, paired_seeds=True)
    block = schedule.plan(spec, WORLD, {}).blocks[0].id.replace("round1", "round2")
    hall = Hall(honest)
    with Journal(tmp_path / "results.jsonl") as journal:
        key = open_key(tmp_path, journal)
        made = Tournament(spec, WORLD, key, journal, hall, Lines(spec, journal.results, quiet=True))
        journal.append([made._header(), results.Reveal(block=block, seed=key.seed(block).hex())])
        with pytest.raises(TournamentError, match=f"the seed of {re.escape(block)} is public"):
            asyncio.run(made.run())
    assert {one.match.block for one in hall.orders} == {block.replace("round2", "round1")}


def test_games_of_who_was_taken_out_count_nowhere(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    begun(spec_of("a", "b", "c", blocks=3), tmp_path, 12)
    spec = spec_of("a", "c", blocks=4)
    with Journal(tmp_path / "results.jsonl") as journal:
        progress = Lines(spec, journal.results, quiet=False)
        key = open_key(tmp_path, journal)
        made = Tournament(spec, WORLD, key, journal, Hall(honest), progress)
        asyncio.run(made.run())
        summary = summarize(spec, made.plan, journal.results, resamples=100)
    said = capsys.readouterr().out.splitlines()
    assert said[0] == "Tournament: a, c; 8 games, 4 of them done"
    assert said[1].startswith("5 of 8 games; a +")
    assert summary.table.games == 8
    assert {one.entrant for one in summary.table.standings} == {"a", "c"}
