// Text that was not typed at the console, with its mark at the left of every row
// that is drawn: a row without one would pass for somebody else's. The mark is
// beside the text, never in it.

import { html } from "./html.js";
import { useLayoutEffect, useRef } from "./vendor/preact-hooks.js";

/** No text that is shown has more rows. */
const maxRows = 20_000;

/**
 * As many marks as a text has rows.
 * @param {string} mark
 * @param {number} height of the text, in pixels
 * @param {number} row height of one of its rows
 * @param {number} [most] rows that can be seen of it
 */
export const marksFor = (mark, height, row, most = maxRows) => Array(Math.min(Math.max(Math.round(height / row) || 1, 1), most)).fill(mark).join("\n");

/**
 * Without a mark it is the text alone.
 * @param {{mark?: string, most?: number, children?: unknown}} props `children` are text that wraps, in the one size of its rows;
 *   `most` is for one that is cut after so many
 */
export function Marked({ mark, most, children }) {
  /** @type {{current: HTMLElement | null}} */
  const gutter = useRef(null);
  /** @type {{current: HTMLElement | null}} */
  const text = useRef(null);
  // Both run before what they measured is painted, so that no picture shows a row
  // that has no mark yet.
  useLayoutEffect(() => {
    const [marks, rows] = [gutter.current, text.current];
    if (!mark || !marks || !rows) return;
    const fill = () => {
      const wanted = marksFor(mark, rows.getBoundingClientRect().height, parseFloat(getComputedStyle(rows).lineHeight), most);
      if (marks.textContent !== wanted) marks.textContent = wanted;
    };
    fill();
    const watcher = new ResizeObserver(fill);
    watcher.observe(rows);
    return () => watcher.disconnect();
  }, [mark, most]);
  if (!mark) return html`<span class="marked-text">${children}</span>`;
  return html`
    <span class="marked">
      <span class="gutter" aria-hidden="true" ref=${gutter}></span>
      <span class="marked-text" ref=${text}>${children}</span>
    </span>
  `;
}
