"""What the host of a server can do with seats, seals and games, for scripts.

>>> from endless_winter.sdk import Operator
>>> with Operator("127.0.0.1:50051", token) as host:          # doctest: +SKIP
...     invitation = host.rebind(game_id, 1, note="has lost the secret")
"""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING, Final, Self

from endless_winter.sdk.calls import Calls
from endless_winter.sdk.connection import Endpoint, check_server
from endless_winter.sdk.errors import BadAddress
from endless_winter.v1 import catalog_service_pb2 as c
from endless_winter.v1 import catalog_service_pb2_grpc, game_service_pb2_grpc
from endless_winter.v1 import game_service_pb2 as g
from endless_winter.v1 import operator_service_pb2 as o
from endless_winter.v1 import operator_service_pb2_grpc as o_grpc

if TYPE_CHECKING:
    from collections.abc import Sequence

    import grpc

    from endless_winter.v1 import game_pb2

OFFERED: Final = 120.0  # seconds: one bot after another is asked whether it takes a seat


class Operator(Calls):
    """A connection with an operator's token. Use it as a context manager.

    Each call is an entry in the game's log, with the note where there is one. Raises `Refused`
    with the contract's reason (NOT_ALLOWED: the token is not one of the server's), `ServerGone`
    when there is no server; one that restarts is waited for, up to `patience` seconds.
    """

    def __init__(
        self,
        address: str,
        token: str,
        *,
        credentials: grpc.ChannelCredentials | None = None,
        timeout: float = 10.0,
        patience: float = 15.0,
    ) -> None:
        if not (token.isascii() and token.isprintable() and token):
            raise BadAddress("an operator's token has printable ASCII characters, 16 or more")
        endpoint = Endpoint.of(address, credentials=credentials, operator_token=token)
        super().__init__(endpoint, timeout=timeout, patience=patience, channel=None)
        self._operators = o_grpc.OperatorServiceStub(self._channel)
        self._games = game_service_pb2_grpc.GameServiceStub(self._channel)
        self._catalogs = catalog_service_pb2_grpc.CatalogServiceStub(self._channel)

    def __enter__(self) -> Self:
        """Ask who is there: a wrong address or another contract shows at once."""
        try:
            response = self._call(self._catalogs.GetServerInfo, c.GetServerInfoRequest())
            check_server(response.server, self.address)
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def revoke(
        self, game_id: str, seat: int, *, forfeit: bool = False, note: str = ""
    ) -> game_pb2.GameInfo:
        """Take a seat from its holder. The game waits for a successor under its clock.

        With `forfeit` a seat of a running game is played by defaults from now on, and ranked last.
        """
        request = o.RevokeSeatRequest(
            game_id=game_id, seat=seat, forfeit=forfeit, note=note, request_id=_fresh()
        )
        return self._call(self._operators.RevokeSeat, request).game

    def rebind(self, game_id: str, seat: int, *, note: str = "") -> str:
        """Take a seat from its holder; the invitation with which the next one joins."""
        request = o.RebindSeatRequest(game_id=game_id, seat=seat, note=note, request_id=_fresh())
        return self._call(self._operators.RebindSeat, request).invitation.token

    def hand(self, game_id: str, seat: int, bot: str, *, options: str = "") -> game_pb2.GameInfo:
        """Give a seat to an attached bot of that name; if none takes it, nothing changes."""
        request = o.HandSeatToBotRequest(
            game_id=game_id, seat=seat, bot_name=bot, bot_options=options, request_id=_fresh()
        )
        return self._call(self._operators.HandSeatToBot, request, timeout=OFFERED).game

    def release(self, game_ids: Sequence[str]) -> list[game_pb2.GameInfo]:
        """Open the seals of ended games that were created with `hold_reveal`: all or none."""
        request = o.ReleaseRevealRequest(game_ids=game_ids)
        return list(self._call(self._operators.ReleaseReveal, request).games)

    def abort(self, game_id: str, note: str = "") -> game_pb2.GameInfo:
        """End a game without places, at any time."""
        request = g.AbortGameRequest(game_id=game_id, note=note, request_id=_fresh())
        return self._call(self._games.AbortGame, request).game


def _fresh() -> str:
    return secrets.token_hex(8)
