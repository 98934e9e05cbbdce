"""What clients may write for others to read: bounded, and nothing that cannot be shown."""

from __future__ import annotations

from endless_winter.service.identity import BOT_NAME
from endless_winter.service.refusal import Refusal
from endless_winter.v1 import rejection_pb2 as reasons

MOST_NAME = 40
MOST_NOTE = 200
MOST_OPTIONS = 1000


def check_text(text: str, field: str, most: int) -> None:
    if len(text) > most or not text.isprintable():
        raise Refusal(
            reasons.REJECTION_REASON_INVALID_ARGUMENT,
            f"at most {most} characters that can be shown",
            field=field,
        )


def check_bot_name(name: str, field: str) -> None:
    if not BOT_NAME.match(name):
        raise Refusal(
            reasons.REJECTION_REASON_INVALID_ARGUMENT,
            "a bot's name has 1 to 40 letters, digits, '-' and '_'",
            field=field,
        )
