// The service worker: keeps the app's own files, so that it opens without the
// machine. It never touches the API, and never keeps what a session said.

(() => {
  const worker = /** @type {any} */ (self);
  const build = new URL(worker.location.href).searchParams.get("build") ?? "";
  const name = `collie-shell-${build}`;

  worker.addEventListener("install", (/** @type {any} */ event) => {
    event.waitUntil((async () => {
      const list = await fetch(`/a/${build}/shell.json`);
      if (!list.ok) throw new Error(`the list of the app's files: ${list.status}`);
      const cache = await caches.open(name);
      await cache.addAll(await list.json());
      await worker.skipWaiting();
    })());
  });

  worker.addEventListener("activate", (/** @type {any} */ event) => {
    event.waitUntil((async () => {
      for (const old of await caches.keys()) {
        if (old.startsWith("collie-shell-") && old !== name) await caches.delete(old);
      }
      await worker.clients.claim();
    })());
  });

  worker.addEventListener("fetch", (/** @type {any} */ event) => {
    const { request } = event;
    const url = new URL(request.url);
    if (request.method !== "GET" || url.origin !== worker.location.origin || url.pathname.startsWith("/api/")) return;
    if (url.pathname.startsWith("/a/")) event.respondWith(kept(request));
    else if (request.mode === "navigate" && url.pathname === "/") event.respondWith(newest(request));
  });

  /** A file of a build never changes. @param {any} request */
  async function kept(request) {
    return (await caches.match(request)) ?? fetch(request);
  }

  /** The page of the machine if it answers, else the one that was kept. @param {any} request */
  async function newest(request) {
    try {
      return await fetch(request);
    } catch (err) {
      const page = await caches.match("/");
      if (page) return page;
      throw err;
    }
  }
})();
