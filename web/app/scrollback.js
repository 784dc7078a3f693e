// The rows above the screen, fetched a page at a time when a person asks.

import { panePath } from "./api.js";
import { batch, computed, signal } from "./vendor/signals.js";

const pageRows = 200;

/** Rows that are kept in the page; beyond it a phone gets slow. */
const maxRows = 4_000;

/**
 * @typedef {import("./types.js").Row} Row
 * @typedef {import("./types.js").History} History
 */

export class Scrollback {
  /** Oldest first. @type {import("./vendor/signals.js").Signal<Row[]>} */
  rows = signal([]);
  /** The oldest row's place, or null before the first page. @type {import("./vendor/signals.js").Signal<number | null>} */
  from = signal(null);
  busy = signal(false);
  problem = signal(/** @type {unknown} */ (null));
  /** Whether a page is left to ask for. */
  more = computed(() => this.from.value !== 0 && this.rows.value.length < maxRows);
  #client;
  #pane;

  /**
   * @param {Pick<import("./api.js").Client, "get">} client
   * @param {import("./types.js").Ref} pane
   */
  constructor(client, pane) {
    this.#client = client;
    this.#pane = pane;
  }

  /** Adds the page before the rows that are here. */
  async earlier() {
    const end = this.from.value;
    if (this.busy.value || end === 0) return;
    this.busy.value = true;
    this.problem.value = null;
    try {
      const page = end === null ? await this.#newest() : await this.#page(Math.max(0, end - pageRows), Math.min(pageRows, end));
      batch(() => {
        this.rows.value = [...(page.rows ?? []), ...this.rows.value];
        this.from.value = page.rows?.length ? page.from : 0;
      });
    } catch (err) {
      this.problem.value = err;
    } finally {
      this.busy.value = false;
    }
  }

  /** @returns {Promise<History>} the page that ends where the screen begins */
  async #newest() {
    const { total } = await this.#page(0, 1);
    const from = Math.max(0, total - pageRows);
    return total === 0 ? { from: 0, total, rows: [] } : this.#page(from, total - from);
  }

  /**
   * @param {number} from
   * @param {number} count
   * @returns {Promise<History>}
   */
  #page(from, count) {
    return this.#client.get(panePath(this.#pane, "history", { from, count }));
  }
}
