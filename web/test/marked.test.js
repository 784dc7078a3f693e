import assert from "node:assert/strict";
import { test } from "node:test";

import { marksFor } from "../app/marked.js";

test("there is a mark for each row, and for none at all one", () => {
  assert.equal(marksFor("‹wake›", 66, 22), "‹wake›\n‹wake›\n‹wake›");
  assert.equal(marksFor("‹wake›", 65.6, 21.9), "‹wake›\n‹wake›\n‹wake›");
  assert.equal(marksFor("‹wake›", 0, 22), "‹wake›");
  assert.equal(marksFor("‹wake›", 10, NaN), "‹wake›");
  assert.equal(marksFor("‹wake›", NaN, 22), "‹wake›");
});

test("a text of any height has a bounded number of marks", () => {
  assert.equal(marksFor("x", 1e9, 1).length, 2 * 20_000 - 1);
  assert.equal(marksFor("x", 10, 0).length, 2 * 20_000 - 1);
});

test("what is cut after so many rows has no more marks", () => {
  assert.equal(marksFor("x", 1e6, 22, 3), "x\nx\nx");
});
