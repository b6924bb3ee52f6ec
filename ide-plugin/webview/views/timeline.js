// SPDX-License-Identifier: Apache-2.0
// The timeline: the states of each row over time. Wheel: zoom around the pointer; drag: pan; drag
// on the axis: zoom into an interval; drag with Shift: select an interval; click: select; double
// click: go to the line.
import { legendColors } from "../colors.js";
import { Surface, el, pointIn, shortName, wheelUnit, whilePressed } from "../dom.js";
import { stateGroup } from "../states.js";
import { at, count, duration, momentAt, quantities, quantity } from "../format.js";
import { showsInternal, stretchOf } from "../store.js";
import { TimelineData, TimelineTail } from "./timeline_data.js";
import { mixText } from "./timeline_mix.js";
import { ScrollBar } from "./scroll_bar.js";
import { LANE_NAMES, arrowCounts, laneText, lanesOf, middles } from "./timeline_over.js";
import { AXIS, arrange, gutterOf, paintTimeline, reaches } from "./timeline_paint.js";

// Workers first: they show where the time went.
const KIND_ORDER = ["worker", "comm", "submitter", "thread", "driver", "memory_node", "scheduler"];
const SHORTEST_NS = 20;
const CLICK_PIXELS = 4, REACH_PIXELS = 3;

const valueText = (value, unit) => !value ? "no value here"
  : value.low < value.high ? quantities(value.low, value.high, unit) : quantity(value.high, unit);

// The mean, if there are several values.
const meanText = ({ low, high, mean } = {}, unit) => (low < high && mean !== undefined ? [`on average ${quantity(unit === "tasks" ? Math.round(mean) : mean, unit)}`] : []);

export class TimelineView {
  constructor(app) {
    this.app = app;
    this.surface = new Surface("Timeline: rows are workers, time runs to the right", (c, w, h) => this.draw(c, w, h));
    this.data = new TimelineData(app.host, () => app.store.state, () => this.onData(), (error) => app.say(error.message));
    this.surface.canvas.id = "timeline-rows";
    this.surface.mark = "tasklens.picture";
    this.bar = new ScrollBar(this);
    this.element = el("div.canvas", {}, this.surface.canvas, this.bar.element, this.bar.more);
    this.rows = null;
    this.readNs = 0;   // the end of the trace as it was read
    this.tail = null;  // activity of the workers since then, while the program runs
    this.pointer = null;
    this.drawn = null;  // the interval being dragged: {from, to, selects}
    this.listen();
    this.gliding = null;  // the current animation; any other move of the view ends it
    this.isGlideStep = false;
    app.store.subscribe((state, before, isStep) => {
      if (isStep || (state.view !== before.view && !this.isGlideStep)) this.gliding = null;
      this.surface.refresh();
    });
  }

  get gutter() {
    return gutterOf(this.surface.width);
  }

  get view() {
    return this.app.store.state.view;
  }

  // The scroll offset of the rows in pixels; limited, because the rows may have become fewer.
  get scroll() {
    return Math.max(0, Math.min(this.app.store.state.scroll, this.scrollMost));
  }

  get scrollMost() {
    return this.layout ? Math.max(0, this.layout.height - this.surface.height) : Infinity;
  }

  scrollTo(pixels, isPart = false) {
    const scroll = Math.round(Math.max(0, Math.min(pixels, this.scrollMost)));
    if (scroll !== this.app.store.state.scroll) this.app.store.set({ scroll }, isPart);
  }

  scrollBy(pixels) {
    this.scrollTo(this.scroll + pixels);
  }

  async load() {
    const { beginNs, endNs, durationNs } = this.app.overview, toNs = Math.max(1, durationNs);
    const answer = await this.data.host.request("tasklens/timeline", {
      fromNs: 0, toNs, pixels: 2000, counters: true, workerCounters: this.app.store.state.extras.includes("curves"), packed: true });
    performance.mark("tasklens.data");
    await this.data.unpack(answer);
    const before = this.texts;
    // The picture shows the trace as it was read up to here, and newer activity behind.
    this.readNs = durationNs;
    this.limits = { from: 0, to: toNs };
    this.home = endNs > beginNs ? { from: beginNs, to: endNs } : { ...this.limits };
    this.tail = this.app.isRunning && this.tail?.endNs > durationNs ? this.tail.after(durationNs).onRows(before.rows, answer.texts.rows) : null;
    this.makeRoomForTail();
    this.chooseRows(answer);
    this.data.take(answer);
  }

