"""Logs: one JSON object a line on standard error.

Code logs with the standard library or with structlog; either way a line carries the request it
belongs to, and its game and seat where there are any. Secrets, tokens and invitations are never
logged, nor what a player chose or holds.
"""

from __future__ import annotations

import logging
import sys
from typing import TYPE_CHECKING, Any, TextIO

import structlog

if TYPE_CHECKING:
    from collections.abc import Mapping

    from structlog.typing import Processor

log = structlog.stdlib.get_logger("endless_winter.service")
_bind = structlog.contextvars.bind_contextvars


def configure(level: str, stream: TextIO | None = None) -> None:
    """Set up logging for a server process."""
    shared: list[Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.stdlib.add_logger_name,
        structlog.stdlib.PositionalArgumentsFormatter(),
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        structlog.processors.format_exc_info,
    ]
    structlog.configure(
        processors=[*shared, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
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
    # What asyncio says at debug level is of no use to a host.
    logging.getLogger("asyncio").setLevel(max(root.level, logging.WARNING))


def bind(**context: Any) -> Mapping[str, Any]:
    """Let every line of this call from now on carry these words."""
    return _bind(**context)
