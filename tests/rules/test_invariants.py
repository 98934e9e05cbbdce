"""What holds in every position of every game, shown by random play.

Each test plays the same small set of walks (see walk.py) and looks at one thing at every step;
the soak test plays thousands and looks at all of them.
"""

from __future__ import annotations

import itertools
import json
import time
from collections import Counter
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from endless_winter.rules import Game, agenda, events, sources
from endless_winter.rules.checks import complaint
from endless_winter.rules.config import NOMAD_SWITCHES
from endless_winter.rules.hooks import FIRST_OF_MODULES
from endless_winter.rules.modules import MODULE_EVENT_NAMES, REGISTRY
from endless_winter.rules.points import by_category
from endless_winter.rules.position import write
from endless_winter.rules.rivers import area
from endless_winter.rules.rivers.agreed import rules_in
from endless_winter.rules.rivers.module import RIVERS_MODULE
from endless_winter.rules.source_text import SourceTexts
from endless_winter.rules.terrain import HEXES, JUNCTURES
from tests.rules.scene import TABLES
from tests.rules.walk import (
    ALL,
    ALL_MODULES,
    ALONE,
    EVERY,
    EXTRAS,
    MORE_MODULES,
    OF_EACH,
    OTHER_MODULES,
    OTHERS_FROM,
    RIVERS,
    SMALL,
    SOLO,
    STARTS,
    TOO_LONG,
    begin,
    config_of,
    every_pair,
    name_of,
    pairs_in,
    random_of,
    text_of,
    walk,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from endless_winter.rules.state import Event, Player, Position

MOST_DECISIONS = {2: 500, 3: 700, 4: 900}  # design.md: about 600 with 4 players, of good play
STONES_IN_PLAY = {2: 8, 3: 12, 4: 14}  # SET-02
EMPTY = 255


def own_cards(player: Player) -> bytes:
    zones = (player.hand, player.deck, player.discard, player.above, player.pile, player.buried)
    return b"".join(zones)


def dealt(position: Position) -> bool:
    return all(frame[0] != agenda.DEAL for frame in position.agenda)


# --- what is looked at in one position ---


def tribe_cards_are_all_there(game: Game) -> None:
    """SET-03: 15 of each type, in the decks and with the players."""
    position = game.position
    held = Counter(b"".join(own_cards(player) for player in position.players))
    for deck, card in enumerate(position.tribe_cards):
        assert position.tribes[deck] + held[card] == 15, TABLES.cards[card].name


def starting_cards_stay_with_their_owner(game: Game) -> None:
    """SET-07: 9 for each player, from the deal to the end."""
    position = game.position
    culture = {number for number, card in enumerate(TABLES.cards) if card.era}
    for player in position.players:
        own = [c for c in own_cards(player) if c not in position.tribe_cards and c not in culture]
        has_them = dealt(position) and position.kinds[player.seat].owns_cards
        assert Counter(own) == (Counter(TABLES.starting) if has_them else Counter())
    assert len(TABLES.starting) == 9


def culture_cards_are_single(game: Game) -> None:
    """SET-04, PRP-04: each exists once; those of Era I may leave the game after round 2."""
    position = game.position
    seen = Counter(position.culture[0] + position.culture[1])
    seen.update(card for card in position.display if card != EMPTY)
    for player in position.players:
        seen.update(own_cards(player))
    for index, module in enumerate(position.modules):
        seen.update(module.held_cards(position, index))
    for number, card in enumerate(TABLES.cards):
        if card.era == 2 or (card.era == 1 and position.round <= 2):
            assert seen[number] == 1, card.name
        elif card.era == 1:
            assert seen[number] <= 1, card.name


def animals_are_all_there(game: Game) -> None:
    """SET-08: 60, of each type as many as were printed."""
    position = game.position
    seen = Counter(position.animals)
    seen.update(animal for animal in position.grounds if animal != EMPTY)
    for player in position.players:
        seen.update(player.animals + player.tipped)
    if dealt(position):
        assert seen == Counter(position.animal_cards)
        if not set(OTHER_MODULES) & set(position.config.modules):
            assert seen.total() == (65 if "sea_cows" in position.config.modules else 60)  # RAF-13
    else:
        assert not seen


def stones_are_single(game: Game) -> None:
    """SET-02: so many are in play, none twice, and each Era's lie apart until they are taken."""
    position = game.position
    lying = position.stones[0] + position.stones[1]
    taken = b"".join(player.stones for player in position.players)
    assert len(lying + taken) == len(set(lying + taken)) == STONES_IN_PLAY[len(position.players)]
    for era in (1, 2):
        assert {TABLES.stones[stone].era for stone in position.stones[era - 1]} <= {era}


def megaliths_are_all_there(game: Game) -> None:
    """MEG-01: 2 neutral and 8 coloured ones of each player, on the board or in the supply."""
    position = game.position
    built = Counter(position.megaliths)
    neutral = built[1]
    for player in position.players:
        neutral_left = max(player.megaliths - 8, 0)
        neutral += neutral_left
        assert built[2 + player.seat] + player.megaliths - neutral_left == 8
    assert neutral == 2 * len(position.players)
    assert set(built) <= set(range(2 + len(position.players)))


def camps_villages_and_figures_are_all_there(game: Game) -> None:
    position = game.position
    junctures: list[int] = []
    for player in position.players:
        assert len(player.camps) <= 5
        outside = RIVERS_MODULE in position.modules and position.kinds[player.seat].owns_cards
        assert all(hex_ < HEXES + outside for hex_ in player.camps)
        assert len(player.villages) <= 3
        assert len(player.figures) == 3
        junctures += player.villages
    assert len(junctures) == len(set(junctures)), "two Villages on one juncture"
    if RIVERS_MODULE not in position.modules:
        assert all(0 not in JUNCTURES[juncture] for juncture in junctures), "a Village at the Base"


def fish_and_rafts_are_all_there(game: Game) -> None:
    """RAF-08, RAF-11: every Raft on the river, every Fish in the pool or beside it."""
    position = game.position
    index = area.index_of(position)
    if index < 0:
        return
    state = position.module_state[index]
    assert Counter(area.fish_pool(state) + area.fish_discarded(state)) == {
        number: fish.copies for number, fish in enumerate(area.parts_of(position).fish)
    }
    special = [n for n, fish in enumerate(area.parts_of(position).fish) if fish.special]
    assert special[0] in area.fish_pool(state), "the special Fish always returns"
    for player in position.players:
        assert area.raft_of(position, index, player.seat) <= area.DELTA


def limits_hold(game: Game) -> None:
    for player in game.position.players:
        assert 0 <= player.food <= 5 + len(player.camps)
        assert 0 <= player.tools <= 5
        assert len(player.stones) <= 3
        assert 0 <= player.offering <= len(TABLES.offering)
        assert 0 <= player.honor <= len(TABLES.honor)
        assert 0 <= player.megaliths <= 10
    assert game.position.labor >= 0
    assert sum(animal != EMPTY for animal in game.position.grounds) <= 6
    assert 1 <= game.position.round <= 4


def the_position_is_valid(game: Game) -> None:
    assert complaint(game.position) == ""


def there_is_one_decision_or_a_result(game: Game) -> None:
    decision = game.decision
    assert (decision is None) == game.position.over
    assert (decision is None) == (game.result is not None)
    if decision is None:
        assert game.options() == []
        return
    assert decision.options == game.options()
    assert 0 <= decision.seat < len(game.position.players)
    assert decision.options
    assert len(set(decision.options)) == len(decision.options), "an option is listed twice"
    assert decision.default in decision.options
    texts = [game.text(code) for code in decision.options]
    assert len(set(texts)) == len(texts), "two options read alike"


CONSERVED = (
    tribe_cards_are_all_there,
    starting_cards_stay_with_their_owner,
    culture_cards_are_single,
    animals_are_all_there,
    stones_are_single,
    megaliths_are_all_there,
    camps_villages_and_figures_are_all_there,
    fish_and_rafts_are_all_there,
)
ALWAYS = (*CONSERVED, limits_hold, the_position_is_valid, there_is_one_decision_or_a_result)


@pytest.mark.parametrize("holds", ALWAYS, ids=lambda holds: holds.__name__)
def test_in_every_position(holds: Callable[[Game], None]) -> None:
    for number in EVERY:
        for step, game in enumerate(walk(number)):
            try:
                holds(game)
            except AssertionError as wrong:
                wrong.add_note(f"{name_of(number)}, step {step}")
                raise


def test_the_walks_meet_every_kind_of_game() -> None:
    games = [begin(number).position.config for number in SMALL]
    for players, other in itertools.product((2, 3, 4), range(3)):
        same = [config for config in games if config.players == players]
        variants = {(config.setup_draft, config.chief_draft) for config in same}
        assert len(variants) == 3
        assert len({config.modules for config in same}) == 4
        assert TABLES.layouts[other].name in {config.layout for config in same}


def test_the_solo_walks_meet_every_switch_on_and_off_in_both_seats() -> None:
    games = [begin(number).position.config.nomad for number in SOLO]
    for switch in ("seat", *NOMAD_SWITCHES):
        assert {getattr(nomad, switch) for nomad in games} == {False, True}, switch


def test_the_walks_of_the_extras_meet_each_of_them_alone_and_solo() -> None:
    games = [begin(number).position.config for number in EXTRAS]
    for wanted in MORE_MODULES:
        same = [config for config in games if set(config.modules) >= set(wanted)]
        assert {config.players for config in same if config.nomad is None} == {2, 3, 4}
        assert any(config.nomad is not None for config in same)


def test_the_walks_of_all_kinds_meet_every_switch_on_and_off() -> None:
    games = [begin(number).position.config for number in ALL]
    assert {*ALL_MODULES, "rivers"} == set(games[0].modules)
    assert {*ALL_MODULES, "rivers", "nomad"} == set(games[1].modules)
    for module in (*ALL_MODULES, "rivers", "nomad"):
        assert {module in config.modules for config in games} == {False, True}, module
    rivers = [rules for config in games if (rules := rules_in(config)) is not None]
    assert {rules.landmarks for rules in rivers} == {1, 2, 3}
    nomads = [config.nomad for config in games if config.nomad is not None]
    for switch in ("seat", *NOMAD_SWITCHES):
        assert {getattr(nomad, switch) for nomad in nomads} == {False, True}, switch
    assert {config.players for config in games if config.nomad is None} == {2, 3, 4}


def test_the_walks_of_all_kinds_meet_every_two_values_of_switches_together() -> None:
    """Equal, not only enough: what is met although it contradicts is a mistake here as well."""
    assert len(every_pair()) > 700
    assert pairs_in(ALL) == pairs_in(EVERY) == every_pair()


def test_there_are_walks_with_every_module() -> None:
    met = {name for number in EVERY for name in config_of(number).modules}
    for name, module in REGISTRY.items():
        if module.own_rules:
            todo = (
                "give games with its rules a range of numbers of their own in tests/rules/walk.py"
            )
        else:
            todo = f"copy content/{name}.toml to tests/data/frozen/, whose pack the walks play with"
        assert name in met, f"no walk plays with {name}: {todo}"


@pytest.mark.parametrize("name", ["mammoth", "sea_cows"])
def test_a_new_module_has_walks_alone_and_with_all_others(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As if the module were new; one of them is played on the river only."""
    others = tuple(module for module in ALL_MODULES if module != name)
    monkeypatch.setattr("tests.rules.walk.ALL_MODULES", others)
    monkeypatch.setattr("tests.rules.walk.OTHER_MODULES", (*OTHER_MODULES, name))
    first = OTHERS_FROM + OF_EACH * len(OTHER_MODULES)
    games = [begin(number).position.config for number in range(first, first + OF_EACH)]
    alone = (name,) if name == "mammoth" else ("rivers", name)
    assert games[0].modules == alone
    assert {*ALL_MODULES, "rivers"} == set(games[ALONE].modules)
    played = [config for config in games if name in config.modules]
    assert len(played) > OF_EACH / 2
    assert {config.players for config in played} == {2, 3, 4}
    assert any(config.nomad is not None for config in played)


def test_the_walks_on_the_river_meet_every_kind_of_it() -> None:
    games = [begin(number).position.config for number in RIVERS]
    for solo in (False, True):
        same = [config for config in games if (config.nomad is not None) == solo]
        rules = [rules for config in same if (rules := rules_in(config)) is not None]
        assert {(one.landmarks, bool(one.named), one.decided) for one in rules} == {
            (1, False, False),
            (2, True, False),
            (3, False, True),
        }
        for module in ("glacier_tokens", "rest_tokens", "warriors", "mammoth"):
            assert {module in config.modules for config in same} == {False, True}, module
    assert {config.players for config in games if config.nomad is None} == {2, 3, 4}
    assert {(config.setup_draft, config.chief_draft) for config in games} == {
        (False, False),
        (True, False),
        (True, True),
    }


def test_the_walks_meet_every_kind_of_decision_and_event() -> None:
    """Else the tests here would say less than they seem to."""
    kinds: set[str] = set()
    happened: set[int] = set()
    for number in EVERY:
        game = begin(number, listen=True)
        choices = random_of(number)
        happened.update(event[0] for event in game.take_events())
        while (decision := game.decision) is not None:
            kinds.add(decision.kind_name)
            happened.update(event[0] for event in game.apply(choices.option(game)))
    never_asked = {"none", "deal", "round", "eclipse"}
    assert kinds == set(agenda.OPERATION_NAMES) - never_asked
    names = dict(enumerate(events.EVENT_NAMES)) | MODULE_EVENT_NAMES
    # The special Fish always returns, so that the pool never runs out in a game.
    assert {names[kind] for kind in happened} == set(names.values()) - {"none", "fish_mixed"}


# --- every option ---


def try_every_option(game: Game) -> None:
    """Each is carried out on a copy, gives a valid position, and leaves the game as it was."""
    before = text_of(game)
    for code in game.options():
        copy = game.copy()
        copy.apply(code)
        assert complaint(copy.position) == "", game.text(code)
        there_is_one_decision_or_a_result(copy)
    assert text_of(game) == before


def test_no_listed_option_raises() -> None:
    for number in EVERY:
        sample = random_of(-number)
        for game in walk(number):
            if sample.random() < 0.05:
                try_every_option(game)


# --- copies ---


def test_copies_are_independent() -> None:
    """Play on in the copy: the game is as it was. Play on in the game: so is the copy."""
    for number in EVERY:
        sample = random_of(-number)
        for game in walk(number):
            if sample.random() < 0.008:
                before = text_of(game)
                options = list(game.options())
                copy = game.copy()
                other = game.copy()
                for _ in range(60):
                    if copy.decision is not None:
                        copy.apply(sample.option(copy))
                assert text_of(game) == text_of(other) == before
                assert game.options() == options
                again = other.copy()
                while other.decision is not None:
                    other.apply(other.options()[-1])
                assert text_of(again) == before


def test_a_copy_goes_on_as_the_game_does() -> None:
    for number in EVERY:
        game = begin(number)
        choices = random_of(number)
        copy = game.copy()
        while game.decision is not None:
            code = choices.option(game)
            game.apply(code)
            copy.apply(code)
            if choices.random() < 0.1:
                copy = copy.copy()
            assert copy.options() == game.options()
        assert text_of(copy) == text_of(game)


def test_whether_somebody_listens_makes_no_difference() -> None:
    for number in EVERY:
        quiet = begin(number)
        loud = begin(number, listen=True)
        choices = random_of(number)
        while quiet.decision is not None:
            code = choices.option(quiet)
            assert quiet.apply(code) == []
            loud.apply(code)
        assert text_of(quiet) == text_of(loud)


# --- scores ---


# What points of a category come from; a list without a kind: whatever gave the Idol or the card.
CAUSES = {
    "culture_cards": ("card",),
    "tribe_cards": ("card",),
    "chief": ("chief",),
    "terrain": ("hex",),
    "turn_order": ("turn_order",),
    "megaliths": ("megalith",),
    "honor_track": (),
    "offering_track": (),
    "sacred_stones": ("stone",),
    "tipped_animals": ("animal",),
    "player_board": ("board", "stone_space"),
    "empty_supply": (),
    "glacier_tokens": ("glacier_tokens",),
    "rest_tokens": ("rest_token",),
    "fish": ("fish",),
    "landmarks": ("landmark",),
    "rafts": ("raft",),
    "nomad_actions": ("nomad",),
    "modules": (),
    "final_offering": ("rule",),
    "final_honor": ("rule",),
    "final_cards": ("rule",),
    "final_animals": ("rule",),
}


def cause_fits(position: Position, texts: SourceTexts, event: Event) -> None:
    """Points and gains name a source that can be written down; points the one of their category."""
    kind, seat, _, category, _, cause = event
    if kind < FIRST_OF_MODULES:
        assert bool(cause) == (kind in events.WITH_CAUSE), event
    assert bool(texts.text(cause)) == bool(cause)
    if kind == events.POINTS:
        what = sources.KIND_NAMES[cause >> 8]
        assert (
            what in CAUSES[events.CATEGORY_NAMES[category]]
            or not CAUSES[events.CATEGORY_NAMES[category]]
        ), event
        if what == "raft":
            assert cause & 255 == seat
        if what == "card":
            era = position.tables.cards[cause & 255].era
            allowed = "culture_cards" if era else "tribe_cards"
            assert events.CATEGORY_NAMES[category] in (allowed, *WITHOUT_A_KIND)


WITHOUT_A_KIND = tuple(name for name, kinds in CAUSES.items() if not kinds)


def play_listening(number: int) -> tuple[Game, list[Counter[int]]]:
    """A whole game, and the points that its events gave each seat, by category.

    At each step the categories so far are those of the events, and add up to the score; final
    scoring is reported when the game is over.
    """
    game = begin(number, listen=True)
    choices = random_of(number)
    points = [Counter[int]() for _ in game.position.players]
    texts = SourceTexts(game.position.tables, game.position.sites)
    happened = game.take_events()
    while True:
        for event in happened:
            cause_fits(game.position, texts, event)
            kind, seat, amount, category, _, _ = event
            if kind == events.POINTS:
                assert amount > 0
                points[seat][category] += amount
        for player in game.position.players:
            reported = points[player.seat]
            counted = by_category(player.points)
            final = range(events.FINAL_OFFERING, events.FINAL_ANIMALS + 1)
            at_once = [0 if number in final else reported[number] for number in range(len(counted))]
            assert counted == at_once
            assert player.score == sum(counted)
        if game.decision is None:
            return game, points
        happened = game.apply(choices.option(game))


def best_sets(held: bytes) -> int:
    """FIN-04 by trying every way to join the wild Animals to the types held."""
    wild = sum(TABLES.animals[animal].wild for animal in held)
    counts = Counter(animal for animal in held if not TABLES.animals[animal].wild)
    best = 0
    for joined in itertools.product(range(wild + 1), repeat=len(counts)):
        if sum(joined) <= wild:
            points = 0
            for (animal, number), more in zip(counts.items(), joined, strict=True):
                sets = TABLES.animals[animal].sets
                points += sets[min(number + more, len(sets)) - 1]
            best = max(best, points)
    return best


def nomad_sets(held: bytes) -> int:
    """NMD-17: every type on its own, by how many cards of it there are."""
    points = 0
    for animal, number in Counter(held).items():
        scale = {10: (1, 3, 6, 10), 5: (2, 5)}[TABLES.animals[animal].copies]
        points += scale[min(number, len(scale)) - 1]
    return points


def scores_recompute(game: Game, points: list[Counter[int]]) -> None:
    """The result again, from what lies on the table at the end and the points of the events."""
    position = game.position
    result = game.result
    assert result is not None
    on_track = sorted(
        (seat for seat in position.honor_queue),
        key=lambda seat: (-position.players[seat].honor, position.honor_queue.index(seat)),
    )
    totals = []
    config = position.config
    nomad = -1 if config.nomad is None else config.nomad.seat
    for player, score in zip(position.players, result.scores, strict=True):
        assert score.seat == player.seat
        reported = sorted(points[player.seat].items())
        assert score.by_name() == {events.CATEGORY_NAMES[category]: n for category, n in reported}
        assert score.total == sum(score.points) == points[player.seat].total()
        assert score.honor_track == sum(level.points for level in TABLES.honor[: player.honor])
        offering = 0
        if player.offering:
            offering = (player.food + player.tools) // TABLES.offering[player.offering - 1].ratio
        assert score.offering == offering
        honor = 0
        if player.seat in on_track:
            chart = TABLES.honor_charts[min(on_track.index(player.seat), 2)]
            honor = chart[min(len(player.buried), len(chart) - 1)]
        assert score.honor == honor
        assert score.cards == sum(TABLES.cards[card].points for card in own_cards(player))
        if player.seat == nomad:
            assert score.animals == nomad_sets(player.animals)
        else:
            assert score.animals == best_sets(player.animals)
        at_once = sum(by_category(player.points))
        total = at_once + offering + honor + score.cards + score.animals
        assert score.total == total
        totals.append(total)
    places = sorted(position.order, key=lambda s: (-totals[s], position.order.index(s)))
    assert result.ranking == places
    assert result.winner == places[0]
    assert [result.scores[seat].place for seat in places] == [1, 2, 3, 4][: len(places)]


def test_scores_are_the_points_of_the_events_and_recompute_from_the_table() -> None:
    for number in EVERY:
        scores_recompute(*play_listening(number))


# --- the end ---


def decisions_of(number: int) -> int:
    return sum(1 for _ in walk(number)) - 1


def test_every_game_ends_after_four_rounds_within_the_budget_of_decisions(
    capsys: pytest.CaptureFixture[str],
) -> None:
    lengths: dict[int, list[int]] = {2: [], 3: [], 4: []}
    for number in EVERY:
        lengths[begin(number).position.config.players].append(decisions_of(number))
    with capsys.disabled():
        for players, found in lengths.items():
            mean = sum(found) / len(found)
            print(f"\n{players} players: {mean:.0f} decisions a game, {max(found)} at most", end="")
    for players, found in lengths.items():
        assert max(found) <= MOST_DECISIONS[players]
        assert min(found) >= 12 * players  # each places 3 figures in 4 rounds


def test_a_game_played_by_defaults_alone_ends() -> None:
    for number in EVERY:
        game = begin(number)
        decisions = 0
        while game.decision is not None:
            game.apply(game.decision.default)
            decisions += 1
            assert decisions <= TOO_LONG
        assert game.position.round == 4
        assert decisions <= 500, name_of(number)


@pytest.mark.parametrize("which", [0, -1])
def test_a_game_of_first_or_of_last_options_ends(which: int) -> None:
    for number in EVERY:
        game = begin(number)
        decisions = 0
        while game.decision is not None:
            game.apply(game.options()[which])
            decisions += 1
            assert decisions <= TOO_LONG, name_of(number)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    number=st.one_of([st.integers(start, start + 10**6) for start in STARTS]),
    choices=st.lists(st.integers(0, 255), max_size=120),
)
def test_whatever_is_chosen_everything_holds(number: int, choices: list[int]) -> None:
    """Choices by hypothesis, which shrinks them to a short game when something breaks."""
    game = begin(number)
    for choice in choices:
        if game.decision is None:
            break
        game.apply(game.options()[choice % len(game.options())])
        for holds in ALWAYS:
            holds(game)
    try_every_option(game)
    while game.decision is not None:
        game.apply(game.decision.default)
    for holds in ALWAYS:
        holds(game)


@pytest.mark.soak
@pytest.mark.timeout(900)
def test_thousands_of_games_hold_everything(capsys: pytest.CaptureFixture[str]) -> None:
    """2,000 games, each sort in turn, with every check; then as many as fit into 4 minutes."""
    until = time.monotonic() + 240
    lengths: dict[int, list[int]] = {2: [], 3: [], 4: []}
    numbers = (start + offset for offset in itertools.count(1000) for start in STARTS)
    for played, number in enumerate(numbers):
        if played >= 2000 and time.monotonic() >= until:
            break
        sample = random_of(-number)
        steps = -1
        game = begin(number)
        for steps, game in enumerate(walk(number)):
            try:
                for holds in ALWAYS:
                    holds(game)
                if sample.random() < 0.01:
                    try_every_option(game)
            except Exception as wrong:
                wrong.add_note(f"{name_of(number)}, step {steps}")
                raise
        scores_recompute(*play_listening(number))
        lengths[len(game.position.players)].append(steps)
    with capsys.disabled():
        for players, found in lengths.items():
            mean = sum(found) / len(found)
            print(f"\n{len(found)} games of {players}: {mean:.0f} decisions, {max(found)} at most")
    for players, found in lengths.items():
        assert max(found) <= MOST_DECISIONS[players]


def test_a_position_is_small() -> None:
    """Written as JSON, as the log's snapshots are."""
    for number in (2, 11):
        longest = max(len(json.dumps(write(game.position))) for game in walk(number))
        assert longest < 16_000
