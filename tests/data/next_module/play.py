"""Plays random games with Cairns; runs in the copy of the project that PYTHONPATH names."""

from __future__ import annotations

import random
import sys

from endless_winter.content import ContentError, load_pack, pool_text
from endless_winter.content.pack import pack_of
from endless_winter.rules import BadConfig, Config, Game
from endless_winter.rules.events import BY_MODULE, POINTS
from endless_winter.rules.modules import MODULE_EVENT_NAMES
from endless_winter.rules.modules.cairns import (
    CAIRN,
    CAIRN_RAISED,
    CAIRN_SOURCE,
    RAISE,
    CairnRules,
)
from endless_winter.rules.options import verb_of
from endless_winter.rules.position import load, write

pack = load_pack(sys.argv[1])
plain = load_pack(sys.argv[3])
assert b'"cairn":[' in load_pack().canonical  # found beside the base pack, which names no file
assert pack_of(pack.canonical).digest == pack.digest != plain.digest
assert b'"cairn":[' in pack.canonical
assert b'"cairn":[' not in plain.canonical
brave = pack.tables.cards[pack.tables.brave]
assert pool_text(brave.abilities[1].gains) == "cairn 2"
assert MODULE_EVENT_NAMES[CAIRN_RAISED] == "cairn_raised"
for config, reason in (
    (Config(plain.tables, modules=(CairnRules(),)), "the content pack has no Cairns"),
    (Config(pack.tables, modules=("cairns",)), "switched on by their own rules"),
):
    try:
        Game.new(config, bytes(32))
    except BadConfig as error:
        assert reason in str(error)
    else:
        raise AssertionError(reason)
try:
    load_pack(sys.argv[2])
except ContentError as error:
    assert str(error) == 'cairns.toml: cairn "tall_cairn": nobody would raise it'
else:
    raise AssertionError("a Cairn without points")

chosen: set[int] = set()
for number in range(6):
    config = Config(
        pack.tables, 2 + number % 3, chief_draft=True, modules=("warriors", CairnRules(number))
    )
    assert config.modules == ("warriors", "cairns")
    choose = random.Random(number)
    game = Game.new(config, bytes([number] * 32), listen=True)
    happened = game.take_events()
    step = 0
    while (decision := game.decision) is not None:
        code = choose.choice(decision.options)
        assert game.parse(game.text(code)) == code
        chosen.add(verb_of(code))
        happened += game.apply(code)
        step += 1
        if step % 20 == 0 or step < 5:
            written = write(game.position)
            assert write(load(written, pack.tables).position) == written
    raised = [event for event in happened if event[0] == CAIRN_RAISED]
    scored = [event for event in happened if event[0] == POINTS and event[3] == BY_MODULE]
    assert [event[5] for event in scored] == [CAIRN_SOURCE << 8 | event[2] for event in raised]
    state = game.position.module_state[1]
    assert sum(state) == len(raised)
    assert max(state) <= number
assert {RAISE, CAIRN} <= chosen
print("played")
