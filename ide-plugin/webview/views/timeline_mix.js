// SPDX-License-Identifier: Apache-2.0
// Pixels of the timeline with several states: their contents as a stack and in words.
//
// The height of each kind (if tasks are coloured by codelet: of each codelet) is its share of the
// time, multiplied by the height of a single state of that kind. So a row has the same amount of
// each colour at every zoom: a worker that runs tasks for 2 % of the time is painted for 2 %. Every
// kind that occurs is at least a hairline high, and dots below the row mark mixed pixels.
import { firstAbove, firstAtLeast } from "../data/columns.js";
import { shortName } from "../dom.js";
import { counted, duration, share } from "../format.js";

// The stacking order, from the bottom. Idleness is a line at the bottom.
const STACK = ["task", "runtime", "scheduler", "transfer", "memory"];
const LEAST_COVER = 0.02;  // of a pixel: less is a rounding error
const TRACE = 1e-9;        // the share of a state without length
const ROUNDING = 1e-3;     // columns: a smaller overlap is a rounding error
const DOTS = 4;            // pixels between dots
const MOST_NAMED = 4;      // codelets named for a pixel

// The index of the mixed pixel at `at` (from the answer's beginning); -1: there is none.
export function mixAt(mixed, at) {
  if (!mixed) return -1;
  const { start, end } = mixed;
  const place = firstAbove(end, at);
  return place < start.length && start[place] <= at ? place : -1;
}

// Describes a mixed pixel: {title: "212 states in 22 ms", lines: ["Sleeping 95 %, 20.9 ms", ...]},
// the longest first; tasks of several codelets are followed by "of them gemm 3.1 %, ...". `states`,
// `names`: texts of states and codelets; `groups`: by state, how it is painted.
export function mixText(mixed, place, states, groups, names) {
  const lengthNs = mixed.end[place] - mixed.start[place], times = new Map(), codelets = new Map();
  let tasksNs = 0;
  for (const { state, internal, name = -1, ns } of mixed.kinds) {
    const isTask = groups[state] === "task" && !internal, label = internal ? "the runtime's own tasks" : states[state];
    if (!(ns[place] > 0)) continue;
    if (isTask) codelets.set(name, (codelets.get(name) ?? 0) + ns[place]);
    if (isTask) tasksNs += ns[place];
    else times.set(label, (times.get(label) ?? 0) + ns[place]);
  }
  const percent = (ns) => (ns > 0 && ns < 0.0005 * lengthNs ? "< 0.1 %" : share(ns / lengthNs));
  const parts = [...times].map(([name, ns]) => [ns, name]), tasks = mixed.tasks[place] > 0 ? [tasksNs, counted(mixed.tasks[place], "task")] : null;
  if (tasks) parts.push(tasks);
  parts.sort((a, b) => b[0] - a[0]);
  const lines = parts.map(([ns, name]) => `${name} ${percent(ns)}, ${duration(ns)}`);
  if (tasks && codelets.size > 1) {
    const longest = [...codelets].sort((a, b) => b[1] - a[1]), rest = longest.splice(MOST_NAMED), restNs = rest.reduce((sum, [, ns]) => sum + ns, 0);
    const named = longest.map(([name, ns]) => `${name < 0 ? "others" : shortName(names[name] || "unknown", 30)} ${percent(ns)}`);
    lines.splice(parts.indexOf(tasks) + 1, 0, `of them ${[...named, ...(rest.length ? [`${counted(rest.length, "more codelet")} ${percent(restNs)}`] : [])].join(", ")}`);
  }
  return { title: `${mixed.isAbout && mixed.count[place] > 1 ? "about " : ""}${counted(mixed.count[place], "state")} in ${duration(lengthNs)}`,
           lines };
}

// The time of a row of an answer in each state before `lengthNs`: pairs of state and time, the
// longest first.
export function timesIn({ layers, mixed }, lengthNs) {
  const times = new Map(), taken = [];
  const add = (state, ns) => ns > 0 && times.set(state, (times.get(state) ?? 0) + ns);
  for (let place = 0; place < (mixed?.start.length ?? 0); ++place) {
    const from = Math.max(0, mixed.start[place]), to = Math.min(lengthNs, mixed.end[place]);
    if (from >= to) continue;
    for (const { state, ns } of mixed.kinds) add(state, (ns[place] * (to - from)) / (mixed.end[place] - mixed.start[place]));
    taken.push([from, to]);
  }
  // A deeper state hides the states below.
  for (let depth = layers.length - 1; depth >= 0; --depth) {
    const layer = layers[depth], isHeld = heldBy(mixed, depth);
    for (let i = 0; i < (layer?.start.length ?? 0); ++i) {
      if (isHeld(layer.start[i], layer.end[i], layer.count[i])) continue;
      let parts = [[Math.max(0, layer.start[i]), Math.min(lengthNs, layer.end[i])]];
      for (const [from, to] of taken) parts = parts.flatMap(([begin, end]) => [[begin, Math.min(end, from)], [Math.max(begin, to), end]]).filter(([begin, end]) => begin < end);
      for (const part of parts) add(layer.state[i], part[1] - part[0]);
      taken.push(...parts.filter(([begin, end]) => begin < end));
    }
  }
  return [...times].sort((a, b) => b[1] - a[1]);
}