  // `progress`: the answer of tasklens/progress.
  setTail(progress) {
    const { view, home } = this, isWhole = view.from === home.from && view.to === home.to;
    this.tail = new TimelineTail(progress, this.groups.indexOf("task")).joinedTo(this.tail);
    this.makeRoomForTail();
    this.setRows([...this.rows, ...this.tail.layers.keys()]);
    if (isWhole) this.app.store.become({ ...this.app.store.state, view: this.home });
    this.surface.refresh();
  }

  makeRoomForTail() {
    if (!this.tail) return;
    this.limits.to = Math.max(this.limits.to, this.tail.endNs);
    this.home.to = Math.max(this.home.to, this.tail.endNs);
  }

  // The trace has grown. A view of the whole run grows with it; any other view stays.
  async reload() {
    const { view } = this, { home } = this;
    await this.load();
    this.data.stale = this.view.from !== home.from || this.view.to !== home.to || this.app.store.state.extras.length > 0;
    if (this.view.from === home.from && this.view.to === home.to && view === this.view)
      this.app.store.become({ ...this.app.store.state, view: this.home });
  }

  // The rows with any contents, workers first.
  chooseRows(answer) {
    const { texts } = answer;
    const isBusy = ({ layers }) =>
      layers.some((layer) => layer && layer.state.some((state) => texts.states[state] !== "Nothing"));
    this.texts = texts;
    this.busy = answer.rows.filter(isBusy).map(({ row }) => row);
    this.setRows(this.busy);
    this.groups = texts.states.map(stateGroup);
  }

  setRows(rows) {
    const kind = (row) => KIND_ORDER.indexOf(this.texts.rows[row].kind);
    this.rows = [...new Set(rows)].sort((a, b) => kind(a) - kind(b) || a - b);
  }

  onData() {
    if (this.data.texts) this.groups = this.data.texts.states.map(stateGroup);
    // Arrows and flags may begin on rows without states.
    const { arrows, flags } = this.data.answer;
    this.app.legend.refresh(this.data.answer.legend);
    this.setRows([...this.busy, ...(this.tail ? this.tail.layers.keys() : []), ...(arrows ? [...arrows.fromRow, ...arrows.toRow] : []), ...(flags ? flags.row : [])]);
    this.surface.refresh();
  }

  scene(width, height) {
    const { app, data } = this;
    this.layout = arrange(this.rows, data.counters, height, (row) => data.isOfRun(row), lanesOf(app.store.state));
    this.bar.refresh();
    return {
      width, height, gutter: gutterOf(width), view: this.view, layout: this.layout, scroll: this.scroll, theme: app.theme,
      answer: data.answer, tail: this.tail, texts: data.texts, groups: this.groups, paints: this.paints(), tailPaintsOf: ({ names }) => names.map((name) => app.colors.paint(name || "unknown")),
      internal: showsInternal(app.store.state), focus: app.focus, framed: app.selectedTask ?? app.selectedState, marked: app.selectedRow?.row,
      shown: app.selected?.kind === "states" ? this.texts.states.indexOf(app.selected.state) : -1,
      codelet: app.selected?.kind === "codelet" ? data.texts.names.indexOf(app.selected.codelet) : -1, ranks: app.overview.ranks,
      pointer: this.pointer, stretch: this.stretch(), hoverRow: this.hover?.row,
      // The value of a counter at the pointer.
      valueOf: this.pointer && this.pointer.x > this.gutter && data.answer
        ? (counter) => valueText(data.valueAt(counter, this.timeAt(this.pointer.x)), counter.unit) : null,
    };
  }

  // The paints of tasks, by the number of their name or by their entry of the legend.
  paints() {
    const { answer, texts } = this.data, { colors, theme } = this.app, key = [answer, texts, colors, theme.background];
    if (!this.painted || key.some((part, i) => part !== this.painted.key[i])) {
      const { legend } = answer, isByName = !legend || legend.by === "codelet";
      this.painted = { key, isByName, none: { color: theme.mixed, stripes: 0 },
                       byName: isByName ? texts.names.map((name) => colors.paint(name || "unknown")) : null,
                       byEntry: isByName ? null : legendColors(legend, theme) };
    }
    return this.painted;
  }

