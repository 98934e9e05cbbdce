"""What a load process counts: answers, waits, and what the server's process used meanwhile."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any

_TICKS = os.sysconf("SC_CLK_TCK")
_PAGE = os.sysconf("SC_PAGE_SIZE")


def cpu_seconds(pid: int) -> float:
    """Processor time of a process with all its threads, as Linux counts it."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / _TICKS


def resident(pid: int) -> int:
    """Bytes of a process in memory, as Linux counts it."""
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * _PAGE


class Counter:
    """Counts after a warm-up until there are enough answers."""

    def __init__(self, wanted: int, *, warm: int = 0, server: int = 0, samples: int = 0) -> None:
        self.wanted = wanted
        self.over = False
        self._warm = warm
        self._server = server
        self._every = wanted // samples if samples else 0
        self._done = -warm
        self._waits: list[float] = []
        self._bytes = 0
        self._series: list[int] = []
        self._start = self._end = 0.0
        self._cpu = self._own_cpu = 0.0
        if not warm:
            self._begin()

    def _begin(self) -> None:
        self._cpu = cpu_seconds(self._server) if self._server else 0.0
        self._own_cpu = time.process_time()
        self._start = time.perf_counter()

    def count(self, wait: float) -> None:
        """One answer, and how long its sender waited for what follows."""
        self._done += 1
        if self._done <= 0:
            if not self._done:
                self._begin()
            return
        if self.over:
            return
        if not self._every:  # a long series does not need them
            self._waits.append(wait)
        elif self._done % self._every == 0:
            self._series.append(resident(self._server))
        if self._done >= self.wanted:
            self.over = True
            self._end = time.perf_counter()
            self._cpu = cpu_seconds(self._server) - self._cpu if self._server else 0.0
            self._own_cpu = time.process_time() - self._own_cpu

    def weigh(self, size: int) -> None:
        """Bytes that came from the server."""
        if self._done >= 0 and not self.over:
            self._bytes += size

    def figures(self) -> dict[str, Any]:
        """Rates, waits and costs, each per answer."""
        waits = sorted(self._waits) or [0.0]
        seconds = self._end - self._start
        return {
            "per_second": self.wanted / seconds,
            "p50_ms": waits[len(waits) // 2] * 1000,
            "p99_ms": waits[len(waits) * 99 // 100] * 1000,
            "most_ms": waits[-1] * 1000,
            "size": self._bytes / self.wanted,
            "server_us": self._cpu / self.wanted * 1e6,
            "load_us": self._own_cpu / self.wanted * 1e6,
            "answers": self.wanted,
            "series": self._series,
        }
