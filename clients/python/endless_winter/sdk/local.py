"""A table without a network: the same decisions and redacted views, for tests and training.

>>> from endless_winter.sdk import LocalTable
>>> table = LocalTable(players=2, seed=1)
>>> while not table.over:
...     table.play(table.decision.default)
>>> table.result.outcome
'completed'
"""

# ruff: noqa: SLF001 # copy() fills the private parts of another object of its own class
from __future__ import annotations

import secrets
from functools import lru_cache
from hashlib import blake2b
from typing import TYPE_CHECKING, Final

from endless_winter.content import ContentError, Pack, load_pack
from endless_winter.rules import RULES_VERSION, Config, Game, RulesError
from endless_winter.rules.chance import SEED_BYTES
from endless_winter.sdk.bot import maker
from endless_winter.sdk.catalog import Catalog
from endless_winter.sdk.configs import config_message
from endless_winter.sdk.errors import NotThisGame
from endless_winter.sdk.model import Decision, Result, Table, View, then_of
from endless_winter.v1 import (
    config_pb2,
    decision_pb2,
    game_pb2,
    view_private_pb2,
    view_public_pb2,
)
from endless_winter.views import (
    BadGameConfig,
    NoMatch,
    PublicEncoder,
    Scribe,
    Words,
    catalog_of,
    config_of,
    match_text,
    message_of,
    private_bytes,
    prompt_bytes,
    result_of,
)
from endless_winter.views.plans import end_of_plan

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from endless_winter.sdk.bot import BotLike, Choice
    from endless_winter.sdk.parts import agreed

_OPEN: Final = config_pb2.SEAT_KIND_OPEN


def seed_bytes(seed: int | bytes | None) -> bytes:
    """The 32 bytes of a seed: a number, the bytes themselves, or None for a fresh one.

    `ew match` prints and takes the same numbers, so a game there has the same shuffles here.
    """
    if seed is None:
        return secrets.token_bytes(SEED_BYTES)
    if isinstance(seed, int):
        if not 0 <= seed < 1 << 8 * SEED_BYTES:
            raise NotThisGame(f"a seed is a number from 0 up to {8 * SEED_BYTES} bits, not {seed}")
        return seed.to_bytes(SEED_BYTES, "big")
    if len(seed) != SEED_BYTES:
        raise NotThisGame(f"a seed has {SEED_BYTES} bytes, not {len(seed)}")
    return bytes(seed)


class _Kit:
    """What all tables of one pack and Megalith layout share."""

    __slots__ = ("catalog", "scribe", "words")

    def __init__(self, words: Words, catalog: Catalog, scribe: Scribe) -> None:
        self.words: Words = words
        self.catalog: Catalog = catalog
        self.scribe: Scribe = scribe


_PACKS: Final[dict[str, tuple[Words, Catalog]]] = {}
_KITS: Final[dict[tuple[str, str], _Kit]] = {}


def _kit(pack: Pack, config: Config) -> _Kit:
    key = (pack.digest, config.layout)
    kit = _KITS.get(key)
    if kit is None:
        if pack.digest not in _PACKS:
            words = Words(pack)
            _PACKS[pack.digest] = (words, Catalog.of(catalog_of(words)))
        words, catalog = _PACKS[pack.digest]
        kit = _KITS[key] = _Kit(words, catalog, Scribe(words, config))
    return kit


@lru_cache(maxsize=64)
def _default_config(pack: Pack, players: int) -> config_pb2.GameConfig:
    return message_of(Config(pack.tables, players))


