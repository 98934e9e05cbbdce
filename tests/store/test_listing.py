"""Finding games: filters, pages, what stays unseen, and where a server goes on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from endless_winter.store import (
    UNFINISHED,
    BadPageToken,
    Header,
    Marks,
    Query,
    SqliteStore,
    Status,
    rows,
    upkeep,
)
from tests.store.support import PACK, SECRET, create, ended, entry, new_game, opened

if TYPE_CHECKING:
    from pathlib import Path

ME, YOU = b"hash of me", b"hash of you"


async def listed(store: SqliteStore, **conditions: Any) -> list[str]:
    page = await store.list_games(Query(**conditions))
    assert page.next_token == ""
    return [game.game_id for game in page.games]


async def test_a_game_has_a_header(store: SqliteStore) -> None:
    await store.put_pack(PACK, b"pack")
    new = new_game(
        "one",
        creator=ME,
        listed=False,
        seats=4,
        rivers=True,
        title="A game",
        tags=("b", "a"),
        tournament_id="cup",
    )
    marks = Marks(open_seats=3, summary=b"shown", holders={0: ME})
    await store.create_game(new, SECRET, [entry("created", marks), entry()])
    assert await store.get_game("one") == Header(
        game_id="one",
        created_ms=1_000,
        rules_version="1",
        content_hash=PACK,
        config=b"config",
        commitment=b"sealed",
        creator=ME,
        listed=False,
        seats=4,
        rivers=True,
        solo=False,
        title="A game",
        tags=("a", "b"),
        tournament_id="cup",
        last_seq=2,
        status=Status.OPEN,
        started_ms=None,
        ended_ms=None,
        open_seats=3,
        sealed=False,
        summary=b"shown",
        holders={0: ME},
    )


@pytest.mark.parametrize(
    ("more", "marks"),
    [
        ({}, Marks(open_seats=2)),
        ({"tags": ("b", "a", "b"), "seats": 4}, Marks(status=Status.OPEN, sealed=True)),
        ({"creator": ME}, Marks(status=Status.RUNNING, started_ms=3, holders={0: ME, 1: b""})),
        ({"title": "x"}, Marks(status=Status.ENDED, ended_ms=4, summary=b"s")),
    ],
)
async def test_the_header_of_a_new_game_need_not_be_read(
    store: SqliteStore, more: dict[str, Any], marks: Marks
) -> None:
    await store.put_pack(PACK, b"pack")
    new = new_game("one", **more)
    await store.create_game(new, SECRET, [entry("created", marks)])
    assert Header.of_new(new, marks) == await store.get_game("one")


async def test_marks_move_the_header_and_nothing_else_does(store: SqliteStore) -> None:
    await create(store)
    await store.append("one", 1, [entry("seat", Marks(holders={0: ME, 2: YOU}, open_seats=1))])
    await store.append("one", 2, [entry("nothing")])
    started = Marks(status=Status.RUNNING, started_ms=7, holders={2: b""}, summary=b"on")
    await store.append("one", 3, [entry("start", started), entry("seal", Marks(sealed=True))])
    header = await store.get_game("one")
    assert header is not None
    assert (header.last_seq, header.status, header.started_ms) == (5, Status.RUNNING, 7)
    assert (header.holders, header.open_seats) == ({0: ME}, 1)
    assert (header.summary, header.sealed, header.ended_ms) == (b"on", True, None)


async def test_a_refused_append_leaves_the_header(store: SqliteStore) -> None:
    await create(store)
    before = await store.get_game("one")
    with pytest.raises(Exception, match="ends at 1"):
        await store.append("one", 5, [ended(9)])
    assert await store.get_game("one") == before


async def test_no_listing_and_no_log_holds_a_seed(store: SqliteStore) -> None:
    await create(store)
    header = await store.get_game("one")
    shown = repr((header, await store.read("one"), await store.list_games(Query())))
    assert repr(SECRET.seed)[2:-1] not in shown
    assert repr(SECRET.salt)[2:-1] not in shown
    (data,) = store._writer.commits._connection.execute("SELECT data FROM moments").fetchone()
    (row,) = rows.unpack(data)
    trace = row.marks
    assert "config" in trace
    assert SECRET.seed.hex() not in trace


async def test_newest_first_in_pages_that_do_not_shift(store: SqliteStore) -> None:
    for number in range(10):
        await create(store, f"game-{number}", created_ms=1_000 + number // 3)
    expected = [f"game-{number}" for number in reversed(range(10))]
    assert await listed(store) == expected
    got: list[str] = []
    token = ""
    for _ in range(4):
        page = await store.list_games(Query(), limit=3, token=token)
        got += [game.game_id for game in page.games]
        token = page.next_token
        await create(store, f"newer-{len(got)}", created_ms=9_000)  # between two pages
    assert token == ""
    assert got == expected


async def test_who_takes_only_some_of_a_page_goes_on_after_those(store: SqliteStore) -> None:
    for number in range(7):
        await create(store, f"game-{number}", created_ms=1_000 + number // 3)
    page = await store.list_games(Query())
    for count in range(1, 7):
        rest = await store.list_games(Query(), token=page.after(count))
        assert rest.games == page.games[count:]


async def test_a_last_page_that_is_full_says_so(store: SqliteStore) -> None:
    await create(store, "a")
    await create(store, "b")
    assert (await store.list_games(Query(), limit=2)).next_token == ""


@pytest.mark.parametrize("token", ["x", "!!", "MTAwMA", "ä", "OTk5OTk5OTk5OTk5OTk5OTk5OTk5OTkuMQ"])
async def test_a_made_up_page_token_is_refused(store: SqliteStore, token: str) -> None:
    with pytest.raises(BadPageToken):
        await store.list_games(Query(), token=token)


async def test_each_filter_filters(store: SqliteStore) -> None:
    await create(store, "plain", seats=2)
    await create(store, "tagged", seats=4, tags=("ladder", "x"), created_ms=2_000)
    await create(store, "cup", seats=4, tournament_id="cup", rivers=True)
    await create(store, "alone", seats=2, solo=True)
    await store.append("plain", 1, [entry("open", Marks(open_seats=1))])
    await store.append("tagged", 1, [entry("go", Marks(status=Status.RUNNING))])
    assert await listed(store, tag="ladder") == ["tagged"]
    assert await listed(store, tag="lad") == []
    assert await listed(store, tournament_id="cup") == ["cup"]
    assert await listed(store, seats=2) == ["alone", "plain"]
    assert await listed(store, rivers=True) == ["cup"]
    assert await listed(store, rivers=False) == ["tagged", "alone", "plain"]
    assert await listed(store, solo=True) == ["alone"]
    assert await listed(store, joinable=True) == ["plain"]
    assert await listed(store, created_from_ms=1_001) == ["tagged"]
    assert await listed(store, statuses=frozenset({Status.RUNNING})) == ["tagged"]
    assert await listed(store, statuses=frozenset({Status.OPEN}), seats=4) == ["cup"]


async def test_who_asks_decides_which_games_are_seen(store: SqliteStore) -> None:
    await create(store, "public")
    await create(store, "hidden", listed=False)
    await create(store, "created", listed=False, creator=ME)
    await create(store, "held", listed=False)
    await store.append("held", 1, [entry("seat", Marks(holders={1: ME}))])
    assert await listed(store) == ["public"]
    assert await listed(store, client=ME) == ["held", "created", "public"]
    assert await listed(store, client=YOU) == ["public"]
    assert await listed(store, client=ME, mine=True) == ["held", "created"]
    assert await listed(store, client=YOU, mine=True) == []
    assert await listed(store, mine=True) == [], "nobody's games are not everybody's"
    assert await listed(store, everything=True) == ["held", "created", "hidden", "public"]
    await store.append("held", 2, [entry("left", Marks(holders={1: b""}))])
    assert await listed(store, client=ME, mine=True) == ["created"]


async def test_games_of_other_rules_count_as_suspended(store: SqliteStore) -> None:
    await create(store, "old", rules_version="1")
    await create(store, "new", rules_version="2")
    await create(store, "over", rules_version="1")
    await store.append("over", 1, [ended(5)])
    await store.append("new", 1, [entry("open", Marks(open_seats=1))])
    await store.append("old", 1, [entry("open", Marks(open_seats=1))])

    async def asked(*statuses: Status, **more: Any) -> list[str]:
        return await listed(store, statuses=frozenset(statuses), rules_version="2", **more)

    assert await asked(Status.OPEN) == ["new"]
    assert await asked(Status.SUSPENDED) == ["old"]
    assert await asked(Status.OPEN, Status.SUSPENDED) == ["new", "old"]
    assert await asked(Status.ENDED) == ["over"]
    assert await asked(joinable=True) == ["new"]
    assert await asked(*UNFINISHED) == ["new"]

    more = frozenset({"new", "over", "nowhere"})  # that a server has found to be so
    assert await asked(Status.SUSPENDED, suspended=more) == ["new", "old"]
    assert await asked(*UNFINISHED, suspended=more) == []
    assert await asked(Status.ENDED, suspended=more) == ["over"]


async def test_a_start_finds_every_unfinished_game(path: Path) -> None:
    async with opened(path) as store:
        for number in range(1_203):
            await create(store, f"game-{number}", listed=number % 2 == 0)
            if number % 3 == 0:
                await store.append(f"game-{number}", 1, [ended(number)])
    async with opened(path) as store:
        found = [game.game_id async for game in store.unfinished()]
        assert found == [f"game-{n}" for n in reversed(range(1_203)) if n % 3]
        plan = store._writer.commits._connection.execute(
            "EXPLAIN QUERY PLAN SELECT id FROM games g WHERE g.status < 4 "
            "ORDER BY g.created_ms DESC, g.id DESC"
        ).fetchall()
        assert "games_unfinished" in plan[0][3], "ended games cost nothing"
    assert list(upkeep.problems(path)) == []