// True if a mixed pixel covers a slice of a layer. REQUIRES: calls from left to right.
export function heldBy(mixed, depth) {
  let at = 0;
  return (start, end, count) => {
    if (!mixed) return false;
    if (count > 1) return true;
    while (at < mixed.end.length && mixed.end[at] <= start) ++at;
    return at < mixed.end.length && mixed.start[at] <= start && end <= mixed.end[at] && mixed.depth[at] <= depth;
  };
}

// Computes the contents of each column of a row, `width` columns; null: no mixed pixel is in view.
// `scale`, `origin`: convert nanoseconds of the answer to columns. `kindOf(state, internal, name)`:
// {group, isShown, name: a number, for tasks that are distinguished by name; else -1}.
//
// Returns `cover` (the part of a column that mixed pixels of depth 0 cover), `parts` (in these
// columns: {group, isShown, name, values by column}), `lanes` (the same for states on one long
// state), `task` (by column: the source of most of its tasks: the index of a mixed pixel, or -2 - i
// for slice i of the lowest layer; -1: there is none).
export function mixRow({ mixed, layers }, { scale, origin, width }, kindOf) {
  if (!mixed) return null;
  const { start, end, depth, tasks, kinds } = mixed;
  const first = firstAtLeast(end, -origin / scale), last = firstAtLeast(start, (width - origin) / scale);
  if (first >= last) return null;
  const cover = new Float32Array(width), task = new Int32Array(width).fill(-1), most = new Float32Array(width);
  const parts = [], lanes = [];
  const partOf = (list, { group, isShown, name }) => {
    let part = list.find((one) => one.group === group && one.isShown === isShown && one.name === name);
    if (!part) list.push((part = { group, isShown, name, values: new Float32Array(width) }));
    return part;
  };
  const of = kinds.map(({ state, internal, name = -1, ns }) => ({ ...kindOf(state, internal, name), ns }));
  const values = of.map((one) => partOf(parts, one).values), isTask = of.map(({ group }) => group === "task");
  const aTask = { group: "task", isShown: of.find(({ group }) => group === "task")?.isShown ?? false, name: -1 };
  const lowest = layers[0], below = alongSlices(lowest);
  // Runs in every frame, for each pixel of each row.
  for (let place = first; place < last; ++place) {
    const x0 = origin + start[place] * scale, x1 = origin + end[place] * scale, length = end[place] - start[place];
    const from = Math.max(0, Math.floor(x0 + ROUNDING)), to = Math.min(width, Math.ceil(x1 - ROUNDING));
    let lane = null, ofTasks = 0;
    if (depth[place] > 0) {
      const i = below(start[place]), beneath = i < 0 ? null : kindOf(lowest.state[i], Boolean(lowest.internal?.[i]), lowest.name[i]);
      lane = of.map((one) => (!(one.ns[place] > 0) || one.group === beneath?.group || one.group === "idle" ? null : partOf(lanes, one).values));
    } else {
      for (let k = 0; k < of.length; ++k) if (isTask[k]) ofTasks += of[k].ns[place];
      if (tasks[place] > 0 && ofTasks === 0) partOf(parts, aTask).values[from] += TRACE;
    }
    const into = lane ?? values;
    for (let x = from; x < to; ++x) {
      const part = Math.min(x1, x + 1) - Math.max(x0, x), share = part / length;
      for (let k = 0; k < into.length; ++k) if (into[k]) into[k][x] += of[k].ns[place] * share;
      if (lane) continue;
      cover[x] += part;
      const weight = ofTasks * share + (tasks[place] > 0 ? TRACE : 0);
      if (weight > most[x]) {
        most[x] = weight;
        task[x] = place;
      }
    }
  }
  // A single state may end in a column that it shares with others.
  const isHeld = heldBy(mixed, 0);
  for (let i = 0; i < (lowest?.start.length ?? 0); ++i) {
    if (isHeld(lowest.start[i], lowest.end[i], lowest.count[i])) continue;
    const kind = kindOf(lowest.state[i], Boolean(lowest.internal?.[i]), lowest.name[i]);
    atEnds(origin + lowest.start[i] * scale, origin + lowest.end[i] * scale, width, (x, part) => {
      if (cover[x] <= LEAST_COVER) return false;
      partOf(parts, kind).values[x] += part;
      if (kind.group === "task" && part > most[x]) [most[x], task[x]] = [part, -2 - i];
      return true;
    });
  }
  const order = (list) => list.sort((a, b) => STACK.indexOf(a.group) - STACK.indexOf(b.group) || a.name - b.name);
  return { cover, parts: order(parts), lanes: order(lanes), task };
}

