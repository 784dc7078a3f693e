// The shell of the app: which page is shown.

import { Herd } from "./herd.js";
import { html } from "./html.js";
import { words } from "./i18n/index.js";
import { Pair } from "./pair.js";
import { Pane } from "./pane.js";
import { Settings } from "./settings.js";
import { paired, route } from "./state.js";
import { keyOf } from "./store.js";
import { useEffect } from "./vendor/preact-hooks.js";

export function App() {
  const at = route.value;
  const place = at.page === "pane" ? `pane ${keyOf(at)}` : at.page;
  useEffect(() => {
    // A new page is announced and read from its top.
    document.querySelector("h1")?.setAttribute("tabindex", "-1");
    const heading = document.querySelector(".main h1") ?? document.querySelector("h1");
    if (heading instanceof HTMLElement && document.activeElement === document.body) heading.focus({ preventScroll: true });
  }, [place, paired.value]);
  return html`
    <a class="skip" href="#content" onClick=${skip}>${words().skipToContent}</a>
    <${Page} />
  `;
}

function Page() {
  const at = route.value;
  if (at.page === "settings") return html`<${Settings} />`;
  if (!paired.value || at.page === "pair") return html`<${Pair} />`;
  if (at.page === "pane") return html`<${Pane} key=${keyOf(at)} pane=${{ id: at.id, host: at.host }} />`;
  return html`<${Herd} />`;
}

/** The fragment is the route, so the link moves the focus by itself. @param {Event} event */
function skip(event) {
  event.preventDefault();
  const content = document.getElementById("content");
  content?.setAttribute("tabindex", "-1");
  content?.focus();
}
