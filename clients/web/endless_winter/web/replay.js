/** The page of a replay: the table of one game, stepped through. It reads what the page holds and asks nobody. */

import { Catalog } from "./catalog.js";
import { drawChart } from "./chart.js";
import { el } from "./dom.js";
import { positionsOf } from "./frames.js";
import { mark } from "./icons.js";
import { drawReview } from "./review.js";
import { badge, letter } from "./scene.js";
import { knows, linesOf } from "./story.js";
import { Table } from "./table.js";
import { labor, PHASES, SPACES, spoken, STEPS } from "./words.js";

/** @typedef {import("./story.js").Eyes} Eyes */
/** @typedef {import("./story.js").ReplayStep} ReplayStep */
/** @typedef {import("./scene.js").Scene} Scene */
/** @typedef {import("./contract").OmniscientView} OmniscientView */

/** @typedef {import("./contract").SeatResult} SeatResult */

/**
 * @typedef {object} ReplayData
 * @property {{id: string, title: string, names: string[], rules: string, content: string, seed: string, ended: boolean, began: number, result?: SeatResult[]}} game
 * @property {Eyes[]} eyes
 * @property {{record: string, home: string}} links
 * @property {Record<string, string>} categories
 * @property {import("./contract").Catalog} catalog
 * @property {import("./review.js").SeatReview[]} [review]
 * @property {Record<string, string>} fields the whole names of fields in changes
 * @property {ReplayStep[]} steps
 */

/** @type {Record<string, string>} */
const TABS = { table: "Table", log: "Log", points: "Points", review: "Review", about: "About" };
/** Drawings of the keys, 16 by 16. */
const KEYS = {
  first: "M3 3h2v10H3zM13 3v10L6 8z",
  last: "M11 3h2v10h-2zM3 3l7 5-7 5z",
  turnBack: "M8 3v10L1.5 8zM14.5 3v10L8 8z",
  turnOn: "M1.5 3L8 8l-6.5 5zM8 3l6.5 5L8 13z",
  back: "M11 3v10L4 8z",
  on: "M5 3l7 5-7 5z",
  play: "M4 2l10 6-10 6z",
  pause: "M4 2.5h3v11H4zM9 2.5h3v11H9z",
  theme: "M8 1.5a6.5 6.5 0 0 0 0 13 6.5 6.5 0 0 0 0-13zm0 1.4v10.2A5.1 5.1 0 0 1 8 2.9z",
};
const SPEEDS = [0.5, 1, 2, 5, 10];
const HASH_MS = 200; // browsers refuse a page that writes its address more often

class Replay {
  /** @param {ReplayData} data */
  constructor(data) {
    this.data = data;
    this.catalog = new Catalog(data.catalog);
    /** @type {(OmniscientView | null)[]} */
    this.positions = positionsOf(data.steps, data.fields).map((one) => this.scored(one));
    this.first = Math.max(0, this.positions.findIndex((one) => one !== null));
    this.last = data.steps.length - 1;
    this.step = this.first;
    /** @type {Eyes} */
    this.eyes = data.eyes[0] ?? "spectator";
    this.tab = "table";
    this.speed = 1;
    this.timer = 0;
    this.hashTimer = 0;
    this.turns = this.turnStarts();
    this.rounds = this.roundStarts();
    this.logOf = /** @type {Eyes | null} */ (null);
    this.parts = this.build();
    this.table = new Table(this.parts.board);
  }

  /** A position with the points of final scoring, which only the result has. @param {OmniscientView | null} position */
  scored(position) {
    const { result } = this.data.game;
    const view = position?.publicView;
    if (!result || !position || !view || view.turn?.phase !== "PHASE_ENDED") return position;
    const players = (view.players ?? []).map((player) => {
      const found = result.find((one) => (one.seat ?? 0) === (player.seat ?? 0));
      return found ? { ...player, score: found.score, points: found.categories } : player;
    });
    return { ...position, publicView: { ...view, players } };
  }

  // --- where things begin ---

