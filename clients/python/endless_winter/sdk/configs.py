"""What kind of game: configurations for a local table or a server, without protobuf.

>>> from endless_winter.sdk import LocalTable, game_config
>>> config = game_config(3, modules=["mammoth", "rest_tokens"], rivers=True)
>>> LocalTable(config=config, seed=1).view(0).config
<Config: 3 seats, rest_tokens, mammoth, rivers>
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from endless_winter.rules.config import NOMAD_SWITCHES
from endless_winter.sdk.errors import NotThisGame
from endless_winter.sdk.parts.agreed import MODULES, Config
from endless_winter.v1 import config_pb2

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from endless_winter.v1 import clock_pb2

# What makes the Nomad harder: hard mode (SOL-11) has the first two, the others are the expert
# variants (XPT-01 to XPT-05).
SWITCHES: Final = NOMAD_SWITCHES
_SETUPS: Final = {
    "standard": config_pb2.SETUP_VARIANT_STANDARD,
    "setup_draft": config_pb2.SETUP_VARIANT_SETUP_DRAFT,
    "chief_and_setup_draft": config_pb2.SETUP_VARIANT_CHIEF_AND_SETUP_DRAFT,
}


def game_config(
    players: int = 2,
    *,
    bots: Sequence[str] = (),
    modules: Iterable[str] = (),
    rivers: bool = False,
    landmarks: Sequence[str] = (),
    setup: str = "standard",
    layout: str = "",
) -> config_pb2.GameConfig:
    """The configuration of a game between players; change what comes back as you like.

    `bots` are names for the last seats, the others are open. `modules` are names of `MODULES`
    (with "-" or "_"), `landmarks` ids of the catalogue, which need `rivers`. `setup` is "standard",
    "setup_draft" or "chief_and_setup_draft".
    """
    if len(bots) > players:
        raise NotThisGame(f"{len(bots)} bots for {players} seats")
    wanted = _names(modules, MODULES, "the game has no module")
    if setup not in _SETUPS:
        raise NotThisGame(f"no set-up {setup!r}, but {', '.join(_SETUPS)}")
    if landmarks and not rivers:
        raise NotThisGame("Landmarks belong to Rivers & Rafts: add rivers=True")
    kinds = config_pb2
    config = kinds.GameConfig(
        seats=[kinds.SeatConfig(kind=kinds.SEAT_KIND_OPEN)] * (players - len(bots))
        + [kinds.SeatConfig(kind=kinds.SEAT_KIND_BOT, bot_name=bot) for bot in bots],
        setup_variant=_SETUPS[setup],
        modules=kinds.ModuleConfig(**dict.fromkeys(wanted, True)) if wanted else None,
        megalith_layout_id=layout,
    )
    if rivers:
        named = kinds.LANDMARK_CHOICE_MODE_NAMED
        mode = named if landmarks else kinds.LANDMARK_CHOICE_MODE_UNSPECIFIED
        config.rivers.landmark_mode = mode
        config.rivers.landmark_ids.extend(landmarks)
        config.rivers.SetInParent()
    return config


def solo_config(
    *,
    hard: bool = False,
    switches: Iterable[str] = (),
    player: config_pb2.SeatConfig | None = None,
    seat: int = 0,
    nomad_client: bool = False,
    modules: config_pb2.ModuleConfig | Iterable[str] | None = None,
    time_control: clock_pb2.TimeControl | None = None,
) -> config_pb2.GameConfig:
    """The configuration of a solo game; change what comes back as you like.

    `hard` is hard mode, `switches` are names of `SWITCHES` (with "-" or "_"); a second extra card
    lies on the first one, so it brings that along. `player` is the player's seat, an open one if
    not given, and `seat` its number; the Nomad has the other. The server plays the Nomad, or with
    `nomad_client` a client that gets the seat's invitation (`ew bot nomad`). `modules` are names of
    `MODULES`.
    """
    wanted = _names(switches, SWITCHES, "the Nomad has no switch")
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
    if modules is not None and not isinstance(modules, config_pb2.ModuleConfig):
        named = _names(modules, MODULES, "the game has no module")
        modules = config_pb2.ModuleConfig(**dict.fromkeys(named, True))
    return kinds.GameConfig(
        seats=[own, nomad] if seat == 0 else [nomad, own],
        nomad=kinds.NomadConfig(**dict.fromkeys(wanted, True)),
        modules=modules,
        time_control=time_control,
    )


def config_message(config: Config | config_pb2.GameConfig) -> config_pb2.GameConfig:
    """The contract's message of either form."""
    return config.raw if isinstance(config, Config) else config


def _names(given: Iterable[str], known: Sequence[str], wrong: str) -> set[str]:
    """The names that are given, with underscores; one that is not known is an error."""
    names = {name.replace("-", "_") for name in given}
    unknown = sorted(names.difference(known))
    if unknown:
        raise NotThisGame(f"{wrong} {unknown[0]!r}, but {', '.join(known)}")
    return names
