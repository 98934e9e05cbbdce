"""``ew replay page``: one file that holds a game, and no more than its reader may see."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner
from google.protobuf.json_format import MessageToDict

from endless_winter.cli import web_modules
from endless_winter.cli.process import running
from endless_winter.cli.replay import replay
from endless_winter.cli.replay_page import Links, page_of_frames, page_of_record
from endless_winter.cli.replay_steps import frames_of
from endless_winter.engine.replay.rewind import OMNISCIENT, SPECTATOR, Eyes
from endless_winter.v1 import replay_pb2, view_public_pb2
from tests.cli.replay_pages import (
    NASTY,
    data_of,
    four_players,
    page_of_four,
    page_of_solo,
    positions_of,
    solo,
)
from tests.engine.desk import PACK
from tests.service.logs import Playing, eventful, stored_in
from tests.service.player import secret

if TYPE_CHECKING:
    from pathlib import Path

    from click.testing import Result

MOST_BYTES = 400_000


def ew(*words: str | Path, **environment: str) -> Result:
    done = CliRunner().invoke(replay, [str(word) for word in words], env=environment)
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    return done


def drawn(view: replay_pb2.OmniscientView) -> dict[str, Any]:
    """A position as the page has it: without what is not drawn."""
    plain = replay_pb2.OmniscientView()
    plain.CopyFrom(view)
    plain.ClearField("decision")
    plain.public_view.CopyFrom(shown(plain.public_view))
    found: dict[str, Any] = MessageToDict(plain)
    return found


def shown(view: view_public_pb2.PublicView) -> view_public_pb2.PublicView:
    view.turn.ClearField("agenda")
    for player in view.players:
        player.ClearField("owned")
    return view


# --- what the page holds ---


@pytest.mark.parametrize("game", ["four", "solo"])
def test_the_positions_of_the_page_are_those_of_the_replay(game: str) -> None:
    file, page = (four_players(), page_of_four()) if game == "four" else (solo(), page_of_solo())
    data = data_of(page)
    found = positions_of(data)
    frames = list(frames_of(file, PACK, OMNISCIENT))
    assert len(found) == len(frames)
    for position, frame in zip(found, frames, strict=True):
        if frame.HasField("omniscient_view"):
            assert position == drawn(frame.omniscient_view)
        else:
            assert position is None
    # What the page shows of it through other eyes is what those were sent.
    for seat in (None, 0, 1):
        eyes = SPECTATOR if seat is None else Eyes(seat=seat)
        for position, frame in list(zip(found, frames_of(file, PACK, eyes), strict=True))[::40]:
            if position is None:
                continue
            assert position["publicView"] == MessageToDict(shown(frame.view.public_view))
            if seat is not None:
                own = [one for one in position["privateViews"] if one["seat"] == seat]
                assert own == [MessageToDict(frame.view.private_view)]


@pytest.mark.parametrize("seat", [None, 1])
def test_a_page_through_somebodys_eyes_holds_nothing_else(seat: int | None) -> None:
    file = four_players()
    eyes = SPECTATOR if seat is None else Eyes(seat=seat)
    page = page_of_frames(file.game, frames_of(file, PACK, eyes), seat, PACK)
    data = data_of(page)
    assert data["eyes"] == ["spectator" if seat is None else seat]
    for position in positions_of(data):
        if position is not None:
            known = {"publicView"} if seat is None else {"publicView", "privateViews"}
            assert set(position) == known
            assert [one["seat"] for one in position.get("privateViews", [])] in ([], [seat])
    for step in data["steps"]:
        assert step.get("choice", [seat])[0] == seat
        assert {line[3] for line in step.get("lines", []) if len(line) > 2} <= {seat}


def test_what_others_knew_changes_nothing_in_a_seats_page() -> None:
    """The twin differs in what only others and the server knew; its page is the same bytes."""
    pages = []
    for twin in (False, True):
        file = replay_pb2.ReplayFile()
        file.CopyFrom(four_players())
        frames = list(frames_of(file, PACK, Eyes(seat=1)))
        if twin:
            for entry in file.entries:
                for event in entry.events:
                    for private in event.private_events:
                        if private.seat != 1:
                            private.private_event.own_choice.text = "something else"
            frames = list(frames_of(file, PACK, Eyes(seat=1)))
        pages.append(page_of_frames(file.game, frames, 1, PACK))
    assert pages[0] == pages[1]


def test_a_page_of_four_players_is_small() -> None:
    assert len(page_of_four().encode()) < MOST_BYTES
    assert len(page_of_solo().encode()) < MOST_BYTES


def test_no_name_ends_the_data_it_stands_in() -> None:
    page = page_of_four()
    assert NASTY not in page
    assert page.count("</script>") == 2
    assert page.count("<script") == 2
    assert data_of(page)["game"]["names"][0] == NASTY


def test_the_page_asks_nobody_for_anything() -> None:
    page = page_of_four()
    (policy,) = re.findall(r'Content-Security-Policy" content="([^"]*)"', page)
    assert "default-src &#x27;none&#x27;" in policy
    assert "unsafe" not in policy
    assert not re.search(r"\beval\(|\bimport\(|\bfetch\(|XMLHttpRequest|new Function", page)
    links = set(re.findall(r'https?://[^"\s]+', page.partition('id="replay"')[0]))
    assert links == set()
    assert set(re.findall(r'"(https?://[^"]+)"', page)) == {"http://www.w3.org/2000/svg"}


def test_a_game_of_other_rules_has_a_page_with_its_log() -> None:
    file = replay_pb2.ReplayFile()
    file.CopyFrom(eventful().record())
    file.entries[0].created.rules_version = file.game.rules_version = "0"
    data = data_of(page_of_record(file, PACK, Links()))
    assert positions_of(data)[-1] is None
    assert any("The end" in line[1] for line in data["steps"][-1]["lines"])


# --- the command ---


def test_a_page_is_written_beside_its_record_once(tmp_path: Path) -> None:
    record = tmp_path / "four.ewr"
    record.write_bytes(four_players().SerializeToString())
    done = ew("page", record)
    assert done.exit_code == 0, done.output
    page = tmp_path / "four.html"
    assert f"{page}: " in done.output
    assert data_of(page.read_text())["links"]["record"] == "four.ewr"
    again = ew("page", record)
    assert (again.exit_code, "not overwritten" in again.output) == (1, True)
    done = ew("page", record, "--eyes", "1", "--out", tmp_path / "one.html")
    assert data_of((tmp_path / "one.html").read_text())["eyes"] == [1]
    wrong = ew("page", solo_in(tmp_path), "--eyes", "3", "--out", tmp_path / "x.html")
    assert (wrong.exit_code, "no seat 3" in wrong.output) == (1, True)
    nowhere = ew("page", record, "--out", tmp_path / "no" / "x.html")
    assert (nowhere.exit_code, "cannot write" in nowhere.output) == (1, True)


def solo_in(folder: Path) -> Path:
    path = folder / "solo.ewr"
    path.write_bytes(solo().SerializeToString())
    return path


def test_a_servers_game_is_written_as_far_as_its_asker_may_see_it(tmp_path: Path) -> None:
    (_, mine), (_, other) = (secret(name)[0] for name in ("ann", "bob"))
    under_way = Playing(5, names=("ann", "bob")).play(30).log()
    ended = Playing(7).play().log()
    held = Playing(6, hold_reveal=True).play().log()
    stored_in(tmp_path / "endless-winter.db", under_way, ended, held)
    count = 0

    def page(game_id: str, *words: str, **environment: str) -> dict[str, Any] | str:
        nonlocal count
        count += 1
        out = tmp_path / f"{count}.html"
        asked = ("page", game_id, "--server", str(server.address), "--out", str(out), *words)
        done = ew(*asked, **environment)
        return data_of(out.read_text()) if done.exit_code == 0 else done.output

    with running(folder=tmp_path) as server:
        seen = page(under_way.game_id)
        assert isinstance(seen, dict)
        assert (seen["eyes"], seen["game"]["ended"]) == (["spectator"], False)
        assert set(positions_of(seen)[-1]) == {"publicView"}
        own = page(under_way.game_id, "--eyes", "0", EW_CLIENT_SECRET=mine)
        assert isinstance(own, dict)
        assert [one["seat"] for one in positions_of(own)[-1]["privateViews"]] == [0]
        assert "NOT_ALLOWED" in page(under_way.game_id, "--eyes", "0", EW_CLIENT_SECRET=other)
        assert "NOT_REVEALED_YET" in page(under_way.game_id, "--eyes", "open")
        whole = page(ended.game_id)
        assert isinstance(whole, dict)
        assert whole["eyes"] == ["open", "spectator", 0, 1]
        sealed = page(held.game_id)
        assert isinstance(sealed, dict)
        assert sealed["eyes"] == ["spectator"]
        assert "GAME_NOT_FOUND" in page("nothing")


# --- joining modules ---


def test_modules_are_joined_once_each_after_what_they_import(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    files = {
        "a.js": 'import { b } from "./b.js";\nimport { c } from "./c.js";\n/** x */\nb(c);\n',
        "b.js": 'import { c } from "./c.js";\nexport function b(x) { return c + x; }\n',
        "c.js": "export const c = 1;\n",
        "twice.js": 'import { c } from "./c.js";\nconst c2 = c;\nlet b;\n',
        "clash.js": 'import { b } from "./b.js";\nconst c = b;\n',
        "default.js": "export default 3;\n",
        "ring.js": 'import { r } from "./ring.js";\n',
    }
    monkeypatch.setattr(web_modules, "text", files.__getitem__)
    joined = web_modules.joined("a.js")
    code = [line for line in joined.splitlines() if not line.startswith("//")]
    assert code == ["const c = 1;", "function b(x) { return c + x; }", "b(c);"]
    for name, word in (
        ("clash.js", "top-level 'c'"),
        ("default.js", "cannot be joined: export default"),
        ("ring.js", "ring.js imports ring.js"),
    ):
        with pytest.raises(web_modules.BadModule, match=word):
            web_modules.joined(name)


def test_the_data_is_plain_json_for_other_tools() -> None:
    found = re.search(r'id="replay">(.*?)</script>', page_of_four())
    assert found is not None
    assert json.loads(found[1])["game"]["id"] == four_players().game.game_id
