/** The printed things of a game, by their ids. A thing that is not in the catalogue is called by its id. */

/** @typedef {import("./contract").Catalog} CatalogMessage */

/**
 * @template {{item?: {id?: string}}} Thing
 * @param {Thing[] | undefined} list
 * @returns {Map<string, Thing>}
 */
function byId(list) {
  return new Map((list ?? []).map((one) => [one.item?.id ?? "", one]));
}

export class Catalog {
  /** @param {CatalogMessage} raw the contract's message as JSON */
  constructor(raw) {
    this.raw = raw;
    this.cards = byId(raw.cards);
    this.animals = byId(raw.animals);
    this.chiefs = byId(raw.chiefs);
    this.setupCards = byId(raw.setupCards);
    this.stones = byId(raw.stones);
    this.terrains = byId(raw.terrains);
    this.megalithTiles = byId(raw.megalithTiles);
    this.megalithLayouts = byId(raw.megalithLayouts);
    this.tokens = byId(raw.tokens);
    this.landmarks = byId(raw.landmarks);
    this.nomadCards = byId(raw.nomadCards);
    this.mapCards = byId(raw.mapCards);
    this.tables = raw.tables ?? {};
    this.hexes = raw.geometry?.hexes ?? [];
    this.junctures = raw.geometry?.junctures ?? [];
    /** @type {Map<string, string>} */
    this.titles = new Map();
    /** @type {Map<string, string>} */
    this.texts = new Map();
    for (const list of Object.values(raw))
      for (const one of Array.isArray(list) ? list : [])
        if (one.item?.id) {
          this.titles.set(one.item.id, one.item.name ?? one.item.id);
          this.texts.set(one.item.id, one.item.text ?? "");
        }
  }

  /** @param {string | undefined} id */
  title(id) {
    return id ? (this.titles.get(id) ?? id.replaceAll("_", " ")) : "";
  }

  /** @param {string | undefined} id */
  text(id) {
    return id ? (this.texts.get(id) ?? "") : "";
  }
}
