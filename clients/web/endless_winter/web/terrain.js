/** The Terrain board: hexes with what they give, Camps, Influence, Villages, the river, the Mammoth. */

import { svg } from "./dom.js";
import { hasIcons, iconsAt, PIECES } from "./icons.js";
import { letter, nameOf, panel } from "./scene.js";

/** @typedef {import("./scene.js").Scene} Scene */
/** @typedef {import("./contract").HexView} HexView */
/** @typedef {import("./contract").SeatCount} SeatCount */
/** @typedef {{x: number, y: number}} Point */

const SIZE = 62; // from the middle of a hex to a corner
const WIDE = SIZE * Math.sqrt(3);

/** @param {{q?: number, r?: number}} hex @returns {Point} */
function middle({ q = 0, r = 0 }) {
  return { x: WIDE * (q + r / 2), y: SIZE * 1.5 * r };
}

/** @param {Point} at @param {number} size */
function corners({ x, y }, size) {
  return [0, 1, 2, 3, 4, 5]
    .map((one) => ((one * 60 - 90) * Math.PI) / 180)
    .map((angle) => `${(x + size * Math.cos(angle)).toFixed(1)},${(y + size * Math.sin(angle)).toFixed(1)}`)
    .join(" ");
}

/** @param {Point[]} points @returns {Point} */
function mean(points) {
  const sum = points.reduce((all, one) => ({ x: all.x + one.x, y: all.y + one.y }), { x: 0, y: 0 });
  return { x: sum.x / points.length, y: sum.y / points.length };
}

/** @param {Point} from @param {Point} to @param {number} share */
function beyond(from, to, share) {
  return { x: to.x + (to.x - from.x) * share, y: to.y + (to.y - from.y) * share };
}

/** @param {Scene} scene */
export function drawTerrain(scene) {
  const { catalog, view } = scene;
  /** @type {Map<number, Point>} */
  const centres = new Map(catalog.hexes.map((hex) => [hex.hex ?? 0, middle(hex)]));
  const hexes = view.terrain?.hexes ?? [];
  const before = scene.before?.terrain?.hexes ?? null;
  const withBases = (view.rivers?.startingBases ?? []).length > 0;
  const half = { x: WIDE * 2.5 + (withBases ? 34 : 6), y: SIZE * 4 + (withBases ? 34 : 6) };
  const board = svg("svg", {
    class: "board",
    viewBox: `${-half.x} ${-half.y} ${2 * half.x} ${2 * half.y}`,
    role: "group",
    "aria-label": "Terrain board",
  });
  for (const hex of hexes) {
    const at = centres.get(hex.hex ?? 0);
    if (at) board.append(drawGround(hex, at, before !== null && before[hex.hex ?? 0] !== hex));
  }
  const course = view.rivers ? drawRiver(scene, centres) : null;
  if (course) board.append(course);
  for (const hex of hexes) {
    const at = centres.get(hex.hex ?? 0);
    if (at) board.append(drawHex(scene, hex, at));
  }
  if (view.rivers) board.append(...drawAfloat(scene, centres));
  board.append(...drawCorners(scene, centres));
  return panel("terrain", "Terrain", "", board);
}

/** @param {HexView} hex @param {Point} at @param {boolean} lit */
function drawGround(hex, at, lit) {
  const kind = hex.landmarkId ? "landmark" : (hex.terrainId ?? "");
  return svg("polygon", { class: `ground terrain-${kind} ${lit ? "lit" : ""}`, points: corners(at, SIZE - 1.5) });
}

