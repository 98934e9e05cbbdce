/** Every player's board, and the hand where the viewer may see it. */

import { el } from "./dom.js";
import { iconPath, mark, PIECES } from "./icons.js";
import { badge, cardChips, chip, nameOf } from "./scene.js";
import { labor, ordinal, plural } from "./words.js";

/** @typedef {import("./scene.js").Scene} Scene */
/** @typedef {import("./contract").PlayerView} PlayerView */
/** @typedef {import("./dom.js").Child} Child */

/** @param {Scene} scene */
export function drawPlayers(scene) {
  const players = scene.view.players ?? [];
  return el(
    "section",
    { class: "players", "aria-label": "Player boards" },
    ...players.map((player) => drawPlayer(scene, player)),
  );
}

/** @param {Scene} scene @param {PlayerView} player */
function drawPlayer(scene, player) {
  const seat = player.seat ?? 0;
  const turn = scene.view.turn ?? {};
  const old = scene.before?.players?.[seat];
  const place = (turn.turnOrder ?? []).indexOf(seat) + 1;
  const own = scene.privates.find((one) => (one.seat ?? 0) === seat);
  const active = "activeSeat" in turn && turn.activeSeat === seat;
  /** A number with its drawing. @param {keyof PlayerView} field @param {string} icon @param {string} word @param {string} [more] */
  const stat = (field, icon, word, more = "") => {
    const value = Number(player[field] ?? 0);
    const lit = old !== undefined && Number(old[field] ?? 0) !== value;
    return el(
      "li",
      { class: `stat ${lit ? "lit" : ""}`, title: `${word}: ${value}${more}` },
      mark(icon),
      el("b", {}, value, more && el("small", {}, more)),
      el("span", {}, word),
    );
  };
  const scored = old !== undefined && (old.score ?? 0) !== (player.score ?? 0);
  return el(
    "article",
    { class: `panel player edge-${seat} ${active ? "active" : ""}`, "aria-labelledby": `player-${seat}` },
    el(
      "header",
      {},
      badge(scene, seat),
      el("h2", { id: `player-${seat}` }, nameOf(scene, seat)),
      place > 0 && el("span", { class: "note" }, ordinal(place)),
      player.forfeited && el("span", { class: "note" }, "played by defaults"),
      el("strong", { class: `score ${scored ? "lit" : ""}` }, player.score ?? 0, el("small", {}, " points")),
    ),
    chiefLine(scene, player),
    el(
      "ul",
      { class: "stats" },
      stat("food", iconPath("ICON_FOOD"), "Food", player.foodLimit ? `/${player.foodLimit}` : ""),
      stat("tools", iconPath("ICON_TOOL"), "Tools"),
      stat("handCount", iconPath("ICON_DRAW"), "in hand"),
      stat("deckCount", iconPath("ICON_CULTURE"), "in deck"),
      stat("buriedCount", iconPath("ICON_BURY"), "buried"),
      stat("eclipsePileCount", iconPath("ICON_ANIMAL_REVEAL"), "Eclipse pile"),
      stat("campsOnBoard", PIECES.camp, "Camps left"),
      stat("villagesOnBoard", PIECES.village, "Villages left"),
      stat("colouredMegaliths", iconPath("ICON_MEGALITH"), "Megaliths left", player.neutralMegaliths ? `+${player.neutralMegaliths}` : ""),
    ),
    figures(player),
    ...hidden(scene, player, own),
    row("Animals", ...animals(scene, player)),
    row("Sacred Stones", ...(player.stoneIds ?? []).map((id) => chip(scene, id))),
    row("Played", ...cardChips(scene, player.played)),
    row(
      player.eclipseLaborHalves ? `Eclipse pile, ${labor(player.eclipseLaborHalves)} Labor` : "Eclipse pile",
      ...cardChips(scene, player.eclipsePile),
    ),
    row("Discard pile", ...cardChips(scene, player.discardPile, "faint")),
  );
}

/** A row with a name; nothing if it is empty. @param {string} title @param {...Child} things */
function row(title, ...things) {
  if (!things.length) return null;
  return el("div", { class: "row" }, el("h3", {}, title), el("p", { class: "chips" }, ...things));
}

/** @param {Scene} scene @param {PlayerView} player */
function chiefLine(scene, player) {
  if (!player.chiefId) return null;
  const chief = scene.catalog.chiefs.get(player.chiefId);
  const side = chief?.sides?.find((one) => one.side === player.chiefSide);
  const text = (side?.abilities ?? []).map((one) => one.text).join("; ");
  const setup = player.setupCardId ? ` · began with ${scene.catalog.title(player.setupCardId)}` : "";
  return el("p", { class: "note" }, el("b", {}, side?.name ?? scene.catalog.title(player.chiefId)), text && `: ${text}`, setup);
}

/** @param {PlayerView} player */
function figures(player) {
  const home = `${"★".repeat(player.chiefAvailable ? 1 : 0)}${"●".repeat(player.tribeFiguresAvailable ?? 0)}`;
  const said = [player.chiefAvailable ? "the Chief" : "", player.tribeFiguresAvailable ? plural(player.tribeFiguresAvailable, "Tribe figure") : ""];
  return el(
    "p",
    { class: "note" },
    "figures at home: ",
    el("span", { role: "img", "aria-label": said.filter(Boolean).join(" and ") || "none" }, home || "none"),
    player.figuresAtRest ? ` · resting: ${player.figuresAtRest}` : "",
  );
}

/** What lies face down, where the viewer may see it. @param {Scene} scene @param {PlayerView} player @param {import("./contract").PrivateView | undefined} own */
function hidden(scene, player, own) {
  if (!own) return [];
  const deck = scene.open?.decks?.find((one) => (one.seat ?? 0) === (player.seat ?? 0))?.cardIds;
  const fresh = new Set((own.fresh ?? []).map((one) => one.cardId));
  const hand = cardChips(scene, own.hand, "held");
  (own.hand ?? []).forEach((one, number) => {
    if (fresh.has(one.cardId)) hand[number]?.append(" (new)");
  });
  return [
    row("Hand", ...(hand.length || !player.chiefId ? hand : [el("span", { class: "none" }, "empty")])),
    row("Buried", ...cardChips(scene, own.buried, "held")),
    row("Eclipse pile, face down", ...cardChips(scene, own.eclipsePile, "held")),
    deck?.length
      ? el("details", {}, el("summary", {}, "Deck, top first"), el("p", { class: "chips" }, ...deck.map((id) => chip(scene, id, 1, "faint"))))
      : own.deck?.length
        ? el("details", {}, el("summary", {}, "Deck, in no order"), el("p", { class: "chips" }, ...cardChips(scene, own.deck, "faint")))
        : null,
  ];
}

/** @param {Scene} scene @param {PlayerView} player */
function animals(scene, player) {
  return (player.animals ?? []).map((one) => {
    const made = chip(scene, one.animalId ?? "", (one.untipped ?? 0) + (one.tipped ?? 0));
    if (one.tipped) made.append(el("small", {}, ` ${one.tipped} tipped`));
    return made;
  });
}
