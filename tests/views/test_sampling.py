"""A sampled game has the very view it was made from, and nothing hidden is in it."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

from bench.sampling import measure
from endless_winter.rules.checks import complaint
from endless_winter.rules.nomad.area import area_of
from endless_winter.rules.rivers import area
from endless_winter.v1 import game_pb2, view_private_pb2, view_public_pb2
from endless_winter.views import Scribe, message_of, private_bytes
from endless_winter.views.public import PublicEncoder
from endless_winter.views.sampling import BadView, Known, Sampler, sample
from tests.rules.walk import (
    ALL,
    EXTRAS,
    OTHERS,
    RIVERS,
    SOLO,
    SOLO_FROM,
    TOO_LONG,
    config_of,
    name_of,
    text_of,
    walk,
)
from tests.views.redaction import PACK, SEQ, SPECTATOR, WORDS, twin_of, viewers

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from endless_winter.rules import Game

EVERY_KIND = (
    *range(36),
    *SOLO,
    *EXTRAS,
    *RIVERS,
    *ALL,
    *OTHERS,
)  # every player count, variant and set of modules (walk.py)
RARE = {"pay_discard", "module", "eclipse_cards", "abilities", "build_pile"}
ALL_KINDS = {
    "choose_chief",
    "choose_setup",
    "turn",
    "act",
    "gain",
    "abilities",
    "build_pile",
    "eclipse_cards",
    "eclipse_terrain",
    "module",
    "over",
}


def view_of(game: Game, viewer: int) -> tuple[bytes, bytes]:
    """What a viewer is sent: the public view, and its own private one."""
    private = b"" if viewer == SPECTATOR else private_bytes(WORDS, game.position, viewer)
    return PublicEncoder(WORDS).encode(game.position), private


def known_of(sampler: Sampler, game: Game, viewer: int) -> Known:
    """What the viewer knows, from the bytes that it is sent and nothing else."""
    public, private = view_of(game, viewer)
    return sampler.read(
        view_public_pb2.PublicView.FromString(public),
        None if viewer == SPECTATOR else view_private_pb2.PrivateView.FromString(private),
    )


def asked_of(game: Game) -> bytes:
    return Scribe(WORDS, game.position.config).decision_bytes(game, SEQ)


def kind_of(game: Game) -> str:
    return "over" if game.decision is None else game.decision.kind_name


def play_on(game: Game, choices: random.Random) -> None:
    """To the end, every option as likely as the others."""
    for _ in range(TOO_LONG):
        codes = game.options()
        if not codes:
            break
        game.apply(choices.choice(codes))
    assert game.result is not None
    assert complaint(game.position) == ""


def check_viewer(
    sampler: Sampler, game: Game, viewer: int, choices: random.Random, *, to_the_end: bool
) -> None:
    number = choices.randrange(10**9)
    known = known_of(sampler, game, viewer)
    rng = random.Random(number)
    worlds = [known.draw(rng) for _ in range(3)]
    for world in worlds:
        assert complaint(world.position) == ""
        assert view_of(world, viewer) == view_of(game, viewer)
        assert world.position.seed != game.position.seed
        if game.options() and game.position.agenda[-1][1] == viewer:
            assert world.options() == game.options()
            assert asked_of(world) == asked_of(game)
        assert world.position.agenda == game.position.agenda
    # Another table that the viewer cannot tell from this one gives the same worlds.
    twin = known_of(sampler, twin_of(game, viewer, choices), viewer)
    rng = random.Random(number)
    assert [text_of(twin.draw(rng)) for _ in worlds] == [text_of(world) for world in worlds]
    if to_the_end:
        for world in worlds[:2]:
            play_on(world, choices)


def check_walks(numbers: Iterable[int], share: float) -> set[str]:
    met: set[str] = set()
    for number in numbers:
        sampler = Sampler(PACK, config_of(number))
        choices = random.Random(f"sampling {number}")
        for step, game in enumerate(walk(number)):
            kind = kind_of(game)
            if kind == "nomad":
                continue  # it has no choice, and nobody samples for it
            if choices.random() > (8 * share if kind in RARE or kind not in met else share):
                continue
            met.add(kind)
            try:
                for viewer in viewers(game):
                    check_viewer(sampler, game, viewer, choices, to_the_end=choices.random() < 0.1)
            except (AssertionError, ValueError) as wrong:
                wrong.add_note(f"{name_of(number)}, step {step}, {kind}")
                raise
    return met


def test_a_sampled_game_has_the_very_view_and_options() -> None:
    assert check_walks(EVERY_KIND, 0.01) >= ALL_KINDS


@pytest.mark.soak
@pytest.mark.timeout(3600)
def test_a_sampled_game_has_the_very_view_and_options_in_many_games() -> None:
    solo = range(SOLO_FROM + 16, SOLO_FROM + 48)
    rivers = range(RIVERS[-1] + 1, RIVERS[-1] + 37)
    switches = range(ALL[-1] + 1, ALL[-1] + 41)
    walks = (*range(36, 108), *solo, *rivers, *switches)
    assert check_walks(walks, 0.1) >= ALL_KINDS | {"pay_discard"}


def test_the_fish_pool_is_drawn_anew_and_the_discarded_fish_stay() -> None:
    """Any Fish that is not discarded may be the next one, by how many there are of it (RAF-11)."""
    game = next(game for n in RIVERS for game in walk(n) if len(fish_of(game)[1]) > 2)
    pool, discarded = fish_of(game)
    rng = random.Random(3)
    known = known_of(Sampler(PACK, game.position.config), game, SPECTATOR)
    worlds = [fish_of(known.draw(rng)) for _ in range(400)]
    assert all((sorted(one), out) == (sorted(pool), discarded) for one, out in worlds)
    for fish in set(pool):
        share = sum(one[0] == fish for one, _ in worlds) / len(worlds)
        assert abs(share - pool.count(fish) / len(pool)) < 0.1


def fish_of(game: Game) -> tuple[bytes, bytes]:
    state = game.position.module_state[area.index_of(game.position)]
    return area.fish_pool(state), area.fish_discarded(state)


def test_what_the_nomad_has_face_down_is_drawn_anew() -> None:
    """Its decks, its pile and what it has buried; the Labor that everybody has seen stays."""
    drawn: dict[str, set[bytes]] = {"deck": set(), "sacrifice": set(), "maps": set()}
    piles: set[bytes] = set()
    for number in SOLO[:4]:
        sampler = Sampler(PACK, config_of(number))
        for game in walk(number):
            if kind_of(game) not in ("turn", "eclipse_terrain"):
                continue
            seat = game.position.agenda[-1][1]
            known = known_of(sampler, game, seat)
            for world in [known.draw(random.Random(one)) for one in range(3)]:
                area = area_of(world.position)
                for zone, met in drawn.items():
                    met.add(getattr(area, zone))
                if kind_of(game) == "eclipse_terrain" and area.pile:
                    piles.add(bytes(sorted(area.pile)))
    assert all(len(met) > 20 for met in drawn.values()), drawn
    assert len(piles) > 5


def test_a_nomad_that_is_acting_is_waited_for() -> None:
    game = next(game for game in walk(SOLO_FROM) if kind_of(game) == "nomad")
    with pytest.raises(BadView, match="sample when a decision of the player is pending"):
        sample(FakeView(game, None, info_of(game)), random.Random(1), pack=PACK)


def test_nomad_cards_that_do_not_add_up_are_refused() -> None:
    game = first_turn(SOLO_FROM)
    view = FakeView(game, game.position.agenda[-1][1], info_of(game))
    view.public.nomad.sacrifice_deck_count += 1
    with pytest.raises(BadView, match="Culture cards do not add up"):
        sample(view, random.Random(1), pack=PACK)
    view.public.nomad.nomad_deck_count += 1
    with pytest.raises(BadView, match="Nomad's cards do not add up"):
        sample(view, random.Random(1), pack=PACK)


# --- the way in that bots use, and what goes wrong ---


class FakeView:
    """A view as the SDK hands it out."""

    def __init__(self, game: Game, seat: int | None, info: game_pb2.GameInfo) -> None:
        public, private = view_of(game, SPECTATOR if seat is None else seat)
        self.seat = seat
        self.public = view_public_pb2.PublicView.FromString(public)
        self.private = view_private_pb2.PrivateView.FromString(private)
        self.info = info


def first_turn(number: int = 0) -> Game:
    return next(game for game in walk(number) if kind_of(game) == "turn")


def info_of(game: Game) -> game_pb2.GameInfo:
    config = message_of(game.position.config)
    return game_pb2.GameInfo(config=config, content_hash=config.content_hash)


def test_sample_takes_a_view_and_checks_the_decision() -> None:
    game = first_turn()
    seat = game.position.agenda[-1][1]
    view = FakeView(game, seat, info_of(game))
    decision = Scribe(WORDS, game.position.config).decision(game, SEQ)
    world = sample(view, random.Random(1), decision, pack=PACK)
    assert world.options() == game.options()
    again = sample(view, random.Random(1), pack=PACK)
    assert text_of(again) == text_of(world)


def test_a_spectator_can_sample_too() -> None:
    game = first_turn()
    world = sample(FakeView(game, None, info_of(game)), random.Random(1), pack=PACK)
    assert view_of(world, SPECTATOR) == view_of(game, SPECTATOR)


def test_another_decision_than_that_of_the_view_is_refused() -> None:
    game = first_turn()
    view = FakeView(game, game.position.agenda[-1][1], info_of(game))
    decision = Scribe(WORDS, game.position.config).decision(game, SEQ)
    assert decision is not None
    decision.options[0].text = "fly away"
    with pytest.raises(BadView, match="other rules"):
        sample(view, random.Random(1), decision, pack=PACK)
    del decision.options[0]
    with pytest.raises(BadView, match="options given"):
        sample(view, random.Random(1), decision, pack=PACK)


def test_a_game_of_another_content_pack_is_refused() -> None:
    game = first_turn()
    view = FakeView(game, 0, info_of(game))
    with pytest.raises(BadView, match="pack=load_pack"):
        sample(view, random.Random(1))  # the engine's own pack is not the frozen one


def test_a_game_that_this_core_has_no_rules_for_is_refused() -> None:
    game = first_turn()
    info = info_of(game)
    info.config.rivers.landmark_count = 4
    with pytest.raises(BadView, match="1 to 3 Landmarks"):
        sample(FakeView(game, 0, info), random.Random(1), pack=PACK)


@pytest.mark.parametrize(
    "spoil",
    [
        lambda view: view.Clear(),
        lambda view: view.supply.ClearField("culture_display"),
        lambda view: view.supply.ClearField("hunting_grounds"),
        lambda view: view.players[1].ClearField("owned"),
        lambda view: view.players[0].stone_ids.append("philosophers_stone"),
        lambda view: view.players.pop(),
        lambda view: view.turn.ClearField("phase"),
        lambda view: view.turn.ClearField("step"),
    ],
)
def test_a_view_that_does_not_add_up_is_refused_in_one_line(
    spoil: Callable[[view_public_pb2.PublicView], object],
) -> None:
    game = first_turn()
    view = FakeView(game, 0, info_of(game))
    spoil(view.public)
    with pytest.raises(BadView) as caught:
        sample(view, random.Random(1), pack=PACK)
    assert "\n" not in str(caught.value)


def test_a_wrong_world_would_be_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The proof above fails when a draw moves one card that the viewer can see."""
    real = Known.draw

    def leaky(self: Known, rng: random.Random) -> Game:
        game = real(self, rng)
        player = game.position.players[0]
        player.food = player.food - 1 if player.food else player.food + 1
        return game

    monkeypatch.setattr(Known, "draw", leaky)
    with pytest.raises(AssertionError):
        check_walks([0], 0.2)


