import assert from "node:assert/strict";
import { test } from "node:test";
import { EventParser, maxEventChars, readEvents } from "../app/stream.js";

const text = ": hello\n"
  + "id: 7\nevent: frame\ndata: {\"a\":1}\n\n"
  + "data:first\r\ndata: second\r\n\r\n"
  + "event: nothing\n\n"
  + "data:  two blanks\r\r"
  + "unknown: field\ndata\n\n"
  + "event: beat\ndata: é•🐕\n\n"
  + "data: never ended\n";

const events = [
  { event: "frame", data: '{"a":1}', id: "7" },
  { event: "message", data: "first\nsecond", id: "7" },
  { event: "message", data: " two blanks", id: "7" },
  { event: "message", data: "", id: "7" },
  { event: "beat", data: "é•🐕", id: "7" },
];

test("a stream in one piece is read event by event", () => {
  assert.deepEqual(new EventParser().push(text), events);
});

test("a stream torn at any place reads the same", () => {
  for (let cut = 0; cut <= text.length; cut++) {
    const parser = new EventParser();
    assert.deepEqual([...parser.push(text.slice(0, cut)), ...parser.push(text.slice(cut))], events, `cut at ${cut}`);
  }
});

test("a stream that comes byte by byte reads the same, characters of many bytes included", async () => {
  const bytes = new TextEncoder().encode(text);
  const body = new ReadableStream({
    start(controller) {
      for (const byte of bytes) controller.enqueue(Uint8Array.of(byte));
      controller.close();
    },
  });
  /** @type {unknown[]} */
  const got = [];
  await readEvents(new Response(body), (event) => got.push(event));
  assert.deepEqual(got, events);
});

test("a byte order mark is no part of the first field", () => {
  assert.deepEqual(new EventParser().push("\uFEFFdata: x\n\n"), [{ event: "message", data: "x", id: "" }]);
});

test("an event that never ends is refused at the bound", () => {
  const parser = new EventParser();
  const piece = "x".repeat(1 << 20);
  assert.throws(() => {
    for (let size = 0; size <= maxEventChars; size += piece.length) parser.push(piece);
  }, RangeError);
});

test("an event of many lines is refused at the bound", () => {
  const parser = new EventParser();
  const line = `data: ${"x".repeat(1 << 20)}\n`;
  assert.throws(() => {
    for (let size = 0; size <= 2 * maxEventChars; size += line.length) parser.push(line);
  }, RangeError);
});
