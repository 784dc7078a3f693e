// Browse: to choose a folder below home, by tapping or by typing.

import { html } from "./html.js";
import { Icon } from "./icons.js";
import { words } from "./i18n/index.js";
import { sentence } from "./problem.js";
import { useRead } from "./read.js";

/** @typedef {{home: string, path: string, folders: string[], more: boolean}} Folders */

/**
 * What a person typed is a folder and the beginning of a name in it.
 * @param {string} typed below home
 */
export function placeOf(typed) {
  const cut = typed.lastIndexOf("/");
  return cut < 0 ? { path: "", start: typed } : { path: typed.slice(0, cut), start: typed.slice(cut + 1) };
}

/**
 * @param {object} props
 * @param {string} [props.host] the machine; absent is the lead
 * @param {string} props.value a folder below home; "" is home itself
 * @param {(path: string) => void} props.choose is told each step; a folder that was tapped ends in "/"
 */
export function Browse({ host, value, choose }) {
  const d = words();
  const { path, start } = placeOf(value);
  const query = new URLSearchParams({ path, start, ...(host && { host }) });
  /** @type {ReturnType<typeof useRead<Folders>>} */
  const { value: found, error, busy } = useRead(`/api/folders?${query}`);
  return html`
    <div class="browse">
      <label class="field"><span>${d.folder}</span>
        <span class="home-path"><span aria-hidden="true">~/</span><input value=${value} autocomplete="off" autocapitalize="none" spellcheck=${false}
          aria-describedby="browse-hint" onInput=${(/** @type {any} */ event) => choose(event.currentTarget.value.replace(/^[~/]+/, ""))} /></span>
        <small id="browse-hint">${d.browseHint}</small></label>
      ${error && html`<p class="problem" role="alert">${sentence(error)}</p>`}
      <ul class="rows" aria-busy=${busy} aria-label=${d.folders}>
        ${path && html`<li><button type="button" class="row-link" onClick=${() => choose(parentOf(path))}><${Icon} name="back" />
          <span class="row-text"><span class="row-name">${d.folderUp}</span></span></button></li>`}
        ${found?.folders.map((name) => html`
          <li key=${name}><button type="button" class="row-link" onClick=${() => choose(`${path ? `${path}/` : ""}${name}/`)}><${Icon} name="folder" />
            <span class="row-text"><span class="row-name">${name}</span></span><${Icon} name="forward" /></button></li>`)}
      </ul>
      ${found && !found.folders.length && html`<p class="quiet">${d.noFolders}</p>`}
      ${found?.more && html`<p class="fine more-note">${d.folderMore}</p>`}
    </div>
  `;
}

/** The folder above, ready to be typed on. @param {string} path */
function parentOf(path) {
  const cut = path.lastIndexOf("/");
  return cut < 0 ? "" : path.slice(0, cut + 1);
}
