// Where in the app a person is, kept in the address's fragment: it never
// reaches a server, so neither a pairing code nor a pane's name does.

/**
 * @typedef {{page: "herd"} | {page: "settings"} | {page: "crew"} | {page: "new", host?: string} | {page: "pair", code: string}
 *   | {page: "pane" | "changes", id: string, host?: string} | {page: "files", id: string, host?: string, path: string}} Route
 */

/**
 * @param {string} fragment with or without "#"
 * @returns {Route}
 */
export function parseRoute(fragment) {
  const path = fragment.replace(/^#/, "");
  const pair = /^pair(?:=(.*))?$/.exec(path);
  if (pair) return { page: "pair", code: decode(pair[1] ?? "").slice(0, 64) };
  const [, page = "", id = "", host = "", below = ""] = path.split("/");
  if (page === "settings" || page === "crew") return { page };
  if (page === "new") return { page, ...(id && { host: decode(id) }) };
  if ((page === "pane" || page === "changes") && id) {
    return { page, id: decode(id), ...(host && { host: decode(host) }) };
  }
  if (page === "files" && id) {
    return { page, id: decode(id), ...(host && { host: decode(host) }), path: decode(below) };
  }
  return { page: "herd" };
}

/** @param {Exclude<Route, {page: "pair"}>} route */
export function formatRoute(route) {
  if (route.page === "settings" || route.page === "crew") return `#/${route.page}`;
  if (route.page === "new") return route.host ? `#/new/${encodeURIComponent(route.host)}` : "#/new";
  if (route.page === "herd") return "#/";
  const path = route.page === "files" && route.path ? encodeURIComponent(route.path) : "";
  const host = route.host || path ? `/${encodeURIComponent(route.host ?? "")}` : "";
  return `#/${route.page}/${encodeURIComponent(route.id)}${host}${path && `/${path}`}`;
}

/** @param {string} text */
function decode(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // a lone %: as it stands
  }
}
