"""What people look at: it holds what the results say, and nothing that a name could break."""

from __future__ import annotations

import csv
import io
import re
from html.parser import HTMLParser
from typing import TYPE_CHECKING

import msgspec
import pytest
from rich.console import Console

from endless_winter.tournament.report import files, html, svg, text
from endless_winter.tournament.report.summary import Summary, remarks, signed
from endless_winter.tournament.results import Ended, Game, Seat, Use
from tests.tournament.tables import by_strength, game_of, play_all, spec_of, summary_of

if TYPE_CHECKING:
    from endless_winter.tournament.schedule import Match

NAMES = ("one", "two", "three")


@pytest.fixture(scope="module")
def whole() -> Summary:
    spec = spec_of(*NAMES, players=3, blocks=4, title="<Cup> & more")
    summary = summary_of(spec, play_all(spec, by_strength({"one": 2, "two": 1, "three": 0})))
    summary.results.add(Ended("0f" * 32, "a0" * 32, 1))
    return summary


class Checker(HTMLParser):
    """Every tag is closed in its turn; counts what it meets."""

    VOID = frozenset(("meta", "line", "rect", "circle"))

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.links: list[str] = []
        self.seen: dict[str, int] = {}

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen[tag] = self.seen.get(tag, 0) + 1
        self.links += [value or "" for name, value in attrs if name in ("href", "src")]
        if tag != "meta":
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        del attrs
        self.seen[tag] = self.seen.get(tag, 0) + 1

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def checked(page: str) -> Checker:
    checker = Checker()
    checker.feed(page)
    assert checker.open == []
    return checker


def test_the_page_holds_everything_it_shows(whole: Summary) -> None:
    page = html.page(whole, lambda game: f"replays/{game.id}.ewr")
    found = checked(page)
    assert found.seen["svg"] == 4  # these games tell nothing of placed figures
    assert sorted(found.links) == sorted(f"replays/{game.id}.ewr" for game in whole.games)
    assert "http" not in page  # nothing is fetched from anywhere
    assert "<script" not in page
    assert "&lt;Cup&gt; &amp; more" in page
    assert "0f" * 32 in page
    assert "nan" not in page.lower().replace("finance", "")


def test_the_page_says_where_points_came_from_in_the_words_of_a_match() -> None:
    spec = spec_of("a", "b", blocks=1)

    def scored(match: Match) -> Game:
        points = {"final_animals": 12, "megaliths": 3, "eagles": 1}
        seats = tuple(
            Seat(entrant=name, place=1 + (name == "b"), score=16, points=points)
            for name in match.entrants
        )
        return game_of(match, (1, 2), seats=seats)

    page = html.page(summary_of(spec, play_all(spec, scored)), lambda game: game.id)
    labels = [page.index(f"{label}<") for label in ("Animal sets", "Megaliths", "eagles")]
    assert labels == sorted(labels)  # the largest first


def test_a_page_without_any_game_is_a_page() -> None:
    page = html.page(summary_of(spec_of("a", "b"), {}), lambda game: game.id)
    found = checked(page)
    assert found.links == []
    assert "svg" not in found.seen  # an empty plot shows nothing
    assert "<h2>Standings</h2>" in page
    assert "<h2>Points</h2>" not in page


def test_a_page_of_forfeits_alone_is_a_page() -> None:
    spec = spec_of("a", "b", blocks=1)

    def absent(match: Match) -> Game:
        seats = tuple(
            Seat(entrant=name, place=1 + (name == "b"), reason="never_started")
            for name in match.entrants
        )
        return game_of(match, (1, 2), outcome="adjudicated", seats=seats, note="b <never> came")

    summary = summary_of(spec, play_all(spec, absent))
    page = html.page(summary, lambda _: "")
    checked(page)
    assert "b &lt;never&gt; came" in page
    assert "2 games: b <never> came" in remarks(summary)
    assert "b: never came and lost in 2 of 2 games" in remarks(summary)
    # No rating is made up for those who never played.
    assert page.count("<b>-</b>") == 2
    assert "| a | - | never played |" in files.markdown(summary)
    assert ",a,,,,2,2," in files.standings_csv(summary)


def test_csv_has_a_row_for_each_entrant_and_each_seat(whole: Summary) -> None:
    rows = list(csv.DictReader(io.StringIO(files.standings_csv(whole))))
    assert [row["entrant"] for row in rows] == [one.entrant for one in whole.table.standings]
    assert [row["games"] for row in rows] == ["12"] * 3
    for row, one in zip(rows, whole.table.standings, strict=True):
        assert float(row["share"]) == pytest.approx(one.share, abs=1e-4)
        assert float(row["mean_score"]) == pytest.approx(one.mean_score, abs=1e-3)
    seats = list(csv.DictReader(io.StringIO(files.games_csv(whole))))
    assert len(seats) == 36
    assert sum(row["place"] == "1" for row in seats) == 12


def test_markdown_has_the_table_and_head_to_head(whole: Summary) -> None:
    page = files.markdown(whole)
    assert page.startswith("# <Cup> & more\n")
    best = whole.table.standings[0]
    assert f"| 1 | {best.entrant} | {signed(best.rating.value)} |" in page
    assert "| places | mean points | ms/choice |" in page
    assert "| ahead of | " in page
    assert "| seat | wins | mean points |" in page


