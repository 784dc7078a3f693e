import assert from "node:assert/strict";
import { test } from "node:test";
import { nameOf, orderHerd } from "../app/order.js";
import { applyChange, fromSnapshot } from "../app/store.js";
import { machine, pane } from "./herd.js";

const crew = fromSnapshot({
  at: 0,
  mode: "lead",
  machines: [machine("m10", { label: "node10" }), machine("m2", { label: "node2" }), machine("m0", { label: "zeta", lead: true }), machine("m3", { label: "empty" })],
  workspaces: [{ id: "w2", host: "m2", label: "b", cwd: "" }, { id: "w1", host: "m2", label: "a", cwd: "" }, { id: "w1", host: "m0", label: "c", cwd: "" }],
  tabs: [{ id: "t2", host: "m2", workspace: "w1", label: "", index: 1 }, { id: "t1", host: "m2", workspace: "w1", label: "", index: 0 }],
  panes: [
    pane("p4", { host: "m2", tab: "t2", index: 0 }),
    pane("p3", { host: "m2", tab: "t1", index: 1 }),
    pane("p2", { host: "m2", tab: "t1", index: 0 }),
    pane("p9", { host: "m2", workspace: "w2", tab: "t9" }),
    pane("p1", { host: "m10" }),
    pane("p1", { host: "m0" }),
  ],
}, 0);

/** @param {import("../app/order.js").Order} order */
const shape = (order) => ({
  needsYou: order.needsYou.map((p) => `${p.host}/${p.id}`),
  groups: order.groups.map((group) => [group.key, ...group.workspaces.map((w) => [w.workspace?.label ?? null, ...w.panes.map((p) => p.id)])]),
});

test("machines come lead first, then by name as a person counts; workspaces and panes by place", () => {
  assert.deepEqual(shape(orderHerd(crew)), {
    needsYou: [],
    groups: [["m0", ["c", "p1"]], ["m3"], ["m2", ["b", "p9"], ["a", "p2", "p3", "p4"]], ["m10", [null, "p1"]]],
  });
});

test("a change of status never moves a pane", () => {
  const before = shape(orderHerd(crew));
  for (const status of ["working", "blocked", "done", "shell", "unknown"]) {
    const after = applyChange(crew, { at: 1, panes: [pane("p3", { host: "m2", tab: "t1", index: 1, status, since: 99 })] }, 0);
    assert.deepEqual(shape(orderHerd(after)), before, status);
  }
});

test("panes that need a person come first, in place order, and the rest keeps its order", () => {
  const after = applyChange(crew, {
    at: 1,
    panes: [pane("p4", { host: "m2", tab: "t2", needsYou: true }), pane("p2", { host: "m2", tab: "t1", needsYou: true })],
  }, 0);
  assert.deepEqual(shape(orderHerd(after)), {
    needsYou: ["m2/p2", "m2/p4"],
    groups: [["m0", ["c", "p1"]], ["m3"], ["m2", ["b", "p9"], ["a", "p3"]], ["m10", [null, "p1"]]],
  });
});

test("a solo node is one group without a machine", () => {
  const solo = fromSnapshot({ at: 0, mode: "solo", workspaces: [], tabs: [], panes: [pane("p1")] }, 0);
  const order = orderHerd(solo);
  assert.equal(solo.crew, false);
  assert.deepEqual(order.groups.map((group) => [group.machine, group.panes]), [[undefined, 1]]);
});

test("panes of one machine that are called the same are known, to be told apart", () => {
  const twins = fromSnapshot({
    at: 0, mode: "lead", machines: [machine("m1"), machine("m2")], workspaces: [], tabs: [],
    panes: [pane("p1", { host: "m1", harness: "shell" }), pane("p2", { host: "m1", harness: "shell" }), pane("p3", { host: "m1", label: "api" }), pane("p4", { host: "m2", harness: "shell" })],
  }, 0);
  assert.deepEqual([...orderHerd(twins).alike], ["m1/p1", "m1/p2"]);
});

test("a pane is called by the operator's word, then its title, then its program", () => {
  assert.equal(nameOf(pane("p1", { label: "api", title: "vim", harness: "claude" })), "api");
  assert.equal(nameOf(pane("p1", { title: "vim", harness: "claude" })), "vim");
  assert.equal(nameOf(pane("p1", { harness: "claude" })), "claude");
  assert.equal(nameOf(pane("p1")), "p1");
});

test("a shell that says nothing of itself is called by its command", () => {
  const shell = { title: "", label: "", harness: "shell", status: "shell", command: "sh -c make watch" };
  assert.equal(nameOf(pane("p1", shell)), "sh -c make watch");
  assert.equal(nameOf(pane("p1", { ...shell, status: "done" })), "sh -c make watch");
  assert.equal(nameOf(pane("p1", { ...shell, title: "vim" })), "vim");
  assert.equal(nameOf(pane("p1", { ...shell, label: "build" })), "build");
  assert.equal(nameOf(pane("p1", { ...shell, command: undefined })), "shell");
  assert.equal(nameOf(pane("p1", { ...shell, harness: "claude", status: "idle", command: "claude" })), "claude");
});
