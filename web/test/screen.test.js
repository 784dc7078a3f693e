import assert from "node:assert/strict";
import { test } from "node:test";
import { cellsOf, piecesOf } from "../app/cells.js";
import { fittingSize, fontSize, sideways, webAddress } from "../app/screen.js";
import { joinFrames } from "../app/session.js";

/** @param {number} rows @param {[number, string][]} lines @param {object} [more] */
const frame = (rows, lines, more = {}) => ({
  seq: 1, cols: 10, rows, cursor: { row: 0, col: 0, visible: true }, title: "", screen: "h", echo: true, masked: false,
  lines: lines.map(([i, text]) => ({ i, wrap: false, runs: /** @type {[string, string][]} */ ([[text, ""]]) })), ...more,
});
/** @param {import("../app/types.js").Frame} screen */
const text = (screen) => (screen.lines ?? []).map((line) => (line.runs ?? []).map(([part]) => part).join(""));

test("a later frame replaces the rows that it names", () => {
  const first = joinFrames(null, frame(3, [[0, "a"], [1, "b"], [2, "c"]]));
  const next = joinFrames(first, frame(3, [[1, "B"]], { seq: 2, title: "new" }));
  assert.deepEqual(text(next), ["a", "B", "c"]);
  assert.equal(next.title, "new");
  assert.deepEqual(text(first), ["a", "b", "c"]);
});

test("a frame of another size starts anew", () => {
  const first = joinFrames(null, frame(2, [[0, "a"], [1, "b"]]));
  assert.deepEqual(text(joinFrames(first, frame(3, [[0, "x"]]))), ["x", "", ""]);
  assert.deepEqual(text(joinFrames(first, frame(2, [[1, "y"]], { cols: 11 }))), ["", "y"]);
});

test("rows beyond the screen are left out", () => {
  assert.deepEqual(text(joinFrames(null, frame(1, [[0, "a"], [7, "x"], [-1, "y"]]))), ["a"]);
});

test("characters take the cells that a terminal gives them", () => {
  const cells = { a: 1, é: 1, "•": 1, "─": 1, 日: 2, "한": 2, "Ａ": 2, "🐕": 2, "👨‍👩‍👧": 2, "✅": 2, "❤️": 2, "❤": 1, "e\u0301": 1 };
  for (const [character, want] of Object.entries(cells)) assert.equal(cellsOf(character), want, character);
});

test("a link leads to the web or nowhere", () => {
  assert.equal(webAddress("https://example.org/a?b#c"), "https://example.org/a?b#c");
  assert.equal(webAddress("HTTP://example.org"), "http://example.org/");
  for (const link of [undefined, "", "example.org", "javascript:alert(1)", "data:text/html,x", "file:///etc/passwd",
    "blob:https://example.org/x", "https://bank.example@evil.example/", "https://"]) {
    assert.equal(webAddress(link), "", link);
  }
});

test("only what the font does not fit gets a box", () => {
  /** @param {string} grapheme */
  const fits = (grapheme) => grapheme === "é";
  assert.deepEqual(piecesOf("", fits), []);
  assert.deepEqual(piecesOf("plain", fits), [{ text: "plain", cells: 5, boxed: false }]);
  assert.deepEqual(piecesOf("né日x", fits), [
    { text: "né", cells: 2, boxed: false }, { text: "日", cells: 2, boxed: true }, { text: "x", cells: 1, boxed: false },
  ]);
});

test("eighty columns fill a phone, and more scroll sideways before the type is too small", () => {
  const fit = (/** @type {number} */ width, /** @type {number} */ cols) => fontSize(fittingSize(width, cols, 0.6), "fit", 1);
  assert.equal(fit(370, 80), 7.71);
  assert.equal(fit(370, 200), 7);
  assert.equal(fit(1_200, 80), 15);
  assert.equal(fontSize(fittingSize(370, 80, 0.6), "fit", 2), 15.42);
});

test("who would rather read than see all of it gets readable type, never a smaller one", () => {
  assert.equal(fontSize(7.71, "scroll", 1), 12.5);
  assert.equal(fontSize(15, "scroll", 1), 15);
  assert.equal(fontSize(7.71, "scroll", 1.2), 15);
});

test("a screen that scrolls sideways shows its cursor, and the beginning of its rows wherever it can", () => {
  assert.equal(sideways(0, 390, 100, 8), 0);
  assert.equal(sideways(300, 390, 100, 8), 0); // back at the prompt
  assert.equal(sideways(0, 390, 500, 8), 321);
  assert.equal(sideways(321, 390, 510, 8), 321); // it is seen
  assert.equal(sideways(321, 390, 700, 8), 521);
});
