// The pairing page: a code from the machine, and a name for this device.

import { Bar } from "./bar.js";
import { html } from "./html.js";
import { Icon } from "./icons.js";
import { words } from "./i18n/index.js";
import { sentence } from "./problem.js";
import { beginPairing, client, ending, paired, route } from "./state.js";
import { useEffect, useRef, useState } from "./vendor/preact-hooks.js";

/** A label's bound, as the node has it. */
const maxLabelChars = 48;

/**
 * A first name for this device, from what its browser says of it.
 * @param {string} agent
 * @param {import("./i18n/en.js").Dictionary["device"]} kinds
 */
export function suggestLabel(agent, kinds) {
  if (/iPhone/.test(agent)) return "iPhone";
  if (/iPad/.test(agent)) return "iPad";
  const model = /Android[^;)]*; ([^;)]+?)(?: Build\/[^)]*)?\)/.exec(agent)?.[1] ?? "";
  if (/^[A-Za-z][\w -]{2,30}$/.test(model)) return model;
  if (/Android/.test(agent)) return `Android ${/Mobile/.test(agent) ? kinds.phone : kinds.tablet}`;
  if (/Macintosh/.test(agent)) return "Mac";
  if (/Windows/.test(agent)) return `Windows ${kinds.computer}`;
  if (/Linux/.test(agent)) return `Linux ${kinds.computer}`;
  return kinds.phone;
}

export function Pair() {
  const d = words();
  const prefilled = route.value.page === "pair" ? route.value.code : "";
  const [code, setCode] = useState(prefilled);
  const [label, setLabel] = useState(() => suggestLabel(navigator.userAgent, d.device));
  const [problem, setProblem] = useState("");
  const [wrong, setWrong] = useState("");
  const [busy, setBusy] = useState(false);
  /** @type {{current: HTMLInputElement | null}} */
  const codeField = useRef(null);
  /** @type {{current: HTMLInputElement | null}} */
  const labelField = useRef(null);

  useEffect(() => {
    if (prefilled) setCode(prefilled);
  }, [prefilled]);

  /**
   * @param {string} text
   * @param {"code" | "label" | ""} field
   */
  const refuse = (text, field) => {
    setProblem(text);
    setWrong(field);
    if (field === "code") codeField.current?.focus();
    if (field === "label") labelField.current?.focus();
  };

  /** @param {Event} event */
  const submit = async (event) => {
    event.preventDefault();
    if (busy) return;
    if (!code.trim()) return refuse(d.codeMissing, "code");
    if (!label.trim()) return refuse(d.labelMissing, "label");
    setBusy(true);
    refuse("", "");
    try {
      const answer = await client.post("/api/pair", { code: code.trim(), label: label.trim() });
      beginPairing(answer.token);
      location.hash = "#/";
      if (route.value.page !== "herd") route.value = { page: "herd" };
    } catch (err) {
      const name = /** @type {{code?: string}} */ (err).code ?? "";
      refuse(sentence(err), name.startsWith("label") ? "label" : name.startsWith("code") ? "code" : "");
      setBusy(false);
    }
  };

  const again = ending.value === "device_expired" || ending.value === "device_not_paired";
  return html`
    <div class="page pair">
      <${Bar} title=${again ? d.pairAgainTitle : d.pairTitle}>
        <a class="icon-button" href="#/settings" aria-label=${d.settings}><${Icon} name="gear" /></a>
      <//>
      <main id="content" class="content narrow">
        <${Ended} />
        ${paired.value && html`<p class="notice"><${Icon} name="device" />${d.pairReplaces}</p>`}
        <p class="lede">${d.pairIntro} <code>collie pair</code> ${d.pairIntroEnd}</p>
        <form class="card form" onSubmit=${submit} noValidate>
          <label class="field">
            <span>${d.pairCode}</span>
            <input ref=${codeField} class="code-input" name="code" value=${code} placeholder=${d.pairCodeHint}
              autocomplete="one-time-code" autocapitalize="characters" autocorrect="off" spellcheck=${false}
              maxlength="64" required aria-invalid=${wrong === "code" ? "true" : undefined}
              aria-describedby=${problem ? "pair-problem" : undefined}
              onInput=${(/** @type {any} */ event) => setCode(event.currentTarget.value)} />
          </label>
          <label class="field">
            <span>${d.pairLabel}</span>
            <input ref=${labelField} name="label" value=${label} autocomplete="off" maxlength=${maxLabelChars} required
              aria-invalid=${wrong === "label" ? "true" : undefined} aria-describedby="label-hint"
              onInput=${(/** @type {any} */ event) => setLabel(event.currentTarget.value)} />
            <small id="label-hint">${d.pairLabelHint}</small>
          </label>
          ${problem && html`<p id="pair-problem" class="problem" role="alert">${problem}</p>`}
          <button class="button primary wide" type="submit" disabled=${busy}>${busy ? d.pairing : d.pairButton}</button>
          ${paired.value && html`<a class="button wide" href="#/" onClick=${leave}>${d.pairKeep}</a>`}
        </form>
        <p class="fine"><${Icon} name="lock" />${d.pairTrust}</p>
      </main>
    </div>
  `;
}

/** The code is out of the address already, so the address may not change. */
function leave() {
  route.value = { page: "herd" };
}

/** Why the last pairing ended. */
export function Ended() {
  const d = words();
  const text = {
    "": "", device_not_paired: d.endedUnpaired, device_expired: d.endedExpired, here: d.endedHere, here_listed: d.endedHereListed,
  }[ending.value];
  return text ? html`<p class="notice" role="status"><${Icon} name="lock" />${text}</p>` : null;
}
