#!/usr/bin/env node
// SPDX-License-Identifier: Apache-2.0
// What the page's timeline shows of a row is what the row holds: at random zooms of random rows, in a report's answers,
// in the model of the drawing, and in the pixels that are painted.
import { LayerIndex } from "../../../ide-plugin/webview/data/timeline_index.js";
import { RowMix } from "../../../ide-plugin/webview/data/row_mix.js";
import { isStack, mixAt, mixText, timesIn } from "../../../ide-plugin/webview/views/timeline_mix.js";
import { TimelineTail } from "../../../ide-plugin/webview/views/timeline_data.js";
import { arrowCounts, denseFlags, pathShares } from "../../../ide-plugin/webview/views/timeline_over.js";
import { AXIS, paintTimeline, sharesOf } from "../../../ide-plugin/webview/views/timeline_paint.js";
import cases from "../../testing/cases.js";

const all = new cases.Cases();
const check = (claim, test) => all.run(claim, test);
function holds(condition, what) {
  if (!condition) throw new Error(`not so: ${what}`);
}
const near = (a, b, most, what) => holds(Math.abs(a - b) <= most, `${what}: ${a} is ${b}`);
let seed = 3;
const random = () => ((seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0) / 4294967296);
const below = (most) => Math.floor(random() * most);

// Numbers of states, and what they are painted as.
const STATES = ["Nothing", "Task", "Sleeping", "Scheduling", "Overhead", "Callback"], GROUPS = ["idle", "task", "idle", "scheduler", "runtime", "runtime"];

const NAMES = ["gemm", "potrf", "trsm"];

// States of one row as [start, end, state, depth, codelet of a task], parents first; some pushed onto others.
function randomStates() {
  const states = [];
  let at = below(50);
  for (let i = below(150); i > 0; --i) {
    const length = 1 + (random() < 0.2 ? below(400) : below(12)), end = at + length;
    states.push([at, end, 1 + below(4), 0, below(NAMES.length)]);
    for (let from = at + below(4); from < end - 2 && random() < 0.4; ) {
      const to = Math.min(end, from + 1 + below(8));
      states.push([from, to, 5, 1]);
      from = to + below(20);
    }
    at = end + (random() < 0.1 ? below(60) : 0);
  }
  return states;
}

// How long a row is in each state between two times: the deepest at each moment. Of one codelet: only its tasks.
function sums(states, from, to, codelet) {
  const moments = [from, to, ...states.flatMap(([start, end]) => [start, end])].filter((at) => at >= from && at <= to).sort((a, b) => a - b);
  const times = STATES.map(() => 0);
  for (let i = 0; i + 1 < moments.length; ++i) {
    let deepest = null;
    for (const one of states) if (one[0] <= moments[i] && one[1] > moments[i] && (!deepest || one[3] > deepest[3])) deepest = one;
    if (deepest && (codelet === undefined || (deepest[2] === 1 && deepest[4] === codelet))) times[deepest[2]] += moments[i + 1] - moments[i];
  }
  return times;
}

