/** The words that all panels share. Names of printed things come from the catalogue. */

/** @type {Record<string, string>} */
export const SPACES = {
  ACTION_SPACE_INITIATE: "Initiate",
  ACTION_SPACE_DEVELOP: "Develop",
  ACTION_SPACE_MIGRATE: "Migrate",
  ACTION_SPACE_HUNT: "Hunt",
  ACTION_SPACE_REST: "Rest",
};

/** @type {Record<string, string>} */
export const SECTIONS = {
  SECTION_TOP: "top",
  SECTION_MIDDLE: "middle",
  SECTION_BOTTOM: "bottom",
};

/** @type {Record<string, string>} */
export const PHASES = {
  PHASE_SETUP: "Set-up",
  PHASE_ACTION: "Action phase",
  PHASE_ECLIPSE: "Eclipse phase",
  PHASE_PREPARATION: "Preparation",
  PHASE_ENDED: "The end",
};

/** @type {Record<string, string>} */
export const STEPS = {
  STEP_OPENING: "placing a figure",
  STEP_ACT: "actions",
  STEP_ECLIPSE_PILE: "Eclipse pile",
  STEP_ECLIPSE_ORDER_BENEFIT: "turn-order benefit",
  STEP_ECLIPSE_ABILITIES: "Eclipse abilities",
  STEP_ECLIPSE_TERRAIN: "Terrain",
  STEP_ECLIPSE_BOARD: "player board",
  STEP_ECLIPSE_RAFT: "Rafts",
  STEP_NOMAD: "the Nomad",
};

/** @type {Record<string, string>} */
export const NOMAD_ACTIONS = {
  NOMAD_ACTION_BUILD_OR_RELOCATE: "build or relocate",
  NOMAD_ACTION_RANDOM_ANIMAL: "Animal of the deck",
  NOMAD_ACTION_REVEAL_ANIMAL: "reveal an Animal",
  NOMAD_ACTION_ECLIPSE_CARD: "Eclipse card",
  NOMAD_ACTION_SCORE_GLACIERS: "score Glaciers",
  NOMAD_ACTION_SACRED_STONE: "Sacred Stone",
  NOMAD_ACTION_SCORE_LANDMARK: "score a Landmark",
};

export const LETTERS = "ABCD";

/** Labor as a table writes it: 1½. @param {number | undefined} halves */
export function labor(halves) {
  const count = halves ?? 0;
  const whole = Math.floor(count / 2);
  return count % 2 ? `${whole || ""}½` : String(whole);
}

/** @param {number} count @param {string} word @param {string} [many] */
export function plural(count, word, many) {
  return `${count} ${count === 1 ? word : (many ?? `${word}s`)}`;
}

/** "1st", "2nd". @param {number} number */
export function ordinal(number) {
  return ["", "1st", "2nd", "3rd"][number] ?? `${number}th`;
}

/** The name of an enum's value that has no word of its own. @param {string} value @param {string} prefix */
export function spoken(value, prefix) {
  const plain = value.startsWith(prefix) ? value.slice(prefix.length) : value;
  return plain.toLowerCase().replaceAll("_", " ");
}

/** @param {{action?: string, amount?: number}} term */
export function nomadAction(term) {
  const kind = term.action ?? "";
  const word = NOMAD_ACTIONS[kind] ?? spoken(kind, "NOMAD_ACTION_");
  const amount = term.amount ?? 1;
  const name = word.charAt(0).toUpperCase() + word.slice(1);
  return amount === 1 ? name : `${amount} ${name}`;
}
