"""The open table: everything that nobody could see while the game ran.

Only replays of games whose seal is open may call this; nothing of a running game does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from endless_winter.rules.modules.glacier_tokens import FACE_UP
from endless_winter.rules.modules.rest_tokens import GONE
from endless_winter.v1 import replay_pb2 as v
from endless_winter.views import boards, nomad_view
from endless_winter.views.players import private_view
from endless_winter.views.plugin import shown
from endless_winter.views.public import NOBODY, public_view
from endless_winter.views.turn import module_state

if TYPE_CHECKING:
    from collections.abc import Set as AbstractSet

    from endless_winter.rules import Game
    from endless_winter.views.decision import Scribe


def omniscient_view(
    scribe: Scribe, game: Game, decision_id: int, forfeited: AbstractSet[int] = NOBODY
) -> v.OmniscientView:
    words = scribe.words
    position = game.position
    view = v.OmniscientView(
        public_view=public_view(words, position, forfeited),
        decision=scribe.decision(game, decision_id),
    )
    for player in position.players:
        view.private_views.append(private_view(words, position, player.seat))
        view.decks.add(seat=player.seat, card_ids=[words.cards[card] for card in player.deck])
    view.animal_deck.extend(words.animals[animal] for animal in position.animals)
    view.culture_deck_era_one.extend(words.cards[card] for card in position.culture[0])
    view.culture_deck_era_two.extend(words.cards[card] for card in position.culture[1])
    for hex_, value in enumerate(module_state(position, boards.GLACIER_TOKENS)):
        if value:
            token = (value & ~FACE_UP) - 1
            view.glacier_tokens.add(hex=hex_, token_id=words.glacier_tokens[token])
    rest = module_state(position, boards.REST_TOKENS)
    if rest:
        # The open or held token stands first and is in the public view.
        stack = rest[2:] if rest[0] == GONE else rest[3:]
        view.rest_token_stack.extend(words.rest_tokens[token] for token in stack)
    nomad_view.uncover(words, position, view)
    for index, module in enumerate(position.modules):
        shown(module.name).uncover(words, position, index, view)
    return view
