// SPDX-License-Identifier: Apache-2.0
// Answers the requests of ide-plugin/protocol.md from the data within the page.
import { fromBase64, marksOf, readColumns } from "./columns.js";
import { curveView } from "./curve_view.js";
import { graphOf, placesInFocus } from "./graph_focus.js";
import { GraphTree } from "./graph_tree.js";
import { pathView } from "./path_view.js";
import { RowMix } from "./row_mix.js";
import { stretchStats } from "./stretch_stats.js";
import { Tasks } from "./tasks.js";
import { LayerIndex } from "./timeline_index.js";
import { Breath } from "../dom.js";
import { stateGroup } from "../states.js";

const MOST_OF_SITE = 10000;
const STRIDE = 4096;  // tasks or arrows between two checks of the clock
// Exceeds any duration in nanoseconds, so that a better group always wins.
const GROUP = 2 ** 51;

export class ReportAnswers {
  constructor(bytes) {
    this.data = readColumns(bytes);
    this.header = this.data.header;
    this.tasks = new Tasks(this.data);
    this.layers = this.makeLayers();
    this.trees = new Map();
  }

  // The names of the columns with one value for each task.
  taskColumns() {
    return this.header.columns.map(({ name }) => name).filter((name) => name.startsWith("task"));
  }

  request(method, params = {}) {
    const answer = this[method.replace("tasklens/", "")];
    if (!answer) throw new Error(`a report cannot answer ${method}`);
    return answer.call(this, params);
  }

  overview() {
    const { overview, advice, kept } = this.header;
    return { ...overview, findings: advice, kept };
  }

  advice() {
    return { findings: this.header.advice };
  }

  stats({ by = "codelet", internal = false, fromNs, toNs }) {
    if (fromNs !== undefined) return stretchStats(this, { by, internal, fromNs, toNs });
    return ((internal && this.header.statsWithInternal) || this.header.stats)[by];
  }

  // The report has plots of the whole run and of the costliest codelets.
  plot({ kind = "activity", by = "codelet", codelets = [] }) {
    const { kinds, pictures } = this.header.plots, [codelet = null] = codelets;
    const found = pictures.find((one) => one.kind === kind && one.by === by && one.codelet === codelet);
    const words = ["tasklens", "plot", kind, by !== "codelet" && `--by ${by}`, codelet !== null && `--codelet ${shellWord(codelet)}`, "TRACE", "-o", `${kind}.svg`].filter(Boolean);
    const picture = found?.svg ? { ...found, svg: this.data.text(found.svg) } : found;
    return { ...(picture ?? { kind, svg: null, missing: `This page does not keep that plot; draw it with: ${words.join(" ")}` }), kinds };
  }

  // {start, end} of intervals: their columns have start[i] - end[i - 1] and end[i] - start[i].
  intervals(name) {
    const gap = this.data.column(`${name}Gap`), length = this.data.column(`${name}Length`);
    const start = new Float64Array(gap.length), end = new Float64Array(gap.length);
    for (let i = 0, at = 0; i < gap.length; ++i) {
      start[i] = at + gap[i];
      at = end[i] = start[i] + length[i];
    }
    return { start, end };
  }

  makeLayers() {
    const { header, data } = this;
    const { start, end } = this.intervals("slice"), state = data.column("sliceState");
    const groups = header.texts.states.map(stateGroup);
    return header.layers.map((layer, number) => {
      const last = number + 1 < header.layers.length ? header.layers[number + 1].first : start.length;
      const rank = (i) => ({ task: 2, idle: 0 })[groups[state[layer.first + i]]] ?? 1;
      const index = new LayerIndex(start.subarray(layer.first, last), end.subarray(layer.first, last),
        (i) => rank(i) * GROUP + end[layer.first + i] - start[layer.first + i]);
      return { ...layer, index };
    });
  }

  // The states of a row over time; computed once.
  rowMix(row) {
    return this.tasks.once(`mix of row ${row}`, () => {
      const { header, data } = this, [state, count, internal, name] = ["State", "Count", "Internal", "Name"].map((name) => data.column(`slice${name}`));
      const layers = this.layers.filter((layer) => layer.row === row).sort((a, b) => a.depth - b.depth);
      const isTask = header.texts.states.map((one) => stateGroup(one) === "task");
      return new RowMix(layers, { state, count, internal, name }, (one) => isTask[one], this.keptMix(row));
    });
  }

