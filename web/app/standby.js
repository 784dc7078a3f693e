// The standby door: where this phone may go once its lead is silent. The lead
// names it while it is well, the phone keeps it, and a person opens it.

/** @typedef {{machine: string, url: string}} Door */

const maxNameChars = 200;

/**
 * Whether a host name is this device itself, which needs no encryption.
 * @param {string} host as the URL standard writes it
 */
const loopback = (host) => host === "localhost" || host.endsWith(".localhost") || host === "[::1]" || /^127(\.\d{1,3}){3}$/.test(host);

/**
 * A door that a token may be handed to: over https, or http to this device, and
 * nothing behind the host. Anything else is none.
 * @param {unknown} said
 * @returns {Door | null}
 */
export function doorOf(said) {
  const { machine, url } = Object(said);
  if (typeof machine !== "string" || typeof url !== "string" || !URL.canParse(url)) return null;
  const { protocol, hostname, origin, href } = new URL(url);
  if (href !== `${origin}/` || !(protocol === "https:" || (protocol === "http:" && loopback(hostname)))) return null;
  return { machine: machine.slice(0, maxNameChars), url: origin };
}

/**
 * The address of a door's page. The token stands in the fragment, which no
 * server gets to see.
 * @param {Door} door
 * @param {string} token
 */
export const doorAddress = (door, token) => `${door.url}/standby#token=${token}`;

/**
 * The token that a door hands over to the app of the new lead.
 * @param {string} fragment with or without "#"
 */
export const tokenIn = (fragment) => /^#?token=([\w-]{16,128})$/.exec(fragment)?.[1] ?? "";

/**
 * Whether a refusal is the lead's own word: then it lives. A proxy that finds
 * no lead, and a machine that leads no more, say nothing of the kind.
 * @param {import("./api.js").ApiError | null} refusal
 */
export const speaks = (refusal) => refusal !== null && refusal.status > 0 && refusal.code !== "not_found" && !refusal.code.startsWith("http_");
