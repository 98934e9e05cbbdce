"""What was agreed before a game: seats, set-up, modules, clocks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from endless_winter.sdk.parts.part import Part, short_names
from endless_winter.v1 import clock_pb2, config_pb2

if TYPE_CHECKING:
    from endless_winter.sdk.parts.printed import Landmark

_KINDS: Final = short_names(config_pb2.SeatKind, "SEAT_KIND_")
_SETUPS: Final = short_names(config_pb2.SetupVariant, "SETUP_VARIANT_")
_VISIBILITIES: Final = short_names(config_pb2.Visibility, "VISIBILITY_")
_LANDMARK_MODES: Final = short_names(config_pb2.LandmarkChoiceMode, "LANDMARK_CHOICE_MODE_")
MODULES: Final = tuple(field.name for field in config_pb2.ModuleConfig.DESCRIPTOR.fields)


class SeatConfig(Part[config_pb2.SeatConfig]):
    """How one seat was to be filled."""

    __slots__ = ()

    @property
    def kind(self) -> str:
        """One of "open", "reserved", "bot", "nomad" or "nomad_client"."""
        return _KINDS.get(self.raw.kind, "unknown") or "open"

    @property
    def bot(self) -> str:
        """The name of the bot that was asked for; "": none."""
        return self.raw.bot_name

    @property
    def bot_options(self) -> str:
        """The text that is handed to this bot."""
        return self.raw.bot_options

    def __repr__(self) -> str:
        return f"<SeatConfig {self.kind}{f' {self.bot}' if self.bot else ''}>"


class Clock(Part[clock_pb2.TimeControl]):
    """The time control of a game, in seconds."""

    __slots__ = ()

    @property
    def bank(self) -> float | None:
        """What each seat starts with; None: no bank, only the limits count."""
        return self.raw.bank_ms / 1000 if self.raw.HasField("bank_ms") else None

    @property
    def increment(self) -> float:
        """What is added to the bank at the start of each own turn."""
        return self.raw.increment_per_turn_ms / 1000

    @property
    def decision_limit(self) -> float | None:
        """The most that one decision may take; None: no such limit."""
        raw = self.raw
        return raw.decision_limit_ms / 1000 if raw.HasField("decision_limit_ms") else None

    @property
    def turn_limit(self) -> float | None:
        """The most that a whole turn may take; None: no such limit."""
        return self.raw.turn_limit_ms / 1000 if self.raw.HasField("turn_limit_ms") else None

    @property
    def ready_limit(self) -> float | None:
        """The most that getting ready may take; None: the server's own limit."""
        return self.raw.ready_limit_ms / 1000 if self.raw.HasField("ready_limit_ms") else None

    @property
    def disconnect_limit(self) -> float | None:
        """How long a seat that owes a choice may be away; None: only the clock counts."""
        raw = self.raw
        return raw.disconnect_limit_ms / 1000 if raw.HasField("disconnect_limit_ms") else None

    @property
    def timeouts_to_forfeit(self) -> int:
        """Expiries after which a seat is forfeited; 0: the server's own number."""
        return self.raw.timeouts_to_forfeit

    def __repr__(self) -> str:
        return f"<Clock: bank {self.bank}, decision {self.decision_limit}, turn {self.turn_limit}>"


class Config(Part[config_pb2.GameConfig]):
    """What was agreed before a game: `view.config`, `table.config`.

    `LocalTable(config=view.config)` sets up another game of the same kind.
    """

    __slots__ = ()

    @property
    def seats(self) -> tuple[SeatConfig, ...]:
        """How each seat was to be filled, in seat order."""
        return tuple([SeatConfig(raw, self._catalog) for raw in self.raw.seats])

    @property
    def setup(self) -> str:
        """Either "standard", "setup_draft" or "chief_and_setup_draft"."""
        return _SETUPS.get(self.raw.setup_variant, "unknown") or "standard"

    @property
    def modules(self) -> tuple[str, ...]:
        """The modules in play: "glacier_tokens", "rest_tokens", "warriors", "sea_cows", "mammoth".

        Rivers & Rafts is `rivers`.
        """
        return tuple([name for name in MODULES if getattr(self.raw.modules, name)])

    @property
    def rivers(self) -> bool:
        """Whether Rivers & Rafts is played."""
        return self.raw.HasField("rivers")

    @property
    def landmark_count(self) -> int:
        """Rivers: Landmark hexes in play; 0: as many as are named, else 3."""
        return self.raw.rivers.landmark_count

    @property
    def landmark_mode(self) -> str:
        """Rivers: how Landmarks are found, "random", "named" or "decided"; "": without Rivers."""
        if not self.rivers:
            return ""
        return _LANDMARK_MODES.get(self.raw.rivers.landmark_mode, "unknown") or "random"

    @property
    def landmarks(self) -> tuple[Landmark, ...]:
        """Rivers: the Landmarks that were named, from the Headwaters to the Delta."""
        return tuple([self._catalog.landmark(one) for one in self.raw.rivers.landmark_ids])

    @property
    def solo(self) -> bool:
        """Whether it is a game against the Nomad."""
        return self.raw.HasField("nomad")

    @property
    def nomad_switches(self) -> tuple[str, ...]:
        """What makes the Nomad harder; `SWITCHES` has all of them."""
        return tuple([field.name for field, value in self.raw.nomad.ListFields() if value])

    @property
    def layout(self) -> str:
        """The id of the layout of the Megalith tiles; "": the one of the player count."""
        return self.raw.megalith_layout_id

    @property
    def clock(self) -> Clock | None:
        """The time control; None: there is none."""
        raw = self.raw
        return Clock(raw.time_control, self._catalog) if raw.HasField("time_control") else None

    @property
    def visibility(self) -> str:
        """Who may find and watch the game: "public", "unlisted" or "closed"."""
        return _VISIBILITIES.get(self.raw.visibility, "unknown") or "public"

    @property
    def spectator_delay(self) -> float:
        """Spectators see the position as it was so many seconds ago."""
        return self.raw.spectator_delay_ms / 1000

    @property
    def undo_allowed(self) -> bool:
        """Whether a seat may take back choices of its turn while nothing hidden was revealed."""
        return self.raw.undo_allowed

    @property
    def wrong_answers_to_forfeit(self) -> int:
        """Wrong answers to one decision that end a seat; 0: the server's own number."""
        return self.raw.wrong_answers_to_forfeit

    @property
    def content_hash(self) -> str:
        """The content pack that was asked for; "": the server's own."""
        return self.raw.content_hash

    @property
    def hold_reveal(self) -> bool:
        """Whether seed and log stay sealed after the end until an operator releases them."""
        return self.raw.hold_reveal

    @property
    def title(self) -> str:
        """A name for people."""
        return self.raw.title

    @property
    def tags(self) -> tuple[str, ...]:
        """Free words for filtering."""
        return tuple(self.raw.tags)

    def __repr__(self) -> str:
        parts = [f"{len(self.raw.seats)} seats", *self.modules]
        parts += ["rivers"] * self.rivers + ["solo"] * self.solo
        return f"<Config: {', '.join(parts)}>"