  // The mixed pixels that the report kept for a row; null: every state is kept.
  keptMix(row) {
    const { mixed } = this.header, of = mixed?.find((one) => one.row === row);
    if (!mixed || !of) return null;
    const all = this.tasks.once("kept mixes", () => {
      const [depth, count, tasks] = ["Depth", "Count", "Tasks"].map((name) => this.data.column(`mix${name}`));
      return { ...this.intervals("mix"), depth, count, tasks };
    });
    const part = (column) => column.subarray(of.first, of.first + of.count);
    return { ...Object.fromEntries(Object.entries(all).map(([name, column]) => [name, part(column)])),
             kinds: of.kinds.map((kind, i) => ({ ...kind, ns: part(this.data.column(`mixTime${i}`)) })) };
  }

  // The legend entry of a slice; that of a task that is not kept is in a column of its own.
  sliceColours(by) {
    if (by === "codelet") return null;
    const ofTask = this.data.column(`taskColour${by}`), ofSlice = this.data.column(`sliceColour${by}`);
    return (slice, place) => (place >= 0 ? ofTask[place] : ofSlice[slice]);
  }

  async timeline({ fromNs, toNs, pixels = 1000, rows: wanted = [], counters = false, arrows = [], flags = false, schedulerFlags = false, colour = "codelet", estimates = false, path = false }) {
    const { header, data } = this, breath = new Breath();
    await breath.take();  // not in the frame of the request
    const from = fromNs ?? 0, to = Math.max(from + 1, toNs ?? header.overview.durationNs);
    const state = data.column("sliceState"), task = data.column("sliceTask");
    const name = data.column("sliceName"), count = data.column("sliceCount"), rgb = data.column("sliceRgb"), internal = data.column("sliceInternal");
    const expected = estimates ? data.column("taskExpected") : null, taskStart = data.column("taskStart");
    const colourOf = this.sliceColours(colour);
    const rows = header.texts.rows.map((_, row) => ({ row, layers: [] }));
    for (const { row, depth, first, index } of this.layers) {
      if (wanted.length && !wanted.includes(row)) continue;
      // isLeast: the report has no finer data for this interval. isCut: where the report keeps
      // intervals instead of states, the interval may lack states that share it.
      const layer = { start: [], end: [], length: [], state: [], name: [], task: [], count: [], isLeast: [], isCut: [],
                      ...(rgb ? { rgb: [] } : {}), ...(internal ? { internal: [] } : {}), ...(colourOf ? { colour: [] } : {}), ...(expected ? { expectedEnd: [] } : {}) };
      index.visit(from, to, pixels, (i, many, begin, end) => {
        const slice = first + i;
        layer.start.push(begin - from);
        layer.end.push(end - from);
        layer.length.push(index.end[i] - index.start[i]);
        layer.state.push(state[slice]);
        layer.name.push(name[slice] - 1);
        layer.task.push(task[slice] < 0 ? -1 : this.tasks.rows[task[slice]]);
        layer.count.push(many > 1 ? many : count[slice]);
        layer.isLeast.push(many === 1 && count[slice] > 1);
        layer.isCut.push(header.kept.detailNs > 0 && layer.count.at(-1) === 1);
        if (rgb) layer.rgb.push(rgb[slice]);
        if (internal) layer.internal.push(internal[slice]);
        if (colourOf) layer.colour.push(colourOf(slice, task[slice]));
        if (expected) {
          const place = task[slice], isKnown = place >= 0 && layer.count.at(-1) === 1 && expected[place] >= 0;
          layer.expectedEnd.push(isKnown ? Math.max(0, taskStart[place] + expected[place] - from) : -1);
        }
      });
      rows[row].layers[depth] = layer;
      if (breath.isDue) await breath.take();
    }
    for (const row of rows) {
      row.mixed = row.layers.length ? this.rowMix(row.row).mixed(from, row.layers, (to - from) / pixels) : null;
      for (const layer of row.layers) delete layer?.length;
      if (breath.isDue) await breath.take();
    }
    return { beginNs: 0, endNs: header.overview.durationNs, fromNs: from, toNs: to, pixels, rows,
             texts: header.texts, legend: this.legend(colour),
             path: path ? pathView(this.pathColumns(), from, to, pixels) : null, counters: counters ? await this.counters(from, to, pixels, breath) : null,
             arrows: arrows.length ? await this.arrows(from, to, pixels, arrows, breath) : null,
             flags: flags || schedulerFlags ? this.flags(from, to, schedulerFlags ? "scheduler" : "event") : null };
  }

