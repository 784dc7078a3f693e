// Sends keys in order, one request at a time. What is typed while one is on its
// way goes together in the next.

import { ApiError, asApiError } from "./api.js";

/** The node's bound for one request. */
const maxKeys = 256;

/** Keys that may wait; beyond this the connection is no longer fit to type on. */
const maxWaiting = 2_000;

/** @typedef {{keys: string[], typed: boolean, client: string, n: number, program?: string}} KeysRequest */

export class KeySender {
  /** @type {{key: string, typed: boolean}[]} */
  #waiting = [];
  #sending = false;
  #n = 0;
  #client;
  #post;
  #failed;
  #program;

  /**
   * @param {object} parts
   * @param {(request: KeysRequest) => Promise<unknown>} parts.post
   * @param {(err: import("./api.js").ApiError) => void} parts.failed what waited behind a failure, or too long, is dropped
   * @param {string} [parts.client] this page's random name
   * @param {() => string} [parts.program] the run of the program that typed keys are meant for
   */
  constructor({ post, failed, client = randomName(), program = () => "" }) {
    this.#post = post;
    this.#failed = failed;
    this.#client = client;
    this.#program = program;
  }

  /**
   * @param {string[]} keys names as the API has them, or single characters
   * @param {boolean} typed by hand, so that the machine keeps it out of its log
   */
  send(keys, typed) {
    if (this.#waiting.length + keys.length > maxWaiting) {
      this.#waiting = []; // to lose some from the middle would be worse
      this.#failed(new ApiError("network", "too many keys wait", 0));
      return;
    }
    for (const key of keys) this.#waiting.push({ key, typed });
    if (!this.#sending) this.#run();
  }

  async #run() {
    this.#sending = true;
    try {
      while (this.#waiting.length) await this.#request(this.#next());
    } catch (err) {
      this.#waiting = [];
      this.#failed(asApiError(err));
    } finally {
      this.#sending = false;
    }
  }

  /** @returns {KeysRequest} the longest run of one kind */
  #next() {
    const typed = this.#waiting[0]?.typed ?? false;
    let length = 0;
    while (length < maxKeys && this.#waiting[length]?.typed === typed) length++;
    const keys = this.#waiting.splice(0, length).map((entry) => entry.key);
    const program = typed ? this.#program() : "";
    return { keys, typed, client: this.#client, n: ++this.#n, ...(program && { program }) };
  }

  /**
   * A request whose answer was lost is repeated once: the machine knows it by
   * its name and count, so a repeat types nothing twice.
   * @param {KeysRequest} request
   */
  async #request(request) {
    try {
      await this.#post(request);
    } catch (err) {
      if (asApiError(err).status !== 0) throw err;
      await this.#post(request);
    }
  }
}

function randomName() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