class LocalTable:
    """One game, no network. What a seat gets here it would get from a server, byte for byte."""

    __slots__ = (
        "_decision",
        "_decisions",
        "_encoder",
        "_game",
        "_kit",
        "_plan_end",
        "_result",
        "_shared",
        "_views",
        "explain",
        "info",
    )

    info: game_pb2.GameInfo
    explain: bool
    """Whether decisions explain what is closed, for people (`decision.offers`)."""

    def __init__(
        self,
        players: int = 2,
        *,
        seed: int | bytes | None = None,
        config: config_pb2.GameConfig | agreed.Config | None = None,
        pack: Pack | str | Path | None = None,
        game_id: str = "",
        explain: bool = False,
    ) -> None:
        """`config` (`game_config`, `solo_config`, the `config` of another game) names seats, set-up
        and modules, and then `players` is not looked at.

        `pack` is a content pack or its file. Without a seed every game is another one.
        """
        try:
            content = pack if isinstance(pack, Pack) else load_pack(pack)
            wanted = _default_config(content, players) if config is None else config_message(config)
            rules = config_of(wanted, content)
        except (BadGameConfig, ContentError, RulesError) as error:
            raise NotThisGame(str(error)) from error
        self.explain = explain
        chance = seed_bytes(seed)
        # The id is a hash of the seed: the same game has the same id, which does not reveal it.
        name = game_id or f"local-{blake2b(chance, digest_size=8).hexdigest()}"
        self._kit: _Kit = _kit(content, rules)
        self._game: Game = Game.new(rules, chance)
        self._encoder: PublicEncoder = PublicEncoder(self._kit.words)
        self._decisions: int = 0
        self._decision: Decision | None = None
        self._views: dict[int | None, View] = {}
        self._plan_end: decision_pb2.PlanEnd.ValueType = decision_pb2.PLAN_END_UNSPECIFIED
        self._result: Result | None = None
        self._shared: bool = False
        self.info = _info(name, wanted, content.digest)

    @property
    def game_id(self) -> str:
        return self.info.game_id

    @property
    def catalog(self) -> Catalog:
        return self._kit.catalog

    @property
    def players(self) -> int:
        return len(self._game.position.players)

    @property
    def decisions(self) -> int:
        """How many were made so far."""
        return self._decisions

    @property
    def over(self) -> bool:
        return not self._game.options()

    @property
    def seat(self) -> int:
        """The seat that chooses now."""
        if self.over:
            raise NotThisGame("the game is over: look at table.result")
        return self._game.position.agenda[-1][1]

    @property
    def decision(self) -> Decision:
        """The pending decision, as its chooser gets it."""
        if self._decision is None:
            if self.over:
                raise NotThisGame("the game is over: look at table.result")
            body = self._kit.scribe.decision_bytes(
                self._game, self._decisions + 1, explain=self.explain
            )
            prompt = decision_pb2.Prompt.FromString(prompt_bytes(body, plan_end=self._plan_end))
            self._decision = Decision(prompt, self.catalog, self.info.game_id)
        return self._decision

    def view(self, seat: int | None = None) -> View:
        """The position as a seat sees it; None: as a spectator does."""
        found = self._views.get(seat)
        if found is None:
            if seat is not None and not 0 <= seat < self.players:
                raise NotThisGame(f"no seat {seat}: the game has {self.players} seats from 0")
            game, encoder, words = self._game, self._encoder, self._kit.words

            def read() -> tuple[view_public_pb2.PublicView, view_private_pb2.PrivateView | None]:
                public = view_public_pb2.PublicView.FromString(encoder.encode(game.position))
                if seat is None:
                    return public, None
                own = private_bytes(words, game.position, seat)
                return public, view_private_pb2.PrivateView.FromString(own)

            found = self._views[seat] = View(seat, self._kit.catalog, self.info, read)
        return found

    def table(self, seat: int) -> Table:
        """What a bot in this seat learns at the start."""
        options = self.info.config.seats[seat].bot_options
        return Table(seat, self._kit.catalog, self.info, options)

    def play(self, choice: Choice) -> None:
        """Carry out a choice of the pending decision; raises `IllegalChoice` if it is none.

        An option, its text or its id. By id is the quick way: nothing is written out for it. The
        texts of a `Plan` are taken as far as a server would take them; `decisions` counts each.
        """
        codes = self._game.options()
        if type(choice) is int and 0 <= choice < len(codes):
            chosen = choice
        else:
            chosen = self.decision.pick(choice).id
        # A view that nobody has read yet still needs the position; it keeps this one.
        if self._shared or any(not view.is_read for view in self._views.values()):
            self._game = self._game.copy()
            self._shared = False
        self._decision = None
        self._plan_end = decision_pb2.PLAN_END_UNSPECIFIED
        if self._views:
            self._views = {}
        self._decisions += 1
        then = then_of(choice)
        if then:
            self._follow(codes[chosen], then)
        else:
            self._game.apply(codes[chosen])

    def _follow(self, code: int, then: tuple[str, ...]) -> None:
        """Carry out a choice and the texts that are to follow it, while they fit."""
        game, seat = self._game, self.seat
        game.listen()
        happened = game.apply(code)
        for text in then:
            self._plan_end = end_of_plan(happened, game.position, seat)
            if self._plan_end:
                break
            try:
                option_id = match_text(text, game, self._kit.scribe)
            except NoMatch:
                self._plan_end = decision_pb2.PLAN_END_NO_SUCH_OPTION
                break
            happened = game.apply(game.options()[option_id])
            self._decisions += 1
        if game.position.over or self.seat != seat:
            self._plan_end = decision_pb2.PLAN_END_UNSPECIFIED  # the next seat had no plan
        self._game = game.copy()  # to which nobody listens

    @property
    def result(self) -> Result | None:
        """The result; None while the game runs."""
        if self._result is None:
            raw = result_of(self._game, decisions=self._decisions)
            if raw is not None:
                self._result = Result(raw, self.info.game_id)
        return self._result

    def copy(self) -> LocalTable:
        """An independent table in the same position, hidden cards included."""
        new = LocalTable.__new__(LocalTable)
        new._kit = self._kit
        new._game = self._game
        new._encoder = PublicEncoder(self._kit.words)
        new._decisions = self._decisions
        new._decision = self._decision
        new._views = {}
        new._plan_end = self._plan_end
        new._result = self._result
        new.info = self.info
        new.explain = self.explain
        # The first to play takes a copy of the position.
        self._shared = new._shared = True
        return new


def _info(game_id: str, config: config_pb2.GameConfig, content_hash: str) -> game_pb2.GameInfo:
    return game_pb2.GameInfo(
        game_id=game_id,
        status=game_pb2.GAME_STATUS_RUNNING,
        config=config,
        seats=[
            game_pb2.SeatInfo(seat=number, kind=seat.kind or _OPEN, taken=True, ready=True)
            for number, seat in enumerate(config.seats)
        ],
        rules_version=str(RULES_VERSION),
        content_hash=content_hash,
    )


def play_local(
    bots: Sequence[BotLike],
    seed: int | bytes | None = None,
    *,
    config: config_pb2.GameConfig | agreed.Config | None = None,
    pack: Pack | str | Path | None = None,
) -> Result:
    """Play one game between bots, one per seat, to its end.

    What a bot raises is raised here, and an illegal choice is an `IllegalChoice`: a test is to
    fail. (Over the network the default is taken and the game goes on.)
    """
    table = LocalTable(len(bots), seed=seed, config=config, pack=pack)
    if table.players != len(bots):
        raise NotThisGame(f"{len(bots)} bots for a game of {table.players} seats")
    seated = [maker(bot)() for bot in bots]
    for seat, bot in enumerate(seated):
        bot.started(table.table(seat))
    while not table.over:
        seat = table.seat
        table.play(seated[seat].choose(table.decision, table.view(seat)))
    result = table.result
    assert result is not None
    for bot in seated:
        bot.ended(result)
    return result
