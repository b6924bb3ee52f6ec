// SPDX-License-Identifier: Apache-2.0
// Answers the requests of ide-plugin/protocol.md out of the data within the page.
import { readColumns } from "./columns.js";
import { GraphTree } from "./graph_tree.js";
import { Tasks } from "./tasks.js";
import { LayerIndex } from "./timeline_index.js";
import { stateGroup } from "../states.js";

const HOLDS = ["start", "dependency", "worker"];
const MOST_OF_SITE = 10000;
// Above any duration in nanoseconds: what belongs to a better group always wins.
const GROUP = 2 ** 51;

export class ReportAnswers {
  constructor(bytes) {
    this.data = readColumns(bytes);
    this.header = this.data.header;
    this.tasks = new Tasks(this.data);
    this.layers = this.makeLayers();
    this.trees = new Map();
  }

  request(method, params = {}) {
    const answer = this[method.replace("tasklens/", "")];
    if (!answer) throw new Error(`a report cannot answer ${method}`);
    return answer.call(this, params);
  }

  overview() {
    const { title, overview, advice, diagnostics, kept } = this.header;
    return { title, ...overview, findings: advice, diagnostics, kept };
  }

  advice() {
    return { findings: this.header.advice };
  }

  stats({ by = "codelet" }) {
    return this.header.stats[by];
  }

  makeLayers() {
    const { header, data } = this;
    const length = data.column("sliceLength"), gap = data.column("sliceGap");
    const state = data.column("sliceState");
    const groups = header.texts.states.map(stateGroup);
    const start = new Float64Array(length.length), end = new Float64Array(length.length);
    for (let i = 0, at = 0; i < length.length; ++i) {
      // Gaps are kept as steps of steps: their column gives start[i] - end[i - 1].
      start[i] = at + gap[i];
      at = end[i] = start[i] + length[i];
    }
    return header.layers.map((layer, number) => {
      const last = number + 1 < header.layers.length ? header.layers[number + 1].first : length.length;
      const rank = (i) => ({ task: 2, idle: 0 })[groups[state[layer.first + i]]] ?? 1;
      const index = new LayerIndex(start.subarray(layer.first, last), end.subarray(layer.first, last),
        (i) => rank(i) * GROUP + end[layer.first + i] - start[layer.first + i]);
      return { ...layer, index };
    });
  }

  timeline({ fromNs, toNs, pixels = 1000, arrows = [] }) {
    const { header, data } = this;
    const from = fromNs ?? 0, to = Math.max(from + 1, toNs ?? header.overview.durationNs);
    const state = data.column("sliceState"), task = data.column("sliceTask");
    const name = data.column("sliceName"), count = data.column("sliceCount");
    const rows = header.texts.rows.map((_, row) => ({ row, layers: [] }));
    for (const { row, depth, first, index } of this.layers) {
      const layer = { start: [], end: [], state: [], name: [], task: [], count: [] };
      index.visit(from, to, pixels, (i, many, begin, end) => {
        const slice = first + i;
        layer.start.push(begin - from);
        layer.end.push(end - from);
        layer.state.push(state[slice]);
        layer.name.push(name[slice] - 1);
        layer.task.push(task[slice] < 0 ? -1 : this.tasks.rows[task[slice]]);
        layer.count.push(many > 1 ? many : count[slice]);
      });
      rows[row].layers[depth] = layer;
    }
    return { beginNs: 0, endNs: header.overview.durationNs, fromNs: from, toNs: to, pixels, rows,
             texts: header.texts, counters: this.counters(from, to),
             arrows: arrows.length ? this.arrows(from, to, pixels, arrows) : null };
  }

  // Of each kind the longest arrow that begins in a pixel, with how many do; and those from before.
  arrows(from, to, pixels, wanted) {
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
    if (wanted.includes("dependency"))
      this.tasks.eachDependency((fromRow, end, toRow, begin) => add(0, fromRow, end, toRow, begin, 1));
    return answer;
  }

  // Of all that is kept of a curve the stretches that meet the view; at full range they are a few
  // thousand, so that no finer choice is needed.
  counters(from, to) {
    return this.header.counters.map(({ column, step, ...counter }) => {
      const [start, end, low, high] = ["Start", "End", "Low", "High"].map((name) => this.data.column(column + name));
      const slice = { start: [], end: [], low: [], high: [] };
      for (let i = 0; i < start.length; ++i) {
        if (end[i] < from || start[i] > to) continue;
        slice.start.push(start[i] - from);
        slice.end.push(end[i] - from);
        slice.low.push(low[i] * step);
        slice.high.push(high[i] * step);
      }
      return { ...counter, ...slice };
    });
  }

  graph({ group, open }) {
    if ((group ? group.length === 0 : true) && this.tree(0).isSmall()) return this.tree(0).flat();
    const { graphs } = this.header, wanted = (group || graphs[0].group).join();
    return this.tree(Math.max(0, graphs.findIndex((graph) => graph.group.join() === wanted))).view(open || []);
  }

  tree(i) {
    if (!this.trees.has(i)) this.trees.set(i, new GraphTree(this.data, this.header.graphs[i]));
    return this.trees.get(i);
  }

  task({ task }) {
    const place = this.tasks.placeOf(task);
    if (place < 0) throw new Error("this task is not in the report: it keeps the longest ones only");
    return this.tasks.full(place);
  }

  why({ task, limit = 100 }) {
    const place = this.tasks.placeOf(task);
    if (place < 0) throw new Error("this task is not in the report");
    const chain = this.tasks.lastDependencies(place, limit).map((one) => this.tasks.brief(one));
    return { task: chain[0], chain: chain.map((one) => ({ task: one })) };
  }

  criticalPath() {
    const place = this.data.column("pathTask"), hold = this.data.column("pathHold");
    const wait = this.data.column("pathWait");
    const steps = [];
    for (let i = 0; i < place.length; ++i)
      if (place[i] >= 0)
        steps.push({ task: this.tasks.brief(place[i]), hold: HOLDS[hold[i]], waitNs: wait[i] });
    return { ...this.header.criticalPath, steps };
  }

  search({ text }) {
    return this.tasks.search(text);
  }

  // A line, and the numbers of its tasks that are kept.
  site({ site, limit = MOST_OF_SITE }) {
    const tasks = this.tasks.ofSite(site, limit);
    return { source: this.tasks.source(site), count: tasks.length, tasks };
  }
}

// The bytes within the page: base64 of a zlib stream.
export async function unpack(text) {
  const packed = fromBase64(text);
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

// Browsers have begun to have a function for it.
function fromBase64(text) {
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(text);
  const packed = atob(text), bytes = new Uint8Array(packed.length);
  for (let i = 0; i < bytes.length; ++i) bytes[i] = packed.charCodeAt(i);
  return bytes;
}
