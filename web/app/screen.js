// Draws a terminal screen into the document: one element per row, one span per
// run, text as text nodes. It works on the elements directly, because a screen
// changes up to sixty times a second and only rows that changed are touched.

import { piecesOf } from "./cells.js";
import { lookOf } from "./sgr.js";

/**
 * @typedef {import("./types.js").Row} Row
 * @typedef {import("./types.js").Frame} Frame
 */

/** The smallest type that is still read; wider screens scroll sideways. */
const minFontPx = 7;
const maxFontPx = 15;

/**
 * The type size at which so many columns fill a width.
 * @param {number} width pixels
 * @param {number} cols
 * @param {number} cellRatio a cell's width in ems
 * @param {number} zoom the person's own factor
 */
export function fontSize(width, cols, cellRatio, zoom) {
  const fitting = width / (cols * cellRatio);
  return Math.round(Math.min(maxFontPx, Math.max(minFontPx, fitting)) * zoom * 100) / 100;
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
 * Fills a row's element.
 * @param {HTMLElement} element
 * @param {Row} row
 * @param {Font} font
 */
export function fillRow(element, row, font) {
  const children = [];
  for (const [text, style] of row.runs ?? []) {
    const look = lookOf(style);
    const pieces = piecesOf(text, font.fits).map((piece) => {
      if (!piece.boxed) return piece.text;
      const box = document.createElement("span");
      box.className = piece.cells === 2 ? "cell wide" : "cell";
      box.textContent = piece.text;
      return box;
    });
    if (!look.classes && !look.fg && !look.bg) {
      children.push(...pieces);
      continue;
    }
    const span = document.createElement("span");
    span.className = look.classes;
    if (look.fg) span.style.setProperty("--fg", look.fg);
    if (look.bg) span.style.setProperty("--bg", look.bg);
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
