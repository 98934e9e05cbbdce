"""Whole games, written down: a change of the rules shows as a readable diff.

If the change is meant: `python -m tests.rules.golden --write`, and read the diff before it is
committed. It is what a player would notice.
"""

from __future__ import annotations

import pytest

from tests.rules.golden import FOLDER, LONG, PLAYS, Play, difference, record


@pytest.mark.parametrize("play", PLAYS, ids=lambda play: play.name)
def test_a_game_goes_as_it_was_written_down(play: Play) -> None:
    changed = difference(play)
    shown = "\n".join(changed[:60])
    assert not changed, f"{shown}\n\nif this is meant: python -m tests.rules.golden --write"


def test_there_is_a_text_for_each_game_and_no_other() -> None:
    assert {path.stem for path in FOLDER.glob("*")} == {play.name for play in PLAYS}


def test_the_texts_show_most_of_what_can_happen() -> None:
    """Else they would be quiet about a change."""
    text = "".join((FOLDER / f"{play.name}.txt").read_text() for play in PLAYS)
    for word in (
        *("village_placed", "stone_taken", "megalith_placed", "culture_played", "deck_shuffled"),
        *("rest_token_taken", "glacier_token_flipped", "honor_moved", "offering_moved"),
        *("card_buried", "animal_tipped", "pile_revealed", "points", "eclipse_terrain"),
        *("nomad_revealed", "nomad_column", "nomad_acted", "nomad_culture", "nomad_buried"),
        *("nomad_piled", "nomad_pile_revealed", "nomad_built", "nomad_shuffled", "map_revealed"),
        *("landmark_raised", "base_attached", "raft_moved", "fish_drawn"),
    ):
        assert word in text, word


def test_a_long_list_is_shown_by_kinds_and_digest() -> None:
    assert f"  {LONG + 1} options (" in record(PLAYS[0])
