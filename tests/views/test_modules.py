"""Modules plug in by their names: base files know none, and the next one needs only new files."""

from __future__ import annotations

import random
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from endless_winter.rules import Config, Game, options
from endless_winter.rules import game as core
from endless_winter.rules.events import BY_MODULE, POINTS
from endless_winter.rules.hooks import NOWHERE, Module
from endless_winter.rules.modules import REGISTRY
from endless_winter.rules.sources import KIND_NAMES
from endless_winter.v1 import decision_pb2, event_pb2, result_pb2, view_public_pb2
from endless_winter.views import (
    PublicEncoder,
    Scribe,
    Words,
    catalog,
    catalog_of,
    decision,
    detail,
    events,
    happened,
    labels,
    match,
    modules,
    moves,
    nomad_steps,
    phrases,
    plugin,
    pools,
    private_view,
    public_view,
    turn,
    words,
)
from endless_winter.views.sampling import Sampler
from tests.rules.scene import TABLES
from tests.rules.walk import seed_of
from tests.views.redaction import PACK

if TYPE_CHECKING:
    from collections.abc import Iterator

VIEWS = Path(plugin.__file__).parent
WORDS_OF_MODULES = re.compile(
    r"river|\brafts?\b|_raft|landmark|\bfish|warrior|sea.?cow|mammoth|\b(RAF|SRF|MAM)\b",
    re.IGNORECASE,
)
# Where the contract itself has such a word.
ALLOWED = {
    ("events.py", "with_raft"),  # VillageBuilt.with_raft: a piece stood in for a Camp
}


def base_files() -> list[Path]:
    own = VIEWS / "modules"
    return [path for path in sorted(VIEWS.rglob("*.py")) if own not in path.parents]


def test_base_files_mention_no_module() -> None:
    files = [*base_files(), VIEWS / "modules" / "__init__.py"]
    assert len(files) > 30
    found = {
        (str(path.relative_to(VIEWS)), line.strip())
        for path in files
        for line in path.read_text(encoding="utf-8").splitlines()
        if WORDS_OF_MODULES.search(line)
    }
    unexpected = {
        (name, line)
        for name, line in found
        if not any(name == there and word in line for there, word in ALLOWED)
    }
    assert not unexpected
    assert len(found) == len(ALLOWED), "an exception that nobody needs"


def test_a_part_to_show_has_the_name_of_a_module() -> None:
    own = {path.name.partition(".")[0] for path in (VIEWS / "modules").glob("[!_]*")}
    assert own <= REGISTRY.keys()
    assert list(plugin.SHOWN) == list(REGISTRY)
    for name in REGISTRY:
        assert (plugin.shown(name) is plugin.NOTHING) == (name not in own)


# --- the next module ---

TABLED = (
    catalog,
    decision,
    detail,
    events,
    labels,
    moves,
    nomad_steps,
    phrases,
    plugin,
    pools,
    turn,
    words,
)
IN_PYTHON = Path(plugin.__file__).suffix == ".py" and Path(core.__file__).suffix == ".py"


@pytest.fixture
def eagle(monkeypatch: pytest.MonkeyPatch) -> Iterator[Config]:
    """The Eagle plugged in from files of its own (toy/), as the registry would do it."""
    from tests.views.toy.rules import Eagle  # compiled classes have no subclasses in Python

    tables = [
        table
        for base in TABLED
        for name, table in vars(base).items()
        if name.isupper() and isinstance(table, dict | set)
    ]
    before = [table.copy() for table in tables]
    monkeypatch.setitem(REGISTRY, "eagle", Eagle())
    monkeypatch.setattr(core, "_NOTATIONS", {})
    monkeypatch.setattr(
        modules, "__path__", [*modules.__path__, str(Path(__file__).parent / "toy")]
    )
    modules.plug_in_all()
    yield Config(TABLES, players=3, modules=("eagle", "rest_tokens"))
    for table, rows in zip(tables, before, strict=True):
        table.clear()
        table.update(rows)


