// SPDX-License-Identifier: Apache-2.0
// Parts of the graph from the data of a report, task by task: the tasks around a task, between two
// tasks, of a line, of a handle or with a tag. Only kept tasks are shown, and the answer says so.
import { count } from "../format.js";

const MOST_NODES = 2000, MOST_EDGES = 4000;

// The places of the tasks in focus, in order.
export function placesInFocus(tasks, { task, depth = 2, to, site, handle, tag }) {
  if (task !== undefined) {
    const place = tasks.keptPlaceOf(task);
    return to === undefined ? around(tasks, place, depth) : between(tasks, place, tasks.keptPlaceOf(to));
  }
  if (site !== undefined) return tasks.places((place) => tasks.get("Site", place) === site);
  if (handle !== undefined) return tasks.places((place) => tasks.uses(place, handle));
  return tasks.places((place) => tasks.get("HasTag", place) && tasks.tag(place) === BigInt(tag));
}

// `place` and the tasks up to `depth` dependencies before or after it.
function around(tasks, place, depth) {
  const found = new Set([place]);
  for (const next of [(one) => tasks.before(one), (one) => tasks.after(one)]) {
    let edge = [place];
    const seen = new Set(edge);
    for (let i = 0; i < depth && edge.length; ++i) {
      edge = edge.flatMap(next).filter((one) => !seen.has(one) && seen.add(one));
      for (const one of edge) found.add(one);
    }
  }
  return [...found].sort((a, b) => a - b);
}

// All tasks on paths from one to the other, in either direction.
function between(tasks, one, other) {
  const reached = (from, next) => {
    const seen = new Set([from]);
    for (const place of seen) for (const more of next(place)) seen.add(more);
    return seen;
  };
  const both = (first, last) => {
    const before = reached(last, (place) => tasks.before(place));
    if (!before.has(first)) return [];
    const after = reached(first, (place) => tasks.after(place));
    return [...before].filter((place) => after.has(place)).sort((a, b) => a - b);
  };
  const there = both(one, other);
  return there.length ? there : both(other, one);
}

// The tasks in the form of tasklens/graph, ungrouped.
export function graphOf(tasks, places, legend, isWhole) {
  const shown = places.slice(0, MOST_NODES), index = new Map(shown.map((place, i) => [place, i]));
  const edges = [];
  let leftOut = 0;
  for (const place of shown)
    for (const before of tasks.before(place)) {
      if (!index.has(before)) continue;
      if (edges.length < MOST_EDGES) edges.push({ from: index.get(before), to: index.get(place), count: 1 });
      else ++leftOut;
    }
  const pick = (make) => shown.map(make), time = (name) => pick((place) => tasks.get(name, place));
  const start = time("Start"), end = time("End"), colour = tasks.column(`taskColour${legend.by}`);
  return {
    group: [], frames: [], edges, notOpened: [], legend, groups: 0,
    tasksTotal: tasks.header.overview.tasks, tasksInFocus: places.length,
    notKept: isWhole ? null : `among the ${count(tasks.count)} that this page keeps one by one`,
    dependenciesLeftOut: leftOut, dependenciesTotal: edges.length + leftOut,
    nodes: {
      id: pick((place) => `task.${tasks.rows[place]}`), label: pick((place) => tasks.name(place)), codelet: pick((place) => tasks.name(place)),
      task: pick((place) => tasks.rows[place]), tasks: pick(() => 1), totalNs: pick((_, i) => (end[i] < 0 ? 0 : end[i] - start[i])),
      startNs: start, endNs: end, site: time("Site"), frame: pick(() => -1), mixed: pick(() => 0), canOpen: pick(() => false),
      colour: pick((place) => colour?.[place] ?? 0),
      ...(tasks.column("taskRgb") ? { rgb: time("Rgb") } : {}),
    },
  };
}
