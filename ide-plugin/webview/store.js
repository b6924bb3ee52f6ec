// SPDX-License-Identifier: Apache-2.0
// What the page shows: one state for all views, changed through set() only, with a history.
//
// state.view       {from, to} in ns: the stretch of time that the timeline shows
// state.selection  null, {task}, {site}, {group: id} or {row, atNs}: what a row of the timeline did at a moment
// state.pane       "graph" | "table"
// state.graph      {group: [...] or null, open: [...] or null}: null leaves it to the answerer
// state.table      {by, sort, down}
// state.critical   whether the critical path is marked
// state.extras     keys of EXTRAS: what the timeline shows besides states

export const EXTRAS = [
  ["transfer", "Transfers", "Arrows of data that moved between memory nodes"],
  ["message", "Messages", "Arrows of data that moved between ranks"],
  ["steal", "Steals", "Arrows of tasks that one worker took from another"],
  ["dependency", "Dependencies", "Arrows from each task to those that waited for it"],
  ["flags", "Events", "Flags of the program's own events, barriers, checkpoints"],
  ["pushes", "Pushes and pops", "Flags of tasks that became ready or were taken by a worker, on the scheduler's row"],
  ["curves", "Curves of workers", "GFlop/s and hardware counters of each worker, beneath its row"],
];

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

  subscribe(listener) {
    this.listeners.push(listener);
  }

  // Moves that follow each other closely (a zoom with the wheel) are one step of the history.
  set(change) {
    const keys = Object.keys(change).join();
    const now = performance.now();
    if (keys !== this.lastMove.keys || now - this.lastMove.at > SAME_MOVE_MS || keys !== "view") {
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

  become(state) {
    const before = this.state;
    this.state = state;
    for (const listener of this.listeners) listener(state, before);
  }
}

// The state as the part of an address behind #, and back. Of a foreign link nothing is taken that
// is not of the right kind.
export function toLink(state, home) {
  const parts = [];
  if (state.view.from !== home.from || state.view.to !== home.to)
    parts.push(`view=${Math.round(state.view.from)}-${Math.round(state.view.to)}`);
  for (const [kind, value] of Object.entries(state.selection || {})) parts.push(`${kind}=${encodeURIComponent(value)}`);
  if (state.pane !== "graph") parts.push(`pane=${state.pane}`);
  if (state.graph.group) parts.push(`by=${encodeURIComponent(state.graph.group.join(","))}`);
  if (state.graph.open) parts.push(`open=${state.graph.open.map(encodeURIComponent).join(",")}`);
  if (state.table.by !== "codelet") parts.push(`table=${state.table.by}`);
  if (state.table.sort !== "totalNs" || !state.table.down) parts.push(`sort=${state.table.down ? "-" : ""}${state.table.sort}`);
  if (state.critical) parts.push("critical");
  if (state.extras.length) parts.push(`show=${state.extras.join(",")}`);
  return parts.join("&");
}

const TABLES = ["codelet", "site", "worker", "state"];

export function fromLink(text) {
  const change = {};
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
  for (const kind of ["task", "site"])
    if (/^\d+$/.test(link.get(kind) || "")) change.selection = { [kind]: Number(link.get(kind)) };
  if (link.get("group")) change.selection = { group: decode(link.get("group")) };
  if (/^\d+$/.test(link.get("row") || "") && /^\d+$/.test(link.get("atNs") || ""))
    change.selection = { row: Number(link.get("row")), atNs: Number(link.get("atNs")) };
  if (link.get("pane") === "table") change.pane = "table";
  if (link.has("by") || link.has("open"))
    change.graph = {
      group: link.has("by") ? decode(link.get("by")).split(",").filter(Boolean) : null,
      open: link.has("open") ? link.get("open").split(",").filter(Boolean).map(decode) : null,
    };
  const sort = /^(-?)([a-zA-Z]+)$/.exec(link.get("sort") || "-totalNs");
  if (TABLES.includes(link.get("table")) || link.has("sort"))
    change.table = { by: TABLES.includes(link.get("table")) ? link.get("table") : "codelet", sort: sort ? sort[2] : "totalNs", down: !sort || sort[1] === "-" };
  if (link.has("critical")) change.critical = true;
  const extras = (link.get("show") || "").split(",").filter((key) => EXTRAS.some(([known]) => known === key));
  if (extras.length) change.extras = [...new Set(extras)];
  return change;
}
