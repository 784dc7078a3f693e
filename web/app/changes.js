// The Changes page: what git sees in a pane's folder.

import { panePath } from "./api.js";
import { Bar } from "./bar.js";
import { parseDiff } from "./diff.js";
import { html } from "./html.js";
import { Icon } from "./icons.js";
import { words } from "./i18n/index.js";
import { sentence } from "./problem.js";
import { useRead } from "./read.js";
import { formatRoute } from "./route.js";
import { useId, useState } from "./vendor/preact-hooks.js";

/** How many lines of one diff are drawn before somebody asks for the rest. */
const shownLines = 1500;

/** Where the first letter would be taken for another one. @type {Record<string, string>} */
const letters = { untracked: "+", conflicted: "!" };

/** @typedef {import("./types.js").Ref} Ref */
/** @typedef {import("./types.js").Changes} ChangesAnswer */
/** @typedef {import("./types.js").ChangeEntry} ChangeEntry */
/** @typedef {{entry: ChangeEntry, what: string, staged: boolean}} Change */

/**
 * The parts of the list: what is staged, what is not, and what git does not know.
 * @param {ChangeEntry[]} entries
 * @returns {{staged: Change[], unstaged: Change[], untracked: Change[]}}
 */
export function partsOf(entries) {
  /** @type {ReturnType<typeof partsOf>} */
  const parts = { staged: [], unstaged: [], untracked: [] };
  for (const entry of entries) {
    if (entry.staged) parts.staged.push({ entry, what: entry.staged, staged: true });
    if (entry.unstaged === "untracked") parts.untracked.push({ entry, what: entry.unstaged, staged: false });
    else if (entry.unstaged) parts.unstaged.push({ entry, what: entry.unstaged, staged: false });
  }
  return parts;
}

/** @param {{pane: Ref}} props */
export function Changes({ pane }) {
  const d = words();
  /** @type {ReturnType<typeof useRead<ChangesAnswer>>} */
  const { value, error, busy, again } = useRead(panePath(pane, "changes"));
  const parts = partsOf(value?.entries ?? []);
  return html`
    <div class="page changes">
      <${Bar} title=${d.changes} back=${formatRoute({ page: "pane", ...pane })}>
        <button class="icon-button" aria-label=${d.readAgain} disabled=${busy} onClick=${again}><${Icon} name="again" /></button>
      <//>
      <main id="content" class="content" aria-busy=${busy}>
        ${error && html`<p class="notice warning" role="alert"><${Icon} name="warning" />${sentence(error)}</p>`}
        ${!value && !error && html`<p class="quiet" role="status">${d.loading}</p>`}
        ${value && !value.repository && html`<p class="empty">${d.noRepository}</p>`}
        ${value?.repository && html`
          <p class="branch"><${Icon} name="branch" /><span>${value.branch || d.noBranch}</span>${value.head && html`<code>${value.head.slice(0, 10)}</code>`}</p>
          ${!value.entries.length && html`<p class="empty">${d.noChanges}</p>`}
          <${Part} pane=${pane} title=${d.staged} list=${parts.staged} />
          <${Part} pane=${pane} title=${d.unstaged} list=${parts.unstaged} />
          <${Part} pane=${pane} title=${d.untracked} list=${parts.untracked} />
          ${value.more && html`<p class="fine more-note">${d.changesMore}</p>`}
        `}
      </main>
    </div>
  `;
}

/** @param {{pane: Ref, title: string, list: Change[]}} props */
function Part({ pane, title, list }) {
  if (!list.length) return null;
  return html`
    <section class="changes-part">
      <h2>${title} <span class="count plain">${list.length}</span></h2>
      <ul class="rows">${list.map((change) => html`<li key=${change.entry.path}><${Row} pane=${pane} change=${change} /></li>`)}</ul>
    </section>
  `;
}

/** @param {{pane: Ref, change: Change}} props */
function Row({ pane, change }) {
  const d = words();
  const id = useId();
  const [open, setOpen] = useState(false);
  const { entry, what } = change;
  const cut = entry.path.replace(/\/$/, "").lastIndexOf("/") + 1;
  /** @type {Record<string, string>} */
  const kinds = d.change;
  const inner = html`
    <span class=${`mark ${what}`} aria-hidden="true">${letters[what] ?? (what[0] ?? "").toUpperCase()}</span>
    <span class="row-text"><span class="row-name">${entry.path.slice(cut)}</span>
      <span class="row-detail">${[kinds[what] ?? what, entry.from ? d.renamedFrom(entry.from) : entry.path.slice(0, cut)].filter(Boolean).join(" · ")}</span></span>
  `;
  if (!entry.opens) return html`<span class="row-link still">${inner}<span class="row-detail">${d.notOpened}</span></span>`;
  if (what === "untracked") {
    return html`<a class="row-link" href=${formatRoute({ page: "files", ...pane, path: entry.path.replace(/\/$/, "") })}>${inner}<${Icon} name="forward" /></a>`;
  }
  return html`
    <button class="row-link" aria-expanded=${open} aria-controls=${id} onClick=${() => setOpen(!open)}>${inner}
      <${Icon} name="forward" /></button>
    <div id=${id}>${open && html`<${Diff} pane=${pane} change=${change} />`}</div>
  `;
}

/** @param {{pane: Ref, change: Change}} props */
function Diff({ pane, change }) {
  const d = words();
  const { entry, staged } = change;
  const [all, setAll] = useState(false);
  /** @type {ReturnType<typeof useRead<ChangesAnswer>>} */
  const { value, error } = useRead(panePath(pane, "changes", {
    path: entry.path, ...(entry.from && staged && { from: entry.from }), ...(staged && { staged: 1 }),
  }));
  if (error) return html`<p class="problem diff-note" role="alert">${sentence(error)}</p>`;
  const diff = value?.diff;
  if (!diff) return html`<p class="quiet diff-note" role="status">${d.loading}</p>`;
  const lines = parseDiff(diff.text);
  if (diff.binary) return html`<p class="quiet diff-note">${d.diffBinary}</p>`;
  if (!lines.length) return html`<p class="quiet diff-note">${d.diffNothing}</p>`;
  const shown = all ? lines : lines.slice(0, shownLines);
  return html`
    ${diff.masked && html`<p class="notice diff-note" role="status"><${Icon} name="lock" />${d.maskNotice}</p>`}
    <pre class="diff" tabindex="0" role="region" aria-label=${d.diffOf(entry.path)}>${shown.map((line) => html`
      <span class=${line.kind}><span class="number" aria-hidden="true">${line.after || line.before || ""}</span>${line.text}${"\n"}</span>`)}</pre>
    ${shown.length < lines.length && html`<button class="button wide" onClick=${() => setAll(true)}>${d.diffMore(lines.length - shown.length)}</button>`}
    ${diff.cut && html`<p class="fine diff-note">${d.diffCut}</p>`}
  `;
}
