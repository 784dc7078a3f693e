// Draws a terminal screen into the document: one element per row, one span per
// run, text as text nodes. It works on the elements directly, because a screen
// changes up to sixty times a second and only rows that changed are touched.

import { piecesOf } from "./cells.js";
import { lookOf } from "./sgr.js";

/**
 * @typedef {import("./types.js").Row} Row
 * @typedef {import("./types.js").Frame} Frame
 */

/** The smallest type that is still made out; wider screens scroll sideways. */
const minFontPx = 7;
const maxFontPx = 15;
/** Type that is read without effort. Where the whole width is smaller, there is a choice. */
export const readableFontPx = 12.5;

/**
 * The type size at which so many columns fill a width.
 * @param {number} width pixels
 * @param {number} cols
 * @param {number} cellRatio a cell's width in ems
 */
export const fittingSize = (width, cols, cellRatio) => Math.min(maxFontPx, Math.max(minFontPx, width / (cols * cellRatio)));

/**
 * The type size of a screen: its whole width, or what is read without effort.
 * @param {number} fitting
 * @param {"fit" | "scroll"} wide
 * @param {number} zoom the person's own factor
 */
export function fontSize(fitting, wide, zoom) {
  return Math.round((wide === "scroll" ? Math.max(fitting, readableFontPx) : fitting) * zoom * 100) / 100;
}

/** A row's height in ems, as in screen.css, and the screen's margins in pixels. */
const rowHeight = 1.32;
const marginPx = 20;

/**
 * How many cells of readable type a box holds.
 * @param {number} width pixels
 * @param {number} height pixels
 * @param {number} cellRatio a cell's width in ems
 * @param {number} zoom
 */
export function cellsIn(width, height, cellRatio, zoom) {
  const px = readableFontPx * zoom;
  const fit = (/** @type {number} */ room, /** @type {number} */ cell, /** @type {number} */ least) => Math.max(least, Math.floor(room / cell));
  return { cols: fit(width - marginPx, cellRatio * px, 20), rows: fit(height, rowHeight * px, 8) };
}

/**
 * How far to scroll sideways so that the cursor is seen: not at all while it is,
 * and to the beginning of the rows wherever that shows it.
 * @param {number} scrolled pixels
 * @param {number} width of what is seen
 * @param {number} cursor its left edge
 * @param {number} cell a cell's width
 */
export function sideways(scrolled, width, cursor, cell) {
  if (cursor + 2 * cell <= width) return 0;
  const seen = cursor >= scrolled + 2 * cell && cursor + 2 * cell <= scrolled + width;
  return seen ? scrolled : cursor + 2 * cell - width / 2;
}

/** What the font does with characters, measured once each. */
export class Font {
  /** @type {Map<string, boolean>} */
  #fits = new Map();
  #context;
  /** A cell's width in ems. */
  cellRatio = 0.6;

  /** @param {string} family */
  constructor(family) {
    this.#context = document.createElement("canvas").getContext("2d");
    if (!this.#context) return;
    this.#context.font = `100px ${family}`;
    this.cellRatio = this.#context.measureText("0").width / 100 || 0.6;
  }

  /**
   * Whether the font draws a character exactly as wide as its cells.
   * @param {string} grapheme
   * @param {number} cells
   */
  fits = (grapheme, cells) => {
    const known = this.#fits.get(grapheme);
    if (known !== undefined) return known;
    const width = this.#context?.measureText(grapheme).width ?? 0;
    const fits = Math.abs(width - cells * this.cellRatio * 100) < 0.5;
    if (this.#fits.size > 5_000) this.#fits.clear(); // the bound is for hostile screens
    this.#fits.set(grapheme, fits);
    return fits;
  };
}

/**
 * Where a run may link to: the web, or nowhere. The node has looked already.
 * @param {string | undefined} link
 */
export function webAddress(link) {
  if (!link || !URL.canParse(link)) return "";
  const url = new URL(link);
  return (url.protocol === "https:" || url.protocol === "http:") && !url.username && !url.password ? url.href : "";
}

/**
 * Fills a row's element.
 * @param {HTMLElement} element
 * @param {Row} row
 * @param {Font} font
 */
export function fillRow(element, row, font) {
  const children = [];
  for (const [text, style, link] of row.runs ?? []) {
    const look = lookOf(style);
    const address = webAddress(link);
    const pieces = piecesOf(text, font.fits).map((piece) => {
      if (!piece.boxed) return piece.text;
      const box = document.createElement("span");
      box.className = piece.cells === 2 ? "cell wide" : "cell";
      box.textContent = piece.text;
      return box;
    });
    if (!look.classes && !look.fg && !look.bg && !look.ul && !address) {
      children.push(...pieces);
      continue;
    }
    const span = address
      ? Object.assign(document.createElement("a"), { href: address, target: "_blank", rel: "noopener noreferrer" })
      : document.createElement("span");
    span.className = look.classes;
    if (look.fg) span.style.setProperty("--fg", look.fg);
    if (look.bg) span.style.setProperty("--bg", look.bg);
    if (look.ul) span.style.setProperty("--ul", look.ul);
    span.append(...pieces);
    children.push(span);
  }
  element.replaceChildren(...children);
}

/** A live screen inside an element of its own. */
export class ScreenView {
  /** @type {HTMLElement[]} */
  #rows = [];
  #root;
  #font;
  #cursor;

  /**
   * @param {HTMLElement} root
   * @param {Font} font
   */
  constructor(root, font) {
    this.#root = root;
    this.#font = font;
    this.#cursor = document.createElement("span");
    this.#cursor.className = "cursor";
    this.#cursor.setAttribute("aria-hidden", "true");
  }

  /**
   * Shows a frame: the rows that it names, and its cursor.
   * @param {Frame} frame
   */
  show(frame) {
    if (this.#rows.length !== frame.rows) {
      this.#rows = Array.from({ length: frame.rows }, () => {
        const row = document.createElement("div");
        row.className = "row";
        return row;
      });
      this.#root.replaceChildren(...this.#rows, this.#cursor);
    }
    this.#root.style.setProperty("--cols", String(frame.cols));
    for (const line of frame.lines ?? []) {
      const element = this.#rows[line.i];
      if (element) fillRow(element, line, this.#font);
    }
    this.#cursor.hidden = !frame.cursor.visible;
    this.#cursor.style.setProperty("--row", String(frame.cursor.row));
    this.#cursor.style.setProperty("--col", String(frame.cursor.col));
  }
}
