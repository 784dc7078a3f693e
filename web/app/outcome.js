// What became of a reply. The outcomes are never mixed: a text that may have been
// entered is not offered to be entered again.

/**
 * Sent: it was entered, and left the input. Typed: it stands in the input, and no
 * Enter was pressed. Unknown: Enter was pressed, or nobody knows. Refused: nothing
 * was typed.
 * @typedef {"sent" | "typed" | "unknown" | "refused"} Outcome
 */

/**
 * @param {{textDelivered: boolean, submitted: boolean} | import("./api.js").ApiError} answer
 * @returns {Outcome}
 */
export function outcomeOf(answer) {
  if ("submitted" in answer) {
    if (answer.submitted) return "sent";
    return answer.textDelivered ? "typed" : "refused";
  }
  if (answer.unknown) return "unknown";
  return answer.code === "not_submitted" && delivered(answer) !== false ? "typed" : "refused";
}

/**
 * Whether Enter is known to have been pressed by a write of which nothing else is.
 * @param {import("./api.js").ApiError} refusal
 */
export const wasEntered = (refusal) => refusal.code === "write_outcome_unknown" && delivered(refusal) === true;

/** @param {import("./api.js").ApiError} refusal */
const delivered = (refusal) => /** @type {{textDelivered?: boolean}} */ (Object(refusal.detail)).textDelivered;
