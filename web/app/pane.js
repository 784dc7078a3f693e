// The Pane page: the live screen, what was said about it, and the ways to write
// to it.

import { panePath } from "./api.js";
import { ChatLog } from "./chat.js";
import { ChatView } from "./chatview.js";
import { Bar, Connection, Outage } from "./bar.js";
import { Keys } from "./board.js";
import { Composer } from "./composer.js";
import { freshness } from "./connection.js";
import { Ended } from "./ended.js";
import { machineState, sinceLead, Status } from "./herd.js";
import { html } from "./html.js";
import { Icon } from "./icons.js";
import { words } from "./i18n/index.js";
import { Marked } from "./marked.js";
import { KeySender } from "./keysender.js";
import { Offer } from "./offer.js";
import { isShell, nameOf } from "./order.js";
import { PaneMenu } from "./panemenu.js";
import { sentence, writeSentence } from "./problem.js";
import { messagesOf, PromptCard, questionOf } from "./prompt.js";
import { Scrollback } from "./scrollback.js";
import { PaneSession } from "./session.js";
import { client, herd, keeper, offered, prefer, preferences } from "./state.js";
import { keyOf } from "./store.js";
import { lookAtEnd, Terminal } from "./terminal.js";
import { age, now } from "./time.js";
import { TypeField } from "./typefield.js";
import { useEffect, useMemo, useRef, useState } from "./vendor/preact-hooks.js";
import { Walky } from "./walky.js";

/** @typedef {import("./types.js").Ref} Ref */

/** @param {{pane: Ref}} props */
export function Pane({ pane }) {
  const d = words();
  const [problem, setProblem] = useState("");
  const [typing, setTyping] = useState(false);
  const session = useMemo(() => new PaneSession(client, pane), []);
  const scrollback = useMemo(() => new Scrollback(client, pane), []);
  const chat = useMemo(() => new ChatLog(client, pane, (turns) => {
    if (preferences.value.keepChat && !session.password.value) keeper.keepChat(keyOf(pane), turns).catch(() => {}); // no room: it is only a copy
  }), []);
  const [talks, setTalks] = useState(false);
  const meant = useRef(""); // the run of the program that is typed for
  const opened = useMemo(() => Date.now(), []);
  const keys = useMemo(() => new KeySender({
    post: (request) => client.post(panePath(pane, "keys"), request),
    program: () => meant.current,
    failed(err) {
      if (err.code === "escape_unconfirmed") {
        setProblem(sentence(err));
        return;
      }
      setTyping(false);
      setProblem(`${words().keysRefused} ${writeSentence(err)}`);
    },
  }), []);

  useEffect(() => () => session.stop(), []);
  useEffect(() => {
    // What stands around a password is not kept here.
    if (session.password.value) keeper.forget(keyOf(pane)).catch(() => {});
  }, [session.password.value]);
  useEffect(() => {
    if (talks && preferences.value.keepChat) keeper.chatOf(keyOf(pane)).then((turns) => chat.recall(turns), () => {});
  }, [talks]);

  const info = herd.value?.panes.get(keyOf(pane));
  const program = info?.program ?? info?.harness;
  const programThen = useRef(program);
  useEffect(() => {
    // What is typed is meant for the program that was there when typing began.
    if (typing && programThen.current !== program) {
      setTyping(false);
      setProblem(d.typeEndedProgram);
    }
    programThen.current = program;
  }, [program]);

  const question = questionOf(info);
  const name = info ? nameOf(info) : session.title.value || pane.id;
  const gone = session.phase.value === "gone";
  const over = info?.status === "done";
  const silence = Math.max(0, now.value - (session.lastSign.value || opened));

  /** @param {string} key */
  const press = (key) => {
    setProblem("");
    keys.send([key], false);
  };
  /** @param {"idle" | "done"} why */
  const endTyping = (why) => {
    setTyping(false);
    setProblem(why === "idle" ? d.typeEndedIdle : "");
  };
  const look = () => {
    setTalks(false);
    setTimeout(lookAtEnd); // once it is there
  };
  const beginTyping = () => {
    meant.current = info?.program ?? "";
    setProblem("");
    setTyping(true);
  };

  return html`
    <div class="page pane">
      <${Bar} title=${name} back="#/">
        <${PaneMenu} pane=${pane} name=${name} label=${info?.label ?? ""} token=${info?.token} />
      <//>
      <main id="content" class="pane-content">
        <${PaneNotices} pane=${pane} session=${session} silence=${silence} />
        ${gone && !session.screen
          ? html`<div class="empty"><p>${d.paneMissing}</p><a class="button" href="#/">${d.toHerd}</a></div>`
          : html`
            ${info && info.harness !== "shell" && html`<${Views} talks=${talks} choose=${setTalks} />`}
            ${talks
              ? html`<${ChatView} chat=${chat} session=${session} name=${name} host=${pane.host} />`
              : html`<${Terminal} session=${session} scrollback=${scrollback} name=${name} />`}
          `}
        <${Walky} pane=${pane} cards=${messagesOf(info).map((card) => card.id).join(" ")} rows=${() => session.screen?.lines ?? []} />
        ${!gone && over && info && html`<${Ended} pane=${pane} info=${info} />`}
        ${!gone && !over && html`
          <div class="dock">
            ${info && question && html`<${PromptCard} level=${2} pane=${info} card=${question} name=${name} />`}
            ${problem && html`<p class="problem" role="alert">${problem}</p>`}
            <${Keys} press=${press} typing=${typing} toggleTyping=${() => (typing ? endTyping("done") : beginTyping())} />
            ${typing
              ? html`<${TypeField} press=${(/** @type {string[]} */ typed) => keys.send(typed, true)} secret=${!session.echo.value} end=${endTyping} />`
              : html`<${Composer} pane=${pane} name=${name} screen=${() => session.screen?.screen ?? ""}
                  seen=${session.phase.value !== "loading"} look=${look} />`}
          </div>
        `}
      </main>
    </div>
  `;
}

