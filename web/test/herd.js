// Builds herds for tests.

/** @typedef {import("../app/types.js").Pane} Pane */

/**
 * @param {string} id
 * @param {Partial<Pane>} [more]
 * @returns {Pane}
 */
export function pane(id, more = {}) {
  return {
    id, workspace: "w1", tab: "t1", index: 0, title: "", label: "", harness: "", status: "idle", since: 0,
    cols: 80, rows: 24, needsYou: false, cards: [], masked: false, ...more,
  };
}

/**
 * @param {string} id
 * @param {Partial<import("../app/types.js").Machine>} [more]
 */
export function machine(id, more = {}) {
  return {
    id, label: id, lead: false, state: "reachable", hint: "", lastSeenAt: 0, stale: false, rttMs: 0, build: "", ...more,
  };
}
