"""All games of a server: new ones, those in memory, and those that only the store knows yet."""

from __future__ import annotations

import asyncio
import re
import secrets
from contextlib import suppress
from typing import TYPE_CHECKING

from endless_winter.rules import RULES_VERSION
from endless_winter.rules.chance import SALT_BYTES, SEED_BYTES, commitment
from endless_winter.service import logs, proposals
from endless_winter.service.arena import Arena
from endless_winter.service.asked import check_request_id, digest_of, reused
from endless_winter.service.creators import Creators
from endless_winter.service.ended import EndedGames
from endless_winter.service.limits import Limits
from endless_winter.service.loading import fold
from endless_winter.service.meters import Meters
from endless_winter.service.packs import Packs
from endless_winter.service.presence import Presence
from endless_winter.service.proposals import Draft
from endless_winter.service.pulse import Pulse
from endless_winter.service.refusal import Refusal, draining, game_ended
from endless_winter.service.refusals import Refusals
from endless_winter.service.rewind import new_table
from endless_winter.service.rounds import Rounds
from endless_winter.service.session import Session
from endless_winter.service.shelved import Shelved, may_know
from endless_winter.service.stock import Stock, bot_seats, goes_on_alone
from endless_winter.service.suspended import (
    BROKEN,
    OTHER_CONTENT,
    OTHER_RULES,
    Suspended,
    Suspensions,
)
from endless_winter.service.table import ENDED, INVITED, Table
from endless_winter.service.telling import News, Telling
from endless_winter.service.texts import check_bot_name
from endless_winter.service.turns import Turns
from endless_winter.service.unstarted import Unstarted
from endless_winter.store import (
    Entry,
    GameExists,
    Header,
    Marks,
    NewGame,
    Repeated,
    Request,
    Secret,
    Status,
    StoreDamaged,
    StoreError,
)
from endless_winter.v1 import config_pb2, game_pb2, game_service_pb2, result_pb2
from endless_winter.v1 import rejection_pb2 as reasons
from endless_winter.views import BadGameConfig

if TYPE_CHECKING:
    from endless_winter.content import Pack
    from endless_winter.rules import Config
    from endless_winter.service.asked import Asked
    from endless_winter.service.identity import Caller
    from endless_winter.service.packs import Kit
    from endless_winter.service.play_stream import PlayStream
    from endless_winter.service.settings import Settings
    from endless_winter.service.timekeeper import Timekeeper
    from endless_winter.store import Answer, Store

GAME_ID = re.compile(r"\A[A-Za-z0-9_][A-Za-z0-9_-]{0,63}\Z")
RULES = str(RULES_VERSION)
IN_A_TURN = 4  # of what comes in crowds is done in a turn of the loop: some milliseconds
GOODBYE_MS = 1000  # a stream that was told of a drain is cut after this


