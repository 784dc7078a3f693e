import assert from "node:assert/strict";
import { test } from "node:test";
import { parseDiff } from "../app/diff.js";

/** @param {string} text */
const short = (text) => parseDiff(text).map((l) => `${l.kind} ${l.before}/${l.after} ${l.text}`);

test("lines have their numbers on each side, and the header is left out", () => {
  const diff = "diff --git a/x b/x\nold mode 100644\nnew mode 100755\nindex 1..2\n--- a/x\n+++ b/x\n"
    + "@@ -5,3 +5,3 @@ func f()\n a\n--- not a header\n+b\n c\n\\ No newline at end of file\n@@ -20 +20 @@\n-x\n";
  assert.deepEqual(short(diff), [
    "note 0/0 old mode 100644", "note 0/0 new mode 100755",
    "hunk 0/0 @@ -5,3 +5,3 @@ func f()", "same 5/5  a", "del 6/0 --- not a header", "add 0/6 +b", "same 7/7  c",
    "note 0/0 \\ No newline at end of file", "hunk 0/0 @@ -20 +20 @@", "del 20/0 -x",
  ]);
});

test("a text that looks like a hunk stays text", () => {
  assert.deepEqual(short("@@ -1 +1,2 @@\n a\n+@@ -9 +9 @@\n"), ["hunk 0/0 @@ -1 +1,2 @@", "same 1/1  a", "add 0/2 +@@ -9 +9 @@"]);
});

test("a merge and nothing are shown as they are", () => {
  assert.deepEqual(short("diff --cc x\n@@@ -1 -1 +1 @@@\n++x"), ["note 0/0 @@@ -1 -1 +1 @@@", "note 0/0 ++x"]);
  assert.deepEqual(parseDiff(""), []);
});
