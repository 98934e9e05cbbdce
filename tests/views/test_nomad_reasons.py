"""Each step of the Nomad names what gave it and the rules that decided: derived a second time."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from endless_winter.content import load_pack
from endless_winter.rules import Game, agenda, events
from endless_winter.rules.building import NEUTRAL, space_at
from endless_winter.rules.modules.warriors import RAID_ICON
from endless_winter.rules.nomad.actions import PILE_CARD
from endless_winter.rules.nomad.area import area_of, keep
from endless_winter.rules.nomad.seat import ACTIONS
from endless_winter.rules.position import write
from endless_winter.v1 import event_pb2
from endless_winter.views import Scribe, happened
from endless_winter.views.nomad_reasons import GIVERS_OF_MODULES, OF_MODULES, SENTENCES
from endless_winter.views.words import Words
from tests.rules.nomad_scene import NOMAD, solo
from tests.rules.river_scene import solo_river
from tests.rules.scene import FROZEN, TABLES
from tests.rules.walk import EVERY, RIVERS, SOLO, begin, config_of, name_of, random_of
from tests.views.nomad_derivation import Derivation, Said

if TYPE_CHECKING:
    from collections.abc import Iterable

    from endless_winter.v1 import decision_pb2
    from tests.rules.nomad_scene import SoloScene
    from tests.views.nomad_derivation import Values

WORDS = Words(load_pack(FROZEN))
EVERY_SOLO = [number for number in EVERY if config_of(number).nomad is not None]
# All switches on and off, with the river and without it, the Mammoth and Glacier tokens.
SOME_SOLO = [*EVERY_SOLO[:3], *EVERY_SOLO[16:]][::2]


def sentences(reason: str) -> list[tuple[str, str]]:
    """Each sentence with the rule it ends with."""
    return [
        (rule, said) for said, rule in re.findall(r"(.+?) \(([A-Z]{3}-\d\d)\)\.(?: |$)", reason)
    ]


def check_reason(reason: str, rules: Iterable[str], expected: list[Said], where: str) -> None:
    assert list(rules) == [said.rule for said in expected], (where, reason, expected)
    found = sentences(reason)
    assert [rule for rule, _ in found] == list(rules), (where, reason)
    assert "".join(f"{said} ({rule}). " for rule, said in found).strip() == reason
    for (_, said), wanted in zip(found, expected, strict=True):
        for word in wanted.words:
            assert word in said, (where, word, reason)


def check_maps(events: list[event_pb2.PublicEvent], before: Values, seat: int) -> int:
    """Map cards: those of sequence B that move nothing are void. How many were."""
    camps = set(before["players"][seat]["camps"])
    outer = before["agenda"][-1]["step"] == "map"
    cards = {card.name: card for card in TABLES.map_cards}
    revealed = [event.map_card_revealed for event in events if event.HasField("map_card_revealed")]
    void = 0
    for number, event in enumerate(revealed, 1):
        card = cards[event.map_card_id]
        stays = set(card.outer if outer else card.inner) <= camps
        assert event.moves_nothing == stays
        assert list(event.rule_ids) == ["NMD-11" if outer else "NMD-12"]
        assert ("void" in event.reason) == (stays and not outer)
        assert ("stand there already" in event.reason) == stays
        assert (stays and not outer) == (number < len(revealed))
        void += stays and not outer
    return void


def follow(number: int, met: Counter[str]) -> int:
    """Derive the reasons of a whole game; how many steps of the Nomad it had."""
    game = begin(number, listen=True)
    config = config_of(number)
    assert config.nomad is not None
    seat = config.nomad.seat
    scribe = Scribe(WORDS, config)
    derivation = Derivation(TABLES, game.position.sites)
    choices = random_of(number)
    steps = 0
    while (decision := game.decision) is not None:
        values: Values = write(game.position)
        derivation.arrived(values)
        code = decision.default if decision.kind_name == "nomad" else choices.option(game)
        derivation.follow(values, game.text(code))
        if decision.kind_name != "nomad":
            game.apply(code)
            continue
        steps += 1
        where = f"{name_of(number)}, step {steps}, {game.text(code)}"
        shown = scribe.decision(game, steps)
        assert shown is not None
        (option,) = shown.options
        expected = derivation.expected(values)
        check_reason(option.reason, option.rule_ids, expected, where)
        assert has_source(option, values), where
        met.update(f"{said.rule} {word}" for said in expected for word in said.words[-1:])
        met.update(said.rule for said in expected)
        events = [
            event_pb2.PublicEvent.FromString(one.public)
            for one in happened(WORDS, game.position, game.apply(code))
        ]
        # Whoever watches the Nomad of a server gets the same reason with what happened.
        for event in events:
            which = event.WhichOneof("event")
            if which in ("nomad_acted", "nomad_column_chosen"):
                assert getattr(event, which).reason == option.reason, where
                assert list(getattr(event, which).rule_ids) == list(option.rule_ids)
        met["void Map card"] += check_maps(events, values, seat)
    return steps


def has_source(option: decision_pb2.Option, values: Values) -> bool:
    """A gain names its source in the move too, a step of a card that card."""
    move = option.move.nomad
    step = values["agenda"][-1]["step"]
    if step == "gain":
        return move.source.WhichOneof("origin") is not None
    return bool(move.nomad_card_id) is (step == "actions")


# What the reasons of the games below must have met, so that the derivation is no empty promise.
MET = (
    *("SOL-07", "SOL-08", "SOL-09", "SOL-10", "XPT-04", "XPT-06", "SRF-01", "SRF-02"),
    *("NMD-01", "NMD-02", "NMD-03", "NMD-04", "NMD-05", "NMD-06", "NMD-07", "NMD-08", "NMD-09"),
    *("NMD-10", "NMD-11", "NMD-12", "NMD-13", "NMD-14", "NMD-15"),
    *("MEG-03", "MEG-08", "MAM-02", "MAM-03"),
    "NMD-05 1 to 3 comes first",
    "NMD-05 that it lacks",
    "NMD-10 stacked where that is possible",
    "NMD-10 nothing to stack on",
    "NMD-11 a Village goes there",
    "NMD-11 its token goes there",
    "SRF-02 draws Fish",
)
# And those of many games; single tables below have them too.
RARE = (
    "SRF-01 Raft is the Camp",
    "SRF-02 5 points",
    "void Map card",
)


def test_the_reasons_of_whole_games_are_those_that_the_rules_give() -> None:
    met: Counter[str] = Counter()
    steps = sum(follow(number, met) for number in SOME_SOLO)
    assert steps > 2000
    assert [wanted for wanted in MET if not met[wanted]] == []


@pytest.mark.soak
@pytest.mark.timeout(900)
def test_the_reasons_of_many_games_are_those_that_the_rules_give() -> None:
    met: Counter[str] = Counter()
    rivers = [n for n in range(RIVERS.stop, RIVERS.stop + 160) if config_of(n).nomad is not None]
    for number in (*EVERY_SOLO, *range(SOLO.stop, SOLO.stop + 84), *rivers):
        follow(number, met)
    assert [wanted for wanted in (*MET, *RARE) if not met[wanted]] == []


@pytest.mark.parametrize(
    ("reason", "spoilt"),
    [
        ("Wolf Song: 3 Food due (SOL-09).", "Wolf Song: 1 Food due (SOL-09)."),
        ("Wolf Song: 3 Food due (SOL-09).", "Red Ochre: 3 Food due (SOL-09)."),
        ("Wolf Song: 3 Food due (SOL-09).", "Wolf Song: 3 Food due."),
        ("Wolf Song: 3 Food due (SOL-09).", "Wolf Song: 3 Food due (SOL-09). So it is."),
        ("Wolf Song: 3 Food due (SOL-09).", ""),
    ],
)
def test_a_reason_that_says_something_else_is_noticed(reason: str, spoilt: str) -> None:
    expected = [Said("SOL-09", ("Wolf Song", "3 Food due"))]
    check_reason(reason, ["SOL-09"], expected, "")
    with pytest.raises(AssertionError):
        check_reason(spoilt, ["SOL-09"], expected, "")


def test_every_rule_that_a_reason_can_name_is_one_of_the_rule_list() -> None:
    rules = (Path(__file__).parents[2] / "docs" / "rules.md").read_text()
    known = set(re.findall(r"^- ([A-Z]{3}-\d\d) ", rules, re.MULTILINE))
    for table in (SENTENCES, OF_MODULES, GIVERS_OF_MODULES):
        assert {row[0] for row in table.values()} <= known


# --- what whole games rarely or never meet ---


def reason_for(gains: str, **position: object) -> str:
    """Of a step on a bare table."""
    table = solo().gains(gains)
    for name, value in position.items():
        setattr(table.position, name, value)
    return reason_on(table)


def reason_on(table: SoloScene) -> str:
    game = Game.at(table.position)
    shown = Scribe(WORDS, table.position.config).decision(game, 1)
    assert shown is not None
    return shown.options[0].reason


@pytest.mark.rule("NMD-02")
def test_an_amount_is_named_in_full() -> None:
    assert "3 Food due" in reason_for("food 3")
    table = solo().player(NOMAD, food=8).gains("food 3")
    assert "room for 2 Food only (NMD-02)" in reason_on(table)


@pytest.mark.rule("NMD-14")
@pytest.mark.parametrize(
    ("gains", "player", "position", "why"),
    [
        ("culture", {}, {}, "The display is empty, so instead: a Bury"),
        ("bury", {}, {}, "The Sacrifice deck is empty, so instead: a Tool"),
        ("animal", {}, {}, "The Hunting Grounds are empty, so instead: Food"),
        ("beast", {}, {"animals": b""}, "The Animal deck is empty, so instead: Food"),
        ("tool", {"tools": 5}, {}, "It has 5 Tools, so instead: Food"),
        ("food", {"food": 10}, {}, "Its Food is at the limit, so instead: an Idol"),
        ("feast", {"food": 10}, {}, "Its Food is at the limit, so instead: an Idol"),
        ("stone", {}, {}, "It cannot pay for a Sacred Stone, so instead: a Megalith"),
        (
            "stone",
            {"food": 9, "tools": 5},
            {"stones": [b"", b""]},
            "No Sacred Stone is available, so instead: a Megalith",
        ),
        ("megalith", {"megaliths": 0}, {}, "It has no Megalith left, so instead: a Bury"),
        ("megalith", {"megaliths": 8}, {}, "No place is open to its next Megalith, so instead"),
        ("draw", {}, {}, "For the Nomad that is: a Bury"),
        ("tribe", {}, {}, "For the Nomad that is: a Tool"),
        ("recruit", {}, {}, "For the Nomad that is: a Tool"),
        ("tip", {}, {}, "For the Nomad that is: Food"),
    ],
)
def test_why_something_cannot_be_had_is_named(
    gains: str, player: dict[str, int], position: dict[str, object], why: str
) -> None:
    table = solo().player(NOMAD, **player).gains(gains)
    for name, value in position.items():
        setattr(table.position, name, value)
    assert f"{why} (NMD-14)." in reason_on(table) or f"{why}: " in reason_on(table)


@pytest.mark.rule("NMD-05")
@pytest.mark.parametrize(
    ("owned", "why"),
    [
        (["woolly_rhino"], "It has 1 of Woolly Rhino: a type of which it has 1 to 3 comes first"),
        (["woolly_rhino"] * 3, "It has 3 of Woolly Rhino: a type of which it has 1 to 3"),
        ([], "Of no type there it has 1 to 3, and none of Woolly Rhino: a type that it lacks"),
        (["woolly_rhino"] * 4, "It has 4 of Woolly Rhino: only types of which it has 4 or more"),
    ],
)
def test_the_group_of_the_animal_is_named(owned: list[str], why: str) -> None:
    table = solo().player(NOMAD, animals=owned).grounds("woolly_rhino").gains("animal")
    assert why in reason_on(table)
    assert "arrows" not in reason_on(table)  # they have nothing to choose from


@pytest.mark.rule("NMD-06")
def test_a_reveal_that_is_void_says_why() -> None:
    assert "The Animal deck is empty: nothing happens (NMD-06)" in reason_for("reveal", animals=b"")
    full = bytes(6)
    assert "No place is free: nothing happens (NMD-06)" in reason_for("reveal", grounds=full)


@pytest.mark.rule("ICO-05")
def test_food_up_to_the_limit_says_how_much_that_is() -> None:
    table = solo().player(NOMAD, food=3).gains("feast")
    assert "Up to its limit that is 7 Food (ICO-05)" in reason_on(table)


@pytest.mark.rule("NMD-07")
def test_an_eclipse_card_that_is_not_there_is_named() -> None:
    table = solo()
    card = area_of(table.position).stack[-1]
    table.position.agenda[-1] = (agenda.NOMAD, NOMAD, ACTIONS, bytes((card, PILE_CARD, 1)))
    assert "face down onto the pile (NMD-07)" in reason_on(table)
    area = area_of(table.position)
    area.deck = b""
    keep(table.position, area)
    assert "no card left for it: nothing happens (NMD-07)" in reason_on(table)


@pytest.mark.rule("MEG-08")
def test_an_additional_megalith_without_a_space_says_so() -> None:
    table = solo().gains("megalith")
    position = table.position
    grey = next(site for site in range(32) if space_at(position, site).grey)
    position.agenda[-1] = (*position.agenda[-1][:3], bytes((agenda.ADDITIONAL, grey)))
    assert "onto a space that the starting space points to (MEG-08)" in reason_on(table)
    built = bytearray(position.megaliths)
    for space in space_at(position, grey).arrows:
        built[grey // 8 * 8 + space] = NEUTRAL
    position.megaliths = bytes(built)
    assert "are taken: no effect (MEG-08)" in reason_on(table)
    position.megaliths = bytes(len(built))
    position.players[NOMAD].megaliths = 0
    assert "It has no Megalith left, so instead: a Bury (NMD-14)" in reason_on(table)


@pytest.mark.rule("NMD-14")
def test_what_is_of_no_use_to_the_nomad_says_so() -> None:
    table = solo(modules=("warriors",)).gains("food")
    position = table.position
    position.agenda[-1] = (*position.agenda[-1][:3], bytes((RAID_ICON, 1)))
    assert "has no use for" in reason_on(table)


@pytest.mark.rule("SRF-01")
@pytest.mark.parametrize(
    ("raft", "why"),
    [
        (0, "Before that its Raft goes 1 downriver, to hex 15 (SRF-01)"),
        (5, "Before that its Raft goes 1 downriver, to the Delta (SRF-01)"),
        (6, "Its Raft stays at the Delta (SRF-01)"),
    ],
)
def test_the_way_of_the_raft_is_named(raft: int, why: str) -> None:
    table = solo_river().player(NOMAD, camps=[3, 4, 7, 8, 17]).rafts(0, raft).gains("move")
    assert "Sequence B, as its Camps lie around no free juncture" in reason_on(table)
    assert why in reason_on(table)


@pytest.mark.rule("SRF-01")
def test_a_raft_in_the_place_of_a_camp_is_named() -> None:
    table = solo_river().player(NOMAD, camps=[1, 2, 12, 14, 17]).rafts(0, 2).gains("move")
    said = reason_on(table)
    assert "Sequence A" in said
    assert "On hex 0 its Raft is the Camp, and then goes home (SRF-01)" in said


@pytest.mark.rule("NMD-12")
def test_a_void_map_card_is_marked() -> None:
    """The inner Camps stand on 1 and 2, where the card of the north east shows them."""
    table = solo().player(NOMAD, camps=[1, 2, 13, 14, 15])
    table.area(maps=["north_east", "south_east", "west"]).gains("move").listen()
    table.step()
    maps = [
        event_pb2.PublicEvent.FromString(one.public).map_card_revealed
        for event in table.events
        if event[0] == events.MAP_REVEALED
        for one in happened(WORDS, table.position, [event])
    ]
    assert [one.map_card_id for one in maps] == ["north_east", "south_east"]
    assert [one.moves_nothing for one in maps] == [True, False]
    assert "the card is void, the next one counts (NMD-12)" in maps[0].reason
    assert maps[1].reason == "It shows where its 2 inner Camps go (NMD-12)."


@pytest.mark.rule("SRF-02")
def test_a_landmark_says_what_it_is_worth_to_the_nomad() -> None:
    table = solo_river().gains("volcano")
    said = reason_on(table)
    assert re.search(r"Any Landmark is worth 5 points to the Nomad, .+ too \(SRF-02\)", said)