  /** Steps after which somebody else's turn, another phase or round is on. */
  turnStarts() {
    /** @type {number[]} */
    const found = [];
    let was = "";
    this.positions.forEach((position, step) => {
      const turn = position?.publicView?.turn;
      if (!turn) return;
      const now = [turn.round, turn.phase, turn.activeSeat ?? "", turn.turnNumber ?? ""].join();
      if (now !== was) found.push(step);
      was = now;
    });
    if (found[found.length - 1] !== this.last) found.push(this.last);
    return found;
  }

  roundStarts() {
    /** @type {{step: number, text: string, long: string}[]} */
    const found = [];
    let was = "";
    this.positions.forEach((position, step) => {
      const turn = position?.publicView?.turn;
      if (!turn) return;
      const eclipse = turn.phase === "PHASE_ECLIPSE";
      if (turn.phase === "PHASE_PREPARATION") return;
      const round = turn.round ?? 0;
      const text =
        turn.phase === "PHASE_ENDED" ? "end" : turn.phase === "PHASE_SETUP" ? "set-up" : `${round}${eclipse ? " eclipse" : ""}`;
      if (text === was) return;
      const long = text === "end" ? "The end" : text === "set-up" ? "Set-up" : `Round ${round}${eclipse ? ", Eclipse" : ""}`;
      found.push({ step, text: eclipse ? "☾" : text === "set-up" ? "Set-up" : text === "end" ? "End" : `R${round}`, long });
      was = text;
    });
    return found;
  }

  // --- the page ---

  build() {
    const { game, eyes, links } = this.data;
    /** @param {string | SVGElement} text @param {string} label @param {() => void} act @param {string} [kind] */
    const button = (text, label, act, kind = "") => {
      const made = el("button", { type: "button", class: kind, "aria-label": label, title: label }, text);
      made.addEventListener("click", act);
      return made;
    };
    const pick = el("select", { "aria-label": "Whose eyes" });
    for (const one of eyes) pick.append(el("option", { value: String(one) }, this.eyesName(one)));
    pick.addEventListener("change", () => this.look(eyes[pick.selectedIndex] ?? "spectator"));
    const theme = button(mark(KEYS.theme), "Dark or light", () => this.switchTheme(), "icon");
    const scores = el("p", { class: "scores" });
    const tabs = el("nav", { "aria-label": "Parts of the page" });
    for (const [name, title] of Object.entries(TABS)) {
      if (name === "review" && !this.data.review) continue;
      const made = button(title, title, () => this.open(name));
      made.dataset.tab = name;
      tabs.append(made);
    }
    const now = el("section", { class: "panel story", "aria-label": "What happens in this step" });
    const board = el("div", { class: "table" });
    const log = el("ol", { class: "log" });
    const points = el("div", { class: "points" });
    const review = el("div", { class: "points" });
    /** @type {Record<string, HTMLElement>} */
    const pages = {
      table: el("section", { class: "page table-page", "aria-label": "Table" }, now, board),
      log: el("section", { class: "page", "aria-label": "Log" }, el("div", { class: "panel" }, el("h2", {}, "Log"), log)),
      points: el("section", { class: "page", "aria-label": "Points" }, points),
      review: el("section", { class: "page", "aria-label": "Review" }, review),
      about: el("section", { class: "page", "aria-label": "About" }, this.about()),
    };
    const slider = el("input", { type: "range", min: this.first + 1, max: this.last + 1, "aria-label": "Step" });
    slider.addEventListener("input", () => this.go(Number(slider.value) - 1));
    const count = el("output", { class: "count" });
    const play = button(mark(KEYS.play), "Play", () => this.toggle(), "play");
    const speed = el("select", { "aria-label": "Speed" });
    for (const one of SPEEDS) speed.append(el("option", { value: one, selected: one === this.speed }, `${one} a second`));
    speed.addEventListener("change", () => this.setSpeed(Number(speed.value)));
    const rounds = el("div", { class: "rounds", role: "group", "aria-label": "Jump to a round" });
    for (const one of this.rounds) {
      const made = button(one.text, `${one.text}: ${one.long}`, () => this.go(one.step));
      made.dataset.step = String(one.step);
      rounds.append(made);
    }
    const transport = el(
      "footer",
      { class: "transport" },
      el(
        "div",
        { class: "keys", role: "group", "aria-label": "Steps" },
        button(mark(KEYS.first), "To the start (Home)", () => this.go(this.first)),
        button(mark(KEYS.turnBack), "Turn before (Page up)", () => this.turn(-1)),
        button(mark(KEYS.back), "Step back (arrow left)", () => this.go(this.step - 1)),
        play,
        button(mark(KEYS.on), "Step on (arrow right)", () => this.go(this.step + 1)),
        button(mark(KEYS.turnOn), "Next turn (Page down)", () => this.turn(1)),
        button(mark(KEYS.last), "To the end (End)", () => this.go(this.last)),
      ),
      el("div", { class: "where" }, slider, count, speed),
      rounds,
    );
    const info = el("aside", { class: "info", role: "status" });
    const app = document.getElementById("app");
    app?.replaceChildren(
      el(
        "header",
        { class: "top" },
        el("div", { class: "name" }, links.home && el("a", { href: links.home }, "‹ tournament"), el("h1", {}, game.title || `Game ${game.id}`), scores),
        el("div", { class: "settings" }, el("label", {}, el("span", {}, "Eyes"), pick), theme),
      ),
      tabs,
      el("main", {}, ...Object.values(pages)),
      info,
      transport,
    );
    info.hidden = true;
    document.addEventListener("click", (event) => this.tell(event));
    document.addEventListener("keydown", (event) => this.key(event));
    window.addEventListener("hashchange", () => this.readHash());
    return { pick, scores, tabs, now, board, log, points, review, pages, slider, count, play, rounds, info };
  }

