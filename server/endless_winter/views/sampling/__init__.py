"""Worlds that agree with a view: for search, and for bots that look a step ahead.

`sample(view, rng)` builds a game of the rules core that has this very view: everything public and
the viewer's own cards are as they are, whatever else there is (other hands, the order of decks,
buried cards, face-down tokens) is drawn at random from what is possible, and the seed is fresh. A
client never holds the server's seed, so what a sampled game draws next is chance anew.

    game = sample(view, rng)                    # one world
    known = read(view); games = [known.draw(rng) for _ in range(100)]      # many of one view

`Sampler(pack, config)` does the same from parsed protobuf messages, for one configuration.
docs/search.md shows how to search with it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Protocol

from endless_winter.content import load_pack
from endless_winter.rules import Game, agenda
from endless_winter.views.config import config_of
from endless_winter.views.errors import BadGameConfig, BadView
from endless_winter.views.sampling.known import Known
from endless_winter.views.sampling.lexicon import Lexicon
from endless_winter.views.sampling.reading import Reader

if TYPE_CHECKING:
    from collections.abc import Sequence
    from random import Random

    from endless_winter.content import Pack
    from endless_winter.rules import Config
    from endless_winter.v1 import game_pb2, view_private_pb2, view_public_pb2

__all__ = ["BadView", "Known", "Sampler", "read", "sample"]


class Seen(Protocol):
    """A view with what was agreed: the SDK's `View` is one."""

    @property
    def seat(self) -> int | None: ...
    @property
    def public(self) -> view_public_pb2.PublicView: ...
    @property
    def private(self) -> view_private_pb2.PrivateView: ...
    @property
    def info(self) -> game_pb2.GameInfo: ...


class _Worded(Protocol):
    @property
    def text(self) -> str: ...


class Asked(Protocol):
    """A decision, the SDK's or the contract's: only the texts of its options are read."""

    @property
    def options(self) -> Sequence[_Worded]: ...


class Sampler:
    """Reads the views of games of one configuration."""

    __slots__ = ("_reader",)

    def __init__(self, pack: Pack, config: Config) -> None:
        self._reader: Reader = Reader(_lexicon(pack), config)

    def read(
        self,
        public: view_public_pb2.PublicView,
        private: view_private_pb2.PrivateView | None = None,
    ) -> Known:
        """What follows from a view; without a private part, what a spectator knows."""
        try:
            return Known(self._reader, public, private)
        except (KeyError, ValueError, IndexError) as error:
            raise BadView(
                f"the view does not fit the game ({error!r}): "
                "another content pack or configuration, or a game that has not started"
            ) from None

    def sample(
        self,
        public: view_public_pb2.PublicView,
        private: view_private_pb2.PrivateView | None,
        rng: Random,
    ) -> Game:
        """One world: `read` and a single draw."""
        return self.read(public, private).draw(rng)


_MOST_KEPT: Final = 64
_LEXICONS: Final[dict[str, Lexicon]] = {}
_SAMPLERS: Final[dict[tuple[str, bytes], Sampler]] = {}


def _lexicon(pack: Pack) -> Lexicon:
    known = _LEXICONS.get(pack.digest)
    if known is None:
        if len(_LEXICONS) >= _MOST_KEPT:
            _LEXICONS.clear()
        known = _LEXICONS[pack.digest] = Lexicon(pack)
    return known


def sampler_of(info: game_pb2.GameInfo, pack: Pack | None = None) -> Sampler:
    """The sampler for a game; `pack` if it is not the one that comes with the engine."""
    if pack is None:
        pack = load_pack()
    wanted = info.content_hash or info.config.content_hash
    if wanted and wanted != pack.digest:
        raise BadView(
            f"the game is played with content pack {wanted[:12]}..., "
            f"this is {pack.digest[:12]}...: give the right one as pack=load_pack(path)"
        )
    key = (pack.digest, info.config.SerializeToString(deterministic=True))
    known = _SAMPLERS.get(key)
    if known is None:
        if len(_SAMPLERS) >= _MOST_KEPT:
            _SAMPLERS.clear()
        try:
            known = _SAMPLERS[key] = Sampler(pack, config_of(info.config, pack))
        except BadGameConfig as error:
            raise BadView(f"no game that can be sampled here: {error}") from None
    return known


def read(view: Seen, *, pack: Pack | None = None) -> Known:
    """What follows from a view: read once, draw worlds as often as you like."""
    private = None if view.seat is None else view.private
    return sampler_of(view.info, pack).read(view.public, private)


def sample(
    view: Seen, rng: Random, decision: Asked | None = None, *, pack: Pack | None = None
) -> Game:
    """A game that has this very view, everything hidden drawn at random, with a fresh seed.

    The view shows all that is needed. With `decision`, the viewer's pending one, it is also
    checked that the game offers the same options in the same order; `BadView` is raised if not,
    which means that the server plays by other rules than those installed here.
    """
    game = read(view, pack=pack).draw(rng)
    if decision is not None:
        codes = game.options()
        offered = decision.options
        if len(codes) != len(offered) or any(
            game.text(code) != option.text for code, option in zip(codes, offered, strict=True)
        ):
            kind = agenda.OPERATION_NAMES[game.position.agenda[-1][0]] if codes else "none"
            raise BadView(
                f"the decision is not the one of the view, or the server plays by other rules "
                f"({len(offered)} options given, {len(codes)} of a {kind} decision found)"
            )
    return game
