import assert from "node:assert/strict";
import { test } from "node:test";
import { ApiError } from "../app/api.js";
import { ChatLog } from "../app/chat.js";

/** @param {number} n */
const turn = (n) => ({ id: `t${n}`, at: n, who: n % 2 ? "person" : "agent", body: [{ k: "p", c: [{ k: "t", t: String(n) }] }] });

/** A log of so many turns on a machine; it answers like the node does. */
function open() {
  const log = { session: "claude s1", first: 0, end: 0, refuse: "", kept: /** @type {string[]} */ ([]) };
  /** @type {string[]} */
  const asked = [];
  const chat = new ChatLog({
    async getNew(path, etag) {
      asked.push(path);
      if (log.refuse) throw new ApiError(log.refuse, log.refuse, 404);
      const query = new URL(path, "http://x").searchParams;
      const before = query.get("before");
      const end = before ? Number(before.slice(1)) : log.end;
      const first = Math.max(log.first, end - Number(query.get("count")));
      const tag = `${log.session} ${log.end}`;
      if (etag === tag) return { etag, body: null };
      const turns = Array.from({ length: end - first }, (_, i) => turn(end - 1 - i));
      return { etag: tag, body: { session: log.session, turns, more: first > log.first, skipped: 0, cut: false, masked: false } };
    },
  }, { id: "p1", host: "m1" }, (turns) => { log.kept = turns.map((t) => t.id); });
  return { chat, log, asked };
}

/** @param {ChatLog} chat */
const ids = ({ turns: { value } }) => [value[0]?.id, value.at(-1)?.id, value.length];

test("the newest turns come first, the older ones when a person asks", async () => {
  const { chat, log, asked } = open();
  log.end = 70;
  await chat.latest();
  assert.deepEqual(ids(chat), ["t40", "t69", 30]);
  await chat.earlier();
  await chat.earlier();
  assert.deepEqual(ids(chat), ["t0", "t69", 70]);
  assert.equal(chat.more.value, false);
  assert.deepEqual(asked.slice(0, 2), ["/api/pane/p1/chat?count=30&host=m1", "/api/pane/p1/chat?before=t40&count=30&host=m1"]);
});

test("what is new is added to what is here, each turn once", async () => {
  const { chat, log } = open();
  log.end = 50;
  await chat.latest();
  await chat.earlier();
  log.end = 53;
  await chat.latest();
  assert.deepEqual(ids(chat), ["t0", "t52", 53]);
  assert.equal(new Set(chat.turns.value.map((t) => t.id)).size, 53);
  const before = chat.turns.value;
  await chat.latest(); // nothing was said
  assert.equal(chat.turns.value, before);
});

test("another session takes the place of the one before", async () => {
  const { chat, log } = open();
  log.end = 50;
  await chat.latest();
  await chat.earlier();
  Object.assign(log, { session: "claude s2", end: 3 });
  await chat.latest();
  assert.deepEqual(ids(chat), ["t0", "t2", 3]);
});

test("after a gap that is too wide, the newest page stands alone", async () => {
  const { chat, log } = open();
  log.end = 10;
  await chat.latest();
  log.end = 100;
  await chat.latest();
  assert.deepEqual(ids(chat), ["t70", "t99", 30]);
  assert.equal(chat.more.value, true);
});

test("what this phone kept is shown until the machine answers, and no longer", async () => {
  const { chat, log } = open();
  chat.recall([turn(1)]);
  assert.deepEqual(ids(chat), ["t1", "t1", 1]);
  log.refuse = "host_unreachable";
  await chat.latest();
  assert.deepEqual(ids(chat), ["t1", "t1", 1]);
  assert.equal(chat.problem.value?.code, "host_unreachable");
  Object.assign(log, { refuse: "", first: 5, end: 7 });
  await chat.latest();
  assert.deepEqual(ids(chat), ["t5", "t6", 2]);
  assert.deepEqual(log.kept, ["t5", "t6"]);
  chat.recall([turn(1)]);
  assert.deepEqual(ids(chat), ["t5", "t6", 2]);
});

test("a program that has said nothing has no turns of the one before", async () => {
  const { chat, log } = open();
  log.end = 4;
  await chat.latest();
  log.refuse = "no_chat";
  await chat.latest();
  assert.deepEqual(chat.turns.value, []);
});

test("many asks at once are at most two on the way", async () => {
  const { chat, log, asked } = open();
  log.end = 4;
  await Promise.all([chat.latest(), chat.latest(), chat.latest(), chat.latest()]);
  await new Promise((done) => setImmediate(done));
  assert.equal(asked.length, 2);
});
