"""The SDK for bots and scripts.

A bot is a function, or a class derived from `Bot`, that gets a decision and a view and returns
one of the options. `LocalTable` and `play_local` need no network; `ew match` and `ew bot run`
play over it, and so does `Runner`. `Client` is for scripts, `Operator` for hosts. What is listed
here is the public surface: docs/sdk.md.
"""

from endless_winter.sdk.bot import Bot, BotLike, Choice, Chooser, maker
from endless_winter.sdk.catalog import Catalog
from endless_winter.sdk.client import Client
from endless_winter.sdk.connection import Endpoint, new_secret
from endless_winter.sdk.errors import (
    BadAddress,
    BotFailed,
    IllegalChoice,
    NotThisGame,
    Refused,
    SdkError,
    ServerGone,
    WrongServer,
)
from endless_winter.sdk.local import LocalTable, play_local, seed_bytes
from endless_winter.sdk.model import Decision, Option, Plan, Result, Table, View, kind_name
from endless_winter.sdk.operators import Operator
from endless_winter.sdk.playing import Tally
from endless_winter.sdk.runner import Runner
from endless_winter.sdk.seen import Seen
from endless_winter.sdk.solo import SWITCHES, solo_config
from endless_winter.sdk.stream import Key, Listener, PlayStream
from endless_winter.views.categories import category_label, category_name
from endless_winter.views.sampling import sample

__all__ = [
    "SWITCHES",
    "BadAddress",
    "Bot",
    "BotFailed",
    "BotLike",
    "Catalog",
    "Choice",
    "Chooser",
    "Client",
    "Decision",
    "Endpoint",
    "IllegalChoice",
    "Key",
    "Listener",
    "LocalTable",
    "NotThisGame",
    "Operator",
    "Option",
    "Plan",
    "PlayStream",
    "Refused",
    "Result",
    "Runner",
    "SdkError",
    "Seen",
    "ServerGone",
    "Table",
    "Tally",
    "View",
    "WrongServer",
    "category_label",
    "category_name",
    "kind_name",
    "maker",
    "new_secret",
    "play_local",
    "sample",
    "seed_bytes",
    "solo_config",
]
