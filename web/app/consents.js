// Which launchers this phone has confirmed that start an agent without its
// questions. They end with the pairing, as everything of it does; see device.js.

import { readJSON, write } from "./device.js";

const consentsKey = "collie.consents";

/** So many are remembered; an older one is asked for again. */
export const maxConsents = 200;

/**
 * A launcher's id says what it does, so that a changed one is another one.
 * @param {string | undefined} host
 * @param {string} id
 */
const nameOf = (host, id) => `${host ?? ""} ${id}`;

/** @param {import("./device.js").Store} store */
function read(store) {
  const kept = readJSON(store, consentsKey);
  return Array.isArray(kept) ? kept.filter((name) => typeof name === "string") : [];
}

/**
 * @param {import("./device.js").Store} store
 * @param {string | undefined} host
 * @param {string} id
 */
export const hasConsent = (store, host, id) => read(store).includes(nameOf(host, id));

/**
 * @param {import("./device.js").Store} store
 * @param {string | undefined} host
 * @param {string} id
 */
export function giveConsent(store, host, id) {
  const name = nameOf(host, id);
  const names = read(store).filter((other) => other !== name);
  write(store, consentsKey, JSON.stringify([...names, name].slice(-maxConsents)));
}
