// The Files page: one folder or one text file below a pane's folder.

import { panePath } from "./api.js";
import { Bar } from "./bar.js";
import { html } from "./html.js";
import { Icon } from "./icons.js";
import { language, words } from "./i18n/index.js";
import { sentence } from "./problem.js";
import { useRead } from "./read.js";
import { formatRoute } from "./route.js";
import { client } from "./state.js";
import { useEffect, useState } from "./vendor/preact-hooks.js";

/** @typedef {import("./types.js").Ref} Ref */
/** @typedef {import("./types.js").Files} FilesAnswer */
/** @typedef {import("./types.js").FileEntry} FileEntry */
/** @typedef {import("./types.js").FileView} FileView */

/** @param {{pane: Ref, path: string}} props */
export function Files({ pane, path }) {
  const d = words();
  /** @type {ReturnType<typeof useRead<FilesAnswer>>} */
  const { value, error, busy, again } = useRead(panePath(pane, "files", { path }));
  const parts = path ? path.split("/") : [];
  const name = parts.at(-1) ?? d.files;
  const up = parts.length ? formatRoute({ page: "files", ...pane, path: parts.slice(0, -1).join("/") }) : formatRoute({ page: "pane", ...pane });
  return html`
    <div class="page files">
      <${Bar} title=${name} back=${up}>
        <button class="icon-button" aria-label=${d.readAgain} disabled=${busy} onClick=${again}><${Icon} name="again" /></button>
      <//>
      <main id="content" class="content" aria-busy=${busy}>
        <${Crumbs} pane=${pane} parts=${parts} />
        ${error && html`<p class="notice warning" role="alert"><${Icon} name="warning" />${sentence(error)}</p>`}
        ${!value && !error && html`<p class="quiet" role="status">${d.loading}</p>`}
        ${value?.folder && html`<${Folder} pane=${pane} path=${path} folder=${value.folder} />`}
        ${value?.file && html`<${Text} key=${path} pane=${pane} path=${path} first=${value.file} />`}
      </main>
    </div>
  `;
}

/** Where this is, below the pane's folder. @param {{pane: Ref, parts: string[]}} props */
function Crumbs({ pane, parts }) {
  const d = words();
  return html`
    <nav class="crumbs" aria-label=${d.path}>
      <a href=${formatRoute({ page: "files", ...pane, path: "" })} aria-current=${parts.length ? undefined : "page"}>${d.workFolder}</a>
      ${parts.map((part, i) => html`
        <span aria-hidden="true">/</span>
        <a href=${formatRoute({ page: "files", ...pane, path: parts.slice(0, i + 1).join("/") })}
          aria-current=${i === parts.length - 1 ? "page" : undefined}>${part}</a>
      `)}
    </nav>
  `;
}

/** @param {{pane: Ref, path: string, folder: {entries: FileEntry[], more: boolean}}} props */
function Folder({ pane, path, folder }) {
  const d = words();
  if (!folder.entries.length) return html`<p class="empty">${d.folderEmpty}</p>`;
  return html`
    <ul class="rows">
      ${folder.entries.map((entry) => html`<li key=${entry.name}><${Row} pane=${pane} path=${path} entry=${entry} /></li>`)}
    </ul>
    ${folder.more && html`<p class="fine more-note">${d.folderMore}</p>`}
  `;
}

/** @param {{pane: Ref, path: string, entry: FileEntry}} props */
function Row({ pane, path, entry }) {
  const d = words();
  const inner = html`
    <${Icon} name=${entry.kind === "folder" ? "folder" : entry.kind === "link" ? "link" : "file"} />
    <span class="row-text"><span class="row-name">${entry.name}</span>
      ${entry.kind === "folder" ? html`<span class="unseen">${d.folder}</span>`
        : html`<span class="row-detail">${entry.opens ? detailOf(entry) : d.notOpened}</span>`}</span>
  `;
  if (!entry.opens) return html`<span class="row-link still">${inner}</span>`;
  const to = path ? `${path}/${entry.name}` : entry.name;
  return html`<a class="row-link" href=${formatRoute({ page: "files", ...pane, path: to })}>${inner}
    ${entry.kind === "folder" && html`<${Icon} name="forward" />`}</a>`;
}

/** @param {FileEntry} entry */
function detailOf(entry) {
  const when = entry.modifiedAt ? new Date(entry.modifiedAt).toLocaleString(language.value, { dateStyle: "medium", timeStyle: "short" }) : "";
  return [entry.kind === "file" && sizeOf(entry.sizeBytes), when].filter(Boolean).join(" · ");
}

/** A size that is read at a glance. @param {number} bytes */
export function sizeOf(bytes) {
  const units = ["byte", "kilobyte", "megabyte", "gigabyte", "terabyte"];
  const step = bytes < 1 ? 0 : Math.min(Math.floor(Math.log10(bytes) / 3), units.length - 1);
  return (bytes / 1000 ** step).toLocaleString(language.value, {
    style: "unit", unit: units[step], unitDisplay: step ? "short" : "narrow", maximumFractionDigits: bytes < 1000 ? 0 : 1,
  });
}

/** A file, page after page. @param {{pane: Ref, path: string, first: FileView}} props */
function Text({ pane, path, first }) {
  const d = words();
  const [pages, setPages] = useState([first]);
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState("");
  useEffect(() => setPages([first]), [first]);
  const last = pages.at(-1) ?? first;
  const more = async () => {
    setBusy(true);
    setProblem("");
    try {
      /** @type {FilesAnswer} */
      const { file } = await client.get(panePath(pane, "files", { path, from: last.next }));
      if (!file || file.sizeBytes !== first.sizeBytes || file.modifiedAt !== first.modifiedAt) setProblem(d.errors.file_changed);
      else setPages([...pages, file]);
    } catch (err) {
      setProblem(sentence(err));
    } finally {
      setBusy(false);
    }
  };
  const about = [sizeOf(first.sizeBytes), first.modifiedAt && new Date(first.modifiedAt).toLocaleString(language.value, { dateStyle: "medium", timeStyle: "short" })];
  return html`
    <p class="fine">${about.filter(Boolean).join(" · ")}</p>
    ${pages.some((page) => page.masked) && html`<p class="notice" role="status"><${Icon} name="lock" />${d.maskNotice}</p>`}
    ${first.binary ? html`<p class="empty">${d.fileBinary}</p>`
      : first.sizeBytes === 0 ? html`<p class="empty">${d.fileEmpty}</p>`
        : html`<pre class="code" tabindex="0" role="region" aria-label=${path}>${pages.map((page) => page.text)}</pre>`}
    ${problem && html`<p class="problem" role="alert">${problem}</p>`}
    ${last.next > 0 && html`<button class="button wide" disabled=${busy} onClick=${more}>${busy ? d.loading : d.fileMore}</button>`}
    ${!last.next && last.cut && html`<p class="fine more-note">${d.fileCut}</p>`}
  `;
}