def test_a_world_that_hangs_on_the_truth_would_be_noticed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The proof above fails when the sample depends on more than the view and the generator."""
    real = Known.draw
    drawn = iter(range(10**6))

    def tainted(self: Known, _: random.Random) -> Game:
        return real(self, random.Random(next(drawn)))

    monkeypatch.setattr(Known, "draw", tainted)
    with pytest.raises(AssertionError):
        check_walks([0], 0.2)


def test_what_is_read_depends_on_the_view_alone_not_on_views_before_it() -> None:
    """A reader keeps what it read last; views of all seats and moments in any order prove it."""
    for number in (2, 28, 33):
        games = [game.copy() for game in walk(number)]
        choices = random.Random(number)
        shared = Sampler(PACK, config_of(number))
        for _ in range(60):
            game = choices.choice(games)
            viewer = choices.choice(viewers(game))
            fresh = known_of(Sampler(PACK, config_of(number)), game, viewer)
            cached = known_of(shared, game, viewer)
            worlds = [text_of(known.draw(random.Random(1))) for known in (fresh, cached, cached)]
            assert worlds[0] == worlds[1] == worlds[2], name_of(number)


def test_the_measurement_counts_every_view() -> None:
    game = [one.copy() for one in walk(0) if one.options()][:20]
    cost = measure(PACK, [game], repeat=1)
    assert cost.views == 20
