"""Puts a bot of any language through what the network and other players can do to it.

A bot sees nothing but the server, so the checker stands between the two: the bot connects to a
relay that can be cut, behind it a proxy can hold, change and repeat messages, and
behind that runs a real server. See docs/conformance.md.
"""

from endless_winter.conformance.checks import CHECKS, NAMES, Check, Outcome, run_checks
from endless_winter.conformance.harness import Host, Settings
from endless_winter.conformance.process import BotProcess, CannotStart

__all__ = [
    "CHECKS",
    "NAMES",
    "BotProcess",
    "CannotStart",
    "Check",
    "Host",
    "Outcome",
    "Settings",
    "run_checks",
]
