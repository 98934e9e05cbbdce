"""The schedule is a pure function of the spec, and of the results where the format asks."""

from __future__ import annotations

import random
from collections import Counter

import msgspec
import pytest

from endless_winter.tournament.schedule import LOOKAHEAD, World, plan
from endless_winter.tournament.statistics.ratings import shares
from tests.tournament.tables import WORLD, by_strength, game_of, play_all, spec_of

FIVE = ("a", "b", "c", "d", "e")


def test_every_group_plays_in_every_rotation() -> None:
    spec = spec_of(*FIVE, players=3, blocks=2)
    known = plan(spec, WORLD, {})
    assert known.over
    assert known.total == 10 * 2 * 3 == len(list(known.matches()))
    for block in known.blocks:
        for seat in range(3):
            assert {match.entrants[seat] for match in block.matches} == set(block.group)
    met = Counter(name for match in known.matches() for name in match.entrants)
    assert set(met.values()) == {6 * 2 * 3}


def test_the_same_spec_makes_the_same_schedule() -> None:
    assert plan(spec_of("a", "b"), WORLD, {}) == plan(spec_of("a", "b"), WORLD, {})


def test_a_key_that_a_later_version_adds_leaves_the_ids_of_a_tournament_that_goes_on() -> None:
    first = next(iter(plan(spec_of("a", "b"), WORLD, {}).matches()))
    assert first.id == "3kqe4wxzoetzgfraxfk6ju7c"


def test_a_gauntlet_has_the_first_entrant_in_every_game() -> None:
    known = plan(spec_of(*FIVE, format="gauntlet", players=2, blocks=1), WORLD, {})
    assert [block.group for block in known.blocks] == [("a", other) for other in "bcde"]


@pytest.mark.parametrize(
    "other",
    [
        spec_of("a", "b", title="x", workers=7, at_once=9, blocks=30, dead={"attempts": 9}),
        spec_of("a", "b", "c"),
    ],
)
def test_what_does_not_decide_a_game_leaves_its_id(other: object) -> None:
    ids = {match.id for match in plan(spec_of("a", "b"), WORLD, {}).matches()}
    assert isinstance(other, type(spec_of("a", "b")))
    assert ids <= {match.id for match in plan(other, WORLD, {}).matches()}


def test_what_decides_a_game_changes_its_id() -> None:
    spec = spec_of("a", "b")
    changed = [
        (spec_of("a", "b", game={"rest_tokens": True}), WORLD),
        (spec_of("a", "b", clock={"decision": 1.0}), WORLD),
        (spec_of("a", "b", entrant=[{"name": "a", "bot": "x.py"}, {"name": "b"}]), WORLD),
        (spec_of("a", "b", entrant=[{"name": "a", "options": "x"}, {"name": "b"}]), WORLD),
        (spec_of("b", "a"), WORLD),
        (spec, World("2", "c0ffee")),
        (spec, World("1", "decaf")),
    ]
    ids = [match.id for match in plan(spec, WORLD, {}).matches()]
    for other, world in changed:
        ids += [match.id for match in plan(other, world, {}).matches()]
    assert len(set(ids)) == len(ids)
    edited = msgspec.structs.replace(spec.entrant[0], fingerprint="other")
    edited_spec = msgspec.structs.replace(spec, entrant=(edited, spec.entrant[1]))
    assert not set(ids) & {match.id for match in plan(edited_spec, WORLD, {}).matches()}


def test_a_solo_field_meets_the_nomad_in_both_seats() -> None:
    spec = spec_of("a", "b", "c", format="solo_field", blocks=2)
    known = plan(spec, WORLD, {})
    assert known.over
    assert known.total == 2 * 3 * 2 == len(list(known.matches()))
    assert [block.group for block in known.blocks[:3]] == [(name, "Nomad") for name in "abc"]
    for block in known.blocks:
        name = block.group[0]
        assert [match.entrants for match in block.matches] == [(name, "Nomad"), ("Nomad", name)]


def test_a_paired_solo_field_meets_the_nomad_on_the_same_seeds_in_both_seats() -> None:
    paired = {"format": "solo_field", "blocks": 2, "paired_seeds": True}
    spec = spec_of("a", "b", "c", **paired)
    known = plan(spec, WORLD, {})
    assert known.over
    assert known.total == 2 * 3 * 2
    assert [match.entrants for match in known.blocks[0].matches[:2]] == [
        ("a", "Nomad"),
        ("Nomad", "a"),
    ]
    ids = {match.id for match in known.matches()}
    assert len(ids) == 12
    harder = spec_of("a", "b", "c", **paired, nomad={"extra_card": True})
    assert not ids & {match.id for match in plan(harder, WORLD, {}).matches()}
    alone = spec_of("a", format="solo_field", blocks=1, paired_seeds=True)
    assert plan(alone, WORLD, {}).total == 2


