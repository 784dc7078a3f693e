import assert from "node:assert/strict";
import { test } from "node:test";
import { applyChange, applyGone, fromSnapshot, keyOf } from "../app/store.js";
import { machine, pane } from "./herd.js";

const herd = fromSnapshot({
  at: 1_000,
  mode: "lead",
  machines: [machine("a", { lead: true }), machine("b")],
  workspaces: [{ id: "w1", host: "a", label: "", cwd: "" }, { id: "w1", host: "b", label: "", cwd: "" }],
  tabs: null,
  panes: [pane("p1", { host: "a" }), pane("p1", { host: "b" }), pane("p2", { host: "b" })],
}, 400);

test("the same id on two machines is two panes", () => {
  assert.deepEqual([...herd.panes.keys()], ["a/p1", "b/p1", "b/p2"]);
  assert.equal(keyOf({ id: "p1" }), "/p1");
});

test("the lead's clock is held against the phone's", () => {
  assert.equal(herd.skew, 600);
  assert.equal(applyChange(herd, { at: 2_000 }, 1_900).skew, 100);
});

test("a change replaces in place, adds at the end, and leaves the rest untouched", () => {
  const next = applyChange(herd, { at: 2_000, panes: [pane("p1", { host: "a", status: "done" }), pane("p9", { host: "a" })] }, 0);
  assert.deepEqual([...next.panes.keys()], ["a/p1", "b/p1", "b/p2", "a/p9"]);
  assert.equal(next.panes.get("a/p1")?.status, "done");
  assert.equal(herd.panes.get("a/p1")?.status, "idle");
  assert.equal(next.panes.get("b/p1"), herd.panes.get("b/p1"));
  assert.equal(next.machines, herd.machines);
});

test("what is gone is gone from its machine alone", () => {
  const next = applyGone(herd, { at: 2_000, panes: [{ id: "p1", host: "b" }, { id: "p7", host: "b" }] }, 0);
  assert.deepEqual([...next.panes.keys()], ["a/p1", "b/p2"]);
  assert.equal(next.workspaces, herd.workspaces);
});

test("a machine takes what is on it along", () => {
  const next = applyGone(herd, { at: 2_000, machines: ["b"] }, 0);
  assert.deepEqual([...next.machines.keys()], ["a"]);
  assert.deepEqual([...next.panes.keys()], ["a/p1"]);
  assert.deepEqual([...next.workspaces.keys()], ["a/w1"]);
});

test("a first member makes a crew of a solo node", () => {
  const solo = fromSnapshot({ at: 0, mode: "solo", workspaces: [], tabs: [], panes: [] }, 0);
  assert.equal(applyChange(solo, { at: 1, machines: [machine("b")] }, 0).crew, true);
});
