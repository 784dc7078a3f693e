// The words of the app in the language of the person. English comes with the
// page; another dictionary is fetched when it is chosen.

import { computed, signal } from "../vendor/signals.js";
import { en } from "./en.js";

/** @typedef {import("./en.js").Dictionary} Dictionary */

/** @type {Record<string, () => Promise<Dictionary>>} */
const loaders = {
  en: async () => en,
  fr: async () => (await import("./fr.js")).fr,
  es: async () => (await import("./es.js")).es,
  tr: async () => (await import("./tr.js")).tr,
};

/** Every language by its tag, under its own name. */
export const languages = { en: "English", fr: "Français", es: "Español", tr: "Türkçe" };

const chosen = signal({ tag: "en", words: en });

/** The tag of the language in use, for dates and numbers. */
export const language = computed(() => chosen.value.tag);

/** The words in use. A component that reads them follows a change. */
export const words = () => chosen.value.words;

/**
 * The best language for a wish: a tag, or "system" for what the browser asks for.
 * @param {string} wish
 * @param {readonly string[]} system
 */
export function pickLanguage(wish, system) {
  for (const tag of wish === "system" ? system : [wish]) {
    const base = tag.toLowerCase().split("-")[0] ?? "";
    if (base in loaders) return base;
  }
  return "en";
}

/** The last wish: a dictionary that arrives after another wish is not put in place. */
let wanted = "en";

/** @param {string} tag one of pickLanguage's */
export async function useLanguage(tag) {
  const load = loaders[tag];
  if (!load) return;
  wanted = tag;
  try {
    const words = await load();
    if (wanted !== tag) return;
    chosen.value = { tag, words };
    document.documentElement.lang = tag;
  } catch {
    // Out of reach: the words in use stay.
  }
}
