// From what a keyboard does to the names of keys. A phone's keyboard speaks in
// changed text, not in keys; a real one in key events.

const segmenter = new Intl.Segmenter(undefined, { granularity: "grapheme" });

/**
 * The keys that turn one text into another: Backspace back to where they part,
 * then the new characters. So a keyboard that corrects a word is followed too.
 * @param {string} before
 * @param {string} after
 * @returns {string[]}
 */
export function keysBetween(before, after) {
  const old = Array.from(segmenter.segment(before), (part) => part.segment);
  const next = Array.from(segmenter.segment(after), (part) => part.segment);
  let same = 0;
  while (same < old.length && same < next.length && old[same] === next[same]) same++;
  return [
    ...old.slice(same).map(() => "Backspace"),
    ...next.slice(same).flatMap((part) => Array.from(part, named)),
  ];
}

/** Stands in the empty field of type mode, so that a Backspace has something to delete. */
export const anchor = "\u200b";

/**
 * The same for a field that holds the anchor: without it, it was deleted.
 * @param {string} before
 * @param {string} after
 * @returns {string[]}
 */
export function keysOfField(before, after) {
  const keys = keysBetween(before.replaceAll(anchor, ""), after.replaceAll(anchor, ""));
  return after.includes(anchor) ? keys : [...keys, "Backspace"];
}

/** @param {string} character */
const named = (character) => ({ "\n": "Enter", "\t": "Tab" })[character] ?? character;

/** Key events whose names the API has under another one, or under the same. */
/** @type {Record<string, string>} */
const names = {
  Enter: "Enter", Escape: "Escape", Tab: "Tab", Backspace: "Backspace", Delete: "Delete",
  ArrowUp: "Up", ArrowDown: "Down", ArrowLeft: "Left", ArrowRight: "Right",
  Home: "Home", End: "End", PageUp: "PageUp", PageDown: "PageDown",
};
for (let i = 1; i <= 12; i++) names[`F${i}`] = `F${i}`;

/**
 * The key that a key event means, or undefined for one that will change the
 * field's text instead (or is none of the pane's business).
 * @param {{key: string, ctrlKey: boolean, altKey: boolean, shiftKey: boolean, metaKey: boolean, isComposing: boolean}} event
 */
export function keyOfEvent(event) {
  if (event.isComposing || event.metaKey) return undefined;
  const { key } = event;
  const name = names[key];
  if (name === "Tab" && event.shiftKey) return "Shift+Tab";
  if (name) return name;
  if (Array.from(key).length !== 1) return undefined; // Shift, Dead, Unidentified, …
  if (event.ctrlKey && event.altKey) return undefined; // AltGr writes a character
  if (event.ctrlKey) return chord(key);
  if (event.altKey) return `Alt+${key}`;
  return undefined;
}

/**
 * Ctrl and a character, or undefined where there is no such key.
 * @param {string} key
 */
export function chord(key) {
  return /^[a-z]$/i.test(key) ? `Ctrl+${key.toUpperCase()}` : undefined;
}
