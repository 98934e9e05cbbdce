"""Looks at games with Cairns as clients do; runs where play.py does."""

from __future__ import annotations

import random
import sys

from endless_winter.content import load_pack
from endless_winter.rules import Config, Game
from endless_winter.rules.modules.cairns import CAIRN, CAIRNS, RAISE, CairnRules
from endless_winter.rules.options import a_of, verb_of
from endless_winter.v1 import decision_pb2, enums_pb2, event_pb2, result_pb2, view_public_pb2
from endless_winter.views import (
    PublicEncoder,
    Scribe,
    Words,
    catalog_of,
    config_of,
    happened,
    match,
    message_of,
    private_view,
    public_view,
)
from endless_winter.views.sampling import Sampler

pack = load_pack(sys.argv[1])
words = Words(pack)
catalog = catalog_of(words)
assert [one.item.name for one in catalog.tokens if "cairn" in one.item.id] == [
    "Small Cairn",
    "Tall Cairn",
]
assert "raise 2 Cairns" in next(
    card.item.text for card in catalog.cards if card.item.id == words.cards[pack.tables.brave]
)
assert ("cairn", 2) in [
    (term.module_icon, term.amount)
    for card in catalog.cards
    for ability in card.abilities
    for term in ability.gains
]
assert "CRN-01" in [rule.rule_id for rule in catalog.rules]

config = Config(pack.tables, 3, modules=("warriors", CairnRules(9)))
assert message_of(config).cairns.most == 9
again = config_of(message_of(config), pack)
assert set(again.modules) == {"warriors", CAIRNS}
assert again.rules[CAIRNS].written() == {"most": 9}

scribe = Scribe(words, config)
encoder = PublicEncoder(words)
sampler = Sampler(pack, config)
chosen: set[int] = set()
scored = 0
for number in range(3):
    choose = random.Random(number)
    game = Game.new(config, bytes([number] * 32), listen=True)
    game.take_events()
    while (pending := game.decision) is not None:
        position = game.position
        view = public_view(words, position)
        assert view_public_pb2.PublicView.FromString(encoder.encode(position)) == view
        assert bytes(view.cairns.raised) == position.module_state[1]
        code = choose.choice(pending.options)
        before = position.module_state[1]
        if verb_of(code) in (RAISE, CAIRN):
            chosen.add(verb_of(code))
            shown = scribe.decision(game, 1)
            assert shown is not None
            if verb_of(code) == RAISE:
                assert shown.kind == decision_pb2.DECISION_KIND_MODULE
                assert shown.prompt == "Which Cairn do you raise?"
            else:
                benefit = shown.pool[
                    shown.options[pending.options.index(code)].move.gain.pool_index
                ]
                assert (benefit.icon, benefit.module_icon) == (enums_pb2.ICON_MODULE, "cairn")
            option = shown.options[pending.options.index(code)]
            assert option.label.startswith("Raise Cairn number ")
            move = option.move
            own = move.raise_cairn if verb_of(code) == RAISE else move.gain.target.cairn
            assert own.number == a_of(code)
            place = match(decision_pb2.Answer(move=option.move), game, scribe)
            assert place == option.option_id
            private = private_view(words, position, pending.seat)
            world = sampler.sample(view, private, choose)
            assert world.position.module_state[1] == before
            assert world.options() == pending.options
        events = [
            event_pb2.PublicEvent.FromString(one.public)
            for one in happened(words, position, game.apply(code))
        ]
        raised = [one for one in events if one.HasField("module_event")]
        for one in raised:
            event = one.module_event
            assert (event.module, event.name) == (CAIRNS, "cairn_raised")
            assert event.seat == pending.seat
            assert event.text == f"cairn raised {event.numbers[0]} 0"
        assert len(raised) == sum(position.module_state[1]) - sum(before)
        # No line of its own in the result, and no field for its source: its name is sent.
        points = [one.points_scored for one in events if one.HasField("points_scored")]
        own = [one for one in points if one.category == result_pb2.SCORE_CATEGORY_MODULES]
        assert [one.cause.rule_id for one in own] == ["cairn"] * len(raised)
        scored += len(own)
assert chosen == {RAISE, CAIRN}
assert scored
print("shown")
