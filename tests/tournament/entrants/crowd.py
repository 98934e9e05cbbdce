"""Starts processes until it is refused one or has three hundred, and says how many it got."""

import os
import signal
from pathlib import Path

got = 0
try:
    while got < 300:
        if not os.fork():
            signal.pause()
            os._exit(0)
        got += 1
except OSError:
    pass
Path("count.new").write_text(str(got))
Path("count.new").rename("count")
signal.pause()
