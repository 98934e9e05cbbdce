"""Core to contract: views, decisions, events and results, each built from an allow-list.

Hidden information stays hidden by construction: what a viewer may not know is never put in.

`Words` belongs to a content pack, `Scribe` to a pack and layout, `PublicEncoder` to a game. What
leaves here is bytes: parts are encoded once and spliced (wire.py).
"""

from endless_winter.views.answers import NoMatch, filled, match, match_text
from endless_winter.views.catalog import catalog_of
from endless_winter.views.config import config_of, message_of
from endless_winter.views.decision import Scribe, kind_of
from endless_winter.views.errors import BadGameConfig
from endless_winter.views.events import Happened, happened
from endless_winter.views.modules import plug_in_all
from endless_winter.views.omniscient import omniscient_view
from endless_winter.views.players import private_bytes, private_view
from endless_winter.views.public import PublicEncoder, public_view
from endless_winter.views.result import Ending, result_of
from endless_winter.views.wire import event_bytes, prompt_bytes, update_bytes
from endless_winter.views.words import Words

__all__ = [
    "BadGameConfig",
    "Ending",
    "Happened",
    "NoMatch",
    "PublicEncoder",
    "Scribe",
    "Words",
    "catalog_of",
    "config_of",
    "event_bytes",
    "filled",
    "happened",
    "kind_of",
    "match",
    "match_text",
    "message_of",
    "omniscient_view",
    "private_bytes",
    "private_view",
    "prompt_bytes",
    "public_view",
    "result_of",
    "update_bytes",
]

# An import of anything of this package gets tables that have the rows of all modules.
plug_in_all()
