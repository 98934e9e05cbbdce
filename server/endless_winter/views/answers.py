"""From an answer to the option it means.

Seats and option ids have explicit presence, so that seat 0 and option 0 do not vanish in JSON, and
everything that is sent names them. What is read may leave them out and means 0: a move that a
client put together, or a record that was written before. `filled` names them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeVar

from google.protobuf.descriptor import FieldDescriptor

if TYPE_CHECKING:
    from google.protobuf.message import Message

    from endless_winter.rules import Game
    from endless_winter.v1 import decision_pb2
    from endless_winter.views.decision import Scribe

M = TypeVar("M", bound="Message")

_NAMES: Final = frozenset(("seat", "owner_seat", "by_seat", "option_id"))
# Here an absent seat means nobody's.
_OR_NOBODY: Final = frozenset(("MegalithPlaced", "ModuleEvent"))
_SHOWN: Final = 60  # characters of a wrong text that are repeated


class NoMatch(Exception):
    """The answer means none of the pending options; says why in one line."""


def match(answer: decision_pb2.Answer, game: Game, scribe: Scribe) -> int:
    """The place of the option that an answer chooses.

    Whether the answer names the right decision and comes from the right seat is for the caller
    to check. Raises `NoMatch` and nothing else, whatever the message holds.
    """
    codes = game.options()
    if not codes:
        raise NoMatch("the game is over, there is nothing to choose")
    form = answer.WhichOneof("choice")
    if form == "option_id":
        chosen = answer.option_id
        if chosen >= len(codes):
            raise NoMatch(f"no option {chosen}: the decision has options 0 to {len(codes) - 1}")
        return chosen
    if form == "text":
        return match_text(answer.text, game, scribe)
    if form == "move":
        if answer.move.WhichOneof("action") is None:
            raise NoMatch("the move has no action, or one that this server does not know")
        wanted = filled(answer.move)  # a client may leave a seat 0 out
        for option_id, move in enumerate(scribe.moves(game)):
            if move == wanted:
                return option_id
        raise NoMatch(f"no option has this {answer.move.WhichOneof('action')} move")
    if form == "take_default":
        if not answer.take_default:
            raise NoMatch("take_default must be true")
        return codes.index(game.default)
    raise NoMatch("the answer has no choice")


def match_text(text: str, game: Game, scribe: Scribe) -> int:
    """The place of the option that has this canonical text; raises `NoMatch`."""
    for option_id, code in enumerate(game.options()):
        if scribe.notation.text(code) == text:
            return option_id
    raise NoMatch(f"no option has the text {_quoted(text)}")


def _quoted(text: str) -> str:
    return ascii(text if len(text) <= _SHOWN else text[:_SHOWN] + "...")


def filled(message: M) -> M:
    """A copy that names every seat and option id."""
    found = type(message)()
    found.CopyFrom(message)
    _fill(found)
    return found


def _fill(message: Message) -> None:
    for field in message.DESCRIPTOR.fields:
        if field.type == FieldDescriptor.TYPE_MESSAGE:
            if field.is_repeated:
                for one in getattr(message, field.name):
                    _fill(one)
            elif message.HasField(field.name):
                _fill(getattr(message, field.name))
        elif field.name in _NAMES and message.DESCRIPTOR.name not in _OR_NOBODY:
            setattr(message, field.name, getattr(message, field.name))
