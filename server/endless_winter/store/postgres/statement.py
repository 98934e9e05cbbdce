"""A round as one statement.

One statement is one transaction with one trip to the database: nothing is locked while a server is
stopped between two trips. It has a part for each table that the round adds to; that of plain
choices has entries and requests alone. The head of a game's log is compared and moved in its row,
and only what follows from a moved head is written. Rows are locked in the order of their numbers,
so that two rounds never wait for each other in a circle.
"""

# ruff: noqa: S608 # all SQL is made of our own names

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from endless_winter.store.postgres.arrays import Bigints, Byteas, Flags, Texts
from endless_winter.store.records import Marks, Status

if TYPE_CHECKING:
    from collections.abc import Sequence

    from endless_winter.store.records import Append, Creation, Deadline, Delivery, Uptime

Kinds = Mapping[str, type[list[Any]]]


class Statement(NamedTuple):
    """What is sent, and sent again as it is when nobody knows whether it was done."""

    sql: bytes
    values: Mapping[str, Any]


class _Part(NamedTuple):
    """What a round adds to a table: a row is a list of `columns`, and the place of its append.

    In `sql` {x} stands for the rows, and `k.ids[x.at]` is the number of the row's game, or 0 if
    its append was refused.
    """

    columns: Kinds
    sql: str


_AT: Final[Kinds] = {"at": Bigints}
_GAME: Final = "k.ids[x.at]"
_ROWS: Final = f"FROM k, {{x}} WHERE {_GAME} <> 0"
_PARTS: Final[dict[str, _Part]] = {
    "entries": _Part(
        {"seq": Bigints, "kind": Texts, "at_ms": Bigints, "payload": Byteas, "chain": Byteas},
        "INSERT INTO entries (game, seq, kind, at_ms, payload, chain) "
        f"SELECT {_GAME}, x.seq, x.kind, x.at_ms, x.payload, x.chain {_ROWS}",
    ),
    "requests": _Part(
        {
            "creates": Flags,
            "caller": Byteas,
            "request_id": Byteas,
            "seq": Bigints,
            "digest": Byteas,
            "answer": Byteas,
        },
        "INSERT INTO requests (scope, caller, request_id, game, seq, digest, answer) "
        f"SELECT CASE WHEN x.creates THEN 0 ELSE {_GAME} END, "
        f"x.caller, x.request_id, {_GAME}, x.seq, x.digest, x.answer {_ROWS}",
    ),
    "private": _Part(
        {"seq": Bigints, "data": Byteas},
        f"INSERT INTO private_parts (game, seq, data) SELECT {_GAME}, x.seq, x.data {_ROWS}",
    ),
    "people": _Part(
        {"player_id": Texts, "client": Byteas, "display_name": Texts},
        "INSERT INTO people (game, player_id, client, display_name) "
        f"SELECT {_GAME}, x.player_id, x.client, x.display_name {_ROWS} "
        "ON CONFLICT (game, player_id) "
        "DO UPDATE SET client = excluded.client, display_name = excluded.display_name",
    ),
    "seats": _Part(
        {"seat": Bigints, "player_id": Texts},
        f"INSERT INTO seats (game, seat, player_id) SELECT {_GAME}, x.seat, x.player_id {_ROWS} "
        "ON CONFLICT (game, seat) DO UPDATE SET player_id = excluded.player_id",
    ),
    "freed": _Part(
        {"seat": Bigints},
        f"DELETE FROM seats s USING k, {{x}} WHERE s.game = {_GAME} AND s.seat = x.seat",
    ),
    "tags": _Part({"tag": Texts}, f"INSERT INTO tags (game, tag) SELECT {_GAME}, x.tag {_ROWS}"),
    "secrets": _Part(
        {"seed": Byteas, "salt": Byteas},
        f"INSERT INTO secrets (game, seed, salt) SELECT {_GAME}, x.seed, x.salt {_ROWS}",
    ),
    "packs": _Part(
        {"hash": Texts, "data": Byteas},
        f"INSERT INTO packs (hash, data) SELECT x.hash, x.data {_ROWS} ON CONFLICT DO NOTHING",
    ),
}

