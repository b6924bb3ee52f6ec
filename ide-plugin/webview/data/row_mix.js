// SPDX-License-Identifier: Apache-2.0
// The contents of a row of a report in any interval: the time in each kind of state, the number of
// states and tasks; as analysis/timeline_mix.h computes them in a server. At any moment a row is in
// its deepest state.
//
// A report that does not keep every state keeps mixed pixels instead, with the states in each.
import { firstAtLeast } from "./columns.js";

const STRIDE = 16;            // segments between two stored sums
const NONE = -1;              // no state; -2 - i is mixed pixel i

export class RowMix {
  // `layers`: by depth {index, first}, see ReportAnswers; `columns`: {state, internal, count, name}
  // of their slices (name by slice: 0 if none, else its number plus one); `isTask(state)`; `kept`:
  // the mixed pixels {start, end, depth, count, tasks, kinds: [{state, internal, name: a number,
  // -1: none, ns}]}, or null.
  constructor(layers, columns, isTask, kept) {
    Object.assign(this, { layers, columns, isTask, kept });
    this.kinds = [];  // {state, internal, name of tasks, else -1}
    this.numbers = new Map();
    this.ofKept = (kept?.kinds ?? []).map(({ state, internal, name }) => this.numberOf(state, internal, name));
    this.countStates();
    this.makeSegments();
  }

  numberOf(state, internal, name) {
    const key = `${state} ${internal ? 1 : 0} ${name}`;
    if (!this.numbers.has(key)) this.numbers.set(key, this.kinds.push({ state, internal: Boolean(internal), name }) - 1);
    return this.numbers.get(key);
  }

  // For each layer, the number of single states and of tasks before each slice.
  countStates() {
    const { columns, isTask } = this;
    for (const layer of this.layers) {
      const { length } = layer.index.start;
      layer.states = new Uint32Array(length + 1);
      layer.tasks = new Uint32Array(length + 1);
      for (let i = 0; i < length; ++i) {
        const slice = layer.first + i, isOne = columns.count[slice] === 1;
        layer.states[i + 1] = layer.states[i] + (isOne ? 1 : 0);
        layer.tasks[i + 1] = layer.tasks[i] + (isOne && isTask(columns.state[slice]) && !columns.internal?.[slice] ? 1 : 0);
      }
    }
  }

  // Splits the row into segments of one kind, by walking all depths with a stack of open slices.
  makeSegments() {
    const { layers, columns, kept } = this, begins = [], what = [], places = layers.map(() => 0), open = [];
    let at = -Infinity, ofKept = 0;
    const put = (time, kind) => {
      if (what.length && what[what.length - 1] === kind) return;
      if (begins.length && begins[begins.length - 1] === time) return void (what[what.length - 1] = kind);
      begins.push(time);
      what.push(kind);
    };
    // Advances to a time in the current state; a mixed pixel describes its whole interval.
    const advance = (until) => {
      while (at < until) {
        const pixel = ofKept < (kept?.start.length ?? 0) ? kept.start[ofKept] : Infinity;
        if (pixel <= at) {
          put(Math.max(at, pixel), -2 - ofKept);
          at = kept.end[ofKept++];
          continue;
        }
        const stop = Math.min(until, pixel);
        while (open.length && open[open.length - 1].end <= at) open.pop();
        const top = open[open.length - 1];
        if (stop === Infinity && !top) {
          put(at, NONE);
          return;
        }
        put(at, top ? top.kind : NONE);
        at = top ? Math.min(stop, top.end) : stop;
      }
    };
    for (;;) {
      let next = -1;
      layers.forEach(({ index }, depth) => {
        if (places[depth] < index.start.length && (next < 0 || index.start[places[depth]] < layers[next].index.start[places[next]])) next = depth;
      });
      if (next < 0) break;
      const { index, first } = layers[next], i = places[next]++, slice = first + i;
      if (columns.count[slice] > 1) continue;
      if (at === -Infinity) at = Math.min(index.start[i], kept?.start[0] ?? Infinity);
      advance(index.start[i]);
      open.length = Math.min(open.length, next);
      const state = columns.state[slice];
      open.push({ end: index.end[i], kind: this.numberOf(state, columns.internal?.[slice], this.isTask(state) ? columns.name[slice] - 1 : -1) });
    }
    if (at === -Infinity) at = kept?.start[0] ?? 0;
    advance(Infinity);
    this.begins = Float64Array.from(begins);
    this.what = Int32Array.from(what);
    this.sums = new Float64Array(Math.ceil(begins.length / STRIDE) * this.kinds.length);
    const sum = new Float64Array(this.kinds.length);
    for (let i = 0; i < begins.length; ++i) {
      if (i % STRIDE === 0) this.sums.set(sum, (i / STRIDE) * this.kinds.length);
      this.add(sum, i, begins[i + 1] ?? begins[i]);
    }
  }