// The row as a report keeps it: every state, or pixels of `keptNs` in which several are one.
function reportRow(states, keptNs = 0) {
  const columns = { state: [], count: [], name: [], internal: null }, layers = [], kept = { start: [], end: [], depth: [], count: [], tasks: [], kinds: [] };
  for (const state of STATES.keys()) if (state !== 1) kept.kinds.push({ state, internal: false, name: -1, ns: [] });
  for (const name of NAMES.keys()) kept.kinds.push({ state: 1, internal: false, name, ns: [] });
  const pixelOf = (at) => Math.floor(at / keptNs), pixels = new Set();
  if (keptNs)
    for (const depth of [0, 1]) {
      const here = new Map();
      for (const [start, end, , at] of states) if (at === depth) for (let pixel = pixelOf(start); pixel * keptNs < end; ++pixel) here.set(pixel, (here.get(pixel) ?? 0) + 1);
      for (const [pixel, many] of here) if (many > 1) pixels.add(pixel);
    }
  for (const pixel of [...pixels].sort((a, b) => a - b)) {
    const from = pixel * keptNs, to = from + keptNs, inside = states.filter(([start, end]) => start < to && end > from);
    kept.start.push(from);
    kept.end.push(to);
    kept.depth.push(0);
    kept.count.push(inside.length);
    kept.tasks.push(inside.filter(([, , state]) => state === 1).length);
    for (const { state, name, ns } of kept.kinds) ns.push(sums(states, from, to, name < 0 ? undefined : name)[state]);
  }
  for (const depth of [0, 1]) {
    const first = columns.state.length, start = [], end = [];
    const put = (from, to, state, count, name) => {
      start.push(from);
      end.push(to);
      columns.state.push(state);
      columns.count.push(count);
      columns.name.push(state === 1 ? 1 + name : 0);
    };
    const list = [];
    for (const [from, to, state, at, name] of states) {
      if (at !== depth) continue;
      // What lies in pixels that are kept as one is left to them.
      let begin = from;
      for (let pixel = keptNs ? pixelOf(from) : Infinity; pixel * keptNs < to; ++pixel) {
        if (!pixels.has(pixel)) continue;
        if (begin < pixel * keptNs) list.push([begin, pixel * keptNs, state, 1, name]);
        begin = Math.max(begin, (pixel + 1) * keptNs);
        if (depth === 0 && !list.some(([a, , , many]) => many > 1 && a === pixel * keptNs)) list.push([pixel * keptNs, (pixel + 1) * keptNs, state, 2, name]);
      }
      if (begin < to || from === to) list.push([begin, to, state, 1, name]);
    }
    for (const one of list.sort((a, b) => a[0] - b[0])) put(...one);
    layers.push({ depth, first, row: 0, index: new LayerIndex(Float64Array.from(start), Float64Array.from(end), (i) => (columns.state[first + i] === 1 ? 1e9 : 0) + end[i] - start[i]) });
  }
  const mix = new RowMix(layers, columns, (state) => state === 1, keptNs && kept.start.length ? kept : null);
  return { mix, layers, columns };
}

// As ReportAnswers.timeline() of one row.
function answerOf({ mix, layers, columns }, from, to, pixels) {
  const shown = layers.map(({ index, first }) => {
    const layer = { start: [], end: [], length: [], state: [], name: [], task: [], count: [] };
    index.visit(from, to, pixels, (i, many, begin, end) => {
      layer.start.push(begin - from);
      layer.end.push(end - from);
      layer.length.push(index.end[i] - index.start[i]);
      layer.state.push(columns.state[first + i]);
      layer.name.push(columns.name[first + i] - 1);
      layer.task.push(columns.state[first + i] === 1 ? 0 : -1);
      layer.count.push(many > 1 ? many : columns.count[first + i]);
    });
    return layer;
  });
  return { row: 0, layers: shown, mixed: mix.mixed(from, shown, (to - from) / pixels) };
}

const zooms = (states, f) => {
  const last = states.at(-1)?.[1] ?? 1;
  for (let zoom = 0; zoom < 6; ++zoom) {
    const from = below(last), to = from + 1 + below(last + 20), pixels = 1 + below(120);
    f(from, to, pixels);
  }
};

check("a report's mixed pixels are the sums of the states that they hold, at random zooms", () => {
  for (let round = 0; round < 80; ++round) {
    const states = randomStates(), row = reportRow(states);
    zooms(states, (from, to, pixels) => {
      const { mixed } = answerOf(row, from, to, pixels);
      for (let i = 0; i < (mixed?.start.length ?? 0); ++i) {
        const begin = from + mixed.start[i], end = from + mixed.end[i], expected = sums(states, begin, end);
        for (const { state, name, ns } of mixed.kinds) near(ns[i], name < 0 ? expected[state] : sums(states, begin, end, name)[state], 1e-6, `${STATES[state]} of ${NAMES[name]}`);
        near(mixed.kinds.reduce((sum, { ns }) => sum + ns[i], 0), expected.reduce((sum, ns) => sum + ns, 0), 1e-6, "all of it");
        const inside = states.filter(([start, stop]) => start < end && stop > begin);
        holds(mixed.count[i] === inside.length && mixed.tasks[i] === inside.filter(([, , state]) => state === 1).length, `${mixed.count[i]} states, ${mixed.tasks[i]} tasks are ${inside.length}`);
        holds(i === 0 || mixed.start[i] >= mixed.end[i - 1] - 1e-9, "they follow each other");
      }
    });
  }
});

