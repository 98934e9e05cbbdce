"""Solo games: one player against the Nomad."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from endless_winter.rules.config import NOMAD_SWITCHES
from endless_winter.sdk.errors import NotThisGame
from endless_winter.v1 import config_pb2

if TYPE_CHECKING:
    from collections.abc import Iterable

    from endless_winter.v1 import clock_pb2

# What makes the Nomad harder: hard mode (SOL-11) has the first two, the others are the expert
# variants (XPT-01 to XPT-05).
SWITCHES: Final = NOMAD_SWITCHES


def solo_config(
    *,
    hard: bool = False,
    switches: Iterable[str] = (),
    player: config_pb2.SeatConfig | None = None,
    seat: int = 0,
    nomad_client: bool = False,
    modules: config_pb2.ModuleConfig | None = None,
    time_control: clock_pb2.TimeControl | None = None,
) -> config_pb2.GameConfig:
    """The configuration of a solo game; change what comes back as you like.

    `hard` is hard mode, `switches` are names of `SWITCHES` (with "-" or "_"); a second extra card
    lies on the first one, so it brings that along. `player` is the player's seat, an open one if
    not given, and `seat` its number; the Nomad has the other. The server plays the Nomad, or with
    `nomad_client` a client that gets the seat's invitation (`ew bot nomad`).
    """
    wanted = {name.replace("-", "_") for name in switches}
    unknown = sorted(wanted.difference(SWITCHES))
    if unknown:
        raise NotThisGame(f"the Nomad has no switch {unknown[0]!r}, but {', '.join(SWITCHES)}")
    if hard:
        wanted.update(("extra_card", "token_is_village"))
    if "second_extra_card" in wanted:
        wanted.add("extra_card")
    if seat not in (0, 1):
        raise NotThisGame(f"a solo game has the seats 0 and 1, not {seat}")
    kinds = config_pb2
    nomad = kinds.SeatConfig(
        kind=kinds.SEAT_KIND_NOMAD_CLIENT if nomad_client else kinds.SEAT_KIND_NOMAD
    )
    own = kinds.SeatConfig(kind=kinds.SEAT_KIND_OPEN) if player is None else player
    return kinds.GameConfig(
        seats=[own, nomad] if seat == 0 else [nomad, own],
        nomad=kinds.NomadConfig(**dict.fromkeys(wanted, True)),
        modules=modules,
        time_control=time_control,
    )
