import assert from "node:assert/strict";
import { test } from "node:test";
import { ApiError } from "../app/api.js";
import { doorAddress, doorOf, speaks, tokenIn } from "../app/standby.js";

test("a door is https, or http to this very device, and nothing behind the host", () => {
  for (const url of [
    "https://door.example", "https://door.example/", "https://door.example:8443", "http://127.0.0.1:8789", "http://127.9.9.9",
    "http://localhost:1", "http://a.localhost", "http://[::1]:8789", "HTTPS://DOOR.EXAMPLE",
  ]) assert.equal(doorOf({ machine: "juno", url })?.url, new URL(url).origin, url);
  for (const url of [
    "", "door.example", "http://door.example", "http://127.0.0.1.example", "http://localhost.example", "http://10.0.0.1", "http://[::2]",
    "https://door.example/path", "https://door.example/?a", "https://door.example/#a", "https://user@door.example", "https://a:b@door.example",
    "javascript:alert(1)", "data:text/html,x", "file:///etc/passwd", "ftp://door.example", "//door.example", "blob:https://door.example/1", 7, null,
  ]) assert.equal(doorOf({ machine: "juno", url }), null, String(url));
  for (const said of [null, undefined, "https://door.example", [], {}, { url: "https://door.example" }, { machine: 1, url: "https://door.example" }]) {
    assert.equal(doorOf(said), null);
  }
});

test("the token goes to the door in the fragment alone", () => {
  const address = new URL(doorAddress({ machine: "juno", url: "https://door.example" }, "t0ken-_"));
  assert.equal(address.origin + address.pathname + address.search, "https://door.example/standby");
  assert.equal(address.hash, "#token=t0ken-_");
});

test("a token that a door hands over is taken, and nothing that only looks like one", () => {
  const token = "A".repeat(40) + "-_9";
  assert.equal(tokenIn(`#token=${token}`), token);
  for (const fragment of ["", "#", "#/", "#token=", "#token=short", `#token=${token}&x`, `#/token=${token}`, `#token=${token}%20`, `#token=${"A".repeat(129)}`, `#pair=${token}`]) {
    assert.equal(tokenIn(fragment), "", fragment);
  }
});

test("a lead that refuses lives; a proxy without one, or a machine that leads no more, does not speak for it", () => {
  for (const [code, status, want] of /** @type {[string, number, boolean][]} */ ([
    ["pairing_unavailable", 503, true], ["too_many_streams", 503, true], ["http_502", 502, false], ["not_found", 404, false], ["network", 0, false],
  ])) assert.equal(speaks(new ApiError(code, "", status)), want, code);
  assert.equal(speaks(null), false);
});
