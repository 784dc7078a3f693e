// What this phone keeps: the token, drafts, and preferences. One rule decides
// what the end of a pairing deletes: everything of Collie's but preferences.

/** @typedef {Pick<Storage, "getItem" | "setItem" | "removeItem" | "key" | "length">} Store */

const prefix = "collie.";
const tokenKey = "collie.token";
const draftsKey = "collie.drafts";
export const preferencesKey = "collie.preferences";
/** The standby door that the lead named. */
export const doorKey = "collie.standby";
/** There while the token stood in an address and was not renewed since. */
export const renewKey = "collie.renew";

/** The service worker's caches of the app itself; they hold no session text. */
export const shellCachePrefix = "collie-shell-";

/** Bounds of what is kept. A longer draft lives in memory alone. */
export const limits = { draftChars: 32 << 10, drafts: 40, draftAgeMs: 24 * 3_600_000 };

/**
 * Deletes what a pairing left in the storage. Preferences stay: they hold no
 * text of any session.
 * @param {Store} store
 */
export function wipeStorage(store) {
  const keys = [];
  for (let i = 0; i < store.length; i++) {
    const key = store.key(i);
    if (key?.startsWith(prefix) && key !== preferencesKey) keys.push(key);
  }
  for (const key of keys) store.removeItem(key);
}

/** Deletes every cache but the app's own files. */
export async function wipeCaches() {
  if (!("caches" in globalThis)) return; // no secure context: there are none
  for (const name of await caches.keys()) {
    if (!name.startsWith(shellCachePrefix)) await caches.delete(name);
  }
}

/**
 * The phone's storage, or a stand-in for this page's life where a browser
 * forbids it.
 * @returns {Store}
 */
export function openStorage() {
  try {
    localStorage.setItem("collie.probe", "");
    localStorage.removeItem("collie.probe");
    return localStorage;
  } catch {
    /** @type {Map<string, string>} */
    const memory = new Map();
    return {
      getItem: (key) => memory.get(key) ?? null,
      setItem: (key, value) => void memory.set(key, value),
      removeItem: (key) => void memory.delete(key),
      key: (index) => [...memory.keys()][index] ?? null,
      get length() {
        return memory.size;
      },
    };
  }
}

/**
 * @param {Store} store
 * @param {string} key
 * @returns {unknown}
 */
export function readJSON(store, key) {
  try {
    return JSON.parse(store.getItem(key) ?? "null");
  } catch {
    return null; // written by hand or by another version: as if absent
  }
}

/**
 * Writes what fits; a full storage loses the entry, never the app.
 * @param {Store} store
 * @param {string} key
 * @param {string} value
 */
export function write(store, key, value) {
  try {
    store.setItem(key, value);
  } catch {
    store.removeItem(key);
  }
}

/** @param {Store} store */
export const readToken = (store) => store.getItem(tokenKey) ?? "";

/**
 * @param {Store} store
 * @param {string} token
 */
export const writeToken = (store, token) => write(store, tokenKey, token);

/** Whether a storage event is about the token (null: everything was cleared).
 * @param {string | null} key */
export const isTokenKey = (key) => key === tokenKey || key === null;

/** Unsent text, one entry per pane. */
export class Drafts {
  /** @type {Map<string, {text: string, at: number}>} */
  #entries = new Map();
  #store;
  #now;

  /**
   * @param {Store} store
   * @param {() => number} [now]
   */
  constructor(store, now = Date.now) {
    this.#store = store;
    this.#now = now;
    const kept = readJSON(store, draftsKey);
    if (!Array.isArray(kept)) return;
    for (const entry of kept) {
      if (!Array.isArray(entry)) continue;
      const [pane, text, at] = entry;
      if (typeof pane !== "string" || typeof text !== "string" || typeof at !== "number") continue;
      if (now() - at < limits.draftAgeMs) this.#entries.set(pane, { text, at });
    }
  }

  /** @param {string} pane */
  get(pane) {
    return this.#entries.get(pane)?.text ?? "";
  }

  /**
   * @param {string} pane
   * @param {string} text empty forgets the draft
   */
  set(pane, text) {
    this.#entries.delete(pane); // so that the newest is the last
    if (text) this.#entries.set(pane, { text, at: this.#now() });
    const oldest = this.#entries.keys().next();
    if (this.#entries.size > limits.drafts && !oldest.done) this.#entries.delete(oldest.value);
    const kept = [...this.#entries]
      .filter(([, draft]) => draft.text.length <= limits.draftChars)
      .map(([key, draft]) => [key, draft.text, draft.at]);
    if (kept.length) write(this.#store, draftsKey, JSON.stringify(kept));
    else this.#store.removeItem(draftsKey);
  }

  /** Forgets every draft in memory; wipeStorage has the stored ones. */
  clear() {
    this.#entries.clear();
  }
}
