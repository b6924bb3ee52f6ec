// SPDX-License-Identifier: Apache-2.0
// Statistics of an interval from the columns of a report, equal to a server's answer, if the report
// keeps everything in the interval. It does not keep why workers were idle, so `timesNs` is
// replaced by `shownNs`: the time in each kind of state of their rows.
import { firstAbove, firstAtLeast } from "./columns.js";
import { typed } from "../format.js";
import { stateGroup } from "../states.js";
import { summed } from "./durations.js";

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

// The states in the interval, each with the time in which no deeper state lay within it; null if
// the page does not keep all of them and their tasks.
function statesIn(answers, stretch, internal) {
  const { data, header } = answers, found = [], byRow = new Map();
  for (const layer of answers.layers) byRow.set(layer.row, [...(byRow.get(layer.row) ?? []), layer]);
  const [count, task, name, state, own] = ["Count", "Task", "Name", "State", "Internal"].map((one) => data.column(`slice${one}`));
  const isTask = header.texts.states.map((one) => stateGroup(one) === "task");
  for (const [row, layers] of byRow) {
    const meeting = (layer, { fromNs, toNs }) => {
      let i = firstAbove(layer.index.end, fromNs - 1);  // one without a length may begin there
      const last = firstAtLeast(layer.index.start, toNs, i), places = [];
      for (; i < last; ++i) if (within({ fromNs, toNs }, layer.index.start[i], layer.index.end[i]) !== null) places.push(i);
      return places;
    };
    // For a state that extends beyond the interval, deeper states outside of it count, too.
    const around = { ...stretch };
    for (const layer of layers)
      for (const i of meeting(layer, stretch)) {
        around.fromNs = Math.min(around.fromNs, layer.index.start[i]);
        around.toNs = Math.max(around.toNs, layer.index.end[i]);
      }
    const depths = [];  // by depth: the states of the row
    for (const layer of layers) {
      const outer = depths[layer.depth - 1] ?? [], here = (depths[layer.depth] = []);
      let at = -1;
      for (const i of meeting(layer, around)) {
        const slice = layer.first + i, start = layer.index.start[i], end = layer.index.end[i], inside = within(stretch, start, end);
        if (count[slice] > 1 || (inside !== null && isTask[state[slice]] && name[slice] > 0 && task[slice] < 0)) return null;
        const one = { row, state: state[slice], start, end, length: end - start, inside, isOwn: Boolean(own?.[slice]) && !internal };
        here.push(one);
        while (at + 1 < outer.length && outer[at + 1].start <= start) ++at;
        if (at < 0 || outer[at].end <= start) continue;
        outer[at].length = Math.max(outer[at].length - (end - start), 0);
        if (inside !== null && outer[at].inside !== null) outer[at].inside = Math.max(outer[at].inside - inside, 0);
      }
    }
    for (const one of depths.flat()) if (one.inside !== null) found.push(one);
  }
  return found;
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
