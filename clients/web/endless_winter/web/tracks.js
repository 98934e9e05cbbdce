/** The two tracks of the Idol board, and what is still to come of the turn order. */

import { el } from "./dom.js";
import { iconLine } from "./icons.js";
import { badge, panel } from "./scene.js";

/** @typedef {import("./scene.js").Scene} Scene */

/** @param {Scene} scene */
export function drawTracks(scene) {
  const { offering = [], honor = [] } = scene.catalog.tables;
  const players = scene.view.players ?? [];
  const before = scene.before?.players;
  /** @param {"offeringLevel" | "honorLevel"} which @param {number} level */
  const standing = (which, level) =>
    players
      .filter((one) => (one[which] ?? 0) === level)
      .sort((one, other) => (which === "honorLevel" ? (one.honorPlace ?? 0) - (other.honorPlace ?? 0) : 0))
      .map((one) => {
        const made = badge(scene, one.seat);
        if (before && (before[one.seat ?? 0]?.[which] ?? 0) !== level) made.classList.add("lit");
        return made;
      });
  const rows = [
    {
      name: "Offering",
      which: /** @type {const} */ ("offeringLevel"),
      note: "at the end so many Food and Tools are a point",
      cells: offering.map((one) => ({ text: `${one.ratio ?? 0}:1`, effect: one.benefit })),
    },
    {
      name: "Honor",
      which: /** @type {const} */ ("honorLevel"),
      note: "points on the way; buried cards count at the end",
      cells: honor.map((one) => ({ text: one.points ? `+${one.points}★` : "·", effect: undefined })),
    },
  ];
  return panel(
    "tracks",
    "Idol board",
    "",
    ...rows.map((row) =>
      el(
        "div",
        { class: "track" },
        el("h3", {}, row.name, el("small", {}, row.note)),
        el(
          "ol",
          { class: "spaces", start: 0, "aria-label": `${row.name} track` },
          el("li", { class: "home" }, el("span", {}, "start"), ...standing(row.which, 0)),
          ...row.cells.map((cell, number) =>
            el(
              "li",
              { title: cell.effect?.text ?? "" },
              el("span", {}, cell.text),
              cell.effect?.gains?.length ? iconLine(cell.effect.gains) : null,
              ...standing(row.which, number + 1),
            ),
          ),
        ),
      ),
    ),
  );
}
