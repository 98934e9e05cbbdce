"""VAR: the two variant set-ups, drafts of Setup cards and of Chiefs."""

from __future__ import annotations

from collections import Counter

import pytest

from endless_winter.rules import Config, Game
from tests.rules.scene import TABLES

SEEDS = [bytes([number]) * 32 for number in range(6)]
every_count = pytest.mark.parametrize("players", [2, 3, 4])


def draft(players: int, seed: bytes, *, chiefs: bool) -> Game:
    config = Config(TABLES, players=players, setup_draft=not chiefs, chief_draft=chiefs)
    return Game.new(config, seed)


def offer(game: Game, kind: str) -> tuple[int, list[str]]:
    """Who chooses now, and from what; the decision must be of this kind."""
    decision = game.decision
    assert decision is not None
    assert decision.kind_name == kind
    return decision.seat, [game.text(code) for code in decision.options]


def choose_sides(game: Game, players: int) -> None:
    for _ in range(players):
        _, texts = offer(game, "choose_chief")
        game.apply(game.parse(texts[0]))


# --- VAR-01 ---


@pytest.mark.rule("VAR-01")
@every_count
def test_setup_cards_are_taken_in_reverse_turn_order(players: int) -> None:
    for seed in SEEDS:
        game = draft(players, seed, chiefs=False)
        choose_sides(game, players)
        seats = []
        for _ in range(players):
            seat, texts = offer(game, "choose_setup")
            seats.append(seat)
            game.apply(game.parse(texts[-1]))
        assert seats == list(game.position.order[::-1])
        assert offer(game, "turn")[0] == game.position.order[0]


@pytest.mark.rule("VAR-01")
@every_count
def test_one_setup_card_more_than_players_is_on_offer_and_a_taken_one_is_gone(
    players: int,
) -> None:
    for seed in SEEDS:
        game = draft(players, seed, chiefs=False)
        choose_sides(game, players)
        left = set(offer(game, "choose_setup")[1])
        assert len(left) == players + 1
        for number in range(players):
            seat, texts = offer(game, "choose_setup")
            assert len(texts) == players + 1 - number
            assert set(texts) == left
            taken = texts[number % len(texts)]
            game.apply(game.parse(taken))
            left.remove(taken)
            assert f"setup {TABLES.setups[game.position.players[seat].setup].name}" == taken
        assert game.position.setups == b""


@pytest.mark.rule("VAR-01")
def test_which_setup_cards_are_on_offer_is_random() -> None:
    offers = set()
    for number in range(24):
        game = draft(2, bytes([number]) * 32, chiefs=False)
        choose_sides(game, 2)
        offers.add(tuple(offer(game, "choose_setup")[1]))
    assert len({card for cards in offers for card in cards}) == 5
    assert len(offers) > 5


@pytest.mark.rule("VAR-01")
@every_count
def test_a_drafted_setup_card_is_what_its_player_starts_with(players: int) -> None:
    for seed in SEEDS:
        game = draft(players, seed, chiefs=False)
        choose_sides(game, players)
        taken = {}
        for number in range(players):
            seat, texts = offer(game, "choose_setup")
            taken[seat] = texts[number % len(texts)].removeprefix("setup ")
            game.apply(game.parse(f"setup {taken[seat]}"))
        extra = [(0, 0), (1, 0), (0, 1), (1, 1)]
        for place, seat in enumerate(game.position.order):
            card = next(card for card in TABLES.setups if card.name == taken[seat])
            player = game.position.players[seat]
            assert player.food == card.food + extra[place][0]
            assert player.tools == card.tools + extra[place][1]
            assert card.tribe in player.hand
            assert player.animals == bytes(sorted(card.animals))
            assert len(player.camps) == 1 + card.camp


@pytest.mark.rule("VAR-01")
@every_count
def test_terrain_and_turn_order_are_known_before_the_draft_and_hands_are_not(players: int) -> None:
    for seed in SEEDS:
        game = draft(players, seed, chiefs=False)
        choose_sides(game, players)
        before = (game.position.terrain, game.position.order, game.position.tiles)
        assert len(game.position.terrain) == 19
        for _ in range(players):
            _, texts = offer(game, "choose_setup")
            assert all(player.hand + player.deck == b"" for player in game.position.players)
            game.apply(game.parse(texts[0]))
        assert before == (game.position.terrain, game.position.order, game.position.tiles)
        assert all(len(player.hand) == 5 for player in game.position.players)


