/** What can be taken from the main board: Tribe decks, Culture display, Grounds, Sacred Stones. */

import { el } from "./dom.js";
import { iconPath, mark } from "./icons.js";
import { cardChips, chip, panel } from "./scene.js";

/** @typedef {import("./scene.js").Scene} Scene */

/** A card or a space for one, with what it does. @param {Scene} scene @param {string} id @param {string} corner @param {boolean} lit */
function card(scene, id, corner, lit) {
  if (!id) return el("div", { class: "card empty" }, el("span", { class: "none" }, "empty"));
  return el(
    "button",
    { type: "button", class: `card ${lit ? "lit" : ""}`, "data-about": id },
    el("b", {}, scene.catalog.title(id)),
    el("span", {}, scene.catalog.text(id)),
    corner && el("i", {}, corner),
  );
}

/** @param {number | undefined} points */
function worth(points) {
  return points ? `${points} ★` : "";
}

/** @param {Scene} scene */
export function drawCards(scene) {
  const supply = scene.view.supply ?? {};
  const old = scene.before?.supply;
  const decks = (supply.tribeDecks ?? []).map((deck, number) =>
    card(scene, deck.cardId ?? "", `${deck.count ?? 0} left`, old !== undefined && old.tribeDecks?.[number] !== deck),
  );
  const seen = new Map((old?.cultureDisplay ?? []).map((one) => [one.space ?? 0, one.cardId]));
  const display = spaces(scene.catalog.tables.cultureSpaces ?? 8, supply.cultureDisplay ?? []).map((one, space) =>
    card(scene, one?.cardId ?? "", worth(scene.catalog.cards.get(one?.cardId ?? "")?.endPoints), old !== undefined && one !== undefined && seen.get(space) !== one.cardId),
  );
  const removed = cardChips(scene, supply.removedCulture);
  return panel(
    "cards",
    "Cards",
    `Culture decks: Era I ${supply.cultureDeckEraOne ?? 0}, Era II ${supply.cultureDeckEraTwo ?? 0}`,
    el("h3", {}, "Tribe decks"),
    el("div", { class: "card-row" }, ...decks),
    el("h3", {}, "Culture display"),
    el("div", { class: `card-row grid-${scene.catalog.tables.cultureColumns ?? 4}` }, ...display),
    removed.length > 0 && el("details", {}, el("summary", {}, `${removed.length} kinds of Culture cards out of the game`), ...removed),
  );
}

/**
 * Things on numbered spaces, with holes where there is nothing.
 * @template {{space?: number}} Thing
 * @param {number} count
 * @param {Thing[]} things
 * @returns {(Thing | undefined)[]}
 */
function spaces(count, things) {
  return Array.from({ length: count }, (_, space) => things.find((one) => (one.space ?? 0) === space));
}

/** @param {Scene} scene */
export function drawGrounds(scene) {
  const supply = scene.view.supply ?? {};
  const tables = scene.catalog.tables;
  const old = scene.before?.supply;
  const seen = new Map((old?.huntingGrounds ?? []).map((one) => [one.space ?? 0, one.animalId]));
  const animals = spaces(tables.huntingGroundsSpaces ?? 6, supply.huntingGrounds ?? []).map((one, space) =>
    card(scene, one?.animalId ?? "", "", old !== undefined && one !== undefined && seen.get(space) !== one.animalId),
  );
  const stones = [
    { title: "Sacred Stones, every round", ids: supply.stonesEraOne ?? [] },
    { title: "Sacred Stones, from Era II on", ids: supply.stonesEraTwo ?? [] },
  ];
  return panel(
    "grounds",
    "Hunting Grounds",
    `${supply.animalDeck ?? 0} in the deck`,
    el("div", { class: `card-row grid-${tables.huntingGroundsColumns ?? 3}` }, ...animals),
    ...stones.flatMap(({ title, ids }) => [
      el("h3", {}, mark(iconPath("ICON_SACRED_STONE")), title),
      el("p", { class: "chips" }, ...ids.map((id) => chip(scene, id)), !ids.length && el("span", { class: "none" }, "none left")),
    ]),
    restTokens(scene),
  );
}

/** @param {Scene} scene */
function restTokens(scene) {
  const tokens = scene.view.restTokens;
  if (!tokens) return null;
  const open = tokens.openTokenId ?? tokens.heldTokenId;
  return el(
    "div",
    {},
    el("h3", {}, "Rest tokens"),
    el(
      "p",
      { class: "chips" },
      open ? chip(scene, open) : el("span", { class: "none" }, "none is open"),
      el("span", { class: "note" }, ` ${tokens.stackCount ?? 0} face down${"holderSeat" in tokens ? `; held by ${scene.names[tokens.holderSeat ?? 0]}` : ""}`),
    ),
  );
}