class Hall:
    """The games. Each is loaded when somebody asks for it, and then kept."""

    def __init__(self, store: Store, pack: Pack, *, time: Timekeeper, settings: Settings) -> None:
        self.store = store
        self.pack = pack
        self.time = time
        self.settings = settings
        self.meters = Meters()
        self.limits = Limits(settings, time.now_ms, Refusals(self.meters).note)
        self.presence = Presence(time)
        self.arena = Arena(settings, time)
        self.streams: set[PlayStream] = set()
        self.rounds = Rounds(store.flush, store.kept)
        # Who commands much besides answers, and who wakes from a long poll, does it in turns.
        self.command_turns = Turns(IN_A_TURN)
        self.poll_turns = Turns(IN_A_TURN)
        self.draining = False
        self._goodbye_ms = GOODBYE_MS
        self.sessions: dict[str, Session] = {}
        self.packs = Packs(store, pack)
        self._pack_is_kept = False
        self._loading: dict[str, asyncio.Lock] = {}
        self.pulse = Pulse(store, time)
        self._stock = Stock()
        self.suspended = Suspensions()
        self._rousing: asyncio.Task[None] | None = None
        self._waiting: dict[bytes, set[asyncio.Event]] = {}  # clients that wait for news
        self.ended = EndedGames(store, self._forget)
        # Which seats a client holds, for "what do I owe?"; by the hash of its secret.
        self.seats: dict[bytes, dict[tuple[str, int], Session]] = {}
        self._holders: dict[str, tuple[bytes, ...]] = {}
        self._creators = Creators(settings)  # of unfinished games, loaded or not
        self._unstarted = Unstarted(settings.start_limit_ms, time, self._abort_unstarted)

    @property
    def stock(self) -> Stock:
        """Unfinished games that are not in memory."""
        return self._stock

    # --- finding ---

    async def find(self, game_id: str, caller: Caller, invitation: str = "") -> Session:
        """A game that the caller may know of; an unknown one and a hidden one look the same."""
        try:
            session = await self._load(game_id)
            if session is not None and session.table.status == ENDED:
                await self.ended.forget_removed()
                session = await self._load(game_id)  # nearly always the same
        except Suspended:  # that it exists is not for everybody to know
            await self.shelved(game_id, caller)
            raise
        if session is None or not (session.may_see(caller) or session.invites(invitation)):
            raise _no_game()
        session.hear_from(caller.holder)
        return session

    async def shelved(self, game_id: str, caller: Caller) -> Shelved:
        """What the store says of a game that the caller may know of."""
        header = await self.store.get_game(game_id) if GAME_ID.match(game_id) else None
        if header is None or not may_know(header, caller):
            raise _no_game()
        return Shelved(self.store, header)

    async def describe(
        self, game_id: str, caller: Caller, header: Header | None = None
    ) -> game_pb2.GameInfo:
        """What the caller may know of a game; `header` is what the store has just said of it.

        An ended game that is not in memory is told from what the store keeps: it is not folded,
        nor is one that this server cannot continue.
        """
        session = self.sessions.get(game_id)
        if session is not None and header is not None and session.may_see(caller):
            return session.info_for(caller)
        if session is None:
            if header is None or not may_know(header, caller):
                header = (await self.shelved(game_id, caller)).header
            if header.status == Status.ENDED:
                return await Shelved(self.store, header).info()
        try:
            return (await self.find(game_id, caller)).info_for(caller)
        except Suspended:
            shelved = await self.shelved(game_id, caller)
            return await shelved.info_for(caller, self.time.unix_ms())

    async def _load(self, game_id: str) -> Session | None:
        session = self.sessions.get(game_id)
        if session is not None or not GAME_ID.match(game_id):
            return session
        lock = self._loading.setdefault(game_id, asyncio.Lock())
        try:
            async with lock:
                session = self.sessions.get(game_id)
                if session is None:
                    session = await self._read(game_id)
                    if session is not None:
                        session = self._keep(session)
                        self._note_holders(session)
                        if session.table.status == ENDED:
                            self.ended.note(session)
        finally:
            self._loading.pop(game_id, None)
        self._stock.take(game_id)
        return session

    def _keep(self, session: Session) -> Session:
        """There is one session of a game, however many made one at the same time."""
        kept = self.sessions.setdefault(session.table.game_id, session)
        if kept is not session:
            session.close()
        return kept

    async def _read(self, game_id: str) -> Session | None:
        """A session of what the store has of a game; raises `Suspended` if there can be none."""
        why = self.suspended.why(game_id)
        if why:
            raise Suspended(why)
        header = await self.store.get_game(game_id)
        secret = await self.store.get_secret(game_id) if header is not None else None
        if header is None or secret is None:
            return None
        if header.rules_version != RULES:
            raise self._suspend(header, OTHER_RULES)
        kit = await self.packs.of(header.content_hash)
        if kit is None:
            raise self._suspend(header, OTHER_CONTENT)
        try:
            return await self._restore(header, secret, kit)
        except Exception as error:
            if isinstance(error, StoreError) and not isinstance(error, StoreDamaged):
                raise  # the store's trouble, not the game's
            logs.log.exception("a game cannot be continued", game=game_id)
            raise self._suspend(header, BROKEN) from error

    async def _restore(self, header: Header, secret: Secret, kit: Kit) -> Session:
        """Fold a game's log into a session."""
        config, rules = kit.config(header.config)
        table = new_table(header.game_id, config, rules, secret.seed)
        folded = await fold(self.store, header, table, self.time.unix_ms())
        session = self._session(table, header, secret, kit, restarted=True)
        session.go_on(self.pulse.thought_ms(folded.asked_ms))
        session.ring.extend(folded.ring)
        if session.late is not None:
            past, ring = folded.seen or (table, folded.ring)
            session.late.restore(past, ring, folded.frames)
        return session

    def _suspend(self, header: Header, why: str) -> Suspended:
        """The game is only shown from now on: it is nobody's load, and waits for nobody."""
        game_id = header.game_id
        self._stock.take(game_id)
        self._creators.leave(game_id)
        self._unstarted.remove(game_id)
        for seat in range(header.seats):
            self.arena.hold((game_id, seat), b"")
        return self.suspended.add(header, why)

    async def end_suspended(self, game_id: str, caller: Caller, note: str, asked: Asked) -> Shelved:
        """An operator ends a game that nobody can continue; a broken one is the server's fault."""
        outcome = result_pb2.GAME_OUTCOME_ABORTED
        if self.suspended.why(game_id) == BROKEN:
            outcome = result_pb2.GAME_OUTCOME_SERVER_FAULT
        if self.draining:
            raise draining()
        await (await self.shelved(game_id, caller)).end(outcome, note, self.time.unix_ms(), asked)
        self.suspended.remove(game_id)
        return await self.shelved(game_id, caller)

    async def wake_unfinished(self) -> int:
        """Take stock of unfinished games; those that go on by themselves are loaded, one by one.

        Returns how many those are. They are loaded while others play: a clock that stood still
        with the server starts again when its game is there.
        """
        alone = []
        unstarted: list[tuple[int, str]] = []
        readable: dict[str, bool] = {}
        async for header in self.store.unfinished():
            self._creators.found(header.game_id, header.creator)
            if header.game_id in self.sessions:
                continue
            if header.rules_version != RULES:
                self._suspend(header, OTHER_RULES)
                continue
            content = header.content_hash
            if content not in readable:
                readable[content] = await self.packs.of(content) is not None
            if not readable[content]:
                self._suspend(header, OTHER_CONTENT)
                continue
            try:
                if self._take_stock(header):
                    alone.append(header.game_id)
                if header.status != Status.RUNNING:
                    unstarted.append((header.created_ms, header.game_id))
            except Exception:  # noqa: BLE001 # whatever is wrong with this one
                logs.log.exception("a game cannot be continued", game=header.game_id)
                self._suspend(header, BROKEN)
        for created_ms, game_id in sorted(unstarted):
            self._unstarted.add(game_id, created_ms)
        if self.suspended:
            logs.log.warning(
                "unfinished games cannot be continued by this version; they are shown as suspended",
                games=len(self.suspended),
            )
        if alone:
            self._rousing = asyncio.create_task(self._rouse(alone))
        return len(alone)

    def _take_stock(self, header: Header) -> bool:
        """Note what a header says of a game; whether the game goes on by itself."""
        config = config_pb2.GameConfig.FromString(header.config)
        self._stock.add(header)
        for seat, holder in bot_seats(header, config).items():
            self.arena.hold((header.game_id, seat), holder)
        return goes_on_alone(header, config, self.settings)

    async def _rouse(self, game_ids: list[str]) -> None:
        for game_id in game_ids:
            try:
                await self._load(game_id)
            except Suspended:
                continue  # that is known, and said
            except Exception:  # noqa: BLE001 # the others are to be loaded
                logs.log.exception("a game could not be loaded", game=game_id)

    async def roused(self) -> None:
        """Return when the games that go on by themselves are loaded."""
        if self._rousing is not None:
            await self._rousing

    async def load_seats(self, holder: bytes) -> None:
        """Load the games in which a client holds a seat: only they know what it owes."""
        for game_id in self._stock.of(holder):
            with suppress(Suspended):
                await self._load(game_id)

    def _session(
        self, table: Table, header: Header, secret: Secret, kit: Kit, *, restarted: bool = False
    ) -> Session:
        session = Session(
            table,
            header,
            secret,
            kit.scribe(table.rules),
            store=self.store,
            time=self.time,
            settings=self.settings,
            everywhere=self.presence,
            changed=self._changed,
            waiting=self._waiting,
            restarted=restarted,
        )
        if self.draining:
            session.drain()
        return session

    # --- creating ---

    async def create(
        self, caller: Caller, request: game_service_pb2.CreateGameRequest
    ) -> tuple[Session, list[game_service_pb2.Invitation]]:
        """A new game, or the one that the same request made before."""
        holder = caller.known()
        if self.settings.operators_create and not caller.operator:
            raise Refusal(
                reasons.REJECTION_REASON_NOT_ALLOWED, "creating games is for operators here"
            )
        check_request_id(request.request_id)
        if (request.game_id or request.tournament_id) and not caller.operator:
            raise Refusal(
                reasons.REJECTION_REASON_NOT_ALLOWED,
                "only operators choose the id or the tournament of a game",
            )
        if request.request_id:
            first = await self.store.find_request(holder, request.request_id)
            if first is not None:
                return await self._created_before(caller, request, first)
        if self.draining:
            raise draining()
        self._check_creator(caller, request)
        config = config_pb2.GameConfig()
        config.CopyFrom(request.config)
        config.DiscardUnknownFields()  # they would be kept, and told to everybody
        try:
            config, rules = self.packs.served.config(config.SerializeToString(deterministic=True))
        except BadGameConfig as error:
            raise Refusal(
                reasons.REJECTION_REASON_INVALID_ARGUMENT,
                str(error),
                field=f"config.{error.field}",
            ) from error
        for number, seat in enumerate(config.seats):
            if seat.kind == config_pb2.SEAT_KIND_BOT:
                check_bot_name(seat.bot_name, f"config.seats[{number}].bot_name")
        secret = _secret_of(request)
        game_id = request.game_id or new_game_id()
        if not GAME_ID.match(game_id):
            raise Refusal(
                reasons.REJECTION_REASON_INVALID_ARGUMENT,
                "a game id has at most 64 letters, digits, '-' and '_', the first of them no '-'",
                field="game_id",
            )
        try:
            session = await self._create(game_id, config, rules, secret, caller, request)
        except Repeated as error:  # the same request at the same time
            return await self._created_before(caller, request, error.first)
        return session, self.invitations(session)

    def _check_creator(self, caller: Caller, request: game_service_pb2.CreateGameRequest) -> None:
        """What holds for creators who are not operators."""
        if caller.operator:
            return
        if self.settings.operators_seed and (request.seed or request.salt):
            raise Refusal(reasons.REJECTION_REASON_NOT_ALLOWED, "only operators bring seeds here")

    async def _created_before(
        self, caller: Caller, request: game_service_pb2.CreateGameRequest, first: Answer
    ) -> tuple[Session, list[game_service_pb2.Invitation]]:
        if first.answer != digest_of(b"create", request):
            raise reused()
        session = await self.find(first.game_id, caller)
        return session, self.invitations(session)

    async def _create(
        self,
        game_id: str,
        config: config_pb2.GameConfig,
        rules: Config,
        secret: Secret,
        caller: Caller,
        request: game_service_pb2.CreateGameRequest,
    ) -> Session:
        envelope = bytes.fromhex(commitment(secret.seed, secret.salt))
        draft = Draft.of(new_table(game_id, config, rules, secret.seed), self.time.unix_ms())
        proposals.create(
            draft,
            rules_version=RULES,
            content_hash=self.pack.digest,
            commitment=envelope,
            seed_from_creator=bool(request.seed),
        )
        entry = draft.steps[0].entry
        new = NewGame(
            game_id=game_id,
            created_ms=entry.time_unix_ms,
            rules_version=RULES,
            content_hash=self.pack.digest,
            config=config.SerializeToString(),
            commitment=envelope,
            creator=caller.holder,
            listed=config.visibility in (0, config_pb2.VISIBILITY_PUBLIC),
            seats=len(config.seats),
            rivers=config.HasField("rivers"),
            solo=config.HasField("nomad"),
            title=config.title,
            tags=tuple(config.tags),
            tournament_id=request.tournament_id,
        )
        open_seats = sum(seat.kind == config_pb2.SEAT_KIND_OPEN for seat in draft.table.seats)
        marks = Marks(status=Status.OPEN, open_seats=open_seats, sealed=config.hold_reveal or None)
        stored = Entry(
            kind="created",
            at_ms=entry.time_unix_ms,
            payload=entry.SerializeToString(),
            private=draft.steps[0].private,
            marks=marks,
        )
        asked = None
        if request.request_id:
            asked = Request(caller.holder, request.request_id, digest_of(b"create", request))
        counted = self._creators.enter(game_id, caller)
        try:
            if game_id in self.ended:  # it may have been removed from the store since
                await self.ended.forget_removed()
            if not self._pack_is_kept:
                await self.store.put_pack(self.pack.digest, self.pack.canonical)
                self._pack_is_kept = True  # and stays: nobody removes content packs
            await self.store.create_game(new, secret, [stored], request=asked)
        except StoreError as error:  # but a call that its client gives up may be written
            if counted:
                self._creators.leave(game_id)
            if isinstance(error, Repeated):
                raise
            if isinstance(error, GameExists):
                raise Refusal(
                    reasons.REJECTION_REASON_ALREADY_EXISTS, "a game of that id exists"
                ) from error
            self._pack_is_kept = False  # whatever is wrong, the next one looks again
            raise Refusal(
                reasons.REJECTION_REASON_STORE_UNAVAILABLE,
                "the log could not be written; nothing has happened",
            ) from error
        self.suspended.forget(game_id)
        session = self._session(draft.table, Header.of_new(new, marks), secret, self.packs.served)
        session.ring.append(News(entry.seq, Telling(entry.seq, entry.time_unix_ms, [])))
        session = self._keep(session)
        self._note_holders(session)  # seats may want bots
        self._unstarted.add(game_id, new.created_ms)
        return session

    async def _abort_unstarted(self, game_id: str) -> bool:
        """End a game for which nobody came; False: that could not be written."""

        def change(draft: Draft) -> None:
            if not proposals.is_open(draft.table):
                raise game_ended()  # or it has begun: either way it is let be
            proposals.abort(draft, result_pb2.GAME_OUTCOME_NEVER_STARTED)

        try:
            session = await self._load(game_id)
            if session is not None and proposals.is_open(session.table):
                await session.amend(None, change)
        except Suspended:
            return True  # only an operator ends those
        except Refusal as refusal:
            return refusal.reason == reasons.REJECTION_REASON_GAME_ENDED
        except StoreError:
            logs.log.exception("a game that never started could not be read", game=game_id)
            return False
        except Exception:  # noqa: BLE001 # the others are to be ended
            logs.log.exception("a game that never started could not be ended", game=game_id)
        return True

    def invitations(self, session: Session) -> list[game_service_pb2.Invitation]:
        """The first invitations of reserved seats: the same for every retry."""
        return [
            game_service_pb2.Invitation(seat=seat, token=session.invitations.of_creation(seat))
            for seat, known in enumerate(session.table.seats)
            if known.kind in INVITED
        ]

    # --- news ---

    def _changed(self, session: Session) -> None:
        self._note_holders(session)
        if session.table.status == ENDED:
            self._creators.leave(session.table.game_id)
            self._unstarted.remove(session.table.game_id)
            self.arena.note(session)
            self.ended.note(session)
        if self._waiting:
            for number, seat in enumerate(session.table.seats):
                if seat.holder in self._waiting and session.owes(number):
                    self._wake(seat.holder)

    def _wake(self, holder: bytes) -> None:
        for waiting in self._waiting[holder]:
            waiting.set()

    def _forget(self, session: Session) -> None:
        game_id = session.table.game_id
        if self.sessions.get(game_id) is not session:
            return  # there is another game of that id by now
        del self.sessions[game_id]
        for seat, holder in enumerate(self._holders.pop(game_id, ())):
            self._let_go(holder, game_id, seat)

    def _let_go(self, holder: bytes, game_id: str, seat: int) -> None:
        held = self.seats.get(holder, {})
        held.pop((game_id, seat), None)
        if not held:
            self.seats.pop(holder, None)
            self.presence.forget(holder)

    def _note_holders(self, session: Session) -> None:
        game_id = session.table.game_id
        holders = tuple([seat.holder for seat in session.table.seats])
        before = self._holders.get(game_id, ())
        if holders == before:
            return
        self._holders[game_id] = holders
        for seat, holder in enumerate(holders):
            if holder:
                self.seats.setdefault(holder, {})[(game_id, seat)] = session
        for seat, holder in enumerate(before):
            if holder and holder != holders[seat]:
                self._let_go(holder, game_id, seat)
        self.arena.note(session)

    def asked_ms(self, holder: bytes) -> int:
        """How long games have waited for choices of a bot, since it is attached.

        Those that wait side by side are added up.
        """
        pending = sum(
            session.pending_ms(seat) for (_, seat), session in self.seats.get(holder, {}).items()
        )
        return self.presence.waited_ms(holder) + pending

    async def news(self, holder: bytes) -> None:
        """Return when something has happened after which the client owes something."""
        waiting = asyncio.Event()
        self._waiting.setdefault(holder, set()).add(waiting)
        try:
            await waiting.wait()
        finally:
            self._waiting[holder].discard(waiting)
            if not self._waiting[holder]:
                del self._waiting[holder]

    def owes_nothing(self, holder: bytes) -> bool:
        """Whether that is known without looking: a poll of the client looked, and still waits."""
        return any(not waiting.is_set() for waiting in self._waiting.get(holder, ()))

    def enter(self, stream: PlayStream) -> None:
        """A stream opens. One whose call was accepted just before a drain is told of it too."""
        self.streams.add(stream)
        if self.draining:
            stream.goodbye(self._goodbye_ms)

    def drain(self, grace_ms: int) -> None:
        """Accept nothing more, and tell every stream so. What is being committed is finished."""
        self.draining = True
        self._goodbye_ms = min(grace_ms, GOODBYE_MS)
        if self._rousing is not None:
            self._rousing.cancel()
        for session in self.sessions.values():
            session.drain()
        for waiting in tuple(self._waiting):
            self._wake(waiting)
        self._unstarted.close()
        self.arena.drain()
        for stream in tuple(self.streams):
            stream.goodbye(self._goodbye_ms)

    def close(self) -> None:
        self._unstarted.close()
        if self._rousing is not None:
            self._rousing.cancel()
        for session in self.sessions.values():
            session.close()


def _no_game() -> Refusal:
    return Refusal(reasons.REJECTION_REASON_GAME_NOT_FOUND, "there is no such game for this caller")


def new_game_id() -> str:
    """Nobody can guess it. People type it as an argument, where a first '-' makes an option."""
    while (game_id := secrets.token_urlsafe(12)).startswith("-"):
        pass
    return game_id


def _secret_of(request: game_service_pb2.CreateGameRequest) -> Secret:
    seed = request.seed or secrets.token_bytes(SEED_BYTES)
    salt = request.salt or secrets.token_bytes(SALT_BYTES)
    if len(seed) != SEED_BYTES:
        raise Refusal(
            reasons.REJECTION_REASON_INVALID_ARGUMENT,
            f"a seed has {SEED_BYTES} bytes",
            field="seed",
        )
    if len(salt) != SALT_BYTES:
        raise Refusal(
            reasons.REJECTION_REASON_INVALID_ARGUMENT,
            f"a salt has {SALT_BYTES} bytes",
            field="salt",
        )
    return Secret(seed, salt)
