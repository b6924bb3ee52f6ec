// SPDX-License-Identifier: Apache-2.0
// A small picture of the whole run: the activity of the workers, and the interval that the timeline
// shows. Drag the frame or one of its edges, or drag beside it for a new one; click: go there;
// double click: show all.
import { Surface, el, whilePressed } from "../dom.js";
import { gutterOf } from "./timeline_paint.js";
import { momentAt } from "../format.js";
import { TIME_KINDS } from "../states.js";

const EDGE = 5;  // pixels
const LEAST_NS = 100;
const CURSORS = { window: "grab", from: "ew-resize", to: "ew-resize", beside: "crosshair" };

export class Minimap {
  constructor(app) {
    this.app = app;
    this.surface = new Surface("What the workers did over the whole run", (c, w, h) => this.draw(c, w, h));
    this.element = el("div.minimap", {}, this.surface.canvas);
    app.store.subscribe(() => this.surface.refresh());
    this.listen();
  }

  get gutter() {
    return gutterOf(this.surface.width);
  }

  // The whole run, and the view if it extends beyond.
  get span() {
    const { home } = this.app.timeline;
    return { from: home.from, to: Math.max(home.to, home.from + 1) };
  }

  x(ns, width) {
    const { from, to } = this.span;
    const gutter = gutterOf(width);
    return gutter + ((ns - from) / (to - from)) * (width - gutter);
  }

  // The profile as a cached picture, which stays while the view moves.
  picture(width, height) {
    const { overview, theme } = this.app, { scale } = this.surface;
    const { from, to } = this.span;
    const key = [overview, theme.background, width, height, scale, from, to];
    if (!this.drawn || key.some((part, i) => part !== this.drawn.key[i])) {
      const canvas = el("canvas", { width: Math.round(width * scale), height: Math.round(height * scale) });
      const c = canvas.getContext("2d");
      c.scale(scale, scale);
      if (overview.profile) paintProfile(c, overview.profile, theme, (ns) => this.x(ns, width), 2, height - 4);
      this.drawn = { key, canvas };
    }
    return this.drawn.canvas;
  }

  draw(c, width, height) {
    const { profile, workers } = this.app.overview, { theme, store } = this.app;
    c.drawImage(this.picture(width, height), 0, 0, width, height);
    c.font = `11px ${theme.font}`;
    c.textAlign = "right";
    c.textBaseline = "middle";
    c.fillStyle = theme.faint;
    c.fillText("workers", this.gutter - 10, height / 2 - 6);
    c.fillText(`of ${profile ? profile.workers : workers}`, this.gutter - 10, height / 2 + 7);
    c.textAlign = "left";
    if (profile && profile.toNs <= profile.fromNs) c.fillText("no task ran, so no worker is measured", this.gutter + 10, height / 2);
    const { from, to } = store.state.view;
    const x0 = Math.max(this.gutter, this.x(from, width)), x1 = Math.min(width, this.x(to, width));
    c.fillStyle = theme.background;
    c.globalAlpha = 0.72;
    c.fillRect(this.gutter, 0, x0 - this.gutter, height);
    c.fillRect(x1, 0, width - x1, height);
    c.globalAlpha = 1;
    c.strokeStyle = theme.accent;
    c.lineWidth = 1.5;
    c.strokeRect(x0 + 0.75, 1, Math.max(2, x1 - x0 - 1.5), height - 2);
    this.drawStretch(c, width, height);
  }

  // The interval that is selected, or being drawn on the timeline.
  drawStretch(c, width, height) {
    const stretch = this.app.timeline.stretch();
    if (!stretch) return;
    const inside = (ns) => Math.max(this.gutter, Math.min(this.x(ns, width), width));
    const x0 = inside(stretch.from), wide = Math.max(2, inside(stretch.to) - x0);
    c.fillStyle = this.app.theme.accent;
    c.globalAlpha = 0.12;  // keeps the colours below recognizable
    c.fillRect(x0, 2, wide, height - 4);
    c.globalAlpha = 1;
    c.fillRect(x0, height - 6, wide, 4);
    for (const x of [x0, x0 + wide - 1.5]) c.fillRect(x, 2, 1.5, height - 4);
  }

  // True if the timeline shows the whole run.
  get isWhole() {
    const { view } = this.app.store.state, { from, to } = this.span;
    return view.from <= from && view.to >= to;
  }

