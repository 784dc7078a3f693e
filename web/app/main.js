// Starts the app.

import "./arrival.js"; // before all others

import { App } from "./app.js";
import { html } from "./html.js";
import { pickLanguage, useLanguage } from "./i18n/index.js";
import { preferences, start } from "./state.js";
import { startClock } from "./time.js";
import { render } from "./vendor/preact.js";

// The words first, so that nobody sees the page change its language.
await useLanguage(pickLanguage(preferences.value.language, navigator.languages));
startClock();
start();
const root = document.getElementById("app");
if (root) render(html`<${App} />`, root);

// The height that a phone's keyboard leaves; pinching the page is not a keyboard.
const viewport = window.visualViewport;
const fit = () => {
  if (viewport && viewport.scale === 1) document.documentElement.style.setProperty("--height", `${viewport.height}px`);
};
viewport?.addEventListener("resize", fit);
fit();

// The offline shell. The build's folder names the version, so a new build is a new worker.
const build = /\/a\/([0-9a-f]+)\//.exec(import.meta.url)?.[1];
if (build && "serviceWorker" in navigator) {
  navigator.serviceWorker.register(`/sw.js?build=${build}`).catch(() => {
    // Refused (a private window, an untrusted certificate): the app works all the same.
  });
}
