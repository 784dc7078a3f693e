import assert from "node:assert/strict";
import { test } from "node:test";
import { ApiError, Client, panePath } from "../app/api.js";

/**
 * @param {Response | Error} answer
 * @param {{token?: string}} [now]
 */
function clientFor(answer, now = { token: "t1" }) {
  /** @type {{path: string, init: RequestInit}[]} */
  const sent = [];
  /** @type {[string, string][]} */
  const ended = [];
  const client = new Client({
    token: () => now.token ?? "",
    ended: (code, token) => void ended.push([code, token]),
    fetch: /** @type {typeof fetch} */ (async (path, init = {}) => {
      sent.push({ path: String(path), init });
      if (answer instanceof Error) throw answer;
      return answer.clone();
    }),
  });
  return { client, sent, ended };
}

/** @param {number} status @param {string} code @param {unknown} [detail] */
const refusal = (status, code, detail) => Response.json({ error: "a sentence", code, detail }, { status });

test("the token goes in a header and never in an address", async () => {
  const { client, sent } = clientFor(Response.json([]));
  await client.get("/api/devices");
  await client.stream("/api/events", new AbortController().signal, () => {}, () => {});
  for (const { path, init } of sent) {
    assert.equal(new Headers(init.headers).get("Authorization"), "Bearer t1");
    assert.ok(!path.includes("t1"));
  }
});

test("without a token no header is sent", async () => {
  const { client, sent } = clientFor(Response.json({}), {});
  await client.post("/api/pair", { code: "x" });
  assert.equal(new Headers(sent[0]?.init.headers).has("Authorization"), false);
});

for (const code of ["device_not_paired", "device_expired"]) {
  test(`403 ${code} ends the pairing of the token that was sent`, async () => {
    const { client, ended } = clientFor(refusal(403, code));
    await assert.rejects(client.get("/api/snapshot"), { code, status: 403, message: "a sentence" });
    assert.deepEqual(ended, [[code, "t1"]]);
  });
}

/** @type {[number, string][]} */
const harmless = [[503, "pairing_unavailable"], [503, "device_not_paired"], [403, "not_allowed"], [404, "pane_not_found"], [429, "rate_limited"]];
for (const [status, code] of harmless) {
  test(`${status} ${code} keeps the pairing`, async () => {
    const { client, ended } = clientFor(refusal(status, code));
    await assert.rejects(client.get("/api/snapshot"), { code });
    assert.deepEqual(ended, []);
  });
}

test("a refusal by something else on the way is told apart", async () => {
  const { client, ended } = clientFor(new Response("<h1>Bad gateway</h1>", { status: 502, statusText: "Bad Gateway" }));
  await assert.rejects(client.get("/api/snapshot"), { code: "http_502", message: "Bad Gateway" });
  assert.deepEqual(ended, []);
});

test("no answer to a write leaves its outcome unknown", async () => {
  const { client } = clientFor(new TypeError("network"));
  await assert.rejects(client.post("/api/pane/p1/reply", {}), (err) => err instanceof ApiError && err.unknown && err.code === "network");
});

test("an answer that breaks off leaves the outcome unknown too", async () => {
  const { client } = clientFor(new Response('{"textDel', { status: 200 }));
  await assert.rejects(client.post("/api/pane/p1/reply", {}), (err) => err instanceof ApiError && err.unknown);
});

test("a refusal is a known outcome, an unknown one says so by its code", () => {
  assert.equal(new ApiError("screen_changed", "", 409).unknown, false);
  assert.equal(new ApiError("write_outcome_unknown", "", 504).unknown, true);
});

test("names in an address are data", () => {
  assert.equal(panePath({ id: "p1" }), "/api/pane/p1");
  assert.equal(panePath({ id: "p1", host: "m 1&x" }, "live"), "/api/pane/p1/live?host=m+1%26x");
  assert.equal(panePath({ id: "../x", host: "m" }, "history", { from: 0, count: 1 }), "/api/pane/..%2Fx/history?from=0&count=1&host=m");
});
