// The state of the running app: pairing, herd, connection, route, preferences.
// It is made once by main.js; components read its signals.

import { asApiError, Client } from "./api.js";
import { handed, takeHanded } from "./arrival.js";
import { amberAfterMs, attend, follow, freshness, redAfterMs } from "./connection.js";
import {
  doorKey, Drafts, isTokenKey, openStorage, preferencesKey, readJSON, readToken, renewKey, wipeCaches, wipeStorage, write, writeToken,
} from "./device.js";
import { Keeper, openShelf } from "./keep.js";
import { pickLanguage, useLanguage } from "./i18n/index.js";
import { parseRoute } from "./route.js";
import { doorOf, speaks } from "./standby.js";
import { applyChange, applyGone, fromSnapshot } from "./store.js";
import { now } from "./time.js";
import { batch, computed, effect, signal } from "./vendor/signals.js";

/**
 * @typedef {{theme: string, language: string, zoom: number, wide: "fit" | "scroll", maskNoticeSeen: boolean, keepChat: boolean}} Preferences
 * @typedef {"device_not_paired" | "device_expired" | "here" | "here_listed" | ""} Ending why a pairing ended
 */

/** @type {Preferences} */
const defaults = { theme: "system", language: "system", zoom: 1, wide: "scroll", maskNoticeSeen: false, keepChat: true };

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

/** @type {import("./vendor/signals.js").Signal<import("./standby.js").Door | null>} */
export const door = signal(doorOf(readJSON(storage, doorKey)));
/** When the lead last said anything, a refusal too, or this page came back to sight. */
const lastWord = signal(startedAt);
/** The door that is offered, while the lead is silent. */
export const offered = computed(() => {
  const silent = now.value - lastWord.value >= redAfterMs && !speaks(streamRefusal.value);
  return paired.value && silent ? door.value : null;
});

/** Whether this phone is on its way in from a standby door. */
export const arriving = signal(handed !== "");

export const route = signal(readRoute());

/** @type {import("./vendor/signals.js").Signal<Preferences>} */
export const preferences = signal({ ...defaults, ...Object(readJSON(storage, preferencesKey)) });
export const drafts = new Drafts(storage);
/** What this phone keeps of sessions. */
export const keeper = new Keeper(openShelf());

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
  door.value = null;
  drafts.clear();
  wipeCaches();
  keeper.wipe().catch(() => {}); // a browser that forbids it has kept nothing
  batch(() => {
    token.value = "";
    ending.value = why;
    herd.value = null;
    streamRefusal.value = null;
    if ("id" in route.value) location.hash = "#/";
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

/**
 * Takes the token over that a standby door handed to this page, for a new one:
 * what stood in an address is worth nothing afterwards.
 * @param {string} given
 */
async function arrive(given) {
  arriving.value = true;
  const bearer = new Client({ token: () => given, ended() {} });
  try {
    beginPairing((await bearer.post("/api/token/renew", {})).token);
  } catch (err) {
    const { status, code } = asApiError(err);
    // A token that is refused takes nobody's place, nor does one that nobody could try.
    if (paired.value) return;
    if (status === 403) ending.value = code === "device_expired" ? "device_expired" : "device_not_paired";
    else {
      beginPairing(given);
      write(storage, renewKey, "1");
    }
  } finally {
    arriving.value = false;
  }
}

/** Renews the token once the lead answers, where that is still to be done. */
async function renewLate() {
  if (storage.getItem(renewKey) === null) return;
  storage.removeItem(renewKey);
  const before = token.value;
  try {
    const fresh = (await client.post("/api/token/renew", {})).token;
    if (token.value !== before) return;
    writeToken(storage, fresh);
    token.value = fresh;
  } catch {
    if (token.value === before) write(storage, renewKey, "1"); // with the next word of the lead
  }
}

/**
 * Keeps what the lead says of the standby door.
 * @param {unknown} said
 */
function keepDoor(said) {
  const next = doorOf(said);
  if (next?.url === door.value?.url && next?.machine === door.value?.machine) return;
  door.value = next;
  if (next) write(storage, doorKey, JSON.stringify(next));
  else storage.removeItem(doorKey);
}

/** @param {import("./stream.js").StreamEvent} event */
function take(event) {
  const data = JSON.parse(event.data);
  const at = Date.now();
  if (event.event === "snapshot" || data.standby !== undefined) keepDoor(data.standby);
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
        lastWord.value = lastSign.value = Date.now();
        streamRefusal.value = null;
        renewLate();
      },
      refused(refusal) {
        streamRefusal.value = refusal;
        if (speaks(refusal)) lastWord.value = Date.now();
      },
      unanswered() {
        streamRefusal.value = null;
      },
    });
    const leave = attend(events);
    return () => {
      leave();
      events.stop();
    };
  });

  if (handed) arrive(handed);
  window.addEventListener("hashchange", () => {
    const given = takeHanded();
    if (given) arrive(given);
    else route.value = readRoute();
  });
  document.addEventListener("visibilitychange", () => {
    // The stream was let go meanwhile: it gets a moment to come back.
    if (document.visibilityState === "visible") lastWord.value = Math.max(lastWord.value, Date.now() - redAfterMs + amberAfterMs);
  });
  window.addEventListener("storage", (event) => {
    // Another tab paired or unpaired this phone.
    if (!isTokenKey(event.key)) return;
    const other = readToken(storage);
    if (other === token.value) return;
    if (other) beginPairing(other);
    else endPairing("here");
  });
}
