// The button that sends a file to a pane's machine.

import { panePath } from "./api.js";
import { html } from "./html.js";
import { Icon } from "./icons.js";
import { words } from "./i18n/index.js";
import { writeSentence } from "./problem.js";
import { client } from "./state.js";
import { useRef } from "./vendor/preact-hooks.js";

/** The node's bound for one file. */
export const maxUploadBytes = 32 << 20;

/** @typedef {{path: string, name: string, type: string, sizeBytes: number, pasted: boolean, reason?: string}} Uploaded */

/**
 * @param {object} props
 * @param {import("./types.js").Ref} props.pane
 * @param {() => string} props.screen what the person is looking at
 * @param {boolean} props.busy
 * @param {(busy: boolean) => void} props.begin is told when it begins and when it has ended
 * @param {(kept: Uploaded) => void} props.done
 * @param {(problem: string) => void} props.failed
 */
export function Upload({ pane, screen, busy, begin, done, failed }) {
  const d = words();
  /** @type {{current: HTMLInputElement | null}} */
  const field = useRef(null);
  const chosen = async () => {
    const file = field.current?.files?.[0];
    if (!file) return;
    if (file.size > maxUploadBytes) return failed(d.errors.upload_too_large);
    begin(true);
    try {
      done(await client.upload(panePath(pane, "upload", { name: file.name, screen: screen() }), file));
    } catch (err) {
      failed(writeSentence(err));
    } finally {
      begin(false);
      if (field.current) field.current.value = ""; // the same file may be chosen again
    }
  };
  return html`
    <input ref=${field} type="file" hidden aria-hidden="true" tabindex="-1" onChange=${chosen} />
    <button type="button" class="attach" aria-label=${d.upload} disabled=${busy} onClick=${() => field.current?.click()}><${Icon} name="attach" /></button>
  `;
}
