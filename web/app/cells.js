// How text falls onto a terminal's cells. A font rarely has every character at
// exactly one or two cells' width, so whatever does not fit by itself gets a
// box of the right width.

/**
 * A piece of text and the number of cells that it takes. `boxed` pieces need
 * a box of that width; the others flow.
 * @typedef {{text: string, cells: number, boxed: boolean}} Piece
 */

/** Code points that take two cells: East Asian Wide and Fullwidth, and emoji (Unicode 16). */
const wide = [
  [0x1100, 0x115f], [0x231a, 0x231b], [0x2329, 0x232a], [0x23e9, 0x23ec], [0x23f0, 0x23f0], [0x23f3, 0x23f3],
  [0x25fd, 0x25fe], [0x2614, 0x2615], [0x2630, 0x2637], [0x2648, 0x2653], [0x267f, 0x267f], [0x268a, 0x268f],
  [0x2693, 0x2693], [0x26a1, 0x26a1], [0x26aa, 0x26ab], [0x26bd, 0x26be], [0x26c4, 0x26c5], [0x26ce, 0x26ce],
  [0x26d4, 0x26d4], [0x26ea, 0x26ea], [0x26f2, 0x26f3], [0x26f5, 0x26f5], [0x26fa, 0x26fa], [0x26fd, 0x26fd],
  [0x2705, 0x2705], [0x270a, 0x270b], [0x2728, 0x2728], [0x274c, 0x274c], [0x274e, 0x274e], [0x2753, 0x2755],
  [0x2757, 0x2757], [0x2795, 0x2797], [0x27b0, 0x27b0], [0x27bf, 0x27bf], [0x2b1b, 0x2b1c], [0x2b50, 0x2b50],
  [0x2b55, 0x2b55], [0x2e80, 0x303e], [0x3041, 0x3247], [0x3250, 0x4dbf], [0x4e00, 0xa4c6], [0xa960, 0xa97c],
  [0xac00, 0xd7a3], [0xf900, 0xfaff], [0xfe10, 0xfe19], [0xfe30, 0xfe6b], [0xff01, 0xff60], [0xffe0, 0xffe6],
  [0x16fe0, 0x18cff], [0x1aff0, 0x1b2fb], [0x1d300, 0x1d376], [0x1f004, 0x1f004], [0x1f0cf, 0x1f0cf],
  [0x1f18e, 0x1f18e], [0x1f191, 0x1f19a], [0x1f1e6, 0x1f202], [0x1f210, 0x1f23b], [0x1f240, 0x1f248],
  [0x1f250, 0x1f251], [0x1f260, 0x1f265], [0x1f300, 0x1f320], [0x1f32d, 0x1f335], [0x1f337, 0x1f37c],
  [0x1f37e, 0x1f393], [0x1f3a0, 0x1f3ca], [0x1f3cf, 0x1f3d3], [0x1f3e0, 0x1f3f0], [0x1f3f4, 0x1f3f4],
  [0x1f3f8, 0x1f43e], [0x1f440, 0x1f440], [0x1f442, 0x1f4fc], [0x1f4ff, 0x1f53d], [0x1f54b, 0x1f54e],
  [0x1f550, 0x1f567], [0x1f57a, 0x1f57a], [0x1f595, 0x1f596], [0x1f5a4, 0x1f5a4], [0x1f5fb, 0x1f64f],
  [0x1f680, 0x1f6c5], [0x1f6cc, 0x1f6cc], [0x1f6d0, 0x1f6d2], [0x1f6d5, 0x1f6d7], [0x1f6dc, 0x1f6df],
  [0x1f6eb, 0x1f6ec], [0x1f6f4, 0x1f6fc], [0x1f7e0, 0x1f7eb], [0x1f7f0, 0x1f7f0], [0x1f90c, 0x1f93a],
  [0x1f93c, 0x1f945], [0x1f947, 0x1f9ff], [0x1fa70, 0x1faff], [0x20000, 0x2fffd], [0x30000, 0x3fffd],
];

const emojiSelector = "\ufe0f";
const segmenter = new Intl.Segmenter(undefined, { granularity: "grapheme" });
const ascii = /^[\x20-\x7e]*$/;

/**
 * The cells of one user-perceived character.
 * @param {string} grapheme
 */
export function cellsOf(grapheme) {
  if (grapheme.length > 1 && grapheme.includes(emojiSelector)) return 2;
  const point = grapheme.codePointAt(0) ?? 0;
  if (point < 0x1100) return 1;
  let low = 0;
  let high = wide.length - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const [from = 0, to = 0] = wide[middle] ?? [];
    if (point < from) high = middle - 1;
    else if (point > to) low = middle + 1;
    else return 2;
  }
  return 1;
}

/**
 * Cuts text into pieces.
 * @param {string} text
 * @param {(grapheme: string, cells: number) => boolean} fits whether the font gives it exactly these cells
 * @returns {Piece[]}
 */
export function piecesOf(text, fits) {
  if (ascii.test(text)) return text ? [{ text, cells: text.length, boxed: false }] : [];
  /** @type {Piece[]} */
  const pieces = [];
  for (const { segment } of segmenter.segment(text)) {
    const cells = cellsOf(segment);
    const last = pieces.at(-1);
    if (!(segment.length === 1 && ascii.test(segment)) && !fits(segment, cells)) {
      pieces.push({ text: segment, cells, boxed: true });
    } else if (last && !last.boxed) {
      last.text += segment;
      last.cells += cells;
    } else pieces.push({ text: segment, cells, boxed: false });
  }
  return pieces;
}