check("what a report keeps as one has the times of what it holds, at every coarser zoom", () => {
  for (let round = 0; round < 80; ++round) {
    const states = randomStates(), keptNs = 4 + below(12), row = reportRow(states, keptNs);
    for (let zoom = 0; zoom < 10; ++zoom) {
      const from = keptNs * below(20), to = from + keptNs * (1 + below(60)), expected = sums(states, from, to);
      const { ns } = row.mix.within(from, to);
      row.mix.kinds.forEach(({ state, name }, k) => near(ns[k], name < 0 ? expected[state] : sums(states, from, to, name)[state], 1e-6, `${STATES[state]} from ${from} to ${to}`));
    }
  }
});

// A canvas of one row that remembers the colour of each quarter of a column.
const FINE = 4;
function canvas(width, height) {
  const pixels = Array.from({ length: width * FINE }, () => new Array(height).fill(null));
  const c = new Proxy({ fillStyle: "", globalAlpha: 1 }, { get: (target, name) => (name in target ? target[name]
    : name === "fillRect" ? (x, y, wide, high) => {
      if (target.globalAlpha < 1) return;
      for (let a = Math.max(0, Math.round(x * FINE)); a < Math.min(width * FINE, Math.round((x + wide) * FINE)); ++a)
        for (let b = Math.max(0, Math.round(y)); b < Math.min(height, Math.round(y + high)); ++b) pixels[a][b] = target.fillStyle;
    } : name === "measureText" ? () => ({ width: 1e6 }) : () => {}), set: (target, name, value) => ((target[name] = value), true) });
  return { c, heightOf: (x, color) => pixels.slice(x * FINE, (x + 1) * FINE).reduce((sum, column) => sum + column.filter((one) => one === color).length, 0) / FINE };
}

const THEME = { kinds: { idle: "idle", runtime: "runtime", scheduler: "scheduler", transfer: "transfer", memory: "memory" }, accent: "accent", font: "x", background: "ground", grid: "grid", line: "line", faint: "dots", critical: "critical" };
// `colours`: of the codelets; the first is that of all tasks where these are not told from each other.
const sceneOf = (row, view, width, height, colours = ["task", "task", "task"], isByName = true) => ({
  width, height: AXIS + height + 4, gutter: 0, view, scroll: 0, theme: THEME, groups: GROUPS, internal: true, focus: null, shown: -1, codelet: -1, ranks: 1, framed: null, tail: null, pointer: null, stretch: null,
  paints: { isByName, none: { color: colours[0], stripes: 0 }, byName: isByName ? colours.map((color) => ({ color, stripes: 0 })) : null, byEntry: [] }, texts: { names: NAMES, states: STATES, rows: [{ name: "CPU0", kind: "worker", rank: 0 }] },
  layout: { places: [{ row: 0, y: AXIS, height }], counters: [], lanes: [] }, answer: { fromNs: view.from, rows: [row] },
});

