/** The whole table: every part is drawn anew when what it shows has changed. */

import { drawColumns } from "./columns.js";
import { drawMegaliths } from "./megaliths.js";
import { drawNomad, drawRivers } from "./modules.js";
import { drawPlayers } from "./players.js";
import { drawCards, drawGrounds } from "./supply.js";
import { drawTerrain } from "./terrain.js";
import { drawTracks } from "./tracks.js";

/** @typedef {import("./scene.js").Scene} Scene */

/** @type {Record<string, (scene: Scene) => Element | null>} */
const PARTS = {
  terrain: drawTerrain,
  columns: drawColumns,
  nomad: drawNomad,
  tracks: drawTracks,
  rivers: drawRivers,
  players: drawPlayers,
  megaliths: drawMegaliths,
  grounds: drawGrounds,
  cards: drawCards,
};

export class Table {
  /** @param {HTMLElement} place where the parts are put, in their order */
  constructor(place) {
    /** @type {Record<string, HTMLElement>} */
    this.slots = {};
    for (const name of Object.keys(PARTS)) {
      const slot = document.createElement("div");
      slot.className = `slot slot-${name}`;
      this.slots[name] = slot;
      place.append(slot);
    }
  }

  /** @param {Scene} scene */
  show(scene) {
    for (const [name, draw] of Object.entries(PARTS)) {
      const slot = this.slots[name];
      if (!slot) continue;
      const opened = [...slot.querySelectorAll("details")].map((one) => one.open);
      const part = draw(scene);
      slot.replaceChildren(...(part ? [part] : []));
      slot.hidden = !part;
      slot.querySelectorAll("details").forEach((one, number) => {
        one.open = opened[number] ?? false;
      });
    }
  }
}
