"""Ordinary play, and what other players, operators and newer servers can do to it.

A situation is a function that puts the bot into it and raises `Wrong` if the bot does not cope.
The first line of its docstring is what the report says it is about, the rest is the advice.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from endless_winter.conformance.bench import CAPACITY, Bench, NotAsked, Wrong
from endless_winter.v1 import arena_service_pb2 as a
from endless_winter.v1 import play_service_pb2 as p

if TYPE_CHECKING:
    from endless_winter.conformance.middle import Line

SEVERAL = 4
MANY = 2000
NEW = 99  # a number that this revision of the contract does not use


async def attaches(bench: Bench) -> None:
    """It attaches to the arena under its name.

    Call ArenaService.AttachBot at EW_SERVER with EW_CLIENT_SECRET as metadata "ew-client-secret",
    and send BotHello with EW_BOT_NAME, EW_BOT_TOKEN and EW_BOT_CAPACITY.
    """
    if not bench.bot.running:
        await bench.start_bot()
    hello, secret = bench.middle.hellos[-1]
    if hello.name != bench.name:
        raise Wrong(f"it attached as '{hello.name[:40]}', but EW_BOT_NAME is '{bench.name}'")
    if secret != bench.secret:
        raise Wrong("it did not send EW_CLIENT_SECRET as metadata 'ew-client-secret'")
    if hello.token != bench.token:
        raise Wrong("BotHello.token is not EW_BOT_TOKEN")
    if not 1 <= hello.capacity <= CAPACITY:
        raise Wrong(f"it offers {hello.capacity} seats, but EW_BOT_CAPACITY is {CAPACITY}")


async def takes_seat(bench: Bench) -> None:
    """It accepts an offered seat, attaches it and says Ready.

    Answer SeatOffer with OfferReply{accept} at once and wait for SeatBound. Open one Play stream
    with Hello, send Attach for the game and seat, and Ready when an update carries ready_check.
    """
    replies = len(bench.middle.replies)
    game = await bench.game()
    await bench.until(
        lambda: len(bench.middle.replies) > replies,
        bench.settings.patience,
        "did not answer the offer of a seat",
    )
    if not bench.middle.replies[-1].accept:
        raise Wrong("it declined a seat of a plain two-player game")
    await game.taken()
    await game.goes_on(1)


async def whole_game(bench: Bench) -> None:
    """It plays a game to its end, answering every prompt in time.

    Answer each prompt with its decision_id and one of its options; with nothing better at hand
    take_default is always legal. Think in another task than the one that reads the stream.
    """
    game = await bench.game(clock=bench.settings.limit)
    await game.taken()
    await game.finished()
    await bench.listen(bench.settings.quiet)
    update = game.chair.result
    assert update is not None  # it has ended
    mine = update.result.seats[game.seat]
    if mine.timeouts:
        bench.watch.note("in-time", f"its clock ran out {mine.timeouts} times")
    game.over()


async def closed_game(bench: Bench) -> None:
    """A closed game, as tournaments have them; it takes some time until the seat is its own.

    Attach a seat when SeatBound says that it is yours, not when you accept it: before that nobody
    may reveal that the game exists, and GAME_NOT_FOUND is final.
    """
    held = bench.hold_reply()
    game = await bench.game(clock=bench.settings.limit, closed=True)
    await bench.until(
        lambda: bool(held), bench.settings.patience, "did not answer the offer of a seat"
    )
    await bench.listen(bench.settings.quiet, until=lambda: bool(game.chair.attaches))
    if game.chair.attaches:
        raise Wrong("it attached the seat before SeatBound")
    line, reply = held[0]
    line.up.put_nowait(reply.SerializeToString())
    await game.taken()
    await game.finished()


async def several_games(bench: Bench) -> None:
    """It plays several games at the same time on one Play stream.

    Attach every game on the stream that is open; commands and reports name their game and seat.
    """
    hello, _ = bench.middle.hellos[-1]
    if hello.capacity < SEVERAL:
        raise NotAsked(f"it offers {hello.capacity} seats only, {SEVERAL} are needed")
    games = [await bench.game() for _ in range(SEVERAL)]
    await asyncio.gather(*(game.taken() for game in games))
    await asyncio.gather(*(game.goes_on(3) for game in games))
    if (open_now := sum(line.open for line in bench.middle.lines)) > 1:
        raise Wrong(f"it has {open_now} Play streams open for {SEVERAL} games")


async def duplicate(bench: Bench) -> None:
    """The same update comes twice.

    A prompt whose decision_id you have answered is the same question: ignore it.
    """
    game = await bench.playing()
    doubled = 0

    def twice(line: Line, report: p.PlayReport) -> list[p.PlayReport] | None:
        nonlocal doubled
        if report.game_id != game.game_id or not report.HasField("update"):
            return None
        doubled += 1
        if doubled % 2:
            return [report, report]
        asyncio.get_running_loop().call_later(0.01, bench.middle.to_bot, line, report)
        return None

    bench.middle.report_rules.append(twice)
    await game.goes_on(4)
    bench.middle.report_rules.clear()
    await game.goes_on(1)


async def unknown(bench: Bench) -> None:
    """A newer server: kinds of reports, decisions and moves, and fields, that it does not know.

    Skip reports that you do not know. A decision of an unknown kind, or an option without a known
    move, is still answered by its option id, its text, or take_default.
    """
    game = await bench.playing()
    line = bench.middle.line
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

    bench.middle.report_rules.append(newer)
    report = p.PlayReport(game_id=game.game_id, seat=game.seat)
    report.MergeFromString(more)
    bench.middle.to_bot(line, report)
    bench.middle.to_bot(line, p.PlayReport.FromString(more))
    for arena in bench.middle.arenas:
        if arena.open:
            arena.down.put_nowait(more)
            gone = a.OfferClosed(offer_id="an offer that it never got")
            arena.down.put_nowait(a.AttachBotResponse(offer_closed=gone).SerializeToString())
    await game.goes_on(4)


def _field(number: int, body: bytes) -> bytes:
    """A length-delimited field of a message, by hand."""
    tag = number << 3 | 2
    return bytes((tag & 0x7F | 0x80, tag >> 7, len(body))) + body


async def many_options(bench: Bench) -> None:
    """A decision has thousands of options.

    Allow messages of a megabyte (ServerLimits.message_bytes), and let the time you take depend on
    the clock, not on the number of options.
    """
    game = await bench.playing()
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

    bench.middle.report_rules.append(many)
    bench.middle.command_rules.append(few)
    await game.goes_on(2)
    # What it answers to the last long list still has to be translated.
    bench.middle.report_rules.remove(many)
    await game.goes_on(1)


async def ends_under_way(bench: Bench) -> None:
    """The game is aborted while its answer is under way.

    The update with the result is the last word: forget the game, ignore what is still refused, and
    be ready for the next offer.
    """
    game = await bench.playing()
    held = await bench.held_answer(game)
    await bench.opponent.abort(game.game_id)
    await bench.until(lambda: game.chair.ended, bench.settings.patience, "was not sent the result")
    bench.middle.to_server(held.line, held.command)
    await bench.listen(bench.settings.quiet)
    game.over()
    await bench.playing()


async def revoked(bench: Bench) -> None:
    """An operator takes the seat away: Detached with SEAT_REVOKED.

    Forget the game. Attaching again is refused for good.
    """
    game = await bench.playing()
    await bench.opponent.revoke(game.game_id, game.seat)
    await bench.until(
        lambda: game.chair.revoked, bench.settings.patience, "was not sent the loss of its seat"
    )
    await bench.listen(2 * bench.settings.quiet)
    if game.chair.since_end > 2:
        raise Wrong(f"it sent {game.chair.since_end} commands for a seat that it had lost")
    await bench.playing()
