// SPDX-License-Identifier: Apache-2.0
// The state that all views share. It is changed only through set(), and has a history.
//
// Times are in ns from the first event of the trace, as in answers; times in links count from the
// axis' zero.
//
// state.view       {from, to}: the interval that the timeline shows
// state.split      null, or the timeline's part of the height of timeline and graph
// state.scroll     scroll offset of the rows of the timeline, in pixels
// state.selection  null, {task}, {site}, {codelet: name}, {group: id}; {row, atNs, depth}: the
//                  state of a row at a moment, in the layer `depth` or else the topmost one there;
//                  {row}: a whole row; {state: name}: all states of a name; {fromNs, toNs}: an
//                  interval of the run, in whole nanoseconds, fromNs < toNs
// state.within     null, {site}, {codelet: name} or {group: id}: the tasks to step through
// state.tab        "selection" | "findings"
// state.pane       "graph" | "table" | "plots"
// state.graph      {group: [...] or null, open: [...] or null, focus}: null is the host's choice;
//                  focus is null (all), {task, depth}, {task, to}, {site}, {handle} or {tag: "0x2a"}
// state.camera     null: the whole graph; {x, y, scale}
// state.colour     one of COLOURS: the meaning of a task's colour
// state.table      {by, sort, down}
// state.plot       {kind, by, codelet}: by null is the default of the kind, codelet null is all
// state.critical   whether the critical path is marked
// state.extras     keys of EXTRAS: further data that is shown
import { ofTrace, sinceZero } from "./format.js";

export const INTERNAL = "internal", ESTIMATES = "estimates";
export const EXTRAS = [
  [INTERNAL, "Runtime's own tasks", "The runtime's own tasks (acquisitions of data, synchronisation), in timeline, graph and tables (h)"],
  ["transfer", "Transfers", "Arrows of data that moved between memory nodes"],
  ["message", "Messages", "Arrows of data that moved between ranks"],
  ["steal", "Steals", "Arrows of tasks that one worker took from another"],
  ["dependency", "Dependencies", "Arrows from each task to those that waited for it"],
  ["flags", "Events", "Flags of the program's own events, barriers, checkpoints, messages that were not needed"],
  ["pushes", "Pushes and pops", "Flags of tasks that became ready or were taken by a worker, on the scheduler's row"],
  [ESTIMATES, "Expected lengths", "A line beneath each task: how long its perfmodel expected it to take on its worker (m)"],
  ["curves", "Curves of workers", "GFlop/s and hardware counters of each worker, beneath its row"],
];

export const showsInternal = ({ extras }) => extras.includes(INTERNAL);
export const showsEstimates = ({ extras }) => extras.includes(ESTIMATES);

// The selected interval of the run, or null.
export const stretchOf = ({ selection }) => (selection?.fromNs === undefined ? null : selection);

// The groupings and colourings of tasks, as tasklens/graph names them.
export const GROUPS = [["iteration", "Iterations"], ["codelet", "Codelets"], ["site", "Lines"], ["levels", "Levels"], ["data", "Data"], ["worker", "Workers"]];
export const COLOURS = [["codelet", "Codelet"], ["worker", "Worker"], ["duration", "Duration"], ["waiting", "Waiting"], ["slack", "Slack"], ["iteration", "Iteration"]];

// The kinds of plots and their groupings, as tasklens/plot names them.
export const PLOTS = ["durations", "sizes", "over-time", "activity", "messages", "message-use", "speed", "summary"];
export const PLOT_BY = ["codelet", "size", "worker"];

const MOVES = ["view", "scroll", "split", "camera"];
const MOST_STEPS = 200;
const SAME_MOVE_MS = 600;

export class Store {
  constructor(initial) {
    this.state = initial;
    this.listeners = [];
    this.past = [];
    this.future = [];
    this.lastMove = { keys: "", at: -Infinity };
  }

  // listener(state, before, isStep), see become().
  subscribe(listener) {
    this.listeners.push(listener);
  }

  // Moves in quick succession (a zoom with the wheel) are one step of the history; so are changes
  // that result from a step (`isPart`).
  set(change, isPart = false) {
    if (isPart) return this.become({ ...this.state, ...change });
    const keys = Object.keys(change).join();
    const now = performance.now();
    if (keys !== this.lastMove.keys || now - this.lastMove.at > SAME_MOVE_MS || !Object.keys(change).every((key) => MOVES.includes(key))) {
      this.past.push(this.state);
      if (this.past.length > MOST_STEPS) this.past.shift();
      this.future = [];
    }
    this.lastMove = { keys, at: now };
    this.become({ ...this.state, ...change });
  }

