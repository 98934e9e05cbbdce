"""The agreed game: from the contract's configuration to the core's, and back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from endless_winter.rules import Config
from endless_winter.rules.config import MAX_PLAYERS, MIN_PLAYERS, NomadRules
from endless_winter.rules.modules import REGISTRY
from endless_winter.v1 import config_pb2 as v
from endless_winter.views.errors import BadGameConfig
from endless_winter.views.plugin import SHOWN

if TYPE_CHECKING:
    from endless_winter.content import Pack
    from endless_winter.rules.config import ModuleRules
    from endless_winter.v1 import clock_pb2

MOST_TITLE: Final = 80  # characters
MOST_TAGS: Final = 8
MOST_TAG: Final = 40  # characters
MOST_BOT_NAME: Final = 64
MOST_BOT_OPTIONS: Final = 1000
MOST_MILLISECONDS: Final = 1000 * 60 * 60 * 24 * 366  # a year

_PLAYED_SEATS: Final = (
    v.SEAT_KIND_UNSPECIFIED,
    v.SEAT_KIND_OPEN,
    v.SEAT_KIND_RESERVED,
    v.SEAT_KIND_BOT,
)
NOMAD_SEATS: Final = (v.SEAT_KIND_NOMAD, v.SEAT_KIND_NOMAD_CLIENT)
# Switches of the contract are called as the modules of the core, and stand in their order.
_MODULES: Final = tuple(
    name for name in REGISTRY if name in v.ModuleConfig.DESCRIPTOR.fields_by_name
)
_TIMES: Final = (
    "ready_limit_ms",
    "bank_ms",
    "increment_per_turn_ms",
    "decision_limit_ms",
    "turn_limit_ms",
    "disconnect_limit_ms",
)


def config_of(message: v.GameConfig, pack: Pack) -> Config:
    """What the core needs of a configuration, all of which is checked.

    `pack` is the one that `content_hash` asks for; finding it is for the caller.
    """
    _check_seats(message)
    _check_nomad(message, pack)
    agreed = _module_rules(message, pack)
    _check_words(message)
    _check_times(message)
    if message.content_hash and message.content_hash != pack.digest:
        raise BadGameConfig("content_hash", "no such content pack")
    if message.setup_variant not in v.SetupVariant.values():
        raise BadGameConfig("setup_variant", f"no such value: {message.setup_variant}")
    if message.visibility not in v.Visibility.values():
        raise BadGameConfig("visibility", f"no such value: {message.visibility}")
    layouts = [layout.name for layout in pack.tables.layouts]
    if message.megalith_layout_id and message.megalith_layout_id not in layouts:
        raise BadGameConfig("megalith_layout_id", f"the pack has {', '.join(layouts)}")
    config = Config(
        pack.tables,
        players=len(message.seats),
        setup_draft=message.setup_variant == v.SETUP_VARIANT_SETUP_DRAFT,
        chief_draft=message.setup_variant == v.SETUP_VARIANT_CHIEF_AND_SETUP_DRAFT,
        layout=message.megalith_layout_id,
        modules=(*agreed, *(name for name in _MODULES if getattr(message.modules, name))),
        nomad=_nomad_of(message),
    )
    for name in config.modules:
        refusal = REGISTRY[name].refusal(config)
        if refusal:
            raise BadGameConfig(f"modules.{name}", refusal)
    return config


def _nomad_of(message: v.GameConfig) -> NomadRules | None:
    for number, seat in enumerate(message.seats):
        if seat.kind in NOMAD_SEATS:
            asked = message.nomad
            return NomadRules(
                seat=number,
                extra_card=asked.extra_card,
                token_is_village=asked.token_is_village,
                setup_card=asked.setup_card,
                idol_head_start=asked.idol_head_start,
                four_player_terrain=asked.four_player_terrain,
                bottom_actions=asked.bottom_actions,
                second_extra_card=asked.second_extra_card,
            )
    return None


def _module_rules(message: v.GameConfig, pack: Pack) -> list[ModuleRules]:
    """Of modules that have more to agree on than yes or no."""
    found = [module.rules_of(message, pack) for module in SHOWN.values()]
    return [rules for rules in found if rules is not None]


def message_of(config: Config) -> v.GameConfig:
    """The configuration that gives this game, all seats open and everything else left out."""
    variant = v.SETUP_VARIANT_STANDARD
    seats = [v.SeatConfig(kind=v.SEAT_KIND_OPEN) for _ in range(config.players)]
    solo = None
    if config.nomad is not None:
        nomad = config.nomad
        seats[nomad.seat].kind = v.SEAT_KIND_NOMAD
        solo = v.NomadConfig(
            extra_card=nomad.extra_card,
            token_is_village=nomad.token_is_village,
            setup_card=nomad.setup_card,
            idol_head_start=nomad.idol_head_start,
            four_player_terrain=nomad.four_player_terrain,
            bottom_actions=nomad.bottom_actions,
            second_extra_card=nomad.second_extra_card,
        )
    elif config.chief_draft:
        variant = v.SETUP_VARIANT_CHIEF_AND_SETUP_DRAFT
    elif config.setup_draft:
        variant = v.SETUP_VARIANT_SETUP_DRAFT
    message = v.GameConfig(
        seats=seats,
        nomad=solo,
        setup_variant=variant,
        modules=v.ModuleConfig(**{name: True for name in _MODULES if name in config.modules}),
        megalith_layout_id=config.layout,
        content_hash=config.tables.digest,
    )
    for module in SHOWN.values():
        module.fill_config(config, message)
    return message


def _check_seats(message: v.GameConfig) -> None:
    for number, seat in enumerate(message.seats[: MAX_PLAYERS + 1]):
        field = f"seats[{number}]"
        if seat.kind not in _PLAYED_SEATS and seat.kind not in NOMAD_SEATS:
            raise BadGameConfig(f"{field}.kind", f"no such value: {seat.kind}")
        is_bot = seat.kind == v.SEAT_KIND_BOT
        if is_bot and not seat.bot_name:
            raise BadGameConfig(f"{field}.bot_name", "a bot's seat names its bot")
        if not is_bot and (seat.bot_name or seat.bot_options):
            raise BadGameConfig(f"{field}.bot_name", "only a bot's seat names a bot")
        if len(seat.bot_name) > MOST_BOT_NAME or not seat.bot_name.isprintable():
            raise BadGameConfig(
                f"{field}.bot_name", f"at most {MOST_BOT_NAME} characters that can be shown"
            )
        if len(seat.bot_options) > MOST_BOT_OPTIONS:
            raise BadGameConfig(f"{field}.bot_options", f"at most {MOST_BOT_OPTIONS} characters")
    if not MIN_PLAYERS <= len(message.seats) <= MAX_PLAYERS:
        raise BadGameConfig(
            "seats", f"a game has {MIN_PLAYERS} to {MAX_PLAYERS} seats, not {len(message.seats)}"
        )


def _check_nomad(message: v.GameConfig, pack: Pack) -> None:
    """SOL: one player and one Nomad, whose difficulty is given exactly then."""
    seats = [number for number, seat in enumerate(message.seats) if seat.kind in NOMAD_SEATS]
    if not seats:
        if message.HasField("nomad"):
            raise BadGameConfig("nomad", "no seat is the Nomad's")
        return
    if len(seats) > 1 or len(message.seats) != MIN_PLAYERS:
        raise BadGameConfig("seats", "a solo game has one player and one Nomad")
    if not message.HasField("nomad"):
        raise BadGameConfig("nomad", "missing: how hard the Nomad plays; it may be empty")
    if message.nomad.second_extra_card and not message.nomad.extra_card:
        raise BadGameConfig("nomad.second_extra_card", "needs extra_card")
    if message.setup_variant > v.SETUP_VARIANT_STANDARD:
        raise BadGameConfig("setup_variant", "a solo game has no draft: its player chooses 1 of 2")
    if not pack.tables.nomad_cards:
        raise BadGameConfig("content_hash", "this content pack has no Nomad cards")


def _check_words(message: v.GameConfig) -> None:
    if len(message.title) > MOST_TITLE:
        raise BadGameConfig("title", f"at most {MOST_TITLE} characters")
    if not message.title.isprintable():
        raise BadGameConfig("title", "has characters that cannot be shown")
    tags = list(message.tags[: MOST_TAGS + 1])
    if len(tags) > MOST_TAGS:
        raise BadGameConfig("tags", f"at most {MOST_TAGS}")
    for number, tag in enumerate(tags):
        if not tag or len(tag) > MOST_TAG or not tag.isprintable():
            raise BadGameConfig(f"tags[{number}]", f"1 to {MOST_TAG} characters that can be shown")
    if tags != sorted(set(tags)):
        raise BadGameConfig("tags", "not sorted, or one of them twice")


def _check_times(message: v.GameConfig) -> None:
    _check_time("spectator_delay_ms", message.spectator_delay_ms)
    if not message.HasField("time_control"):
        return
    control: clock_pb2.TimeControl = message.time_control
    given = {field.name for field, _ in control.ListFields()}
    for name in _TIMES:
        value = getattr(control, name)
        _check_time(f"time_control.{name}", value)
        # Nobody could answer in no time, and some forms say 0 for "none".
        if not value and name in given:
            raise BadGameConfig(f"time_control.{name}", "leave it out for no limit; 0 is no time")
    if control.increment_per_turn_ms and not control.HasField("bank_ms"):
        raise BadGameConfig("time_control.increment_per_turn_ms", "there is no bank to add it to")


def _check_time(field: str, value: int) -> None:
    if not 0 <= value <= MOST_MILLISECONDS:
        raise BadGameConfig(field, f"from 0 to {MOST_MILLISECONDS} milliseconds")
