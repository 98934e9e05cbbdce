"""Makes docs/moves.md: the words of the options' texts, from the notation table.

The forms come from the table (rules/notation.py and the modules), the meanings and examples from
here. A word without a meaning, or an example that is not canonical, is an error.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from endless_winter.content import load_pack
from endless_winter.rules import Config
from endless_winter.rules import notation as n
from endless_winter.rules.game import notation_of

if TYPE_CHECKING:
    from endless_winter.rules.notation import Notation

# How an argument of the table is shown; what a NUMBER counts is said by the meaning.
_ARGUMENTS: Final[dict[int, str]] = {
    n.NUMBER: "N",
    n._CARD: "CARD",  # the table's own words
    n._CHIEF: "SIDE",
    n._SETUP: "SETUP",
    n._ANIMAL: "ANIMAL",
    n._STONE: "STONE",
    n._PLACE: "PLACE",
    n._FIGURE: "FIGURE",
    n._ZONE: "ZONE",
    n._TOKEN: "WHICH",
    n._BUILT: "PIECE",
    n._RING: "RING",
    n.TERRAIN: "TERRAIN",
    n.STEP: "FROM>TO",
    n.OWNER: "SEAT",
    n._MAYBE: "[N]",
    n._AT: "[SPACE]",
}
# The three verbs that are written in a form of their own, and what a lesser benefit is taken for.
_OWN_FORMS: Final[dict[str, str]] = {
    "megalith": "megalith X,Y",
    "stack": "stack X,Y@LEVEL",
    "tools": "tools N food N",
    "as": "ICON as FORM",
}

# Section by section: each word with an example and what it means.
SECTIONS: Final[dict[str, dict[str, tuple[str, str]]]] = {
    "Set-up": {
        "chief": ("chief firewolf_a", "Play with this side of the Chief card."),
        "setup": ("setup dream_speakers", "Take this Setup card (when they are drafted)."),
        "raise": ("raise 0 volcano", "Rivers: put this Landmark onto hex N."),
        "attach": ("attach 7 8", "Rivers: attach the own Starting Base to two adjacent hexes."),
    },
    "The figure and Culture cards": {
        "culture": ("culture eagle_dance", "Play a Culture card; the second costs a discard."),
        "place": (
            "place chief hunt",
            (
                "Place a figure (`chief` or `tribe`) in a column (`initiate`, `develop`, "
                "`migrate`, `hunt`) or on the Rest space (`rest`)."
            ),
        ),
        "token": ("token shown", "Resting: take the open Rest token, or with `next` the next one."),
    },
    "Labor, abilities and the end of a turn": {
        "play": ("play hunter", "Play a Tribe card for its Labor; its abilities become usable."),
        "eat": ("eat 2", "Spend N Food for Labor, as the Food track shows."),
        "use": ("use tribeswoman 0", "Use ability N (from 0) of a card played in this turn."),
        "lead": ("lead", "Use the Chief's ability; `lead 1` the second one, and so on."),
        "bottom": ("bottom", "Do the bottom action of the column: for the first figure there."),
        "end": ("end", "End the turn; Labor that is left is lost."),
    },
    "The top and the middle of the columns": {
        "initiate": ("initiate hunter", "Initiate: a Tribe card to hand for 1 Labor and 1 Tool."),
        "rite": (
            "rite",
            "Initiate, middle: pay 1 Food to recruit a Tribe card, bury one, or both.",
        ),
        "develop": ("develop sun_circle", "Develop: a Culture card to hand for 3 Labor."),
        "develop-point": ("develop-point", "Develop: 1 point for 3 Labor, no card being left."),
        "pitch": ("pitch", "Migrate: a Camp from the board onto the Base for 1 Tool."),
        "travel": ("travel 0>3", "Migrate: move a Camp from hex to hex for 1 Labor."),
        "settle": ("settle 16", "Migrate, middle: a Village at juncture N for 3 Food and 3 Camps."),
        "reveal-two": ("reveal-two", "Hunt: reveal 2 Animals into the Grounds for 1 Labor."),
        "hunt": (
            "hunt woolly_rhino",
            (
                "Hunt: an Animal from the Grounds for 1 Labor and 1 Tool; the space is named where "
                "it matters."
            ),
        ),
        "hunt-point": ("hunt-point", "Hunt: 1 point for 1 Labor and 1 Tool, no Animal being left."),
        "sail": (
            "sail 0>2",
            "Rivers, Migrate: move the Raft downriver for 1 Labor; place 0 is the Headwaters.",
        ),
        "pitch-at-raft": ("pitch-at-raft", "Rivers, Migrate: a Camp at the Raft for 1 Tool."),
        "settle-with-raft": (
            "settle-with-raft 4",
            "Rivers, Migrate: as `settle`, the Raft standing in for one Camp.",
        ),
        "drive": ("drive 12", "Mammoth, Migrate: put it on juncture N for 2 Labor."),
    },
    "Benefits": {
        "food": ("food 3", "Take N Food."),
        "tools": (
            "tools 1 food 1",
            "Of several Tools, take so many as Tools and the rest as Food.",
        ),
        "feast": ("feast", "Take Food up to the limit."),
        "offering": ("offering", "An Idol: move up on the Offering track."),
        "honor": ("honor", "An Idol: move up on the Honor track."),
        "draw": ("draw", "Draw a card."),
        "megalith": ("megalith 1,0", "Place a Megalith on the board at column X, row Y."),
        "stack": ("stack 0,2@1", "Place a Megalith on top of four, at this level."),
        "as": (
            "megalith as honor",
            (
                "Take something lesser instead of the benefit: `food`, `tool`, `offering`, `honor` "
                "(a step there) or `draw`."
            ),
        ),
        "points": ("points 2", "Take N points."),
        "labor-halves": ("labor-halves 3", "Take N halves of Labor."),
        "bury": (
            "bury elder hand",
            (
                "Bury a card from the hand (`hand`), the discard pile (`discard`), above the board "
                "(`above`) or the revealed Eclipse pile (`pile`)."
            ),
        ),
        "camp": ("camp", "Place a Camp on the Base (Rivers: on the Starting Base)."),
        "move": ("move 0>3", "Move a Camp from hex to hex; 19 is the Starting Base."),
        "village": ("village 16", "Build a Village at juncture N, giving up its 3 Camps."),
        "tribe": ("tribe hunter", "Take a Tribe card to hand."),
        "recruit": ("recruit hunter", "Take a Tribe card to the discard pile."),
        "take": ("take eagle_dance", "Take a Culture card of the display to hand."),
        "animal": ("animal glyptodon", "Take an Animal from the Grounds."),
        "beast": ("beast", "Take the top Animal of the deck."),
        "reveal": ("reveal", "Reveal an Animal into the Grounds."),
        "tip": ("tip giant_beaver", "Tip an own Animal for its benefit; it leaves its set."),
        "stone": ("stone pillar_stone", "Take a Sacred Stone and pay for its space."),
        "pay": ("card elder: pay", "Pay the cost of this source, then take what it gives."),
        "leave": ("leave", "Leave the benefits or abilities that are left."),
        "camp-at-raft": ("camp-at-raft", "Rivers: place a Camp at the Raft."),
        "raft": (
            "raft 0>1",
            "Rivers: move the Raft downriver, with Camp moves; place 0 is the Headwaters.",
        ),
        "village-with-raft": (
            "village-with-raft 4",
            "Rivers: as `village`, the Raft standing in for one Camp.",
        ),
        "fish": ("hex 9: fish 1", "Rivers: draw N Fish and take what they show."),
        "landmark": ("hex 3: landmark volcano", "Rivers: score this Landmark."),
        "mammoth": ("mammoth 12", "Mammoth: put it on juncture N with 2 Camp moves."),
        "raid": ("card warrior: raid 1 0>3", "Warriors: move a Camp of this seat."),
    },
    "Costs and the Eclipse": {
        "discard": ("discard tribesman", "Discard a card from hand as a cost."),
        "pile": ("pile shaman", "Add a card to the Eclipse pile."),
        "done": ("done", "The Eclipse pile is complete."),
        "score": ("score fang_stone", "Score a Sacred Stone."),
    },
    "The Nomad": {
        "nomad-reveal": ("nomad-reveal", "Reveal the next Nomad card."),
        "nomad-column": ("nomad-column migrate", "Place a figure in this column."),
        "nomad-culture": (
            "nomad first_light: nomad-culture hide_tents 4",
            "Lay the Culture card of space N onto the Sacrifice deck.",
        ),
        "nomad-bury": ("nomad-bury", "Bury the top card of the Sacrifice deck."),
        "nomad-animal": ("nomad-animal woolly_rhino 3", "Take the Animal of space N."),
        "nomad-pile": ("nomad-pile", "Put the next Nomad card onto the Eclipse pile."),
        "nomad-glaciers": ("nomad-glaciers 3", "Score N points for Camps on Glaciers."),
        "nomad-build": (
            "nomad-build 13 village",
            "Build a Village at juncture N, or put the token there (`token`).",
        ),
        "nomad-map": ("nomad-map inner", "Reveal a Map card; the `inner` or `outer` Camps move."),
        "nomad-nothing": ("nomad-nothing", "An action that has no effect now."),
    },
}
# What stands in front of a text, with a colon, where several sources compete.
SOURCES: Final[dict[str, tuple[str, str]]] = {
    "hex": ("hex 7: tools 1 food 0", "A hex of the Terrain board, by its number."),
    "card": ("card shaman: offering", "A card of the revealed Eclipse pile."),
    "ability": ("ability 0: camp", "An ability (from 0) of the Culture card just played."),
    "token": ("token 0: pay", "An effect (from 0) of the Rest token that is held."),
    "nomad": ("nomad wolf_song: reveal", "A Nomad card."),
}
_INTRODUCTION: Final = """\
# The words of moves

