"""When there was a server: after a restart this tells thinking from waiting.

The server notes in the store every few seconds that it is there (rounds.py). A player who was asked
before a restart has thought for as long as there was a server; no clock ran while there was none.
"""

from __future__ import annotations

from endless_winter.service.clock import RETURN_MS


def thought_ms(asked_unix_ms: int, before: list[tuple[int, int]], start_unix_ms: int) -> int:
    """For how long servers before this one have waited for the answer to a question.

    Each of them was gone once, and the clients had to find the next.
    """
    thought = 0
    later = start_unix_ms
    for since, until in reversed(before):
        ended = min(until, later)  # a calendar that was set back counts nothing twice
        thought += max(ended - max(since, asked_unix_ms) - RETURN_MS, 0)
        later = min(since, later)
        if later <= asked_unix_ms:
            break
    return thought
