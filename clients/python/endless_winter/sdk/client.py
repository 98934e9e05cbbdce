"""A small synchronous client for scripts: create, join, look, choose, watch.

>>> from endless_winter.sdk import Client
>>> with Client("127.0.0.1:50051") as client:          # doctest: +SKIP
...     game = client.create(players=2)
...     seat = client.join(game.game_id)
"""

from __future__ import annotations

import secrets
import time
from typing import TYPE_CHECKING, Final, Self

import grpc

from endless_winter.sdk.calls import Calls
from endless_winter.sdk.catalog import Catalog
from endless_winter.sdk.configs import config_message, game_config
from endless_winter.sdk.connection import Endpoint, check_server, error_of
from endless_winter.sdk.errors import SdkError, ServerGone
from endless_winter.sdk.local import seed_bytes
from endless_winter.sdk.model import then_of
from endless_winter.sdk.seen import Seen
from endless_winter.v1 import arena_service_pb2 as a
from endless_winter.v1 import (
    arena_service_pb2_grpc,
    catalog_service_pb2_grpc,
    config_pb2,
    decision_pb2,
    game_service_pb2_grpc,
    play_service_pb2_grpc,
    replay_pb2,
    replay_service_pb2,
    replay_service_pb2_grpc,
    view_pb2,
)
from endless_winter.v1 import catalog_service_pb2 as c
from endless_winter.v1 import game_service_pb2 as g
from endless_winter.v1 import play_service_pb2 as p

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from endless_winter.sdk.bot import Choice
    from endless_winter.sdk.model import Decision, Result
    from endless_winter.sdk.parts.agreed import Config
    from endless_winter.v1 import (
        arena_pb2,
        game_pb2,
        server_info_pb2,
        update_pb2,
    )

LONGEST_POLL: Final = 20.0  # seconds of one waiting call; longer waits are several
BETWEEN_POLLS: Final = (
    0.25  # seconds, after one that was answered at once with nothing: too many wait
)


