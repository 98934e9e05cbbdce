"""Written positions of solo games: they read back, and what could not lie on a table is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from endless_winter.rules import BadPosition, Game
from endless_winter.rules.fingerprint import fingerprint
from endless_winter.rules.nomad.area import area_of, keep
from endless_winter.rules.position import load, write
from tests.rules.nomad_scene import NOMAD, PLAYER, dealt
from tests.rules.scene import TABLES
from tests.rules.walk import SOLO, walk

if TYPE_CHECKING:
    from collections.abc import Callable


def written(game: Game) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(json.dumps(write(game.position)))
    return found


def pending(step: str) -> Game:
    """A game of a walk in which such a record of the Nomad lies on top."""
    for number in SOLO:
        for game in walk(number):
            top = written(game)["agenda"][-1:] if game.decision else []
            if (
                top
                and top[0].get("step") == step
                and (step != "gain" or top[0]["source"][:3] == "hex")
            ):
                return game.copy()
    raise AssertionError(step)


@pytest.mark.parametrize("step", ["reveal", "column", "actions", "gain", "map"])
def test_every_step_of_the_nomad_reads_back(step: str) -> None:
    game = pending(step)
    again = load(written(game), TABLES)
    assert written(again) == written(game)
    assert again.options() == game.options()
    assert fingerprint(again.position) == fingerprint(game.position)


def test_the_records_read_like_what_they_mean() -> None:
    assert written(pending("reveal"))["agenda"][-1] == {"do": "nomad", "seat": 0, "step": "reveal"}
    actions = written(pending("actions"))["agenda"][-1]["actions"]
    assert all(len(action) == 3 for action in actions)
    gained = written(pending("gain"))["agenda"][-1]
    assert set(gained) == {"do", "seat", "step", "source", "pool"}
    terrain = written(pending("gain"))["agenda"][-2]
    assert terrain["step"] == "terrain"
    assert int(gained["source"].removeprefix("hex ")) in terrain["resolved"]


def test_the_fingerprint_covers_the_nomads_hidden_cards() -> None:
    game = dealt()
    before = fingerprint(game.position)
    for zone in ("deck", "sacrifice", "maps"):
        copy = game.copy()
        area = area_of(copy.position)
        cards = getattr(area, zone)
        setattr(area, zone, cards[1:2] + cards[:1] + cards[2:])
        keep(copy.position, area)
        assert fingerprint(copy.position) != before, zone


def area_in(values: dict[str, Any]) -> dict[str, Any]:
    """The Nomad's area in a written position."""
    found: dict[str, Any] = values["module_state"]["nomad"]
    return found


