"""What probes find out about queues, with a clock that the test turns."""

from __future__ import annotations

from endless_winter.service.queues import Queue
from tests.service.inside import HandClock


def test_a_call_that_is_read_now_has_waited_as_long_as_the_probes_beside_it() -> None:
    clock = HandClock()
    queue = Queue(clock)
    assert queue.wait_ms() == 0
    queue.sent()
    clock.at = 0.5
    assert queue.wait_ms() == 500  # a probe that is not taken yet
    queue.taken()
    clock.at = 1.0
    assert queue.wait_ms() == 500
    queue.sent()
    clock.at = 1.25
    queue.taken()
    assert queue.wait_ms() == 500  # the last two
    queue.note(0)
    queue.note(0)  # nobody is busy any more
    assert queue.wait_ms() == 0


def test_what_no_clock_ran_for_is_not_excused_as_a_wait() -> None:
    clock = HandClock()
    queue = Queue(clock)
    queue.sent()
    clock.halt()
    clock.at = 3.0
    clock.resume()  # and some seconds more, in which no clock runs
    clock.at = 5.0
    queue.taken()
    assert queue.wait_ms() == 0
