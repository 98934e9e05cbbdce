"""The same config, seed and choices give the same game, everywhere; chance is as documented.

`docs/fairness.md` says to the byte where chance comes from. Below the line "from the document"
is a second implementation, written from that text: it imports nothing of chance.py.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import subprocess
import sys
from collections import Counter
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import pytest

from endless_winter.rules import Config, Game, agenda, board, chance
from endless_winter.rules.config import NOMAD_SWITCHES
from endless_winter.rules.nomad.area import area_of
from endless_winter.rules.position import write
from tests.rules.one_game import play
from tests.rules.plain_tables import plain, rebuilt
from tests.rules.scene import TABLES
from tests.rules.walk import SMALL, SOLO, begin, config_of, random_of, seed_of, text_of, walk

if TYPE_CHECKING:
    from collections.abc import Iterator

    from endless_winter.rules.state import Position

ROOT = Path(__file__).parents[2]
DOCUMENT = ROOT / "docs" / "fairness.md"
SCRIPT = Path(__file__).with_name("one_game.py")
OTHER_VERSIONS = ("3.12", "3.13")
SEED = bytes(range(32))


def wanted(number: int) -> dict[str, Any]:
    config = config_of(number)
    return {
        "players": config.players,
        "setup_draft": config.setup_draft,
        "chief_draft": config.chief_draft,
        "layout": config.layout,
        "modules": list(config.modules),
        "seed": seed_of(number).hex(),
        "choices": number,
        **_solo(config),
    }


def _solo(config: Config) -> dict[str, Any]:
    """What a solo game brings along is not asked for again."""
    if config.nomad is None:
        return {}
    return {
        "setup_draft": False,
        "chief_draft": False,
        "modules": [name for name in config.modules if name != "nomad"],
        "nomad": {name: getattr(config.nomad, name) for name in ("seat", *NOMAD_SWITCHES)},
    }


# 2, 3 and 4 players, both variants, both modules; solo, plain and with every switch
PLAYED = (0, 10, 17, 31, SOLO[0], SOLO[2])


@cache
def games() -> str:
    return json.dumps({"tables": plain(TABLES), "games": [wanted(number) for number in PLAYED]})


@cache
def digests() -> list[str]:
    return [play(TABLES, wanted(number)) for number in PLAYED]


def elsewhere(python: str, hash_seed: str) -> list[str]:
    """The digests of the same games in another process."""
    environment = {**os.environ, "PYTHONHASHSEED": hash_seed, "PYTHONDONTWRITEBYTECODE": "1"}
    # Where this process has its core from, so that a compiled one is compared as well.
    environment["PYTHONPATH"] = str(Path(chance.__file__).parents[2])
    done = subprocess.run(
        [python, str(SCRIPT)],
        input=games(),
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


def other_pythons() -> list[Any]:
    """An interpreter of each other version, where pyenv has one."""
    versions = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    params = []
    for version in OTHER_VERSIONS:
        found = sorted(versions.glob(f"{version}.*/bin/python{version}"))
        skip = pytest.mark.skip(reason=f"no Python {version} under {versions}")
        same = version == f"{sys.version_info.major}.{sys.version_info.minor}"
        same_skip = pytest.mark.skip(reason=f"this is Python {version}")
        marks = [same_skip] if same else [] if found else [skip]
        params.append(pytest.param(str(found[-1]) if found else "", id=version, marks=marks))
    return params


def test_the_same_seed_and_choices_give_the_same_game() -> None:
    again = [play(TABLES, wanted(number)) for number in PLAYED]
    assert again == digests()
    assert len(set(again)) == len(PLAYED)


def test_another_seed_gives_another_game() -> None:
    other = {**wanted(0), "seed": seed_of(1).hex()}
    assert play(TABLES, other) != digests()[0]


def test_the_tables_survive_their_plain_form() -> None:
    """Else the tests in other processes would not play with the same pack."""
    again = rebuilt(json.loads(json.dumps(plain(TABLES))))
    assert plain(again) == plain(TABLES)
    assert play(again, wanted(0)) == digests()[0]


@pytest.mark.parametrize("hash_seed", ["0", "1", "4242", "random"])
def test_the_order_of_hashes_does_not_matter(hash_seed: str) -> None:
    assert elsewhere(sys.executable, hash_seed) == digests()


@pytest.mark.parametrize("python", other_pythons())
def test_another_version_of_python_plays_the_same_game(python: str) -> None:
    assert elsewhere(python, "7") == digests()


# --- named streams: one seat's choices do not shift another's chance ---


def test_a_shuffle_of_one_deck_does_not_shift_another() -> None:
    """However often the others have shuffled, a seat's k-th new deck is the same."""
    for number in SMALL[:12]:
        *_, game = walk(number)
        other = game.copy()
        for one in (game, other):
            first = one.position.players[0]
            first.hand, first.deck, first.discard = b"", b"", bytes(range(8))
        for player in other.position.players[1:]:
            player.shuffles += 5
            player.discard = player.discard[::2]
        drawn = []
        for one in (game, other):
            one.position.players[0].shuffles = 3
            draw(one, 0)
            drawn.append(one.position.players[0].deck)
        assert drawn[0] == drawn[1]


