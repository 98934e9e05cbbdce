"""Where benefits, costs and points come from, in words: "Hunt, middle section"."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from endless_winter.sdk.parts.part import short_names
from endless_winter.v1 import enums_pb2, ids_pb2

if TYPE_CHECKING:
    from collections.abc import Callable

_SPACES: Final = short_names(enums_pb2.ActionSpace, "ACTION_SPACE_")
_SECTIONS: Final = short_names(enums_pb2.Section, "SECTION_")
_TRACKS: Final = short_names(enums_pb2.IdolTrack, "IDOL_TRACK_")
_ORDINALS: Final = {1: "1st", 2: "2nd", 3: "3rd", 4: "4th"}


def source_text(source: ids_pb2.Source, title: Callable[[str], str]) -> str:
    """Where something came from; `title` names content ids. Empty: the source does not say."""
    which = source.WhichOneof("origin")
    if which is None:
        return ""
    value = getattr(source, which)
    if which.endswith("_id"):
        return _RULES.get(value, value) if which == "rule_id" else title(value)
    return _SOURCES[which](value) if which in _SOURCES else f"{which.replace('_', ' ')} {value}"


def _section(section: ids_pb2.SectionSource) -> str:
    space = _SPACES.get(section.space, "")
    part = _SECTIONS.get(section.section, "")
    return f"{space.title()}, {part} section" if part else space.title()


def _board(board: ids_pb2.BoardSource) -> str:
    if board.kind == ids_pb2.BOARD_SPACE_KIND_STONE:
        return f"Sacred Stone space {board.space}"
    return "player board"


def track_name(track: int) -> str:
    """The name of an Idol track."""
    return f"{_TRACKS.get(track, '').title()} track"


_RULES: Final[dict[str, str]] = {
    "SET-07": "set-up",
    "LAB-04": "Food for Labor",
    "ECL-03": "Eclipse",
    "PRP-06": "new round",
    "FIN-01": "final scoring",
    "FIN-02": "final scoring",
    "FIN-03": "final scoring",
    "FIN-04": "final scoring",
    "NMD-11": "Map card",
}
_SOURCES: Final[dict[str, Callable[[Any], str]]] = {
    "hex": lambda hex_: f"hex {hex_}",
    "section": _section,
    "board": _board,
    "turn_order_place": lambda place: f"{_ORDINALS.get(place, place)} in turn order",
    "megalith": lambda site: (
        f"Megalith stack at {site.x},{site.y}" if site.level else f"Megalith at {site.x},{site.y}"
    ),
    "idol": lambda idol: f"{track_name(idol.track)}, level {idol.level}",
    "raft_of_seat": lambda _: "Raft",
    "glacier_tokens_at_juncture": lambda juncture: f"Glacier tokens at juncture {juncture}",
}
