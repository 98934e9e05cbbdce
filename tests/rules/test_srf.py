"""Solo games with Rivers & Rafts; the board is that of river_scene.py.

The Nomad's Camps stand on 1, 2 and 7, 8, 9 unless a test says otherwise.
"""

from __future__ import annotations

import pytest

from endless_winter.rules import Config, Game, agenda, events
from endless_winter.rules.config import NOMAD_SWITCHES, NomadRules
from endless_winter.rules.rivers import area, codes
from endless_winter.rules.rivers.agreed import RiversRules
from endless_winter.rules.zones import EMPTY
from tests.rules.nomad_scene import NOMAD, PLAYER
from tests.rules.river_scene import DELTA, HEADWATERS, SoloRiverScene, solo_river
from tests.rules.scene import SEED, TABLES
from tests.rules.scene import juncture as at


def spread(*landmarks: str) -> SoloRiverScene:
    """No three of its Camps meet: hexes 3 and 4, 7, 8 and 16, far from the Raft's way."""
    table = solo_river(*landmarks)
    table.player(NOMAD, camps=[3, 4, 7, 8, 17]).area(maps=["south_east", "west"])
    return table


# --- its Raft ---


@pytest.mark.rule("SRF-01")
def test_the_nomad_has_a_raft_and_no_starting_base() -> None:
    config = Config(TABLES, nomad=NomadRules(NOMAD), modules=(RiversRules(),))
    game = Game.new(config, SEED)
    attached = 0
    while (decision := game.decision) is not None and decision.seat == PLAYER:
        attached += decision.kind == agenda.MODULE
        game.apply(decision.default)
    position = game.position
    assert attached == 1
    assert decision is not None
    assert decision.kind == agenda.NOMAD  # nothing of the set-up is left to choose
    assert area.base_of(position, 0, NOMAD) == EMPTY
    assert area.base_of(position, 0, PLAYER) != EMPTY
    assert area.raft_of(position, 0, NOMAD) == HEADWATERS
    camps = position.players[NOMAD].camps
    assert len(camps) == 5  # where the Map card shows
    assert max(camps) < 19


@pytest.mark.rule("SRF-01")
def test_the_raft_moves_one_place_downriver_before_anything_else_of_a_settling() -> None:
    table = spread().gains("settle 2").listen()
    table.step()
    assert table.raft(NOMAD) == 1
    kinds = [event[0] for event in table.events]
    assert kinds.index(codes.RAFT_MOVED) < kinds.index(events.MAP_REVEALED)
    table.step()
    assert table.raft(NOMAD) == 2
    assert table.raft(PLAYER) == HEADWATERS


@pytest.mark.rule("SRF-01")
@pytest.mark.parametrize("benefit", ["camp", "move", "village"])
def test_so_it_does_for_any_benefit_of_a_camp(benefit: str) -> None:
    """NMD-13."""
    table = spread().gains(benefit)
    table.steps()
    assert table.raft(NOMAD) == 1


@pytest.mark.rule("SRF-01")
def test_at_the_delta_it_stays() -> None:
    table = spread().rafts(0, 5).gains("settle 2")
    table.step()
    assert table.raft(NOMAD) == DELTA
    table.step()
    assert table.raft(NOMAD) == DELTA


@pytest.mark.rule("SRF-01")
def test_it_comes_home_in_the_preparation_phase() -> None:
    table = solo_river().rafts(2, DELTA)
    table.eclipse()
    while table.kind and table.position.round == 1:
        table.do("leave" if table.can("leave") else table.texts[0])
    assert table.raft(NOMAD) == HEADWATERS


@pytest.mark.rule("SRF-01")
def test_the_raft_counts_as_a_camp_where_it_gets_to_and_then_goes_home() -> None:
    """On place 2 it moves on to hex 0, between its Camps on 1 and 2."""
    table = solo_river().rafts(0, 2)
    table.player(NOMAD, camps=[1, 2, 12, 14, 17]).area(maps=["west"]).gains("settle")
    assert table.texts == [f"nomad-build {at(0, 1, 2)} village"]
    table.listen().step()
    assert list(table.at(NOMAD).villages) == [at(0, 1, 2)]
    assert list(table.at(NOMAD).camps) == [1, 2, 12, 14, 17]
    assert table.raft(NOMAD) == HEADWATERS
    moved = [event[2:4] for event in table.events if event[0] == codes.RAFT_MOVED]
    assert moved == [(2, 3), (3, 0)]
    assert table.step() == "nomad-map outer"
    assert table.raft(NOMAD) == HEADWATERS  # the second part of the same action


@pytest.mark.rule("SRF-01")
def test_where_the_raft_was_does_not_count() -> None:
    table = solo_river().rafts(0, 3)
    table.player(NOMAD, camps=[1, 6, 12, 14, 10]).area(maps=["south_east"]).gains("settle")
    assert table.texts == ["nomad-map inner"]


