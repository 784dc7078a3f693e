// The New page: what every machine can start, and a one-off line.

import { ApiError } from "./api.js";
import { Bar, Connection } from "./bar.js";
import { Browse } from "./browse.js";
import { giveConsent, hasConsent } from "./consents.js";
import { openStorage } from "./device.js";
import { html } from "./html.js";
import { Icon } from "./icons.js";
import { words } from "./i18n/index.js";
import { AddLauncher, Confirm, LauncherRow } from "./launcher.js";
import { sentence, writeSentence } from "./problem.js";
import { formatRoute } from "./route.js";
import { machinePath, reused } from "./sent.js";
import { Sheet } from "./sheet.js";
import { client, herd } from "./state.js";
import { keyOf } from "./store.js";
import { useEffect, useState } from "./vendor/preact-hooks.js";

/**
 * @typedef {import("./launcher.js").Launchers} Launchers
 * @typedef {import("./launcher.js").Row} Row
 */

/** The node's bound for a one-off line. */
const maxLineChars = 200;

const storage = openStorage();

/** @param {{host?: string}} props the machine that is open at first */
export function New({ host }) {
  const d = words();
  const machines = [...(herd.value?.machines.values() ?? [])];
  const open = host ?? machines.find((machine) => machine.lead)?.id;
  return html`
    <div class="page new">
      <${Bar} title=${d.launch.title} back="#/"><${Connection} /><//>
      <main id="content" class="content narrow">
        ${!herd.value && html`<p class="quiet">${d.loading}</p>`}
        ${herd.value && machines.length === 0 && html`<${Machine} />`}
        ${machines.map((machine) => html`<${Fold} key=${machine.id} machine=${machine} begins=${machine.id === open} />`)}
      </main>
    </div>
  `;
}

/**
 * One machine of a crew. It is asked once somebody opens it.
 * @param {{machine: import("./types.js").Machine, begins: boolean}} props
 */
function Fold({ machine, begins }) {
  const [open, setOpen] = useState(begins);
  /** @type {Record<string, string>} */
  const states = words().machine;
  return html`
    <details class="machine-fold" open=${open} onToggle=${(/** @type {any} */ event) => setOpen(event.currentTarget.open)}>
      <summary><span>${machine.label || machine.id}</span>
        ${machine.state !== "reachable" && html`<span class="tag">${states[machine.state] ?? machine.state}</span>`}</summary>
      ${open && html`<${Machine} host=${machine.id} />`}
    </details>
  `;
}

