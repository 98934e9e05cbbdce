"""The public view: what it shows, and that splicing it gives what building it anew gives."""

from __future__ import annotations

from endless_winter.rules import agenda
from endless_winter.rules.zones import EMPTY
from endless_winter.v1 import enums_pb2 as enums
from endless_winter.v1 import view_public_pb2
from endless_winter.v1.view_private_pb2 import PrivateView
from endless_winter.views import PublicEncoder, Words, private_bytes, private_view, public_view
from tests.rules.scene import ANIMALS, CARDS, cards, scene
from tests.rules.walk import ALL, EXTRAS, OTHERS, RIVERS, SOLO, begin, name_of, random_of, walk
from tests.views.redaction import PACK, WORDS

EVERY_KIND = (*range(36), *SOLO[:6], *EXTRAS[:4], *RIVERS[:6], *ALL[:8], *OTHERS)
FEW_KINDS = (*range(0, 36, 5), *SOLO[:3], *RIVERS[:4])


def read(body: bytes) -> view_public_pb2.PublicView:
    return view_public_pb2.PublicView.FromString(body)


def test_spliced_bytes_are_those_encoded_from_scratch() -> None:
    fresh = Words(PACK)
    for number in EVERY_KIND:
        sample = random_of(-number)
        encoder = PublicEncoder(WORDS)
        for game in walk(number):
            body = encoder.encode(game.position)
            if sample.random() < 0.15:
                fresh.forget()
                assert body == PublicEncoder(fresh).encode(game.position), name_of(number)


def test_what_is_encoded_by_hand_is_what_protobuf_would_write() -> None:
    """No field has a wrong type or number, and none is written that holds its default."""
    for number in EVERY_KIND:
        sample = random_of(-number)
        encoder = PublicEncoder(WORDS)
        for game in walk(number):
            if sample.random() < 0.15:
                public = encoder.encode(game.position)
                private = private_bytes(WORDS, game.position, 0)
                for body, kind in ((public, view_public_pb2.PublicView), (private, PrivateView)):
                    view = kind.FromString(body)
                    view.DiscardUnknownFields()
                    assert view.ByteSize() == len(body), name_of(number)


def test_the_bytes_depend_on_the_position_alone_not_on_what_was_encoded_before() -> None:
    for number in FEW_KINDS:
        sample = random_of(-number)
        encoder = PublicEncoder(WORDS)
        encoded = []
        for game in walk(number):
            body = encoder.encode(game.position)
            if sample.random() < 0.1:
                assert PublicEncoder(WORDS).encode(game.position) == body
                encoded.append((game.position.copy(), body))
        for position, body in reversed(encoded):  # also backwards, as after an undo
            assert encoder.encode(position) == body


def test_the_same_position_gives_the_same_bytes_to_everyone() -> None:
    game = begin(5)
    encoder = PublicEncoder(WORDS)
    assert encoder.encode(game.position) == encoder.encode(game.copy().position)


def test_private_bytes_are_those_encoded_from_scratch() -> None:
    fresh = Words(PACK)
    for number in FEW_KINDS:
        for game in walk(number):
            fresh.forget()
            for seat in range(len(game.position.players)):
                body = private_bytes(WORDS, game.position, seat)
                assert body == private_bytes(fresh, game.position, seat)


def test_forfeited_seats_are_marked() -> None:
    position = begin(5).position
    encoder = PublicEncoder(WORDS)
    assert [p.forfeited for p in read(encoder.encode(position)).players] == [False] * 4
    marked = read(encoder.encode(position, {1, 3}))
    assert [p.forfeited for p in marked.players] == [False, True, False, True]
    assert marked == public_view(WORDS, position, {1, 3})


def test_hands_decks_and_buried_cards_are_counts() -> None:
    table = scene(2).player(0, hand=["hunter", "brave"], buried=["elder"]).turn(0)
    player = public_view(WORDS, table.game.position).players[0]
    assert (player.hand_count, player.buried_count) == (2, 1)
    assert not player.played
    assert {c.card_id: c.count for c in player.owned}["elder"] == 1


