"""The line mode: questions and answers as plain lines, for pipes, screen readers and scripts."""

from __future__ import annotations

import asyncio
import re
import threading
from typing import TYPE_CHECKING, Any, Final

from endless_winter.terminal.advice import advice, review_lines
from endless_winter.terminal.event_text import EventText
from endless_winter.terminal.finality import why_final
from endless_winter.terminal.guide import plain_game
from endless_winter.terminal.lookup import entries, search
from endless_winter.terminal.panels.decision import pool_text
from endless_winter.terminal.scene import Scene
from endless_winter.terminal.table import Lost, Refused
from endless_winter.terminal.view_text import brief_lines, result_lines, table_lines

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable
    from typing import TextIO

    from endless_winter.sdk import Decision, Option, View
    from endless_winter.terminal.table import Table, TableUpdate

ENDED, FAILED, NO_MORE_INPUT = 0, 1, 3  # exit statuses; docs/play.md

_LOOK = 0.5  # seconds
_SECONDS = re.compile(r" in \d+ s\b")

HELP: Final = """\
Answer with the number of an option, or with its text in brackets.
  board      everything that is to be seen, in words
  options    the question once more
  look WORDS what is printed on cards, Animals, Stones and boards with these words
  log        what happened so far
  hint       what a good player would do now, and why
  rules      goal, phases and scoring in one screen
  undo       take back your last choice, while that is possible
  quit       leave; a game on a server waits for you (ew play --resume)"""


class Lines:
    """Lines of the standard input; a thread waits for them, so that updates go on."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._loop = asyncio.get_running_loop()
        self._queue: asyncio.Queue[str | None] = asyncio.Queue()
        self._wanted = threading.Semaphore(0)
        # A daemon: nobody can interrupt a read, and it must not keep the process alive.
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        while True:
            self._wanted.acquire()
            line = self._stream.readline()
            try:
                self._loop.call_soon_threadsafe(self._queue.put_nowait, line or None)
            except RuntimeError:
                return  # the program is over
            if not line:
                return

    async def next(self) -> str | None:
        """The next line; None: there are no more."""
        self._wanted.release()
        line = await self._queue.get()
        return None if line is None else line.strip()


class Plain:
    """Plays or watches by lines."""

    def __init__(
        self, table: Table, read: TextIO, say: Callable[[str], Any], *, confirm: bool = False
    ) -> None:
        self._table = table
        self._stream = read
        self._say = say
        self._confirm = confirm
        self._view: View | None = None
        self._scene: Scene | None = None
        self._log: list[str] = []
        self._asked = 0
        self._waiting = ""

    async def run(self) -> int:
        """Until the end of the game or of the input; the exit status."""
        lines = Lines(self._stream)
        try:
            async for one in self._table.updates():
                self._show(one)
                if one.result is not None and self._scene is not None:
                    self._all(result_lines(self._scene, one.result))
                    self._all(review_lines(self._table.review()))
                    return ENDED
                if one.decision is not None and one.decision.id != self._asked:
                    self._asked = one.decision.id
                    status = await self._answer(one.decision, lines)
                    if status is not None:
                        return status
        except Lost as error:
            self._say(str(error))
            return FAILED
        finally:
            await self._table.close()
        return ENDED

    def _show(self, update: TableUpdate) -> None:
        if update.waiting:
            # A countdown would fill a pipe with lines: each attempt gets one line.
            attempt = _SECONDS.sub("", update.waiting)
            if attempt != self._waiting:
                self._say(update.waiting.partition(" Nothing is lost;")[0])
            self._waiting = attempt
            return
        self._waiting = ""
        if update.view is not None:
            self._view = update.view
            self._scene = Scene.of(update.view, mine=not self._table.can_step)
        if self._scene is None:
            return
        river_hexes = tuple(self._scene.public.rivers.river_hexes)
        text = EventText(self._scene.catalog, self._scene.name, river_hexes)
        lines = [line.text for line in text.lines(update.events)]
        if update.fresh:
            self._log = lines
        else:
            self._log += lines
            self._all(lines)

    def _all(self, lines: Iterable[str]) -> None:
        for line in lines:
            self._say(line)

    def _ask(self, decision: Decision) -> None:
        assert self._scene is not None
        self._say("")
        self._all(brief_lines(self._scene))
        pool = pool_text(decision)
        self._say(f"{decision.prompt}{f' To take: {pool}.' if pool else ''}")
        for option in decision.options:
            default = " *" if option.is_default else ""
            self._say(f"{option.id + 1:>3}. {option.label} [{option.text}]{default}")
        self._say("Your choice (? for help):")

    async def _answer(self, decision: Decision, lines: Lines) -> int | None:
        """Ask until a choice is taken; an exit status when it is time to leave."""
        self._ask(decision)
        while True:
            line = await lines.next()
            if line is None:
                self._say("The input has ended before the game; a game on a server waits.")
                return NO_MORE_INPUT
            if line in ("quit", "q"):
                return ENDED
            if line == "undo":
                if await self._try(self._table.undo(decision)):
                    return None
                continue
            option = self._option(decision, line)
            if option is None:
                self._command(decision, line)
                continue
            if not await self._sure(decision, option, lines):
                self._ask(decision)
                continue
            if await self._try(self._table.choose(decision, option)):
                self._say(f"> {option.label}")
                return None

    def _option(self, decision: Decision, line: str) -> Option | None:
        if line.isdecimal() and 1 <= int(line) <= len(decision.options):
            return decision.options[int(line) - 1]
        wanted = line.strip("[]")
        return next((one for one in decision.options if one.text == wanted), None)

    async def _sure(self, decision: Decision, option: Option, lines: Lines) -> bool:
        assert self._scene is not None
        why = why_final(option, decision, self._scene) if self._confirm else ""
        if not why:
            return True
        self._say(f"{option.label}? Not to be taken back: {why}. yes or no:")
        return (await lines.next() or "").casefold() in ("y", "yes")

    async def _try(self, sending: Awaitable[None]) -> bool:
        """Whether it was taken; what delays it is shown meanwhile."""
        task = asyncio.ensure_future(sending)
        shown = ""
        try:
            while not (await asyncio.wait((task,), timeout=_LOOK))[0]:
                trouble = self._table.trouble()
                if trouble and trouble != shown:
                    self._say(trouble)
                shown = trouble
            await task
        except Refused as error:
            self._say(str(error))
            return False
        finally:
            task.cancel()
        return True

    def _command(self, decision: Decision, line: str) -> None:
        assert self._scene is not None
        word, _, rest = line.partition(" ")
        if word in ("?", "help"):
            self._say(HELP)
        elif word == "board":
            self._all(table_lines(self._scene))
        elif word == "options":
            self._ask(decision)
        elif word == "log":
            self._all(self._log or ["Nothing has happened yet."])
        elif word == "look":
            self._look(rest)
        elif word == "hint":
            assert self._view is not None
            self._say(advice(decision, self._view)[1])
        elif word == "rules":
            self._all(plain_game())
        elif line:
            self._say(f"'{line[:60]}' is none of the {len(decision.options)} options; ? for help")

    def _look(self, words: str) -> None:
        assert self._scene is not None
        found = search(entries(self._scene.catalog), words)
        if not found:
            self._say("Nothing printed has these words.")
        for entry in found[:12]:
            self._say(f"{entry.title} ({entry.kind})")
            self._all(f"  {line}" for line in entry.lines)
        if len(found) > 12:
            self._say(f"{len(found) - 12} more; use more words.")
