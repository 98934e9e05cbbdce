"""Lines that break, servers that go, and the bot's own end.

As in `situations`: the first line of a docstring is what it is about, the rest is the advice.
"""

from __future__ import annotations

import asyncio
import signal
import time
from typing import TYPE_CHECKING

from endless_winter.conformance.harness import Game, Harness, Held, Wrong
from endless_winter.v1 import arena_service_pb2 as a
from endless_winter.v1 import play_service_pb2 as p

if TYPE_CHECKING:
    from endless_winter.conformance.proxy import Line

AWAY = 2.0  # seconds without a server, at least: else how often a bot knocks depends on the machine
MOST_KNOCKS = 100  # attempts to connect in a second meanwhile: a server may take long to start
SIGTERM_STATUS = (0, -signal.SIGTERM, 128 + signal.SIGTERM)
_WITHIN = 500  # bytes; a piece that is as long holds part of a view


async def cut(harness: Harness) -> None:
    """The connection breaks; the server never got its last answer.

    Keep every command until it is answered. Open a stream again (wait a little, longer each time),
    Hello, Attach with after_seq, then send what is unanswered again under its old request id.
    """
    game = await harness.playing(answers=2)
    held = await harness.held_answer(game)
    harness.relay.cut()
    await harness.back(game, held.line)
    _after(game, held)
    await harness.answers_again(game, held, "did not repeat the answer that was lost in a cut")
    await game.goes_on(2)


def _after(game: Game, held: Held) -> None:
    """Attached again after what it has surely read: the prompt that it answered."""
    after = game.chair.attaches[-1][1]
    least = game.chair.prompt_seq[held.decision]
    if after is not None and after < least:
        raise Wrong(f"it resumed after entry {after}, although it had been sent entry {least}")


async def lost_seat_bound(harness: Harness) -> None:
    """The connection breaks before it was sent that an accepted seat is its own.

    Ask PlayService.ListMySeats after each Welcome and BotWelcome, and attach what you do not play
    yet: a seat that became yours while there was no stream is in that list.
    """
    lost: list[a.SeatBound] = []

    def lose(line: Line, message: a.AttachBotRequest | a.AttachBotResponse) -> bool:
        del line
        if isinstance(message, a.AttachBotResponse) and message.HasField("seat_bound"):
            lost.append(message.seat_bound)
            return True
        return False

    harness.proxy.arena_rules.append(lose)
    game = await harness.game()
    await harness.until(
        lambda: bool(lost), harness.settings.patience, "did not answer the offer of a seat"
    )
    harness.relay.cut()
    await game.taken()
    await game.goes_on(1)


async def lost_acknowledgement(harness: Harness) -> None:
    """The connection breaks after its answer was accepted, before it could know.

    The same as after any cut: repeat under the old request id. The server answers as it did the
    first time, and plays nothing twice.
    """
    game = await harness.playing(answers=2)
    held = await harness.held_answer(game)
    swallowed: list[p.PlayReport] = []

    def swallow(line: Line, report: p.PlayReport) -> list[p.PlayReport] | None:
        if line is not held.line:
            return None
        swallowed.append(report)
        harness.proxy.stirred()
        return []

    harness.proxy.report_rules.append(swallow)
    harness.proxy.to_server(held.line, held.command)
    await harness.until(
        lambda: any(report.HasField("accepted") for report in swallowed),
        harness.settings.patience,
        "was not heard by the server",
    )
    harness.relay.cut()
    await harness.back(game, held.line)
    await game.goes_on(3)


async def cut_within_message(harness: Harness) -> None:
    """The connection breaks in the middle of an update.

    What was not read whole was not read: resume after the last update that you have.
    """
    game = await harness.playing(answers=2)
    line = harness.proxy.line
    assert line is not None  # the bot plays
    harness.relay.cut_within(_WITHIN)
    await harness.until(
        lambda: harness.relay.is_cut, harness.settings.patience, "made no further move"
    )
    await harness.back(game, line)
    await game.goes_on(2)


async def snapshot(harness: Harness) -> None:
    """After a cut the server no longer has the missed events and sends a snapshot.

    An update with snapshot set is a fresh start: take its view and its prompt as they are.
    """
    game = await harness.playing(answers=2)
    held = await harness.held_answer(game)

    def forgetful(line: Line, command: p.PlayCommand) -> list[p.PlayCommand] | None:
        del line
        if command.game_id != game.game_id or not command.HasField("attach"):
            return None
        found = p.PlayCommand()
        found.CopyFrom(command)
        found.attach.ClearField("after_seq")
        return [found]

    harness.proxy.command_rules.append(forgetful)
    harness.relay.cut()
    await harness.back(game, held.line)
    await game.goes_on(3)


async def drain(harness: Harness) -> None:
    """The server is shut down in good order (Goodbye) and started again.

    End the stream, wait for reconnect_after_ms, then resume on both streams as after a cut.
    """
    await _restart(harness, harness.host.stop)


async def restart(harness: Harness) -> None:
    """The server is killed and started again.

    Resume on both streams as after a cut; keep trying, and wait longer each time.
    """
    await _restart(harness, harness.host.kill)


async def _restart(harness: Harness, end: object) -> None:
    game = await harness.playing(answers=2)
    held = await harness.held_answer(game)
    hellos = len(harness.proxy.hellos)
    assert callable(end)
    await asyncio.to_thread(end)
    harness.relay.shut()
    began = time.monotonic()
    await asyncio.gather(harness.start_server(), asyncio.sleep(AWAY))
    knocks, away = harness.relay.knocks, time.monotonic() - began
    harness.relay.unshut()
    if knocks > MOST_KNOCKS * away:
        raise Wrong(
            f"it tried to connect {knocks} times while the server was away for {away:.1f} s"
        )
    await harness.back(game, held.line)
    _after(game, held)
    await harness.answers_again(game, held, "did not repeat its unanswered answer")
    await game.goes_on(2)
    await harness.until(
        lambda: len(harness.proxy.hellos) > hellos,
        harness.settings.patience,
        "did not attach to the arena again",
    )


async def bot_restart(harness: Harness) -> None:
    """The bot itself is killed and started again with the same secret.

    Ask PlayService.ListMySeats after Welcome: the seats are still yours. Attach them.
    """
    game = await harness.playing(answers=2)
    held = await harness.held_answer(game)
    harness.expected_end = True
    await harness.bot.kill()
    await harness.start_bot()
    await harness.back(game, held.line)
    await game.goes_on(2)


async def leaves(harness: Harness) -> None:
    """It leaves on SIGTERM when it has nothing to play.

    Handle SIGTERM: end both streams and exit with status 0.
    """
    harness.expected_end = True
    harness.bot.signal(signal.SIGTERM)
    if not await harness.bot.wait(harness.settings.leave):
        await harness.bot.kill()
        raise Wrong(f"it was still running {harness.settings.leave:g} s after SIGTERM")
    if harness.bot.status not in SIGTERM_STATUS:
        raise Wrong(
            f"it ended with status {harness.bot.status} on SIGTERM; "
            f"its last words: {harness.bot.last_words()}"
        )
