// Sent: the lines that went to a machine's shells, to be sent again or to be
// forgotten.

import { html } from "./html.js";
import { words } from "./i18n/index.js";
import { sentence, writeSentence } from "./problem.js";
import { Sheet } from "./sheet.js";
import { client } from "./state.js";
import { clock } from "./time.js";
import { useEffect, useState } from "./vendor/preact-hooks.js";
import { signal } from "./vendor/signals.js";

/**
 * @typedef {{id: string, at: number, pane: string, line: string, masked: boolean}} SentLine
 * @typedef {{lines: SentLine[] | null, keeping: boolean}} Sent
 */

/**
 * A line that was chosen for the composer of a pane, or what became of one that was
 * sent there from elsewhere.
 * @type {import("./vendor/signals.js").Signal<{pane: string, text: string, refusal?: import("./api.js").ApiError} | null>}
 */
export const reused = signal(null);

/**
 * The address of something that belongs to a machine.
 * @param {string} path
 * @param {string | undefined} host
 * @param {Record<string, string>} [query]
 */
export function machinePath(path, host, query = {}) {
  const params = new URLSearchParams(query);
  if (host) params.set("host", host);
  const tail = params.toString();
  return `/api/${path}${tail && `?${tail}`}`;
}

/** @param {{host: string | undefined, use: (text: string) => void, close: () => void}} props */
export function SentSheet({ host, use, close }) {
  const d = words().sentLines;
  const [sent, setSent] = useState(/** @type {Sent | null} */ (null));
  const [problem, setProblem] = useState("");
  const [clearing, setClearing] = useState(false);
  const [busy, setBusy] = useState(false);

  const load = async () => {
    try {
      setSent(await client.get(machinePath("sent", host)));
      setProblem("");
    } catch (err) {
      setProblem(sentence(err));
    }
  };
  useEffect(() => void load(), []);

  /** @param {string} what @param {object} body */
  const write = async (what, body) => {
    setBusy(true);
    try {
      await client.post(machinePath(`sent/${what}`, host), body);
      await load();
    } catch (err) {
      setProblem(writeSentence(err));
    } finally {
      setBusy(false);
      setClearing(false);
    }
  };
  const lines = sent?.lines ?? [];
  return html`
    <${Sheet} title=${d.title} close=${close}>
      ${problem && html`<p class="problem" role="alert">${problem}</p>`}
      ${!sent && !problem && html`<p class="quiet">${words().loading}</p>`}
      ${sent && !sent.keeping && html`<p class="notice">${d.off}</p>`}
      ${sent && lines.length === 0 && html`<p class="quiet">${d.empty}</p>`}
      ${lines.length > 0 && html`
        <ul class="sheet-rows">
          ${lines.map((line) => html`
            <li key=${line.id} class="sent-row">
              <button class="sent-use" onClick=${() => use(line.line)}>
                <code>${line.line}</code><small>${clock(line.at)}</small>
              </button>
              <button class="button small" aria-label=${`${d.forget}: ${line.line}`} disabled=${busy}
                onClick=${() => write("forget", { id: line.id })}>${d.forget}</button>
            </li>
          `)}
        </ul>
      `}
      <p class="fine">${d.hint}</p>
      ${lines.length > 0 && (clearing
        ? html`
          <p>${d.clearBody}</p>
          <div class="dialog-actions">
            <button class="button" onClick=${() => setClearing(false)}>${words().cancel}</button>
            <button class="button danger" disabled=${busy} onClick=${() => write("clear", {})}>${d.clear}</button>
          </div>`
        : html`<button class="button danger-text" onClick=${() => setClearing(true)}>${d.clear}</button>`)}
    <//>
  `;
}
