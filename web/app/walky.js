// Cards of walky messages that touched a pane. A card is drawn only for what
// the machine's journal holds; a look-alike in the screen's text stays text.

import { answerAddress, forPerson } from "./address.js";
import { announced } from "./announced.js";
import { html } from "./html.js";
import { Icon } from "./icons.js";
import { words } from "./i18n/index.js";
import { Marked } from "./marked.js";
import { writeSentence } from "./problem.js";
import { Sheet } from "./sheet.js";
import { client } from "./state.js";
import { clock, now } from "./time.js";
import { useEffect, useState } from "./vendor/preact-hooks.js";

/**
 * @typedef {import("./types.js").WalkyMessage} WalkyMessage
 * @typedef {import("./types.js").Ref} Ref
 */

/** Cards that are drawn, the newest. */
const maxCards = 20;
/** How often a message that is on its way is looked at again. */
const lookMs = 10_000;
/** A body longer than this is folded. */
const foldChars = 400;
/** And has no more rows than these; the style sheet cuts it after six. */
const foldRows = 7;
const maxBodyBytes = 16 << 10;

const onItsWay = new Set(["accepted", "held", "delivered"]);

/** @param {{pane: Ref, cards: string, rows: () => import("./types.js").Row[]}} props `cards` names the unread ones, so that a change is followed; `rows` are those of the screen */
export function Walky({ pane, cards, rows }) {
  const d = words();
  const [messages, setMessages] = useState(/** @type {WalkyMessage[]} */ ([]));
  const [recorded, setRecorded] = useState(/** @type {Set<string> | null} */ (null));
  const [open, setOpen] = useState(/** @type {boolean | null} */ (null));

  const load = async () => {
    const query = new URLSearchParams({ pane: pane.id, ...(pane.host && { host: pane.host }) });
    try {
      const answer = await client.get(`/api/walky?${query}`);
      setMessages((answer.messages ?? []).slice().sort((/** @type {WalkyMessage} */ a, /** @type {WalkyMessage} */ b) => b.at - a.at).slice(0, maxCards));
      setRecorded(new Set((answer.messages ?? []).map((/** @type {WalkyMessage} */ message) => message.id)));
    } catch {
      // The screen above says whether the machine is there; cards come with it.
    }
  };
  useEffect(() => void load(), [pane.id, pane.host, cards]);
  const moving = messages.some((message) => onItsWay.has(message.state));
  useEffect(() => {
    if (!moving) return;
    const timer = setInterval(() => {
      if (document.visibilityState === "visible") load();
    }, lookMs);
    return () => clearInterval(timer);
  }, [moving, pane.id, pane.host]);

  now.value; // a screen is looked at once a second
  const strange = recorded && announced(rows()).some((id) => !recorded.has(id));
  const note = strange && html`<p class="fine walky-strange" role="note">${d.walkyNoRecord}</p>`;
  if (!messages.length) return note || null;
  const unread = messages.filter((message) => message.direction === "in" && onItsWay.has(message.state)).length;
  const shown = open ?? unread > 0;
  return html`
    ${note}
    <section class="walky" aria-label=${d.walky}>
      <button class="walky-head" aria-expanded=${shown} onClick=${() => setOpen(!shown)}>
        <${Icon} name="message" />${d.messages(messages.length)}
        ${unread > 0 && html`<span class="count">${unread}</span>`}
        <span class="fold" aria-hidden="true"></span>
      </button>
      ${shown && html`
        <ul class="cards">
          ${messages.map((message) => html`<${Card} key=${`${message.direction}/${message.id}`} message=${message}
            asked=${messages.find((other) => other.id === message.replyTo)} host=${pane.host} reload=${load} />`)}
        </ul>
      `}
    </section>
  `;
}

