// SPDX-License-Identifier: Apache-2.0
// Creates elements. Text from a trace is only set through textContent, never as markup.

// Invisible characters and those that reverse the text direction: with them a name or a quoted line
// could be misread.
const UNSEEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;
export const seen = (text) => text.replace(UNSEEN, "\ufffd");
const shown = (children) => children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false)
  .map((child) => (typeof child === "string" ? seen(child) : child));

// el("button.primary", {title, onclick, "aria-label"}, "text", child, ...)
export function el(kind, attributes = {}, ...children) {
  const [tag, ...classes] = kind.split(".");
  const node = document.createElement(tag || "div");
  if (classes.length) node.className = classes.join(" ");
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (name === "style") for (const [key, v] of Object.entries(value)) node.style.setProperty(key, v);
    else node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...shown(children));
  return node;
}

export function replace(node, ...children) {
  node.replaceChildren(...shown(children));
}

// Cuts long texts for display; the title has the whole text.
export function short(text, most = 60) {
  const value = seen(String(text));
  return value.length <= most ? value : value.slice(0, most - 1) + "…";
}

// Cuts names in the middle, because the names of one program often begin alike.
export function shortName(name, most = 60) {
  const value = seen(String(name));
  return value.length <= most ? value : cutName(value, most - 1);
}

// `letters` characters of a name, half of them from its end.
export function cutName(name, letters) {
  const end = Math.floor(letters / 2);
  return `${name.slice(0, letters - end).trimEnd()}…${end ? name.slice(-end).trimStart() : ""}`;
}

// Where a pointer is, from the upper left corner of an element.
export function pointIn(element, { clientX, clientY }) {
  const { left, top } = element.getBoundingClientRect();
  return { x: clientX - left, y: clientY - top };
}

// Turns of a wheel in pixels, for deltaX and deltaY.
export const wheelUnit = (event) => (event.deltaMode === 1 ? 30 : 1);

// Follows the pointer that was pressed on an element: move(event) until it is released, then
// up(event), whose type says whether that was "pointerup" or "pointercancel".
export function whilePressed(element, { pointerId }, move, up = () => {}) {
  element.setPointerCapture(pointerId);
  const ending = new AbortController(), { signal } = ending;
  const end = (event) => {
    ending.abort();
    up(event);
  };
  element.addEventListener("pointermove", move, { signal });
  for (const kind of ["pointerup", "pointercancel"]) element.addEventListener(kind, end, { signal });
}

const MOVING_MS = 100, LONGEST_FRAME_MS = 200;
const BUDGET_MS = 1;  // per frame, for long work; its last step may exceed it
let drawnAt = -Infinity;

// True while pictures are drawn in quick succession.
export const isMoving = () => performance.now() - drawnAt < MOVING_MS;

// Resolves after the next frame; in a hidden page, which draws none, after LONGEST_FRAME_MS.
export function afterFrame() {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, LONGEST_FRAME_MS);
    requestAnimationFrame(() => {
      clearTimeout(timer);
      setTimeout(resolve);
    });
  });
}

// Lets frames be drawn during long work: while something moves, one slice of work a frame.
export class Breath {
  begun = performance.now();

  get isDue() {
    return performance.now() - this.begun > BUDGET_MS;
  }

  async take() {
    await (isMoving() ? afterFrame() : new Promise((resolve) => setTimeout(resolve)));
    this.begun = performance.now();
  }
}

// Calls `work`, which may take longer than a frame, when the page is idle and nothing moves.
export function whenIdle(work) {
  const idle = globalThis.requestIdleCallback ?? ((later) => setTimeout(later, 20));
  idle(() => (isMoving() ? setTimeout(() => whenIdle(work), MOVING_MS) : work()));
}

// A canvas with the resolution of the screen; calls draw() when its size changes.
export class Surface {
  constructor(label, draw) {
    this.canvas = el("canvas", { role: "img", "aria-label": label, tabindex: "0" });
    this.context = this.canvas.getContext("2d");
    this.width = this.height = 0;
    this.pending = false;
    this.draw = draw;  // (context, width, height); returns true when its contents were drawn
    this.mark = null;  // name of a performance mark to set once the contents are on the screen
    new ResizeObserver(() => this.resize()).observe(this.canvas);
    this.watchDensity();
  }

  // A window that moves to a screen of another density keeps its size, so the observer does not
  // notice.
  watchDensity() {
    const density = matchMedia(`(resolution: ${globalThis.devicePixelRatio || 1}dppx)`);
    density.addEventListener("change", () => {
      this.resize();
      this.watchDensity();
    }, { once: true });
  }

  resize() {
    const { clientWidth, clientHeight } = this.canvas;
    this.width = clientWidth;
    this.height = clientHeight;
    this.scale = globalThis.devicePixelRatio || 1;
    this.canvas.width = Math.round(clientWidth * this.scale);
    this.canvas.height = Math.round(clientHeight * this.scale);
    this.refresh();
  }

  // Draws invisibly once more: code that has run is faster when the user moves the view. The canvas
  // has one pixel, because painting all of them would delay a move that begins at this moment.
  rehearse() {
    if (!this.width || !this.height) return;
    this.draw(el("canvas", { width: 1, height: 1 }).getContext("2d"), this.width, this.height);
  }

  // Draws once before the next frame, however often this is called.
  refresh() {
    if (this.pending) return;
    this.pending = true;
    requestAnimationFrame(() => {
      this.pending = false;
      drawnAt = performance.now();
      if (!this.width || !this.height) return;
      this.context.setTransform(this.scale, 0, 0, this.scale, 0, 0);
      this.context.clearRect(0, 0, this.width, this.height);
      if (!this.draw(this.context, this.width, this.height) || !this.mark) return;
      const { mark } = this;
      this.mark = null;
      requestAnimationFrame(() => performance.mark(mark));
    });
  }
}
