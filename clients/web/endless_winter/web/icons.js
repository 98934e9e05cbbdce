/** The icon vocabulary as small drawings of 16 by 16, and effects as rows of them. */

import { svg } from "./dom.js";
import { labor } from "./words.js";

/** @typedef {import("./contract").Effect} Effect */
/** @typedef {import("./contract").EffectTerm} EffectTerm */

const TENT = "M8 2.5l6.5 11.5H10L8 10l-2 4H1.5z";
const MEAT =
  "M6.2 1.5a4.6 4.6 0 0 1 4.5 6l2.2 2.3a1.7 1.7 0 1 1 .3 2.6 1.7 1.7 0 1 1-2.7.1L8.3 10.2A4.7 4.7 0 1 1 6.2 1.5z";
const CARD_PLUS = "M3 1.5h7a1 1 0 0 1 1 1V7H9.5V3h-6v10H8v1.5H3a1 1 0 0 1-1-1v-11a1 1 0 0 1 1-1zM11 8.5h1.7v2h2v1.7h-2v2H11v-2H9v-1.7h2z";
const CARD_MINUS = "M3 1.5h7a1 1 0 0 1 1 1V8H9.5V3h-6v10H8v1.5H3a1 1 0 0 1-1-1v-11a1 1 0 0 1 1-1zM9 10.5h5.7v1.7H9z";
const TRILITHON = "M1.5 3h13v3.2h-13zM3 7h3v7.5H3zM10 7h3v7.5h-3z";
const PERSON = "M8 1.5a3 3 0 1 1 0 6 3 3 0 0 1 0-6zM2.5 14.5c0-4 2.3-6 5.5-6s5.5 2 5.5 6z";
const PAW = "M8 7.5c2.6 0 4.5 2.7 4.5 4.7 0 1.6-1.2 2.3-2.3 2.3-.9 0-1.4-.4-2.2-.4s-1.3.4-2.2.4c-1.1 0-2.3-.7-2.3-2.3 0-2 1.9-4.7 4.5-4.7zM3 5.8a1.5 1.9 0 1 1 0 .1zM5.8 3.3a1.5 2 0 1 1 0 .1zM9.3 3.3a1.5 2 0 1 1 0 .1zM12 5.8a1.5 1.9 0 1 1 0 .1z";
const STAR = "M8 1l2.1 4.6 5 .6-3.7 3.4 1 5L8 12.1l-4.4 2.5 1-5L.9 6.2l5-.6z";
const ARROW = "M2 6.5h6V3.3L14 8l-6 4.7V9.5H2z";

/** @type {Record<string, {path: string, name: string}>} */
const GLYPHS = {
  ICON_LABOR: { path: "M9.7 1.5l4.8 4.8-2.1 2.1-1.2-1.2-7.2 7.3-2.5-2.5 7.3-7.2-1.2-1.2z", name: "Labor" },
  ICON_FOOD: { path: MEAT, name: "Food" },
  ICON_TOOL: { path: "M8 .8l4.3 8.4-2.8 1.3v4.7h-3v-4.7L3.7 9.2z", name: "Tool" },
  ICON_IDOL: { path: "M8 1a2.6 2.6 0 1 1 0 5.2A2.6 2.6 0 0 1 8 1zM5 7h6l1.5 3-1.7.8.7 4.2h-7l.7-4.2L3.5 10z", name: "Idol" },
  ICON_DRAW: { path: CARD_PLUS, name: "draw a card" },
  ICON_DISCARD: { path: CARD_MINUS, name: "discard a card" },
  ICON_MEGALITH: { path: TRILITHON, name: "Megalith" },
  ICON_MEGALITH_BY_ARROW: { path: TRILITHON, name: "second Megalith" },
  ICON_BURY: { path: "M1 14.5c0-3.7 3-6 7-6s7 2.3 7 6zM6.9 1h2.2v3.2h2.3L8 7.6 4.6 4.2h2.3z", name: "bury a card" },
  ICON_VILLAGE: { path: "M8 1.5l7 6.3h-2v6.7H9.5v-4h-3v4H3V7.8H1z", name: "Village" },
  ICON_CAMP: { path: TENT, name: "Camp" },
  ICON_CAMP_MOVE: { path: ARROW, name: "move a Camp" },
  ICON_CAMP_MARCH: { path: ARROW, name: "move a Camp" },
  ICON_CAMP_MOVE_DOUBLE: { path: "M1 3.2h6V1l5 3.4-5 3.4V5.6H1zM4 10.2h6V8l5 3.4-5 3.4v-2.2H4z", name: "move twice" },
  ICON_CAMP_MOVE_OPPONENT: { path: "M1 6.5h5V3.3L11.5 8 6 12.7V9.5H1zM13 2h2v12h-2z", name: "move an opponent's Camp" },
  ICON_TRIBE_TO_HAND: { path: PERSON, name: "Tribe card into hand" },
  ICON_TRIBE_TO_DISCARD: { path: PERSON, name: "Tribe card to the discard pile" },
  ICON_CULTURE: { path: "M3 1.5h10v13H3zM8 4L5.3 8 8 12l2.7-4z", name: "Culture card" },
  ICON_ANIMAL: { path: PAW, name: "Animal" },
  ICON_ANIMAL_TOP: { path: PAW, name: "top Animal of the deck" },
  ICON_ANIMAL_REVEAL: { path: "M8 3c3.5 0 6 2.7 7.3 5C14 10.3 11.5 13 8 13S2 10.3.7 8C2 5.7 4.5 3 8 3zm0 2a3 3 0 1 0 0 6 3 3 0 0 0 0-6z", name: "reveal an Animal" },
  ICON_ANIMAL_TIP: { path: "M2 8.5h12v6H2zM4 2.5h3V7H4zM9 5h2.2V1.5L14.5 4 11 6.8z", name: "tip an Animal" },
  ICON_SACRED_STONE: { path: "M4.7 2h6.6l3.7 4.2L8 14.5 1 6.2z", name: "Sacred Stone" },
  ICON_SCORE_STONE: { path: STAR, name: "score a Sacred Stone" },
  ICON_POINTS: { path: STAR, name: "points" },
  ICON_END_POINTS: { path: STAR, name: "points at the end" },
  ICON_FOOD_TO_LIMIT: { path: MEAT, name: "Food up to the limit" },
  ICON_FISH: { path: "M.8 8c2.7-4.8 8-4.9 10-1.2L15 4v8l-4.2-2.8C8.8 12.9 3.5 12.8.8 8z", name: "Fish" },
  ICON_SCORE_LANDMARK: { path: STAR, name: "score the Landmark" },
  ICON_SCORE_RAFT: { path: STAR, name: "score the Raft" },
  ICON_RETURN_CAMP: { path: TENT, name: "return a Camp" },
};

