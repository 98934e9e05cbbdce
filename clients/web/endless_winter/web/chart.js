/** Points over the steps of a game, a line for each seat. */

import { el, svg } from "./dom.js";
import { letter } from "./scene.js";

/** @typedef {{seat: number, name: string, points: number[], expected: {step: number, points: number}[]}} Curve */

const HIGH = 300;
const LONG = 860;
const EDGE = { left: 34, right: 30, top: 14, bottom: 26 };

/**
 * @param {Curve[]} curves
 * @param {{step: number, text: string}[]} marks where rounds begin
 * @param {number | null} now
 */
export function drawChart(curves, marks, now) {
  const steps = Math.max(2, ...curves.map((one) => one.points.length));
  const values = curves.flatMap((one) => [...one.points, ...one.expected.map((point) => point.points)]);
  const most = Math.max(10, ...values);
  /** @param {number} step */
  const x = (step) => EDGE.left + ((LONG - EDGE.left - EDGE.right) * step) / (steps - 1);
  /** @param {number} points */
  const y = (points) => HIGH - EDGE.bottom - ((HIGH - EDGE.top - EDGE.bottom) * points) / most;
  const every = most > 120 ? 40 : most > 50 ? 20 : 10;
  const chart = svg("svg", {
    class: "chart",
    viewBox: `0 0 ${LONG} ${HIGH}`,
    role: "img",
    "aria-label": `Points over the game. ${curves.map((one) => `${one.name}: ${one.points[one.points.length - 1] ?? 0}`).join(", ")}`,
  });
  for (let value = 0; value <= most; value += every)
    chart.append(
      svg("line", { class: "grid", x1: EDGE.left, x2: LONG - EDGE.right, y1: y(value), y2: y(value) }),
      svg("text", { class: "axis", x: EDGE.left - 6, y: y(value) + 4, "text-anchor": "end" }, value),
    );
  for (const mark of marks)
    chart.append(
      svg("line", { class: "grid", x1: x(mark.step), x2: x(mark.step), y1: EDGE.top, y2: HIGH - EDGE.bottom }),
      svg("text", { class: "axis", x: x(mark.step) + 3, y: HIGH - 9 }, mark.text),
    );
  for (const curve of curves) {
    /** @type {string[]} */
    const way = [];
    curve.points.forEach((value, step) => {
      if (step && curve.points[step - 1] === value && step < curve.points.length - 1) return;
      way.push(way.length ? `H${x(step).toFixed(1)} V${y(value).toFixed(1)}` : `M${x(step).toFixed(1)} ${y(value).toFixed(1)}`);
    });
    chart.append(svg("path", { class: `curve ink-${curve.seat}`, d: way.join(" ") }));
    if (curve.expected.length > 1) {
      const dots = curve.expected.map((one) => `${x(one.step).toFixed(1)} ${y(one.points).toFixed(1)}`);
      chart.append(svg("path", { class: `curve expected ink-${curve.seat}`, d: `M${dots.join(" L")}` }));
    }
    const last = curve.points[curve.points.length - 1] ?? 0;
    chart.append(svg("text", { class: "axis", x: LONG - EDGE.right + 4, y: y(last) + 4 }, letter(curve.seat)));
  }
  if (now !== null) chart.append(svg("line", { class: "now", x1: x(now), x2: x(now), y1: EDGE.top, y2: HIGH - EDGE.bottom }));
  return el("div", { class: "chart-box" }, chart);
}
