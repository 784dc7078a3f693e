// From an SGR parameter string (ECMA-48, 8.3.117, and the colour forms of
// ISO 8613-6) to what a span needs: class names and, for colours beyond the
// sixteen, values of custom properties. Nothing here touches the document.

/**
 * @typedef {object} Look
 * @property {string} classes names from css/screen.css, joined by blanks
 * @property {string} fg a colour for --fg, "" when a class says it
 * @property {string} bg
 * @property {string} ul the underline's, "" where it has the text's
 */

/** @type {Look} */
const plain = Object.freeze({ classes: "", fg: "", bg: "", ul: "" });

/** Looks are few on one screen, so they are kept; the bound is for hostile ones. */
const maxKept = 2_000;
/** @type {Map<string, Look>} */
const kept = new Map();

/**
 * @param {string} style without "ESC[" and "m"
 * @returns {Look}
 */
export function lookOf(style) {
  if (style === "") return plain;
  let look = kept.get(style);
  if (!look) {
    look = parse(style);
    if (kept.size >= maxKept) kept.clear();
    kept.set(style, look);
  }
  return look;
}

/** A colour: an index from 0 to 255, a "#rrggbb", or undefined for the default.
 * @typedef {number | string | undefined} Colour */

/**
 * @param {string} style
 * @returns {Look}
 */
function parse(style) {
  /** @type {Set<string>} */
  const on = new Set();
  /** @type {Colour} */
  let fg;
  /** @type {Colour} */
  let bg;
  /** @type {Colour} */
  let ul;
  const params = style.split(";");
  for (let i = 0; i < params.length; i++) {
    const param = params[i] ?? "";
    const parts = param.split(":");
    const code = Number(parts[0] || 0);
    if (code === 38 || code === 48 || code === 58) {
      const [colour, used] = parts.length > 1 ? [colourOf(parts.slice(1), true), 0] : follow(params, i + 1);
      i += used;
      if (code === 38) fg = colour;
      else if (code === 48) bg = colour;
      else ul = colour;
      continue;
    }
    if (code === 0) {
      on.clear();
      fg = bg = ul = undefined;
    } else if (code === 4 || code === 21 || code === 24) {
      for (const name of underlines) on.delete(name);
      const line = underlines[Number(code === 4 ? parts[1] ?? "1" : code === 21 ? "2" : "0") - 1];
      if (line) on.add(line);
    } else if (code === 22) {
      on.delete("b");
      on.delete("d");
    } else if (code >= 30 && code <= 37) fg = code - 30;
    else if (code === 39) fg = undefined;
    else if (code >= 40 && code <= 47) bg = code - 40;
    else if (code === 49) bg = undefined;
    else if (code === 59) ul = undefined;
    else if (code >= 90 && code <= 97) fg = code - 90 + 8;
    else if (code >= 100 && code <= 107) bg = code - 100 + 8;
    else {
      const set = sets[code];
      const clear = clears[code];
      if (set) on.add(set);
      if (clear) on.delete(clear);
    }
  }
  return dress(on, fg, bg, ul);
}

/** Straight, double, wavy, dotted and dashed: the sub-parameters of 4 from 1 on. */
const underlines = ["u", "uu", "uc", "ud", "ua"];
/** @type {Record<number, string>} */
const sets = { 1: "b", 2: "d", 3: "i", 5: "bl", 6: "bl", 7: "inv", 8: "hid", 9: "s", 53: "o" };
/** @type {Record<number, string>} */
const clears = { 23: "i", 25: "bl", 27: "inv", 28: "hid", 29: "s", 55: "o" };

/**
 * Reads the colour after a 38, 48 or 58 that is written with semicolons.
 * @param {string[]} params
 * @param {number} at
 * @returns {[Colour, number]} and how many parameters it took
 */
function follow(params, at) {
  if (params[at] === "5") return [colourOf(params.slice(at, at + 2), false), 2];
  if (params[at] === "2") return [colourOf(params.slice(at, at + 4), false), 4];
  return [undefined, 1];
}

/**
 * @param {string[]} parts the kind (5 or 2) and its numbers
 * @param {boolean} colons a colour space may stand before red, green and blue
 * @returns {Colour}
 */
function colourOf(parts, colons) {
  if (parts[0] === "5") return byte(parts[1]);
  if (parts[0] !== "2") return undefined;
  const rgb = colons && parts.length > 4 ? parts.slice(2, 5) : parts.slice(1, 4);
  return hex(byte(rgb[0]), byte(rgb[1]), byte(rgb[2]));
}

/** @param {string | undefined} text */
const byte = (text) => Math.min(255, Number(text || 0) || 0);

/**
 * @param {number} r
 * @param {number} g
 * @param {number} b
 */
const hex = (r, g, b) => `#${((r << 16) | (g << 8) | b).toString(16).padStart(6, "0")}`;

/**
 * The colours from 16 on: a cube of six steps a side, then 24 greys.
 * @param {number} index
 */
function indexed(index) {
  if (index >= 232) {
    const grey = 8 + 10 * (index - 232);
    return hex(grey, grey, grey);
  }
  const cube = index - 16;
  /** @param {number} step */
  const level = (step) => (step === 0 ? 0 : 55 + 40 * step);
  return hex(level(Math.floor(cube / 36)), level(Math.floor(cube / 6) % 6), level(cube % 6));
}

/**
 * @param {Set<string>} on
 * @param {Colour} fg
 * @param {Colour} bg
 * @param {Colour} ul
 * @returns {Look}
 */
function dress(on, fg, bg, ul) {
  const classes = [...on].filter((name) => name !== "inv");
  // The sixteen have two shades, one to write with and one to write on; a colour
  // that is turned around keeps its shade.
  let [front, back] = ["f", "g"];
  if (on.has("inv")) {
    [fg, bg] = [bg, fg];
    [front, back] = ["fg", "gf"];
    if (fg === undefined) classes.push("fgd"); // the default background, as a foreground
    if (bg === undefined) classes.push("gfd");
  }
  /**
   * @param {Colour} colour
   * @param {string} letter
   */
  const value = (colour, letter) => {
    if (colour === undefined) return "";
    if (typeof colour === "number" && colour < 16) {
      classes.push(`${letter}${colour}`);
      return "";
    }
    return typeof colour === "number" ? indexed(colour) : colour;
  };
  const line = typeof ul !== "number" ? ul ?? "" : ul < 16 ? `var(--c${ul})` : indexed(ul);
  return { fg: value(fg, front), bg: value(bg, back), ul: line, classes: classes.join(" ") };
}
