"""What a new player asks, and where the terminal answers it: each question with its place.

The places are those that a player sees: the screen, its pages and its help. An answer is looked for
in what the place really shows.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

import pytest
from textual.widgets import Static

from endless_winter.rules import Game, agenda
from endless_winter.sdk import Decision, LocalTable
from endless_winter.terminal import places
from endless_winter.terminal import sheet as sheets
from endless_winter.terminal.app import TableApp
from endless_winter.terminal.canvas import Canvas
from endless_winter.terminal.event_text import EventText
from endless_winter.terminal.lookup import entries
from endless_winter.terminal.panels import log
from endless_winter.terminal.picker import Picker
from endless_winter.terminal.scene import Scene
from endless_winter.terminal.view_text import place_text
from endless_winter.terminal.why import offers_text
from endless_winter.v1 import decision_pb2, event_pb2, ids_pb2, result_pb2
from endless_winter.v1 import enums_pb2 as enums
from endless_winter.views import Scribe, prompt_bytes
from tests.rules.scene import scene as lay_out
from tests.terminal.games import PACK, positions, sheet_of
from tests.terminal.offline import OfflineTable
from tests.views.redaction import WORDS

if TYPE_CHECKING:
    from collections.abc import Callable

    from endless_winter.terminal.places import Place
    from tests.rules.scene import Scene as Laid


def flat(text: str) -> str:
    return " ".join(text.split())


# --- the places of answers ---


def decision_of(game: Game) -> Decision:
    body = Scribe(WORDS, game.position.config).decision_bytes(game, 1, explain=True)
    prompt = decision_pb2.Prompt.FromString(prompt_bytes(body))
    return Decision(prompt, LocalTable(pack=PACK).catalog)


def why_not(table: Laid) -> str:
    """The page that w opens."""
    return flat(offers_text(decision_of(table.game)).plain)


def options(table: Laid) -> str:
    """The list of options."""
    return "\n".join(option.label for option in decision_of(table.game).options)


def under_the_cursor(place: Place) -> str:
    """The lines about what is pointed at."""
    table = next(one for one in positions(3, 5) if one.view(0).round == 2)
    return flat(place_text(Scene.of(table.view(table.seat)), place))


def screen() -> str:
    table = next(one for one in positions(3, 5) if one.view(0).round == 2)
    return flat("\n".join(sheets.draw(sheet_of(table), 100, 32).lines()))


def look_up(title: str) -> str:
    catalog = LocalTable(pack=PACK).catalog
    return flat(" ".join(" ".join(one.lines) for one in entries(catalog) if one.title == title))


def said(**public: object) -> str:
    """A line of the log."""
    catalog = LocalTable(pack=PACK).catalog
    event = event_pb2.Event(public_event=event_pb2.PublicEvent(**public))  # type: ignore[arg-type]
    return next(EventText(catalog, lambda seat: f"Ann{seat}").lines([event])).text


def result_page() -> str:
    table = LocalTable(2, seed=3, pack=PACK)
    while not table.over:
        table.play(table.decision.default)
    canvas = Canvas(60, 21)
    log.draw_result(Scene.of(table.view(0)).ended(table.result), canvas)
    return flat("\n".join(canvas.lines()))


# --- tables laid out for a question ---


def hunting(**fields: object) -> Laid:
    table = lay_out(2).player(0, **fields).turn(0).grounds("woolly_rhino")
    return table.do("place tribe hunt")


def migrating(**fields: object) -> Laid:
    return lay_out(2).player(0, **fields).turn(0).do("place tribe migrate")


def initiating() -> Laid:
    table = lay_out(2).player(0, tools=2, food=5, hand=["brave", "tribesman"]).turn(0)
    return table.do("place tribe initiate", "play brave", "initiate elder")


def second_in_hunt() -> Laid:
    table = lay_out(2).player(1, hand=["hunter"]).turn(0)
    return table.do("place tribe hunt", "end", "place tribe hunt")


def two_culture_cards() -> Laid:
    table = lay_out(2).player(0, hand=["smoked_meat", "spear_thrower", "brave"]).turn(0)
    table.do("culture smoked_meat")
    while table.game.position.agenda[-1][0] != agenda.TURN:
        table.do(table.texts[-1])
    return table


class Question(NamedTuple):
    asks: str
    place: str
    shown: Callable[[], str]
    answer: str
    """A regular expression."""


def question(asks: str, place: str, shown: Callable[[], str], answer: str) -> Question:
    return Question(asks, place, shown, answer)


RHINO = {"tools": 1, "hand": ["hunter"], "animals": ["woolly_rhino"]}
QUESTIONS = (
    # Costs.
    question(
        "What does it take to hunt?",
        "w",
        lambda: why_not(hunting()),
        "Take an Animal: 1 Labor and 1 Tool",
    ),
    question(
        "What do I get and pay if I go to Migrate?",
        "the lines under the options, on a column",
        lambda: under_the_cursor(places.space(enums.ACTION_SPACE_MIGRATE)),
        r"place a Camp \(1 Tool\) or move a Camp \(1 Labor\).* a Village \(3 Food and 3 Camps\)",
    ),
    question(
        "What does a Culture card cost?",
        "the lines under the options, on a column",
        lambda: under_the_cursor(places.space(enums.ACTION_SPACE_DEVELOP)),
        r"a Culture card \(3 Labor\)",
    ),
    question(
        "What does a Tribe card cost?",
        "w",
        lambda: why_not(initiating()),
        "Initiate a Tribe card: 1 Labor and 1 Tool",
    ),
    question(
        "What does my next Sacred Stone cost?",
        "the own board",
        screen,
        r"Stones.*next: \d Food, \d Tool",
    ),
    question(
        "Does a second Culture card cost anything?",
        "the options",
        lambda: options(two_culture_cards()),
        "Spear-Thrower .* for a discarded card",
    ),
    question(
        "How do I get Labor out of Food?",
        "the options",
        lambda: options(hunting(food=3)),
        r"Spend \d Food for 1 Labor",
    ),
    question(
        "What does revealing Animals cost?",
        "w",
        lambda: why_not(hunting()),
        "Reveal 2 Animals: 1 Labor; you have 0 Labor",
    ),
    # What is closed.
    question(
        "Why can I not take an Animal?",
        "w",
        lambda: why_not(hunting(hand=["hunter"]).do("play hunter")),
        "1 Labor and 1 Tool; you have 0 Tools",
    ),
    question(
        "What will this action close?",
        "the options",
        lambda: options(hunting(**RHINO)),
        "bottom action: the top Animal of the deck; closes the top and middle sections",
    ),
    question(
        "Why are the top actions gone?",
        "w",
        lambda: why_not(hunting(**RHINO).do("bottom")),
        "the top section is closed: the bottom action was taken",
    ),
    question(
        "Why can I not tip a second Animal?",
        "w",
        lambda: why_not(
            hunting(animals=["woolly_rhino", "woolly_rhino"], hand=["brave"]).do("tip woolly_rhino")
        ),
        "Tip an Animal; the middle action was taken, once in a turn",
    ),
    question(
        "Why is there no bottom action for me?",
        "w",
        lambda: why_not(second_in_hunt()),
        "another figure was the first here in this round",
    ),
    question(
        "Why can I not build a Village?",
        "w",
        lambda: why_not(migrating(food=3, tools=1, camps=[1, 2])),
        "no free juncture has a Camp of yours on each of its 3 hexes",
    ),
    question(
        "Why can I not place a Camp?",
        "w",
        lambda: why_not(migrating(tools=1, camps=[0, 0, 1, 1, 2])),
        "all your Camps are on the map",
    ),
    question(
        "Why can I not play the card that I just initiated?",
        "w",
        lambda: why_not(initiating()),
        "Play Elder; initiated in this turn",
    ),
    question(
        "Why can I not take a second card of the same deck?",
        "w",
        lambda: why_not(initiating()),
        "Initiate Elder: 1 Labor and 1 Tool; its deck was used in this turn",
    ),
    question(
        "Why can I not play my Culture card now?",
        "w",
        lambda: why_not(hunting(hand=["smoked_meat"])),
        "Play Smoked Meat; Culture cards are played before the figure",
    ),
    question(
        "Why does my Chief do nothing?",
        "w",
        lambda: why_not(hunting(hand=["brave"])),
        "only in the turn of your Chief figure",
    ),
    question(
        "Why can I play no Tribe card at Rest?",
        "w",
        lambda: why_not(
            lay_out(2).player(0, hand=["hunter"], deck=["brave"]).turn(0).do("place tribe rest")
        ),
        "Play Hunter; no Tribe cards are played at Rest",
    ),
    # Order.
    question(
        "Whose turn is it, and who comes next?",
        "the table of seats",
        screen,
        r"turn order points Food Tool hand.*▶",
    ),
    question(
        "Which round and which of my turns is it?",
        "the first line",
        screen,
        r"Round 2 of 4 · Action phase · your turn \d of 3",
    ),
    question(
        "In which order do I do the sections?",
        "w",
        lambda: why_not(hunting()),
        "Sections go from the top to the bottom.*A later section closes the earlier ones",
    ),
    question(
        "What becomes of Labor that I do not spend?",
        "w",
        lambda: why_not(hunting()),
        "Labor left at the end of the turn is lost",
    ),
    question(
        "Who was first in a column?",
        "the log",
        lambda: said(
            figure_placed=event_pb2.FigurePlaced(
                seat=1, figure=enums.FIGURE_TRIBE, space=enums.ACTION_SPACE_HUNT, first=True
            )
        ),
        "Ann1 places a Tribe figure in Hunt, first there",
    ),
    # Scoring.
    question(
        "What is this Animal worth at the end?",
        "the lines under the options, on the Hunting Grounds",
        lambda: under_the_cursor(places.grounds("ground_sloth")),
        r"set \d+/\d+",
    ),
    question(
        "What does this Sacred Stone score?",
        "the lines under the options, on a stone",
        lambda: under_the_cursor(places.supply_stone("pillar_stone")),
        r"each Eclipse \d points? for",
    ),
    question(
        "What is the Honor track good for?",
        "the lines under the options, on the track",
        lambda: under_the_cursor(places.track(enums.IDOL_TRACK_HONOR)),
        "Honor track, level .* next: .*point",
    ),
    question(
        "Where do my points come from so far?",
        "the lines under the options, on the own points",
        lambda: under_the_cursor(places.SCORE),
        r"\d+ points? so far: ",
    ),
    question(
        "Why did that score change?",
        "the log",
        lambda: said(
            points_scored=event_pb2.PointsScored(
                seat=1,
                points=2,
                category=result_pb2.SCORE_CATEGORY_TERRAIN,
                cause=ids_pb2.Source(hex=7),
            )
        ),
        r"Ann1 scores 2 points: .*hex 7",
    ),
    question(
        "Where did everybody's points come from in the end?",
        "the page Result",
        result_page,
        r"The end .* Points \d+",
    ),
    question(
        "What does a card do?",
        "look-up",
        lambda: look_up("Hunter"),
        "Gives 1 Labor when played .* in Hunt: 1 Labor",
    ),
)


def test_there_are_thirty_questions() -> None:
    assert len({one.asks for one in QUESTIONS}) == len(QUESTIONS) >= 30


@pytest.mark.parametrize("one", QUESTIONS, ids=lambda one: one.asks)
def test_the_place_answers(one: Question) -> None:
    shown = one.shown()
    assert re.search(one.answer, shown), f"{one.place}: {shown}"


async def test_help_says_what_decides_the_next_turn_order_and_where_to_look() -> None:
    app = TableApp(OfflineTable(0, [lambda decision, _: decision.default], seed=1, pack=PACK))
    async with app.run_test(size=(100, 32)) as pilot:
        await pilot.pause()
        await pilot.press("?")
        await pilot.pause()
        game = flat(" ".join(str(one.render()) for one in app.screen.query(Static)))
        await pilot.press("tab")  # from the game to keys and signs
        await pilot.pause()
        keys = flat(" ".join(str(one.render()) for one in app.screen.query(Static)))
    assert "turn order" in game
    assert "w says what its column offers" in keys


def test_the_picker_leaves_w_to_the_screen() -> None:
    table = next(one for one in positions(2, 3) if len(one.decision.options) > 12)
    picker = Picker(table.decision)
    assert "w" not in [picker.key_of(option) for option in table.decision.options]
