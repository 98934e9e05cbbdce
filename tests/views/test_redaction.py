"""Nothing hidden leaves: design.md's two proofs, and planted leaks that they must catch."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from endless_winter.rules import Decision, agenda, board, events, options
from endless_winter.rules.nomad.area import area_of
from endless_winter.rules.points import with_points
from endless_winter.rules.rivers import area, codes
from endless_winter.rules.terrain import JUNCTURES
from endless_winter.v1 import enums_pb2 as enums
from endless_winter.v1 import event_pb2
from endless_winter.v1 import ids_pb2 as ids
from endless_winter.views import (
    Happened,
    answers,
    boards,
    decision,
    nomad_steps,
    nomad_view,
    offers,
    players,
    turn,
)
from endless_winter.views import events as event_views
from endless_winter.views.labels import label_of
from endless_winter.views.modules.mammoth import MammothView
from endless_winter.views.modules.rivers import view as rivers_view
from endless_winter.views.modules.rivers.words import of_rivers
from endless_winter.views.plugin import SHOWN, ViewModule
from tests.rules.walk import (
    ALL,
    EXTRAS,
    OTHERS,
    RIVERS,
    SMALL,
    SOLO,
    begin,
    every_pair,
    name_of,
    pairs_in,
    random_of,
    walk,
)
from tests.views.redaction import (
    SPECTATOR,
    WORDS,
    Peek,
    check_log,
    check_position,
    check_step,
    open_part,
    plain,
    twin_of,
    viewers,
)

if TYPE_CHECKING:
    import random
    from collections.abc import Callable, Iterable, Iterator

    from endless_winter.rules import Game
    from endless_winter.rules.offers import Offer
    from endless_winter.rules.state import Position

EVERY_KIND = (
    *range(36),
    *SOLO[:6],
    *EXTRAS[:4],
    *RIVERS[:6],
    *ALL,
    *OTHERS,
)  # every two values of any switches together (walk.py)
RARE = {"pay_discard", "module", "eclipse_cards", "eclipse_terrain", "abilities", "build_pile"}


def worth_a_look(game: Game, code: int | None, sample: random.Random, share: float) -> bool:
    """Whether to look at a position: always at the rarest ones, often at rare ones."""
    if game.decision is None or game.decision.kind_name in ("choose_chief", "choose_setup"):
        return True
    rare = game.decision.kind_name in RARE or code_is_secret(code)
    return sample.random() <= (6 * share if rare else share)


def code_is_secret(code: int | None) -> bool:
    """A choice of which others see only a part."""
    return code is not None and open_part(code) != code


def positions_do_not_leak(
    numbers: Iterable[int],
    share: float,
    dress: Callable[[Game], Game] = plain,
    only: Callable[[Game, int | None], bool] = lambda *_: True,
) -> set[str]:
    """The first proof, positions and steps; the kinds of decision that were met."""
    met: set[str] = set()
    for number in numbers:
        sample = random_of(-number - 1)
        for step, (game, code) in enumerate(walk_with_choices(number)):
            if not only(game, code) or not worth_a_look(game, code, sample, share):
                continue
            kind = "over" if game.decision is None else game.decision.kind_name
            met.add(kind)
            try:
                for viewer in viewers(game):
                    check_position(game, viewer, sample, dress)
                    if code is not None:
                        check_step(game, code, viewer, sample)
            except AssertionError as wrong:
                wrong.add_note(f"{name_of(number)}, step {step}, {kind}")
                raise
    return met


def walk_with_choices(number: int) -> Iterator[tuple[Game, int | None]]:
    """A walk, each position with the option that is chosen next."""
    game = begin(number)
    choices = random_of(number)
    while game.decision is not None:
        code = choices.option(game)
        yield game, code
        game.apply(code)
    yield game, None


def logs_do_not_leak(numbers: Iterable[int]) -> int:
    """The second proof; how many private parts were changed."""
    changed = 0
    for number in numbers:
        choices = random_of(number)
        game = begin(number, listen=True)
        while True:
            happened = game.take_events()
            changed += check_log(game.position, happened, choices)
            if game.decision is None:
                break
            game.listen()
            code = choices.option(game)
            events_of_step = game.apply(code)
            changed += check_log(game.position, events_of_step, choices)
    return changed


def test_the_proof_looks_at_every_two_values_of_switches_together() -> None:
    assert pairs_in(EVERY_KIND) == every_pair()


def test_nothing_sent_depends_on_what_the_viewer_has_not_seen() -> None:
    met = positions_do_not_leak(EVERY_KIND, 0.02)
    assert met >= {
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
        "nomad",
        "over",
    }


@pytest.mark.soak
@pytest.mark.timeout(3600)
def test_nothing_sent_depends_on_what_the_viewer_has_not_seen_in_many_games() -> None:
    rivers = range(RIVERS[-1] + 1, RIVERS[-1] + 37)
    switches = range(ALL[0], ALL[-1] + 25)
    met = positions_do_not_leak((*range(36, 108), *EXTRAS, *rivers, *switches), 0.2)
    assert "pay_discard" in met


def test_events_do_not_depend_on_the_private_part_of_anothers_log_entry() -> None:
    assert logs_do_not_leak(EVERY_KIND) > 600


# --- a module that the proof does not know ---


def dealt(game: Game) -> bool:
    return all(frame[0] != agenda.DEAL for frame in game.position.agenda)


class Veiled(MammothView):
    """As if nobody might know where the Mammoth is, although its view shows that."""

    def read(self, *of: Any) -> bytes:  # type: ignore[override] # the real one hides nothing
        super().read(*of)
        _, _, position, index = of
        known: bytes = position.module_state[index]
        return known

    def deal(self, position: Position, index: int, unseen: bytes, rng: random.Random) -> None:
        del unseen, rng
        free = (n for n in range(len(JUNCTURES)) if not board.occupied(position, n))
        position.module_state[index] = bytes((next(free),))


def test_what_a_further_module_hides_is_changed_by_its_own_word(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(SHOWN, "mammoth", Veiled())
    caught("public view", EXTRAS[:1], only=lambda game, _: dealt(game))


def test_a_further_module_whose_state_is_not_in_its_view_is_no_proof(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A module with pieces that has nothing to show, or forgets to say what is hidden."""
    monkeypatch.setitem(SHOWN, "mammoth", ViewModule())
    with pytest.raises(AssertionError, match="mammoth has a state that `read` does not make"):
        positions_do_not_leak(EXTRAS[:1], 0.1)


