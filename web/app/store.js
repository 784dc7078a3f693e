// The herd as data: pure functions from one state to the next.

/**
 * @typedef {import("./types.js").Machine} Machine
 * @typedef {import("./types.js").Workspace} Workspace
 * @typedef {import("./types.js").Tab} Tab
 * @typedef {import("./types.js").Pane} Pane
 * @typedef {import("./types.js").Ref} Ref
 */

/**
 * Maps keep the order in which the node named things; an update keeps its place.
 * @typedef {object} Herd
 * @property {number} at the lead's clock when it last spoke
 * @property {number} skew the lead's clock minus this phone's
 * @property {string} mode
 * @property {string} trouble why the panes of the one machine are out of reach, or empty
 * @property {boolean} crew whether there are machines to tell apart
 * @property {ReadonlyMap<string, Machine>} machines
 * @property {ReadonlyMap<string, Workspace>} workspaces
 * @property {ReadonlyMap<string, Tab>} tabs
 * @property {ReadonlyMap<string, Pane>} panes
 */

/**
 * The name of an object among those of all machines.
 * @param {Ref} ref
 */
export const keyOf = (ref) => `${ref.host ?? ""}/${ref.id}`;

/**
 * @template {Ref} T
 * @param {readonly T[] | null | undefined} list
 */
const byKey = (list) => new Map((list ?? []).map((item) => [keyOf(item), item]));

/**
 * @param {import("./types.js").Snapshot} snapshot
 * @param {number} now this phone's clock
 * @returns {Herd}
 */
export function fromSnapshot(snapshot, now) {
  return {
    at: snapshot.at,
    skew: snapshot.at - now,
    mode: snapshot.mode,
    trouble: snapshot.trouble ?? "",
    crew: snapshot.machines !== undefined,
    machines: new Map((snapshot.machines ?? []).map((machine) => [machine.id, machine])),
    workspaces: byKey(snapshot.workspaces),
    tabs: byKey(snapshot.tabs),
    panes: byKey(snapshot.panes),
  };
}

/**
 * @template T
 * @param {ReadonlyMap<string, T>} old
 * @param {readonly T[] | null | undefined} news
 * @param {(item: T) => string} key
 */
function merged(old, news, key) {
  if (!news?.length) return old;
  const next = new Map(old);
  for (const item of news) next.set(key(item), item);
  return next;
}

/**
 * @template T
 * @param {ReadonlyMap<string, T>} old
 * @param {readonly string[]} keys
 */
function without(old, keys) {
  if (!keys.some((key) => old.has(key))) return old;
  const next = new Map(old);
  for (const key of keys) next.delete(key);
  return next;
}

/**
 * @param {Herd} herd
 * @param {import("./types.js").Change} change
 * @param {number} now
 * @returns {Herd}
 */
export function applyChange(herd, change, now) {
  return {
    ...herd,
    at: change.at,
    skew: change.at - now,
    trouble: change.trouble ?? herd.trouble,
    crew: herd.crew || Boolean(change.machines?.length),
    machines: merged(herd.machines, change.machines, (machine) => machine.id),
    workspaces: merged(herd.workspaces, change.workspaces, keyOf),
    tabs: merged(herd.tabs, change.tabs, keyOf),
    panes: merged(herd.panes, change.panes, keyOf),
  };
}

/**
 * What a machine leaves behind goes with it.
 * @param {Herd} herd
 * @param {import("./types.js").Gone} gone
 * @param {number} now
 * @returns {Herd}
 */
export function applyGone(herd, gone, now) {
  const machines = new Set(gone.machines ?? []);
  /**
   * @template {Ref} T
   * @param {ReadonlyMap<string, T>} old
   * @param {readonly Ref[] | undefined} refs
   */
  const rest = (old, refs) => {
    const keys = (refs ?? []).map(keyOf);
    if (machines.size) {
      for (const [key, item] of old) if (item.host !== undefined && machines.has(item.host)) keys.push(key);
    }
    return without(old, keys);
  };
  return {
    ...herd,
    at: gone.at,
    skew: gone.at - now,
    machines: without(herd.machines, [...machines]),
    workspaces: rest(herd.workspaces, gone.workspaces),
    tabs: rest(herd.tabs, gone.tabs),
    panes: rest(herd.panes, gone.panes),
  };
}