/**
 * What of a pane is shown: its screen, or what was said.
 * @param {{talks: boolean, choose: (talks: boolean) => void}} props
 */
function Views({ talks, choose }) {
  const d = words();
  return html`
    <fieldset class="views">
      <legend class="unseen">${d.views}</legend>
      <div class="segments">
        ${[false, true].map((chat) => html`
          <label key=${String(chat)}>
            <input type="radio" name="view" checked=${talks === chat} onChange=${() => choose(chat)} />
            <span>${chat ? d.chat : d.screen}</span>
          </label>
        `)}
      </div>
    </fieldset>
  `;
}

/**
 * Since when a pane has its status, and where that is known from.
 * @param {{pane: import("./types.js").Pane}} props
 */
function Why({ pane }) {
  const d = words();
  if (isShell(pane)) return null; // it waits for whoever types; since when says nothing
  /** @type {Record<string, string>} */
  const sources = d.statusSource;
  const source = pane.source && Object.hasOwn(sources, pane.source) ? sources[pane.source] : "";
  const said = [pane.since > 0 && d.statusSince(sinceLead(pane.since)), source].filter(Boolean).join(" · ");
  return said && html`<p class="why"><${Marked} mark=${pane.whyMark}>${said}<//>${pane.whyMark && html`<span class="unseen">${pane.whyMark}</span>`}</p>`;
}

/**
 * Everything that qualifies what the screen shows.
 * @param {{pane: Ref, session: PaneSession, silence: number}} props
 */
function PaneNotices({ pane, session, silence }) {
  const d = words();
  const machine = herd.value?.machines.get(pane.host ?? "");
  const info = herd.value?.panes.get(keyOf(pane));
  const [look, word] = machine ? machineState(machine) : ["ok", ""];
  const refusal = session.refusal.value;
  const phase = session.phase.value;
  const listFails = refusal?.code === "pairing_unavailable";
  return html`
    <div class="pane-state">
      ${machine && html`<p class="where"><span class=${`state ${look}`}><span class="dot"></span>${machine.label || machine.id}</span>
        ${(look === "amber" || look === "red") && html`<span>${word}</span>`}</p>`}
      ${info && phase !== "gone" && html`<${Status} pane=${info} />`}
      ${phase !== "gone" && html`<${Connection} freshness=${freshness(silence)} silenceMs=${silence} heard=${session.lastSign.value > 0} />`}
    </div>
    ${info && phase !== "gone" && html`<${Why} pane=${info} />`}
    ${listFails && html`<${Outage} />`}
    ${phase === "gone" && session.screen && html`
      <p class="notice" role="alert"><span>${d.paneGone} <a href="#/">${d.toHerd}</a></span></p>
    `}
    ${phase !== "gone" && refusal && !listFails && html`
      <p class="notice warning" role="alert"><${Icon} name="warning" />${sentence(refusal)}</p>
    `}
    <${Offer} copyMs=${phase === "live" ? silence : undefined} />
    ${phase === "live" && freshness(silence) === "red" && !offered.value && html`
      <p class="notice warning"><${Icon} name="warning" />${d.staleCopy(age(silence))}</p>
    `}
    <${MaskNotice} masked=${session.masked.value} />
  `;
}

/** Said once on each device, on the first pane that shows masked text. @param {{masked: boolean}} props */
function MaskNotice({ masked }) {
  const d = words();
  const [shown, setShown] = useState(false);
  useEffect(() => {
    if (!masked || preferences.value.maskNoticeSeen) return;
    prefer({ maskNoticeSeen: true });
    setShown(true);
  }, [masked]);
  if (!shown) return null;
  return html`
    <div class="notice" role="status"><${Icon} name="lock" /><p>${d.maskNotice}</p>
      <button class="icon-button" aria-label=${d.dismiss} onClick=${() => setShown(false)}><${Icon} name="dismiss" /></button></div>
  `;
}
