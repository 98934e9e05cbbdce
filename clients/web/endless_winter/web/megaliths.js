/** The Megalith board: four tiles as they lie, Megaliths from the lowest level up. */

import { svg } from "./dom.js";
import { hasIcons, iconsAt } from "./icons.js";
import { letter, nameOf, panel } from "./scene.js";

/** @typedef {import("./scene.js").Scene} Scene */

const CELL = 48;

/** A space of a tile of 4 by 2, after quarter turns clockwise. @param {number} space @param {number} turns @returns {[number, number]} */
function turned(space, turns) {
  const x = space % 4;
  const y = Math.floor(space / 4);
  /** @type {[number, number][]} */
  const ways = [[x, y], [1 - y, x], [3 - x, 1 - y], [y, 3 - x]];
  return ways[turns % 4] ?? [x, y];
}

/** @param {Scene} scene */
export function drawMegaliths(scene) {
  const { catalog, view } = scene;
  const layout = catalog.megalithLayouts.get(view.megaliths?.layoutId ?? "");
  const slots = layout?.slots ?? [];
  const board = svg("svg", { class: "board", role: "group", "aria-label": "Megalith board" });
  let wide = 1;
  let high = 1;
  slots.forEach((slot, number) => {
    const tile = catalog.megalithTiles.get(view.megaliths?.tileIds?.[number] ?? "");
    const turns = slot.turns ?? 0;
    const size = turns % 2 ? [2, 4] : [4, 2];
    wide = Math.max(wide, (slot.x ?? 0) + (size[0] ?? 0));
    high = Math.max(high, (slot.y ?? 0) + (size[1] ?? 0));
    for (const space of tile?.spaces ?? []) {
      const [x, y] = turned(space.space ?? 0, turns);
      const at = { x: ((slot.x ?? 0) + x) * CELL, y: ((slot.y ?? 0) + y) * CELL };
      board.append(drawSpace(space, at, turns, number));
    }
    board.append(
      svg("rect", {
        class: "tile-edge",
        x: (slot.x ?? 0) * CELL,
        y: (slot.y ?? 0) * CELL,
        width: (size[0] ?? 0) * CELL,
        height: (size[1] ?? 0) * CELL,
        rx: 6,
      }),
    );
  });
  const old = new Set((scene.before?.megaliths?.placed ?? []).map((one) => JSON.stringify(one.site ?? {})));
  for (const stone of view.megaliths?.placed ?? []) {
    const lit = scene.before !== null && !old.has(JSON.stringify(stone.site ?? {}));
    board.append(drawStone(scene, stone, lit));
  }
  board.setAttribute("viewBox", `-3 -3 ${wide * CELL + 6} ${high * CELL + 6}`);
  return panel("megaliths", "Megaliths", "striped: a neutral one starts here", board);
}

/**
 * @param {import("./contract").MegalithSpaceInfo} space
 * @param {{x: number, y: number}} at
 * @param {number} turns
 * @param {number} slot
 */
function drawSpace(space, { x, y }, turns, slot) {
  const said = space.grey ? "starting space" : (space.benefit?.text ?? "gives nothing");
  const group = svg(
    "g",
    { class: `space tile-${slot % 2} ${space.grey ? "grey" : ""}`, role: "img", "aria-label": said, transform: `translate(${x} ${y})` },
    svg("title", {}, said),
    svg("rect", { width: CELL, height: CELL }),
  );
  if (hasIcons(space.benefit)) group.append(iconsAt(space.benefit, { x: CELL / 2, y: CELL / 2, size: 16, most: CELL - 8 }));
  const [fromX, fromY] = turned(space.space ?? 0, turns);
  for (const end of space.arrowSpaces ?? []) {
    const [toX, toY] = turned(end, turns);
    const angle = (Math.atan2(toY - fromY, toX - fromX) * 180) / Math.PI;
    group.append(
      svg("path", { class: "arrow", d: "M13 -5l7 5-7 5z", transform: `translate(${CELL / 2} ${CELL / 2}) rotate(${angle.toFixed(0)})` }),
    );
  }
  return group;
}

/** @param {Scene} scene @param {import("./contract").MegalithPlaced} stone @param {boolean} lit */
function drawStone(scene, stone, lit) {
  const { x = 0, y = 0, level = 0 } = stone.site ?? {};
  const whose = stone.neutral ? "neutral" : nameOf(scene, stone.seat);
  const size = CELL - 10 - level * 2;
  const at = { x: (x + 0.5 + level / 2) * CELL, y: (y + 0.5 + level / 2) * CELL };
  const said = `Megalith (${whose}) at column ${x}, row ${y}${level ? `, level ${level}` : ""}`;
  return svg(
    "g",
    {
      class: `stone seat-${stone.neutral ? "none" : stone.seat} ${lit ? "lit" : ""}`,
      role: "img",
      "aria-label": said,
      transform: `translate(${at.x} ${at.y})`,
    },
    svg("title", {}, said),
    svg("rect", { x: -size / 2, y: -size / 2, width: size, height: size, rx: 7 }),
    svg("text", { y: 6 }, stone.neutral ? "·" : letter(stone.seat)),
    level > 0 && svg("text", { class: "level", x: size / 2 - 8, y: -size / 2 + 13 }, level),
  );
}
