// The order of the Herd page: what needs a person first, then by place. A
// place never depends on a status, so a row moves only when it starts or stops
// needing a person.

/**
 * @typedef {import("./types.js").Machine} Machine
 * @typedef {import("./types.js").Pane} Pane
 * @typedef {import("./types.js").Workspace} Workspace
 * @typedef {import("./store.js").Herd} Herd
 *
 * @typedef {{workspace: Workspace | undefined, key: string, panes: Pane[]}} WorkspaceGroup
 * @typedef {{machine: Machine | undefined, key: string, workspaces: WorkspaceGroup[], panes: number}} MachineGroup
 * @typedef {{needsYou: Pane[], groups: MachineGroup[], alike: ReadonlySet<string>}} Order `alike`: the keys of
 *   panes that are called like another one of their machine
 */

import { keyOf } from "./store.js";

/**
 * @param {string} a
 * @param {string} b
 */
const byName = (a, b) => a.localeCompare(b, undefined, { numeric: true });

/**
 * The lead first, then by name.
 * @param {Machine} a
 * @param {Machine} b
 */
function byMachine(a, b) {
  return Number(b.lead) - Number(a.lead) || byName(a.label, b.label) || byName(a.id, b.id);
}

/**
 * @param {Herd} herd
 * @returns {Order}
 */
export function orderHerd(herd) {
  const machines = [...herd.machines.values()].sort(byMachine);
  const machineRank = new Map(machines.map((machine, rank) => [machine.id, rank]));
  const workspaceRank = new Map([...herd.workspaces.keys()].map((key, rank) => [key, rank]));

  /** @param {Pane} pane */
  const place = (pane) => {
    const tab = herd.tabs.get(keyOf({ id: pane.tab, host: pane.host }));
    return [
      machineRank.get(pane.host ?? "") ?? machines.length,
      workspaceRank.get(keyOf({ id: pane.workspace, host: pane.host })) ?? herd.workspaces.size,
      tab?.index ?? Number.MAX_SAFE_INTEGER,
      pane.index,
    ];
  };
  const placed = [...herd.panes.values()]
    .map((pane) => ({ pane, place: place(pane) }))
    .sort((a, b) => {
      for (const [i, rank] of a.place.entries()) {
        const difference = rank - (b.place[i] ?? 0);
        if (difference) return difference;
      }
      return byName(a.pane.host ?? "", b.pane.host ?? "") || byName(a.pane.id, b.pane.id);
    })
    .map(({ pane }) => pane);

  /** @type {Map<string, MachineGroup>} */
  const groups = new Map();
  /** @param {string} id */
  const groupOf = (id) => {
    let group = groups.get(id);
    if (!group) {
      group = { machine: herd.machines.get(id), key: id, workspaces: [], panes: 0 };
      groups.set(id, group);
    }
    return group;
  };
  for (const machine of machines) groupOf(machine.id); // one without panes is shown too
  for (const pane of placed) {
    const group = groupOf(pane.host ?? "");
    group.panes++;
    if (pane.needsYou) continue;
    const key = keyOf({ id: pane.workspace, host: pane.host });
    let last = group.workspaces.at(-1);
    if (last?.key !== key) {
      last = { workspace: herd.workspaces.get(key), key, panes: [] };
      group.workspaces.push(last);
    }
    last.panes.push(pane);
  }
  return { needsYou: placed.filter((pane) => pane.needsYou), groups: [...groups.values()], alike: alike(placed) };
}

/** @param {readonly Pane[]} panes */
function alike(panes) {
  /** @param {Pane} pane */
  const called = (pane) => `${pane.host ?? ""}/${nameOf(pane)}`;
  /** @type {Map<string, number>} */
  const count = new Map();
  for (const pane of panes) count.set(called(pane), (count.get(called(pane)) ?? 0) + 1);
  return new Set(panes.filter((pane) => (count.get(called(pane)) ?? 0) > 1).map(keyOf));
}

/**
 * What a pane is called: the operator's word first, then the program's title,
 * then the program. Of a shell that says nothing of itself the command says more.
 * @param {Pane} pane
 */
export const nameOf = (pane) => pane.label || pane.title || (isShell(pane) && pane.command) || pane.harness || pane.id;

/**
 * Whether a pane has a program that is no agent's.
 * @param {Pane} pane
 */
export const isShell = (pane) => pane.status === "shell" || pane.harness === "shell";
