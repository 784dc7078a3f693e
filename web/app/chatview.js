// The Chat of a pane: what a person and an agent said, the newest at the end.

import { html } from "./html.js";
import { Icon } from "./icons.js";
import { words } from "./i18n/index.js";
import { Marked } from "./marked.js";
import { sentence } from "./problem.js";
import { client } from "./state.js";
import { clock } from "./time.js";
import { draw, textOf } from "./tree.js";
import { useEffect, useLayoutEffect, useRef, useState } from "./vendor/preact-hooks.js";

/**
 * @typedef {import("./types.js").Turn} Turn
 * @typedef {import("./types.js").Tool} Tool
 */

/** How long changes of the screen are gathered before the log is asked for news. */
const joinMs = 1_200;
/** Closer to the end than this counts as at the end. */
const endPx = 40;

/**
 * @param {object} props
 * @param {import("./chat.js").ChatLog} props.chat
 * @param {import("./session.js").PaneSession} props.session
 * @param {string} props.name
 * @param {string} [props.host]
 */
export function ChatView({ chat, session, name, host }) {
  const d = words();
  /** @type {{current: HTMLElement | null}} */
  const box = useRef(null);
  const follows = useRef(true);
  const [atEnd, setAtEnd] = useState(true);
  const turns = chat.turns.value;
  const oldest = turns[0]?.id;
  const fromEnd = useRef(0);

  // The pane's screen moves when its program does something: then there may be more.
  useEffect(() => {
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    let timer;
    chat.latest();
    const unwatch = session.watch(() => {
      timer ??= setTimeout(() => {
        timer = undefined;
        chat.latest();
      }, joinMs);
    });
    return () => {
      unwatch();
      clearTimeout(timer);
    };
  }, [chat, session]);

  // At the end it stays there; what a person reads stays where it is.
  useLayoutEffect(() => {
    const element = box.current;
    if (element) element.scrollTop = follows.current ? element.scrollHeight : element.scrollHeight - fromEnd.current;
  }, [oldest]);
  useLayoutEffect(() => {
    const element = box.current;
    if (element && follows.current) element.scrollTop = element.scrollHeight;
  }, [turns]);

  const scrolled = () => {
    const element = box.current;
    if (!element) return;
    fromEnd.current = element.scrollHeight - element.scrollTop;
    follows.current = fromEnd.current - element.clientHeight < endPx;
    setAtEnd(follows.current);
  };
  const toEnd = () => {
    follows.current = true;
    if (box.current) box.current.scrollTop = box.current.scrollHeight;
  };

  const problem = chat.problem.value;
  const nothing = problem?.code === "no_chat";
  return html`
    <div class="chat-frame">
      <div class="chat" ref=${box} tabindex="0" role="region" aria-label=${d.chatOf(name)} onScroll=${scrolled}>
        ${problem && !nothing && html`<p class="notice warning" role="alert"><${Icon} name="warning" /><span>${sentence(problem)}</span></p>`}
        ${chat.skipped.value > 0 && html`<p class="quiet">${d.chatSkipped(chat.skipped.value)}</p>`}
        ${chat.more.value
          ? html`<button class="button small" disabled=${chat.loading.value} onClick=${() => chat.earlier()}>${chat.loading.value ? d.loading : d.earlier}</button>`
          : chat.cut.value && html`<p class="quiet">${d.earliest}</p>`}
        ${!turns.length && (nothing || chat.known.value
          ? html`<p class="quiet">${d.chatEmpty}</p>`
          : !problem && html`<p class="quiet">${d.loading}</p>`)}
        <ol class="turns">
          ${turns.map((turn) => html`<${Said} key=${turn.id} turn=${turn} host=${host} />`)}
        </ol>
      </div>
      ${!atEnd && html`<button class="to-end" aria-label=${d.chatToEnd} onClick=${toEnd}><${Icon} name="down" /></button>`}
    </div>
  `;
}

/**
 * A picture of a turn; where it cannot be had, that there is one.
 * @param {{hash: string, host?: string}} props
 */
function Picture({ hash, host }) {
  const d = words();
  const [address, setAddress] = useState("");
  useEffect(() => {
    let made = "";
    let left = false;
    const path = `/api/blobs/${encodeURIComponent(hash)}${host ? `?host=${encodeURIComponent(host)}` : ""}`;
    client.blob(path).then((picture) => {
      if (left || !/^image\/(png|jpeg|gif|webp)$/.test(picture.type)) return;
      made = URL.createObjectURL(picture);
      setAddress(made);
    }, () => {}); // the words below say that there is one
    return () => {
      left = true;
      if (made) URL.revokeObjectURL(made);
    };
  }, [hash, host]);
  return address ? html`<img src=${address} alt=${d.chatImages(1)} />` : html`<p class="quiet">${d.chatImages(1)}</p>`;
}

/** @param {{turn: Turn, host?: string}} props */
function Said({ turn, host }) {
  const d = words();
  const person = turn.who === "person";
  return html`
    <li class=${person ? "turn person" : "turn"}>
      <p class="turn-who"><span>${turn.mark || (person ? d.chatPerson : d.chatAgent)}</span>
        ${turn.at > 0 && html`<time datetime=${new Date(turn.at).toISOString()}>${clock(turn.at)}</time>`}</p>
      ${(turn.body?.length ?? 0) > 0 && html`<div class="said">${turn.mark ? html`<${Marked} mark=${turn.mark}>${textOf(turn.body)}<//>` : draw(turn.body)}</div>`}
      ${(turn.images?.length ?? 0) > 0 && html`
        <div class="pictures">${turn.images?.map((hash) => html`<${Picture} key=${hash} hash=${hash} host=${host} />`)}</div>
      `}
      ${(turn.tools ?? []).map((tool, i) => html`<${Call} key=${i} tool=${tool} />`)}
      ${turn.cut && html`<p class="quiet">${d.chatCut}</p>`}
    </li>
  `;
}

/** @param {{tool: Tool}} props */
function Call({ tool }) {
  const d = words();
  /** @type {Record<string, string>} */
  const states = d.toolState;
  return html`
    <details class=${`call ${tool.state}`}>
      <summary><strong>${tool.name}</strong> <span class="call-subject">${tool.subject}</span>
        <span class="call-state">${states[tool.state] ?? tool.state}</span></summary>
      <pre tabindex="0" aria-label=${d.promptSubject}>${tool.subject}</pre>
      ${tool.result && html`<pre tabindex="0" aria-label=${d.chatResult}>${tool.result}</pre>`}
      ${tool.cut && html`<p class="quiet">${d.chatCut}</p>`}
    </details>
  `;
}