/** @param {{host?: string}} props */
function Machine({ host }) {
  const d = words();
  const [launchers, setLaunchers] = useState(/** @type {Launchers | null} */ (null));
  const [problem, setProblem] = useState("");
  const [folder, setFolder] = useState(/** @type {string | null} */ (null)); // null: the launcher's own
  const [asked, setAsked] = useState(/** @type {Row | null} */ (null));
  const [adding, setAdding] = useState(false);
  const [choosing, setChoosing] = useState(false);
  const [busy, setBusy] = useState(false);

  const load = async () => {
    setProblem("");
    try {
      setLaunchers(await client.get(machinePath("launchers", host)));
    } catch (err) {
      setProblem(sentence(err));
    }
  };
  useEffect(() => void load(), [host]);

  /** @param {() => Promise<{id: string, submitted: boolean, reason?: string}>} write */
  const open = async (write) => {
    setBusy(true);
    setProblem("");
    try {
      const { id, submitted, reason } = await write();
      if (submitted === false) reused.value = { pane: keyOf({ id, host }), text: "", refusal: new ApiError(reason || "not_submitted", "", 409, { textDelivered: true }) };
      location.hash = formatRoute({ page: "pane", id, host });
    } catch (err) {
      setProblem(writeSentence(err));
      setBusy(false);
    }
  };
  const where = folder === null ? {} : { folder };
  /** @param {Row} row @param {boolean} confirmed */
  const launch = (row, confirmed) => open(() => client.post(machinePath("launch", host), { id: row.id, confirmed, ...where }));
  /** @param {Row} row */
  const start = (row) => {
    if (row.noConfirmation && !hasConsent(storage, host, row.id)) setAsked(row);
    else void launch(row, row.noConfirmation);
  };
  /** @param {Row} row */
  const remove = async (row) => {
    setBusy(true);
    try {
      setLaunchers(await client.post(machinePath("launchers", host), { remove: row.id }));
    } catch (err) {
      setProblem(writeSentence(err));
    } finally {
      setBusy(false);
    }
  };
  const l = d.launch;
  return html`
    <div class="machine-new">
      ${problem && html`<div class="card-row"><p class="problem" role="alert">${problem}</p>
        ${!launchers && html`<button class="button small" onClick=${load}>${d.tryAgain}</button>`}</div>`}
      ${!launchers && !problem && html`<p class="quiet">${d.loading}</p>`}
      ${launchers && html`
        <ul class="rows">${launchers.rows.map((row) => html`
          <${LauncherRow} key=${row.id} row=${row} busy=${busy} start=${() => start(row)} remove=${() => remove(row)} />`)}</ul>
        ${launchers.phone.adds && html`
          <button class="button wide" onClick=${() => setAdding(true)}><${Icon} name="plus" />${l.addButton}</button>`}
        <div class="start-in"><p>${l.startIn} ${folder !== null ? html`<code>~/${folder}</code>` : html`<span class="quiet">${l.ownFolder}</span>`}</p>
          <button class="button small" onClick=${() => setChoosing(true)}>${l.chooseFolder}</button></div>
        ${launchers.phone.run && html`<${OneOff} recent=${launchers.recent} busy=${busy}
          run=${(/** @type {string} */ line) => open(() => client.post(machinePath("run", host), { line, ...where }))} />`}
      `}
      ${asked && html`<${Confirm} row=${asked} close=${() => setAsked(null)} confirm=${() => {
        giveConsent(storage, host, asked.id);
        setAsked(null);
        void launch(asked, true);
      }} />`}
      ${choosing && html`
        <${FolderSheet} host=${host} folder=${folder} choose=${setFolder} close=${() => setChoosing(false)} />
      `}
      ${adding && launchers && html`<${AddLauncher} host=${host} launchers=${launchers} added=${setLaunchers} close=${() => setAdding(false)} />`}
    </div>
  `;
}

/**
 * @param {object} props
 * @param {string} [props.host]
 * @param {string | null} props.folder
 * @param {(folder: string | null) => void} props.choose
 * @param {() => void} props.close
 */
function FolderSheet({ host, folder, choose, close }) {
  const d = words().launch;
  const [place, setPlace] = useState(folder ?? "");
  /** @param {string | null} chosen */
  const use = (chosen) => {
    choose(chosen);
    close();
  };
  return html`
    <${Sheet} title=${d.chooseFolder} close=${close}>
      <${Browse} host=${host} value=${place} choose=${setPlace} />
      <button class="button primary wide" onClick=${() => use(place.replace(/\/+$/, ""))}>${d.useFolder}</button>
      <button class="button wide" onClick=${() => use(null)}>${d.useOwnFolder}</button>
    <//>
  `;
}

/** @param {{recent: {line: string}[], busy: boolean, run: (line: string) => void}} props */
function OneOff({ recent, busy, run }) {
  const d = words().launch;
  const [line, setLine] = useState("");
  return html`
    <form class="oneoff" onSubmit=${(/** @type {Event} */ event) => { event.preventDefault(); if (line) run(line); }}>
      <label class="field"><span>${d.oneOff}</span>
        <input value=${line} maxlength=${maxLineChars} autocomplete="off" autocapitalize="off" spellcheck=${false} enterkeyhint="go"
          onInput=${(/** @type {any} */ event) => setLine(event.currentTarget.value)} />
        <small>${d.oneOffHint}</small></label>
      <button class="button primary" type="submit" disabled=${busy || !line}>${d.run}</button>
      ${recent.length > 0 && html`
        <ul class="recent" aria-label=${d.recent}>${recent.map(({ line: old }) => html`
          <li key=${old}><button type="button" class="recent-line" onClick=${() => setLine(old)}><code>${old}</code></button></li>`)}</ul>
      `}
    </form>
  `;
}
