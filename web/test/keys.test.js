import assert from "node:assert/strict";
import { test } from "node:test";
import { ApiError } from "../app/api.js";
import { KeySender } from "../app/keysender.js";
import { anchor, chord, keyOfEvent, keysBetween, keysOfField } from "../app/typing.js";

/** @type {[before: string, after: string, keys: string[]][]} */
const edits = [
  ["", "a", ["a"]],
  ["ab", "abc", ["c"]],
  ["abc", "ab", ["Backspace"]],
  ["teh", "the", ["Backspace", "Backspace", "h", "e"]],
  ["", "a\nb\t", ["a", "Enter", "b", "Tab"]],
  ["", "é🐕", ["é", "🐕"]],
  ["a👨‍👩‍👧", "a", ["Backspace"]],
  ["same", "same", []],
];
for (const [before, after, keys] of edits) {
  test(`${JSON.stringify(before)} to ${JSON.stringify(after)} is ${JSON.stringify(keys)}`, () => {
    assert.deepEqual(keysBetween(before, after), keys);
  });
}

test("a field's anchor is never typed, and its loss is a Backspace", () => {
  assert.deepEqual(keysOfField(anchor, `${anchor}a`), ["a"]);
  assert.deepEqual(keysOfField(anchor, `a${anchor}`), ["a"]);
  assert.deepEqual(keysOfField(anchor, ""), ["Backspace"]);
  assert.deepEqual(keysOfField(`${anchor}ab`, ""), ["Backspace", "Backspace", "Backspace"]);
});

/** @param {string} key @param {object} [held] */
const press = (key, held = {}) =>
  keyOfEvent({ key, ctrlKey: false, altKey: false, shiftKey: false, metaKey: false, isComposing: false, ...held });

test("keys have the names of the API", () => {
  assert.equal(press("ArrowUp"), "Up");
  assert.equal(press("PageDown"), "PageDown");
  assert.equal(press("Tab", { shiftKey: true }), "Shift+Tab");
  assert.equal(press("c", { ctrlKey: true }), "Ctrl+C");
  assert.equal(press("x", { altKey: true }), "Alt+x");
  assert.equal(press("F12"), "F12");
});

test("what changes the field's text, or is the browser's, is no key", () => {
  for (const key of ["a", "Shift", "Dead", "Unidentified", "é"]) assert.equal(press(key), undefined, key);
  assert.equal(press("v", { metaKey: true }), undefined);
  assert.equal(press("Enter", { isComposing: true }), undefined);
  assert.equal(press("@", { ctrlKey: true, altKey: true }), undefined);
  assert.equal(chord("1"), undefined);
});

/** Lets everything that waits for nothing run. */
const settle = () => new Promise((resolve) => setImmediate(resolve));

test("keys go in order, one request at a time, and what waits goes together", async () => {
  /** @type {any[]} */
  const requests = [];
  /** @type {(() => void)[]} */
  const answers = [];
  const sender = new KeySender({
    client: "page",
    post: (request) => new Promise((resolve) => {
      requests.push(request);
      answers.push(() => resolve(undefined));
    }),
    failed: () => assert.fail("nothing failed"),
  });
  sender.send(["a"], true);
  sender.send(["b"], true);
  sender.send(["c"], true);
  sender.send(["Enter"], false);
  await settle();
  assert.equal(requests.length, 1);
  for (let i = 0; i < 3; i++) {
    answers[i]?.();
    await settle();
  }
  assert.deepEqual(requests, [
    { keys: ["a"], typed: true, client: "page", n: 1 },
    { keys: ["b", "c"], typed: true, client: "page", n: 2 },
    { keys: ["Enter"], typed: false, client: "page", n: 3 },
  ]);
});

test("a lost answer is repeated once, under the same count", async () => {
  /** @type {number[]} */
  const counts = [];
  const sender = new KeySender({
    post: async (request) => {
      counts.push(request.n);
      if (counts.length === 1) throw new TypeError("network");
    },
    failed: () => assert.fail("the repeat was answered"),
  });
  sender.send(["a"], true);
  await settle();
  sender.send(["b"], true);
  await settle();
  assert.deepEqual(counts, [1, 1, 2]);
});

test("a refusal is not repeated, and what waits behind it is dropped", async () => {
  let posts = 0;
  /** @type {string[]} */
  const failures = [];
  const sender = new KeySender({
    post: async () => {
      posts++;
      throw new ApiError("pane_gone", "", 410);
    },
    failed: (err) => void failures.push(err.code),
  });
  sender.send(["a"], true);
  sender.send(["Enter"], false);
  await settle();
  assert.equal(posts, 1);
  assert.deepEqual(failures, ["pane_gone"]);
});

test("too many keys that wait are dropped together, and that is said", async () => {
  /** @type {string[][]} */
  const sent = [];
  /** @type {string[]} */
  const failures = [];
  /** @type {() => void} */
  let answer = () => {};
  const sender = new KeySender({
    post: (request) => new Promise((resolve) => {
      sent.push(request.keys);
      answer = () => resolve(undefined);
    }),
    failed: (err) => void failures.push(err.code),
  });
  sender.send(["a"], true);
  sender.send(Array(2_000).fill("b"), true);
  assert.deepEqual(failures, []);
  sender.send(["c"], true);
  assert.deepEqual(failures, ["network"]);
  answer();
  await settle();
  assert.deepEqual(sent, [["a"]]);
});
