"""New games: what a creator may ask for, and the first entry of a log."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from endless_winter.engine.commands import Command, RequestKey, check_request_id
from endless_winter.engine.game import Game, Identity
from endless_winter.engine.refusal import Refusal, invalid
from endless_winter.engine.seats import check_bot_name
from endless_winter.engine.table import INVITED, new_table
from endless_winter.rules import RULES_VERSION
from endless_winter.rules.chance import SALT_BYTES, SEED_BYTES, commitment
from endless_winter.store.records import NO_CHAIN, Append, Creation, NewGame, Player, Secret
from endless_winter.v1 import config_pb2, game_service_pb2, replay_pb2
from endless_winter.v1 import rejection_pb2 as reasons
from endless_winter.views import BadGameConfig

if TYPE_CHECKING:
    from endless_winter.engine.clocks import Now
    from endless_winter.engine.commands import Asked
    from endless_winter.engine.draft import Draft
    from endless_winter.engine.lobby import Presence
    from endless_winter.engine.packs import Kit
    from endless_winter.engine.settings import Settings

GAME_ID: Final = re.compile(r"\A[A-Za-z0-9_][A-Za-z0-9_-]{0,63}\Z")


class CreateGame(Command):
    """A new game. The reply is its id; a retry gets the id of the first one."""

    __slots__ = ("counted", "player_id", "request", "seed", "salt")

    def __init__(
        self,
        request: game_service_pb2.CreateGameRequest,
        asked: Asked,
        game_id: str,
        player_id: str,
        seed: bytes,
        salt: bytes,
    ) -> None:
        """The random values are used where the request brings none of its own."""
        super().__init__(request.game_id or game_id, asked, request.request_id)
        self.request = request
        self.player_id = player_id
        self.seed = request.seed or seed
        self.salt = request.salt or salt
        self.counted = False  # among the games of its creator, by this command

    def key(self, game: Game | None) -> RequestKey | None:
        del game
        if not self.request_id:
            return None
        return RequestKey(self.caller.client, self.request_id, b"create", self.request)

    def _check(self, settings: Settings) -> None:
        """Refuse what this caller may not ask for."""
        caller, request = self.caller, self.request
        caller.known()
        check_request_id(request.request_id)
        if not caller.operator:
            if settings.operators_create:
                raise _not_allowed("creating games is for operators here")
            if request.game_id or request.tournament_id:
                raise _not_allowed("only operators choose the id or the tournament of a game")
            if settings.operators_seed and (request.seed or request.salt):
                raise _not_allowed("only operators bring seeds here")
        if not GAME_ID.match(self.game_id):
            raise invalid(
                "game_id",
                "a game id has at most 64 letters, digits, '-' and '_', the first of them no '-'",
            )
        if len(self.seed) != SEED_BYTES:
            raise invalid("seed", f"a seed has {SEED_BYTES} bytes")
        if len(self.salt) != SALT_BYTES:
            raise invalid("salt", f"a salt has {SALT_BYTES} bytes")

    def limit(self, append: Append, most: int) -> None:
        """Have the store count the games of the creator."""
        assert append.creation is not None
        append.creation = append.creation._replace(most_unfinished=most)

    def create(
        self, kit: Kit, settings: Settings, everywhere: Presence, now: Now
    ) -> tuple[Game, Draft, Append]:
        """The game as it would be, and what the store is to commit."""
        self._check(settings)
        request = self.request
        config = config_pb2.GameConfig()
        config.CopyFrom(request.config)
        config.DiscardUnknownFields()  # they would be stored, and shown to everybody
        encoded = config.SerializeToString(deterministic=True)
        try:
            config, rules = kit.config(encoded)
        except BadGameConfig as error:
            raise invalid(f"config.{error.field}", str(error)) from error
        for number, seat in enumerate(config.seats):
            if seat.kind == config_pb2.SEAT_KIND_BOT:
                check_bot_name(seat.bot_name, f"config.seats[{number}].bot_name")
        secret = Secret(self.seed, self.salt)
        sealed = bytes.fromhex(commitment(secret.seed, secret.salt))
        identity = Identity(self.caller.client, secret, sealed, request.tournament_id)
        table = new_table(self.game_id, config, rules, secret.seed)
        game = Game(
            table,
            identity,
            kit.scribe(rules),
            NO_CHAIN,
            settings=settings,
            everywhere=everywhere,
            now=now,
        )
        draft = game.draft(now)
        draft.players.append(Player(self.player_id, self.caller.client))
        created = replay_pb2.LogCreated(
            config=config,
            rules_version=str(RULES_VERSION),
            content_hash=kit.pack.digest,
            seed_commitment=sealed,
            seed_from_creator=bool(request.seed),
        )
        draft.add(replay_pb2.LogEntry(created=created))
        new = NewGame(
            created_ms=now.unix_ms,
            rules_version=str(RULES_VERSION),
            content_hash=kit.pack.digest,
            config=encoded,
            commitment=sealed,
            creator=self.player_id,
            listed=config.visibility in (0, config_pb2.VISIBILITY_PUBLIC),
            seats=len(config.seats),
            rivers=config.HasField("rivers"),
            solo=config.HasField("nomad"),
            title=config.title,
            tags=tuple(config.tags),
            tournament_id=request.tournament_id,
        )
        key = self.key(None)
        answered = None if key is None else key.answered(self.game_id.encode())
        creation = Creation(new, secret, kit.pack.canonical)
        return game, draft, game.append(draft, answered, creation)


def invitations_of(game: Game) -> list[game_service_pb2.Invitation]:
    """The first invitations of reserved seats: the same for every retry."""
    return [
        game_service_pb2.Invitation(seat=seat, token=game.invitations.of_creation(seat))
        for seat, known in enumerate(game.table.seats)
        if known.kind in INVITED
    ]


def _not_allowed(message: str) -> Refusal:
    return Refusal(reasons.REJECTION_REASON_NOT_ALLOWED, message)
