// What this phone keeps of sessions, so that it can show the last of them while
// the machine is out of reach: masked text only, bounded, for a day.

/** @typedef {{key: string, at: number, bytes: number, value: unknown}} Entry */

/**
 * The place where entries are.
 * @typedef {object} Shelf
 * @property {() => Promise<Entry[]>} all
 * @property {(key: string) => Promise<Entry | undefined>} get
 * @property {(entry: Entry) => Promise<void>} put
 * @property {(key: string) => Promise<void>} remove
 * @property {() => Promise<void>} wipe
 */

/** Half of what a pane may have is its chat's. */
export const bounds = { chatBytes: 128 << 10, totalBytes: 10 << 20, ageMs: 24 * 3_600_000 };

const chatPrefix = "chat ";

/** @param {unknown} value */
const sizeOf = (value) => new TextEncoder().encode(JSON.stringify(value)).length;

/**
 * The newest turns that fit, whole.
 * @template T
 * @param {readonly T[]} turns oldest first
 * @param {number} bytes
 * @returns {T[]}
 */
export function newest(turns, bytes) {
  let size = 2;
  let first = turns.length;
  while (first > 0) {
    size += sizeOf(turns[first - 1]) + 1;
    if (size > bytes) break;
    first--;
  }
  return turns.slice(first);
}

export class Keeper {
  #shelf;
  #now;

  /**
   * @param {Shelf | null} shelf null keeps nothing
   * @param {() => number} [now]
   */
  constructor(shelf, now = Date.now) {
    this.#shelf = shelf;
    this.#now = now;
  }

  /**
   * @param {string} pane
   * @param {readonly import("./types.js").Turn[]} turns
   */
  async keepChat(pane, turns) {
    if (!this.#shelf) return;
    const value = newest(turns, bounds.chatBytes);
    await this.#shelf.put({ key: chatPrefix + pane, at: this.#now(), bytes: sizeOf(value), value });
    await this.#tidy();
  }

  /**
   * @param {string} pane
   * @returns {Promise<import("./types.js").Turn[]>}
   */
  async chatOf(pane) {
    const entry = await this.#shelf?.get(chatPrefix + pane);
    if (!entry || this.#now() - entry.at >= bounds.ageMs || !Array.isArray(entry.value)) return [];
    return entry.value;
  }

  /** @param {string} pane */
  async forget(pane) {
    await this.#shelf?.remove(chatPrefix + pane);
  }

  /** Forgets the chats of all panes. */
  async forgetChats() {
    for (const entry of (await this.#shelf?.all()) ?? []) {
      if (entry.key.startsWith(chatPrefix)) await this.#shelf?.remove(entry.key);
    }
  }

  async wipe() {
    await this.#shelf?.wipe();
  }

  /** Takes out what is too old, and the oldest of what is too much. */
  async #tidy() {
    const entries = (await this.#shelf?.all()) ?? [];
    entries.sort((a, b) => b.at - a.at);
    let total = 0;
    for (const entry of entries) {
      total += entry.bytes;
      if (total > bounds.totalBytes || this.#now() - entry.at >= bounds.ageMs) await this.#shelf?.remove(entry.key);
    }
  }
}

const storeName = "panes";

/**
 * A shelf in the browser's database, or null where it gives none.
 * @returns {Shelf | null}
 */
export function openShelf() {
  if (!("indexedDB" in globalThis)) return null;
  /** @type {Promise<IDBDatabase> | undefined} */
  let opened;
  const open = () => (opened ??= new Promise((resolve, reject) => {
    const request = globalThis.indexedDB.open("collie-store", 1);
    request.onupgradeneeded = () => request.result.createObjectStore(storeName, { keyPath: "key" });
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  }));
  /**
   * @template T
   * @param {IDBTransactionMode} mode
   * @param {(store: IDBObjectStore) => IDBRequest<T>} ask
   * @returns {Promise<T>}
   */
  const run = async (mode, ask) => {
    const database = await open();
    return new Promise((resolve, reject) => {
      const transaction = database.transaction(storeName, mode);
      const request = ask(transaction.objectStore(storeName));
      transaction.oncomplete = () => resolve(request.result);
      transaction.onabort = () => reject(transaction.error);
      transaction.onerror = () => reject(transaction.error);
    });
  };
  return {
    all: () => run("readonly", (store) => store.getAll()),
    get: (key) => run("readonly", (store) => store.get(key)),
    put: async (entry) => void (await run("readwrite", (store) => store.put(entry))),
    remove: async (key) => void (await run("readwrite", (store) => store.delete(key))),
    wipe: async () => void (await run("readwrite", (store) => store.clear())),
  };
}
