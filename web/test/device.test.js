import assert from "node:assert/strict";
import { test } from "node:test";
import { Drafts, limits, preferencesKey, readToken, wipeStorage, writeToken } from "../app/device.js";
import { storage } from "./storage.js";

test("the end of a pairing leaves preferences and other apps' entries, and nothing else", () => {
  const store = storage({ [preferencesKey]: "{}", other: "kept", "collie.text.a/p1": "screen", "collie.consent.x": "1", "collie.herd": "{}" });
  writeToken(store, "secret");
  new Drafts(store).set("a/p1", "unsent");
  assert.equal(readToken(store), "secret");
  wipeStorage(store);
  assert.deepEqual([...store.map.keys()].sort(), [preferencesKey, "other"].sort());
  assert.equal(readToken(store), "");
});

test("a draft is there after a reload, and gone once it is sent", () => {
  const store = storage();
  new Drafts(store).set("a/p1", "half a thought");
  assert.equal(new Drafts(store).get("a/p1"), "half a thought");
  assert.equal(new Drafts(store).get("b/p1"), "");
  new Drafts(store).set("a/p1", "");
  assert.deepEqual([...store.map.keys()], []);
});

test("a draft is forgotten after a day", () => {
  const store = storage();
  new Drafts(store, () => 0).set("a/p1", "old");
  assert.equal(new Drafts(store, () => limits.draftAgeMs - 1).get("a/p1"), "old");
  assert.equal(new Drafts(store, () => limits.draftAgeMs).get("a/p1"), "");
});

test("the oldest draft goes when there are too many", () => {
  const drafts = new Drafts(storage());
  for (let i = 0; i <= limits.drafts; i++) drafts.set(`a/p${i}`, "x");
  assert.equal(drafts.get("a/p0"), "");
  assert.equal(drafts.get("a/p1"), "x");
});

test("a long draft stays in memory and is not stored", () => {
  const store = storage();
  const drafts = new Drafts(store);
  drafts.set("a/p1", "x".repeat(limits.draftChars + 1));
  assert.equal(drafts.get("a/p1").length, limits.draftChars + 1);
  assert.equal(new Drafts(store).get("a/p1"), "");
});

test("a broken entry is as if absent", () => {
  for (const broken of ["{", "null", "7", '[["a/p1"]]', '[[1,2,3],null]']) {
    assert.equal(new Drafts(storage({ "collie.drafts": broken })).get("a/p1"), "", broken);
  }
});

test("a full storage loses the draft, never the app", () => {
  const store = storage();
  store.setItem = () => {
    throw new Error("quota");
  };
  const drafts = new Drafts(store);
  drafts.set("a/p1", "text");
  assert.equal(drafts.get("a/p1"), "text");
});
