// SPDX-License-Identifier: Apache-2.0
// Statistics of an interval from the columns of a report, equal to a server's answer, if the report
// keeps everything in the interval. It does not keep why workers were idle, so `timesNs` is
// replaced by `shownNs`: the time in each kind of state of their rows.
import { firstAtLeast } from "./columns.js";
import { typed } from "../format.js";
import { stateGroup } from "../states.js";
import { summed } from "./durations.js";
import { pushedOnto } from "./row_mix.js";

const MOST_GROUPS = 1000;

// The part of [start, end) within the interval; null if there is none.
function within({ fromNs, toNs }, start, end) {
  if ((end <= fromNs && start < fromNs) || start >= toNs) return null;
  return Math.min(end, toNs) - Math.max(start, fromNs);
}

// `answers`: a ReportAnswers.
export function stretchStats(answers, { by, internal, ...stretch }) {
  const states = statesIn(answers, stretch, internal), groups = new Map();
  const add = (key, label, length, inside, flops = 0) => {
    if (!groups.has(key)) groups.set(key, { key, label, lengths: [], totalNs: 0, flops: 0, flopsNs: 0 });
    const group = groups.get(key);
    group.lengths.push(length);
    group.totalNs += inside;
    if (!(flops > 0)) return;
    group.flops += flops;
    group.flopsNs += length;
  };
  if (by === "state") for (const { state, length, inside } of states ?? tooLittle(stretch)) add(state, answers.header.texts.states[state], length, inside);
  else eachTask(answers, { by, internal, stretch, isWhole: states !== null }, add);
  const list = [...groups.values()].sort((a, b) => b.totalNs - a.totalNs || (a.key < b.key ? -1 : 1));
  return {
    by, ...stretch, count: list.length, shownNs: states && shownBy(answers, states),
    groups: list.slice(0, MOST_GROUPS).map(({ label, lengths, totalNs, flops, flopsNs }) => ({
      label, tasks: lengths.length, totalNs, ...summed(lengths), gflops: flopsNs > 0 ? flops / flopsNs : null })),
  };
}

// `isWhole`: all states of the interval are kept, and all their tasks.
function eachTask({ tasks, header, data }, { by, internal, stretch, isWhole }, add) {
  if (header.kept.tasks < header.kept.tasksTotal && !isWhole) tooLittle(stretch);
  // The columns of tasks do not say which part of a task ran on which worker.
  if (by === "worker" && header.hasParts) tooLittle(stretch);
  const [start, end, flops] = ["Start", "End", "Flops"].map((name) => data.column(`task${name}`)), cut = data.column("taskCut");
  const { sites } = header, keyOf = { codelet: (place) => tasks.name(place), site: (place) => tasks.get("Site", place), worker: (place) => tasks.get("Worker", place) }[by];
  const labelOf = { codelet: (key) => key, site: (key) => (key < 0 ? "no line" : `${sites[key].file}:${sites[key].line}`), worker: (key) => header.texts.workers[key]?.name ?? "no worker" }[by];
  for (let place = 0; place < tasks.count; ++place) {
    if (start[place] < 0 || end[place] < start[place] || cut?.[place] || (!internal && tasks.isInternal(place))) continue;
    const inside = within(stretch, start[place], end[place]);
    if (inside === null) continue;
    const key = keyOf(place);
    add(key, labelOf(key), end[place] - start[place], inside, flops[place]);
  }
}

// Calls visit(slice, outer, ns, row) for the kept states that lie in the interval at least in part, those
// pushed onto others after these: `outer` is the one below, or -1; `ns` its time within.
function eachState({ layers }, stretch, visit) {
  for (const layer of layers) {
    const { first, index: { start, end } } = layer, onto = pushedOnto(layer, layers);
    for (let i = firstAtLeast(end, stretch.fromNs); i < start.length && start[i] < stretch.toNs; ++i) {
      const ns = within(stretch, start[i], end[i]);
      if (ns !== null) visit(first + i, onto[i], ns, layer.row);
    }
  }
}

// By kept state, its time within the interval without that of the states pushed onto it; NaN: of
// these several are kept as one.
function ownNs(answers, stretch) {
  const count = answers.data.column("sliceCount"), own = new Float64Array(count.length);
  eachState(answers, stretch, (slice, outer, ns) => {
    own[slice] = ns;
    if (outer >= 0) own[outer] = Math.max(own[outer] - (count[slice] > 1 ? NaN : ns), 0);
  });
  return own;
}

// The states in the interval, each with the time in which no deeper state lay within it; null if
// the page does not keep all of them and their tasks.
function statesIn(answers, stretch, internal) {
  const { data, header, tasks } = answers, found = [];
  const [count, task, name, state, own] = ["Count", "Task", "Name", "State", "Internal"].map((one) => data.column(`slice${one}`));
  const isTask = header.texts.states.map((one) => stateGroup(one) === "task");
  const inside = ownNs(answers, stretch), whole = tasks.once("own times of states", () => ownNs(answers, { fromNs: -Infinity, toNs: Infinity }));
  let isKept = true;
  eachState(answers, stretch, (slice, outer, ns, row) => {
    isKept &&= count[slice] === 1 && !Number.isNaN(whole[slice]) && !(isTask[state[slice]] && name[slice] > 0 && task[slice] < 0);
    found.push({ row, state: state[slice], length: whole[slice], inside: inside[slice], isOwn: Boolean(own?.[slice]) && !internal });
  });
  return isKept ? found : null;
}

// For workers; the runtime's own tasks count as overhead, as in the timeline.
function shownBy({ header }, states) {
  const times = {};
  for (const { row, state, inside, isOwn } of states) {
    if (header.texts.rows[row].kind !== "worker") continue;
    const group = isOwn ? "runtime" : stateGroup(header.texts.states[state]);
    times[group] = (times[group] ?? 0) + inside;
  }
  return times;
}

// The command that prints all statistics of an interval.
export const commandOf = ({ fromNs, toNs }) => `tasklens stats TRACE --from ${typed(fromNs)} --to ${typed(toNs)}`;

function tooLittle(stretch) {
  throw new Error(`This page keeps too little of this stretch to count it; \`${commandOf(stretch)}\` tells it.`);
}
