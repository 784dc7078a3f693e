// What a person can do about where a pane is and how large: the names of its tab
// and of its workspace, and a size that fits this screen.

import { panePath } from "./api.js";
import { Dialog, useWrite } from "./dialog.js";
import { html } from "./html.js";
import { words } from "./i18n/index.js";
import { client, herd } from "./state.js";
import { keyOf } from "./store.js";
import { useState } from "./vendor/preact-hooks.js";

/** @typedef {import("./types.js").Ref} Ref */

/** A label's bound: the node has it in bytes. */
export const maxLabelChars = 60;

/**
 * The tab and the workspace of a pane, as far as they are known.
 * @param {Ref} pane
 */
export function placeOf(pane) {
  const now = herd.value;
  const info = now?.panes.get(keyOf(pane));
  return {
    tab: info && now?.tabs.get(keyOf({ id: info.tab, host: pane.host })),
    workspace: info && now?.workspaces.get(keyOf({ id: info.workspace, host: pane.host })),
  };
}

/**
 * A new name for the tab or the workspace of a pane.
 * @param {{kind: "tab" | "workspace", pane: Ref, close: () => void}} props
 */
export function RenamePlace({ kind, pane, close }) {
  const d = words();
  const [place] = useState(() => placeOf(pane)[kind]);
  const [next, setNext] = useState(place?.label ?? "");
  const host = pane.host === undefined ? "" : `?host=${encodeURIComponent(pane.host)}`;
  const write = useWrite(() => client.post(`/api/${kind}${host}`, { id: place?.id ?? "", label: next.trim() }), close);
  return html`
    <${Dialog} title=${kind === "tab" ? d.renameTab : d.renameWorkspace} action=${d.save} ...${write} close=${close}>
      <label class="field"><span>${d.renameLabel}</span>
        <input value=${next} maxlength=${maxLabelChars} autocomplete="off"
          onInput=${(/** @type {any} */ event) => setNext(event.currentTarget.value)} /></label>
    <//>
  `;
}

/**
 * The question whether the pane shall have the size of this screen.
 * @param {{pane: Ref, size: {cols: number, rows: number}, close: () => void}} props
 */
export function Fit({ pane, size, close }) {
  const d = words();
  const write = useWrite(() => client.post(panePath(pane, "resize"), size), close);
  return html`
    <${Dialog} title=${d.fitTitle} action=${d.fitPane} ...${write} close=${close}><p>${d.fitBody(size.cols, size.rows)}</p><//>
  `;
}
