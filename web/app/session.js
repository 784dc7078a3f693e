// One open pane: its live stream, the last complete screen, and what is known
// of it. It outlives a redraw of the page and ends with the page.

import { panePath } from "./api.js";
import { attend, follow } from "./connection.js";
import { batch, signal } from "./vendor/signals.js";

/**
 * @typedef {import("./types.js").Frame} Frame
 * @typedef {import("./types.js").Line} Line
 * @typedef {import("./types.js").Ref} Ref
 */

/**
 * Joins a frame to the screen before it. A frame of another size names every
 * row; any other names the rows that changed.
 * @param {Frame | null} before
 * @param {Frame} frame
 * @returns {Frame} complete: every row once, in order
 */
export function joinFrames(before, frame) {
  /** @type {Line[]} */
  const lines = Array.from({ length: frame.rows }, (_, i) => ({ i, wrap: false, runs: [] }));
  if (before && before.cols === frame.cols && before.rows === frame.rows) {
    for (const line of before.lines ?? []) lines[line.i] = line;
  }
  for (const line of frame.lines ?? []) if (line.i >= 0 && line.i < frame.rows) lines[line.i] = line;
  return { ...frame, lines };
}

export class PaneSession {
  /** The last complete screen. @type {Frame | null} */
  screen = null;
  /** @type {import("./vendor/signals.js").Signal<"loading" | "live" | "gone">} */
  phase = signal("loading");
  title = signal("");
  cols = signal(80);
  masked = signal(false);
  /** Whether a typed character will surely show; false at a password prompt. */
  echo = signal(false);
  /** Whether the terminal asks for a password. */
  password = signal(false);
  /** When this pane's stream last gave a sign of life; 0 when never. */
  lastSign = signal(0);
  /** @type {import("./vendor/signals.js").Signal<import("./api.js").ApiError | null>} */
  refusal = signal(null);
  /** @type {Set<(frame: Frame) => void>} */
  #watchers = new Set();
  #stream;
  #leave;

  /**
   * @param {import("./api.js").Client} client
   * @param {Ref} ref
   */
  constructor(client, ref) {
    this.#stream = follow({
      client,
      path: panePath(ref, "live"),
      alive: () => {
        this.lastSign.value = Date.now();
        this.refusal.value = null;
      },
      handle: (event) => {
        if (event.event === "gone") this.#gone();
        else if (event.event === "frame") this.#take(JSON.parse(event.data));
      },
      refused: (refusal) => {
        this.refusal.value = refusal;
        const over = refusal.status === 404 || refusal.status === 410;
        if (over) this.#gone();
        return over;
      },
    });
    this.#leave = attend(this.#stream);
  }

  #gone() {
    this.phase.value = "gone";
    this.#stream.stop();
  }

  /** @param {Frame} frame */
  #take(frame) {
    const resized = !this.screen || this.screen.cols !== frame.cols || this.screen.rows !== frame.rows;
    this.screen = joinFrames(this.screen, frame);
    batch(() => {
      this.phase.value = "live";
      this.title.value = frame.title;
      this.cols.value = frame.cols;
      this.masked.value = frame.masked;
      this.echo.value = frame.echo;
      this.password.value = frame.password === true;
    });
    const shown = resized ? this.screen : frame;
    for (const watch of this.#watchers) watch(shown);
  }

  /**
   * Hands over the screen of this moment, then each change.
   * @param {(frame: Frame) => void} watch
   * @returns {() => void} ends it
   */
  watch(watch) {
    this.#watchers.add(watch);
    if (this.screen) watch(this.screen);
    return () => this.#watchers.delete(watch);
  }

  stop() {
    this.#leave();
    this.#stream.stop();
  }
}
