"""A refusal: the one exception with which the server says no.

Its reason is one of the contract's closed list; its text is for people and never says more than
the receiver may know. Whether the same request may be tried again follows from the reason alone:
those of `RETRY_AFTER_MS` always carry `retry_after_ms`, all others never do (decision 0157).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from endless_winter.v1 import rejection_pb2 as reasons

if TYPE_CHECKING:
    from endless_winter.v1.rejection_pb2 import RejectionReason

_PREFIX = "REJECTION_REASON_"
RECONNECT_MS = 1000  # after a drain; a server that is started again needs about that long

# The reasons that time may cure, and after how many milliseconds a request is tried again where
# nothing better is known. A new reason belongs in here if, and only if, waiting helps.
RETRY_AFTER_MS: Final[dict[RejectionReason.ValueType, int]] = {
    reasons.REJECTION_REASON_LIMIT_REACHED: 1000,
    reasons.REJECTION_REASON_BOT_UNAVAILABLE: 1000,
    reasons.REJECTION_REASON_CONFLICT: 100,
    reasons.REJECTION_REASON_STORE_UNAVAILABLE: 1000,
    reasons.REJECTION_REASON_DRAINING: RECONNECT_MS,
    reasons.REJECTION_REASON_SERVER_FAULT: 1000,
}


class Refusal(Exception):
    """Something was refused; nothing has changed."""

    def __init__(
        self,
        reason: RejectionReason.ValueType,
        message: str,
        *,
        field: str = "",
        seq: int = 0,
        pending_decision_id: int | None = None,
        wrong_answers_left: int | None = None,
        retry_after_ms: int | None = None,
    ) -> None:
        """`retry_after_ms` is for those reasons that can be cured by time, and has a default."""
        super().__init__(message)
        if reason in RETRY_AFTER_MS:
            retry_after_ms = retry_after_ms or RETRY_AFTER_MS[reason]
        elif retry_after_ms is not None:
            raise ValueError("this reason is final: RETRY_AFTER_MS does not name it")
        self.reason = reason
        self.message = message
        self.field = field
        self.seq = seq
        self.pending_decision_id = pending_decision_id
        self.wrong_answers_left = wrong_answers_left
        self.retry_after_ms = retry_after_ms

    @property
    def name(self) -> str:
        """The reason without its prefix: what ErrorInfo carries."""
        return reasons.RejectionReason.Name(self.reason).removeprefix(_PREFIX)

    def message_out(self) -> reasons.Rejection:
        """The refusal as the contract sends it in a stream."""
        return reasons.Rejection(
            reason=self.reason,
            message=self.message,
            field=self.field,
            seq=self.seq,
            pending_decision_id=self.pending_decision_id,
            wrong_answers_left=self.wrong_answers_left,
            retry_after_ms=self.retry_after_ms,
        )


def invalid(field: str, message: str) -> Refusal:
    """A field of a request that is not as it must be."""
    return Refusal(reasons.REJECTION_REASON_INVALID_ARGUMENT, message, field=field)


def no_such_game() -> Refusal:
    """An unknown game and one that is hidden from the caller look the same."""
    return Refusal(reasons.REJECTION_REASON_GAME_NOT_FOUND, "there is no such game for this caller")


def store_unavailable() -> Refusal:
    return Refusal(
        reasons.REJECTION_REASON_STORE_UNAVAILABLE,
        "the log could not be written; nothing has happened",
    )


def fault() -> Refusal:
    return Refusal(
        reasons.REJECTION_REASON_SERVER_FAULT, "a fault of the server; nothing has happened"
    )


def game_ended() -> Refusal:
    return Refusal(reasons.REJECTION_REASON_GAME_ENDED, "the game has ended")


def revoked() -> Refusal:
    return Refusal(
        reasons.REJECTION_REASON_SEAT_REVOKED, "an operator took the seat from this client"
    )


def left() -> Refusal:
    return Refusal(reasons.REJECTION_REASON_NOT_ALLOWED, "the seat was given up")


def draining() -> Refusal:
    return Refusal(
        reasons.REJECTION_REASON_DRAINING,
        "the server is shutting down; come back and resume",
    )
