// A sheet: a modal list or form that is closed when its reader is done with it.

import { html } from "./html.js";
import { Icon } from "./icons.js";
import { words } from "./i18n/index.js";
import { useEffect, useId, useRef } from "./vendor/preact-hooks.js";

/** @param {{title: string, close: () => void, children?: unknown}} props */
export function Sheet({ title, close, children }) {
  const id = useId();
  /** @type {{current: HTMLDialogElement | null}} */
  const element = useRef(null);
  useEffect(() => {
    const before = document.activeElement;
    element.current?.showModal();
    return () => {
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
  return html`
    <dialog ref=${element} class="sheet" aria-labelledby=${id} onClose=${close}>
      <div class="sheet-head">
        <h2 id=${id}>${title}</h2>
        <button class="icon-button" aria-label=${words().dismiss} onClick=${close}><${Icon} name="dismiss" /></button>
      </div>
      <div class="sheet-body">${children}</div>
    </dialog>
  `;
}