def test_the_owner_sees_faces_and_what_is_in_its_deck_but_no_order() -> None:
    table = scene(2).player(0, hand=["hunter", "brave"], buried=["elder"]).turn(0)
    position = table.game.position
    position.players[0].deck = bytes(reversed(cards("brave", "tribesman", "tribesman")))
    view = private_view(WORDS, position, 0)
    assert [(c.card_id, c.count) for c in view.hand] == [("brave", 1), ("hunter", 1)]
    assert [(c.card_id, c.count) for c in view.buried] == [("elder", 1)]
    assert [(c.card_id, c.count) for c in view.deck] == [("brave", 1), ("tribesman", 2)]


def test_multisets_are_sorted_by_id() -> None:
    found = 0
    for game in walk(13):
        for player in public_view(WORDS, game.position).players:
            for zone in (player.owned, player.discard_pile, player.played, player.eclipse_pile):
                names = [one.card_id for one in zone]
                assert names == sorted(set(names))
                assert all(one.count for one in zone)
                found += len(names) > 1
    assert found


def test_an_eclipse_pile_is_closed_until_the_eclipse_and_open_in_it() -> None:
    closed = opened = 0
    for game in walk(4):
        view = public_view(WORDS, game.position)
        in_eclipse = view.turn.phase == enums.PHASE_ECLIPSE
        for player in view.players:
            shown = sum(one.count for one in player.eclipse_pile)
            assert shown == (player.eclipse_pile_count if in_eclipse else 0)
            assert in_eclipse or not player.eclipse_labor_halves
            closed += bool(player.eclipse_pile_count) and not in_eclipse
            opened += bool(shown)
            mine = private_view(WORDS, game.position, player.seat).eclipse_pile
            assert sum(one.count for one in mine) + shown == player.eclipse_pile_count
    assert closed
    assert opened


def test_a_face_down_glacier_token_is_there_and_nothing_else() -> None:
    met = set()
    for number in (10, 13, 16):
        for game in walk(number):
            for hex_ in public_view(WORDS, game.position).terrain.hexes:
                if hex_.HasField("glacier_token"):
                    token = hex_.glacier_token
                    assert token.revealed == bool(token.token_id)
                    assert hex_.kind == enums.TERRAIN_KIND_GLACIER
                    met.add(token.revealed)
    assert met == {False, True}


def test_rest_tokens_under_the_stack_are_in_the_view_only_if_they_were_seen_going_there() -> None:
    known: set[int] = set()
    for number in (18, 19, 20, 27):
        game = begin(number, listen=True)
        choices = random_of(number)
        seen: set[str] = set()
        happened = game.take_events()
        while True:
            seen |= {
                WORDS.rest_tokens[event[2]]
                for event in happened
                if event[0] in (43, 44)  # taken, shown
            }
            view = public_view(WORDS, game.position)
            assert set(view.rest_tokens.seen_at_bottom) <= seen
            known.add(len(view.rest_tokens.seen_at_bottom))
            if game.decision is None:
                break
            happened = game.apply(choices.option(game))
    assert known >= {0, 1, 2, 3}


def test_the_side_of_a_chief_is_in_the_view_once_it_is_chosen() -> None:
    game = begin(0)
    assert game.decision is not None
    first = game.decision.seat
    views = public_view(WORDS, game.position).players
    assert all(p.chief_id and p.chief_side == enums.SIDE_UNSPECIFIED for p in views)
    game.apply(game.options()[1])
    views = public_view(WORDS, game.position).players
    assert [p.chief_side for p in views if p.seat == first] == [enums.SIDE_B]
    assert all(p.chief_side == enums.SIDE_UNSPECIFIED for p in views if p.seat != first)


