"""Answers that are refused: too late, overtaken, wrong, or not now.

As in `situations`: the first line of a docstring is what it is about, the rest is the advice.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from endless_winter.conformance.harness import Game, Harness, Held, NotAsked, Wrong
from endless_winter.v1 import play_service_pb2 as p
from endless_winter.v1 import rejection_pb2 as reasons

if TYPE_CHECKING:
    from endless_winter.conformance.proxy import Line

RETRY_MS = 400
NEW = 99  # a reason that this revision of the contract does not have
NO_SUCH_OPTION = 1_000_000
PLANS = 3  # that are cut short
LOOKED = 40  # answers after which a bot is taken for one that makes no plans
SHORT_S = 0.005  # no bot answers in that time every time


async def stale(harness: Harness) -> None:
    """Another stream of its owner answers first; its own answer is refused as STALE_DECISION.

    The decision is over. Drop the answer and wait for the next prompt.
    """
    game = await harness.playing()
    held = await harness.held_answer(game)
    await harness.opponent.answer_for(harness.secret, game.game_id, game.seat, held.decision)
    harness.proxy.to_server(held.line, held.command)
    await _refused(harness, game, held)
    await game.goes_on(2)


async def late(harness: Harness) -> None:
    """Its answer arrives after the deadline and is refused as TOO_LATE.

    The default was taken. Drop the answer and wait for the next prompt.
    """
    game = await harness.playing(clock=1.0)
    harness.watch.ours.add(game.game_id)
    held = await harness.held_answer(game)
    seq = game.chair.prompt_seq[held.decision]
    await harness.until(
        lambda: game.chair.seq > seq, harness.settings.patience, "was not sent the expiry"
    )

    def as_too_late(line: Line, report: p.PlayReport) -> list[p.PlayReport] | None:
        del line
        if report.game_id == game.game_id and report.HasField("rejection"):
            report.rejection.reason = reasons.REJECTION_REASON_TOO_LATE
            return [report]
        return None

    harness.proxy.report_rules.append(as_too_late)
    harness.proxy.to_server(held.line, held.command)
    await _refused(harness, game, held)
    newest = max(game.chair.answers)
    await harness.until(
        lambda: max(game.chair.answers) > newest or game.chair.ended,
        harness.settings.patience,
        "did not answer the next decision",
    )
    await harness.listen(harness.settings.quiet)


async def _refused(harness: Harness, game: Game, held: Held) -> None:
    await harness.until(
        lambda: held.decision in game.chair.rejected, harness.settings.patience, "was not refused"
    )


async def illegal(harness: Harness) -> None:
    """Its answer is refused as ILLEGAL_OPTION; the decision is still pending.

    Answer the same decision again with something else, under a new request id: take_default is
    always legal. Do not send the same choice again: a few wrong answers forfeit the seat.
    """
    game = await harness.playing()
    harness.watch.expected.add((game.game_id, "ILLEGAL_OPTION"))
    held = await harness.held_answer(game)
    wrong = p.PlayCommand()
    wrong.CopyFrom(held.command)
    wrong.answer.option_id = NO_SUCH_OPTION
    harness.proxy.to_server(held.line, wrong)
    await _refused(harness, game, held)
    again = await harness.answers_again(
        game, held, "left the decision unanswered after ILLEGAL_OPTION"
    )
    answer = held.command.answer
    if game.chair.options[held.decision] > 1 and not answer.take_default:
        first = game.chair.answers[held.decision][held.answers - 1]
        if again.first_choice == first.first_choice:
            raise Wrong("it sent the very choice again that was refused as illegal")
    await game.goes_on(2)


async def short_plan(harness: Harness) -> None:
    """Less of its plan is taken than it sent, as after a reveal, or by a server without plans.

    Forget what was planned and answer the next prompt, whatever it asks. Accepted.plan_taken says
    how many texts were taken.
    """
    game = await harness.playing()
    cut: list[p.PlayCommand] = []

    def leave_out(line: Line, command: p.PlayCommand) -> list[p.PlayCommand] | None:
        del line
        if command.game_id != game.game_id or not command.answer.plan:
            return None
        cut.append(command)
        shorter = p.PlayCommand()
        shorter.CopyFrom(command)
        del shorter.answer.plan[len(cut) % 2 :]
        return [shorter]

    harness.proxy.command_rules.append(leave_out)
    for _ in range(LOOKED):
        await game.goes_on(1)
        if len(cut) >= PLANS or game.chair.ended:
            break
    if not cut:
        raise NotAsked(f"it sent no plan in {LOOKED} answers")
    await game.goes_on(2)


async def refused_for_now(harness: Harness) -> None:
    """The server cannot write its log: STORE_UNAVAILABLE with retry_after_ms.

    Nothing has happened. Wait as long as retry_after_ms says and send the same command again,
    under the same request id.
    """
    game = await harness.playing()
    held = await harness.held_answer(game)
    await _for_now(harness, game, held, reasons.REJECTION_REASON_STORE_UNAVAILABLE)
    await game.goes_on(2)


async def unknown_reason(harness: Harness) -> None:
    """Its answer is refused for a reason that it does not know, with and without retry_after_ms.

    retry_after_ms alone decides. Present: send the same command again after it, under the same
    request id. Absent: the refusal is final, so do not repeat it; the next update says how the
    game goes on.
    """
    game = await harness.playing()
    held = await harness.held_answer(game)
    await _for_now(harness, game, held, NEW)
    await game.goes_on(1)
    held = await harness.held_answer(game)
    _refuse(harness, game, held, NEW, None)
    sent = game.chair.answers[held.decision]
    first = sent[held.answers - 1]

    def repeated() -> bool:
        return any(
            one.request_id == first.request_id or one.first_choice == first.first_choice
            for one in sent[held.answers :]
        )

    await harness.listen(RETRY_MS / 1000 + harness.settings.quiet, until=repeated)
    if repeated():
        raise Wrong("it sent an answer again that was refused without retry_after_ms")
    if len(sent) == held.answers:  # it has left the decision alone: its owner answers
        await harness.opponent.answer_for(harness.secret, game.game_id, game.seat, held.decision)
    await game.goes_on(2)


async def _for_now(harness: Harness, game: Game, held: Held, reason: int) -> None:
    """Refuse an answer with a time to send it again, and see that it is."""
    refused = harness.clock.now()
    _refuse(harness, game, held, reason, RETRY_MS)
    again = await harness.answers_again(game, held, "did not send its answer again")
    if again.at - refused < RETRY_MS / 2000:
        raise Wrong(f"it sent its answer again at once, although retry_after_ms was {RETRY_MS}")
    if again.request_id != held.command.request_id:
        raise Wrong("it sent its answer again under another request id")


def _refuse(
    harness: Harness, game: Game, held: Held, reason: int, retry_after_ms: int | None
) -> None:
    """Refuse an answer of the bot; the server never got it."""
    rejection = reasons.Rejection(
        reason=reason,  # type: ignore[arg-type] # also one that is not of the enum
        message="refused by the checker; nothing has happened",
        seq=game.chair.seq,
        pending_decision_id=held.decision,
        retry_after_ms=retry_after_ms,
    )
    harness.proxy.to_bot(
        held.line,
        p.PlayReport(
            request_id=held.command.request_id,
            game_id=game.game_id,
            seat=game.seat,
            rejection=rejection,
        ),
    )


async def short_clock(harness: Harness) -> None:
    """Every decision runs out before it is answered, or nearly so.

    Answers that cross an expiry are refused; that is no reason to stop. Follow the updates to the
    end of the game.
    """
    game = await harness.game(clock=SHORT_S)
    harness.watch.ours.add(game.game_id)
    await game.taken()
    await harness.until(
        lambda: game.chair.ended, 3 * harness.settings.patience, "was not sent the result"
    )
    await harness.playing()
