"""Lines that break, servers that go, and the bot's own end.

As in `situations`: the first line of a docstring is what it is about, the rest is the advice.
"""

from __future__ import annotations

import asyncio
import signal
import time
from typing import TYPE_CHECKING

from endless_winter.conformance.bench import Bench, Game, Held, Wrong
from endless_winter.v1 import arena_service_pb2 as a
from endless_winter.v1 import play_service_pb2 as p

if TYPE_CHECKING:
    from endless_winter.conformance.middle import Line

AWAY = 2.0  # seconds without a server, at least: else how often a bot knocks depends on the machine
MOST_KNOCKS = 100  # attempts to connect in a second meanwhile: a server may take long to start
SIGTERM_STATUS = (0, -signal.SIGTERM, 128 + signal.SIGTERM)
_WITHIN = 500  # bytes; a piece that is as long holds part of a view


async def cut(bench: Bench) -> None:
    """The connection breaks; the server never got its last answer.

    Keep every command until it is answered. Open a stream again (wait a little, longer each time),
    Hello, Attach with after_seq, then send what is unanswered again under its old request id.
    """
    game = await bench.playing(answers=2)
    held = await bench.held_answer(game)
    bench.relay.cut()
    await bench.back(game, held.line)
    _after(game, held)
    await bench.answers_again(game, held, "did not repeat the answer that was lost in a cut")
    await game.goes_on(2)


def _after(game: Game, held: Held) -> None:
    """Attached again after what it has surely read: the prompt that it answered."""
    after = game.chair.attaches[-1][1]
    least = game.chair.prompt_seq[held.decision]
    if after is not None and after < least:
        raise Wrong(f"it resumed after entry {after}, although it had been sent entry {least}")


async def lost_seat_bound(bench: Bench) -> None:
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

    bench.middle.arena_rules.append(lose)
    game = await bench.game()
    await bench.until(
        lambda: bool(lost), bench.settings.patience, "did not answer the offer of a seat"
    )
    bench.relay.cut()
    await game.taken()
    await game.goes_on(1)


async def lost_acknowledgement(bench: Bench) -> None:
    """The connection breaks after its answer was accepted, before it could know.

    The same as after any cut: repeat under the old request id. The server answers as it did the
    first time, and plays nothing twice.
    """
    game = await bench.playing(answers=2)
    held = await bench.held_answer(game)
    swallowed: list[p.PlayReport] = []

    def swallow(line: Line, report: p.PlayReport) -> list[p.PlayReport] | None:
        if line is not held.line:
            return None
        swallowed.append(report)
        bench.middle.stirred()
        return []

    bench.middle.report_rules.append(swallow)
    bench.middle.to_server(held.line, held.command)
    await bench.until(
        lambda: any(report.HasField("accepted") for report in swallowed),
        bench.settings.patience,
        "was not heard by the server",
    )
    bench.relay.cut()
    await bench.back(game, held.line)
    await game.goes_on(3)


async def cut_within_message(bench: Bench) -> None:
    """The connection breaks in the middle of an update.

    What was not read whole was not read: resume after the last update that you have.
    """
    game = await bench.playing(answers=2)
    line = bench.middle.line
    assert line is not None  # the bot plays
    bench.relay.cut_within(_WITHIN)
    await bench.until(lambda: bench.relay.is_cut, bench.settings.patience, "made no further move")
    await bench.back(game, line)
    await game.goes_on(2)


async def snapshot(bench: Bench) -> None:
    """After a cut the server no longer has the missed events and sends a snapshot.

    An update with snapshot set is a fresh start: take its view and its prompt as they are.
    """
    game = await bench.playing(answers=2)
    held = await bench.held_answer(game)

    def forgetful(line: Line, command: p.PlayCommand) -> list[p.PlayCommand] | None:
        del line
        if command.game_id != game.game_id or not command.HasField("attach"):
            return None
        found = p.PlayCommand()
        found.CopyFrom(command)
        found.attach.ClearField("after_seq")
        return [found]

    bench.middle.command_rules.append(forgetful)
    bench.relay.cut()
    await bench.back(game, held.line)
    await game.goes_on(3)


async def drain(bench: Bench) -> None:
    """The server is shut down in good order (Goodbye) and started again.

    End the stream, wait for reconnect_after_ms, then resume on both streams as after a cut.
    """
    await _restart(bench, bench.host.stop)


async def restart(bench: Bench) -> None:
    """The server is killed and started again.

    Resume on both streams as after a cut; keep trying, and wait longer each time.
    """
    await _restart(bench, bench.host.kill)


async def _restart(bench: Bench, end: object) -> None:
    game = await bench.playing(answers=2)
    held = await bench.held_answer(game)
    hellos = len(bench.middle.hellos)
    assert callable(end)
    await asyncio.to_thread(end)
    bench.relay.shut()
    began = time.monotonic()
    await asyncio.gather(bench.start_server(), asyncio.sleep(AWAY))
    knocks, away = bench.relay.knocks, time.monotonic() - began
    bench.relay.unshut()
    if knocks > MOST_KNOCKS * away:
        raise Wrong(
            f"it tried to connect {knocks} times while the server was away for {away:.1f} s"
        )
    await bench.back(game, held.line)
    _after(game, held)
    await bench.answers_again(game, held, "did not repeat its unanswered answer")
    await game.goes_on(2)
    await bench.until(
        lambda: len(bench.middle.hellos) > hellos,
        bench.settings.patience,
        "did not attach to the arena again",
    )


async def bot_restart(bench: Bench) -> None:
    """The bot itself is killed and started again with the same secret.

    Ask PlayService.ListMySeats after Welcome: the seats are still yours. Attach them.
    """
    game = await bench.playing(answers=2)
    held = await bench.held_answer(game)
    bench.expected_end = True
    await bench.bot.kill()
    await bench.start_bot()
    await bench.back(game, held.line)
    await game.goes_on(2)


async def leaves(bench: Bench) -> None:
    """It leaves on SIGTERM when it has nothing to play.

    Handle SIGTERM: end both streams and exit with status 0.
    """
    bench.expected_end = True
    bench.bot.signal(signal.SIGTERM)
    if not await bench.bot.wait(bench.settings.leave):
        await bench.bot.kill()
        raise Wrong(f"it was still running {bench.settings.leave:g} s after SIGTERM")
    if bench.bot.status not in SIGTERM_STATUS:
        raise Wrong(
            f"it ended with status {bench.bot.status} on SIGTERM; "
            f"its last words: {bench.bot.last_words()}"
        )
