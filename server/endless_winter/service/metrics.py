"""What a server counts, and how Prometheus gets it.

Counting is plain arithmetic on the way; everything else happens when somebody asks.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from contextlib import contextmanager
from time import perf_counter
from typing import TYPE_CHECKING

from prometheus_client import CollectorRegistry, start_http_server
from prometheus_client.core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
)
from prometheus_client.registry import Collector

from endless_winter.service import logs
from endless_winter.service.address import why_not
from endless_winter.store import StoreError
from endless_winter.store.jobs import Append
from endless_winter.v1 import game_pb2

if TYPE_CHECKING:
    from collections.abc import Iterator

    from prometheus_client import Metric

    from endless_winter.service.address import Address
    from endless_winter.service.hall import Hall
    from endless_winter.store.jobs import Outcome, Waiting

BOUNDS = (0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 5.0)


class Histogram:
    """How many values lie below each bound, and their sum."""

    def __init__(self) -> None:
        self.counts = [0] * (len(BOUNDS) + 1)
        self.total = 0.0

    def add(self, seconds: float) -> None:
        self.counts[bisect_left(BOUNDS, seconds)] += 1
        self.total += seconds

    def family(self, name: str, text: str) -> HistogramMetricFamily:
        below = 0
        buckets = []
        for bound, count in zip((*map(str, BOUNDS), "+Inf"), self.counts, strict=True):
            below += count
            buckets.append((bound, below))
        return HistogramMetricFamily(name, text, buckets=buckets, sum_value=self.total)


class Meters:
    """What is counted on the way."""

    def __init__(self) -> None:
        self.calls: Counter[tuple[str, str]] = Counter()  # by method and code
        self.entries: Counter[str] = Counter()  # of the log, by kind
        self.append_failures = 0
        self.append = Histogram()


def meter(meters: Meters, batch: list[Waiting], outcomes: list[Outcome]) -> None:
    """Count what the store's writer has done."""
    now = perf_counter()
    for waiting, outcome in zip(batch, outcomes, strict=True):
        job = waiting.job
        if not isinstance(job, Append):
            continue
        if isinstance(outcome, StoreError):
            meters.append_failures += 1
            continue
        meters.append.add(now - waiting.since)
        for entry in job.entries:
            meters.entries[entry.kind] += 1


class ServerCollector(Collector):
    """Makes the metrics of a server when they are asked for."""

    def __init__(self, hall: Hall, meters: Meters) -> None:
        self._hall = hall
        self._meters = meters

    def collect(self) -> Iterator[Metric]:
        hall, meters = self._hall, self._meters
        calls = CounterMetricFamily(
            "ew_calls", "Calls that have ended, by method and code.", labels=["method", "code"]
        )
        for (method, code), count in list(meters.calls.items()):
            calls.add_metric([method, code], count)
        yield calls
        yield CounterMetricFamily(
            "ew_decisions", "Choices in the log.", value=meters.entries["choice"]
        )
        entries = CounterMetricFamily(
            "ew_log_entries", "Entries written to logs, by kind.", labels=["kind"]
        )
        for kind, count in list(meters.entries.items()):
            entries.add_metric([kind], count)
        yield entries
        yield CounterMetricFamily(
            "ew_append_failures", "Appends that were not written.", value=meters.append_failures
        )
        yield meters.append.family(
            "ew_append_seconds", "From asking the store to the commit, in seconds."
        )
        yield self._games()
        yield GaugeMetricFamily("ew_streams", "Streams that are open.", value=hall.limits.streams)
        yield GaugeMetricFamily(
            "ew_store_waiting",
            "Writes that wait for the store.",
            value=getattr(hall.store, "waiting", 0),
        )
        yield GaugeMetricFamily(
            "ew_event_loop_lag_seconds",
            "How late the event loop came to its last heartbeat.",
            value=max(hall.time.lag_ms, 0) / 1000,
        )
        yield CounterMetricFamily(
            "ew_stalled_seconds",
            "Time in which the server stood still; no clock is charged for it.",
            value=hall.time.stalled_ms / 1000,
        )

    def _games(self) -> GaugeMetricFamily:
        games = GaugeMetricFamily("ew_games", "Games in memory, by status.", labels=["status"])
        # list() first: the event loop may add a game while this thread counts.
        counted = Counter([session.table.status for session in list(self._hall.sessions.values())])
        for number in game_pb2.GameStatus.values():
            if number:
                name = game_pb2.GameStatus.Name(number).removeprefix("GAME_STATUS_").lower()
                games.add_metric([name], counted[number])
        return games


class MetricsError(Exception):
    """The address for metrics cannot be listened on; the message is one line for the user."""


@contextmanager
def serving_metrics(where: Address, hall: Hall, meters: Meters) -> Iterator[Address]:
    """Answer Prometheus by HTTP, in a thread of its own, while the block lasts."""
    registry = CollectorRegistry(auto_describe=False)
    registry.register(ServerCollector(hall, meters))
    try:
        server, thread = start_http_server(where.port, where.host, registry)
    except OSError as error:
        raise MetricsError(f"cannot serve metrics on {where}: {why_not(where)}") from error
    listening = where._replace(port=server.server_port)
    logs.log.info("metrics", address=str(listening))
    try:
        yield listening
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
