// The screen on the page: sized to the phone, scrolled by hand, with the rows
// before it on top.

import { Dialog } from "./dialog.js";
import { html } from "./html.js";
import { Icon } from "./icons.js";
import { words } from "./i18n/index.js";
import { sentence } from "./problem.js";
import { cellsIn, fillRow, fittingSize, Font, fontSize, readableFontPx, ScreenView, sideways } from "./screen.js";
import { prefer, preferences } from "./state.js";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "./vendor/preact-hooks.js";
import { effect, signal } from "./vendor/signals.js";

const minZoom = 0.6;
const maxZoom = 3;
/** Closer to the end than this counts as at the end. */
const endPx = 24;
/** How long changes of the screen are gathered before its scrollback is asked for news. */
const joinMs = 3_000;
/** The screen's own margin to the left and right together. */
const marginPx = 20;
/** A person who moved the screen by hand is left alone with it for this long. */
const handMs = 5_000;

/** @param {number} factor */
export function zoomBy(factor) {
  prefer({ zoom: clampZoom(preferences.value.zoom * factor) });
}

/** The size that a pane needs to fill the screen that is shown, at a readable type. */
export function screenCells() {
  const box = document.querySelector(".terminal");
  const root = box?.querySelector(".screen.live");
  if (!box || !root) return { cols: 80, rows: 24 };
  return cellsIn(box.clientWidth, box.clientHeight, new Font(getComputedStyle(root).fontFamily).cellRatio, preferences.value.zoom);
}

/** Brings a person to the end of the screen that is shown. */
export function lookAtEnd() {
  /** @type {HTMLElement | null} */
  const box = document.querySelector(".terminal");
  if (!box) return;
  box.scrollTop = box.scrollHeight;
  box.focus();
}

/** @param {number} zoom */
const clampZoom = (zoom) => Math.min(maxZoom, Math.max(minZoom, Math.round(zoom * 100) / 100));

/**
 * @param {object} props
 * @param {import("./session.js").PaneSession} props.session
 * @param {import("./scrollback.js").Scrollback} props.scrollback
 * @param {string} props.name
 */
