// Ages and dates in the person's language.

import { computed, signal } from "./vendor/signals.js";
import { language } from "./i18n/index.js";

/** A slow clock that components follow. */
export const now = signal(Date.now());

/** A slower one, for long lists: it moves every five seconds. */
export const slow = computed(() => Math.floor(now.value / 5_000) * 5_000);

/** @returns {() => void} stops the clock */
export function startClock() {
  const timer = setInterval(() => (now.value = Date.now()), 1_000);
  return () => clearInterval(timer);
}

/** @type {readonly [unit: string, ms: number][]} */
const units = [["day", 86_400_000], ["hour", 3_600_000], ["minute", 60_000], ["second", 1_000]];

/**
 * An age in its largest unit: "4 min".
 * @param {number} ms
 */
export function age(ms) {
  const [unit, size] = units.find(([, length]) => ms >= length) ?? ["second", 1_000];
  const format = new Intl.NumberFormat(language.value, { style: "unit", unit, unitDisplay: "short" });
  return format.format(Math.max(0, Math.floor(ms / size)));
}

/** @param {number} at epoch milliseconds */
export function date(at) {
  return new Intl.DateTimeFormat(language.value, { dateStyle: "medium" }).format(at);
}

/** @param {number} at epoch milliseconds */
export function clock(at) {
  const sameDay = new Date(at).toDateString() === new Date().toDateString();
  const style = sameDay ? { timeStyle: /** @type {const} */ ("short") }
    : { dateStyle: /** @type {const} */ ("short"), timeStyle: /** @type {const} */ ("short") };
  return new Intl.DateTimeFormat(language.value, style).format(at);
}
