import assert from "node:assert/strict";
import { test } from "node:test";
import { draw, isWeb } from "../app/tree.js";

/** @typedef {{type?: string, props?: {children?: unknown, href?: string}}} Drawn */

/** What is drawn, as tags and texts. @param {unknown} drawn @returns {string} */
function text(drawn) {
  if (Array.isArray(drawn)) return drawn.map(text).join("");
  if (drawn === null || drawn === undefined || drawn === false) return "";
  if (typeof drawn !== "object") return String(drawn);
  const { type, props } = /** @type {Drawn} */ (drawn);
  return `<${type}${props?.href ? ` ${props.href}` : ""}>${text(props?.children)}</${type}>`;
}

test("a tree becomes elements, and its texts become texts", () => {
  assert.equal(text(draw([{ k: "p", c: [{ k: "t", t: "<b>" }, { k: "strong", c: [{ k: "t", t: "x" }] }, { k: "code", t: "a<b" }] }])),
    "<p><b><strong>x</strong><code>a<b</code></p>");
  assert.equal(text(draw([{ k: "ol", n: 3, c: [{ k: "li", c: [{ k: "p", c: [{ k: "t", t: "a" }] }] }] }])), "<ol><li><p>a</p></li></ol>");
  assert.equal(text(draw([{ k: "of a later machine", t: "still read" }])), "<p>still read</p>");
});

test("a link leads to the web or is none", () => {
  assert.equal(text(draw([{ k: "a", href: "https://example.org/a?b", c: [{ k: "t", t: "x" }] }])), "<a https://example.org/a?b>x</a>");
  for (const href of ["javascript:alert(1)", "data:text/html,x", "/api/pane", "https://me@example.org", "https://example.org/ x", "", undefined]) {
    assert.equal(isWeb(href), false, href);
    assert.equal(text(draw([{ k: "a", href, c: [{ k: "t", t: "x" }] }])), "<span>x</span>");
  }
});

test("a tree without an end is cut", () => {
  /** @type {import("../app/types.js").Node} */
  let node = { k: "quote" };
  for (let i = 0; i < 1000; i++) node = { k: "quote", c: [node] };
  assert.ok(text(draw([node])).length < 2000);
});
