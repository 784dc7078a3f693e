// One launcher of a machine as a row, and the form that adds one.

import { Browse } from "./browse.js";
import { Dialog } from "./dialog.js";
import { html } from "./html.js";
import { Icon } from "./icons.js";
import { words } from "./i18n/index.js";
import { writeSentence } from "./problem.js";
import { machinePath } from "./sent.js";
import { client } from "./state.js";
import { useState } from "./vendor/preact-hooks.js";

/**
 * @typedef {{id: string, name: string, harness: string, options: string[], line: string, folder: string,
 *   noConfirmation: boolean, device?: string, mine?: boolean, masked: boolean}} Row
 * @typedef {{name: string, flags: string, noConfirmation: boolean}} Option
 * @typedef {{harness: string, installed: boolean, options: Option[]}} Recipe
 * @typedef {{rows: Row[], recipes: Recipe[], phone: {adds: boolean, freeText: boolean, run: boolean},
 *   recent: {line: string, masked: boolean}[]}} Launchers
 */

/** The node's bound for a name. */
const maxNameChars = 48;

/** @param {{row: Row, busy: boolean, start: () => void, remove: () => void}} props */
export function LauncherRow({ row, busy, start, remove }) {
  const d = words().launch;
  return html`
    <li class="launcher">
      <button class="launcher-start" disabled=${busy} onClick=${start}>
        <span class="row-text">
          <span class="row-name">${row.name}
            ${row.noConfirmation && html`<span class="tag red">${d.noConfirmation}</span>`}</span>
          <span class="row-detail"><bdi>${[row.line, row.folder].filter(Boolean).join(" · ")}</bdi></span>
          ${row.device && html`<span class="row-detail">${row.mine ? d.addedHere : d.addedBy(row.device)}</span>`}
        </span>
        <${Icon} name="forward" />
      </button>
      ${row.mine && html`
        <button class="icon-button" aria-label=${`${d.remove}: ${row.name}`} disabled=${busy} onClick=${remove}><${Icon} name="dismiss" /></button>
      `}
    </li>
  `;
}

/** @param {{row: Row, confirm: () => void, close: () => void}} props */
export function Confirm({ row, confirm, close }) {
  const d = words().launch;
  return html`
    <${Dialog} title=${d.confirmTitle(row.name)} action=${d.confirm} danger confirm=${confirm} close=${close}>
      <p>${d.confirmBody}</p><p><code class="wrapping">${row.line}</code></p><p>${d.confirmOnce}</p>
    <//>
  `;
}

/**
 * @param {object} props
 * @param {string | undefined} props.host
 * @param {Launchers} props.launchers
 * @param {(all: Launchers) => void} props.added
 * @param {() => void} props.close
 */
export function AddLauncher({ host, launchers, added, close }) {
  const d = words().launch;
  const typed = "command";
  const first = launchers.recipes.find((recipe) => recipe.installed) ?? launchers.recipes[0];
  const [kind, setKind] = useState(first?.harness ?? typed);
  const [options, setOptions] = useState(/** @type {string[]} */ ([]));
  const [name, setName] = useState("");
  const [command, setCommand] = useState("");
  const [folder, setFolder] = useState("");
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState("");
  const recipe = launchers.recipes.find((one) => one.harness === kind);

  const add = async () => {
    setBusy(true);
    setProblem("");
    const row = recipe ? { harness: recipe.harness, options } : { command };
    try {
      added(await client.post(machinePath("launchers", host), { add: { name: name.trim() || kind, folder: folder.replace(/\/+$/, ""), ...row } }));
      close();
    } catch (err) {
      setProblem(writeSentence(err));
      setBusy(false);
    }
  };
  /** @param {string} option @param {boolean} on */
  const choose = (option, on) => setOptions(on ? [...options, option] : options.filter((one) => one !== option));
  return html`
    <${Dialog} title=${d.addTitle} action=${d.add} busy=${busy} problem=${problem} confirm=${add} close=${close}>
      <label class="field"><span>${d.what}</span>
        <select value=${kind} onChange=${(/** @type {any} */ event) => { setKind(event.currentTarget.value); setOptions([]); }}>
          ${launchers.recipes.map((one) => html`<option key=${one.harness} value=${one.harness}>${one.installed ? one.harness : d.notInstalled(one.harness)}</option>`)}
          ${launchers.phone.freeText && html`<option value=${typed}>${d.typedCommand}</option>`}
        </select></label>
      ${recipe && recipe.options.length > 0 && html`
        <fieldset class="recipe-options"><legend>${d.options}</legend>
          ${recipe.options.map((option) => html`
            <label key=${option.name} class="recipe-option">
              <input type="checkbox" checked=${options.includes(option.name)}
                onChange=${(/** @type {any} */ event) => choose(option.name, event.currentTarget.checked)} />
              <span>${option.name}${option.noConfirmation && html`<span class="tag red">${d.noConfirmation}</span>`}<small>${option.flags}</small></span>
            </label>
          `)}
        </fieldset>
      `}
      ${!recipe && html`
        <label class="field"><span>${d.command}</span>
          <input value=${command} required autocomplete="off" autocapitalize="off" spellcheck=${false}
            onInput=${(/** @type {any} */ event) => setCommand(event.currentTarget.value)} /></label>
      `}
      <label class="field"><span>${d.name}</span>
        <input value=${name} maxlength=${maxNameChars} placeholder=${kind} autocomplete="off"
          onInput=${(/** @type {any} */ event) => setName(event.currentTarget.value)} /></label>
      <${Browse} host=${host} value=${folder} choose=${setFolder} />
    <//>
  `;
}