def draw(game: Game, seat: int) -> None:
    board.draw(game.position, game.position.players[seat], 1)


def test_each_shuffle_of_a_deck_is_a_new_one() -> None:
    pieces = bytes(range(12))
    orders = {
        chance.shuffle(SEED, f"deck:{seat}", counter, pieces)
        for seat in range(4)
        for counter in range(50)
    }
    assert len(orders) == 200


def test_drafting_otherwise_does_not_shift_the_decks() -> None:
    """Setup cards taken by others change what leaves the Animal deck, not its order."""
    config = Config(TABLES, players=3, chief_draft=True)
    ends = []
    for which in (0, -1):
        game = Game.new(config, SEED)
        while (decision := game.decision) is not None and decision.kind_name != "turn":
            game.apply(decision.options[which])
        ends.append(game.position)
    first, second = ends
    assert [p.setup for p in first.players] != [p.setup for p in second.players]
    for one, other in zip(first.players, second.players, strict=True):
        assert one.deck == other.deck
        assert known_part(one.hand) == known_part(other.hand)
    assert first.culture == second.culture
    assert first.terrain == second.terrain
    for position in ends:
        assert animals_left(position) == doc_animals(SEED, position)


def known_part(hand: bytes) -> bytes:
    """The hand without the Tribe card that the Setup card gave."""
    return bytes(card for card in hand if card >= TABLES.tribe_types)


def animals_left(position: Position) -> list[int]:
    """The Hunting Grounds as dealt, then the deck."""
    return [animal for animal in position.grounds if animal != 255] + list(position.animals)


def test_a_module_does_not_shift_the_rest_of_the_set_up() -> None:
    def table(*modules: str) -> dict[str, object]:
        written = write(Game.new(Config(TABLES, players=3, modules=modules), SEED).position)
        del written["config"], written["module_state"]
        return written

    assert table() == table("glacier_tokens") == table("rest_tokens", "glacier_tokens")


def test_every_order_of_three_is_about_equally_likely() -> None:
    orders = Counter(chance.shuffle(SEED, "test", n, b"abc") for n in range(6000))
    assert len(orders) == 6
    assert all(850 < number < 1150 for number in orders.values())


# --- commitment and reveal ---


