import assert from "node:assert/strict";
import { test } from "node:test";

import { cellsIn } from "../app/screen.js";

test("a pane that fits a screen has as many readable cells as that holds", () => {
  assert.deepEqual(cellsIn(390, 500, 0.6, 1), { cols: 49, rows: 30 });
  assert.deepEqual(cellsIn(390, 500, 0.6, 2), { cols: 24, rows: 15 });
  assert.deepEqual(cellsIn(100, 50, 0.6, 1), { cols: 20, rows: 8 });
});
