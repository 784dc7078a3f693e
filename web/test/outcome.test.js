import assert from "node:assert/strict";
import { test } from "node:test";
import { ApiError } from "../app/api.js";
import { outcomeOf, wasEntered } from "../app/outcome.js";

const refusal = (/** @type {string} */ code, /** @type {unknown} */ detail, status = 409) => new ApiError(code, "", status, detail);

test("a reply has one of four outcomes", () => {
  assert.equal(outcomeOf({ textDelivered: true, submitted: true }), "sent");
  assert.equal(outcomeOf({ textDelivered: true, submitted: false }), "typed");
  assert.equal(outcomeOf({ textDelivered: false, submitted: false }), "refused");
  assert.equal(outcomeOf(refusal("not_submitted", { textDelivered: true, submitted: false })), "typed");
  assert.equal(outcomeOf(refusal("not_submitted", undefined)), "typed");
  assert.equal(outcomeOf(refusal("screen_changed", undefined)), "refused");
  assert.equal(outcomeOf(refusal("screen_missing", undefined, 400)), "refused");
  assert.equal(outcomeOf(refusal("partly_sent", { textDelivered: true, lines: 2 })), "refused");
});

test("a text that may have been entered is never offered as one that was not", () => {
  const entered = refusal("write_outcome_unknown", { textDelivered: true, submitted: false }, 504);
  assert.equal(outcomeOf(entered), "unknown");
  assert.ok(wasEntered(entered));
  for (const lost of [refusal("write_outcome_unknown", undefined, 504), refusal("network", undefined, 0), refusal("internal", undefined, 500)]) {
    assert.equal(outcomeOf(lost), "unknown");
    assert.ok(!wasEntered(lost));
  }
});
