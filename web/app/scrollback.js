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
  /** Whether a page is on its way that a person asked for. */
  loading = signal(false);
  problem = signal(/** @type {unknown} */ (null));
  /** Whether a page is left to ask for. */
  more = computed(() => this.from.value !== 0 && this.rows.value.length < maxRows);
  /** @type {Promise<void> | null} */
  #asking = null;
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
    if (this.loading.value || !this.more.value) return;
    this.loading.value = true;
    await this.#asking; // what came by itself goes first
    await this.#ask(async () => {
      const from = this.from.value;
      if (from === null) return this.#restart();
      const page = await this.#page(Math.max(0, from - pageRows), Math.min(pageRows, from));
      batch(() => {
        this.rows.value = [...(page.rows ?? []), ...this.rows.value];
        this.from.value = page.rows?.length ? page.from : 0;
      });
    });
    this.loading.value = false;
  }

  /** Adds the rows that have left the screen since, once there are any rows here. */
  async later() {
    const { from: { value: from }, rows: { value: rows } } = this;
    if (from === null || this.#asking || this.loading.value) return;
    await this.#ask(async () => {
      const last = rows.at(-1);
      if (!last) return this.#restart();
      const page = await this.#page(from + rows.length - 1, pageRows);
      // A full scrollback drops its oldest rows, and every place moves: then the last row here is not where it was.
      const [same, ...newer] = page.rows ?? [];
      if (JSON.stringify(same) !== JSON.stringify(last) || newer.length === pageRows - 1) return this.#restart();
      if (!newer.length) return;
      batch(() => {
        const all = [...rows, ...newer];
        const surplus = Math.max(0, all.length - maxRows);
        this.rows.value = all.slice(surplus);
        this.from.value = from + surplus;
      });
    });
  }

  /** Begins with the page that ends where the screen begins. */
  async #restart() {
    const { total } = await this.#page(0, 1);
    const from = Math.max(0, total - pageRows);
    const page = total ? await this.#page(from, total - from) : { from, rows: [] };
    batch(() => {
      this.rows.value = page.rows ?? [];
      this.from.value = page.from;
    });
  }

  /** @param {() => Promise<void>} steps */
  #ask(steps) {
    this.problem.value = null;
    this.#asking = steps()
      .catch((err) => void (this.problem.value = err))
      .finally(() => void (this.#asking = null));
    return this.#asking;
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
