// From a refusal to a sentence in the person's language.

import { asApiError } from "./api.js";
import { words } from "./i18n/index.js";

/**
 * A code that the dictionary knows has its words; any other shows the node's.
 * @param {unknown} err
 */
export function sentence(err) {
  const refusal = asApiError(err);
  /** @type {Record<string, string>} */
  const known = words().errors;
  return Object.hasOwn(known, refusal.code) ? (known[refusal.code] ?? "") : refusal.message;
}

/**
 * The same for a write: it matters whether it may have been done.
 * @param {unknown} err
 */
export function writeSentence(err) {
  return asApiError(err).unknown ? words().unknownOutcome : sentence(err);
}