export function Terminal({ session, scrollback, name }) {
  const d = words();
  /** @type {{current: HTMLElement | null}} */
  const scroller = useRef(null);
  /** @type {{current: HTMLElement | null}} */
  const live = useRef(null);
  /** @type {{current: HTMLElement | null}} */
  const past = useRef(null);
  const [atEnd, setAtEnd] = useState(true);
  const follows = useRef(true);
  const height = useRef(0);
  const pinched = useMemo(() => signal(0), []);
  const size = useMemo(() => signal(0), []);
  const small = useMemo(() => signal(false), []);
  const touched = useRef(0);
  const font = useRef(/** @type {Font | null} */ (null));

  const toEnd = () => {
    const box = scroller.current;
    if (box) box.scrollTop = box.scrollHeight;
  };

  useLayoutEffect(() => {
    const box = scroller.current;
    const root = live.current;
    if (!box || !root) return;
    font.current ??= new Font(getComputedStyle(root).fontFamily);
    const ratio = font.current.cellRatio;
    const view = new ScreenView(root, font.current);
    let column = -1;
    const unwatch = session.watch((frame) => {
      view.show(frame);
      if (!follows.current) return;
      toEnd();
      if (frame.cursor.col === column || Date.now() - touched.current < handMs) return;
      column = frame.cursor.col;
      const cell = ratio * size.value;
      box.scrollLeft = sideways(box.scrollLeft, box.clientWidth, marginPx / 2 + column * cell, cell);
    });
    const width = signal(box.clientWidth);
    const observer = new ResizeObserver(() => {
      width.value = box.clientWidth;
      height.current = box.clientHeight;
      if (follows.current) toEnd();
      else scrolled();
    });
    observer.observe(box);
    const unsize = effect(() => {
      const fitting = fittingSize(width.value - marginPx, session.cols.value, ratio);
      small.value = fitting < readableFontPx;
      size.value = fontSize(fitting, preferences.value.wide, pinched.value || preferences.value.zoom);
      box.style.setProperty("--screen-size", `${size.value}px`);
      if (follows.current) toEnd();
    });
    const unpinch = onPinch(box, () => preferences.value.zoom, pinched);
    return () => {
      unwatch();
      observer.disconnect();
      unsize();
      unpinch();
    };
  }, [session]);

  // The rows before the screen. What a person looks at stays in place.
  useEffect(() => {
    /** @type {readonly import("./types.js").Row[]} */
    let shown = [];
    return effect(() => {
      const rows = scrollback.rows.value;
      const box = scroller.current;
      const root = past.current;
      if (!box || !root || !font.current || rows === shown) return;
      const { current: letters } = font;
      /** @param {readonly import("./types.js").Row[]} some */
      const elements = (some) => some.map((row) => {
        const element = document.createElement("div");
        element.className = "row";
        fillRow(element, row, letters);
        return element;
      });
      const kept = shown[0] ? rows.indexOf(shown[0]) : -1;
      const fromEnd = box.scrollHeight - box.scrollTop;
      if (kept < 0) root.replaceChildren(...elements(rows));
      else {
        root.prepend(...elements(rows.slice(0, kept)));
        if (kept) box.scrollTop = box.scrollHeight - fromEnd;
        root.append(...elements(rows.slice(kept + shown.length)));
      }
      if (!shown.length) box.scrollTop = box.scrollHeight - fromEnd;
      if (follows.current) toEnd();
      shown = rows;
    });
  }, [scrollback]);

  // Rows that leave the screen join those before it, once a person has asked for any.
  useEffect(() => {
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    let timer;
    const unwatch = session.watch(() => {
      timer ??= setTimeout(() => {
        timer = undefined;
        scrollback.later();
      }, joinMs);
    });
    return () => {
      unwatch();
      clearTimeout(timer);
    };
  }, [session, scrollback]);

  const scrolled = () => {
    const box = scroller.current;
    if (!box) return;
    const resized = box.clientHeight !== height.current;
    if (resized && follows.current) return; // not by hand: the observer goes back to the end
    follows.current = box.scrollHeight - box.scrollTop - box.clientHeight < endPx;
    setAtEnd(follows.current);
  };

  // A program may write one address and link to another, so a person sees where a
  // link leads before it does.
  const [link, setLink] = useState("");
  /** @param {MouseEvent} event */
  const tapped = (event) => {
    const anchor = event.target instanceof HTMLElement ? event.target.closest("a") : null;
    if (!anchor) return;
    event.preventDefault();
    setLink(anchor.href);
  };
  const follow = () => {
    setLink("");
    window.open(link, "_blank", "noopener,noreferrer");
  };

  const byHand = () => {
    touched.current = Date.now();
  };

  const asked = scrollback.from.value !== null;
  const readable = preferences.value.wide === "scroll";
  return html`
    <div class="terminal-frame">
      <div class="terminal" ref=${scroller} tabindex="0" role="region" aria-label=${d.screenOf(name)} onScroll=${scrolled}
        onTouchMove=${byHand} onWheel=${byHand} onPointerDown=${byHand} onClick=${tapped}>
        <div class="earlier">
          ${scrollback.problem.value !== null && html`<p role="alert">${sentence(scrollback.problem.value)}</p>`}
          ${scrollback.more.value && session.phase.value !== "gone"
            ? html`<button class="quiet-button" disabled=${scrollback.loading.value} onClick=${() => scrollback.earlier()}>
                ${scrollback.loading.value ? d.loading : d.earlier}</button>`
            : asked && !scrollback.more.value && html`<span>${d.earliest}</span>`}
        </div>
        <div class="screen past" ref=${past}></div>
        <div class="screen live" ref=${live}></div>
      </div>
      ${small.value && html`
        <button class="sized" onClick=${() => prefer({ wide: readable ? "fit" : "scroll" })}>
          <${Icon} name=${readable ? "narrow" : "widen"} />${readable ? d.wholeWidth : d.readable}</button>
      `}
      ${link && html`
        <${Dialog} title=${d.followLink} action=${d.open} confirm=${follow} close=${() => setLink("")}>
          <p>${d.followBody}</p><p class="address">${link}</p>
        <//>
      `}
      ${!atEnd && html`
        <button class="to-end" aria-label=${d.toBottom} onClick=${() => { follows.current = true; toEnd(); }}><${Icon} name="down" /></button>
      `}
    </div>
  `;
}

/**
 * Two fingers change the size of the type; the size is kept when they lift.
 * @param {HTMLElement} box
 * @param {() => number} zoom
 * @param {import("./vendor/signals.js").Signal<number>} pinched the factor while it lasts, 0 otherwise
 * @returns {() => void} stops it
 */
function onPinch(box, zoom, pinched) {
  let begin = 0;
  let from = 1;
  /** @param {TouchEvent} event */
  const spread = ({ touches: [a, b] }) => (a && b ? Math.hypot(a.clientX - b.clientX, a.clientY - b.clientY) : 0);
  /** @param {TouchEvent} event */
  const start = (event) => {
    begin = event.touches.length === 2 ? spread(event) : 0;
    from = zoom();
  };
  /** @param {TouchEvent} event */
  const move = (event) => {
    if (!begin || event.touches.length !== 2) return;
    event.preventDefault();
    pinched.value = clampZoom((from * spread(event)) / begin);
  };
  const end = () => {
    if (begin && pinched.value) prefer({ zoom: pinched.value });
    begin = 0;
    pinched.value = 0;
  };
  box.addEventListener("touchstart", start, { passive: true });
  box.addEventListener("touchmove", move, { passive: false });
  box.addEventListener("touchend", end);
  box.addEventListener("touchcancel", end);
  return () => {
    box.removeEventListener("touchstart", start);
    box.removeEventListener("touchmove", move);
    box.removeEventListener("touchend", end);
    box.removeEventListener("touchcancel", end);
  };
}
