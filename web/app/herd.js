// The Herd page: every pane of every machine, what needs a person first.

import { Bar, Connection, Outage } from "./bar.js";
import { endOf } from "./ended.js";
import { html } from "./html.js";
import { Icon } from "./icons.js";
import { words } from "./i18n/index.js";
import { isShell, nameOf, orderHerd } from "./order.js";
import { messagesOf, PromptCard, questionOf } from "./prompt.js";
import { formatRoute } from "./route.js";
import { Offer } from "./offer.js";
import { fresh, herd, offered, route, silence, streamRefusal } from "./state.js";
import { keyOf } from "./store.js";
import { age, slow } from "./time.js";
import { computed } from "./vendor/signals.js";

/**
 * @typedef {import("./types.js").Machine} Machine
 * @typedef {import("./types.js").Pane} Pane
 */

const order = computed(() => herd.value && orderHerd(herd.value));

/**
 * How long ago something was, by the lead's clock.
 * @param {number} at
 */
export const sinceLead = (at) => age(Math.max(0, slow.value + (herd.value?.skew ?? 0) - at));

/** @param {{beside?: boolean}} props `beside` another page, on a wide screen */
export function Herd({ beside = false }) {
  const d = words();
  const Content = beside ? "div" : "main";
  return html`
    <div class="page herd">
      <${Bar} title=${d.herd}>
        <${Connection} />
        <a class="icon-button" href="#/crew" aria-label=${d.load.title}><${Icon} name="pulse" /></a>
        <a class="icon-button" href="#/new" aria-label=${d.launch.title}><${Icon} name="plus" /></a>
        <a class="icon-button" href="#/settings" aria-label=${d.settings}><${Icon} name="gear" /></a>
      <//>
      <${Content} id=${beside ? undefined : "content"} class="content">
        <${Outage} />
        <${Offer} copyMs=${herd.value ? silence.value : undefined} />
        ${herd.value && fresh.value === "red" && !offered.value && html`
          <p class="notice warning"><${Icon} name="warning" />${d.staleCopy(age(silence.value))}</p>
        `}
        <${Body} />
      <//>
    </div>
  `;
}

function Body() {
  const d = words();
  const list = order.value;
  if (!list && (streamRefusal.value || offered.value)) return null; // said above
  if (!list) {
    return html`<div class="empty"><p>${fresh.value === "red" ? d.errors.network : d.loading}</p></div>`;
  }
  const crew = herd.value?.crew ?? false;
  const trouble = herd.value?.trouble ?? "";
  const total = list.groups.reduce((sum, group) => sum + group.panes, 0);
  return html`
    ${trouble && html`<p class="notice warning"><${Icon} name="warning" />${d.panesAway} · ${trouble}</p>`}
    ${list.needsYou.length > 0 && html`
      <section class="needs" aria-labelledby="needs-you">
        <h2 id="needs-you">${d.needsYou}<span class="count">${list.needsYou.length}</span></h2>
        <ul class="rows">${list.needsYou.map((pane) => html`<${Row} key=${keyOf(pane)} pane=${pane} placed />`)}</ul>
      </section>
    `}
    ${!crew && total === 0 && html`
      <${Empty} title=${d.noPanes} hint=${d.noPanesHint} command="collie pane new -- bash" />
    `}
    ${list.groups.map((group) => html`<${Group} key=${group.key} group=${group} />`)}
    ${crew && list.groups.length < 2 && html`
      <${Empty} title=${d.onlyLead} hint=${d.onlyLeadHint} command="collie crew invite" />
    `}
  `;
}

/** @param {{title: string, hint: string, command: string}} props */
function Empty({ title, hint, command }) {
  return html`<div class="empty"><h2>${title}</h2><p>${hint}</p><code>${command}</code></div>`;
}

/** @param {{group: import("./order.js").MachineGroup}} props */
function Group({ group }) {
  const d = words();
  const { machine } = group;
  return html`
    <section class=${machine?.stale ? "machine stale" : "machine"} aria-label=${machine?.label}>
      ${machine && html`<${MachineHead} machine=${machine} />`}
      ${machine && group.panes === 0 && !machine.stale && html`<p class="quiet">${d.noPanesHere} <code>collie pane new -- bash</code></p>`}
      ${group.workspaces.map(({ workspace, key, panes }) => html`
        <div key=${key} class="workspace">
          ${workspace && html`
            <h3><span>${workspace.label || workspace.id}</span>${workspace.cwd && html`<small><bdi>${workspace.cwd}</bdi></small>`}</h3>
          `}
          <ul class="rows">${panes.map((pane) => html`<${Row} key=${keyOf(pane)} pane=${pane} />`)}</ul>
        </div>
      `)}
    </section>
  `;
}