def test_a_swiss_round_waits_for_the_one_before() -> None:
    spec = spec_of(*FIVE, "f", format="swiss", players=2, rounds=3, blocks=1)
    first = plan(spec, WORLD, {})
    assert [block.group for block in first.blocks] == [("a", "b"), ("c", "d"), ("e", "f")]
    assert not first.over
    play = by_strength(dict(zip("abcdef", (50, 40, 30, 20, 10, 0), strict=True)))
    finished = {match.id: play(match) for match in first.matches()}
    # The winners a, c, e lead; those who met before do not meet again.
    assert [block.group for block in plan(spec, WORLD, finished).blocks[3:]] == [
        ("a", "c"),
        ("e", "b"),
        ("d", "f"),
    ]
    some = dict(list(finished.items())[:-1])
    assert plan(spec, WORLD, some) == first


def test_a_swiss_schedule_does_not_depend_on_the_order_of_the_results() -> None:
    spec = spec_of(*FIVE, "f", "g", format="swiss", players=3, rounds=4, blocks=2)
    finished = play_all(spec, by_strength(dict(zip("abcdefg", range(7), strict=True))))
    shuffled = list(finished.items())
    random.Random(1).shuffle(shuffled)
    known = plan(spec, WORLD, finished)
    assert known == plan(spec, WORLD, dict(shuffled))
    assert known.over
    assert len(finished) == known.total == 4 * 2 * 2 * 3


def test_sitting_out_of_a_swiss_round_goes_round() -> None:
    spec = spec_of("a", "b", "c", format="swiss", players=2, rounds=3, blocks=1)
    finished = play_all(spec, by_strength({"a": 2, "b": 1, "c": 0}))
    played = Counter(seat.entrant for game in finished.values() for seat in game.seats)
    assert set(played.values()) == {4}  # each sat out once: two rounds of two rotations


def test_a_sequential_test_stops_when_it_has_decided() -> None:
    spec = spec_of("a", "b", format="sprt", blocks=500, sprt={"rating1": 100.0})
    finished = play_all(spec, by_strength({"a": 1.0, "b": 0.0}))
    known = plan(spec, WORLD, finished)
    assert known.verdict is not None
    assert known.verdict.better
    assert known.over
    assert len(known.blocks) < 100
    assert len(finished) <= 2 * (len(known.blocks) + LOOKAHEAD)


@pytest.mark.parametrize("players", [3, 4])
def test_a_sequential_test_compares_two_bots_in_games_of_more(players: int) -> None:
    names = FIVE[:players]
    spec = spec_of(*names, format="sprt", players=players, blocks=300, sprt={"rating1": 100.0})
    strength = {"a": 0.0, "b": 0.0, "c": 3.0, "d": -3.0}
    verdict = plan(spec, WORLD, play_all(spec, by_strength(strength))).verdict
    assert verdict is not None
    assert verdict.not_better
    assert not verdict.better


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize(("ahead", "right"), [(0.0, "not better"), (0.8, "better")])
def test_a_sequential_test_is_as_rarely_wrong_in_games_of_more(
    players: int, ahead: float, right: str
) -> None:
    # By 0.8 of the spread of a single bot's luck: it comes before the other in 71 % of games.
    strength = {"a": ahead, "b": 0.0, "c": 3.0, "d": -3.0}
    found = []
    for number in range(40):
        names = [f"{name}{number}" for name in FIVE[:players]]  # other names are other games
        spec = spec_of(*names, format="sprt", players=players, blocks=400, sprt={"rating1": 100.0})
        play = by_strength({name: strength[name[0]] for name in names})
        verdict = plan(spec, WORLD, play_all(spec, play)).verdict
        assert verdict is not None
        found.append("better" if verdict.better else "not better" if verdict.not_better else "open")
    assert "open" not in found
    assert found.count(right) >= 35  # 95 % of 40 is 38; two standard errors less


def test_a_sequential_test_looks_at_the_blocks_in_order() -> None:
    spec = spec_of("a", "b", format="sprt", blocks=40)
    blocks = plan(spec, WORLD, {}).blocks
    assert len(blocks) == LOOKAHEAD
    late = {match.id: game_of(match, (1, 2)) for block in blocks[1:] for match in block.matches}
    known = plan(spec, WORLD, late)
    assert known.blocks == blocks  # the first is missing: nothing is decided, nothing more played
    assert known.verdict is not None
    assert known.verdict.blocks == 0


def test_shares_are_the_opponents_left_behind() -> None:
    assert shares([1, 2, 3]) == [1.0, 0.5, 0.0]
    assert shares([2, 1, 2]) == [0.25, 1.0, 0.25]
    assert shares([1, 1]) == [0.5, 0.5]
    assert shares([1]) == [1.0]
