// The keys board: the keys that a phone's keyboard lacks.

import { html } from "./html.js";
import { Icon } from "./icons.js";
import { words } from "./i18n/index.js";
import { useState } from "./vendor/preact-hooks.js";

/** What a key shows; a name that is not here shows itself. */
/** @type {Record<string, string>} */
const faces = {
  Escape: "Esc", Tab: "Tab", "Shift+Tab": "⇧ Tab", Up: "↑", Down: "↓", Left: "←", Right: "→", Enter: "⏎",
  Backspace: "⌫", Delete: "Del", PageUp: "PgUp", PageDown: "PgDn", Home: "Home", End: "End",
  "Ctrl+C": "^C", "Ctrl+D": "^D", "Ctrl+Z": "^Z",
};

const quick = ["Escape", "Tab", "Up", "Down", "Enter", "Ctrl+C"];

const full = [
  "Escape", "Tab", "Shift+Tab", "Backspace", "Delete",
  "Home", "Up", "End", "PageUp", "Ctrl+C",
  "Left", "Down", "Right", "PageDown", "Ctrl+D",
];

const letters = Array.from("ABCDEFGHIJKLMNOPQRSTUVWXYZ");

/** @typedef {(key: string) => void} Press */

/** @param {{name: string, press: Press, face?: string}} props */
function Key({ name, press, face = faces[name] ?? name }) {
  /** @type {Record<string, string>} */
  const spoken = words().key;
  // The focus stays where it is, so that a phone's keyboard neither opens nor closes.
  return html`
    <button type="button" class="key" data-key=${name} aria-label=${spoken[name]}
      onPointerDown=${(/** @type {Event} */ event) => event.preventDefault()} onClick=${() => press(name)}>${face}</button>
  `;
}

/**
 * A row of the keys that are wanted most, or the whole board in its place.
 * @param {object} props
 * @param {Press} props.press
 * @param {boolean} props.typing
 * @param {() => void} props.toggleTyping
 */
export function Keys({ press, typing, toggleTyping }) {
  const d = words();
  const [open, setOpen] = useState(false);
  const [ctrl, setCtrl] = useState(false);
  const toggles = html`
    <button type="button" class="key toggle" data-toggle="board" aria-label=${d.keysBoard} aria-pressed=${open}
      onClick=${() => setOpen(!open)}><${Icon} name="keyboard" /></button>
    <button type="button" class="key toggle" data-toggle="type" aria-label=${d.typeMode} aria-pressed=${typing}
      onClick=${toggleTyping}><${Icon} name="type" /></button>
  `;
  if (!open) {
    return html`
      <div class="quick" role="group" aria-label=${d.keys}>
        ${quick.map((name) => html`<${Key} key=${name} name=${name} press=${press} />`)}
        ${toggles}
      </div>
    `;
  }
  return html`
    <div class="board" role="group" aria-label=${d.keysBoard}>
      ${ctrl
        ? html`<div class="letters" role="group" aria-label=${d.ctrlLetters}>
            ${letters.map((letter) => html`<${Key} key=${letter} name=${`Ctrl+${letter}`} face=${letter} press=${press} />`)}
          </div>`
        : html`<div class="board-keys">${full.map((name) => html`<${Key} key=${name} name=${name} press=${press} />`)}</div>`}
      <div class="board-keys">
        <button type="button" class="key toggle" data-toggle="ctrl" aria-pressed=${ctrl} onClick=${() => setCtrl(!ctrl)}>${d.ctrl} …</button>
        <${Key} name="Ctrl+Z" press=${press} />
        <${Key} name="Enter" press=${press} />
        ${toggles}
      </div>
    </div>
  `;
}
