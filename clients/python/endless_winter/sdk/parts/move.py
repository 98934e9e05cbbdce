"""A choice in parts: what an option's canonical text says, each part with a name and a type."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from endless_winter.sdk.parts.part import Part, short_names
from endless_winter.sdk.parts.printed import ICONS, NOMAD_ACTIONS, SIDES, SPACES
from endless_winter.sdk.parts.turn import FIGURES, Source
from endless_winter.v1 import enums_pb2, ids_pb2, move_pb2

if TYPE_CHECKING:
    from collections.abc import Iterator

    from endless_winter.sdk.parts.printed import (
        Animal,
        Card,
        Chief,
        Landmark,
        NomadCard,
        SetupCard,
        Stone,
    )

STARTING_BASE: Final = 19  # as a hex number, in the options' texts too
_ZONES: Final = short_names(enums_pb2.Zone, "ZONE_")
_TRACKS: Final = short_names(enums_pb2.IdolTrack, "IDOL_TRACK_")
_NOMAD_STEPS: Final = short_names(move_pb2.NomadStep, "NOMAD_STEP_")


class Move(Part[move_pb2.Move]):
    """A choice in parts: `option.move`. What a kind of move lacks is None, "" or 0.

    `move.kind` says which kind it is; `place chief hunt` has a `figure` and a `space`,
    `hunt woolly_rhino` an `animal`. `gain` moves take a benefit: `taken` of
    `decision.pool[move.pool_index]`, on what it needs (a `card`, a `juncture`, ...).
    """

    __slots__ = ()

    @property
    def kind(self) -> str:
        """What is done, such as "place_figure"; "": something newer than this SDK.

        Set-up: "choose_chief", "choose_chief_side", "choose_setup_card", "place_starting_base",
        "choose_landmark". A turn: "play_culture_card", "place_figure", "choose_rest_token",
        "play_tribe_card", "use_ability", "spend_food", "take_bottom", "end_turn". The columns:
        "initiate", "rite", "develop", "take_stone", "place_camp", "move_camp", "move_raft",
        "place_mammoth", "build_village", "reveal_animals", "hunt", "tip_animal". Benefits and
        costs: "gain", "split_tools", "leave", "decline", "discard", "bury". The Eclipse:
        "add_to_pile", "finish_pile", "end_step". The Nomad: "nomad".
        """
        return self.raw.WhichOneof("action") or ""

    # --- what it is about ---

    @property
    def card(self) -> Card | None:
        """The Tribe, starting or Culture card."""
        return self._catalog.card(found) if (found := self._value("card_id")) else None

    @property
    def zone(self) -> str:
        """Where that card lies, if it is buried: "hand", "discard", "played", "eclipse_pile"."""
        return _ZONES.get(self._value("zone") or 0, "unknown")

    @property
    def animal(self) -> Animal | None:
        """The type of Animal."""
        return self._catalog.animal(found) if (found := self._value("animal_id")) else None

    @property
    def stone(self) -> Stone | None:
        """The Sacred Stone that is taken."""
        return self._catalog.stone(found) if (found := self._value("stone_id")) else None

    @property
    def chief(self) -> Chief | None:
        """Set-up: the Chief."""
        return self._catalog.chief(found) if (found := self._value("chief_id")) else None

    @property
    def side(self) -> str:
        """Set-up: the side of the Chief card, "a" or "b"."""
        return SIDES.get(self._value("side") or 0, "unknown")

    @property
    def setup_card(self) -> SetupCard | None:
        """Set-up: the Setup card."""
        found = self._value("setup_card_id")
        return self._catalog.setup_card(found) if found else None

    @property
    def landmark(self) -> Landmark | None:
        """Set-up with Rivers & Rafts: the Landmark."""
        return self._catalog.landmark(found) if (found := self._value("landmark_id")) else None

    @property
    def nomad_card(self) -> NomadCard | None:
        """The Nomad card whose action it is."""
        found = self._value("nomad_card_id")
        return self._catalog.nomad_card(found) if found else None

    @property
    def source(self) -> Source | None:
        """Whose ability is used, or whose cost is paid; of the Nomad's gains where from."""
        found = self._value("source")
        return Source(found, self._catalog) if isinstance(found, ids_pb2.Source) else None

    @property
    def ability(self) -> int | None:
        """The place of that ability among those of its source, from 0."""
        return self._number("ability")

    # --- where ---

    @property
    def figure(self) -> str:
        """The figure that is placed: "chief" or "tribe"."""
        return FIGURES.get(self._value("figure") or 0, "unknown")

    @property
    def space(self) -> str:
        """The column ("initiate", "develop", "migrate", "hunt") or "rest"."""
        for holder in self._holders():
            for name in ("space", "column"):
                field = holder.DESCRIPTOR.fields_by_name.get(name)
                if field is not None and field.enum_type is not None:
                    return SPACES.get(getattr(holder, name), "unknown")
        return ""

    @property
    def display_space(self) -> int | None:
        """A space of the Culture display or the Hunting Grounds, from 0, where it matters."""
        for holder in self._holders():
            if isinstance(holder, move_pb2.CultureCardChoice):
                return holder.space
            if isinstance(holder, move_pb2.AnimalChoice) and holder.HasField("space"):
                return holder.space
        return None

    @property
    def from_hex(self) -> int | None:
        """The hex that a Camp leaves; 19: the Starting Base."""
        return self._site("from_site")

    @property
    def to_hex(self) -> int | None:
        """The hex that a Camp, or in set-up a Landmark, comes to; 19: the Starting Base."""
        for name in ("to_hex", "hex"):
            if (found := self._number(name)) is not None:
                return found
        return self._site("site")

    @property
    def hexes(self) -> tuple[int, int] | None:
        """Set-up with Rivers & Rafts: the two hexes that the Starting Base is attached to."""
        if self.kind != "place_starting_base":
            return None
        return self.raw.place_starting_base.first_hex, self.raw.place_starting_base.second_hex

    @property
    def owner(self) -> int | None:
        """Whose Camp is moved, by seat; with Warriors that may be an opponent's."""
        return self._number("owner_seat")

    @property
    def juncture(self) -> int | None:
        """The corner for a Village or the Mammoth, 0 to 23."""
        return self._number("juncture")

    @property
    def with_raft(self) -> bool:
        """Whether the Raft stands in for a Camp of that Village."""
        return bool(self._value("with_raft"))

    @property
    def from_river(self) -> int | None:
        """Where the Raft leaves: 0 the Headwaters, then the River hexes, then the Delta."""
        return self._number("from_river_place")

    @property
    def to_river(self) -> int | None:
        """Where the Raft goes, counted in the same way."""
        return self._number("to_river_place")

    @property
    def site(self) -> tuple[int, int, int] | None:
        """Where a Megalith is placed: column, row and level."""
        for holder in self._holders():
            if isinstance(holder, ids_pb2.MegalithSite):
                return holder.x, holder.y, holder.level
        return None

    @property
    def track(self) -> str:
        """The track of an Idol: "offering" or "honor"."""
        for holder in self._holders():
            if isinstance(holder, move_pb2.Target) and holder.HasField("idol_track"):
                return _TRACKS.get(holder.idol_track, "unknown")
        return ""

    # --- how much ---

    @property
    def pool_index(self) -> int | None:
        """Which benefit of `decision.pool` is taken or split."""
        return self._number("pool_index")

    @property
    def taken(self) -> str:
        """What is taken of it, by icon: the benefit itself or something lesser."""
        return ICONS.get(self._value("taken") or self._value("gained") or 0, "unknown")

    @property
    def amount(self) -> int:
        """How many of the benefit are used up, or how many Animals are revealed."""
        return self._number("amount") or self._number("count") or 0

    @property
    def food(self) -> int:
        """Food that is spent for Labor; of Tools that are split, how many become Food."""
        return self._number("food") or 0

    @property
    def labor(self) -> float:
        """The Labor that spending Food brings."""
        return (self._number("labor_halves") or 0) / 2

    @property
    def tools(self) -> int:
        """Of Tools that are split, how many are taken as Tools."""
        return self._number("tools") or 0

    # --- the rest ---

    @property
    def take_next(self) -> bool:
        """Resting: whether the next Rest token is taken instead of the open one."""
        return bool(self._value("take_next"))

    @property
    def nomad_step(self) -> str:
        """Which kind of step of the Nomad: "reveal", "column", "action", "gain", ..."""
        found = self.raw.nomad.step if self.kind == "nomad" else 0
        return _NOMAD_STEPS.get(found, "unknown")

    @property
    def nomad_action(self) -> str:
        """What the Nomad does in its action, after substitution: "idol", "animal", ..."""
        found = self.raw.nomad.action if self.kind == "nomad" else 0
        return NOMAD_ACTIONS.get(found, "unknown")

    def __repr__(self) -> str:
        values = [(name, getattr(self, name)) for name in _SHOWN]
        parts = [
            f"{name}={one!r}" for name, one in values if one or (one == 0 and name in _FROM_ZERO)
        ]
        return f"<Move {' '.join([self.kind or 'unknown', *parts])}>"

    def _holders(self) -> Iterator[Any]:
        """The contract's messages that hold the parts of this move: the action and its target."""
        if not self.kind:
            return
        action = getattr(self.raw, self.kind)
        yield action
        if "target" in action.DESCRIPTOR.fields_by_name and action.HasField("target"):
            yield action.target
            on = action.target.WhichOneof("on")
            if on and on != "idol_track":
                yield getattr(action.target, on)

    def _value(self, name: str) -> Any:
        """A field of whatever part has it; None: there is none, or it is not set."""
        for holder in self._holders():
            field = holder.DESCRIPTOR.fields_by_name.get(name)
            if field is not None:
                return getattr(holder, name) if not _absent(holder, field) else None
        return None

    def _number(self, name: str) -> int | None:
        found = self._value(name)
        return found if isinstance(found, int) else None

    def _site(self, name: str) -> int | None:
        """The hex of a place of a Camp."""
        found = self._value(name)
        if not isinstance(found, ids_pb2.CampSite):
            return None
        which = found.WhichOneof("site")
        if which == "starting_base_of_seat":
            return STARTING_BASE
        return found.hex if which == "hex" else None


def _absent(holder: Any, field: Any) -> bool:
    return bool(field.has_presence and not holder.HasField(field.name))


_FROM_ZERO: Final = (
    "ability",
    "display_space",
    "from_hex",
    "to_hex",
    "owner",
    "juncture",
    "pool_index",
)
_SHOWN: Final = tuple(
    name
    for name, member in vars(Move).items()
    if isinstance(member, property) and name not in ("kind", "raw")
)
