/** The Action Columns: what each offers, and the figures in it. */

import { el } from "./dom.js";
import { iconLine } from "./icons.js";
import { badge, nameOf, panel } from "./scene.js";
import { SECTIONS, SPACES } from "./words.js";

/** @typedef {import("./scene.js").Scene} Scene */

/** @param {Scene} scene */
export function drawColumns(scene) {
  const columns = scene.view.columns?.columns ?? [];
  const turn = scene.view.turn ?? {};
  const resting = (scene.view.players ?? []).filter((one) => one.figuresAtRest);
  const cells = columns.map((column, number) => {
    const lit = scene.before !== null && scene.before.columns?.columns?.[number] !== column;
    const now = turn.space === column.column;
    const figures = column.figures ?? [];
    return el(
      "div",
      { class: `column ${now ? "now" : ""} ${lit ? "lit" : ""}` },
      el("h3", {}, SPACES[column.column ?? ""] ?? "?"),
      el(
        "div",
        { class: "figures" },
        ...figures.map((figure) => {
          const chief = figure.figure === "FIGURE_CHIEF";
          const made = badge(scene, figure.seat, chief ? "★" : "");
          const kind = chief ? "Chief" : "Tribe figure";
          made.setAttribute("title", `${kind} of ${nameOf(scene, figure.seat)}`);
          return made;
        }),
        !figures.length && el("span", { class: "none" }, "no figure yet"),
      ),
      "firstSeat" in column && el("p", { class: "note" }, `first: ${nameOf(scene, column.firstSeat)}`),
      offers(scene, column.column ?? "", now),
    );
  });
  const rest = el(
    "p",
    { class: `resting ${turn.space === "ACTION_SPACE_REST" ? "now" : ""}` },
    el("b", {}, "Rest "),
    ...resting.map((player) => badge(scene, player.seat, `${player.figuresAtRest}`)),
    !resting.length && el("span", { class: "none" }, "nobody rests"),
    el("span", { class: "note" }, ` ${restText(scene)}`),
  );
  return panel("columns", "Action Columns", "★ a Chief", el("div", { class: "column-row" }, ...cells), rest);
}

/** @param {Scene} scene */
function restText(scene) {
  const found = (scene.catalog.tables.sections ?? []).filter((one) => one.space === "ACTION_SPACE_REST");
  return found.flatMap((one) => (one.effects ?? []).map((effect) => effect.text)).join("; ");
}

/** The printed actions, each with its cost. @param {Scene} scene @param {string} space @param {boolean} now */
function offers(scene, space, now) {
  const found = (scene.catalog.tables.sections ?? []).filter((one) => one.space === space);
  return el(
    "ul",
    { class: "offers" },
    ...found.map((section) => {
      const reached = now && scene.view.turn?.section === section.section;
      return el(
        "li",
        { class: `${reached ? "reached" : ""}`, title: `${SECTIONS[section.section ?? ""] ?? ""} section` },
        ...(section.effects ?? []).map((effect) =>
          el(
            "span",
            { class: "offer" },
            effect.costs?.length ? el("span", { class: "cost" }, iconLine(effect.costs), "→ ") : null,
            effect.text ?? "",
          ),
        ),
      );
    }),
  );
}