def test_a_commitment_fits_its_seed_and_salt_only() -> None:
    salt = bytes(32)
    published = chance.commitment(SEED, salt)
    assert chance.verify(published, SEED, salt)
    for bit in range(256):
        changed = bytearray(SEED)
        changed[bit // 8] ^= 1 << bit % 8
        assert not chance.verify(published, bytes(changed), salt)
        changed = bytearray(salt)
        changed[bit // 8] ^= 1 << bit % 8
        assert not chance.verify(published, SEED, bytes(changed))


# --- from the document ---


def doc_block(seed: bytes, stream: str, counter: int, index: int) -> bytes:
    made = hashlib.blake2b(digest_size=64, key=seed, person=b"endless-winter-1")
    made.update(stream.encode("ascii"))
    made.update(bytes([counter >> 24, counter >> 16 & 255, counter >> 8 & 255, counter & 255]))
    made.update(bytes([index >> 24, index >> 16 & 255, index >> 8 & 255, index & 255]))
    return made.digest()


def doc_words(seed: bytes, stream: str, counter: int) -> Iterator[int]:
    index = 0
    while True:
        made = doc_block(seed, stream, counter, index)
        for at in range(0, 64, 2):
            yield int.from_bytes(made[at : at + 2], "big")
        index += 1


def doc_draw(words: Iterator[int], n: int) -> int:
    for word in words:
        if word < 65536 - 65536 % n:
            return word % n
    raise AssertionError


def doc_shuffle(seed: bytes, stream: str, counter: int, pieces: list[int]) -> list[int]:
    order = list(pieces)
    words = doc_words(seed, stream, counter)
    for last in range(len(order) - 1, 0, -1):
        pick = doc_draw(words, last + 1)
        order[pick], order[last] = order[last], order[pick]
    return order


def doc_commitment(seed: bytes, salt: bytes) -> str:
    person = b"ew-commitment-1\x00"
    return hashlib.blake2b(seed, digest_size=32, key=salt, person=person).hexdigest()


def vectors() -> list[tuple[str, dict[str, str], str]]:
    match = re.search(r"^```vectors\n(.*?)^```$", DOCUMENT.read_text(), re.DOTALL | re.MULTILINE)
    assert match is not None
    lines = match[1].splitlines()
    found = []
    for question, answer in zip(lines[::2], lines[1::2], strict=True):
        word, *parts = question.split()
        found.append((word, dict(part.split("=") for part in parts), answer.strip()))
    return found


def test_the_document_has_vectors_of_every_kind() -> None:
    assert Counter(word for word, _, _ in vectors()) == {"block": 2, "shuffle": 3, "commitment": 1}


@pytest.mark.parametrize("at", range(6))
def test_a_vector_of_the_document_holds_for_both_implementations(at: int) -> None:
    word, given, answer = vectors()[at]
    seed = bytes.fromhex(given["seed"])
    if word == "block":
        where = (given["stream"], int(given["counter"]), int(given["index"]))
        assert chance.block(seed, *where).hex() == answer
        assert doc_block(seed, *where).hex() == answer
    elif word == "shuffle":
        stream, counter = given["stream"], int(given["counter"])
        pieces = bytes.fromhex(given["pieces"])
        assert chance.shuffle(seed, stream, counter, pieces).hex() == answer
        assert bytes(doc_shuffle(seed, stream, counter, list(pieces))).hex() == answer
    else:
        salt = bytes.fromhex(given["salt"])
        assert chance.commitment(seed, salt) == answer
        assert doc_commitment(seed, salt) == answer


def test_both_implementations_shuffle_alike() -> None:
    for size in range(80):
        pieces = bytes(range(100, 100 + size))
        for counter in (0, 1, 7, 70_000):
            mine = doc_shuffle(SEED, "some:stream", counter, list(pieces))
            assert chance.shuffle(SEED, "some:stream", counter, pieces) == bytes(mine)


def test_the_vectors_meet_a_second_block_and_a_word_passed_over() -> None:
    """Else a port could pass them and be wrong."""
    words = doc_words(SEED, "animals", 37)
    passed_over = 0
    for n in range(60, 1, -1):
        while next(words) >= 65536 - 65536 % n:
            passed_over += 1
    assert passed_over == 1
    assert any(word == "shuffle" and len(answer) > 2 * 33 for word, _, answer in vectors())


def of_era(pieces: list[Any], era: int) -> list[int]:
    return [number for number, piece in enumerate(pieces) if piece.era == era]


def doc_animals(seed: bytes, position: Position) -> list[int]:
    types = list(TABLES.animal_copies)
    deck = doc_shuffle(seed, "animals", 0, list(range(60)))
    for player in position.players:
        for animal in TABLES.setups[player.setup].animals:
            deck.remove(min(copy for copy in deck if types[copy] == animal))
    return [types[copy] for copy in deck]


@pytest.mark.parametrize("number", [0, 1, 2, 9, 10, 11, 27, 28, 29])
def test_a_set_up_can_be_worked_out_from_the_document(number: int) -> None:
    """Every row of the table of streams, without a draft."""
    game = begin(number)
    position = game.position
    while game.decision is not None and game.decision.kind_name != "turn":
        game.apply(game.decision.default)
    seed = seed_of(number)
    players = len(position.players)

    def shuffled(stream: str, pieces: list[int]) -> list[int]:
        return doc_shuffle(seed, stream, 0, pieces)

    assert list(position.order) == shuffled("turn-order", list(range(players)))
    land = list(range(2, 8))
    spare = [kind for kind in land for _ in range(TABLES.terrains[kind].copies - 1)]
    tiles = land + [1] * (3 if players == 4 else 6)
    tiles += shuffled("terrain:spare", spare)[: 18 - len(tiles)]
    assert list(position.terrain[1:]) == shuffled("terrain", sorted(tiles))
    assert list(position.tiles) == shuffled("megaliths", [0, 1, 2, 3])
    for era in (1, 2):
        stones = shuffled(f"stones:{era}", of_era([s for s in TABLES.stones if not s.apart], era))
        assert list(position.stones[era - 1]) == stones[: {2: 4, 3: 6, 4: 7}[players]]
        deck = shuffled(f"culture:{era}", of_era(TABLES.cards, era))
        if era == 1:
            assert list(position.display) == deck[:8]
            deck = deck[8:]
        assert list(position.culture[era - 1]) == deck
    chiefs = shuffled("chiefs", [0, 1, 2, 3, 4])
    setups = shuffled("setup-cards", [0, 1, 2, 3, 4])
    for player in position.players:
        assert player.chief // 2 == chiefs[player.seat]
        assert player.setup == setups[player.seat]
        rest = list(TABLES.starting)
        rest.remove(TABLES.brave)
        rest.remove(TABLES.tribeswoman)
        deck = shuffled(f"deck:{player.seat}", sorted(rest))
        hand = [TABLES.setups[player.setup].tribe, TABLES.brave, TABLES.tribeswoman, *deck[:2]]
        assert list(player.hand) == sorted(hand)
        assert list(player.deck) == deck[2:]
    assert animals_left(position) == doc_animals(seed, position)
    for name, state in zip(position.config.modules, position.module_state, strict=True):
        if name == "rest_tokens":
            assert list(state[2:]) == shuffled("rest-tokens", list(range(5)))
        else:
            glaciers = [hex_ for hex_ in range(19) if position.terrain[hex_] == 1]
            dealt = [state[hex_] - 1 for hex_ in glaciers]
            assert dealt == shuffled("glacier-tokens", list(range(10)))[: len(glaciers)]


def test_a_draft_offers_the_first_cards_of_its_streams() -> None:
    game = Game.new(Config(TABLES, players=3, chief_draft=True), SEED)
    for stream, offer in (("chiefs", game.position.chiefs), ("setup-cards", game.position.setups)):
        assert list(offer) == sorted(doc_shuffle(SEED, stream, 0, [0, 1, 2, 3, 4])[:4])


def test_a_new_deck_can_be_worked_out_from_the_document() -> None:
    """GLD-01: whenever somebody had to shuffle the discard pile, somewhere in a game."""
    for number in SMALL[:12]:
        for step, game in enumerate(walk(number)):
            for seat, player in enumerate(game.position.players):
                if step % 20 or not player.discard:
                    continue
                other = game.copy()
                drawing = other.position.players[seat]
                drawing.hand = drawing.deck = b""
                draw(other, seat)
                stream = f"deck:{seat}"
                pile = list(player.discard)
                made = doc_shuffle(seed_of(number), stream, player.shuffles + 1, pile)
                assert list(drawing.hand + drawing.deck) == made
                assert drawing.shuffles == player.shuffles + 1


class Listening:
    """A BLAKE2b that notes the streams of the messages it is given."""

    used: ClassVar[set[str]] = set()

    def __init__(self, message: bytes = b"", **settings: Any) -> None:
        self.hash = hashlib.blake2b(**settings)
        if message:
            self.update(message)

    def copy(self) -> Listening:
        new = Listening()
        new.hash = self.hash.copy()
        return new

    def update(self, message: bytes) -> None:
        self.used.add(message[:-8].decode("ascii"))
        self.hash.update(message)

    def digest(self) -> bytes:
        return self.hash.digest()


def test_games_use_exactly_the_streams_of_the_document(monkeypatch: pytest.MonkeyPatch) -> None:
    """A shuffle that the document does not know would be one that nobody can check."""
    used = Listening.used
    used.clear()
    monkeypatch.setattr(chance, "blake2b", Listening)
    for number in (2, 29, 34, SOLO[0]):
        for _ in walk(number):
            pass
    table = DOCUMENT.read_text(encoding="utf-8").partition("## The streams")[2]
    rows = [line.split("|")[1] for line in table.splitlines() if line.startswith("| `")]
    named = {stream for row in rows for stream in re.findall("`([^`]+)`", row)}
    assert {"deck:1", "deck:2"} <= used
    assert used == named | {"deck:1", "deck:2"}


def test_the_example_of_the_document_runs() -> None:
    match = re.search(r"^```python\n(.*?)^```$", DOCUMENT.read_text(), re.DOTALL | re.MULTILINE)
    assert match is not None
    names: dict[str, Any] = {}
    exec(match[1], names)
    assert names["again"].result is not None


def test_a_game_can_be_replayed_from_its_choices() -> None:
    for number in (*SMALL[:12], SOLO[0]):
        choices = random_of(number)
        game = begin(number)
        log = []
        while game.decision is not None:
            text = game.text(choices.option(game))
            log.append(text)
            game.apply(game.parse(text))
        again = begin(number)
        for text in log:
            again.apply(again.parse(text))
        assert text_of(again) == text_of(game)


# --- solo ---


def test_the_nomads_decks_are_those_of_the_document() -> None:
    for number in (SOLO[0], SOLO[2]):
        seed = seed_of(number)
        game = begin(number)
        nomad = game.position.config.nomad
        assert nomad is not None
        assert game.position.order[0] == nomad.seat
        sacrifice = []
        for era in (0, 1):
            cards = [n for n, card in enumerate(TABLES.cards) if card.era == era + 1]
            sacrifice += doc_shuffle(seed, f"culture:{era + 1}", 0, cards)[:5]
        assert list(area_of(game.position).sacrifice) == sacrifice
        setups = doc_shuffle(seed, "setup-cards", 0, [0, 1, 2, 3, 4])
        assert list(game.position.setups) == sorted(setups[:2])
        assert game.position.players[nomad.seat].setup == (setups[2] if nomad.setup_card else 255)
        maps = doc_shuffle(seed, "map-cards", 0, list(range(6)))
        assert list(area_of(game.position).maps) == maps
        seen = 0
        for game in walk(number):
            area = area_of(game.position)
            if game.position.round > seen and dealt(game):
                seen = game.position.round
                deck = doc_shuffle(seed, "nomad-cards", seen, list(range(16)))
                assert list(area.stack + area.deck) == deck
        assert seen == 4


def dealt(game: Game) -> bool:
    return all(frame[0] not in (agenda.DEAL, agenda.CHOOSE_CHIEF) for frame in game.position.agenda)