/** What a hex is called and gives, and who is there. @param {Scene} scene @param {HexView} hex @param {Point} at */
function drawHex(scene, hex, { x, y }) {
  const { catalog } = scene;
  const terrain = catalog.terrains.get(hex.terrainId ?? "");
  const token = hex.glacierToken?.tokenId ? catalog.tokens.get(hex.glacierToken.tokenId) : undefined;
  const name = hex.landmarkId ? catalog.title(hex.landmarkId) : catalog.title(hex.terrainId);
  const gives = token?.effects?.[0] ?? terrain?.benefit;
  const camps = hex.camps ?? [];
  const influence = hex.influence ?? [];
  const more = influence.some((one) => (camps.find((camp) => camp.seat === one.seat)?.count ?? 0) !== one.count);
  const said = [
    `Hex ${hex.hex ?? 0}, ${name}`,
    token ? `Glacier token ${catalog.title(hex.glacierToken?.tokenId)}: ${catalog.text(hex.glacierToken?.tokenId)}` : "",
    hex.glacierToken && !hex.glacierToken.revealed ? "a Glacier token lies face down" : "",
    hex.landmarkId ? catalog.text(hex.landmarkId) : "",
    gives?.text ? `gives ${gives.text}` : "",
    camps.length ? `Camps: ${counted(scene, camps)}` : "",
    more ? `Influence: ${counted(scene, influence)}` : "",
  ];
  const group = svg(
    "g",
    { class: "hex", role: "img", "aria-label": said.filter(Boolean).join("; "), transform: `translate(${x.toFixed(1)} ${y.toFixed(1)})` },
    svg("title", {}, said.filter(Boolean).join("\n")),
    svg("text", { class: "hex-name", y: -33 }, name),
    svg("text", { class: "hex-number", y: -45 }, hex.hex ?? 0),
  );
  if (hex.glacierToken && !hex.glacierToken.revealed)
    group.append(svg("circle", { class: "token", r: 9, cy: -15 }), svg("text", { class: "token-mark", y: -11 }, "?"));
  else if (hasIcons(gives)) group.append(iconsAt(gives, { x: 0, y: -16, size: 17, most: WIDE - 20 }));
  else if (hex.landmarkId) group.append(svg("path", { class: "star", d: PIECES.star, transform: "translate(-9 -26) scale(1.15)" }));
  // On a River hex the Rafts float in the middle.
  const low = (scene.view.rivers?.riverHexes ?? []).includes(hex.hex ?? 0) ? 10 : 0;
  group.append(...pieces(camps, (more ? 7 : 14) + low));
  if (more) group.append(...pills(influence, 30 + low / 2));
  return group;
}

/** @param {Scene} scene @param {SeatCount[]} counts */
function counted(scene, counts) {
  return counts.map((one) => `${nameOf(scene, one.seat)} ${one.count}`).join(", ");
}

/** Camps as tents, each with its number. @param {SeatCount[]} camps @param {number} y */
function pieces(camps, y) {
  const pitch = camps.length > 3 ? 22 : 26;
  return camps.map((camp, number) => {
    const x = (number - (camps.length - 1) / 2) * pitch;
    return svg(
      "g",
      { class: `piece seat-${camp.seat}`, transform: `translate(${x} ${y})` },
      svg("path", { d: PIECES.camp, transform: "translate(-12 -13) scale(1.5)" }),
      svg("text", { y: 5 }, camp.count ?? 1),
    );
  });
}

/** Influence as letters and numbers in a row. @param {SeatCount[]} influence @param {number} y */
function pills(influence, y) {
  const pitch = influence.length > 3 ? 21 : 24;
  return influence.map((one, number) => {
    const x = (number - (influence.length - 1) / 2) * pitch;
    return svg(
      "g",
      { class: `pill seat-${one.seat}`, transform: `translate(${x} ${y})` },
      svg("rect", { x: -pitch / 2 + 1, y: -7, width: pitch - 2, height: 14, rx: 7 }),
      svg("text", { y: 4 }, `${letter(one.seat)}${one.count}`),
    );
  });
}

/** Villages and the Mammoth, where three hexes meet. @param {Scene} scene @param {Map<number, Point>} centres */
function drawCorners(scene, centres) {
  const { catalog, view } = scene;
  const old = new Set((scene.before?.terrain?.villages ?? []).map((one) => one.juncture ?? 0));
  /** @param {number} juncture */
  const place = (juncture) => {
    const hexes = catalog.junctures.find((one) => (one.juncture ?? 0) === juncture)?.hexes ?? [];
    return mean(hexes.map((hex) => centres.get(hex) ?? { x: 0, y: 0 }));
  };
  const found = (view.terrain?.villages ?? []).map((village) => {
    const { x, y } = place(village.juncture ?? 0);
    const lit = scene.before !== null && !old.has(village.juncture ?? 0);
    const what = village.nomadToken ? "token (counts as a Village)" : "Village";
    return svg(
      "g",
      {
        class: `village seat-${village.seat} ${lit ? "lit" : ""}`,
        role: "img",
        "aria-label": `${what} of ${nameOf(scene, village.seat)} at juncture ${village.juncture ?? 0}`,
        transform: `translate(${x.toFixed(1)} ${y.toFixed(1)})`,
      },
      svg("title", {}, `${what} of ${nameOf(scene, village.seat)}`),
      village.nomadToken
        ? svg("circle", { r: 12 })
        : svg("path", { d: PIECES.village, transform: "translate(-15 -17) scale(1.9)" }),
      svg("text", { y: 6 }, letter(village.seat)),
    );
  });
  if (view.mammoth?.juncture !== undefined || (view.mammoth && "juncture" in view.mammoth)) {
    const { x, y } = place(view.mammoth?.juncture ?? 0);
    found.push(
      svg(
        "g",
        { class: "mammoth", role: "img", "aria-label": `The Mammoth at juncture ${view.mammoth?.juncture ?? 0}`, transform: `translate(${x.toFixed(1)} ${y.toFixed(1)})` },
        svg("title", {}, "The Mammoth"),
        svg("circle", { r: 15 }),
        svg("path", { d: PIECES.mammoth, transform: "translate(-11 -11) scale(1.35)" }),
      ),
    );
  }
  return found;
}

