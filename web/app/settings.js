// The Settings page: devices, this phone, appearance, and what the node says of
// itself.

import { Bar, Connection } from "./bar.js";
import { Dialog } from "./dialog.js";
import { html } from "./html.js";
import { Icon } from "./icons.js";
import { languages, words } from "./i18n/index.js";
import { Ended } from "./pair.js";
import { sentence, writeSentence } from "./problem.js";
import { client, door, endPairing, ending, keeper, paired, prefer, preferences } from "./state.js";
import { age, date, now } from "./time.js";
import { useEffect, useState } from "./vendor/preact-hooks.js";

/**
 * @typedef {import("./types.js").Device} Device
 * @typedef {import("./types.js").Config} Config
 */

/** A device that asked for something within this time is here now. */
const presentMs = 60_000;

export function Settings() {
  const d = words();
  /** @type {[Device[] | null, (list: Device[] | null) => void]} */
  const [devices, setDevices] = useState(/** @type {Device[] | null} */ (null));
  const [problem, setProblem] = useState("");

  const load = async () => {
    if (!paired.value) return;
    try {
      setDevices(await client.get("/api/devices"));
      setProblem("");
    } catch (err) {
      setProblem(sentence(err));
    }
  };
  useEffect(() => void load(), [paired.value]);

  return html`
    <div class="page settings">
      <${Bar} title=${d.settings} back="#/"><${Connection} /><//>
      <main id="content" class="content narrow">
        ${paired.value && html`<${Devices} devices=${devices} problem=${problem} reload=${load} />`}
        <${ThisPhone} current=${devices?.find((device) => device.current)} />
        <${Appearance} />
        ${paired.value && html`<${System} />`}
      </main>
    </div>
  `;
}

/** @param {{devices: Device[] | null, problem: string, reload: () => void}} props */
function Devices({ devices, problem, reload }) {
  const d = words();
  const [asked, setAsked] = useState(/** @type {Device | null} */ (null));
  return html`
    <section aria-labelledby="devices">
      <h2 id="devices">${d.devices}</h2>
      <div class="card">
        ${problem && html`
          <div class="card-row"><p class="problem" role="alert">${problem}</p>
            <button class="button small" onClick=${reload}>${d.tryAgain}</button></div>
        `}
        ${!devices && !problem && html`<p class="card-row quiet">${d.loading}</p>`}
        ${devices?.length === 0 && html`<p class="card-row quiet">${d.devicesEmpty}</p>`}
        ${devices && devices.length > 0 && html`
          <ul>
            ${devices.map((device) => html`
              <li key=${device.label} class="card-row">
                <div class="row-text">
                  <span class="row-name">${device.label}
                    ${device.current && html`<span class="tag">${d.thisDevice}</span>`}
                    ${device.expired && html`<span class="tag red">${d.expired}</span>`}</span>
                  <span class="row-detail">${facts(device)}</span>
                </div>
                <button class="button small danger-text" aria-label=${`${d.revoke}: ${device.label}`}
                  onClick=${() => setAsked(device)}>${d.revoke}</button>
              </li>
            `)}
          </ul>
        `}
      </div>
      ${asked && html`<${Revoke} device=${asked} close=${() => setAsked(null)} done=${reload} />`}
    </section>
  `;
}

/** @param {Device} device */
function facts(device) {
  const d = words();
  const quiet = device.lastSeenAt === null ? null : now.value - device.lastSeenAt;
  const parts = [d.paired(date(device.createdAt))];
  if (quiet === null) parts.push(d.seenNever);
  else parts.push(quiet < presentMs ? d.seenNow : d.seen(age(quiet)));
  if (device.expiresAt !== null && !device.expired) parts.push(d.expires(date(device.expiresAt)));
  return parts.join(" · ");
}

/** @param {{device: Device, close: () => void, done: () => void}} props */
function Revoke({ device, close, done }) {
  const d = words();
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState("");
  const confirm = async () => {
    setBusy(true);
    try {
      await client.post(`/api/devices/${encodeURIComponent(device.label)}/revoke`, {});
      close();
      if (device.current) endPairing("device_not_paired");
      else done();
    } catch (err) {
      setProblem(writeSentence(err));
      setBusy(false);
    }
  };
  return html`
    <${Dialog} title=${d.revokeTitle(device.label)} action=${d.revoke} danger busy=${busy} problem=${problem}
      confirm=${confirm} close=${close}>
      <p>${d.revokeBody}</p>
      ${device.current && html`<p><strong>${d.revokeSelf}</strong></p>`}
    <//>
  `;
}

