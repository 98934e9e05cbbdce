"""The messages of docs/write-a-bot.md, captured from the JavaScript bot and the real server.

    python -m tests.node.walkthrough      writes them into the document

A block of the document that stands below a line ``<!-- captured: NAME -->`` is one of these
messages, shortened: long lists and views are cut, and what differs from run to run (moments,
hashes, versions) is written as an ellipsis. test_walkthrough.py holds the document against them.
"""

from __future__ import annotations

import asyncio
import json
import re
import shlex
from typing import TYPE_CHECKING, Any

from google.protobuf.json_format import MessageToDict

from endless_winter.cli.bot_check import LocalHost
from endless_winter.conformance import BotProcess, Settings
from endless_winter.conformance.harness import Game, Harness, Held
from endless_winter.conformance.proxy import Line, Proxy
from endless_winter.v1 import arena_service_pb2 as a
from endless_winter.v1 import play_service_pb2 as p
from tests.foundations.tree import ROOT
from tests.node.machine import BOT

if TYPE_CHECKING:
    from google.protobuf.message import Message

DOCUMENT = ROOT / "docs" / "write-a-bot.md"
GAME = "walkthrough"
LONGEST_LIST = 2
LONGEST_LINE = 84
VIEWS = ("public_view", "private_view")
SHOWN_OF_A_VIEW = ("round", "phase", "hand")
# Differs from run to run, from machine to machine, from release to release, or with the cards.
VARIES = re.compile(
    r".*(_unix_ms|_hash|_version|offer_id|salt|seed|commitment|think_ms)|score|place|decisions"
)
# In these messages the number of entries depends on who was quicker.
LOOSE = ("update with ready_check", "accepted of ready", "rejection", "update with result")
WHOLE = (
    "limits",
    "timing",
    "last_answer",
    "game",
    "clock",
    "statistics",
)  # not what the message is shown for
MARK = "…"
PATIENCE = 120.0  # seconds


def shortened(value: Any, name: str = "", *, loose: bool = False) -> Any:
    """A message for the reader: whole in its parts that matter, and the same in every run."""
    if isinstance(value, dict):
        if name in VIEWS:
            value = {key: value[key] for key in value if key in SHOWN_OF_A_VIEW} | {MARK: MARK}
        if name in WHOLE:
            return {MARK: MARK}
        return {key: shortened(inner, key, loose=loose) for key, inner in value.items()}
    if isinstance(value, list):
        if name == "categories":
            return [MARK]
        cut = [shortened(inner, loose=loose) for inner in value[:LONGEST_LIST]]
        return [*cut, MARK] if len(value) > LONGEST_LIST else cut
    if VARIES.fullmatch(name) or (loose and name in ("seq", "tie_break_order")):
        return MARK
    return "node" if str(value).startswith("checked-") else value


def text_of(message: Message, *, loose: bool) -> str:
    found = MessageToDict(message, preserving_proto_field_name=True)
    return _compact(json.dumps(shortened(found, loose=loose), indent=2, ensure_ascii=False))


def _compact(text: str) -> str:
    """Objects and lists that fit stand in one line."""
    inner = re.compile(r"([{\[])\n\s+([^{}\[\]]*?)\n\s+([}\]])")

    def one_line(match: re.Match[str]) -> str:
        parts = re.sub(r"\n\s+", " ", match[2])
        whole = f"{match[1]} {parts} {match[3]}" if match[1] == "{" else f"[{parts}]"
        return whole if len(whole) <= LONGEST_LINE else match[0]

    return inner.sub(one_line, text)


