"""A game as the steps of its page: positions as changes, lines of the log, and why it was chosen.

The names of fields are those of the contract's JSON, as a client in a browser gets them from a
server. A position is stored as what changed since the one before: most steps change little.
"""

from __future__ import annotations

from string import ascii_letters
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from google.protobuf.json_format import MessageToDict

from endless_winter.engine.replay.rewind import OMNISCIENT, Eyes, Rewind
from endless_winter.engine.table import new_table
from endless_winter.rules import RULES_VERSION
from endless_winter.terminal.event_text import EventText
from endless_winter.terminal.seats import names_of
from endless_winter.v1 import event_pb2, replay_pb2, view_public_pb2
from endless_winter.views import BadGameConfig, Scribe, Words, config_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from google.protobuf.message import Message

    from endless_winter.content import Pack
    from endless_winter.sdk import Catalog
    from endless_winter.v1 import decision_pb2, game_pb2

Json: TypeAlias = dict[str, Any]

_SAME: Any = object()
_BY_HAND = (event_pb2.CHOICE_ORIGIN_PLAYER, event_pb2.CHOICE_ORIGIN_SERVER)
_HEADING = -2  # instead of the seat of a line; -1: nobody's


class Step(NamedTuple):
    """An entry of the log as the page has it: a frame, and who chose which option."""

    frame: replay_pb2.ReplayFrame
    private_of: tuple[int | None, ...]
    """For each event of the frame, the seat that alone knows its private part."""
    seat: int | None = None
    label: str = ""
    options: int = 0
    why: replay_pb2.ChoiceReason | None = None


def open_steps(file: replay_pb2.ReplayFile, pack: Pack) -> Iterator[Step]:
    """The steps of a record with everything open; without positions if it is of other rules."""
    rewind = _rewind(file, pack, OMNISCIENT)
    asked: decision_pb2.Decision | None = None
    said = {(one.seat, one.decision_id): one for one in file.reasons}
    for entry in file.entries:
        rewind.step(entry)
        frame = replay_pb2.ReplayFrame.FromString(rewind.frame(entry))
        owners = tuple(
            one.private_events[0].seat if one.private_events else None for one in entry.events
        )
        seat, label, options = None, "", 0
        if entry.HasField("choice"):
            seat, label = entry.choice.seat, entry.choice.text
            if asked is not None and entry.choice.option_id < len(asked.options):
                label = asked.options[entry.choice.option_id].label or label
                options = len(asked.options)
        position = frame.omniscient_view
        asked = position.decision if position.HasField("decision") else None
        why = said.get((entry.choice.seat, entry.choice.decision_id))
        yield Step(frame, owners, seat, label, options, why)


def frames_of(
    file: replay_pb2.ReplayFile, pack: Pack, eyes: Eyes
) -> Iterator[replay_pb2.ReplayFrame]:
    """The frames of a record as a server sends them to somebody."""
    rewind = _rewind(file, pack, eyes)
    for entry in file.entries:
        rewind.step(entry)
        yield replay_pb2.ReplayFrame.FromString(rewind.frame(entry))


def _rewind(file: replay_pb2.ReplayFile, pack: Pack, eyes: Eyes) -> Rewind:
    first = file.entries[0]
    # Only what was played by these rules with this content can be worked out again.
    if first.HasField("created") and file.game.content_hash == pack.digest:
        created = first.created
        try:
            rules = config_of(created.config, pack)
        except BadGameConfig:
            return Rewind(None, None, eyes)
        if created.rules_version == str(RULES_VERSION):
            seed = file.game.seed_reveal.seed
            table = new_table(file.game.game_id, created.config, rules, seed)
            return Rewind(table, Scribe(Words(pack), rules), eyes)
    return Rewind(None, None, eyes)


def seen_steps(frames: Iterable[replay_pb2.ReplayFrame], seat: int | None) -> Iterator[Step]:
    """The steps of a game as one seat or a spectator was sent them."""
    for frame in frames:
        owners = tuple(seat if one.HasField("private_event") else None for one in frame.events)
        chosen = next(
            (
                one.private_event.own_choice.text
                for one in frame.events
                if one.private_event.HasField("own_choice")
            ),
            "",
        )
        yield Step(frame, owners, seat if chosen else None, chosen)


def steps_json(
    steps: Iterable[Step], catalog: Catalog, seats: Iterable[game_pb2.SeatInfo], names: Names
) -> Iterator[Json]:
    """The steps of the page, one for each entry from the first on."""
    text = _Text(catalog, seats)
    positions = _Positions()
    first = 0
    for step in steps:
        frame = step.frame
        first = first or frame.time_unix_ms
        found: Json = {"ms": frame.time_unix_ms - first}
        change = positions.change(frame)
        if change is not _SAME:
            found["change"] = names.short(change)
        if lines := text.lines(step):
            found["lines"] = lines
        if step.seat is not None:
            found["choice"] = [step.seat, step.label, step.options]
        if step.why is not None:
            found["why"] = [step.why.text]
            if step.why.HasField("expected_tenths"):
                found["why"].append(step.why.expected_tenths / 10)
        yield found


