"""While it is told to, dozens of its processes are busy, each in a session of its own."""

import os
import threading
import time

CHILDREN = 80


def choose(decision, view):  # type: ignore[no-untyped-def] # noqa: ANN001, ANN201
    del view
    return decision.default


def burn() -> None:
    while not os.path.exists("go"):  # noqa: PTH110
        time.sleep(0.01)
    for _ in range(CHILDREN):
        if not os.fork():
            os.setsid()
            while os.path.exists("go"):  # noqa: PTH110
                pass
            os._exit(0)


threading.Thread(target=burn, daemon=True).start()
