"""``ew game``: games created, found, shown and joined on a real server."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner, Result

from endless_winter.cli.game import game
from endless_winter.sdk import Client
from endless_winter.v1 import clock_pb2, config_pb2, game_pb2
from tests.foundations.tree import EW, passed, run
from tests.service.wire import TOKEN, served

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from endless_winter.cli.process import Server

    Ew = Callable[..., Result]

# Variables that the environment of the tests may have and a test must not see.
VARIABLES = ("EW_CLIENT_SECRET", "EW_INVITATION", "EW_OPERATOR_TOKEN", "EW_OPERATOR_TOKEN_FILE")


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with served(None, "--page-size", "2") as one:
        yield one


@pytest.fixture
def ann(server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Ew:
    return player(server, tmp_path / "ann", monkeypatch)


@pytest.fixture
def bob(server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Ew:
    return player(server, tmp_path / "bob", monkeypatch)


def player(server: Server, home: Path, monkeypatch: pytest.MonkeyPatch) -> Ew:
    """Somebody at a terminal, with a home of its own."""
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)

    def ew(*words: str, **more: str) -> Result:
        known = {"EW_SERVER": server.address, "EW_HOME": str(home), "USER": home.name}
        return CliRunner().invoke(game, words, env={**known, **more})

    return ew


def said(result: Result) -> str:
    assert result.exit_code == 0, result.output
    return result.stdout


def created(ew: Ew, *words: str) -> str:
    return said(ew("create", *words)).splitlines()[0]


def shown(ew: Ew, game_id: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(said(ew("show", game_id, "--json")))
    return found


def saved(home: Path, server: Server) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((home / "player.json").read_text())
    one: dict[str, Any] = found["servers"][server.address]
    return one


def test_a_game_is_created_found_shown_and_joined(
    ann: Ew, bob: Ew, server: Server, tmp_path: Path
) -> None:
    made = ann("create", "--title", "for two")
    game_id = said(made).strip()
    assert made.stderr == f"take a seat: ew game join {game_id} --server {server.address}\n"
    assert f'{game_id}  open  (free) - (free)  "for two"\n' in said(bob("list", "--joinable"))

    joined = bob("join", game_id, "--seat", "1")
    assert said(joined) == f"{game_id}: you have seat 1\n"
    play = f"ew play --server {server.address} --join {game_id} --seat 1"
    assert joined.stderr == f"play it: {play}\n"
    assert said(bob("join", game_id)) == f"{game_id}: you have seat 1\n"  # the one it has
    assert said(ann("join", game_id, "--name", "Ann")) == f"{game_id}: you have seat 0\n"

    text = said(ann("show", game_id)).splitlines()
    assert text[0] == f"game       {game_id}, starting"
    assert text[-2:] == [
        "seat 0     Ann: open, not ready",
        "seat 1     bob: open, not ready",
    ]
    assert ann("list", "--mine").stdout == bob("list", "--mine").stdout
    # The seat belongs to the secret that 'ew play' finds there, and is what --resume goes on with.
    bobs = saved(tmp_path / "bob", server)
    assert (bobs["game_id"], bobs["seat"]) == (game_id, 1)
    with Client(server.address, bobs["secret"]) as client:
        assert [(one.game_id, one.seat) for one in client.my_seats()] == [(game_id, 1)]


def test_seat_0_is_in_the_json(ann: Ew) -> None:
    game_id = json.loads(said(ann("create", "--json")))["game"]["game_id"]
    joined = json.loads(said(ann("join", game_id, "--json")))
    assert joined["seat"] == 0
    assert [seat["seat"] for seat in joined["game"]["seats"]] == [0, 1]
    assert [seat["taken"] for seat in joined["game"]["seats"]] == [True, False]
    listed = json.loads(said(ann("list", "--mine", "--json")))["games"]
    assert listed == [shown(ann, game_id)]


def test_a_reserved_seat_is_for_who_has_the_printed_invitation(ann: Ew, bob: Ew) -> None:
    made = ann("create", "--seat", "open", "--seat", "reserved", "--visibility", "closed")
    game_id, invitation = said(made).splitlines()
    seat, number, word = invitation.split()
    assert (seat, number) == ("seat", "1")
    assert f"EW_INVITATION=WORD ew game join {game_id}" in made.stderr
    assert bob("show", game_id).exit_code == 1
    wrong = bob("join", game_id, EW_INVITATION=word[::-1])
    assert wrong.exit_code == 1
    assert "GAME_NOT_FOUND" in wrong.stderr  # closed: who has no word does not learn of it
    assert said(bob("join", game_id, EW_INVITATION=word)) == f"{game_id}: you have seat 1\n"
    assert said(bob("list", "--mine")).startswith(game_id)

    reserved = created(ann, "--seat", "reserved")
    refused = bob("join", reserved, "--seat", "0")
    assert refused.exit_code == 1
    (line,) = refused.stderr.splitlines()
    assert "INVITATION_INVALID" in line
    assert "EW_INVITATION or after --invitation" in line


def test_what_is_wished_is_what_is_agreed(ann: Ew) -> None:
    game_id = created(
        ann,
        *("--seat", "bot:heuristic:think=3", "--players", "3"),
        *("--rivers", "2", "--with", "setup-draft", "--warriors"),
        *("--clock", "30", "--increment", "5", "--decision-limit", "90", "--turn-limit", "24"),
        *("--visibility", "unlisted", "--delay", "1.5", "--undo"),
        *("--title", "All of it", "--tag", "ladder", "--tag", "agreed", "--seed", "7"),
    )
    with Client(server_of(ann)) as client:
        info = client.game(game_id)
    kinds = config_pb2
    assert info.seed_from_creator
    assert info.config == kinds.GameConfig(
        seats=[
            kinds.SeatConfig(kind=kinds.SEAT_KIND_BOT, bot_name="heuristic", bot_options="think=3"),
            kinds.SeatConfig(kind=kinds.SEAT_KIND_OPEN),
            kinds.SeatConfig(kind=kinds.SEAT_KIND_OPEN),
        ],
        setup_variant=kinds.SETUP_VARIANT_SETUP_DRAFT,
        modules=kinds.ModuleConfig(warriors=True),
        rivers=kinds.RiversConfig(landmark_count=2),
        time_control=clock_pb2.TimeControl(
            bank_ms=1_800_000,
            increment_per_turn_ms=5000,
            decision_limit_ms=90_000,
            turn_limit_ms=86_400_000,
        ),
        visibility=kinds.VISIBILITY_UNLISTED,
        spectator_delay_ms=1500,
        undo_allowed=True,
        title="All of it",
        tags=["agreed", "ladder"],
    )
    text = said(ann("show", game_id))
    for words in (
        "3 seats, Rivers & Rafts, warriors, Setup draft, with undo",
        "30 min for each seat and 5 s a turn, 90 s for a decision, 24 h for a turn",
        "unlisted: anyone who knows the id may watch, 1.5 s late",
        "(bot heuristic): bot",
        "brought by the creator, who could know every deck",
    ):
        assert words in text


def server_of(ew: Ew) -> str:
    """The address that a player's commands go to."""
    words = ew("create").stderr.split()
    return words[words.index("--server") + 1]