// Calls f(column, share) for the columns of an interval from both ends inwards, while f() returns
// true.
function atEnds(from, to, width, f) {
  const x0 = Math.max(0, from), x1 = Math.min(width, to), last = Math.ceil(x1) - 1;
  const shareOf = (x) => Math.min(x1, x + 1) - Math.max(x0, x);
  let left = Math.floor(x0);
  while (left <= last && f(left, shareOf(left))) ++left;
  for (let x = last; x > left && f(x, shareOf(x)); --x);
}

// The slice of a layer at a time; -1: none. REQUIRES: calls from left to right.
function alongSlices(layer) {
  let i = 0;
  return (time) => {
    if (!layer) return -1;
    while (i < layer.start.length && layer.end[i] <= time) ++i;
    return i < layer.start.length && layer.start[i] <= time ? i : -1;
  };
}

// True if a column is drawn as a stack.
export const isStack = (cover) => cover > LEAST_COVER;

// Draws the result of mixRow() over a row with the lower edge `foot`; columns begin at `left`.
// `look`: {heightOf(group, depth), paintOf(part, task): {color, opacity}, clear(x, width), dots:
// their colour}.
export function paintMix(c, { cover, parts, lanes, task }, left, foot, look) {
  const runs = new Runs(c, left), idle = parts.find(({ group, isShown }) => group === "idle" && !isShown);
  for (let x = 0; x < cover.length; ++x) {
    let end = x;
    while (end < cover.length && isStack(cover[end])) ++end;
    if (end > x) {
      look.clear(left + x, end - x);
      c.fillStyle = look.dots;
      for (let at = Math.ceil((left + x) / DOTS) * DOTS; at < left + end; at += DOTS) c.fillRect(at, foot + 1, 1, 1);
      x = end;
    }
  }
  const pile = (list, depth, x, wanted) => {
    const ceiling = foot - look.heightOf("task", depth);
    let top = foot;
    for (let first = 0, last; first < list.length; first = last) {
      // The tasks of all codelets together are at least a hairline high, divided by their shares
      // with exact pixel edges.
      let all = 0, sum = 0, put = 0;
      for (last = first; last < list.length && list[last].group === list[first].group && list[last].isShown === list[first].isShown; ++last) if (list[last] !== idle) all += list[last].values[x];
      if (!(all > 0)) continue;
      const { full } = list[first], whole = Math.min(Math.max(1, Math.round(all * full)), top - ceiling);
      for (let i = first; i < last && whole >= 1; ++i) {
        if (list[i] === idle) continue;
        const high = Math.round(((sum += list[i].values[x]) / all) * whole) - put;
        if (high < 1) continue;
        put += high;
        top -= high;
        runs.put(list[i], x, top, high, list[i].look ?? look.paintOf(list[i], wanted));
      }
    }
  };
  for (const [list, depth] of [[parts, 0], [lanes, 1]])
    for (const part of list) {
      part.full = part.isShown ? Math.max(look.heightOf(part.group, depth), look.heightOf("runtime", depth)) : look.heightOf(part.group, depth);
      part.look = part.group === "task" ? null : look.paintOf(part, -1);
    }
  const line = look.heightOf("idle", 0);
  for (let x = 0; x < cover.length && idle; ++x)
    if (isStack(cover[x]) && idle.values[x] > 0) runs.put(idle, x, foot - line, line, idle.look);
  runs.finish();  // below everything else
  for (let x = 0; x < cover.length; ++x) {
    if (isStack(cover[x])) pile(parts, 0, x, task[x]);
    else if (lanes.length) pile(lanes, 1, x, -1);
  }
  runs.finish();
}

// Merges rectangles of adjacent columns that belong to one part and look alike. Draws them colour
// by colour, because changing the colour is slower than drawing. REQUIRES: rectangles do not
// overlap.
class Runs {
  constructor(c, left) {
    this.c = c;
    this.left = left;
    this.open = new Set();  // parts with an open run
    this.ofLook = new Map();
  }

  put(part, x, top, high, look) {
    const { run } = part;
    if (run && run.end === x && run.top === top && run.high === high && run.look.color === look.color && run.look.opacity === look.opacity) return void (run.end = x + 1);
    if (run) this.close(run);
    else this.open.add(part);
    part.run = { x, end: x + 1, top, high, look };
  }

  close(run) {
    const key = run.look.opacity === 1 ? run.look.color : `${run.look.color} ${run.look.opacity}`, list = this.ofLook.get(key);
    if (list) list.push(run);
    else this.ofLook.set(key, [run]);
  }

  finish() {
    const { c, left } = this;
    for (const part of this.open) {
      this.close(part.run);
      part.run = null;
    }
    for (const list of this.ofLook.values()) {
      c.fillStyle = list[0].look.color;
      c.globalAlpha = list[0].look.opacity;
      for (const { x, end, top, high } of list) c.fillRect(left + x, top, end - x, high);
    }
    this.open.clear();
    this.ofLook.clear();
    c.globalAlpha = 1;
  }
}