  draw(c, width, height) {
    if (!this.rows) return false;
    this.data.want(this.view, Math.max(50, width - this.gutter));
    if (!this.data.answer) return false;
    paintTimeline(c, this.scene(width, height));
    this.followPointer();
    return true;
  }

  timeAt(x) {
    const { from, to } = this.view;
    return from + ((x - this.gutter) / (this.surface.width - this.gutter)) * (to - from);
  }

  // Zooms and keeps the position of `x`. factor < 1: closer.
  zoom(factor, x = (this.gutter + this.surface.width) / 2) {
    const { from, to } = this.view;
    const anchor = this.timeAt(Math.max(this.gutter, x));
    const span = Math.max(SHORTEST_NS, Math.min((to - from) * factor, (this.limits.to - this.limits.from) * 1.2));
    const share = (anchor - from) / (to - from);
    this.show(anchor - share * span, anchor + (1 - share) * span);
  }

  pan(share) {
    const { from, to } = this.view;
    this.show(from + (to - from) * share, to + (to - from) * share);
  }

  // Shows [from, to], moved if necessary so that some of the run stays in view. `change`: further
  // changes of the state; `isPart`: part of the step before.
  show(from, to, change = {}, isPart = false) {
    const span = to - from, slack = span * 0.1;
    const low = this.limits.from - slack, high = this.limits.to + slack;
    if (from < low) from = low;
    if (from + span > high) from = Math.max(low, high - span);
    this.app.store.set({ view: { from, to: from + span }, ...change }, isPart);
  }

  // The interval that is drawn with the pointer, or the selected one: {from, to, selects}; null:
  // none.
  stretch() {
    const selected = stretchOf(this.app.store.state);
    return this.drawn ?? (selected && { from: selected.fromNs, to: selected.toNs, selects: true });
  }

  // Zooms to the interval, with its edges in view.
  showStretch({ fromNs, toNs }) {
    const margin = Math.max(1, (toNs - fromNs) * 0.04);
    this.glide(fromNs - margin, toNs + margin);
  }

  // Selects the interval between two moments, in whole nanoseconds of the run.
  selectStretch(one, other) {
    const inside = (ns) => Math.round(Math.max(this.limits.from, Math.min(ns, this.limits.to)));
    const fromNs = inside(Math.min(one, other)), toNs = inside(Math.max(one, other));
    if (fromNs < toNs) this.app.select({ fromNs, toNs });
  }

  // Moves there in an animation that the eye can follow.
  glide(from, to, isPart = false) {
    if (matchMedia("(prefers-reduced-motion: reduce)").matches) return this.show(from, to, {}, isPart);
    const start = this.view, begun = performance.now(), LENGTH = 220;
    const me = this.gliding = {};
    const show = (left, right) => {
      this.isGlideStep = true;
      this.show(left, right, {}, isPart);
      this.isGlideStep = false;
    };
    const step = (now) => {
      if (this.gliding !== me) return;
      const t = Math.min(1, (now - begun) / LENGTH), ease = 1 - (1 - t) ** 3;
      // Interpolated in the logarithm of the span, so that the zoom looks even.
      const s0 = start.to - start.from, s1 = to - from;
      const span = s0 * (s1 / s0) ** ease;
      const share = Math.abs(s1 - s0) < 1e-6 * s0 ? ease : (s0 - span) / (s0 - s1);
      const left = start.from + (from - start.from) * share;
      if (t < 1) {
        show(left, left + span);
        requestAnimationFrame(step);
      } else {
        show(from, to);
        this.gliding = null;
      }
    };
    requestAnimationFrame(step);
  }

  // The interval of a row without tasks around a moment, within the measured time; see
  // TimelineData.
  gapAt(selection) {
    const isInternalMeant = showsInternal(this.app.store.state);
    return this.data.gapAt(selection, { fromNs: this.home.from, toNs: this.home.to }, (task, isInternal) => !isInternal || isInternalMeant);
  }

