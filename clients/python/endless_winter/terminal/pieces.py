"""Pieces without printed words, to be looked up: id, kind, title, and what there is to say."""

from __future__ import annotations

from typing import Final

_RIVERS = "Rivers & Rafts"

PIECES: Final[tuple[tuple[str, str, str, tuple[str, ...]], ...]] = (
    (
        "raft",
        _RIVERS,
        "Raft",
        (
            "A Camp move may move your Raft instead: downriver any distance, upriver one hex.",
            "It counts as a Camp for Influence and for Villages.",
            "Used for a Village it returns to the Headwaters, as all Rafts do before each round.",
            "It scores at the end of your Eclipse turn if nobody is closer to the Delta:",
            "1 point for each own Camp on a River hex, and 1 for the Raft itself.",
        ),
    ),
    (
        "starting base",
        _RIVERS,
        "Starting Base",
        (
            "Outside the board, at two of its hexes; there is no Base tile.",
            "New Camps go there, or to the River hex of your Raft.",
            "Its Camps move onto one of the two hexes; no Camp moves back.",
        ),
    ),
    (
        "headwaters",
        _RIVERS,
        "Headwaters and Delta",
        (
            "Where the river begins and ends, outside the board. Only Rafts go there.",
            "They are no hexes: no Influence, no Fish, no Villages.",
        ),
    ),
    (
        "mammoth",
        "Miniature",
        "The Mammoth",
        (
            "Two Camp moves together put it onto any empty juncture.",
            "In the Eclipse phase its Influence on its three hexes is the number of the round.",
            "Less than it gets nothing there.",
            "At least as much as it and as everybody gets the benefit of the hex twice.",
        ),
    ),
)
