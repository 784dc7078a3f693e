// What was said in a pane: pages of turns from the machine's log, joined, and
// asked for again when the pane shows signs of life.

import { asApiError, panePath } from "./api.js";
import { batch, signal } from "./vendor/signals.js";

/**
 * @typedef {import("./types.js").Turn} Turn
 * @typedef {import("./types.js").Chat} Chat
 */

const pageTurns = 30;

/** Turns that are kept in the page; beyond it a phone gets slow. */
const maxTurns = 600;

export class ChatLog {
  /** Oldest first. @type {import("./vendor/signals.js").Signal<readonly Turn[]>} */
  turns = signal([]);
  /** Whether the machine has answered. */
  known = signal(false);
  /** Whether there are turns before these. */
  more = signal(false);
  /** Whether a page is on its way that a person asked for. */
  loading = signal(false);
  skipped = signal(0);
  cut = signal(false);
  masked = signal(false);
  problem = signal(/** @type {import("./api.js").ApiError | null} */ (null));
  #session = "";
  #etag = "";
  /** @type {Promise<void> | null} */
  #asking = null;
  #again = false;
  #client;
  #pane;
  #keep;

  /**
   * @param {Pick<import("./api.js").Client, "getNew">} client
   * @param {import("./types.js").Ref} pane
   * @param {(turns: readonly Turn[]) => void} [keep] is told what was shown last
   */
  constructor(client, pane, keep = () => {}) {
    this.#client = client;
    this.#pane = pane;
    this.#keep = keep;
  }

  /**
   * Shows what this phone kept, until the machine answers.
   * @param {readonly Turn[]} turns
   */
  recall(turns) {
    if (!this.known.value && !this.turns.value.length) this.turns.value = turns;
  }

  /** Asks for the newest turns; one that is asked meanwhile asks once more. */
  async latest() {
    if (this.#asking) {
      this.#again = true;
      return this.#asking;
    }
    this.#asking = this.#latest();
    await this.#asking;
    this.#asking = null;
    if (this.#again) {
      this.#again = false;
      await this.latest();
    }
  }

  async #latest() {
    try {
      const { etag, body } = await this.#client.getNew(panePath(this.#pane, "chat", { count: pageTurns }), this.#etag);
      this.problem.value = null;
      if (!body) return; // nothing was said
      this.#etag = etag;
      this.#join(body);
    } catch (err) {
      const problem = asApiError(err);
      this.problem.value = problem;
      if (problem.code !== "no_chat") return;
      batch(() => { // a new program has said nothing yet
        this.#etag = this.#session = "";
        this.turns.value = [];
        this.more.value = false;
        this.known.value = true;
      });
    }
  }

  /** @param {Chat} chat */
  #join(chat) {
    const page = (chat.turns ?? []).slice().reverse();
    const { turns: { value: before }, known: { value: known } } = this;
    const first = page[0];
    // Older turns stay when the page goes on where they end.
    const at = known && chat.session === this.#session && first ? before.findIndex((turn) => turn.id === first.id) : -1;
    batch(() => {
      this.turns.value = at > 0 ? [...before.slice(0, at), ...page].slice(-maxTurns) : page;
      if (at <= 0) this.more.value = chat.more;
      this.#session = chat.session;
      this.#facts(chat);
    });
    this.#keep(this.turns.value);
  }

  /** @param {Chat} chat */
  #facts(chat) {
    this.known.value = true;
    this.skipped.value = chat.skipped;
    this.cut.value = chat.cut;
    this.masked.value = chat.masked;
  }

  /** Adds the page before the turns that are here. */
  async earlier() {
    const oldest = this.turns.value[0];
    if (this.loading.value || !this.more.value || !oldest) return;
    this.loading.value = true;
    try {
      const { body } = await this.#client.getNew(panePath(this.#pane, "chat", { before: oldest.id, count: pageTurns }), "");
      const has = new Set(this.turns.value.map((turn) => turn.id));
      const page = /** @type {Turn[]} */ (body?.turns ?? []).filter((turn) => !has.has(turn.id)).reverse();
      batch(() => {
        this.problem.value = null;
        this.turns.value = [...page, ...this.turns.value];
        this.more.value = Boolean(body?.more) && page.length > 0 && this.turns.value.length < maxTurns;
      });
    } catch (err) {
      this.problem.value = asApiError(err);
    } finally {
      this.loading.value = false;
    }
  }
}