  goHome() {
    this.glide(this.home.from, this.home.to);
  }

  // Scrolls to a task without changing the zoom, unless the task would be at most a pixel wide.
  reveal(task, isPart = false) {
    if (!task || task.startNs === null) return;
    const end = task.endNs ?? task.startNs, length = Math.max(1, end - task.startNs);
    const { from, to } = this.view, span = to - from;
    const pixels = (length / span) * (this.surface.width - this.gutter);
    this.revealRow(task.row, isPart);
    if (task.startNs >= from && end <= to && pixels >= 3) return this.surface.refresh();
    const wide = pixels < 3 ? length * 40 : Math.max(span, length * 1.4);
    // No further than the measured run.
    const first = Math.min(this.home.from, task.startNs), last = Math.max(this.home.to, end), middle = task.startNs + length / 2;
    if (wide >= last - first) return this.glide(first, last, isPart);
    const left = Math.max(first, Math.min(middle - wide / 2, last - wide));
    this.glide(left, left + wide, isPart);
  }

  // Scrolls as little as possible.
  revealRow(row, isPart = false) {
    const place = this.layout?.places.find((one) => one.row === row);
    if (!place) return;
    const top = place.y - AXIS - 8, bottom = place.y + place.height + 8 - this.surface.height;
    this.scrollTo(Math.max(bottom, Math.min(this.scroll, top)), isPart);
  }

  // The row whose name or picture is at this height; undefined: none.
  placeAt(y) {
    const at = y + this.scroll;
    return y < AXIS ? undefined : this.layout?.places.find((one) => at >= one.y - 2 && at < one.y + one.height + 2);
  }

  hit(x, y) {
    if (x < this.gutter || y < AXIS || !this.layout || !this.data.answer) return null;
    const at = y + this.scroll, place = this.placeAt(y);
    if (!place) return null;
    const time = this.timeAt(x), { pixelNs } = this;
    const above = Math.max(0, Math.min(place.y + place.height - at, place.height - 1));
    const isUnder = (layer, i, depth) => reaches({ groups: this.groups, internal: showsInternal(this.app.store.state) }, layer, i, depth, place.height, above);
    const isOfRow = (layer, i, depth) => depth === 0;
    // Newer activity is drawn over a pixel that also has older states.
    const newer = this.tail && time >= this.tail.fromNs && this.tail.sliceAt(place.row, time, pixelNs / 2);
    if (newer) return newer;
    // For a mixed pixel, the most important state of the row.
    const shared = this.data.mixAt(place.row, time), telling = shared?.mixed.depth[shared.place] === 0 && this.data.sliceAt(place.row, time, pixelNs / 2, isOfRow);
    if (telling) return telling;
    // Tries the slice painted there, which is at least a pixel wide; then one nearby; then any
    // state of the row.
    for (const [reach, isMeant] of [[pixelNs / 2, isUnder], [REACH_PIXELS * pixelNs, isUnder], [REACH_PIXELS * pixelNs, isOfRow]]) {
      const slice = this.data.sliceAt(place.row, time, reach, isMeant) || this.tail?.sliceAt(place.row, time, reach);
      if (slice) return slice;
    }
    return { row: place.row, empty: true };
  }

  // The text of the moment at `x`.
  momentAt(x) {
    return momentAt(this.timeAt(x), this.pixelNs);
  }

  get pixelNs() {
    return (this.view.to - this.view.from) / (this.surface.width - this.gutter);
  }