_HEADS: Final[Kinds] = {
    "game": Texts,
    "expect": Bigints,
    "previous": Byteas,  # the hash of the entry before; NULL: it is not compared
    "head": Bigints,
    "chain": Byteas,
}
_MARKS: Final[Kinds] = {
    "status": Bigints,
    "started_ms": Bigints,
    "ended_ms": Bigints,
    "open_seats": Bigints,
    "sealed": Flags,
    "summary": Byteas,
}
_TIMERS: Final[Kinds] = {
    "timed": Flags,  # whether the game's timers change
    "wait_ms": Bigints,
    "node": Texts,
    "thought_ms": Bigints,
}
NOW_MS: Final = "(extract(epoch FROM clock_timestamp()) * 1000)::bigint"
"""The database's calendar. Each use in a statement looks at it anew."""
_MARKED: Final = [f"{name} = coalesce(r.{name}, g.{name})" for name in _MARKS]
_SET_TIMERS: Final = [
    f"deadline_ms = CASE WHEN r.timed THEN {NOW_MS} + r.wait_ms ELSE g.deadline_ms END",
    "node = CASE WHEN r.timed THEN r.node ELSE g.node END",
    (
        "delivered_ms = CASE WHEN NOT r.timed THEN g.delivered_ms "
        f"WHEN r.node <> '' THEN {NOW_MS} - r.thought_ms END"
    ),
]
_OVERDUE: Final[Kinds] = {"overdue": Flags}
_IS_OVERDUE: Final = f"(NOT r.overdue OR g.deadline_ms <= (SELECT {NOW_MS}))"
_START: Final = Marks(status=Status.OPEN, open_seats=0, sealed=False, summary=b"")
_NEW: Final[Kinds] = {
    "created_ms": Bigints,
    "rules_version": Texts,
    "content_hash": Texts,
    "config": Byteas,
    "commitment": Byteas,
    "creator": Texts,
    "listed": Flags,
    "seats": Bigints,
    "rivers": Flags,
    "solo": Flags,
    "title": Texts,
    "tournament_id": Texts,
}
_CREATED: Final[Kinds] = {
    "at": Bigints,
    "id": Bigints,
    "game_id": Texts,
    "head": Bigints,
    "chain": Byteas,
    **_NEW,
    **_MARKS,
    **_TIMERS,
    "most": Bigints,  # so many unfinished games may the client have; NULL: any number
    "client": Byteas,
}
_UNFINISHED: Final = (
    "SELECT count(*) FROM people p JOIN games g ON g.id = p.game AND g.creator = p.player_id "
    "WHERE p.client = x.client AND p.client <> ''::bytea AND g.status < 4"
)


class _Columns:
    """The rows of each part of a round, column by column."""

    def __init__(self) -> None:
        self.values: dict[str, Any] = {}
        self.parts: dict[str, Kinds] = {}

    def add(self, part: str, kinds: Kinds, *row: Any) -> None:
        if part not in self.parts:
            self.parts[part] = kinds
            self.values |= {f"{part}_{name}": kind() for name, kind in kinds.items()}
        for name, value in zip(kinds, row, strict=True):
            self.values[f"{part}_{name}"].append(value)

    def into(self, part: str, at: int, *row: Any) -> None:
        self.add(part, {**_PARTS[part].columns, **_AT}, *row, at)


