"""What is agreed before a game starts."""

from typing import Final

from endless_winter.rules.errors import BadConfig
from endless_winter.rules.tables import Tables

MIN_PLAYERS: Final = 2
MAX_PLAYERS: Final = 4


class Config:
    """The agreed game: content, players, set-up variants, modules.

    `layout` names one of the pack's Megalith layouts; empty means that of the player count
    (SET-12). `modules` are names from `endless_winter.rules.modules.REGISTRY`.
    """

    __slots__ = ("chief_draft", "layout", "modules", "players", "setup_draft", "tables")

    def __init__(
        self,
        tables: Tables,
        players: int = 2,
        setup_draft: bool = False,
        chief_draft: bool = False,
        layout: str = "",
        modules: tuple[str, ...] = (),
    ) -> None:
        if not MIN_PLAYERS <= players <= MAX_PLAYERS:
            raise BadConfig(f"a game has {MIN_PLAYERS} to {MAX_PLAYERS} players, not {players}")
        names = [known.name for known in tables.layouts]
        if not layout:
            layout = names[players - MIN_PLAYERS]
        if layout not in names:
            raise BadConfig(f'no Megalith layout "{layout}"; the pack has {", ".join(names)}')
        if not isinstance(modules, tuple):
            raise BadConfig(f"modules is a tuple of names, not {modules!r}")
        if len(set(modules)) != len(modules):
            raise BadConfig(f"a module is named twice: {', '.join(modules)}")
        self.tables: Tables = tables
        self.players: int = players
        # VAR-02 is the Chief draft followed by VAR-01, so it brings the Setup draft along.
        self.setup_draft: bool = setup_draft or chief_draft
        self.chief_draft: bool = chief_draft
        self.layout: str = layout
        self.modules: tuple[str, ...] = modules