  undo() {
    this.step(this.past, this.future);
  }

  redo() {
    this.step(this.future, this.past);
  }

  step(from, to) {
    if (!from.length) return;
    to.push(this.state);
    this.lastMove = { keys: "", at: -Infinity };
    this.become(from.pop(), true);
  }

  // `isStep`: back or forward in the history.
  become(state, isStep = false) {
    const before = this.state;
    this.state = state;
    for (const listener of this.listeners) listener(state, before, isStep);
  }
}

// The names of times in links: they count from the axis' zero, like all displayed times.
const TIMES = { atNs: "at", gapNs: "gap", fromNs: "from", toNs: "to" };

// The state as the fragment of an address, and back. Parts of the wrong type are ignored, because
// links may come from anyone.
export function toLink(state, home) {
  const parts = [], timed = (ns) => Math.round(sinceZero(ns));
  if (state.view.from !== home.from || state.view.to !== home.to) parts.push(`time=${timed(state.view.from)},${timed(state.view.to)}`);
  if (state.scroll) parts.push(`scroll=${state.scroll}`);
  if (state.split) parts.push(`split=${Number(state.split.toFixed(3))}`);
  for (const [kind, value] of Object.entries(state.selection || {})) parts.push(TIMES[kind] ? `${TIMES[kind]}=${timed(value)}` : `${kind}=${encodeURIComponent(value)}`);
  for (const [kind, value] of Object.entries(state.within || {})) parts.push(`within=${kind}:${encodeURIComponent(value)}`);
  if (state.tab !== "selection") parts.push(`tab=${state.tab}`);
  if (state.pane !== "graph") parts.push(`pane=${state.pane}`);
  if (state.graph.group) parts.push(`by=${encodeURIComponent(state.graph.group.join(","))}`);
  if (state.graph.open) parts.push(`open=${state.graph.open.map(encodeURIComponent).join(",")}`);
  if (state.graph.focus) parts.push(`focus=${Object.entries(state.graph.focus).map((part) => part.join(":")).join(",")}`);
  if (state.camera) parts.push(`camera=${[state.camera.x, state.camera.y, state.camera.scale].map((value) => Number(value.toPrecision(6))).join(",")}`);
  if (state.colour !== "codelet") parts.push(`colour=${state.colour}`);
  if (state.table.by !== "codelet") parts.push(`table=${state.table.by}`);
  if (state.table.sort !== "totalNs" || !state.table.down) parts.push(`sort=${state.table.down ? "-" : ""}${state.table.sort}`);
  if (state.plot.kind !== "activity") parts.push(`plot=${state.plot.kind}`);
  if (state.plot.by) parts.push(`plotBy=${state.plot.by}`);
  if (state.plot.codelet) parts.push(`plotOf=${encodeURIComponent(state.plot.codelet)}`);
  if (state.critical) parts.push("critical");
  if (state.extras.length) parts.push(`show=${state.extras.join(",")}`);
  return parts.join("&");
}

// Keys of the table's columns.
export const SORTS = ["label", "tasks", "totalNs", "share", "meanNs", "medianNs", "minNs", "maxNs", "stddevNs", "gflops"];
const TABLES = ["codelet", "site", "worker", "state"];
const FOCUS = { task: /^\d+$/, depth: /^\d{1,3}$/, to: /^\d+$/, site: /^\d+$/, handle: /^\d+$/, tag: /^0x[0-9a-f]{1,16}$/ };
const FOCUSES = ["task,depth", "task,to", "site", "handle", "tag"];

const words = (list) => list.map(([key]) => key).join(", ");
const decoded = (text) => {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
};
// Converters from a part of a link to its value; null: invalid.
const number = (text) => (/^\d{1,15}$/.test(text) ? Number(text) : null);
// A moment of the trace, from a time that counts from the axis' zero.
function momentFrom(text) {
  const ns = /^-?\d{1,15}$/.test(text) ? ofTrace(Number(text)) : -1;
  return ns >= 0 ? ns : null;
}
const oneOf = (keys) => (text) => (keys.includes(text) ? text : null);
const listOf = (isGood) => (text) => {
  const list = text === "" ? [] : text.split(",").map(decoded);
  return list.every((one, i) => one && isGood(one) && list.indexOf(one) === i) ? list : null;
};