  // Adds the part of segment `i` before a time within it.
  add(sum, i, until) {
    const kind = this.what[i], length = until - this.begins[i];
    if (kind >= 0) sum[kind] += length;
    if (kind >= NONE) return;
    const { start, end, kinds } = this.kept, pixel = -2 - kind;
    const part = until >= end[pixel] ? 1 : length / (end[pixel] - start[pixel]);
    for (let k = 0; k < kinds.length; ++k) sum[this.ofKept[k]] += kinds[k].ns[pixel] * part;
  }

  // The time in each of `kinds` before a moment.
  before(time) {
    const sum = new Float64Array(this.kinds.length);
    const behind = firstAtLeast(this.begins, time), last = behind - 1;
    if (last < 0) return sum;
    const from = Math.floor(last / STRIDE);
    sum.set(this.sums.subarray(from * sum.length, (from + 1) * sum.length));
    for (let i = from * STRIDE; i <= last; ++i) this.add(sum, i, Math.min(time, this.begins[i + 1] ?? time));
    return sum;
  }

  // The number of states and tasks that overlap [from, to). States in two mixed pixels are counted
  // once, because the states of a row follow each other.
  count(from, to) {
    const { kept, isTask, columns } = this;
    let states = 0, tasks = 0;
    for (const layer of this.layers) {
      const { start, end } = layer.index, first = firstAtLeast(start, from), last = firstAtLeast(start, to);
      states += layer.states[last] - layer.states[first];
      tasks += layer.tasks[last] - layer.tasks[first];
      const slice = layer.first + first - 1;
      if (first === 0 || !(end[first - 1] > from) || columns.count[slice] > 1) continue;
      ++states;
      tasks += isTask(columns.state[slice]) && !columns.internal?.[slice] ? 1 : 0;
    }
    if (!kept) return { states, tasks };
    let before = -1;
    for (let i = firstAtLeast(kept.end, from + 1e-6); i < kept.start.length && kept.start[i] < to; ++i) {
      states += kept.count[i] - (before === kept.start[i] ? 1 : 0);
      tasks += kept.tasks[i];
      before = kept.end[i];
    }
    return { states, tasks };
  }

  // The mixed pixels of an answer. `shown`: by depth the layers of the answer {start, end, count,
  // isLeast}, from `from`; an interval that is as long as `pixelNs` has a single state.
  mixed(from, shown, pixelNs) {
    const answer = { start: [], end: [], depth: [], count: [], tasks: [], isAbout: this.kept !== null };
    const pieces = [];
    shown.forEach((layer, depth) => {
      if (!layer) return;
      const taken = pieces.slice();
      let at = 0;
      for (let i = 0; i < layer.start.length; ++i) {
        if (layer.count[i] === 1 && layer.length[i] >= pixelNs) continue;
        // Skips the part that a lower depth already covers.
        let begin = layer.start[i];
        const end = layer.end[i];
        while (at < taken.length && taken[at].end <= begin) ++at;
        for (let k = at; begin < end; ++k) {
          const stop = k < taken.length && taken[k].begin < end ? taken[k].begin : end;
          if (stop > begin) pieces.push({ begin, end: stop, depth });
          begin = k < taken.length ? Math.max(begin, taken[k].end) : end;
          if (stop === end) break;
        }
      }
      pieces.sort((a, b) => a.begin - b.begin);
    });
    if (!pieces.length) return null;
    const columns = this.kinds.map(() => []);
    let edge = NaN, sums = null;
    for (const { begin, end, depth } of pieces) {
      const first = edge === begin ? sums : this.before(from + begin);
      [edge, sums] = [end, this.before(from + end)];
      const { states, tasks } = this.count(from + begin, from + end);
      answer.start.push(begin);
      answer.end.push(end);
      answer.depth.push(depth);
      answer.count.push(states);
      answer.tasks.push(tasks);
      columns.forEach((column, kind) => column.push(sums[kind] - first[kind]));
    }
    answer.kinds = this.kinds.map((kind, i) => ({ ...kind, ns: columns[i] })).filter(({ ns }) => ns.some((value) => value > 0));
    return answer;
  }
}