  /** @param {Eyes} eyes */
  eyesName(eyes) {
    if (eyes === "open") return "All, everything open";
    if (eyes === "spectator") return "A spectator";
    return `${letter(eyes)} ${this.data.game.names[eyes] ?? ""}`;
  }

  // --- going ---

  /** @param {number} step */
  go(step) {
    this.step = Math.min(Math.max(step, this.first), this.last);
    if (this.step >= this.last) this.pause();
    this.show();
  }

  /** @param {number} way */
  turn(way) {
    const next =
      way > 0 ? this.turns.find((one) => one > this.step) : [...this.turns].reverse().find((one) => one < this.step);
    this.go(next ?? (way > 0 ? this.last : this.first));
  }

  toggle() {
    if (this.timer) {
      this.pause();
      return;
    }
    if (this.step >= this.last) this.step = this.first;
    this.setTimer();
    this.show();
  }

  setTimer() {
    window.clearInterval(this.timer);
    this.timer = window.setInterval(() => this.go(this.step + 1), 1000 / this.speed);
    this.showPlay();
  }

  pause() {
    window.clearInterval(this.timer);
    this.timer = 0;
    this.showPlay();
  }

  /** @param {number} speed */
  setSpeed(speed) {
    this.speed = speed;
    if (this.timer) this.setTimer();
  }

  /** @param {Eyes} eyes */
  look(eyes) {
    this.eyes = eyes;
    this.show();
  }

