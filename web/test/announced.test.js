import assert from "node:assert/strict";
import { test } from "node:test";
import { announced } from "../app/announced.js";

const id = "01ARZ3NDEKTSV4RRFFQ69G5FAV";

/** @param {string} text @param {boolean} [wrap] */
const row = (text, wrap = false) => /** @type {any} */ ({ i: 0, wrap, runs: [[text, ""]] });

test("an announcement is found, also over rows that wrap and runs that change colour", () => {
  assert.deepEqual(announced([row("$ ls"), row(`[collie] message from atlas:p3, read it with: collie walky inbox ${id}`)]), [id]);
  assert.deepEqual(announced([row("[collie] message from atlas:p3, read it with: collie wal", true), row(`ky inbox ${id}`)]), [id]);
  const coloured = /** @type {any} */ ({ i: 0, wrap: false, runs: [["[collie] message from your own wake, ", "1"], [`read it with: collie walky inbox ${id}`, ""]] });
  assert.deepEqual(announced([coloured]), [id]);
});

test("what is not quite one is none", () => {
  for (const text of [
    `message from atlas:p3, read it with: collie walky inbox ${id}`,
    `[collie] message from atlas:p3, read it with: collie walky inbox ${id}A`,
    `[collie] message from atlas:p3, read it with: collie walky inbox ${id.toLowerCase()}`,
    `[collie] message from ${"x".repeat(200)}, read it with: collie walky inbox ${id}`,
  ]) assert.deepEqual(announced([row(text)]), [], text);
  assert.deepEqual(announced([row("[collie] message from a, read it with: collie wal"), row(`ky inbox ${id}`)]), []);
});
