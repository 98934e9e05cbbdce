'use strict';
// What the bot thinks. Replace this file by your own.
//
// `decision.options` lists everything that is legal, and nothing else. An option has an id, a
// canonical text ("place chief hunt"), a structured move (`move.action` names its kind, and
// `move[move.action]` holds its parts) and says whether it is the default. `view.public` and
// `view.private` are the position as we may see it.
//
// This one takes the kind of move that it likes best, and lets a hash of game and decision draw
// among equals: no memory, no clock, and the same game asks for the same choices again.

const crypto = require('node:crypto');

// How much it likes a kind of move, by the names in move.proto.
const LIKED = {
  play_tribe_card: 10, take_stone: 9, build_village: 9, hunt: 8, gain: 8, split_tools: 8, use_ability: 7, bury: 7,
  rite: 6, take_bottom: 6, place_camp: 6, initiate: 5, develop: 5, play_culture_card: 5, place_figure: 3,
  reveal_animals: 3, add_to_pile: 2, move_camp: 0, tip_animal: 0, spend_food: 0, leave: 0, decline: 0,
};
const PLAIN = 1; // everything else: ending a turn, or "which one"
const SPACE = 'ACTION_SPACE_INITIATE'; // buried cards are most of what it scores

function liking({ move }) {
  const liked = LIKED[move.action] ?? PLAIN;
  return move.action === 'place_figure' && move.place_figure.space === SPACE ? liked + 0.5 : liked;
}

function choose(decision, view) {
  // An option without a move is of a kind that is newer than this file. The default is safe.
  if (decision.options.some((option) => !option.move || !option.move.action)) {
    return decision.options.find((option) => option.is_default).option_id;
  }
  const likings = decision.options.map(liking);
  const best = likings.reduce((most, each) => Math.max(most, each));
  const equals = decision.options.filter((_, id) => likings[id] === best);
  const drawn = crypto.createHash('sha256').update(`${view.gameId}/${decision.decision_id}`).digest().readUInt32BE();
  return equals[drawn % equals.length].option_id;
}

module.exports = { choose };