  // For each kind and pixel the longest arrow that begins there, with their number; and those that
  // began before the view.
  async arrows(from, to, pixels, wanted, breath) {
    const kinds = ["dependency", "transfer", "message", "steal"];
    const answer = { kind: [], kinds, fromRow: [], from: [], toRow: [], to: [], count: [], leftOut: 0 };
    const width = (to - from) / pixels, places = new Map();
    const add = (kind, fromRow, start, toRow, end, count) => {
      if (Math.max(start, end) < from || Math.min(start, end) > to) return;
      const key = kind * 2 ** 32 + Math.floor((start - from) / width);
      const at = places.get(key);
      if (at !== undefined && start >= from) {
        answer.count[at] += count;
        if (Math.abs(end - start) <= Math.abs(answer.to[at] - answer.from[at])) return;
        [answer.fromRow[at], answer.from[at], answer.toRow[at], answer.to[at]] = [fromRow, start - from, toRow, end - from];
        return;
      }
      places.set(key, answer.kind.length);
      for (const [column, value] of Object.entries({ kind, fromRow, from: start - from, toRow, to: end - from, count }))
        answer[column].push(value);
    };
    const [kind, fromRow, toRow, start, length, count] =
      ["Kind", "FromRow", "ToRow", "Start", "Length", "Count"].map((name) => this.data.column("arrow" + name));
    for (let i = 0; i < kind.length; ++i) {
      if (wanted.includes(kinds[kind[i]])) add(kind[i], fromRow[i], start[i], toRow[i], start[i] + length[i], count[i]);
      if (i % STRIDE === 0 && breath.isDue) await breath.take();
    }
    for (let place = 0; place < this.tasks.count && wanted.includes("dependency"); place += STRIDE) {
      this.tasks.eachDependency(place, place + STRIDE, (fromRow, end, toRow, begin) => add(0, fromRow, end, toRow, begin, 1));
      if (breath.isDue) await breath.take();
    }
    return answer;
  }

  // `kind`: "event", or "scheduler" for events and those of the scheduler.
  flags(from, to, kind) {
    const [row, at, count, text] = ["Row", "At", "Count", "Text"].map((name) => this.data.column(`${kind}Flag${name}`));
    const shown = [...at.keys()].filter((i) => at[i] >= from && at[i] <= to), pick = (column) => shown.map((i) => column[i]);
    return { row: pick(row), at: pick(at).map((ns) => ns - from), count: pick(count), text: pick(text), texts: this.header.texts[kind] };
  }

  // The counters, reduced to the pixels of the view.
  async counters(from, to, pixels, breath) {
    const answer = [];
    for (const { column, step, meanStep, ...counter } of this.header.counters) {
      const [start, end, low, high, mean] = ["Start", "End", "Low", "High", "Mean"].map((name) => this.data.column(column + name));
      answer.push({ ...counter, ...curveView({ start, end, low, high, mean }, from, to, pixels, step, meanStep) });
      if (breath.isDue) await breath.take();
    }
    return answer;
  }

  graph({ group, open, colour = "codelet", internal = false, ...focus }) {
    const graphs = this.graphsWith(internal), groupings = graphs.map((graph) => graph.group);
    if (["task", "site", "handle", "tag"].some((key) => focus[key] !== undefined)) {
      const places = placesInFocus(this.tasks, focus, internal);
      return { ...graphOf(this.tasks, places, this.legend(colour), internal), groupings: [] };
    }
    const legend = this.legend(colour);
    const first = this.tree(graphs[0]);
    if ((group ? group.length === 0 : true) && first.isSmall()) return { ...first.flat(legend), groupings };
    return { ...this.treeBy(group, internal).view(open || [], legend), groupings };
  }

