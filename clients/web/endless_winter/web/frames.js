/** Positions made of changes. Parts that a change does not touch are shared: `===` finds what is new. */

/**
 * What a change makes of a value. An object changes by name, null takes a name away; a list changes
 * by place, or under "$" from a place on so many entries are replaced by others.
 * @param {any} value
 * @param {any} change
 * @returns {any}
 */
export function patched(value, change) {
  if (typeof change !== "object" || change === null || Array.isArray(change)) return change;
  if (Array.isArray(value)) {
    const list = value.slice();
    if (change.$) {
      const [start, count, ...added] = change.$;
      list.splice(start, count, ...added);
      return list;
    }
    for (const place of Object.keys(change)) list[Number(place)] = patched(list[Number(place)], change[place]);
    return list;
  }
  const found = { ...value };
  for (const name of Object.keys(change)) {
    if (change[name] === null) delete found[name];
    else found[name] = patched(found[name], change[name]);
  }
  return found;
}

/**
 * A change with the whole names of fields.
 * @param {any} change
 * @param {Record<string, string>} fields by their short names
 * @returns {any}
 */
function inFull(change, fields) {
  if (Array.isArray(change)) return change.map((one) => inFull(one, fields));
  if (typeof change !== "object" || change === null) return change;
  return Object.fromEntries(
    Object.entries(change).map(([name, one]) => [fields[name] ?? name, inFull(one, fields)]),
  );
}

/**
 * The position after each step; null before the first one.
 * @param {{change?: any}[]} steps
 * @param {Record<string, string>} fields
 * @returns {any[]}
 */
export function positionsOf(steps, fields) {
  /** @type {any} */
  let now = null;
  return steps.map((step) => {
    if (step.change !== undefined) now = patched(now ?? {}, inFull(step.change, fields));
    return now;
  });
}
