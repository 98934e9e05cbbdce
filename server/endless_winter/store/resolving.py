"""What became of a round whose commit failed, by what the store has after it has recovered."""

from __future__ import annotations

from typing import TYPE_CHECKING

from endless_winter.store.errors import Conflict, NoSuchGame, Repeated, StoreError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from endless_winter.store.protocol import Store
    from endless_winter.store.records import Append


def became(store: Store, appends: Sequence[Append]) -> list[StoreError | None]:
    """The outcome of each append: None is committed, else why not, or that it just was not.

    Not by the heads: another server may have gone on from what was committed.
    """
    heads = store.heads([append.game_id for append in appends])
    outcomes: list[StoreError | None] = []
    for append in appends:
        head = heads.get(append.game_id)
        outcomes.append(_outcome(store, append, 0 if head is None else head.seq))
    return outcomes


def _outcome(store: Store, append: Append, actual: int) -> StoreError | None:
    game_id, expected = append.game_id, append.expected_seq
    if append.entries:
        last = append.entries[-1]
        if last.seq <= actual:
            found = store.read(game_id, last.seq - 1, 1)
            if found and found[0].chain == last.chain:
                return None
    if append.request is not None:
        caller, request_id, digest, answer = append.request
        first = store.find_request(caller, request_id, "" if append.creation else game_id)
        if first is not None:
            if not append.entries and (first.digest, first.answer) == (digest, answer):
                return None
            return Repeated(request_id, first)
    if actual == expected:
        return StoreError("it was not committed")
    if not actual:
        return NoSuchGame(f"there is no game {game_id}")
    return Conflict(game_id, expected, actual)
