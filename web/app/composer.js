// The reply box. A text leaves it only when the machine said that it was sent;
// whatever else happens, the draft stays.

import { ApiError, asApiError, panePath } from "./api.js";
import { html } from "./html.js";
import { Icon } from "./icons.js";
import { words } from "./i18n/index.js";
import { outcomeOf, wasEntered } from "./outcome.js";
import { writeSentence } from "./problem.js";
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
 * @param {object} props
 * @param {import("./types.js").Ref} props.pane
 * @param {string} props.name
 * @param {() => string} props.screen what the person is looking at
 * @param {boolean} props.seen whether there is something to look at
 * @param {() => void} props.look shows the screen
 */
export function Composer({ pane, name, screen, seen, look }) {
  const d = words();
  const key = keyOf(pane);
  const [text, setText] = useState(() => drafts.get(key));
  const [busy, setBusy] = useState(false);
  const [typed, setTyped] = useState(false);
  const [unknown, setUnknown] = useState(""); // what is said of a text that may have been entered
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
  /** @param {ApiError} refusal */
  const told = (refusal) => {
    const outcome = outcomeOf(refusal);
    // What stood in the input before still stands there when this was refused.
    if (outcome !== "refused") setTyped(outcome === "typed");
    if (outcome === "unknown") setUnknown(wasEntered(refusal) ? d.enteredUnknown : d.unknownOutcome);
    if (outcome === "refused") setProblem(writeSentence(refusal));
  };
  const chosen = reused.value;
  useEffect(() => {
    if (chosen?.pane !== key) return;
    reused.value = null;
    if (chosen.refusal) return told(chosen.refusal);
    edit(chosen.text);
    field.current?.focus();
  }, [chosen]);
  const done = () => {
    edit("");
    setSaid(d.sent);
  };

  /**
   * Writes to the pane what stands for the screen that is shown.
   * @param {() => {text: string, submit: boolean, discard?: boolean}} reply
   * @param {() => void} then
   */
  const attempt = async (reply, then) => {
    if (busy || !seen) return;
    setBusy(true);
    setProblem("");
    setUnknown("");
    try {
      const request = reply();
      const answer = await client.post(panePath(pane, "reply"), { ...request, screen: screen() });
      const stands = request.submit && outcomeOf(answer) !== "sent";
      setTyped(stands);
      if (!stands) then();
    } catch (err) {
      told(asApiError(err));
    } finally {
      setBusy(false);
    }
  };

  const canSend = text !== "" && seen && !typed; // what stands in the input is submitted or discarded first
  const send = () => canSend && attempt(() => {
    if (new TextEncoder().encode(text).length > maxReplyBytes) throw new ApiError("too_large", d.tooLong, 413);
    return { text, submit: true };
  }, done);
  // Not the key: Enter alone would answer a question that has come up since.
  const submit = () => attempt(() => ({ text: "", submit: true }), done);
  const discard = () => attempt(() => ({ text: "", submit: false, discard: true }), () => {});
  const looked = () => {
    setUnknown("");
    look();
  };

  /** @param {KeyboardEvent} event */
  const keyDown = (event) => {
    if (event.key !== "Enter" || event.isComposing || event.shiftKey) return;
    // A phone's Enter is a new line; a keyboard's sends, as in every chat.
    const keyboard = matchMedia("(pointer: fine)").matches;
    if (!keyboard && !event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    send();
  };

  return html`
    <form class="composer" onSubmit=${(/** @type {Event} */ event) => { event.preventDefault(); send(); }}>
      ${typed && html`
        <div class="outcome" role="alert">
          <p>${d.notSubmitted}</p>
          <button type="button" class="button small primary" disabled=${busy || !seen} onClick=${submit}>${d.submit}</button>
          <button type="button" class="button small" disabled=${busy || !seen} onClick=${discard}>${d.discard}</button>
        </div>
      `}
      ${unknown && html`
        <div class="outcome" role="alert">
          <p>${unknown}</p>
          <button type="button" class="button small" onClick=${looked}>${d.look}</button>
        </div>
      `}
      ${problem && html`<p class="problem" role="alert">${problem}</p>`}
      ${uploading && html`<p class="fine" role="status">${d.uploading}</p>`}
      <div class="composer-line">
        <${Upload} pane=${pane} screen=${screen} busy=${busy || uploading || !seen} begin=${beginUpload} done=${uploaded} failed=${setProblem} />
        <textarea ref=${field} rows="1" value=${text} readOnly=${busy} placeholder=${d.reply} aria-label=${d.replyTo(name)}
          autocomplete="off" aria-describedby=${holdsMarks(text) ? "masked-paste" : undefined}
          onInput=${(/** @type {any} */ event) => edit(event.currentTarget.value)} onKeyDown=${keyDown}></textarea>
        <button class="send" type="submit" aria-label=${busy ? d.sending : d.send} disabled=${busy || !canSend}><${Icon} name="send" /></button>
      </div>
      ${holdsMarks(text) && html`<p id="masked-paste" class="fine warning"><${Icon} name="warning" />${d.maskedPaste}</p>`}
      <p class="unseen" role="status">${busy ? d.sending : said}</p>
    </form>
  `;
}
