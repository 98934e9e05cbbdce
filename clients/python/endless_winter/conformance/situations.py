"""Ordinary play, and what other players, operators and newer servers can do to it.

A situation is a function that puts the bot into it and raises `Wrong` if the bot does not cope.
The first line of its docstring is what the report says it is about, the rest is the advice.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from endless_winter.conformance.harness import CAPACITY, Harness, NotAsked, Wrong
from endless_winter.v1 import arena_service_pb2 as a
from endless_winter.v1 import play_service_pb2 as p

if TYPE_CHECKING:
    from endless_winter.conformance.proxy import Line

SEVERAL = 4
MANY = 2000
NEW = 99  # a number that this revision of the contract does not use


async def attaches(harness: Harness) -> None:
    """It attaches to the arena under its name.

    Call ArenaService.AttachBot at EW_SERVER with EW_CLIENT_SECRET as metadata "ew-client-secret",
    and send BotHello with EW_BOT_NAME, EW_BOT_TOKEN and EW_BOT_CAPACITY.
    """
    if not harness.bot.running:
        await harness.start_bot()
    hello, secret = harness.proxy.hellos[-1]
    if hello.name != harness.name:
        raise Wrong(f"it attached as '{hello.name[:40]}', but EW_BOT_NAME is '{harness.name}'")
    if secret != harness.secret:
        raise Wrong("it did not send EW_CLIENT_SECRET as metadata 'ew-client-secret'")
    if hello.token != harness.token:
        raise Wrong("BotHello.token is not EW_BOT_TOKEN")
    if not 1 <= hello.capacity <= CAPACITY:
        raise Wrong(f"it offers {hello.capacity} seats, but EW_BOT_CAPACITY is {CAPACITY}")


async def takes_seat(harness: Harness) -> None:
    """It accepts an offered seat, attaches it and says Ready.

    Answer SeatOffer with OfferReply{accept} at once and wait for SeatBound. Open one Play stream
    with Hello, send Attach for the game and seat, and Ready when an update carries ready_check.
    """
    replies = len(harness.proxy.replies)
    game = await harness.game()
    await harness.until(
        lambda: len(harness.proxy.replies) > replies,
        harness.settings.patience,
        "did not answer the offer of a seat",
    )
    if not harness.proxy.replies[-1].accept:
        raise Wrong("it declined a seat of a plain two-player game")
    await game.taken()
    await game.goes_on(1)


async def whole_game(harness: Harness) -> None:
    """It plays a game to its end, answering every prompt in time.

    Answer each prompt with its decision_id and one of its options; with nothing better at hand
    take_default is always legal. Think in another task than the one that reads the stream.
    """
    game = await harness.game(clock=harness.settings.limit)
    await game.taken()
    await game.finished()
    await harness.listen(harness.settings.quiet)
    update = game.chair.result
    assert update is not None  # it has ended
    mine = update.result.seats[game.seat]
    if mine.timeouts:
        harness.watch.note("in-time", f"its clock ran out {mine.timeouts} times")
    game.over()


async def closed_game(harness: Harness) -> None:
    """A closed game, as tournaments have them; it takes some time until the seat is its own.

    Attach a seat when SeatBound says that it is yours, not when you accept it: before that nobody
    may reveal that the game exists, and GAME_NOT_FOUND is final.
    """
    held = harness.hold_reply()
    game = await harness.game(clock=harness.settings.limit, closed=True)
    await harness.until(
        lambda: bool(held), harness.settings.patience, "did not answer the offer of a seat"
    )
    await harness.listen(harness.settings.quiet, until=lambda: bool(game.chair.attaches))
    if game.chair.attaches:
        raise Wrong("it attached the seat before SeatBound")
    line, reply = held[0]
    line.up.put_nowait(reply.SerializeToString())
    await game.taken()
    await game.finished()


async def several_games(harness: Harness) -> None:
    """It plays several games at the same time on one Play stream.

    Attach every game on the stream that is open; commands and reports name their game and seat.
    """
    hello, _ = harness.proxy.hellos[-1]
    if hello.capacity < SEVERAL:
        raise NotAsked(f"it offers {hello.capacity} seats only, {SEVERAL} are needed")
    games = [await harness.game() for _ in range(SEVERAL)]
    await asyncio.gather(*(game.taken() for game in games))
    await asyncio.gather(*(game.goes_on(3) for game in games))
    if (open_now := sum(line.open for line in harness.proxy.lines)) > 1:
        raise Wrong(f"it has {open_now} Play streams open for {SEVERAL} games")


async def duplicate(harness: Harness) -> None:
    """The same update comes twice.

    A prompt whose decision_id you have answered is the same question: ignore it.
    """
    game = await harness.playing()
    doubled = 0

    def twice(line: Line, report: p.PlayReport) -> list[p.PlayReport] | None:
        nonlocal doubled
        if report.game_id != game.game_id or not report.HasField("update"):
            return None
        doubled += 1
        if doubled % 2:
            return [report, report]
        asyncio.get_running_loop().call_later(0.01, harness.proxy.to_bot, line, report)
        return None

    harness.proxy.report_rules.append(twice)
    await game.goes_on(4)
    harness.proxy.report_rules.clear()
    await game.goes_on(1)


async def unknown(harness: Harness) -> None:
    """A newer server: kinds of reports, decisions and moves, and fields, that it does not know.

    Skip reports that you do not know. A decision of an unknown kind, or an option without a known
    move, is still answered by its option id, its text, or take_default.
    """
    game = await harness.playing()
    line = harness.proxy.line
    assert line is not None  # the bot plays
    more = _field(NEW, b"something new")

    def newer(line: Line, report: p.PlayReport) -> list[p.PlayReport] | None:
        del line
        if report.game_id != game.game_id or not report.HasField("update"):
            return None
        report.MergeFromString(more)
        report.update.MergeFromString(more)
        if report.update.HasField("prompt"):
            decision = report.update.prompt.decision
            decision.kind = NEW  # type: ignore[assignment] # the point: not one of the enum
            for option in decision.options:
                option.ClearField("move")
                option.move.MergeFromString(more)
        return [report]

    harness.proxy.report_rules.append(newer)
    report = p.PlayReport(game_id=game.game_id, seat=game.seat)
    report.MergeFromString(more)
    harness.proxy.to_bot(line, report)
    harness.proxy.to_bot(line, p.PlayReport.FromString(more))
    for arena in harness.proxy.arenas:
        if arena.open:
            arena.down.put_nowait(more)
            gone = a.OfferClosed(offer_id="an offer that it never got")
            arena.down.put_nowait(a.AttachBotResponse(offer_closed=gone).SerializeToString())
    await game.goes_on(4)


def _field(number: int, body: bytes) -> bytes:
    """A length-delimited field of a message, by hand."""
    tag = number << 3 | 2
    return bytes((tag & 0x7F | 0x80, tag >> 7, len(body))) + body


async def many_options(harness: Harness) -> None:
    """A decision has thousands of options.

    Allow messages of a megabyte (ServerLimits.message_bytes), and let the time you take depend on
    the clock, not on the number of options.
    """
    game = await harness.playing()
    texts: dict[str, str] = {}
    counts: dict[int, int] = {}

    def many(line: Line, report: p.PlayReport) -> list[p.PlayReport] | None:
        del line
        if report.game_id != game.game_id or not report.update.HasField("prompt"):
            return None
        decision = report.update.prompt.decision
        count = counts[decision.decision_id] = len(decision.options)
        for number in range(count, MANY):
            option = decision.options.add()
            option.CopyFrom(decision.options[number % count])
            option.option_id = number
            option.is_default = False
            option.text = f"{option.text} ({number // count + 1})"
            texts[option.text] = decision.options[number % count].text
        return [report]

    def few(line: Line, command: p.PlayCommand) -> list[p.PlayCommand] | None:
        del line
        count = counts.get(command.answer.decision_id)
        if command.game_id != game.game_id or count is None:
            return None
        found = p.PlayCommand()
        found.CopyFrom(command)
        if found.answer.HasField("option_id") and found.answer.option_id < MANY:
            found.answer.option_id %= count
        elif found.answer.HasField("text"):
            found.answer.text = texts.get(found.answer.text, found.answer.text)
        return [found]

    harness.proxy.report_rules.append(many)
    harness.proxy.command_rules.append(few)
    await game.goes_on(2)
    # What it answers to the last long list still has to be translated.
    harness.proxy.report_rules.remove(many)
    await game.goes_on(1)


async def ends_under_way(harness: Harness) -> None:
    """The game is aborted while its answer is under way.

    The update with the result is the last word: forget the game, ignore what is still refused, and
    be ready for the next offer.
    """
    game = await harness.playing()
    held = await harness.held_answer(game)
    await harness.opponent.abort(game.game_id)
    await harness.until(
        lambda: game.chair.ended, harness.settings.patience, "was not sent the result"
    )
    harness.proxy.to_server(held.line, held.command)
    await harness.listen(harness.settings.quiet)
    game.over()
    await harness.playing()


async def revoked(harness: Harness) -> None:
    """An operator takes the seat away: Detached with SEAT_REVOKED.

    Forget the game. Attaching again is refused for good.
    """
    game = await harness.playing()
    await harness.opponent.revoke(game.game_id, game.seat)
    await harness.until(
        lambda: game.chair.revoked, harness.settings.patience, "was not sent the loss of its seat"
    )
    await harness.listen(2 * harness.settings.quiet)
    if game.chair.since_end > 2:
        raise Wrong(f"it sent {game.chair.since_end} commands for a seat that it had lost")
    await harness.playing()