def test_a_solo_game_needs_no_client_for_the_nomad(ann: Ew) -> None:
    game_id = created(ann, "--solo", "--hard", "second-extra-card")
    config = shown(ann, game_id)["config"]
    assert [seat["kind"] for seat in config["seats"]] == ["SEAT_KIND_OPEN", "SEAT_KIND_NOMAD"]
    hard = {name for name, on in config["nomad"].items() if on}
    assert hard == {"extra_card", "second_extra_card"}
    assert said(ann("join", game_id)) == f"{game_id}: you have seat 0\n"
    waiting = said(ann("create", "--seat", "open", "--seat", "nomad-client")).splitlines()
    assert waiting[1].startswith("seat 1 ")


def test_lists_are_filtered_and_printed_to_their_last_page(ann: Ew, bob: Ew) -> None:
    """The server of this test has pages of two games."""
    made = [created(ann, "--tag", "lists") for _ in range(4)]
    made.append(created(ann, "--tag", "lists", "--players", "3"))
    bob("join", made[0])
    bob("join", made[0], "--seat", "1")
    newest = made[::-1]

    def found(*words: str, ew: Ew = bob) -> list[str]:
        listed = said(ew("list", "--tag", "lists", *words))
        return [line.split()[0] for line in listed.splitlines()]

    assert found() == newest
    assert found("--limit", "0") == newest
    assert found("--limit", "3") == newest[:3]
    assert "there are more" in bob("list", "--tag", "lists", "--limit", "3").stderr
    assert "there are more" not in bob("list", "--tag", "lists", "--limit", "5").stderr
    assert found("--mine") == [made[0]]
    assert found("--mine", ew=ann) == newest
    assert found("--joinable") == newest[:-1]
    assert found("--status", "starting") == [made[0]]
    assert found("--status", "starting", "--status", "open") == newest
    assert found("--seats", "3") == [made[4]]
    assert found("--rivers") == found("--solo") == []
    assert found("--no-rivers", "--no-solo", "--since", "2026-01-31") == newest
    nothing = bob("list", "--tag", "lists", "--since", "2999-01-01")
    assert (nothing.stdout, nothing.stderr) == ("", "there are no such games\n")