def statement(
    appends: Sequence[Append],
    uptime: Uptime | None,
    numbers: Sequence[int],
    known_packs: frozenset[str],
) -> Statement:
    """A round; `numbers` are for the games that it creates."""
    columns = _Columns()
    free = iter(numbers)
    old = [append for append in appends if append.creation is None]
    optional = (
        any(append.marks is not None for append in old),
        any(append.deadline is not None for append in old),
        any(append.overdue for append in old),
    )
    heads = _heads(*optional)
    for at, append in enumerate(appends, 1):
        head, chain = append.expected_seq, None
        if append.entries:
            head, chain = append.entries[-1].seq, append.entries[-1].chain
        game_id = append.game_id if append.creation is None else None  # which has no head yet
        row = [game_id, append.expected_seq, append.previous, head, chain]
        marked, timed, overdue = optional
        if marked:
            row += [getattr(append.marks, name, None) for name in _MARKS]
        if timed:
            row += _timers(append.deadline)
        if overdue:
            row.append(append.overdue)
        columns.add("r", heads, *row)
        if append.creation is not None:
            if append.expected_seq:
                continue  # it is refused
            _create(columns, at, append, append.creation, next(free), known_packs)
        _add(columns, at, append)
    values = columns.values
    values["count"] = len(appends)
    if uptime is not None:
        values |= {"since_ms": uptime.since_ms, "until_ms": uptime.until_ms}
    return Statement(_sql(frozenset(columns.parts), optional, uptime is not None), values)


def _heads(marked: bool, timed: bool, overdue: bool) -> Kinds:  # noqa: FBT001 # which columns
    return {
        **_HEADS,
        **(_MARKS if marked else {}),
        **(_TIMERS if timed else {}),
        **(_OVERDUE if overdue else {}),
    }


def _timers(deadline: Deadline | None) -> list[Any]:
    return [False, None, "", 0] if deadline is None else [True, *deadline]


def deliveries(found: Sequence[Delivery]) -> Statement:
    """Timers of games whose logs end where they should; all others stay as they are."""
    kinds: Kinds = {"game": Texts, "expect": Bigints, **_TIMERS}
    columns = _Columns()
    for one in found:
        columns.add("r", kinds, one.game_id, one.seq, *_timers(one.deadline))
    sql = (
        f"WITH r AS MATERIALIZED (SELECT r.*, g.id FROM unnest({_given('r', kinds)}) "
        f"AS r({', '.join(kinds)}) JOIN games g ON g.game_id = r.game AND g.head = r.expect "
        "ORDER BY g.id FOR NO KEY UPDATE OF g) "
        f"UPDATE games g SET {', '.join(_SET_TIMERS)} FROM r "
        "WHERE g.id = r.id AND g.head = r.expect"
    )
    return Statement(sql.encode(), columns.values)


def _create(
    columns: _Columns,
    at: int,
    append: Append,
    creation: Creation,
    number: int,
    known_packs: frozenset[str],
) -> None:
    new, secret = creation.game, creation.secret
    last = append.entries[-1]
    row = [at, number, append.game_id, last.seq, last.chain]
    row += [getattr(new, name) for name in _NEW]
    for name in _MARKS:
        value = getattr(append.marks, name, None)
        row.append(getattr(_START, name) if value is None else value)
    clients = [player.client for player in append.players if player.player_id == new.creator]
    client = clients[-1] if clients else b""
    most = creation.most_unfinished
    if most is not None and "created" in columns.parts:
        most -= columns.values["created_client"].count(client)  # the statement does not see those
    row += [*_timers(append.deadline), most, client]
    columns.add("created", _CREATED, *row)
    columns.into("secrets", at, secret.seed, secret.salt)
    for tag in sorted(set(new.tags)):
        columns.into("tags", at, tag)
    if new.content_hash not in known_packs:
        columns.into("packs", at, new.content_hash, creation.pack)


