"""Where a module plugs into what is shown of a game.

A module of the rules core has its part here under the same name: `views/modules/<name>.py`, or a
package, with an object VIEW. It is found and plugged in when the package is imported
(modules/__init__.py); a module without such a file has nothing to show. The base files know no
module: they have tables, to which the rows of all modules are added once, and they call the other
points in a loop over the modules of a game. A game without any pays for none of it.

What leaves is built from an allow-list, here too: `faces` picks what everybody may know, and `view`
gets nothing else.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from endless_winter.v1 import decision_pb2

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable
    from random import Random

    from google.protobuf.message import Message

    from endless_winter.content import Pack
    from endless_winter.rules import Config
    from endless_winter.rules.actions import Action
    from endless_winter.rules.config import ModuleRules
    from endless_winter.rules.state import Frame, Position
    from endless_winter.rules.tables import Tables
    from endless_winter.v1 import (
        benefit_pb2,
        catalog_pb2,
        config_pb2,
        enums_pb2,
        event_pb2,
        ids_pb2,
        move_pb2,
        replay_pb2,
        view_private_pb2,
        view_public_pb2,
    )
    from endless_winter.views.sampling.lexicon import Lexicon
    from endless_winter.views.words import Words

NO_PIECES: Final = -1  # in place of the first piece of a record that has none


class Asked(NamedTuple):
    """A question of a module."""

    rule_id: str
    prompt: str
    kind: decision_pb2.DecisionKind.ValueType = decision_pb2.DECISION_KIND_MODULE


class ViewModule:
    """The named points. Each method of this class is "nothing to show"."""

    # The number of its own field of PublicView; 0: it has none.
    field: int = 0

    # --- rows of the tables of words, icons and kinds by the core's numbers ---

    def icons(self) -> dict[int, enums_pb2.Icon.ValueType]:
        """Its icons of a pool, those for which the contract has a word; else ICON_MODULE."""
        return {}

    def phrases(self) -> dict[int, tuple[str, str]]:
        """Its icons in plain English: one of it, several of it; no row: a number and the name."""
        return {}

    def nomad_actions(self) -> dict[int, enums_pb2.NomadAction.ValueType]:
        """What the Nomad does when it gains one of its icons; no row: NOMAD_ACTION_MODULE."""
        return {}

    def decisions(self) -> dict[int, Asked]:
        """Its questions, by the first piece of their records (or NO_PIECES)."""
        return {}

    def rules(self) -> dict[str, str]:
        """The rules that sources name, by their ids."""
        return {}

    # --- rows of the tables of options, by verb; an option is given in full (detail.py) ---

    def labels(self) -> dict[int, Callable[[Tables, int], str]]:
        """Every verb has one."""
        return {}

    def moves(self) -> dict[int, Callable[[Words, int], move_pb2.Move]]:
        """Of options that take nothing from a pool."""
        return {}

    def targets(self) -> dict[int, Callable[[Words, int], move_pb2.Target]]:
        """What a benefit of a pool is spent on."""
        return {}

    def taken_plainly(self) -> tuple[int, ...]:
        """Verbs that take a benefit of a pool and spend it on nothing: no move, no target."""
        return ()

    def actions(self) -> dict[int, Action]:
        """Of its verbs of step 2: where they belong and what they cost (rules/actions.py)."""
        return {}

    def offers(self) -> dict[int, tuple[decision_pb2.TurnAction.ValueType, str]]:
        """Of its verbs in `Module.act_offers`: what they are, and in words ("place a Camp")."""
        return {}

    def complete(self) -> tuple[int, ...]:
        """Verbs whose options say everything themselves and take nothing from a pool.

        Only for speed: nothing is looked up for them.
        """
        return ()

    def numbers(self) -> dict[int, Callable[[Position, int, int], int]]:
        """What the verb needs besides, of the position, the seat and the option: one byte."""
        return {}

    def owners(self) -> dict[int, Callable[[int], int]]:
        """Whose Camp an option is about, where the move names the owner."""
        return {}

    # --- rows of the tables of events, by their kinds ---

    def events(
        self,
    ) -> dict[int, Callable[[Words, Position, int, int, int], list[event_pb2.PublicEvent]]]:
        """How its events are sent to everybody: of the position after it, seat and two numbers.

        Those that have no row here are sent as a ModuleEvent.
        """
        return {}

    def sentences(self) -> dict[int, str]:
        """What a ModuleEvent says, without the seat; {0} and {1} are the event's two numbers."""
        return {}

    def secrets(self) -> dict[int, Callable[[Words, bytes], event_pb2.PrivateEvent]]:
        """What the seat of such an event is sent besides, of the event's secret pieces."""
        return {}

    def by_itself(self) -> tuple[int, ...]:
        """Those of `events` that are encoded the same way in any position.

        Only for speed: they are encoded once.
        """
        return ()

    def revealing(self) -> tuple[int, ...]:
        """Those that show something hidden: no choice before them can be taken back."""
        return ()

    def sources(self) -> dict[int, Callable[[Words, Position, int], ids_pb2.Source]]:
        """Where an entry of a pool comes from, by its icon."""
        return {}

    def categories(self) -> dict[str, str]:
        """What people read of its categories of points, by the names of `category_names`."""
        return {}

    def causes(self) -> dict[int, Callable[[Words, int], ids_pb2.Source]]:
        """Its own sources of pools and events, by kind; no row: a rule called as the kind."""
        return {}

    # --- why the Nomad does something (nomad_reasons.py) ---

    def reasons(self) -> dict[int, tuple[str, Callable[[Words, int, int], str]]]:
        """By the code of a ground: the id of the rule, and a sentence of the ground's numbers."""
        return {}

    def givers(self) -> dict[int, tuple[str, Callable[[Words, int], str]]]:
        """By the kind of a source: the id of the rule, and what begins a sentence about it."""
        return {}

    # --- a content pack ---

    def add_words(self, words: Words) -> None:
        """Add its ids: its own to `words.of_modules`, those of hexes, cards and so on there."""

    def fill_catalog(self, words: Words, catalog: catalog_pb2.Catalog) -> None:
        """Add what is printed of it; the lists are sorted afterwards."""

    # --- the agreed game ---

    def rules_of(self, message: config_pb2.GameConfig, pack: Pack) -> ModuleRules | None:
        """What is agreed about it; None: nothing, or it is not played with.

        Raises `BadGameConfig`. A module that is only on or off has a field of `ModuleConfig` with
        its name instead.
        """
        return None

    def fill_config(self, config: Config, message: config_pb2.GameConfig) -> None:
        """The other way round."""

    # --- a position ---

    def faces(self, position: Position, index: int) -> Hashable | None:
        """All that its field of the public view is made of; None: the field is absent."""
        return None

    def view(self, words: Words, faces: Any) -> Message:
        """The field of the public view, of its faces and nothing else."""
        raise NotImplementedError

    def private(
        self, words: Words, position: Position, index: int, seat: int
    ) -> view_private_pb2.PrivateView | None:
        """What only the seat may know, its own fields of the private view set."""
        return None

    def spread(self, position: Position, index: int) -> bytes:
        """What of its state the Influence on the hexes hangs on."""
        return b""

    def fill_draft(
        self, words: Words, position: Position, index: int, draft: view_public_pb2.DraftView
    ) -> None:
        """Add what lies open for set-up choices."""

    def uncover(
        self, words: Words, position: Position, index: int, view: replay_pb2.OmniscientView
    ) -> None:
        """Add what nobody could see, for the open table of a game whose seal is open."""

    # --- back from a view to positions that agree with it (sampling/) ---

    def add_numbers(self, lexicon: Lexicon, words: Words) -> None:
        """`add_words` turned around."""

    def terrain_of(self, lexicon: Lexicon, hex_: view_public_pb2.HexView) -> int:
        """The Terrain type of a hex, where its id alone does not say it; -1: not of this module."""
        return -1

    def icon_of(
        self, lexicon: Lexicon, position: Position, benefit: benefit_pb2.PendingBenefit
    ) -> int:
        """The icon of a benefit, where several share one of the contract; 0: not of this module."""
        return 0

    def pieces_of(self, item: view_public_pb2.AgendaItem, first: int) -> bytes:
        """The pieces of a record of its own in the midst of a turn."""
        return b"" if first == NO_PIECES else bytes((first,))

    def first_choices(
        self, view: view_public_pb2.PublicView, position: Position, index: int
    ) -> list[Frame]:
        """Its records on the agenda before the Chiefs are chosen, the next one last."""
        return []

    def last_choices(
        self, view: view_public_pb2.PublicView, position: Position, index: int
    ) -> list[Frame]:
        """Its records at the last step of set-up, everything being dealt."""
        return []

    def read(
        self, lexicon: Lexicon, view: view_public_pb2.PublicView, position: Position, index: int
    ) -> object | None:
        """Set its state as far as it is known; give what `deal` needs, None: nothing is hidden."""
        return None

    def deal(self, position: Position, index: int, unseen: Any, rng: Random) -> None:
        """Set its state, what is hidden drawn anew."""


NOTHING: Final = ViewModule()
# By the name of the module, in the order of the registry.
SHOWN: Final[dict[str, ViewModule]] = {}


def shown(name: str) -> ViewModule:
    return SHOWN.get(name, NOTHING)
