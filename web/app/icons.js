// The app's own icons: strokes on a 24 by 24 grid, drawn in the text's colour.

import { html } from "./html.js";

const paths = {
  back: "M15 5l-7 7 7 7",
  forward: "M9 5l7 7-7 7",
  gear: "M4 7h9m4 0h3M4 17h3m4 0h9M15 4.5v5M9 14.5v5",
  more: "M5 11.4v1.2M12 11.4v1.2M19 11.4v1.2",
  send: "M5 12l14-7-4.5 15-3.2-6.3z M11.3 13.7L19 5",
  keyboard: "M3 7.5h18v10H3z M7 11h.01M11 11h.01M15 11h.01M17.5 11h.01M8 14.5h8",
  type: "M5 6h14M12 6v13M9 19h6",
  message: "M4 5.5h16v11H10l-4 3.5v-3.5H4z",
  lock: "M6.5 11h11v8.5h-11z M8.5 11V8a3.5 3.5 0 0 1 7 0v3",
  warning: "M12 4.5l9 15.5H3z M12 10.5v4M12 17.3h.01",
  down: "M12 5v13M6 12.5l6 6 6-6",
  device: "M7.5 3.5h9v17h-9z M11 17.5h2",
  dismiss: "M6 6l12 12M18 6L6 18",
  widen: "M4 4.5v15M20 4.5v15M8 12h8M8 12l2.5-2.5M8 12l2.5 2.5M16 12l-2.5-2.5M16 12l-2.5 2.5",
  narrow: "M12 4.5v15M2.5 12h6M21.5 12h-6M8.5 12L6 9.5M8.5 12L6 14.5M15.5 12L18 9.5M15.5 12l2.5 2.5",
  question: "M12 3.5a8.5 8.5 0 1 0 0 17a8.5 8.5 0 0 0 0-17z M9.6 9.6a2.4 2.4 0 1 1 3.4 2.2c-.7.3-1 .8-1 1.6v.4M12 16.8h.01",
  folder: "M3.5 6.5h6l2 2.5h9v9.5h-17z",
  file: "M6.5 3.5h7l4 4v13h-11z M13.5 3.5v4h4",
  link: "M10 14a4 4 0 0 0 5.7 0l3-3a4 4 0 0 0-5.7-5.7l-1.2 1.2M14 10a4 4 0 0 0-5.7 0l-3 3a4 4 0 0 0 5.7 5.7l1.2-1.2",
  again: "M19.5 12a7.5 7.5 0 1 1-2.2-5.3 M19.5 4v4h-4",
  branch: "M7 5.5v13M7 14c0-3 10-1.5 10-5.5 M7 5.5a1.5 1.5 0 1 0 0-.01M7 18.5a1.5 1.5 0 1 0 0 .01M17 8.5a1.5 1.5 0 1 0 0-.01",
  attach: "M19 11.5l-7.2 7.2a4.6 4.6 0 0 1-6.5-6.5l7.9-7.9a3.1 3.1 0 0 1 4.4 4.4l-7.6 7.6a1.5 1.5 0 0 1-2.2-2.2l6.7-6.7",
  plus: "M12 5v14M5 12h14",
  pulse: "M3 12.5h4l2.5-7 4.5 13 2.5-6h4.5",
  check: "M5 12.5l4.5 4.5L19 7.5",
};

/** @param {{name: keyof typeof paths}} props */
export function Icon({ name }) {
  return html`<svg class="icon" viewBox="0 0 24 24" aria-hidden="true"><path d=${paths[name]} /></svg>`;
}