@pytest.mark.rule("VAR-01")
@every_count
def test_drafted_animals_leave_the_deck_before_the_hunting_grounds_are_dealt(players: int) -> None:
    for seed in SEEDS:
        game = draft(players, seed, chiefs=False)
        choose_sides(game, players)
        for _ in range(players):
            assert game.position.animals == b""
            assert set(game.position.grounds) == {255}
            game.apply(game.parse(offer(game, "choose_setup")[1][-1]))
        position = game.position
        everywhere = position.animals + position.grounds.replace(b"\xff", b"")
        for player in position.players:
            everywhere += player.animals
        assert Counter(everywhere) == Counter(TABLES.animal_copies)
        assert 6 - position.grounds.count(255) == players + 1


@pytest.mark.rule("VAR-01")
@every_count
def test_with_the_setup_draft_alone_the_chief_cards_are_dealt(players: int) -> None:
    game = draft(players, SEEDS[0], chiefs=False)
    for number in range(players):
        seat, texts = offer(game, "choose_chief")
        assert seat == game.position.order[number]
        assert len(texts) == 2
        game.apply(game.parse(texts[1]))


@pytest.mark.rule("VAR-01")
@every_count
def test_without_a_draft_nobody_chooses_a_setup_card(players: int) -> None:
    game = Game.new(Config(TABLES, players=players), SEEDS[0])
    choose_sides(game, players)
    assert offer(game, "turn")[0] == game.position.order[0]


# --- VAR-02 ---


@pytest.mark.rule("VAR-02")
@every_count
def test_the_last_player_chooses_the_chief_last_and_the_setup_card_first(players: int) -> None:
    for seed in SEEDS:
        game = draft(players, seed, chiefs=True)
        seats = []
        for kind in ["choose_chief"] * players + ["choose_setup"] * players:
            seat, texts = offer(game, kind)
            seats.append(seat)
            game.apply(game.parse(texts[0]))
        order = list(game.position.order)
        assert seats == order + order[::-1]
        assert offer(game, "turn")[0] == order[0]


@pytest.mark.rule("VAR-02")
@every_count
def test_one_chief_more_than_players_is_on_offer_with_both_sides(players: int) -> None:
    for seed in SEEDS:
        texts = offer(draft(players, seed, chiefs=True), "choose_chief")[1]
        cards = {text[:-2] for text in texts}
        assert len(cards) == players + 1
        assert sorted(texts) == sorted(f"{card}_{side}" for card in cards for side in "ab")


@pytest.mark.rule("VAR-02")
@every_count
def test_a_taken_chief_is_gone_with_both_sides(players: int) -> None:
    for seed in SEEDS:
        game = draft(players, seed, chiefs=True)
        for number in range(players):
            seat, texts = offer(game, "choose_chief")
            assert len(texts) == 2 * (players + 1 - number)
            taken = texts[2 * (number % 2) + number % 2]
            game.apply(game.parse(taken))
            chief = TABLES.chiefs[game.position.players[seat].chief]
            assert f"chief {chief.name}" == taken
            if number < players - 1:
                assert not [t for t in offer(game, "choose_chief")[1] if t[:-2] == taken[:-2]]
        chosen = {player.chief // 2 for player in game.position.players}
        assert len(chosen) == players


@pytest.mark.rule("VAR-02")
def test_which_chiefs_are_on_offer_is_random() -> None:
    offers = [
        tuple(offer(draft(2, bytes([n]) * 32, chiefs=True), "choose_chief")[1]) for n in range(24)
    ]
    assert len({text for texts in offers for text in texts}) == 10
    assert len(set(offers)) > 5


@pytest.mark.rule("VAR-02")
@every_count
def test_nobody_has_a_chief_before_the_draft_and_the_unchosen_ones_go_back(players: int) -> None:
    game = draft(players, SEEDS[1], chiefs=True)
    assert all(player.chief == 255 for player in game.position.players)
    for kind in ["choose_chief"] * players + ["choose_setup"] * players:
        game.apply(game.parse(offer(game, kind)[1][0]))
    assert game.position.chiefs == b""
    assert game.position.setups == b""


@pytest.mark.rule("VAR-02")
@every_count
def test_one_setup_card_more_than_players_is_drafted_after_the_chiefs(players: int) -> None:
    game = draft(players, SEEDS[2], chiefs=True)
    for _ in range(players):
        assert all(player.setup == 255 for player in game.position.players)
        game.apply(game.parse(offer(game, "choose_chief")[1][0]))
    assert len(offer(game, "choose_setup")[1]) == players + 1
