// The first of the app's own modules to run: it takes a token that a standby
// door handed over out of the address, before anything else is done.

import { tokenIn } from "./standby.js";

/** @returns {string} the token that was handed over, or "" */
export function takeHanded() {
  const token = tokenIn(location.hash);
  if (token) history.replaceState(null, "", location.pathname);
  return token;
}

/** What this page was opened with. */
export const handed = takeHanded();
