/** What happened in a step, as lines for a viewer. */

/**
 * A line: its seat (-1 nobody's, -2 a heading), its text, then what only one seat knows of it, and which.
 * @typedef {[number, string, string?, number?]} StepLine
 */

/**
 * Why, in the words of whoever chose, and the final score that was expected.
 * @typedef {[string, number?]} Reason
 */

/**
 * @typedef {object} ReplayStep
 * @property {number} ms since the first entry
 * @property {any} [change]
 * @property {StepLine[]} [lines]
 * @property {[number, string, number]} [choice] who chose what, of how many options
 * @property {Reason} [why]
 */

/** @typedef {"open" | "spectator" | number} Eyes */
/** @typedef {{seat: number, text: string, heading: boolean}} Line */

/** Whether somebody with these eyes knows what a seat knows. @param {Eyes} eyes @param {number | undefined} seat */
export function knows(eyes, seat) {
  return eyes === "open" || eyes === seat;
}

/** @param {ReplayStep} step @param {Eyes} eyes @param {string[]} names @returns {Line[]} */
export function linesOf(step, eyes, names) {
  /** @type {Line[]} */
  const found = [];
  if (step.choice) {
    const [seat, label, options] = step.choice;
    const name = names[seat] ?? `seat ${seat}`;
    const of = options > 1 ? ` (of ${options} options)` : "";
    const what = knows(eyes, seat) ? `: ${label}${of}` : "";
    found.push({ seat, text: `${name} chooses${what}`, heading: false });
  }
  for (const [seat, text, secret, owner] of step.lines ?? []) {
    const more = secret !== undefined && knows(eyes, owner) ? secret : "";
    found.push({ seat: Math.max(seat, -1), text: text + more, heading: seat === -2 });
  }
  return found;
}
