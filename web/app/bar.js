// The bar at the top of each page, and the word on the connection in it.

import { html } from "./html.js";
import { Icon } from "./icons.js";
import { words } from "./i18n/index.js";
import { sentence } from "./problem.js";
import { fresh, lastSign, paired, silence, streamRefusal } from "./state.js";
import { age } from "./time.js";

/**
 * How fresh what is shown is. The words are for everyone; the dot is for a glance.
 * @param {{freshness?: import("./connection.js").Freshness, silenceMs?: number, heard?: boolean}} props
 *   of the page's own stream; absent: of the herd's
 */
export function Connection({ freshness = fresh.value, silenceMs = silence.value, heard = lastSign.value > 0 }) {
  if (!paired.value) return null;
  const d = words();
  let text = d.live;
  if (!heard) text = freshness === "red" ? d.neverHeard : d.connecting;
  else if (freshness === "amber") text = d.waiting(age(silenceMs));
  else if (freshness === "red") text = d.lost(age(silenceMs));
  const look = !heard && freshness === "ok" ? "amber" : freshness;
  return html`<p class=${`connection ${look}`} role="status"><span class="dot"></span>${text}</p>`;
}

/** What the lead said instead of serving the herd. */
export function Outage() {
  const refusal = streamRefusal.value;
  if (!refusal) return null;
  const text = refusal.code === "pairing_unavailable" ? words().listUnavailable : sentence(refusal);
  return html`<p class="notice warning" role="alert"><${Icon} name="warning" />${text}</p>`;
}

/** @param {{title: string, back?: string, children?: unknown}} props */
export function Bar({ title, back, children }) {
  const d = words();
  return html`
    <header class="bar">
      ${back !== undefined && html`<a class="icon-button" href=${back} aria-label=${d.back}><${Icon} name="back" /></a>`}
      <h1>${title}</h1>
      ${children}
    </header>
  `;
}
