// SPDX-License-Identifier: Apache-2.0
// What the page shows: one state for all views, changed through set() only, with a history.
//
// state.view       {from, to} in ns: the stretch of time that the timeline shows
// state.scroll     how far the rows of the timeline are scrolled, in pixels
// state.selection  null, {task}, {site}, {group: id} or {row, atNs}: what a row of the timeline did at a moment
// state.within     null, {site} or {group: id}: whose tasks are gone through one by one
// state.tab        "selection" | "findings"
// state.pane       "graph" | "table"
// state.graph      {group: [...] or null, open: [...] or null, focus}: null leaves it to the answerer; focus is
//                  null (all), {task, depth}, {task, to}, {site}, {handle} or {tag: "0x2a"}
// state.camera     null: the whole graph; {x, y, scale}
// state.colour     one of COLOURS: what the colour of a task says
// state.table      {by, sort, down}
// state.critical   whether the critical path is marked
// state.extras     keys of EXTRAS: what is shown besides

export const INTERNAL = "internal";
export const EXTRAS = [
  [INTERNAL, "Runtime's own tasks", "Tasks that nobody wrote (acquisitions of data, synchronisation): in timeline, graph and tables (h)"],
  ["transfer", "Transfers", "Arrows of data that moved between memory nodes"],
  ["message", "Messages", "Arrows of data that moved between ranks"],
  ["steal", "Steals", "Arrows of tasks that one worker took from another"],
  ["dependency", "Dependencies", "Arrows from each task to those that waited for it"],
  ["flags", "Events", "Flags of the program's own events, barriers, checkpoints"],
  ["pushes", "Pushes and pops", "Flags of tasks that became ready or were taken by a worker, on the scheduler's row"],
  ["curves", "Curves of workers", "GFlop/s and hardware counters of each worker, beneath its row"],
];

export const showsInternal = ({ extras }) => extras.includes(INTERNAL);

// What tasks are grouped and coloured by, as tasklens/graph names it.
export const GROUPS = [["iteration", "Iterations"], ["codelet", "Codelets"], ["site", "Lines"], ["levels", "Levels"], ["data", "Data"], ["worker", "Workers"]];
export const COLOURS = [["codelet", "Codelet"], ["worker", "Worker"], ["duration", "Duration"], ["waiting", "Waiting"], ["slack", "Slack"], ["iteration", "Iteration"]];

const MOVES = ["view", "scroll", "camera"];
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

  // listener(state, before, isStep), as of become().
  subscribe(listener) {
    this.listeners.push(listener);
  }

  // Moves that follow each other closely (a zoom with the wheel) are one step of the history; so is what a step
  // brings with it (`isPart`).
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
    this.become(from.pop());
  }

  // `isStep`: back or forward in the history.
  become(state, isStep = false) {
    const before = this.state;
    this.state = state;
    for (const listener of this.listeners) listener(state, before, isStep);
  }
}

// The state as the part of an address behind #, and back. Of a foreign link nothing is taken that
// is not of the right kind.
export function toLink(state, home) {
  const parts = [];
  if (state.view.from !== home.from || state.view.to !== home.to)
    parts.push(`view=${Math.round(state.view.from)}-${Math.round(state.view.to)}`);
  if (state.scroll) parts.push(`scroll=${state.scroll}`);
  for (const [kind, value] of Object.entries(state.selection || {})) parts.push(`${kind}=${encodeURIComponent(value)}`);
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
  if (state.critical) parts.push("critical");
  if (state.extras.length) parts.push(`show=${state.extras.join(",")}`);
  return parts.join("&");
}

const TABLES = ["codelet", "site", "worker", "state"];
const FOCUS = { task: /^\d+$/, depth: /^\d{1,3}$/, to: /^\d+$/, site: /^\d+$/, handle: /^\d+$/, tag: /^0x[0-9a-f]{1,16}$/ };
const FOCUSES = ["task,depth", "task,to", "site", "handle", "tag"];

