"""The page of a replay in a real browser: opened from a file, stepped, jumped, played, looked at.

It needs chromium, and axe-core of clients/web for what screen readers and weak eyes need.
"""

from __future__ import annotations

import json
import os
import re
import shutil
from typing import TYPE_CHECKING, Any

import pytest
from playwright.sync_api import expect, sync_playwright

from tests.cli.replay_pages import NASTY, data_of, four_players, page_of_four, page_of_solo
from tests.foundations.tree import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from playwright.sync_api import Browser, Page

CHROMIUM = shutil.which("chromium")
AXE = ROOT / "clients" / "web" / "node_modules" / "axe-core" / "axe.min.js"
pytestmark = pytest.mark.skipif(
    CHROMIUM is None,
    reason="LOUD: there is no chromium on this machine, so the pages are NOT tested in a browser",
)
needs_axe = pytest.mark.skipif(
    not AXE.exists(), reason="LOUD: clients/web is not installed, so axe-core looks at NOTHING"
)
FLAGS = [
    # As root there is no sandbox for it; and it must not look for updates or anything else.
    *(["--no-sandbox"] if os.geteuid() == 0 else []),
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
WIDE, NARROW = {"width": 1280, "height": 900}, {"width": 360, "height": 740}


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield browser
        browser.close()


class Opened:
    """A page that was opened from a file, with all that went wrong in it."""

    def __init__(self, page: Page, address: str) -> None:
        self.page = page
        self.address = address
        self.wrong: list[str] = []
        self.asked: list[str] = []
        page.on("pageerror", lambda error: self.wrong.append(str(error)))
        page.on("console", lambda said: self.wrong.append(said.text))
        page.on("request", lambda request: self.asked.append(request.url))
        page.goto(address)

    def step(self) -> int:
        return int(self.page.locator("output.count").inner_text().split(" / ")[0])

    def text(self, where: str) -> str:
        return self.page.locator(where).first.inner_text()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("pages")
    (folder / "four.html").write_text(page_of_four())
    (folder / "solo.html").write_text(page_of_solo())
    return folder


@pytest.fixture
def opened(browser: Browser, folder: Path) -> Iterator[Any]:
    """Opens a page by its name; afterwards nothing may have gone wrong in it."""
    found: list[Opened] = []

    def open_(name: str = "four", **options: Any) -> Opened:
        fragment = options.pop("fragment", "")
        page = browser.new_page(**{"viewport": WIDE, **options})
        found.append(Opened(page, f"{(folder / name).as_uri()}.html{fragment}"))
        return found[-1]

    yield open_
    for one in found:
        assert one.wrong == []
        assert {url.partition("#")[0] for url in one.asked} == {one.address.partition("#")[0]}
        one.page.close()


def test_it_is_stepped_jumped_and_linked_to(opened: Any) -> None:
    one = opened()
    page = one.page
    first, last = one.step(), len(data_of(page_of_four())["steps"])
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    assert one.step() == first + 2
    page.get_by_role("button", name="Step back").click()
    assert one.step() == first + 1
    page.keyboard.press("End")
    assert one.step() == last
    assert "The end" in one.text(".story")
    scores = [seat.score for seat in four_players().game.result.seats]
    shown = page.locator(".player .score").all_inner_texts()
    assert [int(text.split()[0]) for text in shown] == scores
    page.keyboard.press("Home")
    assert one.step() == first
    page.keyboard.press("PageDown")
    turn = one.step()
    assert first < turn < last
    page.get_by_role("button", name="R2: Round 2", exact=True).click()
    assert one.step() > turn
    assert "Round 2" in one.text(".story")
    page.get_by_role("slider", name="Step").fill("120")
    assert one.step() == 120
    page.wait_for_url("**#step=120")
    again = opened(fragment="#step=200&eyes=1&tab=log")
    assert again.step() == 200
    assert again.page.locator(".log li[aria-current]").get_attribute("data-step") == "199"
    again.page.locator(".log li[data-step='300'] a").click()
    assert again.step() == 301
    assert again.page.locator(".terrain svg").is_visible()


def test_it_plays_by_itself_until_it_is_stopped(opened: Any) -> None:
    one = opened()
    first = one.step()
    one.page.get_by_label("Speed").select_option("10")
    one.page.keyboard.press("Escape")
    one.page.get_by_role("button", name="Play", exact=True).click()
    for step in (first, first + 1):
        expect(one.page.locator(".count")).not_to_have_text(re.compile(f"^{step} /"))
    one.page.get_by_role("button", name="Pause").click()
    assert one.page.get_by_role("button", name="Play", exact=True).is_visible()
    stopped = one.step()
    one.page.keyboard.press("ArrowLeft")
    assert one.step() == stopped - 1


def test_a_seats_eyes_see_its_hand_and_no_other(opened: Any) -> None:
    one = opened(fragment="#step=150")
    hands = one.page.locator(".player:has(h3:text-is('Hand'))")
    assert hands.count() == 4
    one.page.get_by_label("Whose eyes").select_option("1")
    assert hands.count() == 1
    assert hands.locator(".badge").first.inner_text() == "B"
    one.page.get_by_label("Whose eyes").select_option("spectator")
    assert hands.count() == 0


def test_a_nasty_name_is_only_a_name(opened: Any) -> None:
    one = opened()
    assert NASTY in one.text(".scores")
    assert one.page.title() != "x"
    assert one.page.locator("b:has-text('&')").count() == 0


def test_reasons_and_reviews_are_shown_to_those_who_may_know_them(opened: Any) -> None:
    number, step = next(
        (number, step)
        for number, step in enumerate(data_of(page_of_four())["steps"], 1)
        if number > 100 and "why" in step
    )
    one = opened(fragment=f"#step={number}")
    assert one.text(".why").startswith(f"Why: reason {step['why'][0].split()[1]} {NASTY}")
    assert f"expects {step['why'][1]:.1f} points" in one.text(".why")
    other = 1 - step["choice"][0] if step["choice"][0] < 2 else 0
    one.page.get_by_label("Whose eyes").select_option(str(other))
    assert one.page.locator(".why").count() == 0
    one.page.get_by_role("button", name="Review").click()
    assert one.page.locator(".review").count() == 1
    assert "about 12 points" in one.text(".worst")
    assert NASTY in one.text(".worst")
    one.page.get_by_label("Whose eyes").select_option("spectator")
    assert one.page.locator(".review").count() == 0
    one.page.get_by_label("Whose eyes").select_option("open")
    one.page.locator(".worst a").first.click()
    assert one.step() == 120
    assert not opened("solo", fragment="#tab=review").page.locator(".review").count()


def test_everything_is_on_the_table(opened: Any) -> None:
    one = opened(fragment="#step=400")
    page = one.page
    assert page.locator(".hex").count() == 19
    for title in ("Terrain", "Action Columns", "Idol board", "Megaliths", "Hunting Grounds"):
        assert page.get_by_role("heading", name=title, level=2).is_visible()
    assert page.locator(".raft").count() == 4
    assert page.locator(".mammoth").count() == 1
    label = page.locator(".hex").first.get_attribute("aria-label")
    assert label is not None
    assert label.startswith("Hex 0, ")
    page.locator(".chip").first.click()
    assert len(one.text(".info")) > 5
    page.keyboard.press("Escape")
    assert not page.locator(".info").is_visible()
    solo = opened("solo", fragment="#step=200")
    assert solo.page.locator(".nomad-card").count() > 0
    page.get_by_role("button", name="Points").click()
    assert page.locator(".points .curve:not(.expected)").count() == 4


@needs_axe
@pytest.mark.parametrize(
    ("width", "scheme", "more"),
    [
        (WIDE, "dark", ("solo", "#step=200")),
        (WIDE, "light", ("four", "#tab=review")),
        (NARROW, "dark", ("four", "#tab=log&eyes=1")),
        (NARROW, "light", ("four", "#tab=points")),
    ],
    ids=["wide-dark", "wide-light", "narrow-dark", "narrow-light"],
)
def test_it_fits_and_axe_finds_nothing_serious(
    opened: Any, width: dict[str, int], scheme: str, more: tuple[str, str]
) -> None:
    axe = AXE.read_text()
    for name, fragment in (("four", "#step=300"), more):
        one = opened(
            name, fragment=fragment, viewport=width, color_scheme=scheme, reduced_motion="reduce"
        )
        page = one.page
        assert page.evaluate("document.documentElement.scrollWidth") <= width["width"]
        # The page's own policy forbids foreign scripts; the debugger is above it.
        page.evaluate(axe)
        found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")
        serious = [
            (rule["id"], [node["html"][:120] for node in rule["nodes"]][:3])
            for rule in found["violations"]
            if rule["impact"] in ("serious", "critical")
        ]
        assert serious == [], json.dumps(serious, indent=1)


def test_dark_and_light_can_be_switched(opened: Any) -> None:
    one = opened(color_scheme="dark")
    ground = "getComputedStyle(document.body).backgroundColor"
    dark = one.page.evaluate(ground)
    one.page.get_by_role("button", name="Dark or light").click()
    light = one.page.evaluate(ground)
    assert dark != light
    other = opened(color_scheme="light")
    assert other.page.evaluate(ground) == light
