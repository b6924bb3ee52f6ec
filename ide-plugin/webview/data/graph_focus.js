// SPDX-License-Identifier: Apache-2.0
// Parts of the graph from the data of a report, task by task: the tasks around a task, between two
// tasks, of a line, of a handle or with a tag. Only kept tasks are shown, and the answer says so.
import { count } from "../format.js";

const MOST_NODES = 2000, MOST_EDGES = 4000;

// The tasks before a task, or after it, as graphs show them.
function neighbours(tasks, internal, side) {
  const joined = internal && tasks.column("taskJoinedInternal") ? "JoinedInternal" : "Joined";
  return (place) => [...tasks[side](place), ...tasks[side](place, joined)];
}

// The places of the tasks in focus, in order; `internal`: with the runtime's own.
export function placesInFocus(tasks, { task, depth = 2, to, site, handle, tag }, internal) {
  const isShown = (place) => internal || !tasks.isInternal(place);
  const isMeant = site !== undefined ? (place) => tasks.get("Site", place) === site
    : handle !== undefined ? (place) => tasks.uses(place, handle)
    : tag !== undefined ? (place) => tasks.get("HasTag", place) && tasks.tag(place) === BigInt(tag) : null;
  if (isMeant) return tasks.places((place) => isShown(place) && isMeant(place));
  const one = tasks.keptPlaceOf(task), other = to === undefined ? null : tasks.keptPlaceOf(to);
  // Paths between two tasks may lead through the runtime's own.
  const [before, after] = ["before", "after"].map((side) => neighbours(tasks, internal || to !== undefined, side));
  const around = () => [before, after].flatMap((next) => [...reached(one, (place) => next(place).filter(isShown), depth)]);
  const between = (first, last) => {
    const ahead = reached(last, before);
    return ahead.has(first) ? [...reached(first, after)].filter((place) => ahead.has(place)) : [];
  };
  const found = new Set(to === undefined ? around() : [...between(one, other), ...between(other, one)]);
  return [...found].filter(isShown).sort((a, b) => a - b);
}

// The places that at most `depth` steps lead to, with the first.
function reached(place, next, depth = Infinity) {
  const found = new Set([place]);
  for (let edge = [place], step = 0; step < depth && edge.length; ++step)
    edge = edge.flatMap(next).filter((one) => !found.has(one) && found.add(one));
  return found;
}

// The tasks in the form of tasklens/graph, ungrouped.
export function graphOf(tasks, places, legend, internal) {
  const shown = places.slice(0, MOST_NODES), index = new Map(shown.map((place, i) => [place, i]));
  const edges = [], beforeOf = neighbours(tasks, internal, "before"), { kept } = tasks.header;
  let leftOut = 0;
  for (const place of shown)
    for (const before of beforeOf(place)) {
      if (!index.has(before)) continue;
      if (edges.length < MOST_EDGES) edges.push({ from: index.get(before), to: index.get(place), count: 1 });
      else ++leftOut;
    }
  const pick = (make) => shown.map(make), time = (name) => pick((place) => tasks.get(name, place));
  const start = time("Start"), end = time("End"), colour = tasks.column(`taskColour${legend.by}`);
  return {
    group: [], frames: [], edges, notOpened: [], legend, groups: 0,
    tasksTotal: tasks.header.overview.tasks, tasksInFocus: places.length,
    notKept: kept.tasks === kept.tasksTotal ? null : `among the ${count(tasks.count)} that this page keeps one by one`,
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
