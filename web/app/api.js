// The client of the node's API. It knows tokens, addresses and errors; what the
// answers mean is for its callers.

import { readEvents } from "./stream.js";

/** @typedef {import("./types.js").Ref} Ref */

/** How long a request may take before its outcome counts as unknown. */
const requestTimeoutMs = 30_000;
/** The same for a file, on a slow line. */
const uploadTimeoutMs = 300_000;

/** The codes that end a pairing. */
const endings = new Set(["device_not_paired", "device_expired"]);

/** A refusal by the node, or the lack of an answer. */
export class ApiError extends Error {
  /**
   * @param {string} code the stable name; "network" when no answer came
   * @param {string} message the node's sentence
   * @param {number} status 0 when no answer came
   * @param {unknown} [detail]
   */
  constructor(code, message, status, detail) {
    super(message);
    this.code = code;
    this.status = status;
    this.detail = detail;
  }

  /** Nobody knows whether a write took effect. */
  get unknown() {
    return this.status === 0 || this.code === "write_outcome_unknown" || this.code === "internal";
  }
}

/**
 * @param {unknown} err
 * @returns {ApiError}
 */
export function asApiError(err) {
  if (err instanceof ApiError) return err;
  return new ApiError("network", err instanceof Error ? err.message : String(err), 0);
}

/**
 * @param {Response} response
 * @returns {Promise<ApiError>}
 */
async function refusalOf(response) {
  try {
    const body = await response.json();
    if (typeof body?.code === "string") {
      return new ApiError(body.code, String(body.error ?? body.code), response.status, body.detail);
    }
  } catch {
    // Not the API's own answer: a proxy on the way, or the node behind it is down.
  }
  return new ApiError(`http_${response.status}`, response.statusText || `HTTP ${response.status}`, response.status);
}

export class Client {
  #fetch;
  #token;
  #ended;

  /**
   * @param {object} parts
   * @param {() => string} parts.token the token of this moment, "" when unpaired
   * @param {(code: string, token: string) => void} parts.ended is told when the node refuses a token
   * @param {typeof fetch} [parts.fetch]
   */
  constructor({ token, ended, fetch: send = (...args) => fetch(...args) }) {
    this.#fetch = send;
    this.#token = token;
    this.#ended = ended;
  }

  /**
   * @param {string} path
   * @param {RequestInit} [init]
   */
  async #send(path, init = {}) {
    const token = this.#token();
    const headers = new Headers(init.headers);
    if (token) headers.set("Authorization", `Bearer ${token}`);
    let response;
    try {
      response = await this.#fetch(path, { ...init, headers, cache: "no-store", credentials: "same-origin" });
    } catch (err) {
      throw asApiError(err);
    }
    if (response.ok || response.status === 304) return response;
    const refusal = await refusalOf(response);
    if (response.status === 403 && endings.has(refusal.code) && token) this.#ended(refusal.code, token);
    throw refusal;
  }

  /**
   * @param {string} path
   * @returns {Promise<any>}
   */
  async get(path) {
    const response = await this.#send(path, { signal: AbortSignal.timeout(requestTimeoutMs) });
    return jsonOf(response);
  }

  /**
   * Reads what is new since an answer with that ETag.
   * @param {string} path
   * @param {string} etag "" when there was none
   * @returns {Promise<{etag: string, body: any}>} without a body when nothing is
   */
  async getNew(path, etag) {
    const headers = etag ? { "If-None-Match": etag } : undefined;
    const response = await this.#send(path, { signal: AbortSignal.timeout(requestTimeoutMs), headers });
    if (response.status === 304) return { etag, body: null };
    return { etag: response.headers.get("ETag") ?? "", body: await jsonOf(response) };
  }

  /**
   * Reads a picture: an <img> cannot send the token.
   * @param {string} path
   */
  async blob(path) {
    const response = await this.#send(path, { signal: AbortSignal.timeout(requestTimeoutMs) });
    try {
      return await response.blob();
    } catch (err) {
      throw asApiError(err);
    }
  }

  /**
   * @param {string} path
   * @param {unknown} body
   * @returns {Promise<any>}
   */
  async post(path, body) {
    const response = await this.#send(path, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(requestTimeoutMs),
    });
    return jsonOf(response);
  }

  /**
   * Sends a file as it is. There is no answer before all of it has arrived.
   * @param {string} path
   * @param {Blob} file
   * @returns {Promise<any>}
   */
  async upload(path, file) {
    const response = await this.#send(path, {
      method: "POST",
      headers: { "Content-Type": "application/octet-stream" },
      body: file,
      signal: AbortSignal.timeout(uploadTimeoutMs),
    });
    return jsonOf(response);
  }

  /**
   * Reads an event stream until it ends, breaks or is aborted.
   * @param {string} path
   * @param {AbortSignal} signal
   * @param {() => void} opened
   * @param {(event: import("./stream.js").StreamEvent) => void} handle
   */
  async stream(path, signal, opened, handle) {
    const response = await this.#send(path, { signal, headers: { Accept: "text/event-stream" } });
    opened();
    await readEvents(response, handle);
  }
}

/**
 * @param {Response} response
 * @returns {Promise<any>}
 */
async function jsonOf(response) {
  try {
    return await response.json();
  } catch (err) {
    throw asApiError(err); // an answer that broke off: its request may have been carried out
  }
}

/**
 * The address of something that belongs to a pane.
 * @param {Ref} pane
 * @param {string} [what]
 * @param {Record<string, string | number>} [query]
 */
export function panePath(pane, what = "", query = {}) {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) params.set(name, String(value));
  if (pane.host) params.set("host", pane.host);
  const tail = params.toString();
  return `/api/pane/${encodeURIComponent(pane.id)}${what && `/${what}`}${tail && `?${tail}`}`;
}
