"""What probes find out about queues, with a clock that the test turns."""

from __future__ import annotations

from endless_winter.service.clocks import excused_ms
from endless_winter.service.queues import Queue
from tests.service.desk import FakeTime


def test_a_call_that_is_read_now_has_waited_as_long_as_the_probes_beside_it() -> None:
    time = FakeTime()
    queue = Queue(time)
    assert queue.wait_ms() == 0
    queue.sent()
    time.now = 300
    assert queue.wait_ms() == 300  # a probe that is not taken yet
    queue.taken()
    time.now = 900
    assert queue.wait_ms() == 300
    queue.sent()
    time.now = 950
    queue.taken()
    assert queue.wait_ms() == 300  # the last two
    queue.note(0)
    queue.note(0)  # nobody is busy any more
    assert queue.wait_ms() == 0


def test_what_the_server_stood_still_is_not_excused_twice() -> None:
    time = FakeTime()
    queue = Queue(time)
    queue.sent()
    time.now = 1_000
    time.paused = 800
    queue.taken()
    assert queue.wait_ms() == 200
    queue.sent()
    time.halt()
    time.now = 3_000
    time.resume()  # and some seconds more, in which no clock runs
    queue.taken()
    assert queue.wait_ms() == 200
    # Of a loop that is late, a queue is the longer for it: it counts only once.
    assert excused_ms(late_ms=500, paused_ms=0, delay_ms=100, queued_ms=0) == 200
    assert excused_ms(late_ms=500, paused_ms=0, delay_ms=100, queued_ms=150) == 200
    assert excused_ms(late_ms=500, paused_ms=300, delay_ms=10, queued_ms=150) == 450
