// Markdown as the machine parsed it: a tree whose texts become text nodes.

import { html } from "./html.js";

/** @typedef {import("./types.js").Node} Node */

/** Deeper than this nothing is drawn; the machine sends no such tree. */
const maxDepth = 24;

/**
 * Whether an address leads to the web. The machine has looked already.
 * @param {string | undefined} href
 */
export const isWeb = (href) => /^https?:\/\/[^\s@]+$/i.test(href ?? "");

/**
 * The words of a tree, without their look.
 * @param {readonly Node[] | undefined} nodes
 * @param {number} [depth]
 * @returns {string}
 */
export const textOf = (nodes, depth = 0) =>
  depth > maxDepth ? "" : (nodes ?? []).map((node) => (node.k === "br" ? "\n" : node.t ?? "") + textOf(node.c, depth + 1)).join("");

/**
 * @param {readonly Node[] | undefined} nodes
 * @param {number} [depth]
 * @returns {any[]}
 */
export function draw(nodes, depth = 0) {
  if (depth > maxDepth) return [];
  return (nodes ?? []).map((node, i) => {
    const kids = () => draw(node.c, depth + 1);
    switch (node.k) {
      case "t": return node.t ?? "";
      case "br": return html`<br key=${i} />`;
      case "em": return html`<em key=${i}>${kids()}</em>`;
      case "strong": return html`<strong key=${i}>${kids()}</strong>`;
      case "del": return html`<del key=${i}>${kids()}</del>`;
      case "code": return html`<code key=${i}>${node.t}</code>`;
      case "a": return isWeb(node.href)
        ? html`<a key=${i} href=${node.href} target="_blank" rel="noopener noreferrer">${kids()}</a>`
        : html`<span key=${i}>${kids()}</span>`;
      case "h": return html`<p key=${i} class="said-heading" role="heading" aria-level=${Math.min(6, (node.n ?? 1) + 2)}>${kids()}</p>`;
      case "ul": return html`<ul key=${i}>${kids()}</ul>`;
      case "ol": return html`<ol key=${i} start=${node.n ?? 1}>${kids()}</ol>`;
      case "li": return html`<li key=${i}>${kids()}</li>`;
      case "quote": return html`<blockquote key=${i}>${kids()}</blockquote>`;
      case "pre": return html`<pre key=${i} tabindex="0">${node.t}</pre>`;
      case "hr": return html`<hr key=${i} />`;
      case "table": return html`<div key=${i} class="said-table" tabindex="0"><table><tbody>${kids()}</tbody></table></div>`;
      case "tr": return html`<tr key=${i}>${kids()}</tr>`;
      case "th": return html`<th key=${i}>${kids()}</th>`;
      case "td": return html`<td key=${i}>${kids()}</td>`;
      default: return html`<p key=${i}>${node.t}${kids()}</p>`; // a paragraph, or what a later machine says
    }
  });
}
