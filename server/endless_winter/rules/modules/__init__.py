"""The modules that a game can be played with, by name."""

from typing import Final

from endless_winter.rules.events import CATEGORY_NAMES
from endless_winter.rules.hooks import Module
from endless_winter.rules.modules.glacier_tokens import GlacierTokens
from endless_winter.rules.modules.mammoth import Mammoth
from endless_winter.rules.modules.rest_tokens import RestTokens
from endless_winter.rules.modules.sea_cows import SeaCows
from endless_winter.rules.modules.warriors import Warriors
from endless_winter.rules.nomad.module import NOMAD_MODULE
from endless_winter.rules.rivers.module import RIVERS_MODULE
from endless_winter.rules.sources import CATEGORIES, KIND_NAMES

# In this order switches of the contract become modules of a game (views/config.py).
REGISTRY: Final[dict[str, Module]] = {
    "glacier_tokens": GlacierTokens(),
    "rest_tokens": RestTokens(),
    "nomad": NOMAD_MODULE,
    "warriors": Warriors(),
    "mammoth": Mammoth(),
    "sea_cows": SeaCows(),
    "rivers": RIVERS_MODULE,
}

# Their words, for whoever writes or shows pools, points and events.
MODULE_ICON_NAMES: Final[dict[int, str]] = {}
MODULE_EVENT_NAMES: Final[dict[int, str]] = {}
for _module in REGISTRY.values():
    MODULE_ICON_NAMES.update(_module.icon_names())
    MODULE_EVENT_NAMES.update(_module.event_names())
    CATEGORY_NAMES.update(_module.category_names())
    for _kind, (_word, _category) in _module.source_kinds().items():
        KIND_NAMES[_kind] = _word
        CATEGORIES[_kind] = _category
