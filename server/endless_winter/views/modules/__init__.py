"""What each module shows, and how it comes to the base files: by its name, once, at import."""

from __future__ import annotations

from typing import TYPE_CHECKING

from endless_winter.content.plugin import module_files
from endless_winter.views import (
    catalog,
    decision,
    detail,
    events,
    labels,
    moves,
    nomad_steps,
    phrases,
    pools,
    stage,
    words,
)
from endless_winter.views.plugin import SHOWN

if TYPE_CHECKING:
    from endless_winter.views.plugin import ViewModule


def plug_in_all() -> None:
    """Every module of the registry that has a file here."""
    for name, file in module_files(__name__).items():
        plug_in(name, file.VIEW)


def plug_in(name: str, module: ViewModule) -> None:
    """Add a module's rows to the tables of the base files."""
    SHOWN[name] = module
    words.ICONS.update(module.icons())
    phrases.ICONS.update(module.phrases())
    nomad_steps.ACTIONS.update(module.nomad_actions())
    for piece, asked in module.decisions().items():
        stage.DECISIONS[name, piece] = asked
    decision.QUESTIONS.update(module.questions())
    catalog.RULES.update(module.rules())
    labels.LABELS.update(module.labels())
    moves.MOVES.update(module.moves())
    moves.TARGETS.update(module.targets())
    detail.COMPLETE.update(module.complete())
    detail.NUMBERS.update(module.numbers())
    detail.OWNERS.update(module.owners())
    events.PUBLIC.update(module.events())
    events.SECRETS.update(module.secrets())
    events.BY_ITSELF.update(module.by_itself())
    events.CATEGORIES.update(module.categories())
    pools.SOURCES.update(module.sources())
