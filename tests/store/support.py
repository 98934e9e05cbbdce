"""Small games for the tests of the store."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from endless_winter.rules.chance import commitment
from endless_winter.store.records import (
    NO_CHAIN,
    Append,
    Creation,
    Head,
    LogEntry,
    Marks,
    NewGame,
    Player,
    Request,
    Secret,
    Status,
    chain_after,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from endless_winter.store.errors import StoreError
    from endless_winter.store.protocol import Store

PACK = "feed"
SECRET = Secret(bytes(range(32)), bytes(range(32, 64)))


def creation(**changes: Any) -> Creation:
    values: dict[str, Any] = {
        "created_ms": 1_000,
        "rules_version": "1",
        "content_hash": PACK,
        "config": b"config",
        "commitment": bytes.fromhex(commitment(SECRET.seed, SECRET.salt)),
        "creator": "host",
    }
    return Creation(NewGame(**(values | changes)), SECRET, b"the pack")


def request(name: str, answer: bytes = b"answer", caller: bytes = b"caller") -> Request:
    return Request(caller, name, b"asked for " + name.encode(), answer)


def entries(game_id: str, head: Head, texts: Sequence[str]) -> list[LogEntry]:
    """What goes on from a head, the chain included."""
    seq, chain = head
    made = []
    for text in texts:
        seq += 1
        payload = text.encode()
        chain = chain_after(chain, game_id, seq, "choice", seq, payload)
        made.append(LogEntry(seq, "choice", seq, payload, chain))
    return made


def created(
    game_id: str = "one",
    *texts: str,
    asked: Request | None = None,
    marks: Marks | None = None,
    players: Sequence[Player] = (),
    **changes: Any,
) -> Append:
    log = entries(game_id, Head(0, NO_CHAIN), texts or ["created"])
    return Append(game_id, 0, log, asked, marks, players, creation=creation(**changes))


def appended(
    store: Store,
    game_id: str,
    *texts: str,
    asked: Request | None = None,
    marks: Marks | None = None,
    players: Sequence[Player] = (),
    private: Mapping[int, bytes] | None = None,
) -> Append:
    """What goes on from where a log ends now."""
    head = store.heads([game_id]).get(game_id, Head(0, NO_CHAIN))
    log = entries(game_id, head, texts)
    return Append(game_id, head.seq, log, asked, marks, players, private)


def commit(store: Store, append: Append) -> StoreError | None:
    (outcome,) = store.commit([append])
    return outcome


def create(store: Store, game_id: str = "one", **changes: Any) -> None:
    assert commit(store, created(game_id, **changes)) is None


def add(store: Store, game_id: str, *texts: str, **more: Any) -> int:
    """Append, and where the log ends then."""
    append = appended(store, game_id, *texts, **more)
    assert commit(store, append) is None
    return append.expected_seq + len(texts)


def ended(at_ms: int, *, sealed: bool = False) -> Marks:
    return Marks(status=Status.ENDED, ended_ms=at_ms, sealed=sealed)


def texts(store: Store, game_id: str) -> list[str]:
    """The payloads of a log."""
    return [entry.payload.decode() for entry in store.read(game_id)]
