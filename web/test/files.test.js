import assert from "node:assert/strict";
import { test } from "node:test";
import { formatRoute, parseRoute } from "../app/route.js";

test("a file's address leads back to it, whatever its name", () => {
  for (const at of [{ id: "p1", path: "" }, { id: "p1", path: "src/a b#?.js" }, { id: "p1", host: "m1", path: "" }, { id: "p1", host: "m1", path: "ü/%41" }]) {
    assert.deepEqual(parseRoute(formatRoute({ page: "files", ...at })), { page: "files", ...at });
  }
  for (const at of [{ id: "p1" }, { id: "p1", host: "m1" }]) {
    assert.deepEqual(parseRoute(formatRoute({ page: "changes", ...at })), { page: "changes", ...at });
  }
});
