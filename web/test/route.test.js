import assert from "node:assert/strict";
import { test } from "node:test";
import { formatRoute, parseRoute } from "../app/route.js";

test("a pairing code comes from the fragment", () => {
  assert.deepEqual(parseRoute("#pair=ABCD-2345"), { page: "pair", code: "ABCD-2345" });
  assert.deepEqual(parseRoute("#pair=AB%20CD"), { page: "pair", code: "AB CD" });
  assert.deepEqual(parseRoute("#pair"), { page: "pair", code: "" });
  assert.deepEqual(parseRoute("#pair=%"), { page: "pair", code: "%" });
});

test("a pane's address leads back to it, whatever its name", () => {
  for (const pane of [{ id: "p1" }, { id: "p1", host: "m1" }, { id: "a/b", host: "c d%" }]) {
    assert.deepEqual(parseRoute(formatRoute({ page: "pane", ...pane })), { page: "pane", ...pane });
  }
});

test("anything else is the herd", () => {
  for (const fragment of ["", "#", "#/", "#/nowhere", "#/pane", "#pairs"]) {
    assert.deepEqual(parseRoute(fragment), { page: "herd" }, fragment);
  }
  assert.deepEqual(parseRoute("#/settings"), { page: "settings" });
});