/**
 * The state of a machine as a look and a word. Without the lead nobody knows it,
 * and it has no look.
 * @param {Machine} machine
 * @returns {["ok" | "amber" | "red" | "", string]}
 */
export function machineState(machine) {
  const d = words().machine;
  if (fresh.value === "red") return ["", stateWord(machine)];
  if (machine.hint === "attention") return ["red", machine.state === "reachable" ? d.attention : stateWord(machine)];
  if (machine.hint === "reconnecting") return ["amber", d.reconnecting];
  if (machine.state === "reachable") return [machine.stale ? "amber" : "ok", d.reachable];
  return ["red", stateWord(machine)];
}

/** @param {Machine} machine */
function stateWord(machine) {
  /** @type {Record<string, string>} */
  const known = words().machine;
  return known[machine.state] ?? machine.state;
}

/** @param {{machine: Machine}} props */
function MachineHead({ machine }) {
  const d = words();
  const [look, word] = machineState(machine);
  const away = look === "amber" || look === "red";
  return html`
    <header class="machine-head">
      <h2>${machine.label || machine.id}${machine.lead && html`<span class="tag">${d.lead}</span>`}</h2>
      <p class=${`state ${look}`}>
        <span class="dot"></span>${word}
        ${!away && machine.rttMs > 0 && html`<span class="faint">${machine.rttMs} ms</span>`}
      </p>
      ${(away || machine.stale) && html`
        <p class="detail">
          ${machine.lastSeenAt > 0 ? d.lastSeen(sinceLead(machine.lastSeenAt)) : d.neverSeen}
          ${machine.reason && html` · <span>${machine.reason}</span>`}
        </p>
      `}
      ${machine.trouble && html`<p class="detail">${d.panesAway} · <span>${machine.trouble}</span></p>`}
    </header>
  `;
}

/** @param {{pane: Pane, placed?: boolean}} props `placed` says where it is, above the list */
function Row({ pane, placed = false }) {
  const d = words();
  const name = nameOf(pane);
  const machine = herd.value?.machines.get(pane.host ?? "");
  const workspace = herd.value?.workspaces.get(keyOf({ id: pane.workspace, host: pane.host }));
  const tab = herd.value?.tabs.get(keyOf({ id: pane.tab, host: pane.host }))?.label;
  const cards = messagesOf(pane).length;
  const question = placed && questionOf(pane);
  const here = route.value.page === "pane" && route.value.id === pane.id && route.value.host === pane.host;
  const details = [
    placed && [machine?.label, workspace?.label].filter(Boolean).join(" / "),
    tab && ![name, pane.harness, pane.title, pane.label].includes(tab) && tab,
    isShell(pane) ? pane.command !== name && pane.command : pane.harness !== name && pane.harness,
    pane.label && pane.title !== pane.label && pane.title !== pane.harness && pane.title,
    order.value?.alike.has(keyOf(pane)) && pane.id,
  ].filter(Boolean).join(" · ");
  return html`
    <li>
      <a class=${pane.needsYou ? "row-link wants" : "row-link"} aria-current=${here ? "page" : undefined}
        href=${formatRoute({ page: "pane", id: pane.id, host: pane.host })}>
        <span class="row-text">
          <span class="row-name">${name}</span>
          ${details && html`<span class="row-detail">${details}</span>`}
        </span>
        ${cards > 0 && html`
          <span class="badge"><${Icon} name="message" /><span class="unseen">${d.messages(cards)}</span><span aria-hidden="true">${cards}</span></span>
        `}
        <${Status} pane=${pane} />
      </a>
      ${question && html`<${PromptCard} pane=${pane} card=${question} name=${name} />`}
    </li>
  `;
}

/** @param {{pane: Pane}} props */
export function Status({ pane }) {
  const d = words();
  /** @type {Record<string, string>} */
  const known = d.status;
  const word = pane.needsYou && pane.status !== "blocked" ? d.needsYou : pane.status === "done" ? endOf(pane) : (known[pane.status] ?? pane.status);
  const look = pane.needsYou ? "needs-you" : Object.hasOwn(known, pane.status) ? pane.status : "unknown";
  const timed = pane.since > 0 && (pane.needsYou || pane.status === "working" || pane.status === "blocked");
  return html`
    <span class="status">
      <span class=${`chip ${look}`}>${word}</span>
      ${timed && html`<span class="since">${sinceLead(pane.since)}</span>`}
    </span>
  `;
}
