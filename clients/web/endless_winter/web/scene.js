/** What a table is drawn from: the catalogue, a position through somebody's eyes, and names. */

import { el } from "./dom.js";
import { LETTERS } from "./words.js";

/** @typedef {import("./catalog.js").Catalog} Catalog */
/** @typedef {import("./contract").PublicView} PublicView */
/** @typedef {import("./contract").PrivateView} PrivateView */
/** @typedef {import("./contract").OmniscientView} OmniscientView */
/** @typedef {import("./contract").CardCount} CardCount */

/**
 * @typedef {object} Scene
 * @property {Catalog} catalog
 * @property {string[]} names of the seats
 * @property {PublicView} view
 * @property {PublicView | null} before the position with which to compare; null: mark nothing
 * @property {PrivateView[]} privates the secrets of those whose eyes are used
 * @property {OmniscientView | null} open everything, where the viewer may see it
 */

/** @param {number | undefined} seat */
export function letter(seat) {
  return LETTERS[seat ?? -1] ?? "?";
}

/** A seat's letter on its colour. @param {Scene} scene @param {number | undefined} seat @param {string} [more] */
export function badge(scene, seat, more = "") {
  return el(
    "span",
    { class: `badge seat-${seat ?? "none"}`, title: scene.names[seat ?? -1] ?? "nobody" },
    letter(seat),
    more,
  );
}

/** Who a seat is, for labels. @param {Scene} scene @param {number | undefined} seat */
export function nameOf(scene, seat) {
  return scene.names[seat ?? -1] ?? `seat ${seat}`;
}

/** A name with a number of copies that can be asked what it does. @param {Scene} scene @param {string} id @param {number} [count] @param {string} [kind] */
export function chip(scene, id, count = 1, kind = "") {
  const text = scene.catalog.text(id);
  const many = count > 1 ? ` ×${count}` : "";
  return el(
    "button",
    { type: "button", class: `chip ${kind}`, "data-about": id, title: text },
    scene.catalog.title(id),
    many && el("b", {}, many),
  );
}

/** @param {Scene} scene @param {CardCount[] | undefined} cards @param {string} [kind] */
export function cardChips(scene, cards, kind = "") {
  return (cards ?? []).map((card) => chip(scene, card.cardId ?? "", card.count, kind));
}

/** A titled part of the table. @param {string} name @param {string} title @param {string} note @param {...import("./dom.js").Child} children */
export function panel(name, title, note, ...children) {
  return el(
    "section",
    { class: `panel ${name}`, "aria-labelledby": `title-${name}` },
    el("h2", { id: `title-${name}` }, title, note && el("small", {}, note)),
    ...children,
  );
}
