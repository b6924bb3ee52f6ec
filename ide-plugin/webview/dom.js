// SPDX-License-Identifier: Apache-2.0
// Elements. Text of a trace gets into the page by way of textContent only, never as markup.

// Letters that nobody sees and that turn around what stands beside them: a name or a quoted line would read as what
// it is not.
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

// Long texts are cut for display; the whole stays in the title.
export function short(text, most = 60) {
  const value = seen(String(text));
  return value.length <= most ? value : value.slice(0, most - 1) + "…";
}

// Names are cut in their middle: those of one program often begin with the same letters.
export function shortName(name, most = 60) {
  const value = seen(String(name));
  return value.length <= most ? value : cutName(value, most - 1);
}

// As many letters of a name, half of them from its end.
export function cutName(name, letters) {
  const end = Math.floor(letters / 2);
  return `${name.slice(0, letters - end).trimEnd()}…${end ? name.slice(-end).trimStart() : ""}`;
}

const MOVING_MS = 100, LONGEST_FRAME_MS = 200;
const BUDGET_MS = 1;  // of a frame, for work that takes longer; its last step comes on top
let drawnAt = -Infinity;

// Whether pictures follow each other.
export const isMoving = () => performance.now() - drawnAt < MOVING_MS;

// After the next frame; a hidden page has none.
export function afterFrame() {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, LONGEST_FRAME_MS);
    requestAnimationFrame(() => {
      clearTimeout(timer);
      setTimeout(resolve);
    });
  });
}

// Lets frames be drawn while a longer work goes on: while something moves, one stretch of work a frame.
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

// Calls `work` when nothing else is to be done and nothing moves: it may take longer than a frame.
export function whenIdle(work) {
  const idle = globalThis.requestIdleCallback ?? ((later) => setTimeout(later, 20));
  idle(() => (isMoving() ? setTimeout(() => whenIdle(work), MOVING_MS) : work()));
}

// A canvas that has the resolution of the screen; calls draw() when its size changed.
export class Surface {
  constructor(label, draw) {
    this.canvas = el("canvas", { role: "img", "aria-label": label, tabindex: "0" });
    this.context = this.canvas.getContext("2d");
    this.width = this.height = 0;
    this.pending = false;
    this.draw = draw;  // (context, width, height); gives true when what it is there for was drawn
    this.mark = null;  // what is noted once that is on the screen, for measurements
    new ResizeObserver(() => this.resize()).observe(this.canvas);
    this.watchDensity();
  }

  // A window that goes to a screen of another density keeps its size, which is all that the observer sees.
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

  // Draws what is there once more, where nobody sees it: code that has run is faster when a move needs it. On
  // a canvas of one pixel, as painting all of them would keep a move that begins just then waiting.
  rehearse() {
    if (!this.width || !this.height) return;
    this.draw(el("canvas", { width: 1, height: 1 }).getContext("2d"), this.width, this.height);
  }

  // Draws once before the next frame, however often it is called.
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