class Capturing(Proxy):
    """Keeps the first message of each kind that the walk passes."""

    def __init__(self) -> None:
        super().__init__()
        self.found: dict[str, str] = {}
        self.stage = ""

    def keep(self, name: str, message: Message) -> None:
        self.found.setdefault(self.stage + name, text_of(message, loose=name in LOOSE))

    def _arena_from_bot(self, line: Line, raw: bytes) -> None:
        request = a.AttachBotRequest.FromString(raw)
        self.keep(f"bot {request.WhichOneof('message')}", request)
        super()._arena_from_bot(line, raw)

    def _arena_from_server(self, line: Line, raw: bytes) -> None:
        response = a.AttachBotResponse.FromString(raw)
        self.keep(f"arena {response.WhichOneof('message')}", response)
        super()._arena_from_server(line, raw)

    def _from_bot(self, line: Line, raw: bytes) -> None:
        for command in p.PlayRequest.FromString(raw).commands:
            self.keep(str(command.WhichOneof("command")), p.PlayRequest(commands=[command]))
        super()._from_bot(line, raw)

    def to_bot(self, line: Line, *reports: p.PlayReport) -> None:
        for report in reports:
            self.keep(self._name(report), p.PlayResponse(reports=[report]))
        super().to_bot(line, *reports)

    def _name(self, report: p.PlayReport) -> str:
        kind = str(report.WhichOneof("report"))
        if kind != "update":
            return f"{kind} of {report.request_id}" if kind == "accepted" else kind
        for part in ("result", "prompt", "ready_check"):
            if report.update.HasField(part):
                return f"update with {part}"
        return "update"


def hold(harness: Harness, game: Game, number: int) -> list[Held]:
    """Take the bot's answer to so many-th decision off the line; asked for before it plays.

    Whoever asks only when the one before is accepted may come too late for the next.
    """
    found: list[Held] = []
    decisions: list[int] = []

    def rule(line: Line, command: p.PlayCommand) -> list[p.PlayCommand] | None:
        if found or not command.HasField("answer"):
            return None
        decision = command.answer.decision_id
        if decision not in decisions:
            decisions.append(decision)
        if len(decisions) < number:
            return None
        found.append(Held(line, command, len(game.chair.answers[decision])))
        return []

    harness.proxy.command_rules.append(rule)
    return found


async def captured() -> dict[str, str]:
    """Walk through a game with a cut, a second stream and an abort."""
    with LocalHost() as host:
        # Times that no machine needs: what is shown here is not how quick a bot is.
        patient = Settings(limit=60.0, start=PATIENCE, patience=PATIENCE)
        harness = Harness(BotProcess(shlex.join(BOT)), host, patient)
        proxy = Capturing()
        proxy.received, proxy.sent = harness.proxy.received, harness.proxy.sent
        proxy.bound, proxy.stirred = harness.proxy.bound, harness.proxy.stirred
        harness.proxy = proxy
        async with harness:
            await harness.start_bot()
            early: list[tuple[Line, p.PlayCommand]] = []

            def wait(line: Line, command: p.PlayCommand) -> list[p.PlayCommand] | None:
                early.append((line, command))
                return []

            # The bot may be quicker than the other player: then it would be shown an open seat.
            proxy.command_rules.append(wait)
            game = await harness.game(game_id=GAME, clock=20.0)
            first, second = hold(harness, game, 2), hold(harness, game, 3)
            proxy.command_rules.remove(wait)
            for line, command in early:
                proxy.to_server(line, command)
            await game.taken()
            await harness.until(lambda: bool(first), PATIENCE, "did not answer")
            held = first[0]
            proxy.stage = "after a cut: "
            harness.relay.cut()
            await harness.back(game, held.line)
            await harness.answers_again(game, held, "did not repeat its answer")
            await harness.until(lambda: bool(second), PATIENCE, "did not go on")
            held = second[0]
            proxy.stage = "too slow: "
            await harness.opponent.answer_for(harness.secret, GAME, game.seat, held.decision)
            proxy.to_server(held.line, held.command)
            await harness.until(lambda: "too slow: rejection" in proxy.found, PATIENCE, "no word")
            proxy.stage = "at the end: "
            await game.finished()
            await harness.until(
                lambda: "at the end: detached" in proxy.found, PATIENCE, "not detached"
            )
    return proxy.found


BLOCK = re.compile(r"(<!-- captured: (.*?) -->\n```json\n)(.*?)(```\n)", re.DOTALL)


def written(document: str, found: dict[str, str]) -> str:
    """The document with the captured messages in their blocks."""

    def fill(match: re.Match[str]) -> str:
        if match[2] not in found:
            known = ", ".join(found)
            raise KeyError(f"nothing is captured as '{match[2]}'; there are: {known}")
        return f"{match[1]}{found[match[2]]}\n{match[4]}"

    return BLOCK.sub(fill, document)


if __name__ == "__main__":
    before = DOCUMENT.read_text(encoding="utf-8")
    DOCUMENT.write_text(written(before, asyncio.run(captured())), encoding="utf-8")
