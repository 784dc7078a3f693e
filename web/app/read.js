// Something of the node's that a page reads, and reads again when asked.

import { client } from "./state.js";
import { useEffect, useState } from "./vendor/preact-hooks.js";

/**
 * An answer that is late is one to another question, and left out.
 * @template T
 * @param {string} path "" reads nothing
 * @returns {{value: T | undefined, error: unknown, busy: boolean, again: () => void}}
 */
export function useRead(path) {
  const [got, setGot] = useState(/** @type {{path: string, value?: T, error?: unknown}} */ ({ path: "" }));
  const [times, setTimes] = useState(0);
  const [busy, setBusy] = useState(false);
  useEffect(() => {
    if (!path) return;
    let mine = true;
    setBusy(true);
    client.get(path).then(
      (value) => mine && setGot({ path, value }),
      (/** @type {unknown} */ error) => mine && setGot({ path, error }),
    ).finally(() => mine && setBusy(false));
    return () => void (mine = false);
  }, [path, times]);
  const now = got.path === path ? got : undefined;
  return { value: now?.value, error: now?.error, busy, again: () => setTimes(times + 1) };
}
