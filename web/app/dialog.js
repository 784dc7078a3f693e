// Modal questions, on the browser's own dialog element: it holds the focus and
// closes on Escape by itself.

import { html } from "./html.js";
import { words } from "./i18n/index.js";
import { writeSentence } from "./problem.js";
import { useEffect, useId, useRef, useState } from "./vendor/preact-hooks.js";

/**
 * @param {object} props
 * @param {string} props.title
 * @param {string} props.action what the confirming button says
 * @param {boolean} [props.danger]
 * @param {boolean} [props.busy]
 * @param {string} [props.problem]
 * @param {() => void} props.confirm
 * @param {() => void} props.close
 * @param {unknown} [props.children]
 */
export function Dialog({ title, action, danger = false, busy = false, problem = "", confirm, close, children }) {
  const d = words();
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
  /** @param {Event} event */
  const submit = (event) => {
    event.preventDefault();
    if (!busy) confirm();
  };
  return html`
    <dialog ref=${element} aria-labelledby=${id} onClose=${close}>
      <form method="dialog" onSubmit=${submit}>
        <h2 id=${id}>${title}</h2>
        <div class="dialog-body">${children}</div>
        ${problem && html`<p class="problem" role="alert">${problem}</p>`}
        <div class="dialog-actions">
          <button type="button" class="button" onClick=${close}>${d.cancel}</button>
          <button type="submit" class=${danger ? "button danger" : "button primary"} disabled=${busy}>${action}</button>
        </div>
      </form>
    </dialog>
  `;
}

/**
 * A write that a dialog waits for.
 * @param {() => Promise<unknown>} write
 * @param {() => void} done
 */
export function useWrite(write, done) {
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState("");
  const confirm = async () => {
    setBusy(true);
    setProblem("");
    try {
      await write();
      done();
    } catch (err) {
      setProblem(writeSentence(err));
      setBusy(false);
    }
  };
  return { busy, problem, confirm };
}
