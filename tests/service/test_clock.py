"""The server's clock: it stands still while the process does, and while nothing can be stored."""

from __future__ import annotations

import asyncio

from endless_winter.service.clock import RETURN_MS, Clock, Lateness
from endless_winter.service.loader import thought_ms

HOUR = 3_600_000


def beating(at: float = 100.0, worked: float = 7.0) -> Lateness:
    """A loop whose heartbeat is due in 1/16 s, which is exact in binary."""
    lateness = Lateness()
    lateness.heartbeat(at, worked, at + 0.0625)
    return lateness


def test_a_process_that_stood_still_was_paused() -> None:
    lateness = beating()
    lateness.look(110.0625, 7.0)
    assert (lateness.paused_ms, lateness.delay_ms) == (10_000, 0)
    lateness.heartbeat(110.0625, 7.0, 110.125)  # what was seen is not seen again
    lateness.heartbeat(110.125, 7.0, 110.1875)
    assert (lateness.paused_ms, lateness.delay_ms) == (10_000, 0)


def test_a_process_that_computed_was_busy_however_long_it_took() -> None:
    lateness = beating()
    lateness.heartbeat(110.0625, 17.0, 110.125)
    assert (lateness.paused_ms, lateness.delay_ms) == (0, 10_000)
    lateness.heartbeat(110.125, 17.0, 110.1875)  # on time: a message that comes now has not waited
    assert lateness.delay_ms == 0


def test_a_process_of_many_threads_computes_more_than_time_passes() -> None:
    lateness = beating()
    lateness.heartbeat(110.0625, 27.0, 110.125)
    assert lateness.paused_ms == 0


def test_a_pause_in_the_middle_of_work_is_the_pause_alone() -> None:
    lateness = beating()
    lateness.heartbeat(105.0625, 8.0, 105.125)
    assert (lateness.paused_ms, lateness.delay_ms) == (4_062, 938)


def test_many_small_waits_are_no_pause() -> None:
    """For disks and schedulers; a client could make many of them."""
    lateness = beating()
    now = 100.0
    for _ in range(100):
        now += 0.1875
        lateness.heartbeat(now, 7.0, now + 0.0625)
    assert (lateness.paused_ms, lateness.delay_ms) == (0, 125)


def test_who_looks_often_sees_the_same_lateness() -> None:
    lateness = beating()
    for number in range(1, 65):
        lateness.look(100.0625 + number / 64, 7.0625 + number / 64)
    assert 999 <= lateness.delay_ms <= 1_000
    assert not lateness.paused_ms


class HandClock(Clock):
    """A clock that the test moves."""

    def __init__(self) -> None:
        self.at = 0.0
        super().__init__(lambda: self.at)

    def ran_ms(self, seconds: float) -> int:
        """How far the running clock goes in so many seconds."""
        before = self.now().ms
        self.at += seconds
        return self.now().ms - before


async def test_a_stall_is_known_before_the_heartbeat_beats_again() -> None:
    """An answer may be read before the heartbeat: the stall is not charged all the same."""
    clock = HandClock()
    clock.start()
    await asyncio.sleep(0)
    before = clock.unix_ms()
    assert clock.ran_ms(3.05) < 200
    assert clock.stalled_ms() > 2_850
    assert clock.unix_ms() - before == 3_050, "the calendar goes on"
    await clock.stop()


async def test_a_loop_that_comes_late_excuses_twice_that() -> None:
    """The question may have waited for it, and the answer."""
    clock = HandClock()
    clock.start()
    await asyncio.sleep(0)
    clock.at += 0.25  # less than a pause
    assert clock.now().queued_ms == 2 * 200
    assert clock.now_unary().queued_ms == 2 * 200
    clock.queues = lambda: 1_000
    assert clock.now_unary().queued_ms == 1_000
    await clock.stop()


def test_while_nothing_can_be_stored_no_clock_runs() -> None:
    clock = HandClock()
    assert clock.ran_ms(20) == 20_000
    assert clock.halt()
    assert clock.halted
    assert not clock.halt(), "it is known already"
    assert clock.ran_ms(3_600) == 0
    assert clock.resume()
    assert not clock.resume()
    assert clock.ran_ms(RETURN_MS / 1000) == 0, "who was refused has time to come again"
    assert clock.ran_ms(5) == 5_000
    assert clock.stalled_ms() == 3_600_000 + RETURN_MS


def test_trouble_that_comes_again_before_the_clocks_run_is_one_halt() -> None:
    clock = HandClock()
    for _ in range(3):
        assert clock.halt()
        assert clock.ran_ms(100) == 0
        assert clock.resume()
        assert clock.ran_ms(RETURN_MS / 2000) == 0
    assert clock.ran_ms(RETURN_MS / 2000 + 1) == 1_000


def test_thinking_before_restarts_counts_and_the_time_between_does_not() -> None:
    """A server that is restarted every day lets nobody think for ever."""
    servers = [(0, 5 * HOUR), (100 * HOUR, 109 * HOUR), (200 * HOUR, 202 * HOUR)]
    thought = (5 + 9 + 2) * HOUR - 3 * RETURN_MS
    assert thought_ms(0, servers, 300 * HOUR) == thought
    assert thought_ms(4 * HOUR, servers, 300 * HOUR) == thought - 4 * HOUR
    assert thought_ms(201 * HOUR, servers, 300 * HOUR) == HOUR - RETURN_MS
    assert thought_ms(250 * HOUR, servers, 300 * HOUR) == 0


def test_a_calendar_that_was_set_back_counts_nothing_twice() -> None:
    servers = [(7 * HOUR, 12 * HOUR), (8 * HOUR, 9 * HOUR)]
    assert thought_ms(6 * HOUR, servers, 10 * HOUR) == 2 * HOUR - 2 * RETURN_MS