  // The part that a drag from `time` moves: the "window", its edge "from" or "to", or "beside" for
  // a new one. A window too narrow for edges is moved from nearby.
  gripAt(time) {
    const { view } = this.app.store.state, { from, to } = this.span;
    const reach = (EDGE / Math.max(1, this.surface.width - this.gutter)) * (to - from), hasEdges = view.to - view.from > 4 * reach;
    if (this.isWhole) return "beside";
    if (hasEdges && Math.abs(time - view.from) < reach) return "from";
    if (hasEdges && Math.abs(time - view.to) < reach) return "to";
    const around = hasEdges ? 0 : reach;
    return time > view.from - around && time < view.to + around ? "window" : "beside";
  }

  listen() {
    const { canvas } = this.surface;
    const timeAt = (event) => {
      const box = canvas.getBoundingClientRect(), { from, to } = this.span;
      return from + ((event.clientX - box.left - this.gutter) / (box.width - this.gutter)) * (to - from);
    };
    canvas.addEventListener("pointerdown", (event) => {
      if (event.button !== 0) return;
      const time = timeAt(event), { view } = this.app.store.state, { timeline } = this.app, grip = this.gripAt(time);
      let moved = false;
      const move = (next) => {
        const now = timeAt(next);
        moved = moved || Math.abs(next.clientX - event.clientX) > EDGE / 2;
        if (!moved) return;
        if (grip === "window") timeline.show(view.from + now - time, view.to + now - time);
        else if (grip === "from") timeline.show(Math.min(now, view.to - LEAST_NS), view.to);
        else if (grip === "to") timeline.show(view.from, Math.max(now, view.from + LEAST_NS));
        else timeline.show(Math.min(now, time), Math.max(now, time, Math.min(now, time) + LEAST_NS));
      };
      const up = (last) => {
        const half = (view.to - view.from) / 2;
        if (!moved && grip === "beside" && last.type === "pointerup" && !this.isWhole) timeline.glide(time - half, time + half);
      };
      whilePressed(canvas, event, move, up);
    });
    canvas.addEventListener("pointermove", (event) => {
      if (event.buttons) return this.app.hideTip();
      const { profile } = this.app.overview, time = timeAt(event);
      canvas.style.cursor = CURSORS[this.gripAt(time)];
      if (time < this.span.from || time > this.span.to)
        return this.app.tip(event, "What the workers did over the whole run", ["drag to look at a stretch, or the frame to move it; double click for all of it"]);
      const pixelNs = (this.span.to - this.span.from) / (this.surface.width - this.gutter);
      if (!profile) return this.app.tip(event, `at ${momentAt(time, pixelNs)}`, ["what the workers did is being worked out"]);
      const bucket = Math.floor(((time - profile.fromNs) / (profile.toNs - profile.fromNs)) * (profile.shares[0]?.length ?? 0));
      const parts = TIME_KINDS.map(({ kind, label }) => [label, profile.shares[profile.kinds.indexOf(kind)]?.[bucket]])
        .filter(([, workers]) => workers > 0.005);
      if (!parts.length) return this.app.tip(event, `at ${momentAt(time, pixelNs)}`, ["no worker is measured here"]);
      this.app.tip(event, `at ${momentAt(time, pixelNs)}, of ${profile.workers} workers`,
                   parts.map(([label, workers]) => `${workers.toFixed(2)} ${label}`));
    });
    canvas.addEventListener("pointerleave", () => this.app.hideTip());
    canvas.addEventListener("dblclick", () => this.app.timeline.goHome());
  }
}

// Stacked areas, tasks at the bottom; the rest of the height is unmeasured time.
export function paintProfile(c, profile, theme, x, top, height) {
  const { fromNs, toNs, shares, kinds, workers } = profile;
  if (!shares.length || !workers) return;
  const buckets = shares[0].length, step = (toNs - fromNs) / buckets;
  const floor = new Float64Array(buckets);
  for (const { kind } of TIME_KINDS) {
    const row = shares[kinds.indexOf(kind)];
    if (!row) continue;
    c.fillStyle = theme.times[kind];
    c.beginPath();
    for (let i = 0; i < buckets; ++i) {
      const y = top + height * (1 - (floor[i] + row[i]) / workers);
      if (i === 0) c.moveTo(x(fromNs), y);
      c.lineTo(x(fromNs + i * step), y);
      c.lineTo(x(fromNs + (i + 1) * step), y);
    }
    for (let i = buckets - 1; i >= 0; --i) {
      const y = top + height * (1 - floor[i] / workers);
      c.lineTo(x(fromNs + (i + 1) * step), y);
      c.lineTo(x(fromNs + i * step), y);
      floor[i] += row[i];
    }
    c.closePath();
    c.fill();
  }
}
