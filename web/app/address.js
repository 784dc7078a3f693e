// Addresses of walky messages, [machine:]pane#token, as the phone needs them.

/** @typedef {import("./types.js").WalkyMessage} WalkyMessage */

/**
 * Whether a message that left its pane is for a person: a session's address ends
 * in its token.
 * @param {WalkyMessage} message
 */
export const forPerson = (message) => !message.to.includes("#");

/**
 * The address that an answer goes to, or "" when the sender has none: only a
 * session can be written to. An address without a machine is one of the
 * machine whose journal this is.
 * @param {WalkyMessage} message
 * @param {string | undefined} host
 */
export function answerAddress(message, host) {
  if (message.direction !== "in" && !forPerson(message)) return "";
  const match = /^(?:([^:#\s]+):)?([^:#\s]+#[a-z0-9]{4})$/i.exec(message.from);
  if (!match) return "";
  return match[1] || !host ? message.from : `${host}:${message.from}`;
}