@pytest.mark.rule("SRF-01")
def test_beside_three_camps_the_raft_is_not_needed_and_stays_on_the_river() -> None:
    """It gets to hex 9, where a Camp of the Village stands as well."""
    table = solo_river().rafts(0, 4).arrows("right", "down").gains("settle")
    assert table.texts == [f"nomad-build {at(2, 8, 9)} village"]
    table.step()
    assert table.raft(NOMAD) == 5


@pytest.mark.rule("SRF-01")
def test_the_token_is_placed_with_the_raft_like_a_village() -> None:
    table = solo_river().rafts(0, 2)
    table.player(NOMAD, camps=[1, 2, 12, 14, 17], villages=[13, 15, 17]).area(maps=["west"])
    table.gains("settle")
    assert table.step() == f"nomad-build {at(0, 1, 2)} token"
    assert table.raft(NOMAD) == HEADWATERS


# --- its points ---


def eclipse(table: SoloRiverScene) -> dict[int, list[tuple[int, int]]]:
    """Plays the Eclipse phase: (seat, points) by where they came from."""
    table.listen()
    table.eclipse()
    while table.kind and table.position.round == 1:
        table.do("leave" if table.can("leave") else table.texts[0])
    found: dict[int, list[tuple[int, int]]] = {codes.BY_RAFT: [], codes.BY_LANDMARK: []}
    for kind, seat, points, by, *_ in table.events:
        if kind == events.POINTS and by in found:
            found[by].append((seat, points))
    return found


@pytest.mark.rule("SRF-02")
def test_its_raft_scores_as_usual() -> None:
    table = solo_river().rafts(1, 1)  # joint closest, Camps on River hexes 2 and 9
    table.player(PLAYER, camps=[15])
    assert sorted(eclipse(table)[codes.BY_RAFT]) == [(PLAYER, 2), (NOMAD, 3)]
    table = solo_river().rafts(2, 1)
    table.player(PLAYER, camps=[15])
    assert eclipse(table)[codes.BY_RAFT] == [(PLAYER, 2)]


@pytest.mark.rule("SRF-02")
@pytest.mark.parametrize("landmark", ["volcano", "butte", "arch", "monolith", "tree"])
def test_a_landmark_is_five_points_whatever_it_counts(landmark: str) -> None:
    others = [name for name in ("tree", "arch", "volcano") if name != landmark]
    table = solo_river(*others[:2], landmark)
    table.player(PLAYER, camps=[])
    # Its Camp on hex 8 leads there, where the third Landmark stands.
    assert eclipse(table)[codes.BY_LANDMARK] == [(NOMAD, 5)]


@pytest.mark.rule("SRF-02")
def test_the_player_scores_a_landmark_by_what_it_counts() -> None:
    table = solo_river("tree", "arch", "volcano")
    table.player(PLAYER, camps=[8, 8, 8])
    assert eclipse(table)[codes.BY_LANDMARK] == [(PLAYER, 2)]


@pytest.mark.rule("SRF-02")
def test_it_draws_fish_and_gains_what_they_show() -> None:
    table = solo_river().fish("pike", "salmon")
    table.player(PLAYER, camps=[])
    table.player(NOMAD, camps=[2, 3, 9, 10, 11])
    table.listen()
    table.eclipse()
    seen: list[str] = []
    while table.kind and table.position.round == 1:
        if table.kind == "nomad" and table.texts[0].endswith(": fish 1"):
            seen.append(table.texts[0])
        table.do("leave" if table.can("leave") else table.texts[0])
    assert sorted(seen) == ["hex 2: fish 1", "hex 9: fish 1"]
    assert table.drawn() == ["pike", "salmon"]
    kinds = [(e[0], e[2]) for e in table.events if e[1] == NOMAD]
    fish = kinds.index((codes.FISH_DRAWN, 3))
    assert (events.TOOLS_GAINED, 1) in kinds[fish : fish + 5]


@pytest.mark.rule("SRF-02")
@pytest.mark.parametrize("hard", [False, True])
def test_a_solo_game_on_the_river_ends_with_every_switch_on_or_off(hard: bool) -> None:
    for landmarks in (1, 2, 3):
        nomad = NomadRules(NOMAD, *[hard] * len(NOMAD_SWITCHES))
        config = Config(TABLES, nomad=nomad, modules=(RiversRules(landmarks),))
        game = Game.new(config, SEED)
        steps = 0
        while (decision := game.decision) is not None:
            game.apply(decision.options[steps * 7 % len(decision.options)])
            steps += 1
        assert game.result is not None
        points = game.result.scores[NOMAD].points
        assert points[codes.BY_RAFT] + points[codes.BY_LANDMARK]