class Client(Calls):
    """A connection with one client secret. Use it as a context manager.

    Raises `Refused` with the contract's reason when the server says no, `ServerGone` when there is
    none. A server that restarts is waited for, up to `patience` seconds: every call here may be
    made twice without harm.
    """

    def __init__(
        self,
        address: str,
        secret: str = "",
        *,
        credentials: grpc.ChannelCredentials | None = None,
        operator_token: str = "",
        timeout: float = 10.0,
        patience: float = 15.0,
        channel: grpc.Channel | None = None,
    ) -> None:
        """Without a secret a fresh one is drawn: `client.secret` is what to keep to come back.

        `channel` is for tests; it is used as it is.
        """
        endpoint = Endpoint.of(
            address, secret, credentials=credentials, operator_token=operator_token
        )
        super().__init__(endpoint, timeout=timeout, patience=patience, channel=channel)
        self._games = game_service_pb2_grpc.GameServiceStub(self._channel)
        self._play = play_service_pb2_grpc.PlayServiceStub(self._channel)
        self._catalogs = catalog_service_pb2_grpc.CatalogServiceStub(self._channel)
        self._arena = arena_service_pb2_grpc.ArenaServiceStub(self._channel)
        self._replays = replay_service_pb2_grpc.ReplayServiceStub(self._channel)
        self._infos: dict[str, game_pb2.GameInfo] = {}

    def __enter__(self) -> Self:
        """Ask who is there: a wrong address or another contract shows at once."""
        try:
            self.server()
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # --- the server ---

    def server(self) -> server_info_pb2.ServerInfo:
        """Versions and limits; `WrongServer` if it speaks another contract."""
        response = self._call(self._catalogs.GetServerInfo, c.GetServerInfoRequest())
        check_server(response.server, self.address)
        return response.server

    def catalog(self, content_hash: str = "") -> Catalog:
        """Everything printed, by content hash; without one, the server's default."""
        known = Catalog.known(content_hash)
        if known is not None:
            return known
        request = c.GetCatalogRequest(content_hash=content_hash)
        return Catalog.of(self._call(self._catalogs.GetCatalog, request).catalog)

    def bots(self) -> list[arena_pb2.BotInfo]:
        """The bots that wait for games, by name."""
        found: list[arena_pb2.BotInfo] = []
        token = ""
        while True:
            page = self._call(self._arena.ListBots, a.ListBotsRequest(page_token=token))
            found += page.bots
            token = page.next_page_token
            if not token:
                return found

    # --- games ---

    def create(
        self,
        players: int = 2,
        *,
        bots: Sequence[str] = (),
        seed: int | bytes | None = None,
        config: config_pb2.GameConfig | Config | None = None,
    ) -> game_pb2.GameInfo:
        """Create a game: open seats for `players`, the last of them for the named bots.

        `config` says everything itself. A seed that is given is public.
        """
        wanted = game_config(players, bots=bots) if config is None else config_message(config)
        request = g.CreateGameRequest(
            request_id=_fresh(),
            config=wanted,
            seed=b"" if seed is None else seed_bytes(seed),
        )
        return self._call(self._games.CreateGame, request).game

    def game(self, game_id: str) -> game_pb2.GameInfo:
        return self._call(self._games.GetGame, g.GetGameRequest(game_id=game_id)).game

    def games(
        self,
        *,
        joinable: bool = False,
        mine: bool = False,
        tag: str = "",
        statuses: Iterable[game_pb2.GameStatus.ValueType] = (),
        tournament_id: str = "",
        seats: int = 0,
        rivers: bool | None = None,
        solo: bool | None = None,
        created_from_unix_ms: int | None = None,
    ) -> Iterator[game_pb2.GameInfo]:
        """The games that one may see, newest first; pages are fetched as needed.

        All filters must hold; what is not given filters nothing.
        """
        request = g.ListGamesRequest(
            statuses=statuses,
            joinable=joinable,
            mine=mine,
            tag=tag,
            tournament_id=tournament_id,
            seats=seats,
            rivers=rivers,
            solo=solo,
            created_from_unix_ms=created_from_unix_ms,
        )
        while True:
            page = self._call(self._games.ListGames, request)
            yield from page.games
            request.page_token = page.next_page_token
            if not request.page_token:
                return

    def join(
        self, game_id: str, seat: int | None = None, *, name: str = "", invitation: str = ""
    ) -> int:
        """Take a seat; which one is returned. Say `ready` afterwards."""
        request = g.JoinGameRequest(
            request_id=_fresh(),
            game_id=game_id,
            seat=seat,
            display_name=name,
            invitation=invitation,
        )
        return self._call(self._games.JoinGame, request).seat

    def invite(self, game_id: str, seat: int) -> str:
        """A new invitation for a seat that takes one; earlier ones are worth nothing from now on.

        For the creator of a game: reserved seats, and the Nomad's if a client is to play it.
        """
        request = g.CreateInvitationRequest(game_id=game_id, seat=seat, request_id=_fresh())
        return self._call(self._games.CreateInvitation, request).invitation.token

    def leave(self, game_id: str, seat: int) -> game_pb2.GameInfo:
        """Give a seat up; in a running game it ends as abandoned."""
        request = g.LeaveGameRequest(game_id=game_id, seat=seat, request_id=_fresh())
        return self._call(self._games.LeaveGame, request).game

    def abort(self, game_id: str, note: str = "") -> game_pb2.GameInfo:
        """End a game without places: its creator before the start, an operator at any time."""
        request = g.AbortGameRequest(game_id=game_id, note=note, request_id=_fresh())
        return self._call(self._games.AbortGame, request).game

    def my_seats(self, *, owing: bool = False, ended: bool = False) -> Iterator[p.MySeat]:
        """The own seats, those that owe something first."""
        token = ""
        while True:
            request = p.ListMySeatsRequest(only_owing=owing, include_ended=ended, page_token=token)
            page = self._call(self._play.ListMySeats, request)
            yield from page.seats
            token = page.next_page_token
            if not token:
                return

    # --- playing ---

    def ready(self, game_id: str, seat: int) -> p.Accepted:
        request = p.SetReadyRequest(game_id=game_id, seat=seat, request_id=_fresh())
        return self._call(self._play.SetReady, request).accepted

    def look(self, game_id: str, seat: int | None = None) -> Seen:
        """The game now, with the own decision if one waits; without a seat as a spectator."""
        return self._seen(p.GetViewRequest(game_id=game_id, seat=seat))

    def wait(self, game_id: str, seat: int, timeout: float | None = None) -> Seen | None:
        """Wait until this seat owes a choice or the game is over; None: not within `timeout`.

        `timeout` in seconds; without one, as long as it takes.
        """
        until = None if timeout is None else time.monotonic() + timeout
        after = 0
        while True:
            asked = time.monotonic()
            left = LONGEST_POLL if until is None else min(LONGEST_POLL, until - asked)
            seen = self._seen(
                p.GetViewRequest(
                    game_id=game_id,
                    seat=seat,
                    after_seq=after,
                    wait_ms=max(int(left * 1000), 0),
                    wait_for_prompt=True,
                ),
                timeout=self._timeout + max(left, 0.0),
            )
            if seen.decision is not None or seen.result is not None:
                return seen
            now = time.monotonic()
            if until is not None and now >= until:
                return None
            if now - asked < min(BETWEEN_POLLS, left):
                time.sleep(min(BETWEEN_POLLS, left))
            after = seen.seq

    def submit(self, decision: Decision, choice: Choice | None = None) -> p.Accepted:
        """Answer a decision by option, text, id or plan; None takes the default."""
        answer = decision_pb2.Answer(decision_id=decision.id)
        if choice is None:
            answer.take_default = True
        else:
            answer.option_id = decision.pick(choice).id
            answer.plan.extend(then_of(choice))
        request = p.SubmitMoveRequest(
            game_id=decision.game_id, seat=decision.seat, request_id=_fresh(), answer=answer
        )
        return self._call(self._play.SubmitMove, request).accepted

    def undo(self, decision: Decision) -> p.Accepted:
        """Take back the last own choice, while `decision.can_undo`."""
        request = p.UndoMoveRequest(
            game_id=decision.game_id,
            seat=decision.seat,
            request_id=_fresh(),
            undo=p.Undo(decision_id=decision.id),
        )
        return self._call(self._play.UndoMove, request).accepted

    # --- watching ---

    def watch(
        self, game_id: str, seat: int | None = None, *, feed: p.FeedOptions | None = None
    ) -> Iterator[Seen]:
        """Everything that happens, until the result; goes on after a lost connection."""
        after: int | None = None
        alone_since = time.monotonic()
        failures = 0
        catalog: Catalog | None = None
        while True:
            request = p.WatchRequest(game_id=game_id, seat=seat, after_seq=after, feed=feed)
            lost: SdkError = ServerGone(f"the server at {self.address} ended the stream")
            try:
                for response in self._play.Watch(request, metadata=self._endpoint.metadata):
                    failures, alone_since = 0, time.monotonic()
                    if response.HasField("welcome"):
                        check_server(response.welcome.server, self.address)
                    for update in response.updates:
                        after = update.seq
                        catalog = catalog or self._catalog_of(game_id, update)
                        yield self._seen_in(update, game_id, seat, catalog)
                        if update.HasField("result"):
                            return
            except grpc.RpcError as error:
                lost = error_of(error, self.address)
            self._bear(lost, alone_since, failures)
            failures += 1

    def result(self, game_id: str) -> Result:
        """The result of a game, once it is over: this waits for its end, however long that takes.

        ``look`` says at once whether there is a result yet.
        """
        feed = p.FeedOptions(
            view_mode=view_pb2.VIEW_MODE_NEVER, skip_events=True, only_when_asked=True
        )
        for seen in self.watch(game_id, feed=feed):
            if seen.result is not None:
                return seen.result
        raise ServerGone(f"the server at {self.address} ended the game's stream without a result")

    def replay(
        self, game_id: str, seat: int | None = None, *, omniscient: bool = False
    ) -> Iterator[replay_pb2.ReplayFrame]:
        """The frames of a game so far: through a seat's eyes, a spectator's, or, after the end
        and when its seal is open, everybody's.
        """
        perspective = replay_pb2.PERSPECTIVE_SPECTATOR
        if omniscient:
            perspective = replay_pb2.PERSPECTIVE_OMNISCIENT
        elif seat is not None:
            perspective = replay_pb2.PERSPECTIVE_SEAT
        request = replay_service_pb2.StreamReplayRequest(
            game_id=game_id, perspective=perspective, seat=seat or 0
        )
        try:
            for response in self._replays.StreamReplay(request, metadata=self._endpoint.metadata):
                yield from response.frames
        except grpc.RpcError as error:
            raise error_of(error, self.address) from error

    # --- calling ---

    def _seen(self, request: p.GetViewRequest, timeout: float | None = None) -> Seen:
        update = self._call(self._play.GetView, request, timeout=timeout).update
        seat = request.seat if request.HasField("seat") else None
        catalog = self._catalog_of(request.game_id, update)
        return self._seen_in(update, request.game_id, seat, catalog)

    def _seen_in(
        self, update: update_pb2.Update, game_id: str, seat: int | None, catalog: Catalog
    ) -> Seen:
        if not update.HasField("game"):
            update.game.CopyFrom(self._infos[game_id])
        return Seen(update, game_id, seat, catalog)

    def _catalog_of(self, game_id: str, update: update_pb2.Update) -> Catalog:
        """The catalogue of a game; what the game is comes with snapshots only."""
        if update.HasField("game"):
            self._infos[game_id] = update.game
        elif game_id not in self._infos:
            self._infos[game_id] = self.game(game_id)
        return self.catalog(self._infos[game_id].content_hash)


def _fresh() -> str:
    return secrets.token_hex(8)
