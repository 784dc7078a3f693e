// Server-sent events over fetch. EventSource cannot send the token in a header,
// and a token in an address would end up in logs; so the stream is read here.

/** The longest single event that is kept: the node's own bound for one answer. */
export const maxEventChars = 8 << 20;

/** @typedef {{event: string, data: string, id: string}} StreamEvent */

/**
 * Parses an event stream (WHATWG HTML, 9.2.6) that arrives in pieces of any
 * size. `push` returns the events that a piece completes.
 */
export class EventParser {
  #buffer = "";
  #event = "";
  #id = "";
  /** @type {string[]} */
  #data = [];
  #size = 0;
  #afterReturn = false;
  #first = true;

  /**
   * @param {string} text
   * @returns {StreamEvent[]}
   */
  push(text) {
    if (this.#first && text !== "") {
      this.#first = false;
      if (text.startsWith("\uFEFF")) text = text.slice(1);
    }
    /** @type {StreamEvent[]} */
    const events = [];
    let start = 0;
    for (let i = 0; i < text.length; i++) {
      const c = text.charCodeAt(i);
      if (c !== 10 && c !== 13) {
        this.#afterReturn = false;
        continue;
      }
      const secondHalf = c === 10 && this.#afterReturn; // the \n of \r\n, also across pieces
      this.#afterReturn = c === 13;
      if (!secondHalf) {
        const done = this.#line(this.#buffer + text.slice(start, i));
        this.#buffer = "";
        if (done) events.push(done);
      }
      start = i + 1;
    }
    this.#buffer += text.slice(start);
    if (this.#buffer.length + this.#size > maxEventChars) throw new RangeError("an event of the stream is too large");
    return events;
  }

  /**
   * @param {string} line
   * @returns {StreamEvent | undefined}
   */
  #line(line) {
    if (line === "") {
      const done = this.#data.length > 0
        ? { event: this.#event || "message", data: this.#data.join("\n"), id: this.#id }
        : undefined;
      this.#event = "";
      this.#data = [];
      this.#size = 0;
      return done;
    }
    const colon = line.indexOf(":");
    if (colon === 0) return undefined; // a comment
    const field = colon < 0 ? line : line.slice(0, colon);
    let value = colon < 0 ? "" : line.slice(colon + 1);
    if (value.startsWith(" ")) value = value.slice(1);
    if (field === "event") this.#event = value;
    else if (field === "id") this.#id = value;
    else if (field === "data") {
      this.#data.push(value);
      this.#size += value.length;
    }
    return undefined;
  }
}

/**
 * Reads a response's body to its end and hands over each event.
 * @param {Response} response
 * @param {(event: StreamEvent) => void} handle
 */
export async function readEvents(response, handle) {
  if (!response.body) return;
  const reader = response.body.getReader();
  const decoder = new TextDecoder();
  const parser = new EventParser();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      for (const event of parser.push(decoder.decode(value, { stream: true }))) handle(event);
    }
  } finally {
    reader.cancel().catch(() => {}); // already closed or aborted: nothing is left to end
  }
}