@pytest.mark.skipif(not IN_PYTHON, reason="the core is compiled")
def test_a_module_of_new_files_shows_everywhere(eagle: Config) -> None:
    from tests.views.toy.eagle import RULE
    from tests.views.toy.rules import EGGS

    of_pack = Words(PACK)
    printed = catalog_of(of_pack)
    assert "an_eagle" in {info.item.id for info in printed.tokens}
    assert [info.item.id for info in printed.tokens] == sorted(i.item.id for i in printed.tokens)
    assert RULE in {rule.rule_id for rule in printed.rules}

    game = Game.new(eagle, seed_of(1), listen=True)
    scribe = Scribe(of_pack, eagle)
    encoder = PublicEncoder(of_pack)
    sampler = Sampler(PACK, eagle)
    rng = random.Random(4)
    asked = 0
    eggs: set[int] = set()
    while game.decision is not None:
        position = game.position
        view = public_view(of_pack, position)
        assert view_public_pb2.PublicView.FromString(encoder.encode(position)) == view
        shown = scribe.decision(game, 1)
        assert shown is not None
        for seat in range(eagle.players):
            private = private_view(of_pack, position, seat)
            in_nest = [one.count for one in private.fresh if one.card_id == "egg"]
            assert in_nest == ([] if seat else list(position.module_state[0][1:]))
        code = rng.choice(game.options())
        if shown.source.rule_id == RULE:
            asked += 1
            known = sampler.read(view)
            world = known.draw(rng)
            assert public_view(of_pack, world.position) == view
            assert world.options() == game.options()
            eggs |= {known.draw(rng).position.module_state[0][1] for _ in range(20)}
            assert shown.kind == decision_pb2.DECISION_KIND_MODULE
            assert shown.prompt == "Where does the Eagle perch?"
            chosen = shown.options[game.options().index(code)]
            assert chosen.text.startswith("perch ")
            assert chosen.label.startswith("Let the Eagle perch on juncture ")
            answer = decision_pb2.Answer(move=chosen.move)
            assert match(answer, game, scribe) == chosen.option_id
            hidden = position.module_state[0][1]
            happening = happened(of_pack, position, game.apply(code))
            assert happening[0].seat == shown.seat
            private_event = event_pb2.PrivateEvent.FromString(happening[0].private)
            assert [one.count for one in private_event.card_faces.cards] == [hidden]
            public = event_pb2.PublicEvent.FromString(happening[0].public)
            juncture = chosen.move.place_mammoth.juncture
            assert public.module_event == event_pb2.ModuleEvent(
                module="eagle",
                name="eagle_perched",
                seat=shown.seat,
                numbers=(juncture, 0),
                text=f"the Eagle perches on juncture {juncture}",
            )
            assert public_view(of_pack, game.position).mammoth.juncture == juncture
        else:
            game.apply(code)
    assert asked > 3  # at the end of set-up, and by Rest
    assert eggs == set(EGGS)  # what is hidden is drawn anew


# --- what is missing ---


@pytest.mark.parametrize("name", REGISTRY)
def test_every_verb_of_a_module_has_a_label_and_a_move(name: str) -> None:
    modules.look_at(name, plugin.shown(name))


@pytest.mark.skipif(not IN_PYTHON, reason="the core is compiled")
@pytest.mark.usefixtures("eagle")
@pytest.mark.parametrize(
    ("point", "rows", "message"),
    [
        ("labels", {}, "labels() has no row for the verb 190, 'perch'"),
        (
            "moves",
            {},
            "the verb 190, 'perch', is in none of moves(), targets() and taken_plainly()",
        ),
        ("decisions", {}, "it has options() of its own, but decisions() has no row"),
        ("sentences", {191: ""}, "sentences() has a row for 191"),
        ("sentences", {190: "{2}"}, "the sentence for 190 has more in braces"),
        ("sentences", {190: "{seat}"}, "the sentence for 190 has more in braces"),
    ],
)
def test_a_missing_row_is_one_clear_line_at_once(
    monkeypatch: pytest.MonkeyPatch, point: str, rows: dict[int, str], message: str
) -> None:
    view = plugin.shown("eagle")
    monkeypatch.setattr(view, point, lambda: rows)
    with pytest.raises(ValueError, match=re.escape(f"module eagle: {message}")) as refused:
        modules.plug_in("eagle", view)
    assert "\n" not in str(refused.value)


@pytest.mark.skipif(not IN_PYTHON, reason="the core is compiled")
def test_events_of_a_module_without_a_file_have_their_names(eagle: Config) -> None:
    from tests.views.toy.rules import PERCHED

    class Cry(Module):
        def event_names(self) -> dict[int, str]:
            return {PERCHED: "eagle_perched"}

    REGISTRY["eagle"] = Cry()
    for table in (events.PUBLIC, events.SECRETS):
        del table[PERCHED]
    modules.plug_in("eagle", plugin.NOTHING)
    position = Game.new(eagle, seed_of(1)).position
    for seat in (2, NOWHERE):
        (one,) = happened(Words(PACK), position, [(PERCHED, seat, 5, -7, b"\3", 0)])
        event = event_pb2.PublicEvent.FromString(one.public).module_event
        assert event.text == "eagle perched 5 -7"
        assert list(event.numbers) == [5, -7]
        assert (event.seat if event.HasField("seat") else NOWHERE) == seat
        assert not one.private


@pytest.mark.skipif(not IN_PYTHON, reason="the core is compiled")
def test_a_question_without_a_row_is_asked_all_the_same(eagle: Config) -> None:
    from tests.views.toy.rules import ASKED, PERCH

    del turn.DECISIONS["eagle", ASKED]
    game = Game.new(eagle, seed_of(1))
    while options.verb_of(game.options()[0]) != PERCH:
        game.apply(game.default)
    scribe = Scribe(Words(PACK), eagle)
    shown = scribe.decision(game, 1)
    assert shown is not None
    assert decision_pb2.Decision.FromString(scribe.decision_bytes(game, 1)) == shown
    assert (shown.kind, shown.prompt) == (decision_pb2.DECISION_KIND_MODULE, "What next?")
    public_view(Words(PACK), game.position)


def test_a_source_without_a_row_is_sent_by_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(KIND_NAMES, 199, "moon")
    position = Game.new(Config(TABLES), seed_of(1)).position
    (one,) = happened(Words(PACK), position, [(POINTS, 1, 3, BY_MODULE, b"", 199 << 8 | 4)])
    scored = event_pb2.PublicEvent.FromString(one.public).points_scored
    assert scored.category == result_pb2.SCORE_CATEGORY_MODULES
    assert scored.cause.rule_id == "moon"


def test_afterwards_it_is_gone() -> None:
    assert "eagle" not in REGISTRY
    assert "eagle" not in plugin.SHOWN
