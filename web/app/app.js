// The shell of the app: which page is shown.

import { Changes } from "./changes.js";
import { Crew } from "./crew.js";
import { Files } from "./files.js";
import { Herd } from "./herd.js";
import { html } from "./html.js";
import { words } from "./i18n/index.js";
import { New } from "./new.js";
import { Pair } from "./pair.js";
import { Pane } from "./pane.js";
import { Settings } from "./settings.js";
import { arriving, paired, route } from "./state.js";
import { keyOf } from "./store.js";
import { useEffect } from "./vendor/preact-hooks.js";
import { signal } from "./vendor/signals.js";

export function App() {
  const at = route.value;
  const place = "id" in at ? `${at.page} ${keyOf(at)} ${"path" in at ? at.path : ""}` : at.page;
  useEffect(() => {
    // A new page is announced and read from its top.
    const heading = document.querySelector(".detail h1") ?? document.querySelector("h1");
    if (!(heading instanceof HTMLElement) || document.activeElement !== document.body) return;
    heading.setAttribute("tabindex", "-1");
    heading.focus({ preventScroll: true });
  }, [place, paired.value]);
  return html`
    <a class="skip" href="#content" onClick=${skip}>${words().skipToContent}</a>
    <${Page} />
  `;
}

/** A wide screen shows the herd beside the page. */
const wideScreen = matchMedia("(min-width: 60rem)");
const wide = signal(wideScreen.matches);
wideScreen.addEventListener("change", () => (wide.value = wideScreen.matches));

function Page() {
  if (arriving.value) return html`<main id="content" class="empty" role="status"><p>${words().arriving}</p></main>`;
  const at = route.value;
  const apart = !paired.value || at.page === "pair";
  if (apart && at.page !== "settings") return html`<${Pair} />`;
  const page = pageOf(at);
  if (apart || !wide.value) return page || html`<${Herd} />`;
  return html`
    <div class="split">
      <aside aria-label=${words().herd}><${Herd} beside /></aside>
      <div class="detail">${page || html`<main id="content" class="empty"><p>${words().choosePane}</p></main>`}</div>
    </div>
  `;
}

/** The page of a route; the herd has none of its own. @param {import("./route.js").Route} at */
function pageOf(at) {
  switch (at.page) {
    case "settings": return html`<${Settings} />`;
    case "crew": return html`<${Crew} />`;
    case "new": return html`<${New} host=${at.host} />`;
    case "pane": return html`<${Pane} key=${keyOf(at)} pane=${{ id: at.id, host: at.host }} />`;
    case "files": return html`<${Files} key=${`${keyOf(at)} ${at.path}`} pane=${{ id: at.id, host: at.host }} path=${at.path} />`;
    case "changes": return html`<${Changes} key=${keyOf(at)} pane=${{ id: at.id, host: at.host }} />`;
  }
  return null;
}

/** The fragment is the route, so the link moves the focus by itself. @param {Event} event */
function skip(event) {
  event.preventDefault();
  const content = document.getElementById("content");
  content?.setAttribute("tabindex", "-1");
  content?.focus();
}
