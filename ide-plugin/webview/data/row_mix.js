// SPDX-License-Identifier: Apache-2.0
// The contents of a row of a report in any interval: the time in each kind of state, the number of
// states and tasks; as analysis/timeline_mix.h computes them in a server. At any moment a row is in
// its deepest state, so the time of a state is taken from the state that it was pushed onto.
//
// A report that does not keep every state keeps mixed pixels instead, with the states in each.
import { firstAtLeast } from "./columns.js";

const NONE = -1;             // no kind of its own: several states kept as one
const ROUNDING_NS = 1e-3;    // less than this is a rounding error
const MOST_NAMES = 2 ** 24;  // of codelets

// For each slice of a layer, the slice of the layer below that it was pushed onto; -1: none.
export function pushedOnto(layer, layers) {
  if (layer.onto) return layer.onto;
  const { start } = layer.index, below = layers.find(({ row, depth }) => row === layer.row && depth === layer.depth - 1), under = below?.index;
  const onto = new Int32Array(start.length).fill(-1);
  for (let i = 0, next = 0; under && i < start.length; ++i) {
    while (next < under.start.length && under.start[next] <= start[i]) ++next;
    if (next > 0 && under.end[next - 1] > start[i]) onto[i] = below.first + next - 1;
  }
  return (layer.onto = onto);
}

export class RowMix {
  // `layers`: by depth {index, first}, see ReportAnswers; `columns`: {state, internal, count, name}
  // of their slices (name by slice: 0 if none, else its number plus one); `isTask(state)`; `kept`:
  // the mixed pixels {start, end, depth, count, tasks, kinds: [{state, internal, name: a number,
  // -1: none, ns}]}, or null.
  constructor(layers, { state, internal, count, name }, isTask, kept) {
    this.kept = kept;
    this.kinds = [];  // {state, internal, name of tasks, else -1}
    this.numbers = new Map();
    this.ofKept = (kept?.kinds ?? []).map((kind) => this.numberOf(kind.state, kind.internal, kind.name));
    this.layers = layers.map((layer) => {
      const { start, end } = layer.index, kind = new Int32Array(start.length).fill(NONE);
      for (let i = 0, slice = layer.first; i < kind.length; ++i, ++slice)
        if (count[slice] === 1) kind[i] = this.numberOf(state[slice], internal?.[slice], isTask(state[slice]) ? name[slice] - 1 : -1);
      return { start, end, kind, first: layer.first, onto: pushedOnto(layer, layers) };
    });
    this.isCounted = Uint8Array.from(this.kinds, (kind) => (isTask(kind.state) && !kind.internal ? 1 : 0));
  }

  numberOf(state, internal, name) {
    const key = (state * 2 + (internal ? 1 : 0)) * MOST_NAMES + name + 1;
    if (!this.numbers.has(key)) this.numbers.set(key, this.kinds.push({ state, internal: Boolean(internal), name }) - 1);
    return this.numbers.get(key);
  }

  // What overlaps [from, to): the numbers of states and tasks, and the time in each of `kinds`.
  // States in two mixed pixels are counted once, because the states of a row follow each other.
  within(from, to) {
    const { kept, layers, isCounted, ofKept } = this, ns = new Float64Array(this.kinds.length);
    const first = kept ? firstAtLeast(kept.end, from + 1e-6) : 0, pixels = kept?.start.length ?? 0;
    let states = 0, tasks = 0;
    layers.forEach(({ start, end, kind, onto }, depth) => {
      let pixel = first;  // the first that a slice may share time with
      for (let i = firstAtLeast(end, from); i < start.length && start[i] < to; ++i) {
        if (kind[i] === NONE || (start[i] < from && end[i] === from)) continue;
        ++states;
        tasks += isCounted[kind[i]];
        const begin = Math.max(start[i], from), stop = Math.min(end[i], to);
        let length = stop - begin;
        while (pixel < pixels && kept.end[pixel] <= begin) ++pixel;
        for (let k = pixel; k < pixels && kept.start[k] < stop; ++k) length -= Math.min(stop, kept.end[k]) - Math.max(begin, kept.start[k]);
        ns[kind[i]] += length;
        const outer = onto[i] < 0 ? NONE : layers[depth - 1].kind[onto[i] - layers[depth - 1].first];
        if (outer !== NONE) ns[outer] -= length;
      }
    });
    let last = first;
    for (; last < pixels && kept.start[last] < to; ++last) {
      states += kept.count[last] - (last > first && kept.end[last - 1] === kept.start[last] ? 1 : 0);
      tasks += kept.tasks[last];
    }
    // Only the first and the last mixed pixel can extend beyond the interval.
    const outside = (i) => 1 - (Math.min(kept.end[i], to) - Math.max(kept.start[i], from)) / (kept.end[i] - kept.start[i]);
    const edges = [...new Set([first, last - 1])].filter((i) => i >= first && i < last).map((i) => [i, outside(i)]);
    for (let k = 0; k < ofKept.length; ++k) {
      const times = kept.kinds[k].ns;
      let sum = 0;
      for (let i = first; i < last; ++i) sum += times[i];
      for (const [i, share] of edges) sum -= times[i] * share;
      ns[ofKept[k]] += sum;
    }
    return { states, tasks, ns: ns.map((value) => (value < ROUNDING_NS ? 0 : value)) };
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
    for (const { begin, end, depth } of pieces) {
      const { states, tasks, ns } = this.within(from + begin, from + end);
      answer.start.push(begin);
      answer.end.push(end);
      answer.depth.push(depth);
      answer.count.push(states);
      answer.tasks.push(tasks);
      columns.forEach((column, kind) => column.push(ns[kind]));
    }
    answer.kinds = this.kinds.map((kind, i) => ({ ...kind, ns: columns[i] })).filter(({ ns }) => ns.some((value) => value > 0));
    return answer;
  }
}
