// Keeps one event stream open, and is honest about how fresh it is.

import { ApiError, asApiError } from "./api.js";

/** The node beats every two seconds; these are the ages at which the app says so. */
export const amberAfterMs = 4_000;
export const redAfterMs = 15_000;

/** A stream that is silent for this long is dead: it is dropped and dialled again. */
const silentMs = 10_000;

/** A page that nobody sees gives its streams back after this long: a browser opens few at once to one machine. */
const unseenMs = 30_000;

/** A stream that held for this long was a good one: the next failure is the first again. */
const steadyMs = 5_000;

/** @typedef {"ok" | "amber" | "red"} Freshness */

/**
 * @param {number} ageMs since the last sign of life
 * @returns {Freshness}
 */
export function freshness(ageMs) {
  if (ageMs >= redAfterMs) return "red";
  return ageMs >= amberAfterMs ? "amber" : "ok";
}

/**
 * How long to wait before try number `failures` + 1. A broken connection is
 * dialled again soon; a refusal waits at least 15 s, so that a phone never asks
 * more than a few times a minute for what it was just refused.
 * @param {number} failures in a row, from 1
 * @param {boolean} refused
 * @param {number} random from 0 to 1
 */
export function retryDelay(failures, refused, random) {
  const base = refused ? 15_000 : 500;
  const most = refused ? 60_000 : 15_000;
  const step = Math.min(most, base * 2 ** (failures - 1));
  return refused ? step * (1 + random / 2) : step * (0.5 + random / 2);
}

/** @param {string} data an error document */
function refusalIn(data) {
  const { code, error, detail } = JSON.parse(data);
  return new ApiError(String(code), String(error), 500, detail);
}

/**
 * `pause` lets go of the stream until `hurry`, which dials at once: for a page
 * that comes back, or a network that does.
 * @typedef {{stop: () => void, pause: () => void, hurry: () => void}} Stream
 */

/**
 * Follows a stream until it is stopped, and dials again whenever it breaks.
 * `refused` may return true to give up for good (the pane is gone, say).
 * @param {object} parts
 * @param {import("./api.js").Client} parts.client
 * @param {string} parts.path
 * @param {(event: import("./stream.js").StreamEvent) => void} parts.handle
 * @param {() => void} [parts.alive] is told of every sign of life
 * @param {(refusal: import("./api.js").ApiError) => boolean | void} [parts.refused]
 * @param {() => void} [parts.unanswered] is told when nobody answered at all
 * @returns {Stream}
 */
export function follow({ client, path, handle, alive = () => {}, refused = () => false, unanswered = () => {} }) {
  let stopped = false;
  let paused = false;
  let failures = 0;
  let lastSign = Date.now();
  let lastRefused = false;
  /** @type {AbortController | undefined} */
  let current;
  /** @type {(() => void) | undefined} */
  let wake;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;

  const sign = () => {
    lastSign = Date.now();
    alive();
  };

  async function run() {
    while (!stopped) {
      if (paused) {
        await new Promise((/** @type {(value?: unknown) => void} */ resolve) => (wake = resolve));
        continue;
      }
      const attempt = new AbortController();
      current = attempt;
      const began = Date.now();
      lastSign = began;
      const watch = setInterval(() => {
        if (Date.now() - lastSign > silentMs) attempt.abort();
      }, 1_000);
      lastRefused = false;
      try {
        await client.stream(path, attempt.signal, sign, (event) => {
          if (Date.now() - began > steadyMs) failures = 0;
          if (event.event === "error") throw refusalIn(event.data); // it began well, and is refused now
          sign();
          if (!stopped && event.event !== "beat") handle(event);
        });
      } catch (err) {
        const refusal = asApiError(err);
        lastRefused = refusal.status > 0;
        if (lastRefused && !stopped && refused(refusal)) return;
        if (!lastRefused && !stopped && !paused) unanswered();
      } finally {
        clearInterval(watch);
      }
      if (stopped) return;
      if (paused) continue;
      failures++;
      await new Promise((/** @type {(value?: unknown) => void} */ resolve) => {
        wake = resolve;
        timer = setTimeout(resolve, retryDelay(failures, lastRefused, Math.random()));
      });
      clearTimeout(timer);
    }
  }
  run();

  return {
    stop() {
      stopped = true;
      current?.abort();
      wake?.();
    },
    pause() {
      paused = true;
      current?.abort();
      wake?.();
    },
    hurry() {
      if (paused) {
        paused = false;
        failures = 0;
        wake?.();
        return;
      }
      if (lastRefused) return; // a refusal keeps its pace
      failures = Math.min(failures, 1);
      if (Date.now() - lastSign > amberAfterMs) current?.abort();
      wake?.();
    },
  };
}

/**
 * Pauses a stream while nobody sees the page, and hurries it when the page or
 * the network comes back.
 * @param {Stream} stream
 * @returns {() => void} ends that
 */
export function attend(stream) {
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  const look = () => {
    clearTimeout(timer);
    if (document.visibilityState === "visible") stream.hurry();
    else timer = setTimeout(() => stream.pause(), unseenMs);
  };
  document.addEventListener("visibilitychange", look);
  window.addEventListener("online", look);
  return () => {
    clearTimeout(timer);
    document.removeEventListener("visibilitychange", look);
    window.removeEventListener("online", look);
  };
}