check("a column that several states share is painted as high with each as its share, at random zooms, sizes of rows and answers that are finer or coarser", () => {
  let columns = 0;
  for (let round = 0; round < 60; ++round) {
    const states = randomStates(), row = reportRow(states), height = [13, 20, 45][below(3)];
    zooms(states, (from, to, pixels) => {
      const width = Math.max(1, Math.round(pixels * (0.7 + random()))), shown = answerOf(row, from, to, pixels);
      const scene = sceneOf(shown, { from, to }, width, height), shares = sharesOf(scene, shown);
      if (!shares) return;
      const { c, heightOf } = canvas(width, scene.height);
      paintTimeline(c, scene);
      const pixelNs = (to - from) / width;
      for (let x = 0; x < width; ++x) {
        if (!isStack(shares.cover[x])) continue;
        ++columns;
        const share = (group) => shares.parts.filter((part) => part.group === group).reduce((sum, { values }) => sum + values[x], 0);
        // Where pixels of the answer are columns of the picture, the model is exact.
        if (width === pixels) {
          const expected = sums(states, from + x * pixelNs, from + (x + 1) * pixelNs);
          if (shares.cover[x] > 0.999 && shown.mixed.start.some((start, i) => Math.abs(start / pixelNs - x) < 1e-6 && Math.abs(shown.mixed.end[i] / pixelNs - x - 1) < 1e-6)) near(share("task"), expected[1] / pixelNs, 1e-3, "the share of tasks");
        }
        const painted = heightOf(x, "task"), wanted = share("task") * height;
        if (share("task") === 0) holds(painted === 0, `no task, but ${painted} pixels of it`);
        else near(painted, Math.max(1, wanted), 1.01, `the height of tasks, of ${height}`);
        const runtime = heightOf(x, "runtime");
        if (share("runtime") > 0 && share("task") < 0.9) near(runtime, Math.max(1, share("runtime") * Math.max(3, Math.round(height * 0.42))), 1.6, "that of the runtime");
      }
    });
  }
  holds(columns > 2000, `${columns} columns were looked at`);
});

check("tasks of several codelets in a column are as high each as its share, in the colours that they have nearby", () => {
  let columns = 0, several = 0;
  for (let round = 0; round < 25; ++round) {
    const states = randomStates(), row = reportRow(states, round % 3 === 1 ? 4 + below(12) : 0), height = [13, 20, 45][below(3)];
    zooms(states, (from, to, width) => {
      const shown = answerOf(row, from, to, width), scene = sceneOf(shown, { from, to }, width, height, NAMES), shares = sharesOf(scene, shown);
      if (!shares) return;
      const { c, heightOf } = canvas(width, scene.height);
      paintTimeline(c, scene);
      for (let x = 0; x < width; ++x) {
        if (!isStack(shares.cover[x])) continue;
        const shareOf = (name) => shares.parts.filter((part) => part.group === "task" && part.name === name).reduce((sum, { values }) => sum + values[x], 0);
        const parts = [...NAMES.keys()].map(shareOf), all = parts.reduce((sum, one) => sum + one, 0);
        if (!(all > 0.001)) continue;
        ++columns;
        if (parts.filter((one) => one > 0.001).length > 1) ++several;
        // A hairline is more than its share.
        const scale = Math.max(1, all * height) / all;
        parts.forEach((share, name) => near(heightOf(x, NAMES[name]), share * scale, 1.01, `the height of ${NAMES[name]}, of ${height}`));
      }
    });
  }
  holds(columns > 400 && several > 100, `${columns} columns were looked at, ${several} of several codelets`);
});

check("where tasks are not coloured by codelet their pile is of one part", () => {
  const states = [];
  for (let at = 0; at < 1000; at += 10) states.push([at, at + 10, 1, 0, (at / 10) % 3]);
  const shown = answerOf(reportRow(states), 0, 1000, 20), shares = sharesOf(sceneOf(shown, { from: 0, to: 1000 }, 20, 20, NAMES, false), shown);
  holds(shares.parts.length === 1 && shares.parts[0].name === -1, `${shares.parts.length} parts`);
});

