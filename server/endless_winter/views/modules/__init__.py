"""What each module shows, and how it comes to the base files: by its name, once, at import."""

from __future__ import annotations

from typing import TYPE_CHECKING

from endless_winter.content.plugin import module_files
from endless_winter.rules.hooks import Module
from endless_winter.rules.modules import REGISTRY
from endless_winter.v1 import enums_pb2
from endless_winter.views import (
    catalog,
    categories,
    costs,
    detail,
    events,
    labels,
    moves,
    nomad_reasons,
    nomad_steps,
    offers,
    phrases,
    pools,
    turn,
    words,
)
from endless_winter.views.plugin import NOTHING, SHOWN

if TYPE_CHECKING:
    from endless_winter.views.plugin import ViewModule


def plug_in_all() -> None:
    """Every module of the registry, those that have no file here with nothing to show."""
    files = module_files(__name__)
    for name in REGISTRY:
        plug_in(name, files[name].VIEW if name in files else NOTHING)


def plug_in(name: str, module: ViewModule) -> None:
    """Add a module's rows to the tables of the base files."""
    look_at(name, module)
    SHOWN[name] = module
    for icon, word in REGISTRY[name].icon_names().items():
        if icon not in module.icons():
            words.ICONS[icon] = enums_pb2.ICON_MODULE
            words.UNNAMED_ICONS[icon] = word
        phrases.ICONS[icon] = (f"1 {word}", f"{{}} {word}")
        nomad_steps.ACTIONS[icon] = enums_pb2.NOMAD_ACTION_MODULE
    words.ICONS.update(module.icons())
    phrases.ICONS.update(module.phrases())
    nomad_steps.ACTIONS.update(module.nomad_actions())
    for piece, asked in module.decisions().items():
        turn.DECISIONS[name, piece] = asked
    catalog.RULES.update(module.rules())
    labels.LABELS.update(module.labels())
    moves.MOVES.update(module.moves())
    moves.TARGETS.update(module.targets())
    costs.ACTIONS.update(module.actions())
    offers.ACTIONS.update(module.offers())
    for verb in module.complete():
        detail.COMPLETE[verb] = True
    detail.NUMBERS.update(module.numbers())
    detail.OWNERS.update(module.owners())
    events.PUBLIC.update(module.events())
    events.SECRETS.update(module.secrets())
    events.BY_ITSELF.update(module.by_itself())
    sentences = module.sentences()
    for kind, word in REGISTRY[name].event_names().items():
        if kind not in module.events():
            said = sentences.get(kind, f"{word.replace('_', ' ')} {{0}} {{1}}")
            events.PUBLIC[kind] = events.of_module(name, word, said)
            events.BY_ITSELF.add(kind)
    pools.SOURCES.update(module.sources())
    pools.CAUSES.update(module.causes())
    nomad_reasons.OF_MODULES.update(module.reasons())
    nomad_reasons.GIVERS_OF_MODULES.update(module.givers())
    categories.LABELS.update(module.categories())


def look_at(name: str, module: ViewModule) -> None:
    """Raise `ValueError` for a row that is missing: in a game it would be missed too late."""
    core = REGISTRY[name]
    made = {*module.moves(), *module.targets(), *module.taken_plainly()}
    for verb, (word, _) in core.words().items():
        if verb not in module.labels():
            raise ValueError(f"module {name}: labels() has no row for the verb {verb}, {word!r}")
        if verb not in made:
            raise ValueError(
                f"module {name}: the verb {verb}, {word!r}, is in none of moves(), targets() and "
                "taken_plainly()"
            )
    if type(core).options is not Module.options and not module.decisions():
        raise ValueError(f"module {name}: it has options() of its own, but decisions() has no row")
    for kind in module.sentences():
        if kind in module.events() or kind not in core.event_names():
            raise ValueError(
                f"module {name}: sentences() has a row for {kind}, which is no event in "
                "event_names() without a row in events()"
            )
        try:
            module.sentences()[kind].format(0, 0)
        except (LookupError, ValueError):
            raise ValueError(
                f"module {name}: the sentence for {kind} has more in braces than {{0}} and {{1}}"
            ) from None