  listen() {
    const { canvas } = this.surface;
    const at = (event) => pointIn(canvas, event);
    canvas.addEventListener("wheel", (event) => {
      const { x } = at(event);
      const unit = wheelUnit(event), isBeside = x < this.gutter;
      // At the last row in that direction, the page scrolls instead.
      if (isBeside && this.scroll === (event.deltaY > 0 ? Math.round(this.scrollMost) : 0)) return;
      event.preventDefault();
      this.gliding = null;
      if (isBeside) this.scrollBy(event.deltaY * unit);
      else if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY))
        this.pan(((event.deltaX || event.deltaY) * unit) / this.surface.width);
      else this.zoom(Math.exp(Math.max(-300, Math.min(300, event.deltaY * unit)) * 0.0022), x);
      this.surface.refresh();
    }, { passive: false });
    canvas.addEventListener("pointerdown", (event) => {
      if (event.button === 0) this.press(event);
    });
    canvas.addEventListener("pointermove", (event) => {
      this.pointer = at(event);
      if (!event.buttons) this.onHover(event);
      this.surface.refresh();
    });
    canvas.addEventListener("pointerleave", () => {
      this.pointer = this.hover = this.hovered = null;
      this.app.hideTip();
      this.surface.refresh();
    });
    // As in ViTE.
    canvas.addEventListener("contextmenu", (event) => {
      event.preventDefault();
      this.app.store.undo();
    });
    canvas.addEventListener("dblclick", (event) => {
      const hit = this.hit(at(event).x, at(event).y);
      if (hit && hit.task >= 0) this.app.openSource({ task: hit.task });
    });
  }

  // Dragging moves the view. On the axis it draws the interval to zoom to; with Shift, that to select.
  press(event) {
    this.gliding = null;
    const { canvas } = this.surface;
    const start = pointIn(canvas, event);
    const zooms = start.y < AXIS, selects = event.shiftKey && !zooms;
    const view = this.view, scroll = this.scroll, time = this.timeAt(start.x);
    let moved = false;
    const move = (next) => {
      const { x, y } = pointIn(canvas, next);
      moved = moved || Math.hypot(x - start.x, y - start.y) > CLICK_PIXELS;
      if (!moved) return;
      this.app.hideTip();
      this.hovered = null;
      if (zooms || selects) {
        const now = this.timeAt(Math.max(this.gutter, x));
        this.drawn = { from: Math.min(time, now), to: Math.max(time, now), selects };
        this.app.minimap.surface.refresh();
      } else {
        const shift = ((start.x - x) / (this.surface.width - this.gutter)) * (view.to - view.from);
        const rows = Math.round(Math.max(0, Math.min(scroll + start.y - y, this.scrollMost)));
        this.show(view.from + shift, view.to + shift, { scroll: rows });
      }
      this.surface.refresh();
    };
    const up = (last) => {
      const { drawn } = this;
      this.drawn = null;
      if (drawn?.selects) this.selectStretch(drawn.from, drawn.to);
      else if (drawn && drawn.to - drawn.from > SHORTEST_NS) this.glide(drawn.from, drawn.to);
      else if (!moved && last.type === "pointerup") this.click(start).catch((error) => this.app.say(error.message));
      this.surface.refresh();
      this.app.minimap.surface.refresh();
    };
    whilePressed(canvas, event, move, up);
  }

  async click({ x, y }) {
    const named = x < this.gutter ? this.placeAt(y) : undefined;
    if (named) return this.app.toggleRow(named.row);
    const hit = this.hit(x, y);
    if (!hit || hit.empty || hit.isNew) return this.app.select(null);
    if (hit.task >= 0) return this.app.select({ task: hit.task });
    this.app.select({ row: hit.row, atNs: await this.data.momentOf(hit), depth: hit.depth });
  }

  // The part of the picture that lanes need.
  get window() {
    const { width } = this.surface;
    return { answer: this.data.answer, view: this.view, width, gutter: gutterOf(width) };
  }

  // The lane above the rows at this height; undefined: none.
  laneAt(y) {
    const at = y + this.scroll;
    return y < AXIS ? undefined : this.layout?.lanes.find((one) => at >= one.y - 1 && at < one.y + one.height + 2);
  }

  // The counter under the pointer, with its value.
  counterAt(x, y) {
    const place = x > this.gutter && this.layout?.counters.find((one) => y + this.scroll >= one.y && y + this.scroll < one.y + one.height);
    if (!place) return null;
    return { counter: place.counter, value: this.data.valueAt(place.counter, this.timeAt(x)) };
  }

  // The flag near the pointer, as lines of a tip.
  flagAt(x, y) {
    const { flags, fromNs } = this.data.answer || {};
    const place = flags && this.layout?.places.find((one) => y + this.scroll >= one.y - 2 && y + this.scroll < one.y + one.height + 2);
    if (!place || x < this.gutter) return null;
    let best = -1, least = REACH_PIXELS + 1;
    for (let i = 0; i < flags.row.length; ++i) {
      const away = Math.abs(this.xOf(fromNs + flags.at[i]) - x);
      if (flags.row[i] === place.row && away < least) [best, least] = [i, away];
    }
    if (best < 0) return null;
    const lines = [`at ${at(fromNs + flags.at[best], this.pixelNs * 100)}`];
    if (flags.count[best] > 1) lines.push(`the first of ${flags.count[best]} here`);
    return { text: flags.texts[flags.text[best]], lines };
  }

  // A line of a tip for the arrow near the pointer; null: there is none.
  arrowAt(x, y) {
    const { arrows, fromNs } = this.data.answer || {};
    if (!arrows || !this.layout || x < this.gutter) return null;
    const top = y + this.scroll, middle = middles(this.layout), counts = arrowCounts(this.window);
    let best = -1, least = REACH_PIXELS + 1;
    for (let i = 0; i < arrows.kind.length; ++i) {
      if (counts.get(arrows.kinds[arrows.kind[i]]).isDense) continue;
      const y0 = middle.get(arrows.fromRow[i]), y1 = middle.get(arrows.toRow[i]);
      if (y0 === undefined || y1 === undefined || top < Math.min(y0, y1) - least || top > Math.max(y0, y1) + least) continue;
      const x0 = this.xOf(fromNs + arrows.from[i]), x1 = this.xOf(fromNs + arrows.to[i]);
      const length = (x1 - x0) ** 2 + (y1 - y0) ** 2 || 1, part = Math.max(0, Math.min(1, ((x - x0) * (x1 - x0) + (top - y0) * (y1 - y0)) / length));
      const away = Math.hypot(x0 + part * (x1 - x0) - x, y0 + part * (y1 - y0) - top);
      if (away < least) [best, least] = [i, away];
    }
    if (best < 0) return null;
    const name = (row) => this.nameOfRow(row), many = arrows.count[best], lengthNs = Math.abs(arrows.to[best] - arrows.from[best]);
    return `${arrows.kinds[arrows.kind[best]]}${many > 1 ? `, the longest of ${count(many)} that begin here` : ""}: from ${name(arrows.fromRow[best])} at ${at(fromNs + arrows.from[best], lengthNs)} ` +
      `to ${name(arrows.toRow[best])} at ${at(fromNs + arrows.to[best], lengthNs)}`;
  }

  // The mixed pixel under the pointer; null: there is none.
  mixUnder(hit, row, arrow) {
    const shared = this.data.mixAt(hit.row, this.timeAt(this.pointer.x));
    if (!shared || shared.mixed.depth[shared.place] > hit.depth) return null;
    const { mixed, place } = shared, { title, lines } = mixText(mixed, place, this.data.texts.states, this.groups, this.data.texts.names);
    const longest = hit.task >= 0 && mixed.tasks[place] > 1 ? `the longest task: ${shortName(hit.name ?? "unknown", 60)}` : hit.task >= 0 && hit.name;
    return { title, lines: [...lines, ...(longest ? [longest] : []), `on ${row.name}, from ${at(this.data.answer.fromNs + mixed.start[place], mixed.end[place] - mixed.start[place])}`,
      ...(hit.isLeast ? ["this page keeps no more of them"] : mixed.count[place] > 1 ? ["zoom in to see them one by one"] : []), ...(arrow ? [arrow] : [])] };
  }

  nameOfRow(row) {
    const { name, rank } = this.data.texts.rows[row];
    return this.app.overview.ranks > 1 ? `${rank}: ${name}` : name;
  }

  xOf(ns) {
    const { from, to } = this.view;
    return this.gutter + ((ns - from) / (to - from)) * (this.surface.width - this.gutter);
  }

  // The full text for the axis and the names of rows and counters.
  marginTip(event) {
    const { x, y } = this.pointer, top = y + this.scroll;
    const beside = () => this.app.tip(event, "Timeline", ["rows, and curves beneath them; time runs to the right"]);
    if (y < AXIS) return x < this.gutter ? beside() : this.app.tip(event, this.momentAt(x), ["after the first submission; drag to zoom into a stretch, or over the rows with Shift to select one"]);
    const isAt = (place) => top >= place.y - 2 && top < place.y + place.height + 2;
    const row = this.placeAt(y), curve = this.layout?.counters.find(isAt), lane = this.laneAt(y);
    if (lane) return this.app.tip(event, LANE_NAMES[lane.key], ["how much of it there is, column by column"]);
    if (!row && !curve) return beside();
    const { name, kind, rank } = this.data.texts.rows[row ? row.row : curve.counter.row];
    const where = [kind !== name && kind.replace("_", " "), this.app.overview.ranks > 1 && `${this.app.overview.rankWord} ${rank}`].filter(Boolean).join(", ");
    if (row) return this.app.tip(event, name, [...(where ? [where] : []), "a click selects the row"]);
    const { counter } = curve;
    this.app.tip(event, counter.name, [`of ${name}${where && ` (${where})`}`, `from ${quantities(counter.min, counter.max, counter.unit)}`]);
  }

  // Updates the tip below a resting pointer when the view moves or an answer arrives.
  followPointer() {
    const { view, scroll, hovered, tail } = this, { answer } = this.data;
    const seen = [view, scroll, answer, tail, this.surface.height];
    if (!hovered || hovered.seen.every((part, i) => part === seen[i])) return;
    hovered.seen = seen;
    this.onHover(hovered.at);
  }

  onHover(event) {
    const { view, scroll, tail } = this;
    this.hovered = { at: { clientX: event.clientX, clientY: event.clientY }, seen: [view, scroll, this.data.answer, tail, this.surface.height] };
    if (this.pointer.x < this.gutter || this.pointer.y < AXIS) {
      this.hover = null;
      return this.marginTip(event);
    }
    const lane = this.laneAt(this.pointer.y), said = lane && laneText(this.window, lane.key, this.pointer.x);
    if (said) {
      this.hover = null;
      return this.app.tip(event, said.title, [...said.lines, `at ${this.momentAt(this.pointer.x)}`]);
    }
    const hit = this.hit(this.pointer.x, this.pointer.y), arrow = this.arrowAt(this.pointer.x, this.pointer.y);
    this.hover = hit;
    const flag = this.flagAt(this.pointer.x, this.pointer.y);
    if (flag) return this.app.tip(event, flag.text, flag.lines);
    if (!hit) {
      const hovered = this.counterAt(this.pointer.x, this.pointer.y);
      if (!hovered) return this.app.tip(event, this.momentAt(this.pointer.x), ["after the first submission", ...(arrow ? [arrow] : [])]);
      return this.app.tip(event, hovered.counter.name, [valueText(hovered.value, hovered.counter.unit), ...meanText(hovered.value ?? undefined, hovered.counter.unit),
                                                        `at ${this.momentAt(this.pointer.x)}`, ...(arrow ? [arrow] : [])]);
    }
    const row = this.data.texts.rows[hit.row];
    if (hit.empty)
      return this.app.tip(event, row.name, ["nothing recorded here", `at ${this.momentAt(this.pointer.x)}`, ...(arrow ? [arrow] : [])]);
    const shared = hit.isNew ? null : this.mixUnder(hit, row, arrow);
    if (shared) return this.app.tip(event, shared.title, shared.lines, null);
    const lines = [
      hit.isNew ? `${hit.count > 1 ? `the longest of ${hit.count} here` : duration(hit.endNs - hit.startNs)}; more is known soon` : hit.count > 1
        ? `the most telling of ${hit.count} here; ${hit.isLeast ? "this page keeps no more of them" : "zoom in to see the others"}`
        : `${hit.isCut ? "at least " : ""}${duration(hit.endNs - hit.startNs)}, from ${at(hit.startNs, hit.endNs - hit.startNs)}`,
      ...(hit.expectedEndNs ? [`expected to end at ${at(hit.expectedEndNs, hit.endNs - hit.startNs)}`] : []),
      `on ${row.name}`,
      ...(hit.isInternal ? ["one of the runtime's own tasks"] : []),
      ...(this.app.isOnPath?.(hit.task) ? ["on the critical path"] : []),
      ...(arrow ? [arrow] : []),
    ];
    this.app.tip(event, hit.name ?? hit.state, lines, hit.task >= 0 ? hit.task : null);
  }
}