check("what is selected of a codelet stands out in a pixel that it shares with others", () => {
  const states = [];
  for (let at = 0; at < 1000; at += 10) states.push([at, at + 7, 1, 0, 0], [at + 7, at + 10, 1, 0, 1]);
  const shown = answerOf(reportRow(states), 0, 1000, 20), scene = { ...sceneOf(shown, { from: 0, to: 1000 }, 20, 20, NAMES), focus: { has: () => false }, codelet: 1 };
  const { c, heightOf } = canvas(20, scene.height);
  paintTimeline(c, scene);
  // The canvas remembers only what is painted without any transparency.
  for (let x = 0; x < 20; ++x) holds(heightOf(x, "potrf") === 6 && heightOf(x, "gemm") === 0, `column ${x}: ${heightOf(x, "potrf")} of potrf, ${heightOf(x, "gemm")} of gemm`);
  const text = mixText(shown.mixed, mixAt(shown.mixed, 5), STATES, GROUPS, NAMES);
  holds(text.lines.join() === "10 tasks 100 %, 50 ns,of them gemm 70 %, potrf 30 %", text.lines.join());
});

check("a worker that sleeps with a short task in each pixel is painted as asleep, with a hairline of the task", () => {
  const states = [];
  for (let at = 0; at < 10000; at += 100) states.push([at, at + 98, 2, 0], [at + 98, at + 100, 1, 0, 0]);
  const shown = answerOf(reportRow(states), 0, 10000, 50), scene = sceneOf(shown, { from: 0, to: 10000 }, 50, 20), { c, heightOf } = canvas(50, scene.height);
  paintTimeline(c, scene);
  for (let x = 0; x < 50; ++x) holds(heightOf(x, "task") === 1 && heightOf(x, "idle") === 1, `column ${x}: ${heightOf(x, "task")} of task, ${heightOf(x, "idle")} idle`);
  holds(Array.from({ length: 50 }, (_, x) => heightOf(x, "dots")).some((dots) => dots > 0), "dots say that something is collapsed");
  const at = mixAt(shown.mixed, 5), text = mixText(shown.mixed, at, STATES, GROUPS, NAMES);
  holds(text.title === "4 states in 200 ns" && text.lines.join() === "Sleeping 98 %, 196 ns,2 tasks 2.0 %, 4 ns", `${text.title}: ${text.lines}`);
  holds(JSON.stringify(timesIn(shown, 10000)) === "[[2,9800],[1,200]]", `times: ${JSON.stringify(timesIn(shown, 10000))}`);
});

// What a run in progress did since its trace was read: tasks of a worker, of which neighbours may have been joined.
function randomTail(fromNs) {
  const tasks = [], row = { row: 0, start: [], end: [], busy: [], name: [], count: [] };
  let at = below(20);
  for (let i = 10 + below(200); i > 0; --i) {
    const end = at + 1 + (random() < 0.1 ? below(300) : below(9)), isJoined = row.start.length > 0 && random() < 0.5 && end - row.start.at(-1) < 60;
    tasks.push([fromNs + at, fromNs + end]);
    if (isJoined) {
      row.end[row.end.length - 1] = end;
      row.busy[row.busy.length - 1] += end - at;
      ++row.count[row.count.length - 1];
    } else {
      for (const [column, value] of Object.entries({ start: at, end, busy: end - at, name: 0, count: 1 })) row[column].push(value);
    }
    at = end + below(random() < 0.2 ? 80 : 6);
  }
  return { tasks, tail: new TimelineTail({ fromNs, endNs: fromNs + at, rows: [row], names: ["gemm"] }, 1) };
}

check("what a run does while one looks is painted as high as its share, at random zooms", () => {
  let columns = 0;
  for (let round = 0; round < 100; ++round) {
    const fromNs = below(500), { tasks, tail } = randomTail(fromNs), height = [13, 20, 45][below(3)], width = 10 + below(150);
    const from = below(fromNs + 50), to = from + 20 + below(2 * tail.endNs), pixelNs = (to - from) / width;
    const empty = { row: 0, layers: [], mixed: null }, scene = { ...sceneOf(empty, { from, to }, width, height), tail, tailPaintsOf: () => [{ color: "task", stripes: 0 }] };
    const { c, heightOf } = canvas(width, scene.height);
    paintTimeline(c, scene);
    const row = tail.rowAt(0, pixelNs), shares = sharesOf({ ...scene, answer: tail }, row);
    // A stretch that was joined is the same in all of its pixels; over whole stretches the sums are those of the tasks.
    const inside = row.layers[0], busy = inside.busy.reduce((sum, ns) => sum + ns, 0);
    near(busy, tasks.reduce((sum, [start, end]) => sum + end - start, 0), 1e-6, "the time in tasks");
    for (let x = 0; x < width && shares; ++x) {
      if (!isStack(shares.cover[x])) continue;
      ++columns;
      let wanted = 0;
      for (let i = 0; i < inside.start.length; ++i) {
        const start = fromNs + inside.start[i], end = fromNs + inside.end[i], part = Math.min(end, from + (x + 1) * pixelNs) - Math.max(start, from + x * pixelNs);
        if (part > 0) wanted += (inside.busy[i] * part) / (end - start);
      }
      near(heightOf(x, "task"), Math.max(1, (wanted / pixelNs) * height), 1.01, `the height of tasks in column ${x}, of ${height}`);
    }
  }
  holds(columns > 1000, `${columns} columns were looked at`);
});