def test_an_operator_sees_games_that_are_closed(ann: Ew, bob: Ew, tmp_path: Path) -> None:
    game_id = created(ann, "--visibility", "closed", "--tag", "hidden")
    assert said(bob("list", "--tag", "hidden")) == ""
    assert said(bob("list", "--tag", "hidden", EW_OPERATOR_TOKEN=TOKEN)).startswith(game_id)
    (tmp_path / "token").write_text(f"{TOKEN}\n")
    file = str(tmp_path / "token")
    assert "closed: no spectators" in said(bob("show", game_id, "--token-file", file))


def test_only_creating_and_joining_save_a_secret(
    ann: Ew, bob: Ew, server: Server, tmp_path: Path
) -> None:
    game_id = created(ann)
    secret = saved(tmp_path / "ann", server)["secret"]
    created(ann)
    assert saved(tmp_path / "ann", server)["secret"] == secret
    said(bob("list"))
    said(bob("show", game_id))
    own = "0123456789abcdef" * 4
    assert said(bob("join", game_id, EW_CLIENT_SECRET=own)) == f"{game_id}: you have seat 0\n"
    assert not (tmp_path / "bob" / "player.json").exists()
    with Client(server.address, own) as client:
        assert [one.seat for one in client.my_seats() if one.game_id == game_id] == [0]


def test_show_prints_the_places_of_an_ended_game(ann: Ew, server: Server) -> None:
    with Client(server.address) as client:
        game_id = client.create(players=2).game_id
        for seat in (0, 1):
            client.join(game_id, seat, name=f"player {seat}")
        for seat in (0, 1):
            client.ready(game_id, seat)
        client.leave(game_id, 1)
        client.leave(game_id, 0)
        over = client.game(game_id)
    assert over.status == game_pb2.GAME_STATUS_ENDED
    text = said(ann("show", game_id)).splitlines()
    assert text[0] == f"game       {game_id}, ended"
    assert "result     completed" in text
    places = sorted(over.result.seats, key=lambda seat: seat.place)
    assert [seat.place for seat in places] == [1, 2]
    for line, one in zip(text[-2:], places, strict=True):
        result = f"{one.place}. seat {one.seat}, player {one.seat}: {one.score} points (abandoned)"
        assert line == f"           {result}"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("create", "--seat", "chair"), "'chair' is no seat: write open, reserved, nomad"),
        (("create", "--seat", "bot:"), "'bot:' is no seat"),
        (("create", "--seat", "open:x"), "'open:x' is no seat"),
        (("create", *("--seat", "open") * 5), "a game has 2 to 4 seats, not 5"),
        (("create", *("--seat", "open") * 3, "--players", "2"), "3 seats are given"),
        (("create", "--solo", "--players", "3"), "--solo is one player"),
        (("create", "--hard", "extra-card"), "--hard is for the Nomad: add --solo"),
        (("create", "--increment", "3"), "--increment adds to the time of --clock"),
        (("create", "--with", "setup-draft", "--with", "chief-draft"), "give only one of them"),
        (("list", "--since", "soon"), "'soon' does not match"),
        (("list", "--server", "nowhere"), "'nowhere' is no address: write HOST:PORT"),
    ],
)
def test_a_wrong_command_costs_one_line(ann: Ew, words: tuple[str, ...], message: str) -> None:
    result = ann(*words)
    assert result.exit_code == 2
    assert message in result.stderr.splitlines()[-1]


def test_what_the_server_refuses_costs_one_line(server: Server, tmp_path: Path) -> None:
    """As a process: click's own words are replaced by ours there."""
    env = {"EW_HOME": str(tmp_path), "PATH": "", "EW_SERVER": server.address}
    done = run(EW, "game", "show", "nowhere", env=env)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "ew: refused, GAME_NOT_FOUND: there is no such game for this caller\n"
    done = run(EW, "game", "list", "--server", "127.0.0.1:1", env=env)
    assert (done.returncode, done.stdout) == (1, "")
    assert len(done.stderr.splitlines()) == 1
    assert "create" in passed(run(EW, "game", "--help", env=env))
