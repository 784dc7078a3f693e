// A unified diff as lines to show.

/**
 * @typedef {{kind: "add" | "del" | "same" | "hunk" | "note", text: string, before: number, after: number}} DiffLine
 *   before and after are the line's numbers on each side, 0 where it is not on that side
 */

const hunk = /^@@ -(\d{1,9})(?:,\d{1,9})? \+(\d{1,9})(?:,\d{1,9})? @@/;
const header = /^(diff |index |--- |\+\+\+ |similarity |dissimilarity )/;

/**
 * The header that names files and hashes is left out; what it says beyond that,
 * such as a new mode, stays. What is no unified diff, a merge with two sides
 * among it, is shown as it is.
 * @param {string} text
 * @returns {DiffLine[]}
 */
export function parseDiff(text) {
  /** @type {DiffLine[]} */
  const lines = [];
  let before = 0;
  let after = 0;
  let inside = false;
  for (const line of text.split("\n")) {
    const at = hunk.exec(line);
    if (at && (!inside || line.startsWith("@@"))) {
      inside = true;
      before = Number(at[1]);
      after = Number(at[2]);
      lines.push({ kind: "hunk", text: line, before: 0, after: 0 });
    } else if (!inside) {
      if (line && !header.test(line)) lines.push({ kind: "note", text: line, before: 0, after: 0 });
    } else if (line.startsWith("+")) {
      lines.push({ kind: "add", text: line, before: 0, after: after++ });
    } else if (line.startsWith("-")) {
      lines.push({ kind: "del", text: line, before: before++, after: 0 });
    } else if (line.startsWith(" ")) {
      lines.push({ kind: "same", text: line, before: before++, after: after++ });
    } else if (line) {
      lines.push({ kind: "note", text: line, before: 0, after: 0 });
    }
  }
  return lines;
}
