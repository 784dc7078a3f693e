import assert from "node:assert/strict";
import { test } from "node:test";

import { answerAddress, forPerson } from "../app/address.js";

/** @param {Partial<import("../app/types.js").WalkyMessage>} parts */
const message = (parts) => /** @type {import("../app/types.js").WalkyMessage} */ ({ direction: "in", from: "p3#k3f9", to: "p4#k3f8", ...parts });

test("a message is answered where its session is", () => {
  assert.equal(answerAddress(message({}), undefined), "p3#k3f9");
  assert.equal(answerAddress(message({}), "juno"), "juno:p3#k3f9");
  assert.equal(answerAddress(message({ from: "iris:p3#k3f9" }), "juno"), "iris:p3#k3f9");
  assert.equal(answerAddress(message({ from: "local" }), undefined), "");
  assert.equal(answerAddress(message({ direction: "out" }), undefined), "");
});

test("what a session answered to a person can be answered again", () => {
  const answer = message({ direction: "out", to: "atlas" });
  assert.equal(forPerson(answer), true);
  assert.equal(answerAddress(answer, "juno"), "juno:p3#k3f9");
});
