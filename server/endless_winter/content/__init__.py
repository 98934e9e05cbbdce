"""The printed components as data: content packs, checked when they are loaded.

>>> from endless_winter.content import load
>>> load().name
'base'
"""

from endless_winter.content.effects import pool_text
from endless_winter.content.errors import ContentError
from endless_winter.content.pack import Pack, load, load_pack, pack_of
from endless_winter.content.schema import provenance

__all__ = ["ContentError", "Pack", "load", "load_pack", "pack_of", "pool_text", "provenance"]
