"""A game as a viewer saw it at one time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from endless_winter.sdk.model import Decision, Result, View

if TYPE_CHECKING:
    from endless_winter.sdk.catalog import Catalog
    from endless_winter.v1 import game_pb2, update_pb2, view_private_pb2, view_public_pb2


class Seen:
    """Position, own decision and result; `raw` is the contract's Update."""

    __slots__ = ("_catalog", "game_id", "raw", "seat")

    raw: update_pb2.Update
    """The contract's message."""
    game_id: str
    """The game's id."""
    seat: int | None
    """Whose eyes these are; None: a spectator's."""

    def __init__(
        self, raw: update_pb2.Update, game_id: str, seat: int | None, catalog: Catalog
    ) -> None:
        self.raw = raw
        self.game_id = game_id
        self.seat = seat
        self._catalog: Catalog = catalog

    @property
    def seq(self) -> int:
        """The newest log entry that is included."""
        return self.raw.seq

    @property
    def status(self) -> game_pb2.GameStatus.ValueType:
        """Whether the game waits, runs or is over, as the contract's number."""
        return self.raw.status

    @property
    def decision(self) -> Decision | None:
        """The own decision, if there is one to answer."""
        if not self.raw.HasField("prompt"):
            return None
        return Decision(self.raw.prompt, self._catalog, self.game_id)

    @property
    def owes_ready(self) -> bool:
        """Whether this seat still has to say Ready."""
        return self.raw.HasField("ready_check")

    @property
    def view(self) -> View | None:
        """The position; None: the game has not started."""
        raw = self.raw
        if not raw.HasField("public_view"):
            return None

        def read() -> tuple[view_public_pb2.PublicView, view_private_pb2.PrivateView | None]:
            own = raw.private_view if raw.HasField("private_view") else None
            return raw.public_view, own

        return View(self.seat, self._catalog, raw.game, read)

    @property
    def result(self) -> Result | None:
        """The result; None while the game runs."""
        return Result(self.raw.result, self.game_id) if self.raw.HasField("result") else None