// A view may reach beyond the trace.
function timeFrom(text) {
  const [, from, to] = (/^(-?\d{1,18}),(-?\d{1,18})$/.exec(text) ?? []).map(Number);
  return from < to ? { from: ofTrace(from), to: ofTrace(to) } : null;
}

function viewFrom(text) {
  const [, from, to] = (/^(-?\d{1,18})-(-?\d{1,18})$/.exec(text) ?? []).map(Number);
  return from < to ? { from, to } : null;
}

function splitFrom(text) {
  const split = /^0\.\d{1,6}$/.test(text) ? Number(text) : 0;
  return split > 0 ? split : null;
}

function cameraFrom(text) {
  const [x, y, scale, ...more] = text.split(",").map((one) => (one.trim() ? Number(one) : NaN));
  return !more.length && [x, y].every(Number.isFinite) && scale >= 0.001 && scale <= 8 ? { x, y, scale } : null;
}

function withinFrom(text) {
  const [, kind, value] = /^(site|codelet|group):(.+)$/.exec(text) ?? [], what = kind === "site" ? number(value) : kind && decoded(value);
  return (what ?? null) === null ? null : { [kind]: what };
}

function focusFrom(text) {
  const parts = (decoded(text) ?? "").split(",").map((part) => part.split(":"));
  if (!FOCUSES.includes(parts.map(([key]) => key).join()) || !parts.every(([key, value]) => FOCUS[key].test(value))) return null;
  return Object.fromEntries(parts.map(([key, value]) => [key, key === "tag" ? value : Number(value)]));
}

function sortFrom(text) {
  const sort = text.replace(/^-/, "");
  return SORTS.includes(sort) ? { sort, down: text.startsWith("-") } : null;
}

