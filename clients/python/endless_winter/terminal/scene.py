"""What is to be seen: a position, and what the player is pointing at."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Self

from endless_winter.terminal.seats import OWN, names_of

if TYPE_CHECKING:
    from endless_winter.sdk import Catalog, Result, View
    from endless_winter.terminal.event_text import Line
    from endless_winter.terminal.picker import Picker
    from endless_winter.terminal.places import Place
    from endless_winter.v1 import game_pb2, view_private_pb2, view_public_pb2


@dataclass(frozen=True)
class Scene:
    """A position as one viewer sees it. Panels draw it and know nothing else."""

    public: view_public_pb2.PublicView
    private: view_private_pb2.PrivateView | None
    seat: int | None
    catalog: Catalog
    info: game_pb2.GameInfo
    names: tuple[str, ...]
    lit: frozenset[Place] = field(default_factory=frozenset)
    """What the option under the cursor concerns."""
    main: Place | None = None
    """The most specific of that; where a Camp goes to, not where it comes from."""
    offered: frozenset[Place] = field(default_factory=frozenset)
    """What any option concerns."""
    changed: frozenset[Place] = field(default_factory=frozenset)
    """What is not as it was at the end of the own last turn."""
    since: tuple[Line, ...] = ()
    """What the others did since then."""
    to_me: tuple[Line, ...] = ()
    """What of it concerns the own seat."""
    log: tuple[Line, ...] = ()
    back: int = 0
    """Lines that the log is turned back."""
    result: Result | None = None

    @classmethod
    def of(cls, view: View, *, mine: bool = True) -> Self:
        """`mine`: the seat is the reader's own, who is "You"; in a replay everybody has a name."""
        public = view.public
        private = view.private if view.seat is not None else None
        names = names_of(view.info.seats, view.seat if mine else None, len(public.players))
        return cls(public, private, view.seat, view.catalog, view.info, names)

    def pointing(self, picker: Picker | None) -> Self:
        """The same with the cursor of a picker; None: nothing is to be chosen."""
        if picker is None:
            return replace(self, lit=frozenset(), offered=frozenset(), main=None)
        return replace(self, lit=picker.lit, offered=picker.offered, main=picker.main)

    def with_log(self, log: tuple[Line, ...], back: int) -> Self:
        return replace(self, log=log, back=back)

    def ended(self, result: Result | None) -> Self:
        return replace(self, result=result)

    @property
    def eyes(self) -> int:
        """Whose board lies in front: the own one, for spectators that of the seat in turn."""
        if self.seat is not None:
            return self.seat
        return self.public.turn.active_seat

    def name(self, seat: int) -> str:
        return self.names[seat] if seat < len(self.names) else f"seat {seat}"

    def whose(self, seat: int) -> str:
        """Before a thing of a seat's: "Your", "Ann's"."""
        name = self.name(seat)
        return "Your" if name == OWN else f"{name}'s"

    def player(self, seat: int) -> view_public_pb2.PlayerView:
        return self.public.players[seat]
