"""``--mammoth`` (MAM)."""

from __future__ import annotations

from typing import Final

from endless_winter.cli.plugin import ModuleOption

OPTION: Final = ModuleOption("The Mammoth miniature.")