// The parts of a link: key, name, valid values, converter, and the resulting change of the state.
const PARTS = [
  ["time", "stretch of time", "two times in ns from the first submission, the first before the second", timeFrom, (state, view) => ({ view })],
  ["scroll", "place of the rows", "a number of pixels", (text) => (/^\d{1,7}$/.test(text) ? Number(text) : null), (state, scroll) => ({ scroll })],
  ["split", "height of the timeline", "a part of 1, as 0.4", splitFrom, (state, split) => ({ split })],
  ["task", "task", "its number", number, ({ selection }, task) => ({ selection: { ...selection, task } })],
  ["site", "line", "its number", number, ({ selection }, site) => ({ selection: { ...selection, site } })],
  ["codelet", "codelet", "its name", (text) => decoded(text) || null, ({ selection }, codelet) => ({ selection: { ...selection, codelet } })],
  ["group", "group", "its name", (text) => decoded(text) || null, ({ selection }, group) => ({ selection: { ...selection, group } })],
  ["state", "state", "its name", (text) => decoded(text) || null, ({ selection }, state) => ({ selection: { ...selection, state } })],
  ["row", "row", "its number", number, ({ selection }, row) => ({ selection: { ...selection, row } })],
  ["at", "moment", "a time in ns from the first submission, with row", momentFrom, ({ selection }, atNs) => ({ selection: { ...selection, atNs } })],
  ["gap", "moment without a task", "a time in ns from the first submission, with row", momentFrom, ({ selection }, gapNs) => ({ selection: { ...selection, gapNs } })],
  ["depth", "layer of states", "its number, with row and at", number, ({ selection }, depth) => ({ selection: { ...selection, depth } })],
  ["from", "begin of a stretch", "a time in ns from the first submission, with to", momentFrom, ({ selection }, fromNs) => ({ selection: { ...selection, fromNs } })],
  ["to", "end of a stretch", "a time in ns from the first submission, with from", momentFrom, ({ selection }, toNs) => ({ selection: { ...selection, toNs } })],
  ["within", "walk through tasks", "site: and a number, or codelet: or group: and a name", withinFrom, (state, within) => ({ within })],
  ["tab", "tab", "selection or findings", oneOf(["selection", "findings"]), (state, tab) => ({ tab })],
  ["pane", "pane", "graph, table or plots", oneOf(["graph", "table", "plots"]), (state, pane) => ({ pane })],
  ["by", "grouping", `graphs are grouped by ${words(GROUPS)}, each once`, (text) => listOf((name) => GROUPS.some(([known]) => known === name))(decoded(text) ?? ","), ({ graph }, group) => ({ graph: { ...graph, group } })],
  ["open", "open groups", "names of groups, each once", listOf(() => true), ({ graph }, open) => ({ graph: { ...graph, open } })],
  ["focus", "part of the graph", "it names a task with a depth or another task, a site, a handle or a tag", focusFrom, ({ graph }, focus) => ({ graph: { ...graph, focus } })],
  ["camera", "place in the graph", "x, y and a scale of 0.001 to 8", cameraFrom, (state, camera) => ({ camera })],
  ["colour", "colouring", `tasks are coloured by ${words(COLOURS)}`, oneOf(COLOURS.map(([key]) => key)), (state, colour) => ({ colour })],
  ["table", "table", `one of ${TABLES.join(", ")}`, oneOf(TABLES), ({ table }, by) => ({ table: { ...table, by } })],
  ["sort", "order of the table", `one of ${SORTS.join(", ")}, with - the largest first`, sortFrom, ({ table }, sort) => ({ table: { ...table, ...sort } })],
  ["plot", "plot", `one of ${PLOTS.join(", ")}`, oneOf(PLOTS), ({ plot }, kind) => ({ plot: { ...plot, kind } })],
  ["plotBy", "grouping of the plot", `one of ${PLOT_BY.join(", ")}`, oneOf(PLOT_BY), ({ plot }, by) => ({ plot: { ...plot, by } })],
  ["plotOf", "codelet of the plot", "its name", (text) => decoded(text) || null, ({ plot }, codelet) => ({ plot: { ...plot, codelet } })],
  ["critical", "critical path", "it has no value", (text) => (text === "" ? true : null), (state, critical) => ({ critical })],
  ["show", "list of what is shown besides", `some of ${words(EXTRAS)}`, listOf((key) => EXTRAS.some(([known]) => known === key)), (state, extras) => ({ extras })],
];
// Parts of old links, which count times from the first event of the trace.
const OLDER = [
  ["view", "stretch of time", "two times in ns, the first before the second", viewFrom, (state, view) => ({ view })],
  ["atNs", "moment", "a time in ns, with row", number, ({ selection }, atNs) => ({ selection: { ...selection, atNs } })],
  ["gapNs", "moment without a task", "a time in ns, with row", number, ({ selection }, gapNs) => ({ selection: { ...selection, gapNs } })],
  ["fromNs", "begin of a stretch", "a time in ns, with toNs", number, ({ selection }, fromNs) => ({ selection: { ...selection, fromNs } })],
  ["toNs", "end of a stretch", "a time in ns, with fromNs", number, ({ selection }, toNs) => ({ selection: { ...selection, toNs } })],
];
const SELECTIONS = ["task", "site", "codelet", "group", "state", "row", "gapNs,row", "atNs,row", "atNs,depth,row", "fromNs,toNs"];
const isSelection = (one) => SELECTIONS.includes(Object.keys(one).sort().join()) && !(one.fromNs >= one.toNs);
const LONGEST_NAME = 40;  // of an unknown part in a message

// Returns the change of the state; adds a sentence to `problems` for each invalid part.
export function fromLink(text, problems = []) {
  const start = { graph: { group: null, open: null, focus: null }, table: { by: "codelet", sort: "totalNs", down: true }, plot: { kind: "activity", by: null, codelet: null } };
  let change = {};
  for (const part of text.replace(/^#/, "").split("&").filter(Boolean)) {
    const at = part.indexOf("="), key = at < 0 ? part : part.slice(0, at);
    const known = [...PARTS, ...OLDER].find(([name]) => name === key);
    if (!known) {
      problems.push(`The link's part "${key.slice(0, LONGEST_NAME)}" is not known: there are ${PARTS.map(([name]) => name).join(", ")}.`);
      continue;
    }
    const [, what, wants, read, changed] = known, value = read(at < 0 ? "" : part.slice(at + 1));
    if (value === null) problems.push(`The link's ${what} is invalid: ${wants}.`);
    else change = { ...change, ...changed({ ...start, ...change }, value) };
  }
  // Open groups apply only together with their grouping.
  if (change.graph?.open && !change.graph.group && /(^#?|&)by=/.test(text)) change.graph = { ...change.graph, open: null };
  if (change.selection && !isSelection(change.selection)) {
    problems.push("The link's selection is invalid: it must be one of task, site, codelet, group, state, row, row with at or gap, or from with a later to.");
    delete change.selection;
  }
  return change;
}
