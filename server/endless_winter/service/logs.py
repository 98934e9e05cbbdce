"""Logs: one JSON object a line on standard error.

Code logs with the standard library or with structlog; either way a line carries the request it
belongs to, and its game and seat where there are any. Secrets, tokens and invitations are never
logged, nor what a player chose or holds.
"""

from __future__ import annotations

import itertools
import logging
import os
import secrets
import sys
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, TextIO

import structlog

if TYPE_CHECKING:
    from structlog.typing import EventDict, Processor

log = structlog.stdlib.get_logger("endless_winter.service")
_plain = logging.getLogger("endless_winter.service")
# One variable for all words: every call sets them, and hardly any logs a line.
_words: ContextVar[dict[str, Any]] = ContextVar("words")
GRPC = "grpc._cython.cygrpc"
_start = secrets.token_hex(4)
_count = itertools.count(1)
_TALKATIVE = ["asyncio", "grpc"]
_GRPC_LEVEL = "GRPC_VERBOSITY"


def configure(level: str, stream: TextIO | None = None) -> None:
    """Set up logging for a server process."""
    shared: list[Processor] = [
        _add_words,
        structlog.stdlib.add_log_level,
        structlog.stdlib.add_logger_name,
        structlog.stdlib.PositionalArgumentsFormatter(),
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        structlog.processors.format_exc_info,
    ]
    structlog.configure(
        # First of all the level: what is not written must cost nothing.
        processors=[
            structlog.stdlib.filter_by_level,
            *shared,
            structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
        ],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=False,
    )
    handler = logging.StreamHandler(stream if stream is not None else sys.stderr)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=shared,
            processors=[
                structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                structlog.processors.JSONRenderer(sort_keys=True),
            ],
        )
    )
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(level.upper())
    logging.getLogger(GRPC).addFilter(ordinary)
    # What asyncio and gRPC say at debug level is of no use to a host, and gRPC says it often. Who
    # wants it asks by gRPC's own variable.
    quiet = ["asyncio"] if os.environ.get(_GRPC_LEVEL, "").upper() == "DEBUG" else _TALKATIVE
    for name in quiet:
        logging.getLogger(name).setLevel(max(root.level, logging.WARNING))


def ordinary(record: logging.LogRecord) -> bool:
    """Let through what gRPC says, but that a client went away while it was being sent to.

    That is nobody's fault, and gRPC calls it an error, with a traceback. The same error with other
    words is a misuse of gRPC, and stays one.
    """
    error = record.exc_info[1] if record.exc_info else None
    if type(error).__name__ == "ExecuteBatchError" and str(error).startswith(_NOT_SENT):
        log.debug("a client went away while it was being sent to")
        return False
    return True


_NOT_SENT = 'Failed "execute_batch"'


def detailed() -> bool:
    """Whether a line is written for each call."""
    return _plain.isEnabledFor(logging.DEBUG)


def new_request(**words: Any) -> None:
    """A call begins: every line of it from now on carries its id and these words."""
    _words.set({"request": f"{_start}-{next(_count)}", **words})


def bind(**words: Any) -> None:
    """Let every line of this call from now on carry these words too."""
    _words.set({**_words.get(_NONE), **words})


_NONE: dict[str, Any] = {}


def _add_words(logger: Any, method: str, line: EventDict) -> EventDict:
    del logger, method
    return {**_words.get(_NONE), **line}