def test_what_is_drafted_lies_open_and_goes_away() -> None:
    drafts = []
    for game in walk(8):  # Chiefs and Setup cards
        view = public_view(WORDS, game.position)
        drafts.append((len(view.draft.chief_ids), len(view.draft.setup_card_ids)))
        assert view.HasField("draft") == (view.turn.phase == enums.PHASE_SETUP)
    players = 4
    assert drafts[0] == (players + 1, players + 1)
    assert drafts[-1] == (0, 0)


def test_steps_are_coarse_a_benefit_of_a_culture_card_is_still_the_opening() -> None:
    table = scene(2).player(0, hand=["bone_flute", "brave"]).turn(0)
    table.do("culture bone_flute")
    view = public_view(WORDS, table.game.position).turn
    assert table.kind == "abilities"
    assert view.step == enums.STEP_OPENING
    assert (view.active_seat, view.choosing_seat) == (0, 0)


def test_the_agenda_shows_what_is_left_of_a_pool() -> None:
    table = scene(2).player(0, hand=["brave"]).gain(0, "tool 2, idol")
    item = public_view(WORDS, table.game.position).turn.agenda[0]
    assert [(b.icon, b.amount) for b in item.benefits] == [
        (enums.ICON_TOOL, 2),
        (enums.ICON_IDOL, 1),
    ]


def test_after_the_end_nobody_chooses() -> None:
    *_, last = walk(2)
    view = public_view(WORDS, last.position).turn
    assert view.phase == enums.PHASE_ENDED
    assert not view.HasField("choosing_seat")
    assert not view.HasField("active_seat")


def test_culture_cards_out_of_the_game_are_those_that_were_seen_and_are_nowhere_else() -> None:
    met = 0
    for game in walk(5):
        position = game.position
        view = public_view(WORDS, position)
        removed = {one.card_id for one in view.supply.removed_culture}
        if position.round < 3:
            assert not removed
            continue
        everywhere = {one.card_id for p in view.players for one in p.owned}
        everywhere |= {one.card_id for one in view.supply.culture_display}
        unseen = {WORDS.cards[card] for card in position.culture[0]}
        assert not removed & (everywhere | unseen)
        era_one = {c.name for c in WORDS.tables.cards if c.era == 1}
        assert removed | unseen | (everywhere & era_one) == era_one
        met += 1
    assert met


def test_the_hunting_grounds_and_the_display_keep_their_spaces() -> None:
    table = scene(2).turn(0)
    position = table.game.position
    position.grounds = bytes((EMPTY, ANIMALS["woolly_rhino"], EMPTY, EMPTY, EMPTY, EMPTY))
    position.display = bytes((EMPTY,)) * 7 + bytes((CARDS["bone_flute"],))
    supply = public_view(WORDS, position).supply
    assert [(s.space, s.animal_id) for s in supply.hunting_grounds] == [(1, "woolly_rhino")]
    assert [(s.space, s.card_id) for s in supply.culture_display] == [(7, "bone_flute")]


def test_the_first_figure_of_a_column_is_named_by_its_seat() -> None:
    table = scene(2).turn(0)
    table.do("place chief hunt")
    columns = public_view(WORDS, table.game.position).columns.columns
    hunt = columns[3]
    assert hunt.column == enums.ACTION_SPACE_HUNT
    assert (hunt.first_seat, [f.figure for f in hunt.figures]) == (0, [enums.FIGURE_CHIEF])
    assert not columns[0].HasField("first_seat")


def test_fresh_cards_are_in_their_owners_view_alone() -> None:
    table = scene(2).player(0, tools=2, food=5, hand=["brave", "brave"]).turn(0)
    table.do("place tribe initiate", "play brave", "initiate hunter")
    position = table.game.position
    assert position.agenda[-1][0] == agenda.ACT
    assert [c.card_id for c in private_view(WORDS, position, 0).fresh] == ["hunter"]
    assert not private_view(WORDS, position, 1).fresh
