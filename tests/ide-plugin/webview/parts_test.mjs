#!/usr/bin/env node
// SPDX-License-Identifier: Apache-2.0
// Parts of the web app that need no browser: colours, what a pixel shows, layout, links.
import fs from "node:fs";
import { NameColors, contrast, hex, inkOn, legendColors, luminance } from "../../../ide-plugin/webview/colors.js";
import { short, shortName } from "../../../ide-plugin/webview/dom.js";
import { SvgRecorder } from "../../../ide-plugin/webview/export.js";
import { GraphTree } from "../../../ide-plugin/webview/data/graph_tree.js";
import { curveView } from "../../../ide-plugin/webview/data/curve_view.js";
import { summed } from "../../../ide-plugin/webview/data/durations.js";
import { pathView } from "../../../ide-plugin/webview/data/path_view.js";
import { stretchStats } from "../../../ide-plugin/webview/data/stretch_stats.js";
import { Tasks } from "../../../ide-plugin/webview/data/tasks.js";
import { LayerIndex } from "../../../ide-plugin/webview/data/timeline_index.js";
import { Marks, marksOf, readByteAnswer, readColumns, unpackColumn } from "../../../ide-plugin/webview/data/columns.js";
import { SORTS, fromLink, toLink } from "../../../ide-plugin/webview/store.js";
import { duration, quantities, quantity, setZero } from "../../../ide-plugin/webview/format.js";
import { TimelineTail } from "../../../ide-plugin/webview/views/timeline_data.js";
import { AXIS, paintTimeline } from "../../../ide-plugin/webview/views/timeline_paint.js";
import { paintGraph } from "../../../ide-plugin/webview/views/graph_paint.js";
import { layOut } from "../../../ide-plugin/webview/views/graph_layout.js";
import cases from "../../testing/cases.js";

const all = new cases.Cases();
const check = (claim, test) => all.run(claim, test);
function holds(condition, what) {
  if (!condition) throw new Error(`not so: ${what}`);
}
function equal(actual, wanted, what) {
  holds(JSON.stringify(actual) === JSON.stringify(wanted), `${what}: ${JSON.stringify(actual)} is ${JSON.stringify(wanted)}`);
}

// A small generator of numbers, the same in every run.
let seed = 7;
const random = () => ((seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0) / 4294967296);

