"""The SDK for bots and scripts.

A bot is a function, or a class derived from `Bot`, that gets a decision and a view and returns
one of the options. `LocalTable` and `play_local` need no network; `ew match` and `ew bot run`
play over it, and so does `Runner`. `Client` is for scripts, `Operator` for hosts. What is listed
here is the public surface: docs/sdk.md.

>>> from endless_winter.sdk import play_local
>>> def choose(decision, view):
...     hungry = view.me.food < 3 and view.round > 0
...     for option in decision.options:
...         if option.text == "place tribe hunt" and hungry:
...             return option
...     return decision.default
>>> play_local([choose, choose], seed=1).outcome
'completed'

`help(View)` lists what a bot can see, `help(Player)`, `help(Card)` and the like what each part
has; docs/moves.md explains the options' texts.
"""

from endless_winter.sdk.advice import Hint, hint_text, hints
from endless_winter.sdk.bot import Bot, BotLike, Choice, Chooser, Wants, maker
from endless_winter.sdk.catalog import Catalog
from endless_winter.sdk.client import Client
from endless_winter.sdk.configs import SWITCHES, game_config, solo_config
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
from endless_winter.sdk.parts.agreed import MODULES, Clock, Config
from endless_winter.sdk.parts.boards import Boards
from endless_winter.sdk.parts.modules import Draft, NomadTable, RestTokens, Rivers
from endless_winter.sdk.parts.move import Move
from endless_winter.sdk.parts.player import Herd, Player
from endless_winter.sdk.parts.printed import (
    Animal,
    Card,
    Chief,
    Effect,
    Landmark,
    SetupCard,
    Stone,
    Term,
    Terrain,
    Token,
)
from endless_winter.sdk.parts.table import Hex, Megalith, Megaliths, Supply, Village
from endless_winter.sdk.parts.turn import Benefit, Column, Source, Turn
from endless_winter.sdk.playing import Tally
from endless_winter.sdk.runner import Runner
from endless_winter.sdk.search import evaluate, final_scores, read, rollout_policy, sample
from endless_winter.sdk.seen import Seen
from endless_winter.sdk.stream import Key, Listener, PlayStream
from endless_winter.views.categories import category_label, category_name

__all__ = [
    "MODULES",
    "SWITCHES",
    "Animal",
    "BadAddress",
    "Benefit",
    "Boards",
    "Bot",
    "BotFailed",
    "BotLike",
    "Card",
    "Catalog",
    "Chief",
    "Choice",
    "Chooser",
    "Client",
    "Clock",
    "Column",
    "Config",
    "Decision",
    "Draft",
    "Effect",
    "Endpoint",
    "Herd",
    "Hex",
    "Hint",
    "IllegalChoice",
    "Key",
    "Landmark",
    "Listener",
    "LocalTable",
    "Megalith",
    "Megaliths",
    "Move",
    "NomadTable",
    "NotThisGame",
    "Operator",
    "Option",
    "Plan",
    "PlayStream",
    "Player",
    "Refused",
    "RestTokens",
    "Result",
    "Rivers",
    "Runner",
    "SdkError",
    "Seen",
    "ServerGone",
    "SetupCard",
    "Source",
    "Stone",
    "Supply",
    "Table",
    "Tally",
    "Term",
    "Terrain",
    "Token",
    "Turn",
    "View",
    "Village",
    "Wants",
    "WrongServer",
    "category_label",
    "category_name",
    "evaluate",
    "final_scores",
    "game_config",
    "hint_text",
    "hints",
    "kind_name",
    "maker",
    "new_secret",
    "play_local",
    "read",
    "rollout_policy",
    "sample",
    "seed_bytes",
    "solo_config",
]
