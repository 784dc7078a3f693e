// The card that a phone shows when its lead is silent and another machine may
// take its place.

import { html } from "./html.js";
import { words } from "./i18n/index.js";
import { offered, token } from "./state.js";
import { doorAddress } from "./standby.js";
import { age } from "./time.js";

/** @param {{copyMs?: number}} props how old what is shown is, where something is */
export function Offer({ copyMs }) {
  const door = offered.value;
  if (!door) return null;
  const d = words();
  return html`
    <section class="offer" role="alert" aria-labelledby="offer">
      <h2 id="offer">${d.standbyTitle}</h2>
      <p>${copyMs !== undefined && `${d.staleCopy(age(copyMs))} `}${d.standbyBody(door.machine)}</p>
      <button class="button primary wide" onClick=${() => location.assign(doorAddress(door, token.value))}>${d.standbyGo(door.machine)}</button>
    </section>
  `;
}
