"""A game in words: a line of a list, or all that there is to know before looking at the board."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from google.protobuf import json_format

from endless_winter.terminal.seats import clean
from endless_winter.terminal.text import enum_name
from endless_winter.v1 import config_pb2, game_pb2, result_pb2

if TYPE_CHECKING:
    from collections.abc import Iterator

    from google.protobuf.message import Message

    from endless_winter.v1 import clock_pb2

_WIDTH = 11  # of what a line is about
_DRAFTS = {
    config_pb2.SETUP_VARIANT_SETUP_DRAFT: "Setup draft",
    config_pb2.SETUP_VARIANT_CHIEF_AND_SETUP_DRAFT: "Chief and Setup draft",
}
_WATCHED = {
    config_pb2.VISIBILITY_UNLISTED: "unlisted: anyone who knows the id may watch",
    config_pb2.VISIBILITY_CLOSED: "closed: no spectators",
}


def as_json(message: Message) -> str:
    """A message as JSON, also what is 0 or empty: seat 0 is a seat."""
    return json_format.MessageToJson(
        message,
        preserving_proto_field_name=True,
        always_print_fields_with_no_presence=True,
        indent=1,
    )


def status_of(info: game_pb2.GameInfo) -> str:
    status = enum_name(game_pb2.GameStatus, info.status, "GAME_STATUS_")
    return f"{status}, round {info.round}" if info.round and status == "running" else status


def line_of(info: game_pb2.GameInfo) -> str:
    """For a list."""
    names = " - ".join(_name(info, seat) for seat in info.seats)
    title = f'  "{clean(info.config.title)}"' if info.config.title else ""
    return f"{info.game_id}  {status_of(info)}  {names}{title}"


def lines_of(info: game_pb2.GameInfo) -> Iterator[str]:
    """Everything."""
    yield _line("game", f"{info.game_id}, {status_of(info)}")
    if info.config.title:
        yield _line("title", clean(info.config.title))
    yield _line("created", _times(info))
    yield _line("played", _kind(info.config))
    yield _line("clock", _clock(info.config.time_control))
    yield _line("watching", _watching(info.config))
    if info.config.tags:
        yield _line("tags", ", ".join(map(clean, info.config.tags)))
    if info.tournament_id:
        yield _line("tournament", clean(info.tournament_id))
    if info.seed_from_creator:
        yield _line("seed", "brought by the creator, who could know every deck")
    for seat in info.seats:
        yield _line(f"seat {seat.seat}", _seat(info, seat))
    if info.HasField("result"):
        yield _line(
            "result", enum_name(result_pb2.GameOutcome, info.result.outcome, "GAME_OUTCOME_")
        )
        placed = [seat for seat in info.result.seats if seat.place]
        for one in sorted(placed, key=lambda seat: seat.place):
            reason = enum_name(result_pb2.EndReason, one.reason, "END_REASON_")
            ended = "" if one.reason == result_pb2.END_REASON_NORMAL else f" ({reason})"
            name = _name(info, info.seats[one.seat])
            yield _line("", f"{one.place}. seat {one.seat}, {name}: {one.score} points{ended}")


def _line(about: str, text: str) -> str:
    return f"{about:{_WIDTH}}{text}".rstrip()


def _name(info: game_pb2.GameInfo, seat: game_pb2.SeatInfo) -> str:
    """Who has the seat, or who may take it."""
    if seat.kind in (config_pb2.SEAT_KIND_NOMAD, config_pb2.SEAT_KIND_NOMAD_CLIENT):
        return "Nomad"
    if seat.taken:
        return clean(seat.display_name) or "(no name)"
    if seat.kind == config_pb2.SEAT_KIND_BOT:
        return f"(bot {clean(info.config.seats[seat.seat].bot_name)})"
    return "(reserved)" if seat.kind == config_pb2.SEAT_KIND_RESERVED else "(free)"


def _seat(info: game_pb2.GameInfo, seat: game_pb2.SeatInfo) -> str:
    kind = enum_name(config_pb2.SeatKind, seat.kind, "SEAT_KIND_").replace("_", " ")
    about = [kind]
    if seat.taken and info.status == game_pb2.GAME_STATUS_STARTING:
        about.append("ready" if seat.ready else "not ready")
    if seat.connected:
        about.append("connected")
    if seat.handed_to_bot:
        about.append("handed to a bot")
    if seat.forfeited:
        about.append(
            f"forfeited ({enum_name(result_pb2.EndReason, seat.forfeited, 'END_REASON_')})"
        )
    return f"{_name(info, seat)}: {', '.join(about)}"


def _times(info: game_pb2.GameInfo) -> str:
    text = _time(info.created_unix_ms)
    if info.HasField("started_unix_ms"):
        text += f", started {_time(info.started_unix_ms)}"
    if info.HasField("ended_unix_ms"):
        text += f", ended {_time(info.ended_unix_ms)}"
    return f"{text} (UTC)"


def _time(unix_ms: int) -> str:
    return datetime.fromtimestamp(unix_ms / 1000, UTC).strftime("%Y-%m-%d %H:%M:%S")


def _kind(config: config_pb2.GameConfig) -> str:
    parts = [f"{len(config.seats)} seats"]
    if config.HasField("nomad"):
        switches = [field.name.replace("_", " ") for field, on in config.nomad.ListFields() if on]
        parts = [f"solo ({', '.join(switches)})" if switches else "solo"]
    if config.HasField("rivers"):
        named = ", ".join(map(clean, config.rivers.landmark_ids))
        parts.append(f"Rivers & Rafts ({named})" if named else "Rivers & Rafts")
    parts += [field.name.replace("_", " ") for field, on in config.modules.ListFields() if on]
    if config.setup_variant in _DRAFTS:
        parts.append(_DRAFTS[config.setup_variant])
    if config.undo_allowed:
        parts.append("with undo")
    return ", ".join(parts)


def _clock(control: clock_pb2.TimeControl) -> str:
    parts = []
    if control.HasField("bank_ms"):
        more = control.increment_per_turn_ms
        added = f" and {_span(more)} a turn" if more else ""
        parts.append(f"{_span(control.bank_ms)} for each seat{added}")
    if control.HasField("decision_limit_ms"):
        parts.append(f"{_span(control.decision_limit_ms)} for a decision")
    if control.HasField("turn_limit_ms"):
        parts.append(f"{_span(control.turn_limit_ms)} for a turn")
    return ", ".join(parts) or "none"


def _span(milliseconds: int) -> str:
    for unit, size in (("h", 3_600_000), ("min", 60_000)):
        if milliseconds >= size and not milliseconds % size:
            return f"{milliseconds // size} {unit}"
    return f"{milliseconds / 1000:g} s"


def _watching(config: config_pb2.GameConfig) -> str:
    text = _WATCHED.get(config.visibility, "public")
    late = config.spectator_delay_ms
    closed = config.visibility == config_pb2.VISIBILITY_CLOSED
    return f"{text}, {_span(late)} late" if late and not closed else text