function focusFrom(text) {
  const parts = text.split(",").map((part) => part.split(":"));
  if (!FOCUSES.includes(parts.map(([key]) => key).join()) || !parts.every(([key, value]) => FOCUS[key].test(value))) return null;
  return Object.fromEntries(parts.map(([key, value]) => [key, key === "tag" ? value : Number(value)]));
}

// The change of the state, and of each part that is none a sentence in `problems`.
export function fromLink(text, problems = []) {
  const change = {};
  const bad = (part, why) => problems.push(`The link's ${part} is none: ${why}.`);
  const link = new Map(text.replace(/^#/, "").split("&").map((part) => {
    const at = part.indexOf("=");
    return at < 0 ? [part, ""] : [part.slice(0, at), part.slice(at + 1)];
  }));
  const decode = (value) => {
    try {
      return decodeURIComponent(value);
    } catch {
      return "";
    }
  };
  const view = /^(-?\d+)-(-?\d+)$/.exec(link.get("view") || "");
  if (view && Number(view[1]) < Number(view[2])) change.view = { from: Number(view[1]), to: Number(view[2]) };
  if (/^\d{1,7}$/.test(link.get("scroll") || "")) change.scroll = Number(link.get("scroll"));
  for (const kind of ["task", "site"])
    if (/^\d+$/.test(link.get(kind) || "")) change.selection = { [kind]: Number(link.get(kind)) };
  if (link.get("group")) change.selection = { group: decode(link.get("group")) };
  if (/^\d+$/.test(link.get("row") || "") && /^\d+$/.test(link.get("atNs") || ""))
    change.selection = { row: Number(link.get("row")), atNs: Number(link.get("atNs")) };
  const within = /^(site|group):(.+)$/.exec(link.get("within") || "");
  if (within && (within[1] === "group" || /^\d+$/.test(within[2])))
    change.within = { [within[1]]: within[1] === "site" ? Number(within[2]) : decode(within[2]) };
  if (link.get("tab") === "findings") change.tab = "findings";
  if (link.get("pane") === "table") change.pane = "table";
  if (link.has("by") || link.has("open") || link.has("focus")) {
    const group = link.has("by") ? decode(link.get("by")).split(",").filter(Boolean) : null;
    const unknown = group?.find((name, i) => !GROUPS.some(([known]) => known === name) || group.indexOf(name) !== i);
    if (unknown !== undefined) bad("grouping", `graphs are grouped by ${GROUPS.map(([name]) => name).join(", ")}, each once`);
    const focus = link.has("focus") ? focusFrom(decode(link.get("focus"))) : null;
    if (link.has("focus") && !focus) bad("part of the graph", "it names a task with a depth or another task, a site, a handle or a tag");
    const open = link.has("open") && unknown === undefined ? link.get("open").split(",").filter(Boolean).map(decode) : null;
    change.graph = { group: unknown === undefined ? group : null, open, focus };
  }
  const camera = (link.get("camera") || "").split(",").map(Number);
  if (camera.length === 3 && camera.every(Number.isFinite) && camera[2] >= 0.001 && camera[2] <= 8)
    change.camera = { x: camera[0], y: camera[1], scale: camera[2] };
  if (link.has("colour")) {
    if (COLOURS.some(([known]) => known === link.get("colour"))) change.colour = link.get("colour");
    else bad("colouring", `tasks are coloured by ${COLOURS.map(([name]) => name).join(", ")}`);
  }
  const sort = /^(-?)([a-zA-Z]+)$/.exec(link.get("sort") || "-totalNs");
  if (TABLES.includes(link.get("table")) || link.has("sort"))
    change.table = { by: TABLES.includes(link.get("table")) ? link.get("table") : "codelet", sort: sort ? sort[2] : "totalNs", down: !sort || sort[1] === "-" };
  if (link.has("critical")) change.critical = true;
  const extras = (link.get("show") || "").split(",").filter((key) => EXTRAS.some(([known]) => known === key));
  if (extras.length) change.extras = [...new Set(extras)];
  return change;
}
