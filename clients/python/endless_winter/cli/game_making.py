"""What ``ew game create`` creates: options of the command line as a configuration."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from endless_winter.rules.config import NOMAD_SWITCHES
from endless_winter.v1 import clock_pb2, config_pb2

if TYPE_CHECKING:
    from collections.abc import Sequence

    from endless_winter.cli.kind import Kind

VISIBILITY = {
    "public": config_pb2.VISIBILITY_PUBLIC,
    "unlisted": config_pb2.VISIBILITY_UNLISTED,
    "closed": config_pb2.VISIBILITY_CLOSED,
}
_KINDS = {
    "open": config_pb2.SEAT_KIND_OPEN,
    "reserved": config_pb2.SEAT_KIND_RESERVED,
    "nomad": config_pb2.SEAT_KIND_NOMAD,
    "nomad-client": config_pb2.SEAT_KIND_NOMAD_CLIENT,
}
INVITED = (config_pb2.SEAT_KIND_RESERVED, config_pb2.SEAT_KIND_NOMAD_CLIENT)
_NOMADS = (config_pb2.SEAT_KIND_NOMAD, config_pb2.SEAT_KIND_NOMAD_CLIENT)


class Seat(click.ParamType[config_pb2.SeatConfig]):
    """One seat: ``open``, ``reserved``, ``bot:NAME[:OPTIONS]``, ``nomad`` or ``nomad-client``."""

    name = "seat"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> config_pb2.SeatConfig:
        if isinstance(value, config_pb2.SeatConfig):
            return value
        word, _, rest = str(value).partition(":")
        bot, _, options = rest.partition(":")
        if word == "bot" and bot:
            return config_pb2.SeatConfig(
                kind=config_pb2.SEAT_KIND_BOT, bot_name=bot, bot_options=options
            )
        if word not in _KINDS or rest:
            self.fail(
                f"{value!r} is no seat: write {', '.join(_KINDS)} or bot:NAME, "
                "for example bot:heuristic",
                param,
                ctx,
            )
        return config_pb2.SeatConfig(kind=_KINDS[word])


def seats_of(
    given: Sequence[config_pb2.SeatConfig], players: int | None, *, solo: bool
) -> list[config_pb2.SeatConfig]:
    """All seats of a game; those that nobody spoke of are open, or with `solo` the Nomad's."""
    rest = config_pb2.SeatConfig(kind=config_pb2.SEAT_KIND_OPEN)
    seats = list(given)
    if solo:
        if players not in (None, 2) or len(seats) > 1:
            raise click.UsageError("--solo is one player, whose seat you may give, and the Nomad")
        return [*(seats or [rest]), config_pb2.SeatConfig(kind=config_pb2.SEAT_KIND_NOMAD)]
    count = players or max(len(seats), 2)
    if len(seats) > count:
        raise click.UsageError(f"{len(seats)} seats are given, but --players is {count}")
    seats += [rest] * (count - len(seats))
    if len(seats) > 4:
        raise click.UsageError(f"a game has 2 to 4 seats, not {len(seats)}")
    return seats


def config_for(
    seats: Sequence[config_pb2.SeatConfig],
    *,
    kind: Kind,
    hard: Sequence[str],
    clock: clock_pb2.TimeControl,
    visibility: str,
    delay: float,
    undo: bool,
    title: str,
    tags: Sequence[str],
) -> config_pb2.GameConfig:
    """The configuration of a game."""
    config = config_pb2.GameConfig(
        seats=seats,
        visibility=VISIBILITY[visibility],
        spectator_delay_ms=int(delay * 1000),
        undo_allowed=undo,
        title=title,
        tags=sorted(set(tags)),
    )
    if any(seat.kind in _NOMADS for seat in seats):
        config.nomad.SetInParent()
        for switch in hard:
            setattr(config.nomad, switch.replace("-", "_"), True)
        if config.nomad.second_extra_card:
            config.nomad.extra_card = True  # it lies on the first one
    elif hard:
        raise click.UsageError("--hard is for the Nomad: add --solo")
    if clock.ByteSize():
        config.time_control.CopyFrom(clock)
    kind.apply_to(config)
    return config


def clock_of(
    minutes: float, increment: float, decision: float, turn: float
) -> clock_pb2.TimeControl:
    """A time control; 0 is no such limit."""
    if increment and not minutes:
        raise click.UsageError("--increment adds to the time of --clock: give both")
    return clock_pb2.TimeControl(
        bank_ms=int(minutes * 60_000) or None,
        increment_per_turn_ms=int(increment * 1000),
        decision_limit_ms=int(decision * 1000) or None,
        turn_limit_ms=int(turn * 3_600_000) or None,
    )


HARD = [switch.replace("_", "-") for switch in NOMAD_SWITCHES]
