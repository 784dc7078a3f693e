// The menu of a pane: the size of its type, its name, its end.

import { panePath } from "./api.js";
import { Dialog, useWrite } from "./dialog.js";
import { html } from "./html.js";
import { Icon } from "./icons.js";
import { words } from "./i18n/index.js";
import { Fit, maxLabelChars, placeOf, RenamePlace } from "./place.js";
import { formatRoute } from "./route.js";
import { reused, SentSheet } from "./sent.js";
import { client } from "./state.js";
import { keyOf } from "./store.js";
import { screenCells, zoomBy } from "./terminal.js";
import { useEffect, useRef, useState } from "./vendor/preact-hooks.js";
import { Message } from "./walky.js";
import { Worktree } from "./worktree.js";

const zoomStep = 1.15;

/** @typedef {import("./types.js").Ref} Ref */

/** @param {{pane: Ref, name: string, label: string, token?: string}} props `token` is that of an agent session */
export function PaneMenu({ pane, name, label, token }) {
  const d = words();
  const { tab } = placeOf(pane);
  const [open, setOpen] = useState(false);
  const [asking, setAsking] = useState(/** @type {"" | "message" | "sent" | "rename" | "close" | "worktree" | "tab" | "workspace" | "fit"} */ (""));
  /** @type {{current: HTMLElement | null}} */
  const box = useRef(null);

  useEffect(() => {
    if (!open) return;
    /** @param {Event} event */
    const outside = (event) => {
      if (event.target instanceof Node && !box.current?.contains(event.target)) setOpen(false);
    };
    /** @param {KeyboardEvent} event */
    const escape = (event) => {
      if (event.key !== "Escape") return;
      setOpen(false);
      box.current?.querySelector("button")?.focus();
    };
    document.addEventListener("pointerdown", outside);
    document.addEventListener("keydown", escape);
    return () => {
      document.removeEventListener("pointerdown", outside);
      document.removeEventListener("keydown", escape);
    };
  }, [open]);

  /** @param {"message" | "sent" | "rename" | "close" | "worktree" | "tab" | "workspace" | "fit"} what */
  const ask = (what) => {
    setOpen(false);
    setAsking(what);
  };
  return html`
    <div class="menu" ref=${box}>
      <button class="icon-button" aria-label=${d.paneMenu} aria-expanded=${open} aria-controls="pane-menu"
        onClick=${() => setOpen(!open)}><${Icon} name="more" /></button>
      ${open && html`
        <div id="pane-menu" class="menu-list">
          <div class="menu-pair">
            <button aria-label=${d.smaller} onClick=${() => zoomBy(1 / zoomStep)}><span class="small-a" aria-hidden="true">A</span></button>
            <button aria-label=${d.larger} onClick=${() => zoomBy(zoomStep)}><span class="large-a" aria-hidden="true">A</span></button>
          </div>
          <a href=${formatRoute({ page: "files", ...pane, path: "" })}>${d.files}</a>
          <a href=${formatRoute({ page: "changes", ...pane })}>${d.changes}</a>
          ${token && html`<button onClick=${() => ask("message")}>${d.walkyMessage}</button>`}
          <button onClick=${() => ask("worktree")}>${d.worktree}</button>
          <button onClick=${() => ask("sent")}>${d.sentLines.title}</button>
          <button onClick=${() => ask("rename")}>${d.rename}</button>
          ${tab && tab.label !== label && html`<button onClick=${() => ask("tab")}>${d.renameTab}</button>`}
          <button onClick=${() => ask("workspace")}>${d.renameWorkspace}</button>
          <button onClick=${() => ask("fit")}>${d.fitPane}</button>
          <button class="danger-text" onClick=${() => ask("close")}>${d.closePane}</button>
        </div>
      `}
    </div>
    ${asking === "sent" && html`<${SentSheet} host=${pane.host} close=${() => setAsking("")} use=${(/** @type {string} */ text) => {
      setAsking("");
      reused.value = { pane: keyOf(pane), text };
    }} />`}
    ${asking === "message" && token && html`<${Message} pane=${pane} token=${token} name=${name} close=${() => setAsking("")} />`}
    ${asking === "rename" && html`<${Rename} pane=${pane} label=${label} close=${() => setAsking("")} />`}
    ${(asking === "tab" || asking === "workspace") && html`<${RenamePlace} kind=${asking} pane=${pane} close=${() => setAsking("")} />`}
    ${asking === "fit" && html`<${Fit} pane=${pane} size=${screenCells()} close=${() => setAsking("")} />`}
    ${asking === "worktree" && html`<${Worktree} pane=${pane} close=${() => setAsking("")} />`}
    ${asking === "close" && html`<${Close} pane=${pane} name=${name} close=${() => setAsking("")} />`}
  `;
}

/** @param {{pane: Ref, label: string, close: () => void}} props */
function Rename({ pane, label, close }) {
  const d = words();
  const [next, setNext] = useState(label);
  const write = useWrite(() => client.post(panePath(pane, "rename"), { label: next.trim() }), close);
  return html`
    <${Dialog} title=${d.renameTitle} action=${d.save} ...${write} close=${close}>
      <label class="field"><span>${d.renameLabel}</span>
        <input value=${next} maxlength=${maxLabelChars} autocomplete="off"
          onInput=${(/** @type {any} */ event) => setNext(event.currentTarget.value)} />
        <small>${d.renameHint}</small></label>
    <//>
  `;
}

/** @param {{pane: Ref, name: string, close: () => void}} props */
function Close({ pane, name, close }) {
  const d = words();
  const write = useWrite(() => client.post(panePath(pane, "close"), {}), () => {
    close();
    location.hash = "#/";
  });
  return html`
    <${Dialog} title=${d.closeTitle} action=${d.closePane} danger ...${write} close=${close}><p>${d.closeBody(name)}</p><//>
  `;
}
