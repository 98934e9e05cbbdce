"""No room, a bad disk, a held lock: the commit fails, nothing is half-written, later it works."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from endless_winter.store import upkeep
from endless_winter.store.errors import StoreBusy
from endless_winter.store.sqlite import SqliteStore
from tests.foundations.tree import ROOT
from tests.store.support import add, appended, create, texts

if TYPE_CHECKING:
    from pathlib import Path

# In a process of its own, because the limit holds for every file that a process writes.
SCRIPT = """
import resource, sys
from endless_winter.store.errors import StoreBusy, StoreError
from endless_winter.store.sqlite import SqliteStore
from tests.store.support import add, appended, create, request

unlimited = resource.getrlimit(resource.RLIMIT_FSIZE)
with SqliteStore.open(sys.argv[1]) as store:
    create(store)
    resource.setrlimit(resource.RLIMIT_FSIZE, (400_000, unlimited[1]))
    seq = 1
    try:
        while True:
            seq = add(store, "one", "x" * 3000, asked=request(f"r{seq}"))
    except StoreError as error:
        print("refused:", error)
    for _ in range(3):
        try:
            store.recover()
            store.commit([appended(store, "one", "x" * 9000, asked=request(f"r{seq}"))])
        except StoreError:
            continue
        sys.exit("that cannot have been written")
    assert store.heads(["one"])["one"].seq == len(store.read("one", limit=10_000)) == seq > 1
    assert store.find_request(b"caller", f"r{seq}", "one") is None
    resource.setrlimit(resource.RLIMIT_FSIZE, unlimited)
    store.recover()
    for _ in range(300):
        seq = add(store, "one", "x" * 3000)
    assert len(store.read("one", limit=10_000)) == seq
    print("went on")
"""


def test_a_file_that_cannot_grow_fails_the_commit_and_is_survived(path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(path)],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
    )
    assert done.stderr == ""
    refused, went_on = done.stdout.splitlines()
    assert refused.startswith("refused: the store ")
    assert went_on == "went on"
    assert list(upkeep.problems(path)) == []


def test_a_commit_does_not_wait_for_another_process_that_writes(path: Path) -> None:
    with SqliteStore.open(path, synchronous="off") as store:
        create(store)
        append = appended(store, "one", "late")
        with closing(sqlite3.connect(path, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            with pytest.raises(StoreBusy, match="another process writes"):
                store.commit([append])
            assert texts(store, "one") == ["created"], "reading goes on"
            other.execute("ROLLBACK")
        assert store.commit([append]) == [None]
        assert add(store, "one", "on") == 3
    assert list(upkeep.problems(path)) == []
