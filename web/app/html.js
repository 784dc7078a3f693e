// One place where the vendored libraries meet: htm writes Preact's elements, and
// importing signals here makes every component follow the signals it reads.

import htm from "./vendor/htm.js";
import { h } from "./vendor/preact.js";
import "./vendor/signals.js";

/** Text in a template becomes a text node, always. */
export const html = htm.bind(h);