def _add(columns: _Columns, at: int, append: Append) -> None:
    for entry in append.entries:
        columns.into("entries", at, entry.seq, entry.kind, entry.at_ms, entry.payload, entry.chain)
    if append.request is not None:
        caller, request_id, digest, answer = append.request
        creates = append.creation is not None
        seq = append.expected_seq + len(append.entries)
        columns.into("requests", at, creates, caller, request_id.encode(), seq, digest, answer)
    if append.private:
        for seq, data in append.private.items():
            columns.into("private", at, seq, data)
    for player in {player.player_id: player for player in append.players}.values():
        columns.into("people", at, *player)
    if append.marks is not None:
        for seat, player_id in append.marks.seats.items():
            if player_id:
                columns.into("seats", at, seat, player_id)
            else:
                columns.into("freed", at, seat)


@lru_cache(maxsize=256)
def _sql(parts: frozenset[str], optional: tuple[bool, bool, bool], uptime: bool) -> bytes:  # noqa: FBT001 # cache key
    """The text of a round with these parts; each is prepared once by each connection."""
    steps = []
    ids = "SELECT at, 0 AS id FROM generate_series(1, %(count)b::bigint) AS every(at)"
    result = "SELECT '{}'::bigint[]"
    if "r" in parts:
        marked, timed, overdue = optional
        heads = _heads(*optional)
        when = f" AND {_IS_OVERDUE}" if overdue else ""
        steps.append(
            f"r AS MATERIALIZED (SELECT r.*, g.id FROM unnest({_given('r', heads)}) "
            f"WITH ORDINALITY AS r({', '.join(heads)}, at) JOIN games g ON g.game_id = r.game "
            f"AND g.head = r.expect AND g.chain = coalesce(r.previous, g.chain){when} "
            "ORDER BY g.id FOR NO KEY UPDATE OF g)"
        )
        sets = ["head = r.head", "chain = coalesce(r.chain, g.chain)"]
        sets += [*(_MARKED if marked else ()), *(_SET_TIMERS if timed else ())]
        steps.append(
            f"moved AS (UPDATE games g SET {', '.join(sets)} FROM r "
            f"WHERE g.id = r.id AND g.head = r.expect{when} RETURNING r.at, g.id)"
        )
        ids += " UNION ALL SELECT at, id FROM moved"
        result = "SELECT ids FROM k"
    if "created" in parts:
        names = ", ".join(("id", "game_id", "head", "chain", *_NEW, *_MARKS, "node"))
        steps.append(
            f"created AS (INSERT INTO games ({names}, deadline_ms, delivered_ms) SELECT {names}, "
            f"CASE WHEN timed THEN {NOW_MS} + wait_ms END, "
            f"CASE WHEN timed AND node <> '' THEN {NOW_MS} - thought_ms END "
            f"FROM unnest({_given('created', _CREATED)}) AS x({', '.join(_CREATED)}) "
            f"WHERE x.most IS NULL OR ({_UNFINISHED}) < x.most "
            "ON CONFLICT (game_id) DO NOTHING RETURNING id)"
        )
        ids += (
            " UNION ALL SELECT x.at, x.id FROM unnest(%(created_at)b, %(created_id)b) AS x(at, id) "
            "WHERE x.id IN (SELECT id FROM created)"
        )
    steps.append(
        "k AS MATERIALIZED (SELECT array_agg(id ORDER BY at) AS ids "
        f"FROM (SELECT at, max(id) AS id FROM ({ids}) AS each GROUP BY at) AS one)"
    )
    for name, part in _PARTS.items():
        if name in parts:
            columns = {**part.columns, **_AT}
            rows = f"unnest({_given(name, columns)}) AS x({', '.join(columns)})"
            steps.append(f"{name} AS ({part.sql.format(x=rows)})")
    if uptime:
        steps.append(
            "uptime AS (INSERT INTO uptimes AS u (since_ms, until_ms) "
            "VALUES (%(since_ms)b, %(until_ms)b) ON CONFLICT (since_ms) "
            "DO UPDATE SET until_ms = greatest(u.until_ms, excluded.until_ms))"
        )
    return f"WITH {', '.join(steps)} {result}".encode()


def _given(part: str, kinds: Kinds) -> str:
    return ", ".join(f"%({part}_{name})b" for name in kinds)
