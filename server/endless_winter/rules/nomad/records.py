"""The Nomad's records on the agenda, in the JSON form of a position, and whether they make sense.

`{"do": "nomad", "seat": 1, "step": "actions", "actions": [["wolf_song", "animal", 2]]}`
"""

from typing import Final

from endless_winter.rules import agenda
from endless_winter.rules.building import space_at
from endless_winter.rules.errors import BadPosition
from endless_winter.rules.icons import ICON_NAMES
from endless_winter.rules.modules import MODULE_ICON_NAMES
from endless_winter.rules.nomad.actions import ACTIONS as ACTION_WORDS
from endless_winter.rules.nomad.actions import GLACIERS, PILE_CARD, SETTLE
from endless_winter.rules.nomad.roaming import MAP_STEP
from endless_winter.rules.nomad.seat import ACTIONS, COLUMN, GAIN, REVEAL, TERRAIN
from endless_winter.rules.reading import Json, Reader, items_of, number_of, piece_of
from endless_winter.rules.source_text import SourceTexts
from endless_winter.rules.state import Position
from endless_winter.rules.terrain import HEXES

_STEPS: Final[dict[int, str]] = {
    REVEAL: "reveal",
    COLUMN: "column",
    ACTIONS: "actions",
    GAIN: "gain",
    TERRAIN: "terrain",
    MAP_STEP: "map",
}
_NAMES: Final[dict[int, str]] = {
    agenda.SCORE_STONES: "score_stones",
    agenda.ADDITIONAL: "additional",
    SETTLE: "settle",
    PILE_CARD: "pile",
    GLACIERS: "glaciers",
} | MODULE_ICON_NAMES


_ICONS: Final[dict[str, int]] = {name: icon for icon, name in enumerate(ICON_NAMES) if icon} | {
    name: icon for icon, name in _NAMES.items()
}


def _name(icon: int) -> str:
    return _NAMES.get(icon) or ICON_NAMES[icon]


def write_record(cards: list[str], texts: SourceTexts, number: int, pieces: bytes) -> Json:
    """What distinguishes a record: its step and what that is about."""
    if number == ACTIONS:
        actions = [
            [cards[pieces[at]], _name(pieces[at + 1]), pieces[at + 2]]
            for at in range(0, len(pieces), 3)
        ]
        return {"step": "actions", "actions": actions}
    if number == TERRAIN:
        return {"step": "terrain", "resolved": list(pieces)}
    pool = [[_name(pieces[at]), pieces[at + 1]] for at in range(0, len(pieces), 2)]
    if number & 255 == GAIN:
        return {"step": "gain", "source": texts.text(number >> 8), "pool": pool}
    return {"step": _STEPS[number]}


def read_record(reader: Reader, cards: list[str], texts: SourceTexts) -> tuple[int, bytes]:
    """Number and pieces of a record."""
    step = reader.text("step")
    path = reader.path
    pieces = b""
    for number, name in _STEPS.items():
        if name != step:
            continue
        if number == ACTIONS:
            for item in reader.items("actions"):
                parts = items_of(item, path + "actions")
                if len(parts) != 3:
                    raise BadPosition(f"{path}actions: card, action and amount expected")
                card = piece_of(parts[0], path + "actions", cards, False)
                pieces += bytes((card,)) + _entry(parts[1:], path + "actions")
        elif number == TERRAIN:
            pieces = reader.numbers("resolved", HEXES - 1)
        elif number == GAIN:
            for item in reader.items("pool"):
                pieces += _entry(items_of(item, path + "pool"), path + "pool")
            where = texts.parse(reader.text("source"), path + "source")
            return (where << 8 | GAIN, pieces)
        return (number, pieces)
    raise BadPosition(f"{path}step: one of {', '.join(_STEPS.values())} expected")


def _entry(pair: list[object], path: str) -> bytes:
    if len(pair) != 2 or not isinstance(pair[0], str) or pair[0] not in _ICONS:
        raise BadPosition(f"{path}: pairs of icon and amount expected")
    return bytes((_ICONS[pair[0]], number_of(pair[1], path, 99)))


def nomad_complaint(position: Position, seat: int, number: int, pieces: bytes) -> str:
    """What is wrong with a record; empty: nothing."""
    if number == ACTIONS:
        known = ACTION_WORDS.values()
        for at in range(0, len(pieces), 3):
            if pieces[at + 1] not in known or not pieces[at + 2]:
                return "actions: what a Nomad card can show expected"
        return ""
    if number == TERRAIN or number < GAIN or number == MAP_STEP:
        return ""
    if not pieces:
        return "pool: nothing to gain"
    for at in range(0, len(pieces), 2):
        icon = pieces[at]
        amount = pieces[at + 1]
        stones = len(position.players[seat].stones)
        if icon == agenda.SCORE_STONES and not 0 < amount < 1 << stones:
            return "pool: score_stones wants a bit for each own stone that has not scored"
        if icon == agenda.ADDITIONAL and not (
            amount < len(position.sites.neighbours) and space_at(position, amount).grey
        ):
            return "pool: additional wants a grey starting space"
        if icon != agenda.ADDITIONAL and not amount:
            return "pool: an amount of 0; leave the icon out"
    return ""