Each option has a canonical text, `option.text`, unique in its decision. It is a word with its
arguments: `place chief hunt`. A bot can choose by it (`return "place chief hunt"`), logs and
replays contain it, and `game.text(code)` and `game.parse(text)` of the rules core translate it.
`option.label` says the same in a sentence, with costs and gains.

Arguments in capitals stand for ids of the content pack (`CARD`: "hunter"), for numbers (`N`; hexes
are 0 to 18, junctures 0 to 23) or for words that the meaning names. Those in brackets may be
missing. `ew catalog` lists the ids.

This page is made from the notation table by `.venv/bin/python -m tests.tools.pages`.
"""
_SOURCES_TITLE: Final = """\
## Sources in front

Where benefits of several sources wait, the text begins with the source and a colon.
"""


def notation() -> Notation:
    """The words of all modules, with the engine's own pack."""
    return notation_of(Config(load_pack().tables, 2))


def forms(table: Notation) -> dict[str, str]:
    """Each word of the table and how it is written with its arguments."""
    found = dict(_OWN_FORMS)
    for word, kinds in table.words.values():
        found[word] = " ".join([word, *[_ARGUMENTS[kind] for kind in kinds]])
    return found


def word_of(text: str) -> str:
    """The word of a canonical text that its row explains."""
    body = text.rpartition(": ")[2].split(" ")
    return "as" if body[1:2] == ["as"] else body[0]


def moves_page() -> str:
    written = forms(notation())
    parts = [_INTRODUCTION]
    for title, words in SECTIONS.items():
        lines = [f"## {title}\n", "| text | meaning | example |", "| --- | --- | --- |"]
        for word, (example, meaning) in words.items():
            lines.append(f"| `{written[word]}` | {meaning} | `{example}` |")
        parts.append("\n".join(lines) + "\n")
    lines = [_SOURCES_TITLE, "| source | meaning | example |", "| --- | --- | --- |"]
    lines += [f"| `{one}` | {meaning} | `{text}` |" for one, (text, meaning) in SOURCES.items()]
    parts.append("\n".join(lines) + "\n")
    return "\n".join(parts)
