// A question that a pane's program asks, as buttons. A tap sends the name of the
// card, which covers the question and what it is about: when the screen has moved
// on, nothing is pressed.

import { asApiError, panePath } from "./api.js";
import { Dialog } from "./dialog.js";
import { html } from "./html.js";
import { Icon } from "./icons.js";
import { words } from "./i18n/index.js";
import { Marked } from "./marked.js";
import { writeSentence } from "./problem.js";
import { client } from "./state.js";
import { useEffect, useId, useState } from "./vendor/preact-hooks.js";

/**
 * @typedef {import("./types.js").Card} Card
 * @typedef {import("./types.js").PromptOption} PromptOption
 * @typedef {import("./types.js").Pane} Pane
 */

/**
 * The question among the cards of a pane.
 * @param {Pane | undefined} pane
 */
export const questionOf = (pane) => pane?.cards?.find((card) => card.kind === "prompt" && card.prompt);

/**
 * The messages among the cards of a pane.
 * @param {Pane | undefined} pane
 */
export const messagesOf = (pane) => (pane?.cards ?? []).filter((card) => card.kind === "walky");

/** Names what ends a choice of several. */
const furtherID = "further";
/** More than a question's field shows. */
const maxOwn = 1_000;

/**
 * A field for an answer of one's own. What is in it stays when it was not sent.
 * @param {{option: PromptOption, busy: boolean, send: (text: string) => void}} props
 */
function Own({ option, busy, send }) {
  const d = words();
  const [text, setText] = useState("");
  const ready = text.trim() !== "";
  /** @param {SubmitEvent} event */
  const submit = (event) => {
    event.preventDefault();
    if (ready && !busy) send(text.trim());
  };
  return html`
    <form class="own" data-option=${option.id} onSubmit=${submit}>
      <input type="text" aria-label=${d.promptOwn} placeholder=${d.promptOwn} maxlength=${maxOwn} autocomplete="off" value=${text}
        onInput=${(/** @type {{currentTarget: HTMLInputElement}} */ event) => setText(event.currentTarget.value)} />
      <button type="submit" class="button" disabled=${!ready || busy}>${d.send}</button>
    </form>
  `;
}

/** @param {{pane: Pane, card: Card, name: string, level?: number}} props */
export function PromptCard({ pane, card, name, level = 3 }) {
  const d = words();
  const id = useId();
  const [busy, setBusy] = useState("");
  const [problem, setProblem] = useState("");
  const [asking, setAsking] = useState(/** @type {PromptOption | null} */ (null));
  useEffect(() => {
    setProblem("");
    setAsking(null);
  }, [card.id]);

  /**
   * @param {PromptOption} option
   * @param {boolean} confirm
   * @param {string} [text] of an answer of one's own
   */
  const answer = async (option, confirm, text) => {
    if (busy) return;
    setBusy(option.id);
    setProblem("");
    setAsking(null);
    try {
      await client.post(panePath(pane, "answer"), { card: card.id, option: option.id, screen: "", ...(confirm && { confirm }), ...(text && { text }) });
    } catch (err) {
      const { code } = asApiError(err);
      if (code === "confirmation_needed") setAsking(option);
      else if (code === "not_submitted") setProblem(d.promptTyped);
      else setProblem(writeSentence(err));
    } finally {
      setBusy("");
    }
  };

  const prompt = card.prompt;
  if (!prompt) return null;
  return html`
    <section class="prompt" aria-labelledby=${id}>
      <p class="prompt-who" aria-hidden="true"><${Icon} name="question" />${d.asks(name)}</p>
      ${prompt.cut && html`<p class="fine warning"><${Icon} name="warning" />${d.promptCut}</p>`}
      ${prompt.subject && html`<div class="subject" tabindex="0" role="group" aria-label=${d.promptSubject}><${Marked} mark=${card.mark}>${prompt.subject}<//></div>`}
      <h3 id=${id} role="heading" aria-level=${level}><${Marked} mark=${card.mark}>${card.held ? d.heldAllow(prompt.question) : prompt.question || d.asks(name)}<//></h3>
      ${card.held && html`<p class="fine">${d.heldHint}</p><p class="unseen">${card.mark}</p>`}
      <ul class="options">
        ${prompt.options.map((option) => html`
          <li key=${option.id}>
            ${option.own ? html`<${Own} key=${card.id} option=${option} busy=${busy !== ""} send=${(/** @type {string} */ text) => answer(option, false, text)} />` : html`<button type="button" class=${option.deny ? "option deny" : option.id === furtherID ? "option further" : "option"} data-option=${option.id} aria-pressed=${option.ticked} disabled=${busy !== ""}
              onClick=${() => (option.always ? setAsking(option) : answer(option, false))}>
              <span class="option-label">${option.ticked !== undefined && html`<span class=${option.ticked ? "box ticked" : "box"} aria-hidden="true">${option.ticked && html`<${Icon} name="check" />`}</span>`}${card.held ? (option.deny ? d.heldDeny : d.heldYes) : option.label}${option.always && html` <span class="tag">${d.promptAlways}</span>`}</span>
              ${option.detail && html`<small>${option.detail}</small>`}
            </button>`}
          </li>
        `)}
      </ul>
      <p class="unseen" role="status">${busy && d.sending}</p>
      ${problem && html`<p class="problem" role="alert">${problem}</p>`}
      ${asking && html`
        <${Dialog} title=${d.promptConfirmTitle} action=${d.promptConfirm} confirm=${() => answer(asking, true)} close=${() => setAsking(null)}>
          <p>${d.promptConfirmBody(asking.label)}</p>
        <//>
      `}
    </section>
  `;
}