export const PIECES = {
  camp: "M8 1.5l7.5 12.5H.5z",
  village: "M8 1l7.5 6.8h-2.2V15H2.7V7.8H.5z",
  raft: "M1 9.5h14l-2 4.5H3zM7.3 1.5L12 8H7.3zM6.3 3.5V8H3.5z",
  mammoth: "M2 13.5V8.3C2 5.2 4.3 3 7.5 3c2 0 3 .8 4.2.8C14 3.8 15 5.7 15 8v4.3h-1.5V9.5c-.4.8-1.2 1-1.8 1v3H9.5v-2.3h-3v2.3z",
  star: STAR,
};

/** How many of an icon, as it is written beside it. @param {EffectTerm} term */
function amount(term) {
  if (term.icon === "ICON_LABOR") return labor(term.amount);
  const count = term.amount ?? 1;
  return count === 1 && term.icon !== "ICON_POINTS" ? "" : String(count);
}

/** @param {EffectTerm} term */
function glyphOf(term) {
  return GLYPHS[term.icon ?? ""] ?? { path: STAR, name: term.moduleIcon ?? "something" };
}

/** @param {Effect | undefined} effect */
export function hasIcons(effect) {
  return Boolean(effect?.gains?.length);
}

/**
 * What an effect gives as a row of icons around a point, inside a drawing.
 * @param {Effect | undefined} effect
 * @param {{x: number, y: number, size: number, most: number}} place
 */
export function iconsAt(effect, { x, y, size, most }) {
  const terms = effect?.gains ?? [];
  const digit = size * 0.62;
  const widths = terms.map((term) => size + digit * amount(term).length + size * 0.2);
  const width = widths.reduce((sum, one) => sum + one, 0) - size * 0.2;
  const scale = Math.min(1, most / width);
  const row = svg("g", {
    class: "icons",
    "aria-hidden": "true",
    transform: `translate(${x} ${y}) scale(${scale.toFixed(3)}) translate(${(-width / 2).toFixed(1)} ${-size / 2})`,
  });
  let at = 0;
  terms.forEach((term, number) => {
    const text = amount(term);
    if (text)
      row.append(svg("text", { x: at, y: size * 0.85, "font-size": size * 1.02 }, text));
    row.append(
      svg("path", {
        d: glyphOf(term).path,
        transform: `translate(${at + digit * text.length} 0) scale(${size / 16})`,
      }),
    );
    at += widths[number] ?? 0;
  });
  return row;
}

/**
 * The icons of some terms as a small drawing in a line of text.
 * @param {EffectTerm[]} terms
 */
export function iconLine(terms) {
  const size = 14;
  const row = iconsAt({ gains: terms }, { x: 0, y: 0, size, most: 1000 });
  const width = terms.reduce((sum, term) => sum + size * 1.2 + size * 0.62 * amount(term).length, 0);
  row.setAttribute("transform", "translate(0 1)");
  return svg("svg", { class: "icon-line", width: Math.ceil(width), height: 16, "aria-hidden": "true" }, row);
}

/** A piece or icon in a line of text. @param {string} path @param {string} [kind] */
export function mark(path, kind = "") {
  return svg("svg", { class: `mark ${kind}`, viewBox: "0 0 16 16", "aria-hidden": "true" }, svg("path", { d: path }));
}

/** The drawing of an icon by its name in the contract. @param {string} icon */
export function iconPath(icon) {
  return GLYPHS[icon]?.path ?? STAR;
}
