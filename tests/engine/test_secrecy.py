"""Nothing hidden shows in what the engine sends: not in errors, numbers, defaults or anything.

Two games that a viewer cannot tell apart take the same public course; every byte that goes to the
viewer must be the same. Planted leaks show that the comparison would notice.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from endless_winter.engine import draft as drafts
from endless_winter.engine.draft import Draft
from endless_winter.engine.events import entry_events
from endless_winter.engine.game import Game
from endless_winter.rules import agenda
from endless_winter.rules.nomad.area import area_of
from endless_winter.v1 import decision_pb2, event_pb2
from endless_winter.v1 import play_service_pb2 as p
from endless_winter.v1 import rejection_pb2 as reasons
from endless_winter.views import Happened, Scribe
from tests.engine.desk import Desk
from tests.engine.twins import compare
from tests.rules.walk import ALL, EXTRAS, RIVERS, SOLO, Choices, walk
from tests.views.redaction import SPECTATOR

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from endless_winter import rules
    from endless_winter.engine.refusal import Refusal
    from endless_winter.v1 import replay_pb2

# Two to four players, every variant and module; and solo, a client playing the Nomad.
SMALL = (0, 1, 2, 10, 13, 20, 28, *SOLO[:2], *EXTRAS[:2], *RIVERS[:2], *ALL[:2])
LARGE = (*range(36), *SOLO, *EXTRAS, *RIVERS, *ALL)

# A leak is planted by replacing a function, which compiled modules do not notice.
in_python = pytest.mark.skipif(
    not str(drafts.__file__).endswith(".py"), reason="the engine is compiled"
)


def dealt(game: rules.Game) -> bool:
    return all(frame[0] != agenda.DEAL for frame in game.position.agenda)


def anything(game: rules.Game, code: int) -> bool:
    del game, code
    return True


def then_one_option(game: rules.Game, code: int) -> bool:
    """Whether the choice leads to a question with a single option."""
    after = game.copy()
    after.apply(code)
    return len(after.options()) == 1


def compare_walks(
    numbers: Iterable[int],
    share: float,
    only: Callable[[rules.Game, int], bool] = anything,
    *,
    served: bool = False,
) -> int:
    """Compare at a share of the steps of these walks, for everyone; how often that was.

    `served`: the server plays the Nomad, so nobody looks from its seat, and it is never asked.
    """
    compared = 0
    for number in numbers:
        choices = Choices(f"secrecy {number}")
        choices.eager = number % 2 == 1
        for step, game in enumerate(walk(number)):
            if game.decision is None or not dealt(game) or choices.random() > share:
                continue
            code = choices.option(game)
            nomad = game.position.config.nomad
            nobody = nomad.seat if served and nomad else None
            if not only(game, code) or game.position.agenda[-1][1] == nobody:
                continue
            for viewer in range(SPECTATOR, len(game.position.players)):
                if viewer == nobody:
                    continue
                try:
                    compared += compare(game, code, viewer, choices, served=served)
                except AssertionError as error:
                    error.add_note(f"walk {number}, step {step}, viewer {viewer}")
                    raise
    return compared


def test_what_is_hidden_shows_in_no_byte_that_is_sent() -> None:
    assert compare_walks(SMALL, 0.1) > 200


def test_what_the_nomad_hides_shows_in_no_byte_when_the_server_plays_it() -> None:
    assert compare_walks(SOLO[:3], 0.08, served=True) > 30


@pytest.mark.soak
@pytest.mark.timeout(3600)
def test_what_is_hidden_shows_in_no_byte_that_is_sent_in_many_games() -> None:
    assert compare_walks(LARGE, 0.4) > 5_000
    assert compare_walks(SOLO, 0.4, served=True) > 500


def caught(
    share: float = 0.2,
    numbers: Iterable[int] = SMALL,
    only: Callable[[rules.Game, int], bool] = anything,
    *,
    served: bool = False,
) -> None:
    with pytest.raises(AssertionError, match=r"sizes|other bytes"):
        compare_walks(numbers, share, only, served=served)


def secret_of(game: rules.Game | None) -> int:
    """Something that nobody may know: what lies in decks and hands."""
    assert game is not None
    players = game.position.players
    return sum(sum(player.hand) * 3 + (player.deck[0] if player.deck else 0) for player in players)


@in_python
def test_a_leak_in_an_error_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    real = Game.refusal

    def leaky(self: Game, reason: Any, message: str, **more: Any) -> Refusal:
        return real(self, reason, f"{message} [{secret_of(self.table.game)}]", **more)

    monkeypatch.setattr(Game, "refusal", leaky)
    caught()


@in_python
def test_a_leak_of_the_nomads_deck_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    real = Game.refusal

    def leaky(self: Game, reason: Any, message: str, **more: Any) -> Refusal:
        assert self.table.game is not None
        deck = area_of(self.table.game.position).deck
        return real(self, reason, f"{message} [{deck[:1]!r}]", **more)

    monkeypatch.setattr(Game, "refusal", leaky)
    caught(0.2, SOLO[:2], served=True)


@in_python
def test_a_leak_in_the_number_of_an_error_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """The sequence number in a refusal is ahead by one in some games."""
    real = Game.refusal

    def leaky(self: Game, reason: Any, message: str, **more: Any) -> Refusal:
        found = real(self, reason, message, **more)
        found.seq += secret_of(self.table.game) % 2
        return found

    monkeypatch.setattr(Game, "refusal", leaky)
    caught()


@in_python
def test_a_leak_in_the_sequence_number_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """A server that answers a question with one option by itself shows that there was one."""
    real = Draft.resolve_forced_moves

    def leaky(self: Draft) -> None:
        real(self)
        while (game := self.table.game) is not None and len(game.options()) == 1:
            self.take_default(event_pb2.CHOICE_ORIGIN_PLAYER)
            real(self)

    monkeypatch.setattr(Draft, "resolve_forced_moves", leaky)
    caught(1.0, LARGE, then_one_option)


@in_python
def test_a_leak_in_the_default_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """The default of the viewer's own decision hangs on what lies in others' hands."""
    real = Scribe.decision_bytes

    def leaky(self: Scribe, game: rules.Game, *args: Any, **more: Any) -> bytes:
        decision = decision_pb2.Decision.FromString(real(self, game, *args, **more))
        chosen = secret_of(game) % len(decision.options)
        for number, option in enumerate(decision.options):
            option.is_default = number == chosen
        return decision.SerializeToString()

    monkeypatch.setattr(Scribe, "decision_bytes", leaky)
    caught()


@in_python
def test_a_leak_in_an_event_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """Everyone is sent the text of a choice."""
    real = entry_events

    def leaky(entry: replay_pb2.LogEntry, *args: Any) -> list[Happened]:
        events, choice = real(entry, *args), entry.choice
        if choice.text.startswith(("pile", "bury")):
            made = event_pb2.ChoiceMade(decision_id=sum(choice.text.encode()))
            public = event_pb2.PublicEvent(choice_made=made)
            last = events[-1]
            events[-1] = Happened(public.SerializeToString(), last.seat, last.private)
        return events

    monkeypatch.setattr(drafts, "entry_events", leaky)
    caught(1.0)


def test_a_request_id_does_not_reveal_what_another_seat_chose() -> None:
    """Ids can be guessed: the terminal client makes them of the decision and the option."""
    desk = Desk()
    game = desk.running()
    seat, decision = game.table.deciding_seat, game.table.decision_id
    desk.answer(game, "d1", option_id=0)
    for name in ("eve", f"player {1 - seat}"):
        stream = desk.stream(name)
        for option in (0, 1):
            answer = decision_pb2.Answer(decision_id=decision, option_id=option)
            stream.send(
                p.PlayCommand(request_id="d1", game_id=game.game_id, seat=seat, answer=answer)
            )
        found = [one.rejection.reason for one in stream.received()[1:]]
        assert found == [reasons.REJECTION_REASON_NOT_ATTACHED] * 2