// How a colour looks to people without one kind of cones (Viénot, Brettel, Mollon 1999; for blue Machado, Oliveira,
// Fernandes 2009; linear RGB).
const KINDS = {
  protanopia: [[0.11238, 0.88762, 0], [0.11238, 0.88762, 0], [0.00401, -0.00401, 1]],
  deuteranopia: [[0.29275, 0.70725, 0], [0.29275, 0.70725, 0], [-0.02234, 0.02234, 1]],
  tritanopia: [[1.01277, 0.13548, -0.14826], [-0.01243, 0.86812, 0.14431], [0.07589, 0.805, 0.11911]],
};
const linear = (color) => [1, 3, 5].map((i) => {
  const c = parseInt(color.slice(i, i + 2), 16) / 255;
  return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
});
const seen = (rgb, kind) => KINDS[kind].map((row) => Math.min(1, Math.max(0, row.reduce((sum, factor, i) => sum + factor * rgb[i], 0))));
// CIE L*a*b* of linear RGB.
function lab([r, g, b]) {
  const f = (t) => (t > 0.008856 ? Math.cbrt(t) : 7.787 * t + 16 / 116);
  const x = f((0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.9505), y = f(0.2126 * r + 0.7152 * g + 0.0722 * b);
  const z = f((0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.089);
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
}
const distance = (a, b) => Math.hypot(...lab(a).map((value, i) => value - lab(b)[i]));
function farApart(a, b, all, least) {
  const [x, y] = [linear(a), linear(b)];
  holds(distance(x, y) >= all, `${a} and ${b}: ${distance(x, y).toFixed(1)}`);
  for (const kind in KINDS) {
    const away = distance(seen(x, kind), seen(y, kind));
    holds(away >= least, `${a} and ${b} with ${kind}: ${away.toFixed(1)}`);
  }
}

// The palette as trace/colours has it.
const rgbs = [...fs.readFileSync(new URL("../../../trace/colours/palette.inc", import.meta.url), "utf8").matchAll(/^COLOUR\(0x([0-9a-f]{6})\)$/gm)].map(([, digits]) => parseInt(digits, 16));
const PALETTE = rgbs.map(hex);

// The colours of the style sheet, by theme.
const style = fs.readFileSync(new URL("../../../ide-plugin/webview/style.css", import.meta.url), "utf8");
const themeOf = (selector) => {
  const block = style.slice(style.indexOf(selector)).split("}")[0];
  return Object.fromEntries([...block.matchAll(/--([\w-]+): ([^;]+);/g)].map(([, name, value]) => [name, value.trim()]));
};
const THEMES = { light: themeOf(":root {"), dark: themeOf(':root[data-theme="dark"] {') };
const STATES = ["transfer", "scheduler", "runtime", "memory"];

check("every colour of a codelet stands out in both themes", () => {
  for (const color of PALETTE)
    for (const { surface } of Object.values(THEMES)) holds(contrast(color, surface) >= 3, `${color} on ${surface}: ${contrast(color, surface).toFixed(2)}`);
});
check("text is read in both themes, on the page and on every colour", () => {
  for (const [name, theme] of Object.entries(THEMES))
    for (const text of ["text", "text-faint", "accent", "error", "warning", "information"])
      for (const ground of ["page", "surface", "raised", "group", "hover"])
        holds(contrast(theme[text], theme[ground]) >= 4.5, `${text} on ${ground}, ${name}: ${contrast(theme[text], theme[ground]).toFixed(2)}`);
  for (let i = 0; i < 2000; ++i) {
    const color = hex(i < PALETTE.length ? rgbs[i] : Math.floor(random() * 0x1000000));
    holds(contrast(color, inkOn(color)) >= 4.5, `${inkOn(color)} on ${color}`);
  }
});
check("no two colours of codelets look the same, whatever cones somebody has", () => {
  for (let a = 0; a < PALETTE.length; ++a) for (let b = 0; b < a; ++b) farApart(PALETTE[a], PALETTE[b], 25, 11);
});
check("no state looks like a codelet or another state, in both themes and whatever cones somebody has", () => {
  for (const theme of Object.values(THEMES)) {
    const states = [...STATES, "idle"].map((state) => theme[`time-${state}`]);
    for (const state of states) for (const color of PALETTE) farApart(state, color, 15, 11);
    states.forEach((state, i) => states.slice(0, i).forEach((other) => farApart(state, other, 15, 11)));
  }
});
check("states are darker than any codelet in the light theme and lighter in the dark one", () => {
  const lights = PALETTE.map(luminance);
  for (const state of STATES) {
    holds(luminance(THEMES.light[`time-${state}`]) < Math.min(...lights), `${state}, light`);
    holds(luminance(THEMES.dark[`time-${state}`]) > Math.max(...lights), `${state}, dark`);
  }
});
check("what workers waited for is paler than codelets, and looks like no state, codelet or other cause, whatever cones somebody has", () => {
  const lights = PALETTE.map(luminance), waits = ["data-wait", "scheduler-wait"];
  for (const [name, theme] of Object.entries(THEMES))
    for (const wait of waits) {
      const color = theme[`time-${wait}`];
      holds(name === "light" ? luminance(color) > Math.max(...lights) : luminance(color) < Math.min(...lights), `${wait}, ${name}`);
      holds(contrast(color, theme.surface) >= 1.6, `${wait} on the ${name} page: ${contrast(color, theme.surface).toFixed(2)}`);
      const others = [...STATES, "idle", "tasks", "nothing-ready", "nothing-submitted", "not-known", ...waits.filter((one) => one !== wait)].map((other) => theme[`time-${other}`]);
      for (const other of [...PALETTE, ...others]) farApart(color, other, 15, 11);
    }
});
check("of a scale more is further from the page, and all of it stands out", () => {
  for (const { surface, shades } of Object.values(THEMES)) {
    const steps = shades.split(" ").map((shade) => contrast(shade, surface));
    holds(steps.every((step, i) => step >= 3 && (i === 0 || step > steps[i - 1])), `contrasts ${steps.map((step) => step.toFixed(1))}`);
  }
});
check("a codelet's colour is a function of its name, whatever ran beside it", () => {
  const names = Array.from({ length: 200 }, (_, i) => `codelet ${i}`).concat("__proto__", "constructor");
  const all = new NameColors(names, rgbs);
  for (const name of names) {
    equal(new NameColors([name], rgbs).of(name), all.of(name), name);
    equal(new NameColors([], rgbs).of(name), all.of(name), `${name}, not yet known`);
  }
});
check("codelets that share a colour bear stripes in the order of their names", () => {
  const names = Array.from({ length: 40 }, (_, i) => `k${i}`), colors = new NameColors(names, rgbs);
  const byColor = Map.groupBy ? Map.groupBy(names.sort(), (name) => colors.of(name)) : names.sort().reduce((map, name) => map.set(colors.of(name), [...(map.get(colors.of(name)) ?? []), name]), new Map());
  for (const group of byColor.values()) group.forEach((name, i) => equal(colors.stripesOf(name), Math.min(i, 3), name));
  for (const family of [["potrf", "trsm", "syrk", "gemm"], ["POTRF", "TRSM", "SYRK", "GEMM"], ["getrf", "trsm_ll", "trsm_ru", "gemm"]]) {
    const colors = new NameColors(family, rgbs);
    equal(new Set(family.map((name) => colors.of(name))).size, family.length, `colours of ${family}`);
    equal(family.map((name) => colors.stripesOf(name)), family.map(() => 0), "stripes");
  }
});
check("a colour that the program chose comes before the palette", () => {
  const colors = new NameColors(["a", "b"], rgbs, { a: 0x00ff00 });
  equal(colors.paint("a"), { color: "#00ff00", stripes: 0 }, "the program's");
  holds(PALETTE.includes(colors.of("b")), "the other is of the palette");
});
check("slack none at all is critical, and each class of values has a colour of its own", () => {
  const theme = { mixed: "#000001", critical: "#000002", shades: ["#000000", "#0000ff"] };
  const legend = { by: "slack", unit: "ns", entries: [{ label: "did not run", low: null }, { label: "0 ns: critical", low: 0, high: 0 },
    { label: "1 to 9", low: 1, high: 9 }, { label: "10 to 99", low: 10, high: 99 }, { label: "Scheduling", low: null }] };
  equal(legendColors(legend, theme).slice(0, 4).map(({ color }) => color), ["#000001", "#000002", "#000080", "#000000"], "colours");
  equal(new Set(legendColors({ ...legend, by: "duration" }, theme).slice(1, 4).map(({ color }) => color)).size, 3, "each class has its own");
});
check("the critical path of a report shows each pixel of a row once, and every step is counted", () => {
  const path = { row: [], start: [], end: [], count: [], work: [] };
  for (let i = 0, at = 0; i < 5000; ++i) {
    at += Math.floor(random() * 20);
    path.row.push(Math.floor(random() * 3));
    path.start.push(at);
    path.end.push((at += 1 + Math.floor(random() * 30)));
    path.count.push(1);
    path.work.push(path.end[i] - path.start[i]);
  }
  const last = path.end.at(-1) + 1, view = pathView(path, 0, last, 200);
  equal(view.count.reduce((sum, count) => sum + count, 0), 5000, "steps");
  equal(view.work.reduce((sum, ns) => sum + ns, 0), path.end.reduce((sum, end, i) => sum + end - path.start[i], 0), "the work of all steps");
  holds(view.row.length <= 3 * 200 + 2, `${view.row.length} stretches on 200 pixels`);
  const near = pathView(path, 1000, 1100, 1000);
  holds(near.row.every((_, i) => i === 0 || near.start[i] >= near.start[i - 1]), "in order");
  holds(near.start[0] + near.count[0] > -100 && near.end[0] < 0, "the step before the view comes first");
});

check("a curve of a report has no more stretches than pixels, and keeps its lowest and highest values", () => {
  const count = 5000, start = Float64Array.from({ length: count }, (_, i) => 10 * i), end = start.map((at) => at + 10);
  const low = start.map(() => Math.floor(random() * 1000)), high = low.map((value) => value + Math.floor(random() * 10));
  for (const [from, to, pixels] of [[0, 50000, 700], [12345, 30000, 100], [100, 200, 700], [60000, 70000, 10]]) {
    const view = curveView({ start, end, low, high }, from, to, pixels, 0.5);
    const inside = [...start.keys()].filter((i) => end[i] >= from && start[i] <= to);
    holds(view.start.length <= Math.min(inside.length, pixels + 2), `${view.start.length} stretches on ${pixels} pixels`);
    const most = (values, pick) => (inside.length ? pick(...inside.map((i) => values[i])) / 2 : null);
    equal(view.start.length ? [Math.min(...view.low), Math.max(...view.high)] : [null, null], [most(low, Math.min), most(high, Math.max)], "lowest and highest");
    for (let i = 1; i < view.start.length; ++i) equal(view.start[i], view.end[i - 1], "where the next stretch begins");
    const { mean } = curveView({ start, end, low, high, mean: low }, from, to, pixels, 0.5, 2), all = inside.reduce((sum, i) => sum + low[i] * 20, 0);
    const shown = mean.reduce((sum, value, i) => sum + value * (view.end[i] - view.start[i]), 0);
    holds(Math.abs(shown - all) <= 1e-6 * all, `the sum of its means: ${shown} is ${all}`);
  }
});

// What a canvas is asked to draw: [method, color, arguments]; texts are `letter` pixels a letter.
function recorder(letter = 6) {
  const calls = [], state = {};
  return new Proxy(state, {
    get: (_, name) => (name === "calls" ? calls : name === "measureText" ? (text) => ({ width: letter * text.length }) : name in state ? state[name]
      : (...values) => void calls.push([name, state.fillStyle, values])),
    set: (_, name, value) => ((state[name] = value), true),
  });
}

check("neighbours of one paint in a dense row are one rectangle, and all else is drawn as it is", () => {
  // A hundred tasks of half a pixel, then one of another codelet, then two wide ones of the first.
  const start = [...Array.from({ length: 100 }, (_, i) => i), 100, 200, 300], end = [...start.slice(1), 400], all = (value) => start.map(() => value);
  end[100] = 102;
  const layer = { start, end, state: all(0), name: start.map((_, i) => (i === 100 ? 1 : 0)), task: start.map((_, i) => i), count: all(1) };
  const theme = { kinds: {}, font: "x", background: "#ffffff" }, width = 228, c = recorder();
  paintTimeline(c, { width, height: 100, gutter: 28, view: { from: 0, to: 400 }, scroll: 0, theme, groups: ["task"], internal: true, focus: null, ranks: 1, framed: null, tail: null, pointer: null, stretch: null,
    paints: { isByName: true, none: null, byName: [{ color: "#336699", stripes: 1 }, { color: "#993366", stripes: 0 }] }, texts: { names: ["a", "b"], rows: [{ name: "CPU0", kind: "worker", rank: 0 }] },
    layout: { places: [{ row: 0, y: AXIS, height: 20 }], counters: [] }, answer: { fromNs: 0, rows: [{ row: 0, layers: [layer] }] } });
  const rectangles = c.calls.filter(([name, color]) => name === "fillRect" && ["#336699", "#993366"].includes(color)).map(([, color, values]) => [color, ...values]);
  equal(rectangles, [["#336699", 28, AXIS, 50.5, 20], ["#993366", 78, AXIS, 1, 20], ["#336699", 128, AXIS, 49.25, 20], ["#336699", 178, AXIS, 49.25, 20]], "rectangles");
});

check("a state that stands out is seen as it is, also an idle one, and all else is paler", () => {
  const theme = { kinds: { idle: "#00000c", runtime: "#00000b" }, accent: "#00000a", font: "x", background: "#ffffff" }, c = recorder(), opacity = [];
  const fillRect = c.fillRect;
  const layer = { start: [0, 100, 200], end: [100, 200, 300], state: [0, 1, 2], name: [0, -1, -1], task: [7, -1, -1], count: [1, 1, 1] };
  const noted = new Proxy(c, { get: (target, name) => (name === "fillRect" ? (...values) => (opacity.push([target.fillStyle, target.globalAlpha, values[3]]), fillRect(...values)) : target[name]), set: (target, name, value) => ((target[name] = value), true) });
  paintTimeline(noted, { width: 428, height: 100, gutter: 28, view: { from: 0, to: 400 }, scroll: 0, theme, groups: ["task", "idle", "runtime"], internal: true, focus: null, shown: 1, ranks: 1, framed: null, tail: null, pointer: null, stretch: null,
    paints: { isByName: true, none: null, byName: [{ color: "#336699", stripes: 0 }] }, texts: { names: ["a"], rows: [{ name: "CPU0", kind: "worker", rank: 0 }] },
    layout: { places: [{ row: 0, y: AXIS, height: 20 }], counters: [] }, answer: { fromNs: 0, rows: [{ row: 0, layers: [layer] }] } });
  equal(opacity.filter(([color]) => ["#336699", "#00000a", "#00000b"].includes(color)), [["#336699", 0.16, 20], ["#00000a", 1, 8], ["#00000b", 0.35, 8]], "colour, opacity and height");
});

check("a stretch has two edges and its length between them, and what lies beside it is paler", () => {
  const theme = { kinds: {}, font: "x", background: "#ffffff", accent: "#0000ff" }, width = 428;
  const painted = (stretch, view = { from: 0, to: 400 }) => {
    const c = recorder();
    paintTimeline(c, { width, height: 100, gutter: 28, view, scroll: 0, theme, groups: [], internal: true, focus: null, ranks: 1, framed: null, tail: null, pointer: null, stretch,
      paints: null, texts: null, layout: { places: [], counters: [] }, answer: null });
    return c.calls;
  };
  const rectangles = (calls, color) => calls.filter(([name, fill]) => name === "fillRect" && fill === color).map(([, , values]) => values);
  const calls = painted({ from: 100, to: 300, selects: true });
  equal(rectangles(calls, "#ffffff").slice(1), [[28, AXIS, 100, 76], [328, AXIS, 100, 76]], "what is paler");
  equal(rectangles(calls, "#0000ff").slice(1, 3), [[128, 0, 1.5, 100], [328, 0, 1.5, 100]], "edges");
  equal(calls.filter(([name]) => name === "fillText").at(-1)[2][0], "200 ns", "its length");
  equal(rectangles(painted({ from: 100, to: 300, selects: true }, { from: 120, to: 280 }), "#0000ff").length, 2, "where only its inside is in sight: its length, and the line on the axis");
  for (const view of [{ from: 320, to: 400 }, { from: 0, to: 80 }]) equal(rectangles(painted({ from: 100, to: 300, selects: true }, view), "#0000ff"), [], "where it is out of sight");
});

check("flags of events, pushes and pops, and the critical path have a colour each", () => {
  const theme = { kinds: { memory: "#000001", scheduler: "#000002" }, critical: "#000003", font: "x" }, c = recorder();
  paintTimeline(c, { width: 228, height: 100, gutter: 28, view: { from: 0, to: 400 }, scroll: 0, theme, groups: ["task"], internal: true, focus: null, ranks: 1, framed: null, tail: null, pointer: null, stretch: null,
    paints: { isByName: true, none: null, byName: [] }, texts: { names: [], rows: [{ name: "CPU0", kind: "worker", rank: 0 }, { name: "scheduler", kind: "scheduler", rank: 0 }] },
    layout: { places: [{ row: 0, y: AXIS, height: 20 }, { row: 1, y: AXIS + 24, height: 20 }], counters: [] },
    answer: { fromNs: 0, rows: [], flags: { row: [0, 1], at: [10, 20] }, path: { row: [0], start: [0], end: [400], count: [1] } } });
  const colors = (method) => c.calls.filter(([name, color]) => name === method && /^#00000/.test(color)).map(([, color]) => color);
  equal([...new Set(colors("fill"))], ["#000001", "#000002"], "colours of flags");
  equal(colors("fillRect").at(-1), "#000003", "the path");
});

check("long names are cut in the middle: what tells them apart is often at their end", () => {
  equal(["demo_cholesky_gemm", "demo_cholesky_trsm", "gemm"].map((name) => shortName(name, 12)), ["demo_c…_gemm", "demo_c…_trsm", "gemm"], "names");
  const long = "codelet".repeat(56);
  holds(shortName(`${long}_a`, 40) !== shortName(`${long}_b`, 40) && shortName(`${long}_a`, 40).length === 40, "letters of a long name");
});

check("the name of a group that can open ends before its sign, however wide letters are", () => {
  for (const letter of [5, 6.6, 9]) {
    const c = recorder(letter), one = (value) => [value], label = "demo_cholesky_gemm";
    paintGraph(c, { width: 400, height: 100, theme: { font: `x${letter}` }, camera: { x: 0, y: 0, scale: 1 }, near: null, chosen: null, holder: null, isOnPath: null,
      layout: { nodes: [{ x: 0, y: 0, width: 128, height: 34 }], frames: [] }, paintOf: () => ({ color: "#336699", stripes: 0 }), isWithout: () => false, isOfLine: () => false,
      answer: { frames: [], edges: [], nodes: { label: one(label), task: one(-1), tasks: one(9), totalNs: one(1), canOpen: one(true), frame: one(-1) } } });
    const [[name, x], , [sign, signX]] = c.calls.filter(([method]) => method === "fillText").map(([, , values]) => values);
    holds(sign === "+" && name.endsWith("emm") && x + letter * name.length < signX, `${name} with letters of ${letter} pixels`);
  }
});

check("letters that turn around what stands beside them are seen", () => {
  equal(short("\u202eevil\u202c \u2066a\u0001\u00e9 \u05d0\u{1F600}", 60), "\ufffdevil\ufffd \ufffda\ufffd\u00e9 \u05d0\u{1F600}", "a name");
});

check("a text of an SVG picture is the text, whatever letters it has, and no markup", () => {
  const c = new SvgRecorder(10, 10);
  c.fillText("\u{1F600} \u{20000} \u00e9 <b>&\"", 0, 0);
  c.fillText("\u0001\ud800\ufffe", 0, 0);
  const texts = [...c.text().matchAll(/<text[^>]*>([^<]*)<\/text>/g)].map(([, text]) => text);
  equal(texts, ["\u{1F600} \u{20000} \u00e9 &lt;b&gt;&amp;&quot;", "\ufffd\ufffd\ufffd"], "texts");
});

check("packed columns are what protocol.md says", () => {
  equal([...unpackColumn({ i16: "AQACAA==" })], [1, 2], "its example");
  equal([...unpackColumn({ i8: "/wA=" })], [-1, 0], "none and the first");
  equal([...unpackColumn({ f64: "AAAAAAAA4EE=" })], [2 ** 31], "what needs more than 32 bits");
  equal(unpackColumn([3]), [3], "an array");
});

check("a set of tasks holds as many as there are", () => {
  const own = Array.from({ length: 300000 }, (_, i) => 3 * i), marks = new Marks(marksOf(own));
  let found = 0;
  for (let task = -1; task < 1000000; ++task) found += marks.has(task) && task % 3 === 0;
  equal([marks.size, found, marks.has(1), marks.has(899998)], [300000, 300000, false, false], "tasks in it");
  equal([new Marks({ i8: "gQA=" }).has(7), new Marks({ i8: "gQA=" }).size], [true, 2], "the last bit of a byte");
  equal(new Marks(marksOf([])).has(0), false, "a task of none");
});

check("columns of an answer in bytes are parts of it", () => {
  const header = new TextEncoder().encode('{"column":{"i16":[40,2]},"é":1}    ');
  const bytes = new Uint8Array(44);
  bytes[0] = header.length;
  bytes.set(header, 4);
  bytes.set([1, 0, 2, 0], 40);
  const answer = readByteAnswer(bytes.buffer);
  equal([...unpackColumn(answer.column, answer.buffer)], [1, 2], "its values");
  equal(answer["é"], 1, "the rest of it");
});

check("of slices that share a pixel the most telling is shown, and all are counted", () => {
  for (let round = 0; round < 300; ++round) {
    const start = [], end = [], rank = [];
    for (let at = Math.floor(random() * 20), i = Math.floor(random() * 200); i > 0; --i) {
      start.push(at);
      end.push((at += 1 + Math.floor(random() ** 8 * 300)));
      rank.push(Math.floor(random() * 3));
      at += random() < 0.3 ? Math.floor(random() * 30) : 0;
    }
    const weight = (i) => rank[i] * 1e6 + end[i] - start[i];
    const index = new LayerIndex(Float64Array.from(start), Float64Array.from(end), weight);
    const from = Math.floor(random() * 100), to = from + 1 + Math.floor(random() * 600), pixels = 1 + Math.floor(random() * 90);
    const inView = start.map((_, i) => i).filter((i) => end[i] > from && start[i] < to);
    const shown = [];
    let total = 0;
    index.visit(from, to, pixels, (i, count, begin, stop) => {
      const group = inView.slice(total, total + count);
      total += count;
      equal(Math.max(...group.map(weight)), weight(i), "the weight of what is shown");
      holds(group.includes(i), "it is one of those that it stands for");
      holds(stop > begin, "it has a width");
      shown.push(i);
    });
    equal(total, inView.length, "slices counted");
    holds(shown.length <= 2 * pixels + 2, `${shown.length} pieces on ${pixels} pixels`);
  }
});

check("durations are summed up as the server does it", () => {
  equal(summed([7]), { count: 1, meanNs: 7, stddevNs: 0, minNs: 7, medianNs: 7, maxNs: 7, quantilesNs: { q5: 7, q25: 7, q50: 7, q75: 7, q95: 7 }, histogram: [{ lowNs: 7, highNs: 7, count: 1 }] }, "one");
  const { histogram, ...rest } = summed([40, 10, 20, 31]);
  equal(rest, { count: 4, meanNs: 25, stddevNs: 13, minNs: 10, medianNs: 25, maxNs: 40, quantilesNs: { q5: 10, q25: 10, q50: 25, q75: 31, q95: 40 } }, "four in no order");
  equal([histogram[0].lowNs, histogram.at(-1).highNs, histogram.reduce((sum, { count }) => sum + count, 0)], [10, 40, 4], "bars");
  equal(summed(Array.from({ length: 20 }, (_, i) => i + 1)).quantilesNs.q95, 19, "the nearest rank of 0.95 of 20");
});

// What a report knows of two workers: states by row and depth as [start, end, state, task, count].
function reportOf(rows, tasks, more = {}) {
  const STATES = ["Nothing", "Task", "FetchingInput", "Idle"], slices = [], layers = [];
  rows.forEach((depths, row) => depths.forEach((list, depth) => {
    const first = slices.length, [start, end] = [0, 1].map((i) => Float64Array.from(list.map((one) => one[i])));
    slices.push(...list);
    layers.push({ row, depth, first, index: new LayerIndex(start, end, () => 1) });
  }));
  const columns = { sliceState: slices.map((one) => STATES.indexOf(one[2])), sliceTask: slices.map((one) => one[3] ?? -1), sliceName: slices.map((one) => (one[2] === "Task" ? 1 : 0)),
                    sliceCount: slices.map((one) => one[4] ?? 1), taskRow: tasks.map((_, i) => i), taskName: tasks.map(() => 0), taskSite: tasks.map(() => -1),
                    taskStart: tasks.map((one) => one[0]), taskEnd: tasks.map((one) => one[1]), taskWorker: tasks.map((one) => one[2]), taskFlops: tasks.map(() => 0) };
  const header = { columns: [], kept: { tasks: tasks.length, tasksTotal: tasks.length }, sites: {},
                   texts: { states: STATES, names: ["gemm"], rows: rows.map(() => ({ kind: "worker" })), workers: rows.map((_, i) => ({ name: `CPU ${i}` })) }, ...more };
  const data = { header, column: (name) => columns[name] };
  return { data, header, layers, tasks: new Tasks(data) };
}

check("of a stretch a report counts what was under way in it: its time within, and whole durations", () => {
  // A task with something pushed onto it that an edge cuts, one that ends where the stretch begins, one without a length.
  const report = reportOf([[[[0, 100, "Task", 0], [100, 160, "Idle"], [160, 160, "Task", 1], [160, 300, "Task", 2]], [[20, 60, "FetchingInput", 0]]], [[[0, 50, "Task", 3], [50, 300, "Idle"]]]],
                          [[0, 100, 0], [160, 160, 0], [160, 300, 0], [0, 50, 1]]);
  const of = (by, fromNs, toNs) => Object.fromEntries(stretchStats(report, { by, internal: false, fromNs, toNs }).groups.map(({ label, tasks, totalNs, minNs, maxNs }) => [label, [tasks, totalNs, minNs, maxNs]]));
  equal(of("codelet", 50, 200), { gemm: [3, 90, 0, 140] }, "by codelet");
  equal(of("worker", 40, 200), { "CPU 0": [3, 100, 0, 140], "CPU 1": [1, 10, 50, 50] }, "by worker");
  equal(of("state", 50, 200), { Idle: [2, 210, 60, 250], Task: [3, 80, 0, 140], FetchingInput: [1, 10, 40, 40] }, "by state");
  equal(of("site", 160, 161), { "no line": [2, 1, 0, 140] }, "of a nanosecond");
  equal(stretchStats(report, { by: "codelet", internal: false, fromNs: 50, toNs: 200 }).shownNs, { task: 80, idle: 210, transfer: 10 }, "what the rows show");
});

check("of a stretch of which a report keeps too little it says so in a line, with what tells it", () => {
  const rows = [[[[0, 100, "Task", 0], [100, 200, "Task", 0, 5], [200, 300, "Idle"]]]], report = reportOf(rows, [[0, 100, 0]], { kept: { tasks: 1, tasksTotal: 9 } });
  const said = (by, fromNs, toNs, from = report) => {
    try {
      return stretchStats(from, { by, internal: false, fromNs, toNs }).groups.length;
    } catch (error) {
      return error.message;
    }
  };
  equal([said("codelet", 0, 90), said("state", 0, 90), said("state", 210, 300)], [1, 1, 1], "where all is kept");
  const line = "This page keeps too little of this stretch to count it; `tasklens stats TRACE --from 50ns --to 150ns` tells it.";
  for (const by of ["codelet", "site", "worker", "state"]) equal(said(by, 50, 150), line, by);
  const shared = reportOf([[[[0, 100, "Task", 0]]]], [[0, 100, 0]], { hasParts: true });
  equal([said("codelet", 0, 90, shared), said("worker", 50, 150, shared)], [1, line], "tasks that several workers had");
});

check("columns of numbers come back as they were", () => {
  const values = [0, 1, -1, 127, 128, -129, 2 ** 31, -(2 ** 31) - 1, 2 ** 52, 5];
  const plain = [0, 127, 128, 2 ** 28, 2 ** 31 - 1];
  const bytes = [];
  const varint = (value) => {
    for (; value >= 128n; value >>= 7n) bytes.push(Number(value & 127n) | 128);
    bytes.push(Number(value));
  };
  let before = 0n;
  for (const value of values.map(BigInt)) {
    const step = value - before;
    varint(step < 0n ? -2n * step - 1n : 2n * step);
    before = value;
  }
  const header = new TextEncoder().encode(JSON.stringify({ columns: [
    { name: "a", count: values.length, coding: "steps", bytes: bytes.length, wide: true },
    { name: "b", count: plain.length, coding: "plain", bytes: 14, wide: false }] }));
  for (const value of plain) varint(BigInt(value));
  const file = new Uint8Array(4 + header.length + bytes.length);
  new DataView(file.buffer).setUint32(0, header.length, true);
  file.set(header, 4);
  file.set(bytes, 4 + header.length);
  const { column } = readColumns(file);
  equal([...column("b")], plain, "the column of small numbers");
  equal([...column("a")], values, "the column");
  equal([column("a") instanceof Float64Array, column("b") instanceof Int32Array], [true, true], "their kinds");
  const parts = readColumns(file);
  let steps = 1;
  while (!parts.prepare("a", 3)) ++steps;
  equal(steps, Math.ceil(values.length / 3), "parts of a column");
  equal([...parts.column("a")], values, "a column that was read part by part");
  holds(!parts.prepare("b", 2), "one of which a part is there");
  equal([...parts.column("b")], plain, "and the rest of it");
});

check("the group that holds a task is known also where its inside was not kept", () => {
  // All of it; a group of two whose parts were not kept; and one of two tasks.
  const columns = { taskRow: [10, 11, 12, 13], gParent: [-1, 0, 0, 2, 2], gTasks: [4, 2, 2, 1, 1], gTask: [-1, -1, -1, 2, 3], gSite: [5, 5, 5, 5, 5], gLeaf: [1, 1, 3, 4] };
  const tree = new GraphTree({ header: {}, column: (name) => columns[name] ?? [] }, { column: "g", group: ["codelet"], labels: [] });
  equal([0, 1, 2, 3].map((place) => tree.groupsAround(place)), [["codelet.1"], ["codelet.1"], ["codelet.2"], ["codelet.2"]], "the groups around");
  equal(tree.members(1).places, [0, 1], "the tasks of a group that does not open");
  equal(tree.members(2), { count: 2, places: [2, 3], site: 5 }, "of one that does");
});

check("what a running program did since the trace was read is never less than it was", () => {
  const tail = (fromNs, endNs, rows, names) => new TimelineTail({ fromNs, endNs, names, rows }, 0);
  const shown = ({ fromNs, layers, names }) => [...layers].map(([row, { start, end, name, count }]) => [row, start.map((at, i) => [fromNs + at, fromNs + end[i], names[name[i]], count[i]])]);
  const first = tail(100, 150, [{ row: 1, start: [0, 10], end: [10, 30], busy: [1, 2], name: [0, 1], count: [1, 2] }, { row: 2, start: [5], end: [50], busy: [1], name: [0], count: [1] }], ["a", "b"]);
  const all = [[1, [[100, 110, "a", 1], [110, 130, "b", 2]]], [2, [[105, 150, "a", 1]]]];
  equal(shown(first), all, "what came");
  // Nothing is known of row 1 anew, and of row 2 more than before; names have other numbers.
  const second = tail(100, 180, [{ row: 2, start: [5, 60], end: [55, 70], busy: [1, 1], name: [0, 1], count: [1, 1] }], ["c", "a"]);
  equal(shown(second.joinedTo(first)), [[1, all[0][1]], [2, [[105, 155, "c", 1], [160, 170, "a", 1]]]], "both");
  equal(second.joinedTo(first).endNs, 180, "the end");
  // What lies before was forgotten by the server.
  const late = tail(100, 180, [{ row: 1, start: [60], end: [70], busy: [1], name: [0], count: [1] }, { row: 2, start: [], end: [], busy: [], name: [], count: [] }], ["a"]);
  equal(shown(late.joinedTo(first)), [[1, [...all[0][1], [160, 170, "a", 1]]], [2, all[1][1]]], "what was forgotten is shown on");
  equal(tail(90, 180, [], []).joinedTo(first).layers.size, 0, "another reading begins anew");
  equal(shown(first.after(115)), [[1, [[115, 130, "b", 2]]], [2, [[115, 150, "a", 1]]]], "after another reading");
  const rows = ["x", "y", "z"].map((name) => ({ name, kind: "worker", rank: 0 }));
  equal(shown(first.onRows(rows, [rows[0], { name: "new", kind: "worker", rank: 0 }, rows[1], rows[2]])).map(([row]) => row), [2, 3], "rows that have moved");
});
check("boxes of a layout never overlap, and frames hold what lies in them", () => {
  for (let round = 0; round < 60; ++round) {
    const frames = [], nodes = [], edges = [];
    for (let i = Math.floor(random() * 6); i > 0; --i) frames.push({ frame: Math.floor(random() * (frames.length + 1)) - 1 });
    for (let i = 1 + Math.floor(random() * 120); i > 0; --i) nodes.push({ frame: Math.floor(random() * (frames.length + 1)) - 1 });
    for (let i = Math.floor(random() * 200); i > 0; --i) {
      const [a, b] = [random(), random()].map((value) => Math.floor(value * nodes.length)).sort((x, y) => x - y);
      if (a !== b) edges.push({ from: a, to: b });
    }
    const { nodes: boxes, frames: around } = layOut(nodes, frames, edges, (i) => i % 2 === 0);
    const isIn = (a, b) => a.x >= b.x - 0.01 && a.y >= b.y - 0.01 && a.x + a.width <= b.x + b.width + 0.01 && a.y + a.height <= b.y + b.height + 0.01;
    boxes.forEach((box, i) => {
      holds(Number.isFinite(box.x) && Number.isFinite(box.y), "it has a place");
      if (nodes[i].frame >= 0) holds(isIn(box, around[nodes[i].frame]), "a node lies in its frame");
      for (let k = 0; k < i; ++k) {
        const other = boxes[k];
        holds(box.x + box.width <= other.x + 0.01 || other.x + other.width <= box.x + 0.01 ||
              box.y + box.height <= other.y + 0.01 || other.y + other.height <= box.y + 0.01, `nodes ${i} and ${k} lie apart`);
      }
    });
    frames.forEach((frame, i) => frame.frame >= 0 && holds(isIn(around[i], around[frame.frame]), "a frame lies in its frame"));
  }
});

check("a group that opens stays where it is; what is right of it moves right, what is below it down, and nothing else moves", () => {
  for (let round = 0; round < 100; ++round) {
    const count = 3 + Math.floor(random() * 60), parts = 2 + Math.floor(random() * 20), opened = Math.floor(random() * count);
    const edges = [];
    for (let i = 0; i < count * 2; ++i) {
      const [from, to] = [Math.floor(random() * count), Math.floor(random() * count)].sort((a, b) => a - b);
      if (from !== to) edges.push({ from, to });
    }
    const nodes = Array.from({ length: count }, () => ({ frame: -1 }));
    const closed = layOut(nodes, [], edges, () => false).nodes;
    // Its parts come in its place, and each of its edges as one or several of theirs.
    const number = (i) => (i > opened ? i + parts - 1 : i), part = () => opened + Math.floor(random() * parts);
    const inside = nodes.flatMap((node, i) => (i === opened ? Array.from({ length: parts }, () => ({ frame: 0 })) : [node]));
    const lifted = edges.flatMap(({ from, to }) => (from === opened || to === opened ? Array.from({ length: 1 + Math.floor(random() * 3) }, () =>
      ({ from: from === opened ? part() : number(from), to: to === opened ? part() : number(to) })) : [{ from: number(from), to: number(to) }]));
    for (let i = 1; i < parts; ++i) lifted.push({ from: opened + i - 1, to: opened + i });
    const open = layOut(inside, [{ frame: -1 }], lifted.sort(() => random() - 0.5), (i) => i >= opened && i < opened + parts);
    const [frame] = open.frames, was = closed[opened], corner = ({ x, y }) => [x, y].map((value) => Math.round(value * 100));
    equal(corner(frame), corner(was), "its corner");
    closed.forEach((box, i) => {
      if (i === opened) return;
      const now = open.nodes[number(i)], isInLine = box.above === was.above;
      const isRight = isInLine && box.x > was.x, isBelow = box.y > was.y && (isInLine ? box.x === was.x : box.above > was.above);
      if (!isRight) equal(Math.round(now.x), Math.round(box.x), `x of ${i}`);
      if (!isBelow) equal(Math.round(now.y), Math.round(box.y), `y of ${i}`);
      holds(now.x >= box.x - 0.01 && now.y >= box.y - 0.01, `${i} gives way`);
    });
  }
});

check("a link gives back what was seen, and takes nothing else from a stranger", () => {
  const home = { from: 0, to: 100 };
  const state = { view: { from: 5, to: 50 }, scroll: 12, split: 0.375, selection: { task: 7 }, within: { site: 3 }, tab: "findings", pane: "table", critical: true,
                  graph: { group: ["codelet"], open: ["a/b c", "x,y"], focus: { task: 3, depth: 4 } }, camera: { x: -1.5, y: 20, scale: 0.25 },
                  colour: "slack", plot: { kind: "durations", by: "size", codelet: "a&b=<c>" }, table: { by: "site", sort: "meanNs", down: false }, extras: ["steal", "curves"] };
  const back = fromLink("#" + toLink(state, home));
  for (const key of Object.keys(state)) equal(back[key], state[key], key);
  for (const change of [{ selection: { codelet: "a&b=<c>" } }, { selection: { task: 7 }, within: { codelet: "x:y" } }]) {
    const wanted = { ...state, ...change }, { selection, within } = fromLink(toLink(wanted, home));
    equal([selection, within], [wanted.selection, wanted.within], "a codelet");
  }
  for (const selection of [{ row: 4, atNs: 50 }, { row: 4, atNs: 50, depth: 0 }, { row: 4 }, { state: "Parallel sync" }, { fromNs: 0, toNs: 50 }]) equal(fromLink(toLink({ ...state, selection }, home)).selection, selection, "a state, or a stretch");
  // Times are those of the axis, also before its zero; links of older pages counted from the first event.
  setZero(1000);
  const seen = { ...state, view: { from: 400, to: 2000 }, selection: { row: 4, atNs: 900 } }, link = toLink(seen, home);
  holds(link.includes("time=-600,1000") && link.includes("row=4&at=-100") && !/Ns=|view=/.test(link), link);
  for (const text of [link, "view=400-2000&row=4&atNs=900"]) {
    const { view, selection } = fromLink(text);
    equal([view, selection], [seen.view, seen.selection], text);
  }
  for (const [text, selection] of [["from=5&to=50", { fromNs: 1005, toNs: 1050 }], ["fromNs=5&toNs=50", { fromNs: 5, toNs: 50 }], ["row=1&gap=-1000", { row: 1, gapNs: 0 }], ["row=1&gapNs=7", { row: 1, gapNs: 7 }]]) equal(fromLink(text).selection, selection, text);
  equal(fromLink("row=1&at=-1001").selection, { row: 1 }, "without a moment before the trace");
  setZero(0);
  for (const focus of [{ task: 1, to: 2 }, { site: 3 }, { handle: 4 }, { tag: "0x1000000000000007" }])
    equal(fromLink(toLink({ ...state, graph: { group: null, open: null, focus } }, home)).graph.focus, focus, "a part of the graph");
});

check("each part of a link that is none is said in a sentence, and the rest is shown", () => {
  const bad = ["camera=1,2", "camera=1,2,x", "camera=,,", "camera=0,0,9", "scroll=-3", "scroll=1e9", "split=0", "split=1", "split=1.5", "split=0.0", "depth=1", "task=1&depth=0", "within=x:1", "within=site:x", "tab=x", "view=9-1", "view=1e9-2e9", "task=<img>",
               "site=-1", "group=", "group=%E0%A4%A", "atNs=5", "at=5", "gap=x", "from=5", "from=7&to=5", "time=9,1", "time=1-9", "time=1e9,2e9", "row=1&depth=0", "row=1&state=x", "state=", "fromNs=5", "toNs=5", "fromNs=5&toNs=5", "fromNs=7&toNs=5", "fromNs=-1&toNs=5", "task=1&fromNs=2&toNs=3", "task=1&site=2", "task=1&row=2&atNs=3", "pane=x", "plot=pie", "plot=", "plotBy=colour", "plotOf=", "plotOf=%E0", "table=__proto__", "sort=__proto__", "sort=", "by=nonsense", "by=site,site",
               "by=%E0", "open=a,a", "open=%E0", "focus=task:x,depth:1", "focus=task:1", "focus=", "colour=<b>", "critical=no", "show=x,__proto__", "show=steal,steal", "%E0%A4%A", "unknown", "__proto__=1"];
  for (const part of bad) {
    const problems = [], change = fromLink(`#${part}&scroll=7`, problems);
    if (!part.startsWith("scroll")) equal(change.scroll, 7, `the rest of ${part}`);
    delete change.scroll;
    equal(change, {}, part);
    holds(problems.length > 0 && problems.every((one) => /^The link's [^\n]+\.$/.test(one)), `${part}: ${problems}`);
  }
  const problems = [];
  equal(fromLink("#", problems), {}, "an empty link");
  equal(problems, [], "problems of an empty link");
  equal(fromLink(toLink({ view: { from: 0, to: 9 }, selection: null, within: null, tab: "selection", pane: "graph", graph: { group: [], open: [], focus: null }, camera: null, colour: "codelet",
                          table: { by: "codelet", sort: "totalNs", down: true }, plot: { kind: "activity", by: null, codelet: null }, critical: false, extras: [] }, { from: 0, to: 9 }), problems).graph, { group: [], open: [], focus: null }, "no groups");
  equal(problems, [], "problems of what a page wrote");
});
check("a table's columns are those that a link can name", () => {
  const columns = [...fs.readFileSync(new URL("../../../ide-plugin/webview/views/table.js", import.meta.url), "utf8").split("const COLUMNS")[1].split("\n];")[0].matchAll(/\["(\w+)", "/g)].map(([, key]) => key);
  equal(columns, SORTS, "columns");
});

check("speeds have the prefix that keeps them short, and two of one unit say it once", () => {
  equal([0, 0.00000002, 0.0003, 0.000999999, 0.42, 31.4159, 2500, 8e7].map((value) => quantity(value, "GFlop/s")),
        ["0 GFlop/s", "0.02 kFlop/s", "300 kFlop/s", "1 MFlop/s", "420 MFlop/s", "31.4 GFlop/s", "2.5 TFlop/s", "80 PFlop/s"], "speeds");
  equal([[0.002, 0.03, "GFlop/s"], [0.002, 3, "GFlop/s"], [1, 1200, "tasks"], [1024, 2048, "bytes"], [1024, 2 ** 21, "bytes/s"]].map((one) => quantities(...one)),
        ["2 to 30 MFlop/s", "2 MFlop/s to 3 GFlop/s", "1 to 1,200", "1.00 to 2.00 KiB", "1.00 KiB/s to 2.00 MiB/s"], "from one to another");
});

check("durations have three digits and a unit", () => {
  equal([0, 842, 1234, 45600000, 2.04e9, 5718e9, -1500].map(duration), ["0 ns", "842 ns", "1.23 µs", "45.6 ms", "2.04 s", "95.3 min", "-1.50 µs"], "texts");
  equal([20250, 20750, 1125, 2675, 999499, 999500].map(duration), ["20.2 µs", "20.8 µs", "1.12 µs", "2.67 µs", "999 µs", "1.00 ms"], "rounded as a server rounds");
});