/** @param {{message: WalkyMessage, asked?: WalkyMessage, host?: string, reload: () => void}} props `asked` is what it answers, if that is here */
function Card({ message, asked, host, reload }) {
  const d = words();
  const [full, setFull] = useState(false);
  const [answering, setAnswering] = useState(false);
  const out = message.direction === "out";
  const heard = !out || forPerson(message);
  const long = message.body.length > foldChars;
  const to = answerAddress(message, host);
  /** @type {Record<string, string>} */
  const states = d.walkyState;
  /** @type {Record<string, string>} */
  const sayings = { operator: d.walkyYours, public: d.walkyPublic };
  return html`
    <li class="walky-card" data-id=${message.id}>
      <header>
        <p class="who"><strong><bdi>${heard ? d.walkyFrom(message.from) : d.walkyTo(message.to)}</bdi></strong></p>
        ${!out && message.fromLabel && html`<div class="from-label"><${Marked} mark=${message.mark}><bdi>${message.fromLabel}</bdi><//></div>`}
        <p class="facts">
          ${message.mark && html`<span class="door-mark">${message.mark}</span>`}
          <span class=${`message-state ${message.state}`}>${states[message.state] ?? message.state}${message.reason && `: ${message.reason}`}</span>
          <time datetime=${new Date(message.at).toISOString()}>${clock(message.at)}</time>
        </p>
      </header>
      ${message.replyTo && html`<p class="fine">${asked ? d.walkyAnswers(clock(asked.at)) : d.walkyAnswersEarlier}</p>`}
      ${message.body && html`<div class=${long && !full ? "body folded" : "body"}><${Marked} mark=${message.mark} most=${long && !full ? foldRows : undefined}>${message.body}<//></div>`}
      <footer>
        ${long && html`<button class="button small" aria-expanded=${full} onClick=${() => setFull(!full)}>${full ? d.walkyLess : d.walkyMore}</button>`}
        ${to && html`<button class="button small" aria-expanded=${answering} onClick=${() => setAnswering(!answering)}>${d.walkyReply}</button>`}
        ${heard && html`<small>${sayings[message.trust] ?? d.walkyData}</small>`}
      </footer>
      ${answering && html`<${Write} to=${to} replyTo=${message.id} label=${d.walkyReplyLabel} done=${reload} />`}
    </li>
  `;
}

/**
 * A first message to the session of a pane.
 * @param {{pane: Ref, token: string, name: string, close: () => void}} props
 */
export function Message({ pane, token, name, close }) {
  const d = words();
  const address = `${pane.host ? `${pane.host}:` : ""}${pane.id}#${token}`;
  return html`
    <${Sheet} title=${d.walkyMessageTo(name)} close=${close}>
      <p class="fine">${d.walkyMessageHint}</p>
      <${Write} to=${address} label=${d.walkyMessageLabel} done=${() => {}} />
    <//>
  `;
}

/** @param {{to: string, replyTo?: string, label: string, done: () => void}} props */
function Write({ to, replyTo = "", label, done }) {
  const d = words();
  const [body, setBody] = useState("");
  const [busy, setBusy] = useState(false);
  const [said, setSaid] = useState("");
  const [problem, setProblem] = useState("");
  /** @param {Event} event */
  const send = async (event) => {
    event.preventDefault();
    if (busy || !body.trim()) return;
    setBusy(true);
    setProblem("");
    setSaid("");
    try {
      if (new TextEncoder().encode(body).length > maxBodyBytes) throw new Error(d.tooLong);
      const sent = await client.post("/api/walky/send", { to, body, ...(replyTo && { replyTo }) });
      /** @type {Record<string, string>} */
      const states = d.walkyState;
      const state = states[sent.state] ?? sent.state;
      if (sent.state === "refused") setProblem(sent.reason ? `${state}: ${sent.reason}` : state);
      else {
        setBody("");
        setSaid(d.walkySent(state));
      }
      done();
    } catch (err) {
      setProblem(writeSentence(err));
    } finally {
      setBusy(false);
    }
  };
  return html`
    <form class="answer" onSubmit=${send}>
      <textarea rows="2" value=${body} aria-label=${label} placeholder=${label}
        onInput=${(/** @type {any} */ event) => setBody(event.currentTarget.value)}></textarea>
      <button class="button small primary" type="submit" disabled=${busy || !body.trim()}>${busy ? d.sending : d.send}</button>
      ${problem && html`<p class="problem" role="alert">${problem}</p>`}
      <p class="fine" role="status">${said}</p>
    </form>
  `;
}