SPOILT: dict[str, tuple[Callable[[dict[str, Any]], object], str]] = {
    "cards twice": (
        lambda v: area_in(v)["deck"].__setitem__(0, area_in(v)["deck"][-1]),
        "module_state.nomad.deck, stack, pile: each Nomad card once",
    ),
    "a card too few": (
        lambda v: area_in(v)["deck"].pop(),
        "module_state.nomad.deck, stack, pile: each Nomad card once",
    ),
    "a card that is none": (
        lambda v: area_in(v)["stack"].append("hunter"),
        "module_state.nomad.stack: 'hunter' is not known",
    ),
    "maps twice": (
        lambda v: area_in(v)["maps"].__setitem__(0, area_in(v)["maps"][-1]),
        "module_state.nomad.maps, seen_maps: each Map card once",
    ),
    "token too early": (
        lambda v: area_in(v).__setitem__("token", 20),
        "module_state.nomad.token: it comes after the last Village",
    ),
    "token off the map": (
        lambda v: area_in(v).__setitem__("token", 24),
        "module_state.nomad.token: a whole number from 0 to 23 expected",
    ),
    "token at the Base": (
        lambda v: area_in(v).__setitem__("token", 0),
        "module_state.nomad.token: it stands beside the Base",
    ),
    "a Tribe card to sacrifice": (
        lambda v: area_in(v)["sacrifice"].append("brave"),
        "module_state.nomad.sacrifice: Culture cards expected",
    ),
    "a Culture card twice": (
        lambda v: area_in(v)["sacrifice"].append(area_in(v)["sacrifice"][0]),
        "exists once only",
    ),
    "no area": (lambda v: v["module_state"].pop("nomad"), "module_state.nomad: missing"),
    "no stack": (lambda v: area_in(v).pop("stack"), "module_state.nomad.stack: missing"),
    "an area as text": (
        lambda v: v["module_state"].__setitem__("nomad", "00"),
        "module_state.nomad: an object expected",
    ),
    "a hand": (lambda v: v["players"][NOMAD]["hand"].append("brave"), "brave"),
    "a Camp too few": (lambda v: v["players"][NOMAD]["camps"].pop(), "5 different hexes"),
    "three inner Camps": (
        lambda v: v["players"][NOMAD].__setitem__("camps", [1, 2, 3, 7, 8]),
        "2 in the inner ring",
    ),
    "a Camp on the Base": (
        lambda v: v["players"][NOMAD].__setitem__("camps", [0, 1, 2, 7, 8]),
        "2 in the inner ring",
    ),
    "a person's record": (
        lambda v: v["agenda"].append(
            {"do": "gain", "seat": NOMAD, "must": False, "source": "board 0", "pool": [["food", 1]]}
        ),
        "not possible for this seat",
    ),
    "a Nomad's record for the player": (
        lambda v: v["agenda"].append(
            {
                "do": "nomad",
                "seat": PLAYER,
                "step": "gain",
                "source": "board 0",
                "pool": [["food", 1]],
            }
        ),
        "not possible for this seat",
    ),
    "an unknown step": (lambda v: v["agenda"][-1].__setitem__("step", "dance"), "one of reveal"),
    "no switches": (lambda v: v["config"].pop("nomad"), "config"),
    "no draft": (lambda v: v["config"].__setitem__("chief_draft", False), "both drafts"),
    "another seat": (lambda v: v["config"]["nomad"].__setitem__("seat", 2), "from 0 to 1"),
    "an unknown switch": (lambda v: v["config"]["nomad"].__setitem__("angry", True), "unknown"),
    "nothing to gain": (
        lambda v: v["agenda"].append(
            {"do": "nomad", "seat": NOMAD, "step": "gain", "source": "board 0", "pool": []}
        ),
        "nothing to gain",
    ),
    "no such icon": (
        lambda v: v["agenda"].append(
            {
                "do": "nomad",
                "seat": NOMAD,
                "step": "gain",
                "source": "board 0",
                "pool": [["gold", 1]],
            }
        ),
        "pairs of icon and amount",
    ),
    "stones that it has not": (
        lambda v: v["agenda"].append(
            {
                "do": "nomad",
                "seat": NOMAD,
                "step": "gain",
                "source": "board 0",
                "pool": [["score_stones", 1]],
            }
        ),
        "score_stones",
    ),
    "an ordinary space as grey": (
        lambda v: v["agenda"].append(
            {
                "do": "nomad",
                "seat": NOMAD,
                "step": "gain",
                "source": "board 0",
                "pool": [["additional", 99]],
            }
        ),
        "grey starting space",
    ),
}


@pytest.mark.parametrize("name", SPOILT)
def test_what_could_not_lie_on_a_table_is_refused_in_one_line(name: str) -> None:
    spoil, reason = SPOILT[name]
    values = written(dealt())
    spoil(values)
    with pytest.raises(BadPosition) as refused:
        load(values, TABLES)
    assert reason in str(refused.value)
    assert "\n" not in str(refused.value)


def test_an_action_that_no_card_shows_is_refused() -> None:
    values = written(pending("actions"))
    values["agenda"][-1]["actions"] = [["wolf_song", "tribe", 1]]
    with pytest.raises(BadPosition, match="what a Nomad card can show"):
        load(values, TABLES)
    values["agenda"][-1]["actions"] = [["wolf_song", "food"]]
    with pytest.raises(BadPosition, match="card, action and amount"):
        load(values, TABLES)


def test_games_of_persons_are_written_as_they_ever_were() -> None:
    values = written(next(walk(0)))
    assert "nomad" not in json.dumps(values)
    known = ["chief_draft", "layout", "modules", "players", "setup_draft"]
    assert sorted(values["config"]) == known


def test_the_position_of_the_document_is_loaded_and_played() -> None:
    """Rafts, stack and token written by hand; tests/foundations runs the block as it stands."""
    text = (Path(__file__).parents[2] / "docs" / "positions.md").read_text()
    block = next(part for part in text.split("```python\n") if 'nomad["token"]' in part)
    names: dict[str, Any] = {"print": lambda *_: None}
    exec(block.partition("```")[0], names)  # a document of ours
    loaded = load(names["values"], names["tables"])
    before = written(loaded)["module_state"]
    assert before["nomad"]["stack"] == ["wolf_song", "long_march"]
    assert before["nomad"]["token"] == 11
    assert before["rivers"]["rafts"] == [2, 4]
    built = 0
    while (decision := loaded.decision) is not None and decision.kind_name == "nomad":
        step = loaded.text(decision.default)
        built += "nomad-build" in step or "nomad-map inner" in step
        loaded.apply(decision.default)
    after = written(loaded)["module_state"]
    assert after["nomad"]["stack"] == ["wolf_song", "long_march", "snow_bridge"]
    assert built
    assert after["rivers"]["rafts"] in ([2, min(4 + built, 6)], [2, 0])  # SRF-01
    while (decision := loaded.decision) is not None:
        loaded.apply(decision.default)
    assert loaded.result is not None