check("of a stretch that another reading cuts no more is left than there is of it", () => {
  const tail = new TimelineTail({ fromNs: 0, endNs: 100, rows: [{ row: 0, start: [0, 60], end: [50, 90], busy: [40, 20], name: [0, 0], count: [9, 3] }], names: ["a"] }, 1);
  const { start, end, busy } = tail.after(30).layers.get(0);
  holds(JSON.stringify([start, end, busy]) === "[[0,30],[20,60],[20,20]]", JSON.stringify([start, end, busy]));
});

check("a task without a length is a hairline still", () => {
  const states = [[0, 50, 2, 0], [50, 50, 1, 0, 0], [50, 100, 2, 0]];
  const shown = answerOf(reportRow(states), 0, 1000, 10), scene = sceneOf(shown, { from: 0, to: 1000 }, 10, 20), { c, heightOf } = canvas(10, scene.height);
  paintTimeline(c, scene);
  holds(heightOf(0, "task") === 1, `${heightOf(0, "task")} pixels`);
});

check("a critical path that would cover the rows becomes shares of work in its lane, which are those of its steps", () => {
  for (const steps of [20, 3000]) {
    const path = { row: [], start: [], end: [], count: [], work: [] };
    let at = 0, work = 0;
    for (let i = 0; i < steps; ++i) {
      const start = at + below(300), end = start + 1 + below(100);
      for (const [column, value] of Object.entries({ row: i % 3, start, end, count: 1, work: end - start })) path[column].push(value);
      work += end - start;
      at = end;
    }
    const scene = { answer: { fromNs: 0, path }, view: { from: 0, to: at }, width: 500, gutter: 0 }, shares = pathShares(scene);
    holds(shares.isDense === (steps > 1000), `${steps} steps on 500 pixels: ${shares.isDense}`);
    near(shares.work.reduce((sum, one) => sum + one, 0) * (at / 500), work, 0.02 * work + 500, "the work in the lane");
    near([...shares.rows.values()].reduce((sum, row) => sum + row.reduce((a, b) => a + b, 0), 0), shares.work.reduce((a, b) => a + b, 0), 2, "that on the rows");
  }
});

check("arrows and flags that would cover the picture are counted", () => {
  for (const [many, isDense] of [[40, false], [900, true]]) {
    const from = Array.from({ length: many }, (_, i) => (i * 1000) / many);
    const arrows = { kind: from.map(() => 1), kinds: ["dependency", "steal"], fromRow: from.map(() => 0), toRow: from.map(() => 1), from, to: from.map((at) => at + 5), count: from.map(() => 3) };
    const flags = { row: from.map(() => 2), at: from, count: from.map(() => 1), text: from.map(() => 0), texts: ["a"] };
    const scene = { answer: { fromNs: 0, arrows, flags }, view: { from: 0, to: 1000 }, width: 500, gutter: 0 }, of = arrowCounts(scene).get("steal");
    holds(of.isDense === isDense && denseFlags(scene).has(2) === isDense, `${many} of them`);
    holds(of.counts.reduce((sum, one) => sum + one, 0) === 3 * many, "how many there are");
  }
});
