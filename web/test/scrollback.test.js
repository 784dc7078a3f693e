import assert from "node:assert/strict";
import { test } from "node:test";
import { Scrollback } from "../app/scrollback.js";

/** @param {number} first @param {number} end */
const lines = (first, end) => Array.from({ length: Math.max(0, end - first) }, (_, i) => ({ wrap: false, runs: [[`line ${first + i}`, ""]] }));

/**
 * A pane with this many lines of scrollback.
 * @param {{first: number, end: number}} kept moves as the program writes
 */
function open(kept) {
  /** @type {string[]} */
  const asked = [];
  const scrollback = new Scrollback({
    async get(path) {
      asked.push(path);
      const query = new URL(path, "http://x").searchParams;
      const from = Number(query.get("from"));
      const total = kept.end - kept.first;
      const all = lines(kept.first, kept.end).slice(from, from + Number(query.get("count")));
      return { from, total, rows: all };
    },
  }, { id: "p1", host: "m1" });
  return { scrollback, asked };
}

/** @param {Scrollback} scrollback */
const ends = ({ rows: { value: rows } }) => [rows[0]?.runs?.[0]?.[0], rows.at(-1)?.runs?.[0]?.[0], rows.length];

test("the first page ends where the screen begins, the next ones come before it", async () => {
  const { scrollback, asked } = open({ first: 0, end: 450 });
  await scrollback.earlier();
  assert.deepEqual(ends(scrollback), ["line 250", "line 449", 200]);
  await scrollback.earlier();
  assert.deepEqual(ends(scrollback), ["line 50", "line 449", 400]);
  assert.equal(scrollback.more.value, true);
  await scrollback.earlier();
  assert.deepEqual(ends(scrollback), ["line 0", "line 449", 450]);
  assert.equal(scrollback.more.value, false);
  assert.equal(asked[0], "/api/pane/p1/history?from=0&count=1&host=m1");
});

test("nothing is asked for before a person does", async () => {
  const { scrollback, asked } = open({ first: 0, end: 450 });
  await scrollback.later();
  assert.deepEqual(asked, []);
});

test("rows that left the screen since are added at the end", async () => {
  const kept = { first: 0, end: 300 };
  const { scrollback } = open(kept);
  await scrollback.earlier();
  kept.end = 340;
  await scrollback.later();
  assert.deepEqual(ends(scrollback), ["line 100", "line 339", 240]);
});

test("a full scrollback that moved on is read anew", async () => {
  const kept = { first: 0, end: 300 };
  const { scrollback } = open(kept);
  await scrollback.earlier();
  kept.first = 7;
  kept.end = 307;
  await scrollback.later();
  assert.deepEqual(ends(scrollback), ["line 107", "line 306", 200]);
});

test("an empty scrollback has no more", async () => {
  const { scrollback } = open({ first: 0, end: 0 });
  await scrollback.earlier();
  assert.equal(scrollback.more.value, false);
  assert.deepEqual(scrollback.rows.value, []);
});

test("a failure is kept to be shown, and the next try clears it", async () => {
  let fails = true;
  const scrollback = new Scrollback({
    async get() {
      if (fails) throw new Error("no");
      return { from: 0, total: 0, rows: [] };
    },
  }, { id: "p1" });
  await scrollback.earlier();
  assert.ok(scrollback.problem.value instanceof Error);
  fails = false;
  await scrollback.earlier();
  assert.equal(scrollback.problem.value, null);
});
