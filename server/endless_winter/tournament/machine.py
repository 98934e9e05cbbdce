"""The machine that a worker runs on, in a line for the report."""

from __future__ import annotations

import os
import platform
from pathlib import Path


def described() -> str:
    """Processor, cores, system and Python; no name of the host, which is nobody's business."""
    cores = os.cpu_count() or 1
    system = f"{platform.system()} {platform.machine()}"
    return f"{_processor()}, {cores} cores, {system}, Python {platform.python_version()}"


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        lines = []
    named = [line.partition(":")[2] for line in lines if line.startswith("model name")]
    return " ".join(named[0].split()) if named else platform.processor() or "unknown processor"