/** The places of the river: Headwaters, its hexes, Delta. @param {Scene} scene @param {Map<number, Point>} centres */
function riverPlaces(scene, centres) {
  const course = (scene.view.rivers?.riverHexes ?? []).map((hex) => centres.get(hex) ?? { x: 0, y: 0 });
  const [first, second] = course;
  const last = course[course.length - 1];
  const late = course[course.length - 2];
  if (!first || !second || !last || !late) return [];
  return [beyond(second, first, 0.62), ...course, beyond(late, last, 0.62)];
}

/** @param {Scene} scene @param {Map<number, Point>} centres */
function drawRiver(scene, centres) {
  const places = riverPlaces(scene, centres);
  if (!places.length) return null;
  const points = places.map(({ x, y }) => `${x.toFixed(1)} ${y.toFixed(1)}`);
  return svg("path", { class: "river", d: `M${points.join(" L")}`, "aria-hidden": "true" });
}

/** Rafts and Starting Bases. @param {Scene} scene @param {Map<number, Point>} centres */
function drawAfloat(scene, centres) {
  const places = riverPlaces(scene, centres);
  const rafts = scene.view.rivers?.rafts ?? [];
  const found = rafts.map((raft) => {
    const place = raft.riverPlace ?? 0;
    const beside = rafts.filter((one) => (one.riverPlace ?? 0) === place);
    const { x, y } = places[place] ?? { x: 0, y: 0 };
    const at = x + (beside.indexOf(raft) - (beside.length - 1) / 2) * 19;
    const where = !place ? "the Headwaters" : place >= places.length - 1 ? "the Delta" : `River hex ${scene.view.rivers?.riverHexes?.[place - 1] ?? "?"}`;
    return svg(
      "g",
      { class: `raft seat-${raft.seat}`, role: "img", "aria-label": `Raft of ${nameOf(scene, raft.seat)} at ${where}`, transform: `translate(${at.toFixed(1)} ${(y - 2).toFixed(1)})` },
      svg("title", {}, `Raft of ${nameOf(scene, raft.seat)} at ${where}`),
      svg("path", { d: PIECES.raft, transform: "translate(-10 -10) scale(1.25)" }),
    );
  });
  const bases = (scene.view.rivers?.startingBases ?? []).map((base) => {
    const touched = [base.firstHex ?? 0, base.secondHex ?? 0].map((hex) => centres.get(hex) ?? { x: 0, y: 0 });
    const at = mean(touched);
    const far = Math.hypot(at.x, at.y);
    const out = (far + SIZE * 1.05) / far;
    return svg(
      "g",
      {
        class: `base seat-${base.seat}`,
        role: "img",
        "aria-label": `Starting Base of ${nameOf(scene, base.seat)} at the hexes ${base.firstHex ?? 0} and ${base.secondHex ?? 0}, Camps: ${base.camps ?? 0}`,
        transform: `translate(${(at.x * out).toFixed(1)} ${(at.y * out).toFixed(1)})`,
      },
      svg("title", {}, `Starting Base of ${nameOf(scene, base.seat)}: ${base.camps ?? 0} Camps`),
      svg("rect", { x: -17, y: -12, width: 34, height: 24, rx: 6 }),
      svg("path", { d: PIECES.camp, transform: "translate(-15 -8) scale(1)" }),
      svg("text", { x: 9, y: 5 }, base.camps ?? 0),
    );
  });
  return [...found, ...bases];
}
