// The question for a branch to work on in a folder of its own.

import { panePath } from "./api.js";
import { Dialog } from "./dialog.js";
import { html } from "./html.js";
import { words } from "./i18n/index.js";
import { writeSentence } from "./problem.js";
import { formatRoute } from "./route.js";
import { client } from "./state.js";
import { useState } from "./vendor/preact-hooks.js";

/** The node's rule, so that a name is refused before it is sent. */
const branch = /^[A-Za-z0-9][A-Za-z0-9._-]*(\/[A-Za-z0-9][A-Za-z0-9._-]*)*$/;

/** @param {{pane: import("./types.js").Ref, close: () => void}} props */
export function Worktree({ pane, close }) {
  const d = words();
  const [name, setName] = useState("");
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState("");
  const confirm = async () => {
    if (!branch.test(name.trim()) || name.includes("..")) return setProblem(d.worktreeName);
    setBusy(true);
    setProblem("");
    try {
      const made = await client.post(panePath(pane, "worktree"), { branch: name.trim() });
      close();
      location.hash = formatRoute({ page: "pane", id: made.id, host: pane.host });
    } catch (err) {
      setProblem(writeSentence(err));
      setBusy(false);
    }
  };
  return html`
    <${Dialog} title=${d.worktreeTitle} action=${busy ? d.loading : d.worktreeMake} busy=${busy} problem=${problem} confirm=${confirm} close=${close}>
      <p>${d.worktreeBody}</p>
      <label class="field"><span>${d.worktreeBranch}</span>
        <input value=${name} autocomplete="off" autocapitalize="none" spellcheck=${false} maxlength="100"
          onInput=${(/** @type {any} */ event) => setName(event.currentTarget.value)} /></label>
    <//>
  `;
}
