"""What cannot be taken back, so that the player is asked first.

The server says only afterwards whether a choice can be taken back. So this judges by what is
seen: hidden things that would be revealed, and times at which the others may go on.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from endless_winter.v1 import enums_pb2 as enums

if TYPE_CHECKING:
    from endless_winter.sdk import Decision, Option
    from endless_winter.terminal.scene import Scene
    from endless_winter.v1 import move_pb2

_ENDS = {
    "end_turn": "it ends your turn",
    "finish_pile": "the others play on",
    "end_step": "the rest of this step is lost",
    "leave": "what you leave is lost",
    "choose_chief": "set-up choices stand",
    "choose_chief_side": "set-up choices stand",
    "choose_setup_card": "set-up choices stand",
    "choose_landmark": "set-up choices stand",
    "place_starting_base": "set-up choices stand",
    "reveal_animals": "it reveals hidden cards",
}
_REVEALS = {
    enums.ICON_DRAW: "it reveals a hidden card",
    enums.ICON_ANIMAL_TOP: "it reveals a hidden card",
    enums.ICON_ANIMAL_REVEAL: "it reveals a hidden card",
    enums.ICON_FISH: "it draws a hidden token",
}
_FROM_HAND = ("play_tribe_card", "play_culture_card", "discard", "add_to_pile")
# What may leave nothing else to do in a turn; other actions ask something more.
_SMALL = ("play_tribe_card", "spend_food", "move_camp", "place_camp", "move_raft", "place_mammoth")
_NOTHING_MORE = ("end_turn", "leave", "decline")


def why_final(option: Option, decision: Decision, scene: Scene) -> str:
    """Why a choice cannot be taken back; empty: as far as one can see, it can."""
    if not scene.info.config.undo_allowed:
        return "this game has no undo"
    move = option.raw.move
    which = move.WhichOneof("action") or ""
    return _ENDS.get(which) or _reveals(move, which, scene) or _last(option, decision, scene)


def _reveals(move: move_pb2.Move, which: str, scene: Scene) -> str:
    if which == "take_bottom" and move.take_bottom.column == enums.ACTION_SPACE_HUNT:
        return _REVEALS[enums.ICON_ANIMAL_TOP]
    if which == "choose_rest_token" and move.choose_rest_token.take_next:
        return "it reveals a hidden token"
    if which == "move_camp":
        return _flips(scene, move.move_camp.to_hex)
    if which == "gain":
        if move.gain.target.HasField("camp_move"):
            return _flips(scene, move.gain.target.camp_move.to_hex)
        return _REVEALS.get(move.gain.taken, "")
    return ""


def _flips(scene: Scene, hex_number: int) -> str:
    """Whether a Camp that goes there turns a Glacier token over."""
    for one in scene.public.terrain.hexes:
        if one.hex == hex_number and one.HasField("glacier_token"):
            return "" if one.glacier_token.revealed else "it reveals a hidden token"
    return ""


def _last(option: Option, decision: Decision, scene: Scene) -> str:
    """Whether nothing may be left to choose after it, so that the others go on by themselves."""
    which = option.raw.move.WhichOneof("action") or ""
    hand = sum(card.count for card in scene.private.hand) if scene.private is not None else 0
    left = hand - (which in _FROM_HAND)
    if which == "add_to_pile":
        return "" if left else "with your last card the pile is complete"
    if scene.public.turn.phase == enums.PHASE_ECLIPSE:
        return "" if _more(option, decision) else "the others may play on after it"
    if left:
        return ""
    if which == "place_figure":
        return "without cards your turn may end with it"
    if which in ("gain", "split_tools"):
        turn = scene.public.turn
        done = turn.section >= enums.SECTION_MIDDLE and not turn.bottom_available
        return "your turn may end with it" if done and not _more(option, decision) else ""
    if which not in _SMALL:
        return ""
    others = [
        one
        for one in decision.options
        if one.id != option.id and one.raw.move.WhichOneof("action") not in (*_NOTHING_MORE, which)
    ]
    return "" if others else "your turn may end with it"


def _more(option: Option, decision: Decision) -> bool:
    """Whether more is to be taken than this option takes."""
    gain = option.raw.move.gain
    if option.raw.move.HasField("split_tools"):
        index = option.raw.move.split_tools.pool_index
        return any(one.index != index for one in decision.raw.decision.pool)
    if not option.raw.move.HasField("gain"):
        return bool(len(decision.options) > 2)
    left = sum(one.amount for one in decision.raw.decision.pool) - max(gain.amount, 1)
    return left > 0
