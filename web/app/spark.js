// Small pictures of numbers: a line over a day, and a bar of a share.

import { html } from "./html.js";

const width = 144;
const height = 32;

/**
 * A day of shares as the path of a line; where nothing is known it is broken.
 * @param {readonly (number | null)[]} values from 0 to 1, oldest first
 * @param {number} day how many values a whole day has
 */
export function sparkPath(values, day) {
  const perColumn = Math.max(1, Math.ceil(day / width));
  let path = "";
  let drawing = false;
  const from = Math.max(0, day - values.length);
  for (let first = 0; first < values.length; first += perColumn) {
    const known = values.slice(first, first + perColumn).filter((value) => value !== null);
    if (known.length === 0) {
      drawing = false;
      continue;
    }
    const highest = Math.max(...known.map(Number));
    const x = Math.round(((from + first) / day) * width * 10) / 10;
    const y = Math.round((height - 1 - Math.min(1, highest) * (height - 2)) * 10) / 10;
    path += `${drawing ? "L" : "M"}${x} ${y}`;
    if (!drawing) path += "h0.1"; // so that a single point shows
    drawing = true;
  }
  return path;
}

/** @param {{values: readonly (number | null)[], day: number, label: string}} props */
export function Spark({ values, day, label }) {
  return html`
    <svg class="spark" viewBox=${`0 0 ${width} ${height}`} preserveAspectRatio="none" role="img" aria-label=${label}>
      <path class="spark-ground" d=${`M0 ${height - 1}h${width}`} /><path class="spark-line" d=${sparkPath(values, day)} />
    </svg>
  `;
}

/** @param {{share: number, high: boolean}} props it says nothing that stands not beside it */
export function Share({ share, high }) {
  return html`
    <svg class=${high ? "share high" : "share"} viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">
      <rect class="share-ground" width="100" height="6" rx="3" /><rect class="share-part" width=${Math.max(0, Math.min(1, share)) * 100} height="6" rx="3" />
    </svg>
  `;
}