class Names:
    """Short names for those of fields in changes: long ones would be a quarter of a page."""

    def __init__(self) -> None:
        self.known: dict[str, str] = {}

    def short(self, change: Any) -> Any:
        if isinstance(change, list):
            return [self.short(one) for one in change]
        if not isinstance(change, dict):
            return change
        return {self._short(name): self.short(value) for name, value in change.items()}

    def _short(self, name: str) -> str:
        if name == "$" or name.isdigit():
            return name
        number = len(self.known)
        tens, ones = divmod(number, len(ascii_letters))
        fresh = (ascii_letters[tens - 1] if tens else "") + ascii_letters[ones]
        return self.known.setdefault(name, fresh)

    def table(self) -> dict[str, str]:
        """The whole name of each short one."""
        return {short: name for name, short in self.known.items()}


class _Positions:
    """Turns positions into what has changed since the one before."""

    def __init__(self) -> None:
        self._was: Message | None = None
        self._json: Json = {}

    def change(self, frame: replay_pb2.ReplayFrame) -> Any:
        """`_SAME`: nothing, or there is no position."""
        if frame.HasField("omniscient_view"):
            view = frame.omniscient_view
        elif frame.HasField("view"):
            view = replay_pb2.OmniscientView(public_view=frame.view.public_view)
            if frame.view.HasField("private_view"):
                view.private_views.append(frame.view.private_view)
        else:
            return _SAME
        # Options alone would fill the page, and nothing of these is drawn.
        plain = replay_pb2.OmniscientView()
        plain.CopyFrom(view)
        plain.ClearField("decision")
        plain.public_view.turn.ClearField("agenda")
        for player in plain.public_view.players:
            player.ClearField("owned")
        view = plain
        found = _fields(view, self._was, self._json)
        change = difference(self._json, found)
        self._was, self._json = view, found
        return change


def _fields(message: Message, was: Message | None, known: Mapping[str, Any]) -> Json:
    """A message's fields as JSON; what is as it `was` is taken from what is `known` of it."""
    found: Json = {}
    for field, value in message.ListFields():
        name = field.json_name
        before = getattr(was, field.name) if was is not None and name in known else None
        if isinstance(value, view_public_pb2.PublicView):
            found[name] = _fields(value, before, known.get(name, {}))
        elif before is not None and before == value:
            found[name] = known[name]
        elif field.message_type is None:
            found[name] = list(value)
        elif field.is_repeated:
            same = list(before) if before is not None and len(before) == len(value) else []
            found[name] = [
                known[name][place] if same and same[place] == one else MessageToDict(one)
                for place, one in enumerate(value)
            ]
        else:
            found[name] = MessageToDict(value)
    return found


def difference(old: Any, new: Any) -> Any:
    """What makes `new` of `old`; `_SAME`: nothing does.

    An object holds what is new by its name; null takes a name away. Of a list it holds what is
    new by its place, or under "$" from where on how many are replaced, and by what. Anything else
    stands for itself. clients/web reads it (frames.js).
    """
    if old is new:
        return _SAME
    if isinstance(old, dict) and isinstance(new, dict):
        change = {name: None for name in old if name not in new}
        change |= {
            name: found
            for name, value in new.items()
            if (found := difference(old.get(name, _SAME), value)) is not _SAME
        }
        return change or _SAME
    if isinstance(old, list) and isinstance(new, list):
        return _SAME if old == new else _list_difference(old, new)
    return _SAME if old == new else new


def _list_difference(old: list[Any], new: list[Any]) -> Any:
    if len(old) == len(new) and all(isinstance(one, dict) for one in new):
        return {
            str(place): found
            for place, (before, after) in enumerate(zip(old, new, strict=True))
            if (found := difference(before, after)) is not _SAME
        }
    most = min(len(old), len(new))
    start = next((at for at in range(most) if old[at] != new[at]), most)
    end = next((at for at in range(most - start) if old[-1 - at] != new[-1 - at]), most - start)
    added = new[start : len(new) - end]
    return {"$": [start, len(old) - end - start, *added]} if len(added) < len(new) else new


class _Text:
    """The lines of the log, with what only one seat knows apart."""

    def __init__(self, catalog: Catalog, seats: Iterable[game_pb2.SeatInfo]) -> None:
        found = list(seats)
        names = names_of(found, None, len(found))
        self._names = names
        self._text = EventText(
            catalog, lambda seat: names[seat] if seat < len(names) else f"seat {seat}", every=True
        )

    def lines(self, step: Step) -> list[list[Any]]:
        """Each line as its seat and text, then what one seat alone knows of it, and which."""
        frame = step.frame
        view = frame.omniscient_view if frame.HasField("omniscient_view") else frame.view
        if rivers := view.public_view.rivers.river_hexes:
            self._text.river_hexes = tuple(rivers)
        found: list[list[Any]] = []
        for event, owner in zip(step.frame.events, step.private_of, strict=False):
            made = event.public_event.choice_made
            if step.seat is not None and made.origin in _BY_HAND:
                continue  # the step itself says who chose what
            plain = event_pb2.Event(seq=event.seq, public_event=event.public_event)
            for line, whole in zip(
                self._text.lines([plain]), self._text.lines([event]), strict=True
            ):
                seat = -1 if line.seat is None else line.seat
                entry: list[Any] = [_HEADING if line.heading else seat, line.text]
                if owner is not None and whole.text != line.text:
                    # What only one seat knows stands at the end of a line.
                    entry += [whole.text.removeprefix(line.text), owner]
                found.append(entry)
        return found