  /** @param {string} tab */
  open(tab) {
    this.tab = tab;
    this.show();
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const target = event.target instanceof HTMLElement ? event.target.tagName : "";
    if (event.key === "Escape") this.parts.info.hidden = true;
    if (target === "SELECT" || (target === "INPUT" && event.key !== " ")) return;
    if (event.key === " " && (target === "BUTTON" || target === "SUMMARY" || target === "A")) return;
    /** @type {Record<string, () => void>} */
    const acts = {
      ArrowLeft: () => this.go(this.step - 1),
      ArrowRight: () => this.go(this.step + 1),
      PageUp: () => this.turn(-1),
      PageDown: () => this.turn(1),
      Home: () => this.go(this.first),
      End: () => this.go(this.last),
      " ": () => this.toggle(),
    };
    const act = acts[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  }

  readHash() {
    const wanted = new URLSearchParams(location.hash.slice(1));
    const eyes = this.data.eyes.find((one) => String(one) === wanted.get("eyes"));
    if (eyes !== undefined) this.eyes = eyes;
    const tab = wanted.get("tab");
    if (wanted.has("step")) this.tab = "table";
    if (tab && tab in TABS && (tab !== "review" || this.data.review)) this.tab = tab;
    const step = Number.parseInt(wanted.get("step") ?? "", 10);
    if (Number.isFinite(step)) this.step = Math.min(Math.max(step - 1, this.first), this.last);
    this.show();
  }

  /** @param {number} step */
  hash(step) {
    const eyes = this.eyes === this.data.eyes[0] ? "" : `&eyes=${this.eyes}`;
    return `#step=${step + 1}${eyes}`;
  }

  writeHash() {
    window.clearTimeout(this.hashTimer);
    this.hashTimer = window.setTimeout(() => {
      const tab = this.tab === "table" ? "" : `&tab=${this.tab}`;
      history.replaceState(null, "", this.hash(this.step) + tab);
    }, HASH_MS);
  }

  // --- showing ---

  show() {
    const { parts } = this;
    for (const [name, page] of Object.entries(parts.pages)) page.hidden = name !== this.tab;
    for (const made of parts.tabs.querySelectorAll("button"))
      if (made.dataset.tab === this.tab) made.setAttribute("aria-current", "page");
      else made.removeAttribute("aria-current");
    parts.slider.value = String(this.step + 1);
    parts.slider.setAttribute("aria-valuetext", `step ${this.step + 1} of ${this.last + 1}`);
    parts.count.textContent = `${this.step + 1} / ${this.last + 1}`;
    parts.pick.selectedIndex = this.data.eyes.indexOf(this.eyes);
    const reached = this.rounds.filter((one) => one.step <= this.step).pop()?.step;
    for (const made of parts.rounds.querySelectorAll("button"))
      made.toggleAttribute("aria-current", Number(made.dataset.step) === reached);
    this.showScores();
    if (this.tab === "table") {
      this.showStory();
      const scene = this.scene();
      if (scene) this.table.show(scene);
      else parts.board.replaceChildren(el("p", { class: "panel" }, "This game was played by other rules or with other content: there is only its log."));
    }
    if (this.tab === "log") this.showLog();
    if (this.tab === "points") this.showPoints();
    if (this.tab === "review") this.showReview();
    this.writeHash();
  }

  showPlay() {
    const { play } = this.parts;
    const on = Boolean(this.timer);
    play.replaceChildren(mark(on ? KEYS.pause : KEYS.play));
    play.setAttribute("aria-label", on ? "Pause" : "Play");
    play.title = on ? "Pause (space)" : "Play (space)";
    this.parts.now.setAttribute("aria-live", on ? "off" : "polite");
  }

  /** @returns {Scene | null} */
  scene() {
    const position = this.positions[this.step];
    if (!position?.publicView) return null;
    return {
      catalog: this.catalog,
      names: this.data.game.names,
      view: position.publicView,
      before: this.positions[this.step - 1]?.publicView ?? null,
      privates: (position.privateViews ?? []).filter((one) => knows(this.eyes, one.seat ?? 0)),
      open: this.eyes === "open" ? position : null,
    };
  }

  showScores() {
    const view = this.positions[this.step]?.publicView;
    const { names } = this.data.game;
    const fake = /** @type {Scene} */ ({ names });
    this.parts.scores.replaceChildren(
      ...(view?.players ?? []).map((player) =>
        el("span", {}, badge(fake, player.seat), ` ${names[player.seat ?? 0] ?? ""} `, el("b", {}, player.score ?? 0)),
      ),
    );
  }

  showStory() {
    const step = this.data.steps[this.step];
    const turn = this.positions[this.step]?.publicView?.turn ?? {};
    const { names } = this.data.game;
    const round = turn.round ? `Round ${turn.round} · ` : "";
    const where = turn.space ? ` in ${SPACES[turn.space] ?? "?"}` : "";
    const whose = "activeSeat" in turn ? ` · ${names[turn.activeSeat ?? 0]}${where}` : "";
    const what = STEPS[turn.step ?? ""] ? ` · ${STEPS[turn.step ?? ""]}` : "";
    const hand = turn.laborHalves ? ` · ${labor(turn.laborHalves)} Labor at hand` : "";
    const lines = step ? linesOf(step, this.eyes, names) : [];
    this.parts.now.replaceChildren(
      el("h2", {}, el("span", {}, `Step ${this.step + 1}`), el("small", {}, `${round}${PHASES[turn.phase ?? ""] ?? "Before the start"}${whose}${what}${hand}`)),
      el(
        "ul",
        { class: "story-lines" },
        ...lines.map((line) => el("li", { class: `${line.heading ? "heading" : ""} from-${line.seat}` }, line.text)),
      ),
      ...this.reason(step),
    );
  }

  /** @param {ReplayStep | undefined} step */
  reason(step) {
    if (!step?.why || !step.choice || !knows(this.eyes, step.choice[0])) return [];
    const [text, points] = step.why;
    const said = points === undefined || text.includes(points.toFixed(1));
    const expects = points === undefined || said ? null : el("b", {}, `expects ${points.toFixed(1)} points`);
    return [el("p", { class: "why" }, el("span", {}, "Why: "), text, text && expects ? " · " : "", expects)];
  }

  showLog() {
    const { log } = this.parts;
    if (this.logOf !== this.eyes) {
      this.logOf = this.eyes;
      log.replaceChildren(
        ...this.data.steps.map((step, number) => {
          const lines = linesOf(step, this.eyes, this.data.game.names);
          const heading = lines.some((line) => line.heading);
          return el(
            "li",
            { class: heading ? "heading" : "", "data-step": number },
            el("a", { href: this.hash(number), "aria-label": `Step ${number + 1}` }, number + 1),
            el(
              "div",
              {},
              ...lines.map((line) => el("p", { class: `from-${line.seat}` }, line.text)),
              ...this.reason(step),
            ),
          );
        }),
      );
    }
    log.querySelector("[aria-current]")?.removeAttribute("aria-current");
    const at = log.children[this.step];
    at?.setAttribute("aria-current", "step");
    at?.scrollIntoView({ block: "center" });
  }

  showPoints() {
    const { names } = this.data.game;
    const view = this.positions[this.step]?.publicView;
    const curves = (view?.players ?? []).map((player) => {
      const seat = player.seat ?? 0;
      return {
        seat,
        name: names[seat] ?? "",
        points: this.pointsOf(seat),
        expected: this.data.steps.flatMap((step, number) =>
          step.choice?.[0] === seat && step.why?.[1] !== undefined && knows(this.eyes, seat)
            ? [{ step: number - this.first, points: step.why[1] }]
            : [],
        ),
      };
    });
    const marks = this.rounds
      .filter((one) => one.text.startsWith("R"))
      .map((one) => ({ step: one.step - this.first, text: one.text }));
    const labels = Object.entries(this.data.categories).filter(([category]) =>
      (view?.players ?? []).some((player) => player.points?.some((one) => one.category === category)),
    );
    const fake = /** @type {Scene} */ ({ names });
    this.parts.points.replaceChildren(
      el("section", { class: "panel" }, el("h2", {}, "Points over the game", el("small", {}, curves.some((one) => one.expected.length) ? "dashed: what the bots expected" : "")), drawChart(curves, marks, this.step - this.first)),
      el(
        "section",
        { class: "panel" },
        el("h2", {}, "Where the points came from", el("small", {}, `up to step ${this.step + 1}`)),
        el(
          "div",
          { class: "scroll", tabindex: 0, role: "region", "aria-label": "Where the points came from" },
          el(
            "table",
            {},
            el("thead", {}, el("tr", {}, el("td", {}), ...curves.map((one) => el("th", { scope: "col" }, badge(fake, one.seat), " ", one.name)))),
            el(
              "tbody",
              {},
              ...labels.map(([category, label]) =>
                el(
                  "tr",
                  {},
                  el("th", { scope: "row" }, label),
                  ...(view?.players ?? []).map((player) => el("td", {}, player.points?.find((one) => one.category === category)?.points ?? "·")),
                ),
              ),
              el("tr", { class: "sum" }, el("th", { scope: "row" }, "together"), ...(view?.players ?? []).map((player) => el("td", {}, player.score ?? 0))),
            ),
          ),
        ),
      ),
    );
  }

  showReview() {
    const known = (this.data.review ?? []).filter((one) => knows(this.eyes, one.seat));
    this.parts.review.replaceChildren(
      ...known.map((one) => drawReview(one, this.data.game.names, this.pointsOf(one.seat), (step) => this.hash(step), this.first)),
      ...(known.length ? [] : [el("p", { class: "panel" }, "A review is of a seat's choices: look through its eyes, or all.")]),
    );
  }

  /** @param {number} seat */
  pointsOf(seat) {
    return this.positions.slice(this.first).map((one) => one?.publicView?.players?.[seat]?.score ?? 0);
  }

  about() {
    const { game, links } = this.data;
    const result = [...(game.result ?? [])].sort((one, other) => (one.place ?? 0) - (other.place ?? 0));
    /** @param {SeatResult} one */
    const end = (one) => (one.reason && one.reason !== "END_REASON_NORMAL" ? ` (${spoken(one.reason, "END_REASON_")})` : "");
    return el(
      "div",
      { class: "panel" },
      el("h2", {}, "About this game"),
      result.length > 0 &&
        el(
          "ol",
          { class: "result" },
          ...result.map((one) => el("li", {}, `${one.place ?? "-"}. ${game.names[one.seat ?? 0] ?? ""}: ${one.score ?? 0} points${end(one)}`)),
        ),
      !game.ended && el("p", {}, "The game had not ended when this page was written: it shows what could be seen then."),
      el(
        "dl",
        {},
        el("dt", {}, "Game"), el("dd", {}, game.id),
        el("dt", {}, "Rules"), el("dd", {}, game.rules),
        el("dt", {}, "Content"), el("dd", {}, game.content),
        game.seed && el("dt", {}, "Seed"), game.seed && el("dd", {}, game.seed),
        links.record && el("dt", {}, "Record"),
        links.record && el("dd", {}, el("a", { href: links.record }, links.record), el("br"), el("code", {}, `ew replay verify ${links.record}`)),
      ),
      el("h3", {}, "Keys"),
      el("p", { class: "note" }, "Arrows step, page up and page down go from turn to turn, Home and End to the ends, space plays. Steps have the numbers of the log: #step=120 in the address leads to one."),
      el("h3", {}, "Unofficial"),
      el("p", { class: "note" }, "A fan project. Printed values that are lost were inferred or reconstructed by it."),
    );
  }

  /** What a card or tile does, on a click. @param {MouseEvent} event */
  tell(event) {
    const asked = event.target instanceof Element ? event.target.closest("[data-about]") : null;
    const { info } = this.parts;
    if (!asked) {
      info.hidden = true;
      return;
    }
    const id = asked.getAttribute("data-about") ?? "";
    const card = this.catalog.cards.get(id);
    const sets = this.catalog.animals.get(id)?.setPoints;
    const more = [
      card?.laborHalves ? `${labor(card.laborHalves)} Labor` : "",
      card?.endPoints ? `${card.endPoints} points at the end` : "",
      sets ? `sets: ${sets.join(", ")} points` : "",
    ];
    info.replaceChildren(
      el("b", {}, this.catalog.title(id)),
      ` ${[this.catalog.text(id), ...more].filter(Boolean).join(" · ")}`,
    );
    info.hidden = false;
  }

  switchTheme() {
    const root = document.documentElement;
    const dark = root.dataset.theme
      ? root.dataset.theme === "dark"
      : window.matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = dark ? "light" : "dark";
  }
}

const source = document.getElementById("replay");
const replay = new Replay(/** @type {ReplayData} */ (JSON.parse(source?.textContent ?? "{}")));
replay.showPlay();
replay.readHash();