# --- planted leaks: each must be caught ---

FEW = (1, 5, 20, 33)  # eager and plain walks, with and without modules


class Twisted:
    """A game whose decision is shown with a twist."""

    def __init__(self, game: Game, twist: Callable[[Decision, Position], Decision]) -> None:
        self.position = game.position
        self._game = game
        self._twist = twist

    def options(self) -> list[int]:
        pending = self.decision
        return [] if pending is None else pending.options

    def offers(self) -> list[Offer]:
        return self._game.offers()

    @property
    def default(self) -> int:
        pending = self.decision
        assert pending is not None
        return pending.default

    @property
    def decision(self) -> Decision | None:
        pending = self._game.decision
        return None if pending is None else self._twist(pending, self.position)


def hidden(position: Position) -> int:
    """A number that hangs on what nobody has seen: the next Animals."""
    return sum(position.animals[:3])


@pytest.fixture(autouse=True)
def only_what_can_be_planted(request: pytest.FixtureRequest) -> None:
    """A compiled module calls its own functions directly, whatever is put in their place."""
    if "planted" in request.node.name and Path(decision.__file__).suffix != ".py":
        pytest.skip("nothing can be planted in compiled views")


def caught(
    channel: str,
    numbers: Iterable[int] = FEW,
    dress: Callable[[Game], Game] = plain,
    only: Callable[[Game, int | None], bool] | None = None,
) -> None:
    """The first proof fails, in that channel; `only` is where the leak is."""
    share = 0.05 if only is None else 1.0
    with pytest.raises(AssertionError, match=channel):
        positions_do_not_leak(numbers, share, dress, only or (lambda *_: True))