/** @param {{current?: Device}} props */
function ThisPhone({ current }) {
  const d = words();
  const [asking, setAsking] = useState(false);
  const [busy, setBusy] = useState(false);
  const unpair = async () => {
    setBusy(true);
    let told = false;
    try {
      const label = current?.label ?? (await ownLabel());
      await client.post(`/api/devices/${encodeURIComponent(label)}/revoke`, {});
      told = true;
    } catch {
      // Out of reach: the phone forgets all the same, and says what is left to do.
    }
    setAsking(false);
    setBusy(false);
    if (paired.value) endPairing(told ? "here" : "here_listed");
  };
  return html`
    <section aria-labelledby="this-phone">
      <h2 id="this-phone">${d.thisPhone}</h2>
      <${Ended} />
      <div class="card">
        <div class="card-row">
          <div class="row-text">
            <span class="row-name">${paired.value ? (current?.label ?? d.thisPhone) : d.notPaired}</span>
            ${paired.value && html`<span class="row-detail">${d.unpairExplain}</span>`}
          </div>
          ${paired.value
            ? html`<button class="button small danger-text" onClick=${() => setAsking(true)}>${d.unpair}</button>`
            : html`<a class="button small primary" href="#pair">${ending.value ? d.pairAgainTitle : d.pairTitle}</a>`}
        </div>
        ${paired.value && html`<${KeepChat} />`}
      </div>
      ${asking && html`
        <${Dialog} title=${d.unpairTitle} action=${d.unpair} danger busy=${busy} confirm=${unpair}
          close=${() => setAsking(false)}><p>${d.unpairBody}</p><//>
      `}
    </section>
  `;
}

/** Whether this phone keeps what Chat showed; off also deletes what it kept. */
function KeepChat() {
  const d = words();
  const keep = preferences.value.keepChat;
  const change = () => {
    prefer({ keepChat: !keep });
    if (keep) keeper.forgetChats().catch(() => {}); // a browser that forbids it has kept nothing
  };
  return html`
    <label class="card-row">
      <span class="row-text"><span class="row-name">${d.keepChat}</span><span class="row-detail">${d.keepChatHint}</span></span>
      <input class="switch" type="checkbox" role="switch" checked=${keep} onChange=${change} />
    </label>
  `;
}

async function ownLabel() {
  /** @type {Device[]} */
  const devices = await client.get("/api/devices");
  const own = devices.find((device) => device.current);
  if (!own) throw new Error("the list does not name this device");
  return own.label;
}

function Appearance() {
  const d = words();
  const { theme, language } = preferences.value;
  return html`
    <section aria-labelledby="appearance">
      <h2 id="appearance">${d.appearance}</h2>
      <div class="card">
        <fieldset class="card-row segmented">
          <legend>${d.theme}</legend>
          <div class="segments">
            ${Object.entries(d.themes).map(([value, word]) => html`
              <label key=${value}>
                <input type="radio" name="theme" value=${value} checked=${theme === value} onChange=${() => prefer({ theme: value })} />
                <span>${word}</span>
              </label>
            `)}
          </div>
        </fieldset>
        <label class="card-row">
          <span class="row-text"><span class="row-name">${d.language}</span></span>
          <select value=${language} onChange=${(/** @type {any} */ event) => prefer({ language: event.currentTarget.value })}>
            <option value="system">${d.languageSystem}</option>
            ${Object.entries(languages).map(([tag, name]) => html`<option key=${tag} value=${tag} lang=${tag}>${name}</option>`)}
          </select>
        </label>
      </div>
    </section>
  `;
}

function System() {
  const d = words();
  const [config, setConfig] = useState(/** @type {Config | null} */ (null));
  const [problem, setProblem] = useState("");
  const load = async () => {
    setProblem("");
    try {
      setConfig(await client.get("/api/config"));
    } catch (err) {
      setProblem(sentence(err));
    }
  };
  useEffect(() => void load(), []);
  /** @type {Record<string, string>} */
  const modes = d.modes;
  return html`
    <section aria-labelledby="system">
      <h2 id="system">${d.system}</h2>
      <div class="card">
        ${problem && html`
          <div class="card-row"><p class="problem" role="alert">${problem}</p>
            <button class="button small" onClick=${load}>${d.tryAgain}</button></div>
        `}
        ${!config && !problem && html`<p class="card-row quiet">${d.loading}</p>`}
        ${config && html`
          <dl>
            ${config.machine && html`<div class="card-row"><dt>${d.machineName}</dt><dd>${config.machine.label}</dd></div>`}
            <div class="card-row"><dt>${d.mode}</dt><dd>${modes[config.mode] ?? config.mode}</dd></div>
            <div class="card-row"><dt>${d.version}</dt><dd>${config.version}</dd></div>
            <div class="card-row"><dt>${d.panesKeptBy}</dt><dd>${config.multiplexer === "builtin" ? "Collie" : [config.multiplexer, config.multiplexerVersion].filter(Boolean).join(" ")}</dd></div>
            <div class="card-row"><dt>${d.harnessesKnown}</dt><dd>${config.harnesses.join(", ")}</dd></div>
            ${door.value && html`<div class="card-row"><dt>${d.standbyDoor}<small>${door.value.url}</small></dt><dd>${door.value.machine}</dd></div>`}
            <div class="card-row"><dt>${d.masking}<small>${d.maskingHint}</small></dt>
              <dd class=${config.masking ? "on" : "off"}>${config.masking && html`<${Icon} name="check" />`}${config.masking ? d.maskingOn : d.maskingOff}</dd></div>
          </dl>
        `}
      </div>
    </section>
  `;
}
