// What stands below the last screen of a program that has ended: that it has,
// with its exit code, and the pane's end. There is nothing to type to any more.

import { panePath } from "./api.js";
import { useWrite } from "./dialog.js";
import { html } from "./html.js";
import { words } from "./i18n/index.js";
import { client } from "./state.js";

/**
 * @typedef {import("./types.js").Ref} Ref
 * @typedef {import("./types.js").Pane} Pane
 */

/**
 * The word for a program's end. A code that nobody told is left out, and so is 0.
 * @param {Pane} pane
 */
export function endOf(pane) {
  const d = words();
  const code = pane.exitCode ?? -1;
  return code > 0 ? d.endedWith(code) : d.status.done;
}

/** @param {{pane: Ref, info: Pane}} props */
export function Ended({ pane, info }) {
  const d = words();
  const { busy, problem, confirm } = useWrite(() => client.post(panePath(pane, "close"), {}), () => {
    location.hash = "#/";
  });
  return html`
    <div class="dock ended">
      <p><strong>${endOf(info)}.</strong> ${d.endedBody}</p>
      ${problem && html`<p class="problem" role="alert">${problem}</p>`}
      <button class="button" disabled=${busy} onClick=${confirm}>${d.closePane}</button>
    </div>
  `;
}
