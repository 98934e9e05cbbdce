"""How Prometheus gets what a server counts; all of it is made when somebody asks."""

from __future__ import annotations

from collections import Counter
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from prometheus_client import CollectorRegistry, start_http_server
from prometheus_client.core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
)
from prometheus_client.registry import Collector

from endless_winter.service import logs
from endless_winter.service.address import why_not
from endless_winter.service.meters import BOUNDS
from endless_winter.v1 import game_pb2

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from prometheus_client import Metric

    from endless_winter.service.address import Address
    from endless_winter.service.host import Host
    from endless_winter.service.meters import Histogram, Meters


def family(histogram: Histogram, name: str, text: str) -> HistogramMetricFamily:
    below = 0
    buckets = []
    for bound, count in zip((*map(str, BOUNDS), "+Inf"), histogram.counts, strict=True):
        below += count
        buckets.append((bound, below))
    return HistogramMetricFamily(name, text, buckets=buckets, sum_value=histogram.total)


def _counter(name: str, text: str, counts: Mapping[Any, int], *labels: str) -> CounterMetricFamily:
    found = CounterMetricFamily(name, text, labels=labels)
    for values, count in list(counts.items()):
        found.add_metric([values] if isinstance(values, str) else values, count)
    return found


class ServerCollector(Collector):
    """Makes the metrics of a server when they are asked for."""

    def __init__(self, host: Host, meters: Meters) -> None:
        self._host = host
        self._meters = meters

    def collect(self) -> Iterator[Metric]:
        host, meters = self._host, self._meters
        yield _counter(
            "ew_calls", "Calls that have ended, by method and code.", meters.calls, "method", "code"
        )
        yield _counter(
            "ew_limit_refusals",
            "Refusals by a rate limit or another limit, by kind.",
            meters.refusals,
            "kind",
        )
        yield CounterMetricFamily(
            "ew_decisions", "Choices in the log.", value=meters.entries["choice"]
        )
        yield _counter(
            "ew_log_entries", "Entries written to logs, by kind.", meters.entries, "kind"
        )
        yield CounterMetricFamily(
            "ew_commit_failures", "Appends that were not committed.", value=meters.commit_failures
        )
        yield family(
            meters.commit,
            "ew_commit_seconds",
            "How long commits take until they are durable, by append.",
        )
        yield from self._games()
        yield GaugeMetricFamily(
            "ew_calls_under_way",
            "Calls that were taken and whose answers are not yet with their clients.",
            value=host.limits.under_way,
        )
        yield GaugeMetricFamily("ew_streams", "Streams that are open.", value=host.limits.streams)
        yield GaugeMetricFamily(
            "ew_commands_waiting",
            "Commands that wait for a round.",
            value=host.rounds.waiting,
        )
        yield GaugeMetricFamily(
            "ew_event_loop_lag_seconds",
            "How late the event loop came to its last heartbeat.",
            value=max(host.clock.lag_ms, 0) / 1000,
        )
        yield CounterMetricFamily(
            "ew_stalled_seconds",
            "Time in which the server stood still, not just was busy; no clock is charged for it.",
            value=host.clock.stalled_ms() / 1000,
        )

    def _games(self) -> Iterator[Metric]:
        """All that are not finished, and those in memory: after a start hardly any are there."""
        # list() first: the event loop may add a game while this thread counts.
        engine = self._host.engine
        loaded = Counter([game.table.status for game in list(engine.games.values())])
        unfinished = loaded + Counter(map(int, engine.absent.statuses()))
        games = GaugeMetricFamily(
            "ew_games", "Games that are not finished, by status.", labels=["status"]
        )
        in_memory = GaugeMetricFamily(
            "ew_games_in_memory", "Games in memory, by status.", labels=["status"]
        )
        for number in game_pb2.GameStatus.values():
            name = game_pb2.GameStatus.Name(number).removeprefix("GAME_STATUS_").lower()
            if number and number != game_pb2.GAME_STATUS_ENDED:
                games.add_metric([name], unfinished[number])
            if number and number != game_pb2.GAME_STATUS_SUSPENDED:
                in_memory.add_metric([name], loaded[number])
        yield games
        yield in_memory


class MetricsError(Exception):
    """The address for metrics cannot be listened on; the message is one line for the user."""


@contextmanager
def serving_metrics(where: Address, host: Host, meters: Meters) -> Iterator[Address]:
    """Answer Prometheus by HTTP, in a thread of its own, while the block lasts."""
    registry = CollectorRegistry(auto_describe=False)
    registry.register(ServerCollector(host, meters))
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
