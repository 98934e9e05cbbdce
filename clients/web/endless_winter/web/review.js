/** What a seat could expect over the game, and the choices that cost it most (`ew replay review`). */

import { drawChart } from "./chart.js";
import { el } from "./dom.js";

/** @typedef {{text: string, label: string, expected: number, why: string}} Judged */
/**
 * @typedef {object} SeatReview
 * @property {number} seat
 * @property {{seq: number, label: string, expected: number}[]} curve
 * @property {{seq: number, round: number, phase: string, turn: number, prompt: string, by: string, chosen: Judged, better: Judged, cost: number}[]} worst
 */

/** @type {Record<string, string>} */
const BY = {
  time: " (the time was up)",
  standing: " (by a standing answer)",
  forfeit: " (played by defaults)",
};

/**
 * @param {SeatReview} review
 * @param {string[]} names
 * @param {number[]} points of the seat after each step
 * @param {(step: number) => string} link to a step
 * @param {number} first the step with which the points begin
 */
export function drawReview(review, names, points, link, first) {
  const name = names[review.seat] ?? "";
  const expected = review.curve.map((one) => ({ step: one.seq - 1 - first, points: one.expected }));
  return el(
    "section",
    { class: "panel review" },
    el("h2", {}, name, el("small", {}, "dashed: the final score to expect after each figure; by what the seat could know then")),
    drawChart([{ seat: review.seat, name, points, expected }], [], null),
    el("h3", {}, review.worst.length ? "What cost most" : "No choice cost a point or more."),
    el(
      "ol",
      { class: "worst" },
      ...review.worst.map((one) =>
        el(
          "li",
          {},
          el("a", { href: link(one.seq - 1) }, `Step ${one.seq}`),
          ` · ${one.round ? `round ${one.round}, ` : ""}${one.turn ? `turn ${one.turn}` : `${one.phase} phase`} · about ${Math.round(one.cost)} points`,
          el("p", { class: "note" }, one.prompt),
          el("p", {}, el("b", {}, "Chosen: "), `${one.chosen.label}${BY[one.by] ?? ""}; then ${Math.round(one.chosen.expected)}`),
          el("p", {}, el("b", {}, "Better: "), `${one.better.label}; then ${Math.round(one.better.expected)}`, one.better.why && ` - ${one.better.why}`),
        ),
      ),
    ),
  );
}
