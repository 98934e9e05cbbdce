/** What modules add to the table: the river, and the Nomad with its cards. */

import { el } from "./dom.js";
import { badge, chip, nameOf, panel } from "./scene.js";
import { labor, nomadAction, plural, SPACES } from "./words.js";

/** @typedef {import("./scene.js").Scene} Scene */

/** The river in words: Rafts, Landmarks, Fish; null without Rivers & Rafts. @param {Scene} scene */
export function drawRivers(scene) {
  const rivers = scene.view.rivers;
  if (!rivers) return null;
  const course = rivers.riverHexes ?? [];
  const delta = course.length + 1;
  const rafts = (rivers.rafts ?? []).map((raft) => {
    const place = raft.riverPlace ?? 0;
    const far = delta - place;
    const where = !place ? "the Headwaters" : place >= delta ? "the Delta" : `hex ${course[place - 1]}`;
    return el("li", {}, badge(scene, raft.seat), ` at ${where}`, far > 0 ? `, ${far} to the Delta` : "");
  });
  const landmarks = (scene.view.terrain?.hexes ?? [])
    .filter((hex) => hex.landmarkId)
    .map((hex) => el("li", {}, chip(scene, hex.landmarkId ?? ""), ` on hex ${hex.hex ?? 0}: ${scene.catalog.text(hex.landmarkId)}`));
  const fish = (rivers.fishDiscarded ?? []).map((one) => chip(scene, one.tokenId ?? "", one.count));
  return panel(
    "rivers",
    "Rivers & Rafts",
    `${plural(rivers.fishPoolCount ?? 0, "Fish", "Fish")} in the pool`,
    el("ul", { class: "lines" }, ...rafts),
    el("h3", {}, "Landmarks"),
    el("ul", { class: "lines" }, ...landmarks),
    fish.length > 0 && el("h3", {}, "Fish caught"),
    fish.length > 0 && el("p", { class: "chips" }, ...fish),
  );
}

/** The Nomad's stack with its reasons; null in a game without. @param {Scene} scene */
export function drawNomad(scene) {
  const nomad = scene.view.nomad;
  if (!nomad) return null;
  const todo = nomad.pendingActions ?? [];
  const shown = [...(nomad.revealedCardIds ?? [])].reverse();
  const maps = [...(nomad.revealedMapCardIds ?? [])].reverse();
  const column = nomad.column ? SPACES[nomad.column] : "";
  return panel(
    "nomad",
    nameOf(scene, nomad.seat),
    `deck ${nomad.nomadDeckCount ?? 0} · Sacrifice deck ${nomad.sacrificeDeckCount ?? 0} · Map cards ${nomad.mapDeckCount ?? 0}`,
    column && el("p", {}, el("b", {}, `In ${column}`), nomad.columnReason ? `: ${nomad.columnReason}` : ""),
    todo.length > 0 &&
      el("p", {}, el("b", {}, "Still to do: "), todo.map((one) => `${nomadAction(one)} (${scene.catalog.title(one.nomadCardId)})`).join(", ")),
    el("h3", {}, "Open cards, the newest first"),
    el("div", { class: "nomad-cards" }, ...shown.map((id) => nomadCard(scene, id))),
    !shown.length && el("p", { class: "none" }, "none yet"),
    maps.length > 0 && el("h3", {}, "Map cards, the newest first"),
    maps.length > 0 &&
      el("p", { class: "note" }, maps.map((id) => {
        const card = scene.catalog.mapCards.get(id);
        return `${scene.catalog.title(id)} (hexes ${[...(card?.innerHexes ?? []), ...(card?.outerHexes ?? [])].join(", ")})`;
      }).join("; ")),
  );
}

/** @param {Scene} scene @param {string} id */
function nomadCard(scene, id) {
  const card = scene.catalog.nomadCards.get(id);
  if (!card) return el("p", {}, id);
  const arrows = `${card.arrowRight ? "→" : "←"} ${card.arrowDown ? "↓" : "↑"}`;
  return el(
    "article",
    { class: "nomad-card" },
    el("h4", {}, scene.catalog.title(id)),
    el("p", { class: "note" }, `to ${SPACES[card.column ?? ""] ?? "?"} ${arrows} · ${labor(card.laborHalves)} Labor`),
    el(
      "dl",
      {},
      ...(card.cells ?? []).flatMap((cell) => {
        const now = scene.view.nomad?.column === cell.column ? "now" : "";
        return [
          el("dt", { class: now }, SPACES[cell.column ?? ""] ?? "?"),
          el("dd", { class: now }, (cell.actions ?? []).map(nomadAction).join(", ") || "nothing"),
        ];
      }),
    ),
  );
}