  // Codelets have colours by their names, without a legend.
  legend(by) {
    return this.header.legends[by] ?? { by, unit: "", entries: [] };
  }

  // The groups around a task, or the tasks of a group. `groups` is null if the page does not know
  // them.
  group({ group, task, id, internal = false }) {
    const tree = this.treeBy(group, internal);
    if (task !== undefined) {
      const place = this.tasks.placeOf(task);
      return { groups: place < 0 ? null : tree.groupsAround(place) };
    }
    const row = tree.rowOf(id);
    if (row < 0) throw new Error(`the report has no group ${id}`);
    const { count, places, site } = tree.members(row);
    return { ...this.listed(places), count, site };
  }

  // The kept graphs: with the runtime's own tasks, if there are any, or without.
  graphsWith(internal) {
    const { graphs } = this.header;
    return graphs.filter((graph) => graph.internal === (internal && graphs.at(-1).internal));
  }

  treeBy(group, internal) {
    const graphs = this.graphsWith(internal), wanted = (group?.length ? group : graphs[0].group).join();
    const found = graphs.find((graph) => graph.group.join() === wanted);
    if (!found) throw new Error(`this page does not keep the graph by ${wanted}; it has ${graphs.map((graph) => graph.group.join(" and ")).join("; ")}`);
    return this.tree(found);
  }

  tree(graph) {
    if (!this.trees.has(graph)) this.trees.set(graph, new GraphTree(this.data, graph));
    return this.trees.get(graph);
  }

  task({ task }) {
    return this.tasks.full(this.tasks.keptPlaceOf(task));
  }

  // A part of task() that needs few columns; null if the task was not kept.
  where(task) {
    const place = this.tasks.placeOf(task);
    return place < 0 ? null : { job: this.tasks.get("Job", place), source: this.tasks.source(this.tasks.get("Site", place)) };
  }

  // A report does not keep why workers were idle.
  why({ task, limit = 1000 }) {
    if (task === undefined) return {};
    const chain = this.tasks.lastDependencies(this.tasks.keptPlaceOf(task), limit).map((one) => this.tasks.brief(one));
    return { task: chain[0], chain: chain.map((one) => ({ task: one })) };
  }

  // Without the single steps; lists the kept tasks on the path.
  criticalPath() {
    const on = this.data.column("taskOnPath"), { rows } = this.tasks;
    return { ...this.header.criticalPath, steps: [], marks: marksOf(rows.filter((_, place) => on[place])) };
  }

  // {row, start, end, count} of all kept intervals of the path.
  pathColumns() {
    return this.tasks.once("path", () => {
      const [row, count, work] = ["Row", "Count", "Work"].map((name) => this.data.column(`path${name}`));
      return { row, ...this.intervals("path"), count, work };
    });
  }

  search({ text }) {
    const { tasks, tasksTotal } = this.header.kept;
    return { ...this.tasks.search(text), among: { tasks, tasksTotal } };
  }

  // The numbers of the kept tasks of a codelet.
  codelet({ codelet, first = 0, limit = MOST_OF_SITE, internal = false }) {
    return this.listed(this.tasks.places((place) => this.tasks.name(place) === codelet && (internal || !this.tasks.isInternal(place))), first, limit);
  }

  // A line, and the numbers of its kept tasks.
  site({ site, first = 0, limit = MOST_OF_SITE }) {
    if (!this.header.sites[site]) throw new Error(`the report has no line with the number ${site}`);
    return { source: this.tasks.source(site), ...this.listed(this.tasks.ofSite(site), first, limit) };
  }

  listed(places, first = 0, limit = Infinity) {
    const tasks = places.map((place) => this.tasks.rows[place]);
    return { count: tasks.length, tasks: tasks.slice(first, first + limit), marks: marksOf(tasks) };
  }
}

const shellWord = (text) => (/^[\w.:+-]+$/.test(text) ? text : `'${text.replace(/'/g, "'\\''")}'`);

// The data in the page: base64 of a zlib stream.
export async function unpack(text) {
  const packed = fromBase64(text);
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}
