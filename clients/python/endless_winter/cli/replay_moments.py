"""A record played again: every choice of every seat, with what that seat saw when it chose."""

from __future__ import annotations

from typing import TYPE_CHECKING

from endless_winter.bots.review import Moment
from endless_winter.cli.replay_file import ReplayError
from endless_winter.engine.table import new_table
from endless_winter.rules import RULES_VERSION, RulesError
from endless_winter.rules.chance import SEED_BYTES
from endless_winter.sdk import Catalog, Decision, View
from endless_winter.v1 import (
    decision_pb2,
    event_pb2,
    game_pb2,
    view_private_pb2,
    view_public_pb2,
)
from endless_winter.views import (
    BadGameConfig,
    PublicEncoder,
    Scribe,
    Words,
    catalog_of,
    config_of,
    private_bytes,
    prompt_bytes,
)

if TYPE_CHECKING:
    from endless_winter.content import Pack
    from endless_winter.engine.table import Table
    from endless_winter.v1 import replay_pb2

_BY = {
    event_pb2.CHOICE_ORIGIN_CLOCK: "time",
    event_pb2.CHOICE_ORIGIN_FORFEIT: "forfeit",
}


def moments_of(file: replay_pb2.ReplayFile, pack: Pack) -> list[list[Moment]]:
    """The choices of each seat that stand, in their order; none for the Nomad.

    What a moment holds is built as it was in play, for that seat and nobody else.
    """
    first = file.entries[0]
    if first.WhichOneof("entry") != "created":
        raise ReplayError("the log does not begin with the creation of the game")
    created = first.created
    if created.rules_version != str(RULES_VERSION):
        raise ReplayError(
            f"the game was played by rules version {created.rules_version[:40]!r}, and this "
            f"program has {RULES_VERSION}: it can be shown, not reviewed"
        )
    if created.content_hash != pack.digest:
        raise ReplayError(
            f"the game was played with the content pack {created.content_hash[:64]!r}, and this is "
            f"{pack.name} {pack.version} ({pack.digest}); name its pack with --content FILE"
        )
    if len(file.game.seed_reveal.seed) != SEED_BYTES:
        raise ReplayError("the seed is not revealed, so the game cannot be played again")
    try:
        rules = config_of(created.config, pack)
    except BadGameConfig as error:
        raise ReplayError(f"no game can be made of its configuration: {error}") from error
    table = new_table(file.game.game_id, created.config, rules, file.game.seed_reveal.seed)
    looking = _Looking(table, Words(pack), pack.digest)
    found: list[list[Moment]] = [[] for _ in created.config.seats]
    for entry in file.entries:
        kind = entry.WhichOneof("entry")
        if kind == "choice" and not table.seats[table.deciding_seat].is_nomad:
            found[entry.choice.seat].append(looking.moment(entry))
        elif kind == "undo":
            back = entry.undo.back_to_seq
            found = [[one for one in own if one.seq <= back] for own in found]
        try:
            table.apply(entry)
        except (RulesError, ValueError, LookupError) as error:
            raise ReplayError(
                f"entry {entry.seq} cannot be played again ({error}); 'ew replay verify' says more"
            ) from error
    return found


class _Looking:
    """Builds what the seat that chooses sees at a table."""

    def __init__(self, table: Table, words: Words, content_hash: str) -> None:
        self._table = table
        self._words = words
        self._scribe = Scribe(words, table.rules)
        self._public = PublicEncoder(words)
        self._catalog = Catalog.of(catalog_of(words))
        # Of the game only what was agreed: the head of a record has the result and the seed.
        self._info = game_pb2.GameInfo(
            game_id=table.game_id, config=table.config, content_hash=content_hash
        )

    def moment(self, entry: replay_pb2.LogEntry) -> Moment:
        """The choice of an entry that is about to happen."""
        table, choice = self._table, entry.choice
        if table.game is None or choice.seat != table.deciding_seat:
            raise ReplayError(f"entry {entry.seq}: a choice that was not asked for")
        position = table.game.position
        body = self._scribe.decision_bytes(table.game, table.decision_id)
        prompt = decision_pb2.Prompt.FromString(prompt_bytes(body))
        decision = Decision(prompt, self._catalog, table.game_id)
        if choice.option_id >= len(decision.options):
            raise ReplayError(f"entry {entry.seq}: option {choice.option_id} does not exist")
        public = self._public.encode(position, table.forfeited)
        private = private_bytes(self._words, position, choice.seat)

        def read() -> tuple[view_public_pb2.PublicView, view_private_pb2.PrivateView | None]:
            return (
                view_public_pb2.PublicView.FromString(public),
                view_private_pb2.PrivateView.FromString(private),
            )

        by = "standing" if choice.by_standing_answer else _BY.get(choice.origin, "player")
        view = View(choice.seat, self._catalog, self._info, read)
        return Moment(entry.seq, decision, view, decision.options[choice.option_id], by)
