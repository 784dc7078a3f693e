import assert from "node:assert/strict";
import { test } from "node:test";
import { follow, freshness, retryDelay } from "../app/connection.js";
import { ApiError } from "../app/api.js";

test("amber from four seconds without the lead, red from fifteen", () => {
  assert.deepEqual([0, 3_999, 4_000, 14_999, 15_000].map(freshness), ["ok", "ok", "amber", "amber", "red"]);
});

test("a broken connection is dialled again soon, then slower, never beyond fifteen seconds", () => {
  const waits = [1, 2, 3, 6, 30].map((failures) => [retryDelay(failures, false, 0), retryDelay(failures, false, 1)]);
  assert.deepEqual(waits, [[250, 500], [500, 1_000], [1_000, 2_000], [7_500, 15_000], [7_500, 15_000]]);
});

test("a refusal is asked again at most four times a minute", () => {
  for (let failures = 1; failures < 40; failures++) {
    for (const random of [0, 0.5, 1]) assert.ok(retryDelay(failures, true, random) >= 15_000);
  }
  assert.equal(retryDelay(9, true, 0), 60_000);
});

/**
 * A client whose streams play what they are given.
 * @param {((handle: (event: {event: string, data: string, id: string}) => void) => Promise<void> | void)[]} plays
 */
function player(plays) {
  let tries = 0;
  return {
    get tries() {
      return tries;
    },
    /** @type {any} */
    client: {
      /** @type {import("../app/api.js").Client["stream"]} */
      async stream(_path, signal, opened, handle) {
        const play = plays[tries++];
        if (!play) {
          await new Promise((_, reject) => signal.addEventListener("abort", () => reject(new Error("aborted"))));
          return;
        }
        opened();
        await play(handle);
      },
    },
  };
}

/** Lets everything that waits for nothing run. */
const settle = () => new Promise((resolve) => setImmediate(resolve));

test("beats are signs of life and nothing more", async () => {
  /** @type {string[]} */
  const seen = [];
  let signs = 0;
  const { client } = player([(handle) => ["snapshot", "beat", "change"].forEach((event) => handle({ event, data: "{}", id: "" }))]);
  const stream = follow({ client, path: "/x", handle: (event) => void seen.push(event.event), alive: () => void signs++ });
  await settle();
  stream.stop();
  assert.deepEqual(seen, ["snapshot", "change"]);
  assert.equal(signs, 4);
});

test("a broken stream is dialled again, and a hurry does not wait", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout", "setInterval", "Date"] });
  const played = player([() => Promise.reject(new TypeError("network")), () => Promise.reject(new TypeError("network"))]);
  const stream = follow({ client: played.client, path: "/x", handle() {} });
  await settle();
  assert.equal(played.tries, 1);
  t.mock.timers.tick(500);
  await settle();
  assert.equal(played.tries, 2);
  stream.hurry();
  await settle();
  assert.equal(played.tries, 3);
  stream.stop();
});

test("a refusal is not hurried", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout", "setInterval", "Date"] });
  const played = player([() => Promise.reject(new ApiError("pairing_unavailable", "", 503))]);
  /** @type {string[]} */
  const refusals = [];
  const stream = follow({ client: played.client, path: "/x", handle() {}, refused: (refusal) => void refusals.push(refusal.code) });
  await settle();
  stream.hurry();
  t.mock.timers.tick(14_999);
  await settle();
  assert.equal(played.tries, 1);
  t.mock.timers.tick(8_000);
  await settle();
  assert.equal(played.tries, 2);
  assert.deepEqual(refusals, ["pairing_unavailable"]);
  stream.stop();
});

test("an error within a stream counts as a refusal", async () => {
  const played = player([(handle) => handle({ event: "error", data: '{"error":"full","code":"too_many_streams"}', id: "" })]);
  /** @type {string[]} */
  const refusals = [];
  follow({ client: played.client, path: "/x", handle() {}, refused: (refusal) => Boolean(refusals.push(refusal.code)) });
  await settle();
  assert.deepEqual(refusals, ["too_many_streams"]);
  assert.equal(played.tries, 1);
});

test("a silent stream is dropped and dialled again", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout", "setInterval", "Date"] });
  const played = player([]);
  const stream = follow({ client: played.client, path: "/x", handle() {} });
  await settle();
  assert.equal(played.tries, 1);
  t.mock.timers.tick(11_000);
  await settle();
  t.mock.timers.tick(1_000);
  await settle();
  assert.equal(played.tries, 2);
  stream.stop();
});

test("a paused stream is let go, and dialled at once when the page comes back", async () => {
  const played = player([]);
  const stream = follow({ client: played.client, path: "/x", handle() {} });
  await settle();
  stream.pause();
  await settle();
  assert.equal(played.tries, 1);
  stream.hurry();
  await settle();
  assert.equal(played.tries, 2);
  stream.stop();
});

test("nobody who answers at all is told apart from a refusal", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout", "setInterval", "Date"] });
  const played = player([() => Promise.reject(new ApiError("http_502", "", 502)), () => Promise.reject(new TypeError("failed to fetch"))]);
  /** @type {string[]} */
  const heard = [];
  const stream = follow({
    client: played.client, path: "/x", handle() {}, refused: (refusal) => void heard.push(refusal.code), unanswered: () => void heard.push("nobody"),
  });
  await settle();
  t.mock.timers.tick(23_000);
  await settle();
  assert.deepEqual(heard, ["http_502", "nobody"]);
  stream.stop();
});
