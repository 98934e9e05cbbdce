"""What can go wrong. Each message is one line that says what to do next."""

from __future__ import annotations

from endless_winter.v1 import rejection_pb2

_PREFIX = "REJECTION_REASON_"


class SdkError(Exception):
    """Something that the author or user can do something about."""


class IllegalChoice(SdkError):
    """A bot returned something that is none of the decision's options."""


class BotFailed(SdkError):
    """A bot could not be loaded or started."""


class NotThisGame(SdkError):
    """The content, configuration or seat asked for does not fit this game."""


class BadAddress(SdkError):
    """An address, secret or setting that cannot be right."""


class ServerGone(SdkError):
    """No server answers there, or not any more."""


class WrongServer(SdkError):
    """Something answers, but not a server of this contract."""


class Refused(SdkError):
    """The server refused; `reason` is the contract's number, `name` its name."""

    def __init__(
        self,
        reason: rejection_pb2.RejectionReason.ValueType,
        message: str,
        *,
        field: str = "",
        pending_decision_id: int | None = None,
        wrong_answers_left: int | None = None,
        retry_after_ms: int | None = None,
    ) -> None:
        self.reason: rejection_pb2.RejectionReason.ValueType = reason
        self.message: str = message
        self.field: str = field
        self.pending_decision_id: int | None = pending_decision_id
        self.wrong_answers_left: int | None = wrong_answers_left
        self.retry_after_ms: int | None = retry_after_ms
        where = f" ({field})" if field else ""
        super().__init__(f"refused, {self.name}: {message}{where}")

    @property
    def name(self) -> str:
        """The reason without its prefix ("STALE_DECISION"); a newer one is "REASON_<number>"."""
        return reason_name(self.reason)

    @property
    def may_pass(self) -> bool:
        """Whether the same may be tried again after `retry_after_ms`; else it is final.

        The server says so, whatever the reason: it may be one that is not known here.
        """
        return self.retry_after_ms is not None

    @staticmethod
    def of(rejection: rejection_pb2.Rejection) -> Refused:
        """A refusal that came in a stream."""
        return Refused(
            rejection.reason,
            rejection.message,
            field=rejection.field,
            pending_decision_id=_optional(rejection, "pending_decision_id"),
            wrong_answers_left=_optional(rejection, "wrong_answers_left"),
            retry_after_ms=_optional(rejection, "retry_after_ms"),
        )


def reason_name(reason: int) -> str:
    try:
        name = rejection_pb2.RejectionReason.Name(reason)  # type: ignore[arg-type] # any number
    except ValueError:
        return f"REASON_{reason}"
    return name.removeprefix(_PREFIX)


def reason_of(name: str) -> rejection_pb2.RejectionReason.ValueType:
    """The number of a reason's name; one that is not known here is UNSPECIFIED."""
    known = dict(rejection_pb2.RejectionReason.items())
    return known.get(_PREFIX + name, rejection_pb2.REJECTION_REASON_UNSPECIFIED)


def _optional(rejection: rejection_pb2.Rejection, field: str) -> int | None:
    if not rejection.HasField(field):  # type: ignore[arg-type] # the callers name real fields
        return None
    value: int = getattr(rejection, field)
    return value
