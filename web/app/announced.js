// The lines by which a machine announces a walky message, as they stand on a
// screen. Any program can print one: only what the machine's journal holds is a
// message.

/** @typedef {import("./types.js").Row} Row */

const announcement = /\[collie\] message from .{1,140}?, read it with: collie walky inbox ([0-9A-HJKMNP-TV-Z]{26})(?![0-9A-Za-z])/g;

/**
 * The ids of the messages that a screen announces, rows that wrap joined.
 * @param {Row[]} rows
 * @returns {string[]}
 */
export function announced(rows) {
  let text = "";
  for (const row of rows) text += (row.runs ?? []).map(([part]) => part).join("") + (row.wrap ? "" : "\n");
  return [...text.matchAll(announcement)].map((match) => match[1] ?? "");
}
