// The state of the running app: pairing, herd, connection, route, preferences.
// It is made once by main.js; components read its signals.

import { Client } from "./api.js";
import { attend, follow, freshness } from "./connection.js";
import {
  Drafts, isTokenKey, openStorage, preferencesKey, readJSON, readToken, wipeCaches, wipeStorage, write, writeToken,
} from "./device.js";
import { pickLanguage, useLanguage } from "./i18n/index.js";
import { parseRoute } from "./route.js";
import { applyChange, applyGone, fromSnapshot } from "./store.js";
import { now } from "./time.js";
import { batch, computed, effect, signal } from "./vendor/signals.js";

/**
 * @typedef {{theme: string, language: string, zoom: number, maskNoticeSeen: boolean}} Preferences
 * @typedef {"device_not_paired" | "device_expired" | "here" | "here_listed" | ""} Ending why a pairing ended
 */

/** @type {Preferences} */
const defaults = { theme: "system", language: "system", zoom: 1, maskNoticeSeen: false };

const storage = openStorage();

/** @type {import("./vendor/signals.js").Signal<string>} */
export const token = signal(readToken(storage));
export const paired = computed(() => token.value !== "");
/** @type {import("./vendor/signals.js").Signal<Ending>} */
export const ending = signal("");

/** @type {import("./vendor/signals.js").Signal<import("./store.js").Herd | null>} */
export const herd = signal(null);

/** When the lead last gave a sign of life, by this phone's clock; 0 when never. */
export const lastSign = signal(0);
const startedAt = Date.now();
/** @type {import("./vendor/signals.js").Signal<import("./api.js").ApiError | null>} */
export const streamRefusal = signal(null);
/** How long ago the lead was last heard. */
export const silence = computed(() => Math.max(0, now.value - (lastSign.value || startedAt)));
export const fresh = computed(() => freshness(silence.value));

export const route = signal(readRoute());

/** @type {import("./vendor/signals.js").Signal<Preferences>} */
export const preferences = signal({ ...defaults, ...Object(readJSON(storage, preferencesKey)) });
export const drafts = new Drafts(storage);

export const client = new Client({
  token: () => token.value,
  ended(code, refused) {
    // A late answer to an old token says nothing about the present one.
    if (refused === token.value) endPairing(code === "device_expired" ? "device_expired" : "device_not_paired");
  },
});

/**
 * @param {string} fresh the token of a new pairing
 */
export function beginPairing(fresh) {
  writeToken(storage, fresh);
  batch(() => {
    token.value = fresh;
    ending.value = "";
    herd.value = null;
    lastSign.value = 0;
  });
}

/**
 * Deletes what the pairing left on this phone.
 * @param {Ending} why
 */
export function endPairing(why) {
  wipeStorage(storage);
  drafts.clear();
  wipeCaches();
  batch(() => {
    token.value = "";
    ending.value = why;
    herd.value = null;
    streamRefusal.value = null;
    if (route.value.page === "pane") location.hash = "#/";
  });
}

/** @param {Partial<Preferences>} change */
export function prefer(change) {
  preferences.value = { ...preferences.value, ...change };
  write(storage, preferencesKey, JSON.stringify(preferences.value));
}

/** Reads the address; a pairing code is taken out of it at once. */
function readRoute() {
  const found = parseRoute(location.hash);
  if (found.page === "pair") history.replaceState(null, "", location.pathname);
  return found;
}

/** @param {import("./stream.js").StreamEvent} event */
function take(event) {
  const data = JSON.parse(event.data);
  const at = Date.now();
  if (event.event === "snapshot") herd.value = fromSnapshot(data, at);
  else if (herd.value === null) return; // a change to something never seen
  else if (event.event === "change") herd.value = applyChange(herd.value, data, at);
  else if (event.event === "gone") herd.value = applyGone(herd.value, data, at);
}

/** Follows the herd while this phone is paired, and whatever the browser reports. */
export function start() {
  effect(() => {
    const { theme } = preferences.value;
    document.documentElement.dataset.theme = theme;
  });
  effect(() => {
    useLanguage(pickLanguage(preferences.value.language, navigator.languages));
  });
  effect(() => {
    if (!token.value) return;
    const events = follow({
      client,
      path: "/api/events",
      handle: take,
      alive() {
        lastSign.value = Date.now();
        streamRefusal.value = null;
      },
      refused(refusal) {
        streamRefusal.value = refusal;
      },
    });
    const leave = attend(events);
    return () => {
      leave();
      events.stop();
    };
  });

  window.addEventListener("hashchange", () => (route.value = readRoute()));
  window.addEventListener("storage", (event) => {
    // Another tab paired or unpaired this phone.
    if (!isTokenKey(event.key)) return;
    const other = readToken(storage);
    if (other === token.value) return;
    if (other) beginPairing(other);
    else endPairing("here");
  });
}
