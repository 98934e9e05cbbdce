"""While the file `go` is there, dozens of its processes are busy, each in its own session."""

import os
import subprocess
import threading
import time

CHILDREN = 80


def choose(decision, view):  # type: ignore[no-untyped-def] # noqa: ANN001, ANN201
    del view
    return decision.default


def burn() -> None:
    while not os.path.exists("go"):  # noqa: PTH110
        time.sleep(0.01)
    busy = ["sh", "-c", "while [ -e go ]; do :; done"]
    children = [subprocess.Popen(busy, start_new_session=True) for _ in range(CHILDREN)]
    for child in children:
        child.wait()


threading.Thread(target=burn, daemon=True).start()
