// The reply box. A text leaves it only when the machine said that it was sent;
// whatever else happens, the draft stays.

import { asApiError, panePath } from "./api.js";
import { html } from "./html.js";
import { Icon } from "./icons.js";
import { words } from "./i18n/index.js";
import { sentence, writeSentence } from "./problem.js";
import { reused } from "./sent.js";
import { client, drafts } from "./state.js";
import { keyOf } from "./store.js";
import { Upload } from "./upload.js";
import { useEffect, useLayoutEffect, useRef, useState } from "./vendor/preact-hooks.js";

/** The node's bound for one reply. */
const maxReplyBytes = 256 << 10;

/**
 * Whether a text holds marks of the mask: the pane would get the dots.
 * @param {string} text
 */
export const holdsMarks = (text) => text.includes("••");

/**
 * What became of a reply.
 * @typedef {"sent" | "typed" | "refused"} Outcome
 */

/**
 * Typed but not submitted is an outcome of its own: the text is in the pane.
 * @param {{textDelivered: boolean, submitted: boolean} | import("./api.js").ApiError} answer
 * @returns {Outcome}
 */
export function outcomeOf(answer) {
  if ("submitted" in answer) {
    if (answer.submitted) return "sent";
    return answer.textDelivered ? "typed" : "refused";
  }
  const detail = /** @type {{textDelivered?: boolean}} */ (Object(answer.detail));
  return answer.code === "not_submitted" && detail.textDelivered !== false ? "typed" : "refused";
}

/**
 * @param {object} props
 * @param {import("./types.js").Ref} props.pane
 * @param {string} props.name
 * @param {() => string} props.screen what the person is looking at
 */
export function Composer({ pane, name, screen }) {
  const d = words();
  const key = keyOf(pane);
  const [text, setText] = useState(() => drafts.get(key));
  const [busy, setBusy] = useState(false);
  const [typed, setTyped] = useState(false);
  const [problem, setProblem] = useState("");
  const [uploading, setUploading] = useState(false);
  const [said, setSaid] = useState("");
  /** @type {{current: HTMLTextAreaElement | null}} */
  const field = useRef(null);

  useLayoutEffect(() => {
    const box = field.current;
    if (!box) return;
    const line = box.parentElement;
    // The line holds its height meanwhile, so that nothing around it moves.
    line?.style.setProperty("height", `${line.offsetHeight}px`);
    box.style.setProperty("height", "auto");
    box.style.setProperty("height", `${box.scrollHeight + box.offsetHeight - box.clientHeight}px`);
    line?.style.removeProperty("height");
  }, [text]);

  useEffect(() => {
    if (!said) return;
    const timer = setTimeout(() => setSaid(""), 2_500);
    return () => clearTimeout(timer);
  }, [said]);

  /** @param {string} next */
  const edit = (next) => {
    setText(next);
    drafts.set(key, next);
  };
  /** @param {boolean} begins */
  const beginUpload = (begins) => {
    setUploading(begins);
    if (begins) setProblem("");
  };
  /** A path that could not be typed into the pane goes into the box. @param {import("./upload.js").Uploaded} kept */
  const uploaded = (kept) => {
    setSaid(d.uploaded);
    if (kept.pasted) return;
    edit(`${drafts.get(key)}${kept.path} `);
    setProblem(d.uploadNotTyped);
  };
  const chosen = reused.value;
  useEffect(() => {
    if (chosen?.pane !== key) return;
    edit(chosen.text);
    reused.value = null;
    field.current?.focus();
  }, [chosen]);
  const done = () => {
    edit("");
    setTyped(false);
    setProblem("");
    setSaid(d.sent);
  };

  /** @param {() => Promise<Outcome>} write */
  const attempt = async (write) => {
    if (busy) return;
    setBusy(true);
    setProblem("");
    try {
      const outcome = await write();
      if (outcome === "sent") done();
      setTyped(outcome === "typed");
      if (outcome === "refused") setProblem(d.notSubmitted);
    } catch (err) {
      const stuck = outcomeOf(asApiError(err)) === "typed";
      setTyped(stuck);
      if (!stuck) setProblem(writeSentence(err));
    } finally {
      setBusy(false);
    }
  };

  const send = () => attempt(async () => {
    if (new TextEncoder().encode(text).length > maxReplyBytes) throw asApiError(new Error(d.tooLong));
    return outcomeOf(await client.post(panePath(pane, "reply"), { text, submit: true, screen: screen() }));
  });
  const submit = () => attempt(async () => {
    // Not the key: Enter alone would answer a question that has come up since.
    return outcomeOf(await client.post(panePath(pane, "reply"), { text: "", submit: true, screen: "" }));
  });
  const discard = async () => {
    setBusy(true);
    try {
      await client.post(panePath(pane, "reply"), { text: "", submit: false, screen: "", discard: true });
      setTyped(false);
    } catch (err) {
      setProblem(sentence(err));
    } finally {
      setBusy(false);
    }
  };

  /** @param {KeyboardEvent} event */
  const keyDown = (event) => {
    if (event.key !== "Enter" || event.isComposing || event.shiftKey) return;
    // A phone's Enter is a new line; a keyboard's sends, as in every chat.
    const keyboard = matchMedia("(pointer: fine)").matches;
    if (!keyboard && !event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    if (text) send();
  };

  return html`
    <form class="composer" onSubmit=${(/** @type {Event} */ event) => { event.preventDefault(); if (text) send(); }}>
      ${typed && html`
        <div class="outcome" role="alert">
          <p>${d.notSubmitted}</p>
          <button type="button" class="button small primary" disabled=${busy} onClick=${submit}>${d.submit}</button>
          <button type="button" class="button small" disabled=${busy} onClick=${discard}>${d.discard}</button>
        </div>
      `}
      ${problem && html`<p class="problem" role="alert">${problem}</p>`}
      ${uploading && html`<p class="fine" role="status">${d.uploading}</p>`}
      <div class="composer-line">
        <${Upload} pane=${pane} screen=${screen} busy=${busy || uploading} begin=${beginUpload} done=${uploaded} failed=${setProblem} />
        <textarea ref=${field} rows="1" value=${text} readOnly=${busy} placeholder=${d.reply} aria-label=${d.replyTo(name)}
          autocomplete="off" aria-describedby=${holdsMarks(text) ? "masked-paste" : undefined}
          onInput=${(/** @type {any} */ event) => edit(event.currentTarget.value)} onKeyDown=${keyDown}></textarea>
        <button class="send" type="submit" aria-label=${busy ? d.sending : d.send} disabled=${busy || !text}><${Icon} name="send" /></button>
      </div>
      ${holdsMarks(text) && html`<p id="masked-paste" class="fine warning"><${Icon} name="warning" />${d.maskedPaste}</p>`}
      <p class="unseen" role="status">${busy ? d.sending : said}</p>
    </form>
  `;
}
