// The Crew page: every machine, its link, and what it is busy with.

import { Bar, Connection, Outage } from "./bar.js";
import { machineState } from "./herd.js";
import { html } from "./html.js";
import { Icon } from "./icons.js";
import { language, words } from "./i18n/index.js";
import { sentence } from "./problem.js";
import { Share, Spark } from "./spark.js";
import { client } from "./state.js";
import { age } from "./time.js";
import { useEffect, useState } from "./vendor/preact-hooks.js";

/**
 * @typedef {{at: number, cpu: number | null, cores: number, memoryUsedBytes: number, memoryTotalBytes: number, load1: number,
 *   receivedBytesPerSec: number | null, sentBytesPerSec: number | null}} Load
 * @typedef {{metric: string, above: number, minutes: number}} Alert
 * @typedef {import("./types.js").Machine & {load: Load | null, alerts: Alert[]}} LoadedMachine
 * @typedef {{at: number, machines: LoadedMachine[], problem?: string}} Machines
 * @typedef {{from: number, stepMs: number, cpu: (number | null)[]}} History
 */

/** How often a page that is looked at asks, and how often for the day. */
const lookEveryMs = 5_000;
const dayEveryMs = 60_000;
const dayMs = 24 * 3_600_000;

/** From this share on a bar looks hot. */
const high = 0.9;

/**
 * Calls at once and then in a rhythm, while the page is in sight.
 * @param {() => void} look
 * @param {number} everyMs
 * @param {unknown[]} inputs
 */
function useLook(look, everyMs, inputs) {
  useEffect(() => {
    const seen = () => {
      if (document.visibilityState === "visible") look();
    };
    seen();
    const timer = setInterval(seen, everyMs);
    document.addEventListener("visibilitychange", seen);
    return () => {
      clearInterval(timer);
      document.removeEventListener("visibilitychange", seen);
    };
  }, inputs);
}

export function Crew() {
  const d = words();
  const [all, setAll] = useState(/** @type {Machines | null} */ (null));
  const [problem, setProblem] = useState("");
  useLook(async () => {
    try {
      setAll(await client.get("/api/machines"));
      setProblem("");
    } catch (err) {
      setProblem(sentence(err));
    }
  }, lookEveryMs, []);
  return html`
    <div class="page crew">
      <${Bar} title=${d.load.title} back="#/"><${Connection} /><//>
      <main id="content" class="content narrow">
        <${Outage} />
        ${problem && html`<p class="problem" role="alert">${problem}</p>`}
        ${!all && !problem && html`<p class="quiet">${d.loading}</p>`}
        ${all?.problem && html`<p class="notice warning"><${Icon} name="warning" />${d.load.rulesBroken} ${all.problem}</p>`}
        ${all?.machines.map((machine) => html`<${MachineCard} key=${machine.id} machine=${machine} at=${all.at} />`)}
        <p class="fine">${d.load.hint}</p>
      </main>
    </div>
  `;
}

/** @param {{machine: LoadedMachine, at: number}} props */
function MachineCard({ machine, at }) {
  const d = words();
  const [look, word] = machineState(machine);
  const { load } = machine;
  const name = machine.label || (machine.id === "this" ? d.load.thisMachine : machine.id);
  return html`
    <section class="card load-card" aria-label=${name}>
      <header class="machine-head">
        <h2>${name}${machine.lead && html`<span class="tag">${d.lead}</span>`}</h2>
        <p class=${`state ${look}`}><span class="dot"></span>${word}
          ${machine.rttMs > 0 && html`<span class="faint">${machine.rttMs} ms</span>`}</p>
        ${machine.state !== "reachable" && machine.lastSeenAt > 0 && html`
          <p class="detail">${d.lastSeen(age(Math.max(0, at - machine.lastSeenAt)))}${machine.reason && html` · <span>${machine.reason}</span>`}</p>
        `}
      </header>
      ${machine.alerts.map((alert) => html`<p key=${alert.metric + alert.above} class="notice warning"><${Icon} name="warning" />${alertSentence(alert)}</p>`)}
      ${load ? html`<${Figures} load=${load} /><${Day} id=${machine.id} />` : html`<p class="quiet">${d.load.unknown}</p>`}
    </section>
  `;
}

/** @param {Alert} alert */
function alertSentence({ metric, above, minutes }) {
  const d = words().load;
  /** @type {Record<string, string>} */
  const names = d.metrics;
  return d.alert(names[metric] ?? metric, new Intl.NumberFormat(language.value).format(above), age(minutes * 60_000));
}

/** @param {{load: Load}} props */
function Figures({ load }) {
  const d = words().load;
  const memory = load.memoryUsedBytes / Math.max(1, load.memoryTotalBytes);
  return html`
    <dl class="figures">
      <div><dt>${d.cpu}</dt><dd>${load.cpu === null ? "–" : percent(load.cpu)}<small>${d.cores(load.cores)}</small></dd>
        <${Share} share=${load.cpu ?? 0} high=${(load.cpu ?? 0) >= high} /></div>
      <div><dt>${d.memory}</dt><dd>${percent(memory)}<small>${bytes(load.memoryUsedBytes)} / ${bytes(load.memoryTotalBytes)}</small></dd>
        <${Share} share=${memory} high=${memory >= high} /></div>
      <div><dt>${d.average}</dt><dd>${new Intl.NumberFormat(language.value, { maximumFractionDigits: 2 }).format(load.load1)}</dd></div>
      <div><dt>${d.network}</dt><dd>${rate(load.receivedBytesPerSec, "↓") ?? "–"} ${rate(load.sentBytesPerSec, "↑")}</dd></div>
    </dl>
  `;
}

/** @param {{id: string}} props */
function Day({ id }) {
  const d = words().load;
  const [day, setDay] = useState(/** @type {History | null} */ (null));
  useLook(async () => {
    try {
      setDay(await client.get(`/api/machines/${encodeURIComponent(id)}/history`));
    } catch {
      // The figures above say what is wrong, if anything is.
    }
  }, dayEveryMs, [id]);
  if (!day?.cpu?.length) return html`<p class="fine">${d.noDay}</p>`;
  const known = day.cpu.filter((value) => value !== null).map(Number);
  return html`
    <figure class="day"><figcaption>${d.day}</figcaption>
      <${Spark} values=${day.cpu} day=${dayMs / day.stepMs} label=${d.dayLabel(percent(Math.max(...known)))} /></figure>
  `;
}

/** @param {number} share */
const percent = (share) => new Intl.NumberFormat(language.value, { style: "percent", maximumFractionDigits: 0 }).format(share);

/** @type {readonly [unit: string, size: number][]} */
const units = [["terabyte", 2 ** 40], ["gigabyte", 2 ** 30], ["megabyte", 2 ** 20], ["kilobyte", 2 ** 10], ["byte", 1]];

/** @param {number} count @param {string} [per] */
function bytes(count, per = "") {
  const [unit, size] = units.find(([, least]) => count >= least) ?? ["byte", 1];
  const format = new Intl.NumberFormat(language.value, { style: "unit", unit: unit + per, unitDisplay: "short", maximumFractionDigits: count / size < 10 ? 1 : 0 });
  return format.format(count / size);
}

/** @param {number | null} count @param {string} sign */
const rate = (count, sign) => (count === null ? null : html`<span>${sign} ${bytes(count, "-per-second")}</span>`);