def test_the_terminal_shows_ratings_with_their_margins(whole: Summary) -> None:
    console = Console(file=io.StringIO(), width=100)
    console.print(text.standings(whole.table, 3))
    console.print(text.head_to_head(whole.table))
    assert isinstance(console.file, io.StringIO)
    said = console.file.getvalue()
    assert "places  score  ms/choice" in said  # "points" would be those that a place brings
    for one in whole.table.standings:
        pattern = rf"{one.rank} +{one.entrant} +{re.escape(signed(one.rating.value))}"
        assert re.search(rf"{pattern} +{one.rating.margin:.0f}", said)


def test_a_name_that_looks_like_markup_stays_a_name() -> None:
    spec = spec_of("bold", "b", title="[bold]x[/bold]")
    games = play_all(spec, by_strength({"bold": 1, "b": 0}))
    console = Console(file=io.StringIO(), width=100)
    console.print(text.standings(summary_of(spec, games).table, 2))
    assert isinstance(console.file, io.StringIO)
    assert "bold" in console.file.getvalue()


def test_games_beyond_the_decision_of_a_test_do_not_count() -> None:
    spec = spec_of("a", "b", format="sprt", blocks=300, sprt={"rating1": 100.0})
    games = play_all(spec, by_strength({"a": 1.0, "b": 0.0}))
    summary = summary_of(spec, games)
    assert len(summary.games) == 2 * len(summary.plan.blocks) < len(games)
    assert summary.verdict.startswith("a is better than b: LLR ")
    assert summary.verdict in html.page(summary, lambda _: "").replace("&#x27;", "'")


@pytest.mark.parametrize(
    ("form", "paired", "said"),
    [
        (
            "round_robin",
            False,
            "6 sets in every seat rotation, every game on a secret seed of its own",
        ),
        ("round_robin", True, "paired seeds: one seed for each set, shared by its games"),
        ("solo_field", False, "every game on a secret seed of its own"),
        ("solo_field", True, "one seed for each set, shared by its games of all entrants"),
        ("sprt", True, "sets (paired seeds: one seed for each set"),
    ],
)
def test_all_reports_say_which_games_share_a_seed(form: str, paired: bool, said: str) -> None:
    spec = spec_of("a", "b", format=form, blocks=6, paired_seeds=paired)
    strength = {"a": 1.0, "b": 0.0, "Nomad": 0.5}
    summary = summary_of(spec, play_all(spec, by_strength(strength)))
    for shown in (summary.heading + summary.verdict, files.markdown(summary)):
        assert said in shown
    page = html.page(summary, lambda _: "")
    assert said in page
    assert ("Whoever plays a seed twice can know what was hidden" in page) == paired


def test_attempts_that_were_played_again_are_listed_but_do_not_count() -> None:
    spec = spec_of("a", "b", blocks=1)
    games = play_all(spec, by_strength({"a": 1, "b": 0}))
    first = next(iter(games.values()))
    void = msgspec.structs.replace(first, outcome="void", note="b never took its seat")
    second = msgspec.structs.replace(first, id=f"{first.match}-2", attempt=2)
    third = msgspec.structs.replace(void, id=f"{first.match}-2")
    found = {"void": void, **games, first.match: second}
    assert "1 games: b never took its seat" in remarks(summary_of(spec, {"third": third, **found}))
    summary = summary_of(spec, found)
    assert summary.table.games == 2
    assert summary.voids == [void]
    assert "1 games: b never took its seat" in remarks(summary)


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [(0, 100, [0, 20, 40, 60, 80, 100]), (-0.2, 0.9, [-0.2, 0, 0.2, 0.4, 0.6, 0.8]), (3, 3, [3])],
)
def test_ticks_are_round_numbers(low: float, high: float, expected: list[float]) -> None:
    assert svg.ticks(low, high) == pytest.approx(expected)


def test_numbers_have_a_sign_unless_they_are_nothing() -> None:
    assert [signed(value) for value in (12.4, -3.6, 0.3, -0.4)] == [
        "+12",
        "\N{MINUS SIGN}4",
        "0",
        "0",
    ]


def test_reports_say_how_entrants_were_run_and_who_burned_the_processor() -> None:
    spec = spec_of("calm", "burner", blocks=1)
    games = play_all(spec, by_strength({"calm": 1, "burner": 0}))
    used = {"calm": Use(asked_ms=4000), "burner": Use(asked_ms=1000, unasked_ms=9000, lowered=2)}
    seats = {
        match: tuple(msgspec.structs.replace(seat, decisions=100) for seat in game.seats)
        for match, game in games.items()
    }

    def reports(**more: str) -> tuple[str, str]:
        found = summary_of(
            spec,
            {
                match: msgspec.structs.replace(game, used=used, seats=seats[match], **more)
                for match, game in games.items()
            },
        )
        return files.markdown(found), html.page(found, lambda _: "")

    for text_ in reports(isolation="bubblewrap"):
        assert "Entrants ran in sandboxes of their own (bubblewrap)." in text_
        assert "WARNING" not in text_
        assert "burner: burned 18.0 s of processor time while it was not asked (90.0 ms a" in text_
        assert "its share was lowered 4 times" in text_
        assert "calm: burned" not in text_
        assert "40.0 ms" in text_  # of calm, for a decision
    for text_ in reports(isolation="user"):
        assert "ran as users of their own without a sandbox" in text_
    for text_ in reports(isolation="none"):
        assert "WARNING: entrants were not kept apart" in text_
    for text_ in reports():  # of an older version
        assert "ntrants ran" not in text_
