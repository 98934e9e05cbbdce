"""Nothing hidden shows in what the service sends: not in errors, numbers, defaults or anything.

Two games that a viewer cannot tell apart take the same public course; every byte that goes to the
viewer must be the same. Planted leaks show that the comparison would notice.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from endless_winter.rules import agenda
from endless_winter.service import proposals
from endless_winter.service.feed import Feed
from endless_winter.service.session import Session
from endless_winter.v1 import decision_pb2, event_pb2
from endless_winter.views import Happened
from tests.rules.walk import ALL, EXTRAS, RIVERS, SOLO, Choices, walk
from tests.service.twins import compare
from tests.views.redaction import SPECTATOR

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from endless_winter.rules import Game
    from endless_winter.service.proposals import Draft
    from endless_winter.service.refusal import Refusal

# Two to four players, every variant and module; and solo, a client playing the Nomad.
SMALL = (0, 1, 2, 10, 13, 20, 28, *SOLO[:2], *EXTRAS[:2], *RIVERS[:2], *ALL[:2])
LARGE = (*range(36), *SOLO, *EXTRAS, *RIVERS, *ALL)


def dealt(game: Game) -> bool:
    return all(frame[0] != agenda.DEAL for frame in game.position.agenda)


def anything(game: Game, code: int) -> bool:
    del game, code
    return True


def then_one_option(game: Game, code: int) -> bool:
    """Whether the choice leads to a question with a single option."""
    after = game.copy()
    after.apply(code)
    return len(after.options()) == 1


async def compare_walks(
    numbers: Iterable[int],
    share: float,
    only: Callable[[Game, int], bool] = anything,
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
                    compared += await compare(game, code, viewer, choices, served=served)
                except AssertionError as error:
                    error.add_note(f"walk {number}, step {step}, viewer {viewer}")
                    raise
    return compared


async def test_what_is_hidden_shows_in_no_byte_that_is_sent() -> None:
    assert await compare_walks(SMALL, 0.045) > 100


async def test_what_the_nomad_hides_shows_in_no_byte_when_the_server_plays_it() -> None:
    assert await compare_walks(SOLO[:3], 0.08, served=True) > 30


@pytest.mark.soak
@pytest.mark.timeout(3600)
async def test_what_is_hidden_shows_in_no_byte_that_is_sent_in_many_games() -> None:
    assert await compare_walks(LARGE, 0.4) > 5_000
    assert await compare_walks(SOLO, 0.4, served=True) > 500


async def caught(
    share: float = 0.2,
    numbers: Iterable[int] = SMALL,
    only: Callable[[Game, int], bool] = anything,
) -> None:
    with pytest.raises(AssertionError, match=r"sizes|other bytes"):
        await compare_walks(numbers, share, only)


def secret_of(one: Any) -> int:
    """Something that nobody may know: what lies in decks and hands."""
    game = one.table.game
    assert game is not None
    players = game.position.players
    return sum(sum(player.hand) * 3 + (player.deck[0] if player.deck else 0) for player in players)


async def test_a_leak_in_an_error_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    real = Session._refusal

    def leaky(self: Session, reason: Any, message: str, **more: Any) -> Refusal:
        return real(self, reason, f"{message} [{secret_of(self)}]", **more)

    monkeypatch.setattr(Session, "_refusal", leaky)
    await caught()


async def test_a_leak_in_the_number_of_an_error_is_caught(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The sequence number in a refusal is ahead by one in some games."""
    real = Session._refusal

    def leaky(self: Session, reason: Any, message: str, **more: Any) -> Refusal:
        found = real(self, reason, message, **more)
        found.seq += secret_of(self) % 2
        return found

    monkeypatch.setattr(Session, "_refusal", leaky)
    await caught()


async def test_a_leak_in_the_sequence_number_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """A server that answers a question with one option by itself tells that there was one."""
    real = proposals.settle

    def leaky(draft: Draft) -> None:
        real(draft)
        while (game := draft.table.game) is not None and len(game.options()) == 1:
            proposals.take_default(draft, origin=event_pb2.CHOICE_ORIGIN_PLAYER)
            real(draft)

    monkeypatch.setattr(proposals, "settle", leaky)
    await caught(1.0, LARGE, then_one_option)


async def test_a_leak_in_the_default_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """The default of the viewer's own decision hangs on what lies in others' hands."""
    real = Feed._prompt

    def leaky(self: Feed, deadline_ms: int | None) -> bytes:
        prompt = decision_pb2.Prompt.FromString(real(self, deadline_ms))
        options = prompt.decision.options
        chosen = secret_of(self.session) % len(options)
        for number, option in enumerate(options):
            option.is_default = number == chosen
        return prompt.SerializeToString()

    monkeypatch.setattr(Feed, "_prompt", leaky)
    await caught()


async def test_a_leak_in_an_event_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """Everyone is told the text of a choice."""
    real = Session._tell

    def leaky(self: Session, step: Any, table: Any) -> Any:
        told = real(self, step, table)
        if step.entry.choice.text.startswith(("pile", "bury")):
            made = event_pb2.ChoiceMade(decision_id=sum(step.entry.choice.text.encode()))
            public = event_pb2.PublicEvent(choice_made=made)
            last = told.events[-1]
            told.events[-1] = Happened(public.SerializeToString(), last.seat, last.private)
        return told

    monkeypatch.setattr(Session, "_tell", leaky)
    await caught(1.0)
