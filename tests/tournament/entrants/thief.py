"""Tries to get what is not its own, and writes down what it got.

A program of its own that plays nothing; standard library only. What to look for it finds in its
folder, as a thief may who knows the machine well.
"""

from __future__ import annotations

import contextlib
import json
import os
import socket
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


def reads(path: str) -> bool:
    """A file, or what is in a folder."""
    target = Path(path)
    return bool(list(target.iterdir()) if target.is_dir() else target.read_bytes())


def writes(path: str) -> bool:
    Path(path).write_text("stolen")
    return True


def calls(family: int, address: object) -> bool:
    with socket.socket(family) as end:
        end.settimeout(2)
        end.connect(address)  # type: ignore[arg-type]
    return True


def routes() -> bool:
    """Whether there is a way out. An address that nobody has, and nothing is sent to it."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as end:
        end.connect(("192.0.2.1", 9))
    return True


def others(what: str, word: str) -> bool:
    """Whether any process of others shows a word."""
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal() and int(entry.name) != os.getpid():
            with contextlib.suppress(OSError):
                if word.encode() in (entry / what).read_bytes():
                    return True
    return False


def signals(pid: int) -> bool:
    os.kill(pid, 0)
    return True


def main() -> None:
    while not Path("targets").exists():
        time.sleep(0.01)
    targets = json.loads(Path("targets").read_text())
    tries: dict[str, Callable[[], bool]] = {
        **{f"read {name}": partial(reads, path) for name, path in targets["read"].items()},
        **{f"write {name}": partial(writes, path) for name, path in targets["write"].items()},
        "port of the host": partial(calls, socket.AF_INET, ("127.0.0.1", targets["host port"])),
        "port of the victim": partial(calls, socket.AF_INET, ("127.0.0.1", targets["port"])),
        "socket of the victim": partial(calls, socket.AF_UNIX, f"\0{targets['abstract']}"),
        "a way out": routes,
        "variables of the victim": partial(others, "environ", "EW_BOT_NAME=victim"),
        "process of the victim": partial(others, "cmdline", "victim.py"),
        "signal to the victim": partial(signals, targets["pid"]),
    }
    loot = {}
    for name, attempt in tries.items():
        try:
            loot[name] = attempt()
        except OSError as error:
            loot[name] = False
            print(f"{name}: {error}", flush=True)
    Path("loot.new").write_text(json.dumps(loot))
    Path("loot.new").rename("loot")
    while True:
        time.sleep(1)


main()
