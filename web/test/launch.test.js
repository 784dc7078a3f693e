import assert from "node:assert/strict";
import { test } from "node:test";
import { giveConsent, hasConsent, maxConsents } from "../app/consents.js";
import { formatRoute, parseRoute } from "../app/route.js";
import { sparkPath } from "../app/spark.js";
import { storage } from "./storage.js";

test("a launcher is confirmed once for each machine, and remembered", () => {
  const store = storage();
  assert.equal(hasConsent(store, "juno", "abc"), false);
  giveConsent(store, "juno", "abc");
  giveConsent(store, "juno", "abc");
  assert.equal(hasConsent(store, "juno", "abc"), true);
  assert.equal(hasConsent(store, undefined, "abc"), false);
  assert.equal(hasConsent(store, "juno", "abd"), false);
  for (let i = 0; i < maxConsents; i++) giveConsent(store, undefined, `row${i}`);
  assert.equal(hasConsent(store, "juno", "abc"), false, "the oldest is asked for again");
  assert.equal(hasConsent(store, undefined, "row0"), true);
});

test("what another version left among the consents confirms nothing", () => {
  const store = storage();
  for (const text of ["x", "{}", "[1]", "null"]) {
    store.map.set("collie.consents", text);
    assert.equal(hasConsent(store, undefined, "abc"), false);
    giveConsent(store, undefined, "abc");
    assert.equal(hasConsent(store, undefined, "abc"), true);
  }
});

test("a day is a line that is broken where nothing is known", () => {
  assert.equal(sparkPath([], 1440), "");
  assert.equal(sparkPath([0, null, 1], 3), "M0 31h0.1M96 1h0.1");
  assert.equal(sparkPath([0, 1, 0.5], 3), "M0 31h0.1L48 1L96 16");
  const whole = sparkPath(Array(1440).fill(0.5), 1440);
  assert.equal(whole.split("L").length, 144, "as many points as there are columns");
  assert.ok(sparkPath([0.5], 1440).startsWith("M143.9"), "a day that has just begun ends at the right");
});

test("New and Crew have addresses", () => {
  for (const route of /** @type {const} */ ([{ page: "crew" }, { page: "new" }, { page: "new", host: "a b" }])) {
    assert.deepEqual(parseRoute(formatRoute(route)), route);
  }
});
