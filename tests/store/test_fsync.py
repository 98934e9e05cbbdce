"""A failed fsync: what is said about its commit stays true after any kill."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from endless_winter.store import upkeep
from endless_winter.store.sqlite import SqliteStore
from tests.foundations.tree import ROOT, needs_compiler

if TYPE_CHECKING:
    from pathlib import Path

# SQLite calls one of these for each commit; they fail as long as there is a file FSYNC_FAILS.
FAILING = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

static int call(const char *name, int file) {
    const char *flag = getenv("FSYNC_FAILS");
    if (flag && access(flag, F_OK) == 0) { errno = EIO; return -1; }
    return ((int (*)(int))dlsym(RTLD_NEXT, name))(file);
}
int fsync(int file) { return call("fsync", file); }
int fdatasync(int file) { return call("fdatasync", file); }
"""
SCRIPT = """
import json, os, sys
from pathlib import Path
from endless_winter.store.errors import StoreError
from endless_winter.store.sqlite import SqliteStore
from tests.store.support import add, appended, create, request

more, flag = int(sys.argv[2]), Path(os.environ["FSYNC_FAILS"])

def fails(call):
    try:
        call()
    except StoreError:
        return True
    return False

store = SqliteStore.open(sys.argv[1])
create(store)
add(store, "one", "two")
doubtful = appended(store, "one", *("three" * 900 for _ in range(9)), asked=request("r"))
flag.touch()
assert fails(lambda: store.commit([doubtful]))
assert fails(store.recover), "as long as nothing can be made durable"
flag.unlink()
store.recover()
found = store.heads(["one"])["one"].seq
for _ in range(more):
    found = add(store, "one", "x")
print(json.dumps(found), flush=True)
os.kill(os.getpid(), 9)
"""


@pytest.fixture(scope="module")
def failing(tmp_path_factory: pytest.TempPathFactory) -> Path:
    source = tmp_path_factory.mktemp("fsync") / "failing.c"
    source.write_text(FAILING)
    library = source.with_suffix(".so")
    compiler = os.environ.get("CC", "cc").split()
    command = [*compiler, "-shared", "-fPIC", "-o", str(library), str(source), "-ldl"]
    subprocess.run(command, check=True)
    return library


@needs_compiler
@pytest.mark.skipif(sys.platform != "linux", reason="LD_PRELOAD")
@pytest.mark.parametrize("more", [0, 1, 3])
def test_a_commit_that_was_found_missing_never_comes_back(
    failing: Path, path: Path, more: int
) -> None:
    flags = {"LD_PRELOAD": str(failing), "FSYNC_FAILS": str(path.with_name("fails"))}
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(path), str(more)],
        env=os.environ | flags,
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stderr == ""
    seq = json.loads(done.stdout)
    assert seq == 2 + more
    with SqliteStore.open(path) as store:
        assert store.warnings == [], "nothing that was acknowledged is missing"
        assert store.heads(["one"])["one"].seq == seq
        assert store.find_request(b"caller", "r", "one") is None
    assert list(upkeep.problems(path)) == []
