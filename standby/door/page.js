"use strict";
(() => {
  // The phone's token comes in the fragment, which no server sees. It leaves the
  // address bar before anything else is done.
  const handed = /^#token=([\w-]+)$/.exec(location.hash);
  history.replaceState(null, "", location.pathname);
  const token = handed ? handed[1] : "";

  const at = (name) => document.getElementById(name);
  const button = at("take");
  const report = at("report");
  let alone = false;

  const say = (text) => {
    report.textContent = text;
    report.hidden = text === "";
  };

  const tap = async () => {
    button.disabled = true;
    say("Asking the lead, and the other machines about it…");
    let answer, body;
    try {
      answer = await fetch("/standby/takeover", {
        method: "POST",
        headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
        body: JSON.stringify({ alone }),
        cache: "no-store",
        referrerPolicy: "no-referrer",
      });
      body = await answer.json();
    } catch {
      say("No answer came. Tap again: what was begun goes on, and is not begun twice.");
      button.disabled = false;
      return;
    }
    if (answer.ok && /^https?:\/\//.test(body.url)) {
      say("This machine leads now. Collie opens.");
      location.replace(`${body.url.replace(/\/$/, "")}/#token=${token}`);
      return;
    }
    const more = typeof body.detail === "string" && body.detail ? ` ${body.detail}` : "";
    say(`${body.error ?? "That did not work."}${more}`);
    if (body.code === "no_witness") {
      alone = true;
      button.textContent = button.dataset.alone;
    }
    button.disabled = false;
  };

  if (button) {
    if (token) {
      button.disabled = false;
      button.addEventListener("click", tap);
    } else {
      at("keyless").hidden = false;
    }
    return;
  }
  const go = at("go");
  if (go) {
    if (token) go.addEventListener("click", (event) => {
      event.preventDefault();
      location.replace(`${go.href.replace(/\/$/, "")}/#token=${token}`);
    });
    return;
  }
  // Closed: look again until it opens, and then show the page anew.
  const look = async () => {
    const health = await fetch("/standby/health", { cache: "no-store" }).catch(() => null);
    if (health && health.ok) {
      if (token) history.replaceState(null, "", `${location.pathname}#token=${token}`);
      location.reload();
      return;
    }
    setTimeout(look, 3000);
  };
  setTimeout(look, 3000);
})();
