import assert from "node:assert/strict";
import { test } from "node:test";
import { bounds, Keeper, newest } from "../app/keep.js";

/** A shelf in memory. */
function shelf() {
  /** @type {Map<string, import("../app/keep.js").Entry>} */
  const entries = new Map();
  return {
    entries,
    all: async () => [...entries.values()],
    /** @param {string} key */
    get: async (key) => entries.get(key),
    /** @param {import("../app/keep.js").Entry} entry */
    put: async (entry) => void entries.set(entry.key, { ...entry }),
    /** @param {string} key */
    remove: async (key) => void entries.delete(key),
    wipe: async () => entries.clear(),
  };
}

/** @param {string} id @param {number} bytes */
const turn = (id, bytes) => ({ id, at: 1, who: "agent", body: [{ k: "p", t: "x".repeat(bytes) }] });

test("of a long chat the newest turns are kept, each whole", async () => {
  const keeper = new Keeper(shelf());
  const turns = Array.from({ length: 10 }, (_, i) => turn(`t${i}`, 30 << 10));
  await keeper.keepChat("p1", turns);
  assert.deepEqual(await keeper.chatOf("p1"), turns.slice(-4));
  assert.deepEqual(newest([turn("a", bounds.chatBytes)], bounds.chatBytes), []);
  assert.deepEqual(newest([{ t: "😀" }], 14), [], "bytes are counted, not characters");
});

test("a day later nothing of it is shown or there", async () => {
  const place = shelf();
  let now = 1000;
  const keeper = new Keeper(place, () => now);
  await keeper.keepChat("p1", [turn("a", 10)]);
  now += bounds.ageMs - 1;
  assert.equal((await keeper.chatOf("p1")).length, 1);
  now += 1;
  assert.deepEqual(await keeper.chatOf("p1"), []);
  await keeper.keepChat("p2", [turn("b", 10)]);
  assert.deepEqual([...place.entries.keys()], ["chat p2"]);
});

test("beyond the whole the oldest go first", async () => {
  const place = shelf();
  let now = 0;
  const keeper = new Keeper(place, () => now);
  for (let i = 0; i < 120; i++) {
    now = i;
    await keeper.keepChat(`p${i}`, [turn("a", 120 << 10)]);
  }
  const total = [...place.entries.values()].reduce((sum, entry) => sum + entry.bytes, 0);
  assert.ok(total <= bounds.totalBytes, `${total} bytes`);
  assert.ok(place.entries.has("chat p119") && !place.entries.has("chat p0"));
});

test("the switch and the end of a pairing delete", async () => {
  const place = shelf();
  const keeper = new Keeper(place);
  await keeper.keepChat("p1", [turn("a", 10)]);
  await place.put({ key: "screen p1", at: Date.now(), bytes: 1, value: 1 });
  await keeper.forgetChats();
  assert.deepEqual([...place.entries.keys()], ["screen p1"]);
  await keeper.keepChat("p1", [turn("a", 10)]);
  await keeper.forget("p1");
  assert.deepEqual(await keeper.chatOf("p1"), []);
  await keeper.wipe();
  assert.equal(place.entries.size, 0);
});

test("a browser without a place for it keeps nothing", async () => {
  const keeper = new Keeper(null);
  await keeper.keepChat("p1", [turn("a", 10)]);
  assert.deepEqual(await keeper.chatOf("p1"), []);
  await keeper.forgetChats();
  await keeper.wipe();
});
