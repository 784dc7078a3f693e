// Type mode: each key goes straight to the pane. The field below only catches
// what the keyboard does; it keeps nothing.

import { html } from "./html.js";
import { words } from "./i18n/index.js";
import { anchor, keyOfEvent, keysOfField } from "./typing.js";
import { useEffect, useRef } from "./vendor/preact-hooks.js";

/** Type mode ends after this long without a key. */
export const idleMs = 60_000;

/**
 * @param {object} props
 * @param {(keys: string[]) => void} props.press
 * @param {boolean} props.secret whether what is typed may be a password
 * @param {(why: "idle" | "done") => void} props.end
 */
export function TypeField({ press, secret, end }) {
  const d = words();
  /** @type {{current: HTMLInputElement | null}} */
  const field = useRef(null);
  const before = useRef(anchor);
  const lastKey = useRef(Date.now());

  useEffect(() => {
    field.current?.focus();
    reset();
    const timer = setInterval(() => {
      if (Date.now() - lastKey.current >= idleMs) end("idle");
    }, 1_000);
    return () => clearInterval(timer);
  }, []);

  /** @param {string[]} keys */
  const send = (keys) => {
    if (!keys.length) return;
    lastKey.current = Date.now();
    press(keys);
  };
  const reset = () => {
    before.current = anchor;
    if (field.current) field.current.value = anchor;
  };
  /** @param {InputEvent} event */
  const changed = (event) => {
    const after = field.current?.value ?? "";
    send(keysOfField(before.current, after));
    before.current = after;
    if (!event.isComposing) reset();
  };
  /** @param {KeyboardEvent} event */
  const keyDown = (event) => {
    const key = keyOfEvent(event);
    if (!key) return;
    event.preventDefault();
    send([key]);
    reset();
  };
  return html`
    <div class="type-field">
      <label for="type-field">${d.typeModeOn}</label>
      <div class="type-line">
        <input id="type-field" ref=${field} class=${secret ? "secret" : ""}
          autocomplete="off" autocapitalize="none" autocorrect="off" spellcheck=${false}
          onInput=${changed} onCompositionEnd=${reset} onKeyDown=${keyDown} />
        <button type="button" class="button" onClick=${() => end("done")}>${d.typeModeEnd}</button>
      </div>
    </div>
  `;
}