def chooses(verb: int) -> Callable[[Game, int | None], bool]:
    return lambda _, code: code is not None and options.verb_of(code) == verb


def asks(kind: int) -> Callable[[Game, int | None], bool]:
    return lambda game, _: game.decision is not None and game.decision.kind == kind


def test_planted_in_the_public_view_a_card_of_the_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    real = players.faces_of

    def leaky(position: Position, player: Any, stage: Any) -> players.Faces:
        return real(position, player, stage)._replace(played=player.hand)

    monkeypatch.setattr(players, "faces_of", leaky)
    caught("public view")


def test_planted_in_the_public_view_the_value_of_a_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    real = players.seen_of

    def leaky(position: Position, player: Any, stage: Any, *, forfeited: bool) -> players.Seen:
        points = sum(position.tables.cards[card].points for card in player.hand)
        seen = real(position, player, stage, forfeited=forfeited)
        return seen._replace(score=seen.score + points)

    monkeypatch.setattr(players, "seen_of", leaky)
    caught("public view")


def test_planted_in_the_public_view_a_face_down_glacier_token(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    real = boards.glacier_token_view

    def leaky(words: Any, face: int) -> Any:
        return real(words, face | 128 if face > 1 else face)

    monkeypatch.setattr(boards, "_OPEN_FACES", bytes(range(256)))
    monkeypatch.setattr(boards, "glacier_token_view", leaky)
    caught("public view", (10, 13, 28))


def test_planted_in_the_public_view_the_next_rest_token(monkeypatch: pytest.MonkeyPatch) -> None:
    real = boards.rest_faces

    def leaky(position: Position) -> bytes:
        faces = real(position)
        return (
            faces and bytes((faces[0], turn.module_state(position, "rest_tokens")[3])) + faces[2:]
        )

    monkeypatch.setattr(boards, "rest_faces", leaky)
    caught("public view", (18, 20, 28))


def test_planted_in_the_public_view_an_unopened_eclipse_pile(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(players, "piles_are_open", lambda _: True)
    caught("public view")


def planted_in_the_nomads_stack(zone: str) -> Callable[[Any, Position], Any]:
    """The top of a hidden zone shown among the open cards."""
    real = nomad_view.nomad_view

    def leaky(words: Any, position: Position) -> Any:
        view = real(words, position)
        if view is not None:
            view.column_reason = str(list(getattr(area_of(position), zone)[:1]))
        return view

    return leaky


@pytest.mark.parametrize("zone", ["deck", "sacrifice", "pile", "maps"])
def test_planted_in_the_public_view_a_hidden_card_of_the_nomad(
    monkeypatch: pytest.MonkeyPatch, zone: str
) -> None:
    monkeypatch.setattr(nomad_view, "nomad_view", planted_in_the_nomads_stack(zone))
    caught("public view", SOLO[:3])


def next_fish(position: Position) -> int:
    index = area.index_of(position)
    return area.fish_pool(position.module_state[index])[0]


def test_planted_in_the_public_view_the_next_fish(monkeypatch: pytest.MonkeyPatch) -> None:
    real = rivers_view.faces_of

    def leaky(position: Position, index: int) -> rivers_view.Faces | None:
        faces = real(position, index)
        return faces and faces._replace(pool=next_fish(position))

    monkeypatch.setattr(rivers_view, "faces_of", leaky)
    caught("public view", RIVERS[:2])


def test_planted_in_the_public_view_the_order_of_the_discarded_fish_and_the_pool(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(rivers_view, "fish_discarded", lambda state: state[area.FISH_AT :])
    monkeypatch.setattr(
        rivers_view,
        "token_counts",
        lambda words, fish: [
            ids.TokenCount(token_id=of_rivers(words).fish[one], count=1) for one in fish
        ],
    )
    caught("public view", RIVERS[:2])


def test_planted_in_a_label_the_fish_that_will_be_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    def leaky(words: Any, sites: Any, full: int) -> str:
        label = label_of(words, sites, full)
        if options.verb_of(full) == codes.FISH:
            label += f" ({next_fish(Peek.position)})"
        return label

    monkeypatch.setattr(decision, "label_of", leaky)
    caught("decision", RIVERS[:4], only=chooses(codes.FISH))


def test_planted_in_the_event_of_a_fish_the_one_after_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def leaky(words: Any, position: Position, seat: int, _: int, __: int) -> Any:
        drawn = event_pb2.FishDrawn(seat=seat, token_id=of_rivers(words).fish[next_fish(position)])
        return [event_pb2.PublicEvent(fish_drawn=drawn)]

    monkeypatch.setitem(event_views.PUBLIC, codes.FISH_DRAWN, leaky)
    monkeypatch.setattr(event_views, "BY_ITSELF", event_views.BY_ITSELF - {codes.FISH_DRAWN})
    caught("events", RIVERS[:4], only=chooses(codes.FISH))


def test_planted_in_the_nomads_private_view_what_it_has_buried(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    real = players._zones

    def leaky(position: Position, seat: int) -> Any:
        hand, (buried, _), *zones = real(position, seat)
        return (hand, (buried, position.players[seat].buried), *zones)

    monkeypatch.setattr(players, "_zones", leaky)
    caught("private view", SOLO[:3])


def test_planted_in_the_nomads_private_view_the_hand_of_the_player(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    real = players._zones

    def leaky(position: Position, seat: int) -> Any:
        (hand, own), *zones = real(position, seat)
        return ((hand, own or position.players[1 - seat].hand), *zones)

    monkeypatch.setattr(players, "_zones", leaky)
    caught("private view", SOLO[:3])


def test_planted_in_a_reason_what_the_nomad_will_bury(monkeypatch: pytest.MonkeyPatch) -> None:
    real = nomad_steps.step_of

    def leaky(words: Any, position: Position, sites: Any) -> Any:
        step = real(words, position, sites)
        top = area_of(position).sacrifice[:1]
        return step._replace(reason=step.reason._replace(text=f"{step.reason.text} {list(top)}"))

    monkeypatch.setattr(nomad_steps, "step_of", leaky)
    caught("decision", SOLO[:3], only=chooses(options.NOMAD_BURY))


def test_planted_in_the_step_whether_there_is_a_culture_card(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A step that tells which question a hand makes necessary."""
    real = turn.turn_bytes

    def leaky(words: Any, position: Position, stage: Any) -> bytes:
        if position.agenda and position.agenda[-1][0] == agenda.TURN:
            hand = position.players[position.agenda[-1][1]].hand
            if any(position.tables.cards[card].era for card in hand):
                stage = stage._replace(step=enums.STEP_ACT)
        return real(words, position, stage)

    monkeypatch.setattr(turn, "turn_bytes", leaky)
    caught("public view", SMALL, only=asks(agenda.TURN))


def test_planted_in_the_private_view_the_top_of_the_own_deck(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    real = players._zones

    def leaky(position: Position, seat: int) -> Any:
        *zones, (fresh, _) = real(position, seat)
        return (*zones, (fresh, position.players[seat].deck[:1]))

    monkeypatch.setattr(players, "_zones", leaky)
    caught("private view")


def test_planted_in_a_label_what_the_choice_will_bring(monkeypatch: pytest.MonkeyPatch) -> None:
    real = label_of

    def leaky(words: Any, sites: Any, full: int) -> str:
        return f"{real(words, sites, full)} [{hidden(Peek.position)}]"

    monkeypatch.setattr(decision, "label_of", leaky)
    caught("decision")


def test_planted_in_a_label_the_card_that_will_be_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    real = label_of

    def leaky(words: Any, sites: Any, full: int) -> str:
        label = real(words, sites, full)
        if options.verb_of(full) == options.DRAW:
            seat = Peek.position.agenda[-1][1]
            label += f": {words.card_counts(Peek.position.players[seat].deck[:1])}"
        return label

    monkeypatch.setattr(decision, "label_of", leaky)
    caught("decision", SMALL, only=chooses(options.DRAW))


def test_planted_in_what_is_offered_the_hand_of_another_seat(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Whether something is said to be offered hangs on the hand of the next player."""
    real = offers.offers_of

    def leaky(words: Any, position: Position, found: list[Offer], **form: Any) -> Any:
        offered = real(words, position, found, **form)
        seat = (position.agenda[-1][1] + 1) % len(position.players)
        return offered[1:] if sum(position.players[seat].hand) % 2 else offered

    monkeypatch.setattr(decision, "offers_of", leaky)
    caught("decision", SMALL, only=asks(agenda.ACT))


def test_planted_in_the_words_of_a_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    """That the Animal deck is not empty shows what lies on top of it."""
    real = offers._words

    def leaky(position: Position, *args: Any) -> str:
        return f"{real(position, *args)} [{hidden(position)}]"

    monkeypatch.setattr(offers, "_words", leaky)
    caught("decision", SMALL, only=asks(agenda.ACT))


def test_planted_in_the_order_of_the_options() -> None:
    def rotated(pending: Decision, position: Position) -> Decision:
        by = hidden(position) % len(pending.options)
        codes = pending.options[by:] + pending.options[:by]
        return Decision(pending.seat, pending.kind, codes, pending.default)

    def dress(game: Game) -> Any:
        return Twisted(game, rotated)

    caught("decision", dress=dress)


def test_planted_in_the_default() -> None:
    def moved(pending: Decision, position: Position) -> Decision:
        codes = pending.options
        default = codes[hidden(position) % len(codes)]
        return Decision(pending.seat, pending.kind, codes, default)

    def dress(game: Game) -> Any:
        return Twisted(game, moved)

    caught("decision", dress=dress)


def test_planted_in_the_number_of_options() -> None:
    def shortened(pending: Decision, position: Position) -> Decision:
        codes = [c for c in pending.options if c == pending.default or hidden(position) % 2]
        return Decision(pending.seat, pending.kind, codes, pending.default)

    def dress(game: Game) -> Any:
        return Twisted(game, shortened)

    caught("decision", dress=dress)


def test_planted_in_a_refusal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(answers, "_quoted", lambda text: f"{text} [{hidden(Peek.position)}]")
    caught("refusal")


def test_planted_in_an_event_the_face_of_a_buried_card(monkeypatch: pytest.MonkeyPatch) -> None:
    real = event_views._cards_moved

    def leaky(words: Any, kind: int, seat: int, number: int, secret: bytes, why: Any) -> Any:
        event = real(words, kind, seat, number, secret, why)
        if kind == events.CARD_BURIED and event.seat >= 0:
            public = event_pb2.PublicEvent.FromString(event.public)
            public.cards_moved.open_cards.extend(words.card_counts(secret))
            return Happened(public.SerializeToString(), event.seat, event.private)
        return event

    monkeypatch.setattr(event_views, "_cards_moved", leaky)
    monkeypatch.setattr(WORDS, "secret_events", {})  # nothing comes from the cache
    caught("events", SMALL, only=chooses(options.BURY))
    with pytest.raises(AssertionError, match="events"):
        logs_do_not_leak(FEW)


def test_planted_in_an_event_the_cause_of_a_draw(monkeypatch: pytest.MonkeyPatch) -> None:
    real = event_views._cards_moved

    def leaky(words: Any, kind: int, seat: int, number: int, secret: bytes, why: Any) -> Any:
        event = real(words, kind, seat, number, secret, why)
        if kind == events.CARDS_DRAWN:
            public = event_pb2.PublicEvent.FromString(event.public)
            public.cards_moved.cause.CopyFrom(ids.Source(card_id=words.cards[secret[0]]))
            return Happened(public.SerializeToString(), event.seat, event.private)
        return event

    monkeypatch.setattr(event_views, "_cards_moved", leaky)
    monkeypatch.setattr(WORDS, "secret_events", {})  # nothing comes from the cache
    caught("events", SMALL, only=chooses(options.DRAW))
    with pytest.raises(AssertionError, match="events"):
        logs_do_not_leak(FEW)


class Forgetful(dict[Any, Any]):
    """Caches nothing: everything is encoded anew."""

    def __setitem__(self, key: Any, value: Any) -> None:
        pass


def a_card_of_some_hand(words: Any, *_: Any) -> ids.Source:
    cards = b"".join(player.hand for player in Peek.position.players)
    return ids.Source(card_id=words.cards[sum(cards) % len(words.cards)])


def test_planted_in_the_cause_of_a_gain_a_card_of_the_hand(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(event_views, "source_of", a_card_of_some_hand)
    monkeypatch.setattr(WORDS, "open_events", Forgetful())
    caught("events", only=chooses(options.OFFERING))


def test_planted_in_the_source_of_a_pool_a_card_of_the_hand(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(turn, "source_of", a_card_of_some_hand)
    monkeypatch.setattr(WORDS, "_cached", Forgetful())
    caught("public view", only=asks(agenda.GAIN))


def test_planted_in_the_points_so_far_the_value_of_a_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    real = players.seen_of

    def leaky(position: Position, player: Any, stage: Any, *, forfeited: bool) -> players.Seen:
        points = sum(position.tables.cards[card].points for card in player.hand)
        seen = real(position, player, stage, forfeited=forfeited)
        return seen._replace(points=with_points(seen.points, events.BY_TERRAIN, points))

    monkeypatch.setattr(players, "seen_of", leaky)
    caught("public view")


def test_planted_the_private_part_of_an_event_for_the_wrong_seat(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    real = event_views._cards_moved

    def leaky(words: Any, kind: int, seat: int, number: int, secret: bytes, why: Any) -> Any:
        event = real(words, kind, seat, number, secret, why)
        return (
            Happened(event.public, 1 - event.seat, event.private) if event.seat in (0, 1) else event
        )

    monkeypatch.setattr(event_views, "_cards_moved", leaky)
    monkeypatch.setattr(WORDS, "secret_events", {})  # nothing comes from the cache
    with pytest.raises(AssertionError, match="events"):
        logs_do_not_leak(FEW)


def test_the_twins_really_differ() -> None:
    """Else the proof would prove nothing: hands, decks, tokens and piles are dealt anew."""
    differs = {
        "hand": 0,
        "deck": 0,
        "buried": 0,
        "pile": 0,
        "animals": 0,
        "culture": 0,
        "module": 0,
    }
    for number in (4, 13, 20, 28, 29, 31, *SOLO[:2]):
        choices = random_of(number)
        for game in walk(number):
            if choices.random() > 0.15:
                continue
            position = game.position
            other = twin_of(game, SPECTATOR, choices).position
            for zone in ("hand", "deck", "buried", "pile"):
                for one, two in zip(position.players, other.players, strict=True):
                    differs[zone] += getattr(one, zone) != getattr(two, zone)
            differs["animals"] += position.animals != other.animals
            differs["culture"] += position.culture != other.culture
            differs["module"] += position.module_state != other.module_state
    assert all(differs.values()), differs
