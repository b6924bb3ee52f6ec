// SPDX-License-Identifier: Apache-2.0
// Keeps an answer of tasklens/timeline that covers the view. Requests a new one when the view
// leaves it, or when the zoom has changed so much that its pixels do not fit any more.
import { firstAbove, unpackColumn } from "../data/columns.js";
import { Breath } from "../dom.js";
import { showsEstimates } from "../store.js";
import { mixAt, timesIn } from "./timeline_mix.js";

const MARGIN = 0.4;    // of the view, on each side: panned into without a request
const ARROWS = ["dependency", "transfer", "message", "steal"];
const MOST_PIXELS = 256;  // for a closer look at a row
const NEXT_NS = 50000, NEXT_WIDER = 4, NEXT_PIXELS = 4096;  // for the search of the next slice
// The columns of layers, counters and the critical path that may be packed.
const LAYER = ["start", "end", "state", "name", "task", "count", "colour", "rgb", "internal", "expectedEnd", "before", "after"], CURVE = ["start", "end", "low", "high", "mean"], PATH = ["row", "start", "end", "count", "work"], MIXED = ["start", "end", "depth", "count", "tasks"];
const TOLERANCE = 1.6; // largest factor between pixels of answer and view

export class TimelineData {
  // `wish()`: {extras: keys of EXTRAS, colour, critical}, as in store.js.
  constructor(host, wish, onChange, onError) {
    this.host = host;
    this.wish = wish;
    this.onChange = onChange;
    this.onError = onError;
    this.answer = null;
    this.texts = null;
    this.counters = [];
    this.wanted = null;
    this.busy = false;
    this.stale = false;  // the trace has grown, or other extras are requested
  }

  // Shows counters of the run and of memory nodes; those of single workers only on request.
  isShown({ row, max }) {
    return max > 0 && (this.isOfRun(row) || this.wish().extras.includes("curves"));
  }

  isOfRun(row) {
    return ["scheduler", "memory_node"].includes(this.texts.rows[row]?.kind);
  }

  want(view, pixels) {
    const span = view.to - view.from;
    const answer = this.answer;
    if (answer && !this.stale) {
      const ratio = ((answer.toNs - answer.fromNs) / answer.pixels) / (span / pixels);
      const covers = answer.fromNs <= Math.max(view.from, answer.beginNs) &&
                     answer.toNs >= Math.min(view.to, answer.endNs);
      if (covers && ratio < TOLERANCE && ratio > 1 / TOLERANCE) return;
      if (covers && ratio <= 1 && answer.fromNs <= answer.beginNs && answer.toNs >= answer.endNs) return;
    }
    // Aligns the pixels of the answer with those of the view.
    const pixelNs = span / pixels, margin = Math.ceil(pixels * MARGIN);
    const before = Math.max(0, Math.min(margin, Math.floor(view.from / pixelNs)));
    const fromNs = Math.max(0, Math.floor(view.from - before * pixelNs)), wide = before + Math.ceil(pixels) + margin;
    this.wanted = { fromNs, toNs: Math.max(fromNs + 1, Math.round(view.from + (wide - before) * pixelNs)), span, pixels };
    if (!this.busy) this.ask();
  }

  async ask() {
    this.busy = true;
    while (this.wanted) {
      const { fromNs, toNs, span, pixels } = this.wanted;
      this.wanted = null;
      this.stale = false;
      const wish = this.wish(), { extras, colour, critical } = wish;
      try {
        const answer = await this.host.request("tasklens/timeline", {
          fromNs, toNs, counters: true, workerCounters: extras.includes("curves"), texts: !this.texts, flags: extras.includes("flags"), schedulerFlags: extras.includes("pushes"),
          arrows: extras.filter((key) => ARROWS.includes(key)), colour, estimates: showsEstimates(wish), path: critical, packed: true,
          pixels: Math.max(1, Math.min(10000, Math.round((pixels * (toNs - fromNs)) / span))),
        });
        await this.unpack(answer);
        this.take(answer);
      } catch (error) {
        this.onError(error);
      }
    }
    this.busy = false;
  }

  // Decodes the columns of an answer a few at a time, so that frames are drawn between.
  async unpack(answer) {
    const breath = new Breath();
    await breath.take();
    const mixed = answer.rows.map((row) => row.mixed).filter(Boolean);
    const parts = [[answer.rows.flatMap(({ layers }) => layers), LAYER], [mixed, MIXED], [mixed.flatMap(({ kinds }) => kinds), ["ns"]], [answer.counters || [], CURVE], [[answer.path], PATH]];
    for (const [list, names] of parts)
      for (const columns of list) {
        if (columns) unpack(columns, names, answer.buffer);
        if (breath.isDue) await breath.take();
      }
  }

  take(answer) {
    // The texts of rows and states never change; names are those of this answer.
    this.texts = { rows: answer.texts.rows || this.texts?.rows, states: answer.texts.states || this.texts?.states,
                   names: answer.texts.names };
    this.counters = (answer.counters || []).filter((counter) => this.isShown(counter));
    this.answer = answer;
    this.onChange();
  }

  // The value of a counter at `time`: {low, high, mean}, or null.
  valueAt({ start, end, low, high, mean }, time) {
    const at = time - this.answer.fromNs, first = firstAbove(end, at);
    return first < end.length && start[first] <= at ? { low: low[first], high: high[first], mean: mean?.[first] } : null;
  }

  // The slice of a row at `time`, at most `slackNs` away: the deepest layer with isMeant(layer, i,
  // depth).
  sliceAt(row, time, slackNs, isMeant) {
    return this.answer && sliceAt(this.answer, this.texts, row, time, slackNs, isMeant);
  }

  // The mixed pixel of a row at `time`: {mixed, place}; null: there is none.
  mixAt(row, time) {
    const mixed = this.answer?.rows.find((one) => one.row === row)?.mixed, place = mixAt(mixed, time - (this.answer?.fromNs ?? 0));
    return place < 0 ? null : { mixed, place };
  }

  // A moment within the state that a slice represents: the longest state of its kind among those in
  // its pixel.
  async momentOf({ row, depth, startNs, endNs, state, count }) {
    let pixelNs = (this.answer.toNs - this.answer.fromNs) / this.answer.pixels;
    while (pixelNs > 1 && (count > 1 || endNs - startNs < 2 * pixelNs)) {
      const fromNs = Math.max(0, Math.floor(startNs)), answer = await this.ofRow(row, fromNs, Math.max(fromNs + 1, Math.ceil(endNs)));
      const { start = [], end, isLeast, ...layer } = answer.rows.find((one) => one.row === row)?.layers[depth] ?? {};
      let best = -1;
      for (let i = 0; i < start.length; ++i)
        if (this.texts.states[layer.state[i]] === state && (best < 0 || end[i] - start[i] > end[best] - start[best])) best = i;
      const finerNs = (answer.toNs - fromNs) / answer.pixels;
      if (best < 0 || finerNs >= pixelNs || isLeast?.[best]) break;  // a report keeps no more
      [startNs, endNs, count, pixelNs] = [fromNs + start[best], fromNs + end[best], layer.count[best], finerNs];
    }
    return Math.floor((startNs + endNs) / 2);
  }

  // The number of the first task of a row after `atNs` (`direction` 1), or of the last before it
  // (-1); -1: none.
  async nextTask(row, atNs, direction, isMeant) {
    const task = (layer, i) => layer.task[i] >= 0 && isMeant(layer.task[i], Boolean(layer.internal?.[i]));
    // If a pixel contains a task, a task is shown, but possibly another one.
    const mayHide = (layer, i) => layer.task[i] >= 0;
    const found = await this.next(row, atNs, direction, task, mayHide);
    return found ? found.task : -1;
  }

  // Like nextTask(), for states of these kinds: a moment of the next one within [from, to], or
  // null. A state shorter than a thousandth of the distance may be missed.
  async nextState(row, atNs, direction, isMeant, { from, to }) {
    const state = (layer, i) => layer.task[i] < 0 && isMeant(this.texts.states[layer.state[i]]);
    const found = await this.next(row, atNs, direction, state, () => false);
    if (!found) return null;
    const startNs = Math.max(found.startNs, direction > 0 ? Math.max(from, atNs) : from), endNs = Math.min(found.endNs, direction > 0 ? to : Math.min(to, atNs));
    return startNs < endNs ? Math.floor((startNs + endNs) / 2) : null;
  }

  // Searches intervals that become longer with the distance.
  async next(row, atNs, direction, isMeant, mayHide) {
    const { beginNs, endNs } = this.answer;
    for (let edge = atNs, reach = NEXT_NS; direction > 0 ? edge < endNs : edge > beginNs; reach *= NEXT_WIDER) {
      const other = Math.max(beginNs, Math.min(edge + direction * reach, endNs));
      const found = await this.nextIn(row, Math.min(edge, other), Math.max(edge, other), direction, isMeant, mayHide);
      if (found) return found;
      edge = other;
    }
    return null;
  }

  // Looks closer where the slice shown may hide a wanted one.
  async nextIn(row, fromNs, toNs, direction, isMeant, mayHide) {
    const answer = await this.ofRow(row, fromNs, toNs, NEXT_PIXELS), isFinest = toNs - fromNs <= answer.pixels;
    const layer = answer.rows.find((one) => one.row === row)?.layers[0], many = layer?.start.length ?? 0;
    for (let k = 0; k < many; ++k) {
      const i = direction > 0 ? k : many - 1 - k, startNs = fromNs + layer.start[i], endNs = fromNs + layer.end[i];
      const isAlone = layer.count[i] === 1 || isFinest || layer.isLeast?.[i];
      if ((isAlone || !mayHide(layer, i)) && isMeant(layer, i)) return { startNs, endNs, task: layer.task[i] };
      if (isAlone || !mayHide(layer, i)) continue;
      const found = await this.nextIn(row, Math.max(fromNs, Math.floor(startNs)), Math.min(toNs, Math.ceil(endNs)), direction, isMeant, mayHide);
      if (found) return found;
    }
    return null;
  }

  // The interval of a row without tasks around a moment: from the end of the task before to the
  // start of the next, within [fromNs, toNs], with the time in each state: {row, startNs, endNs,
  // task: -1, states: [{state, ns}]}; null: a task ran, or nothing is known.
  async gapAt({ row, gapNs: atNs }, { fromNs, toNs }, isMeant) {
    const isTask = (layer, i) => layer.task[i] >= 0 && isMeant(layer.task[i], Boolean(layer.internal?.[i]));
    const edgeOf = async (direction) => {
      const found = await this.next(row, atNs, direction, isTask, (layer, i) => layer.task[i] >= 0);
      if (!found) return direction > 0 ? toNs : fromNs;
      const task = await this.stateAt({ row, atNs: Math.floor((found.startNs + found.endNs) / 2), depth: 0 });
      return direction > 0 ? task?.startNs ?? found.startNs : task?.endNs ?? found.endNs;
    };
    const [startNs, endNs] = [Math.max(fromNs, await edgeOf(-1)), Math.min(toNs, await edgeOf(1))];
    if (!(startNs <= atNs && atNs <= endNs && startNs < endNs)) return null;
    const answer = await this.ofRow(row, startNs, endNs, 1), { layers, mixed } = answer.rows.find((one) => one.row === row);
    const states = timesIn({ layers, mixed }, endNs - startNs).map(([state, ns]) => ({ state: this.texts.states[state], ns }));
    return { row, startNs, endNs, task: -1, count: 1, states };
  }

  // The state of a row at a moment; null: none.
  async stateAt({ row, atNs, depth }) {
    const isMeant = depth === undefined ? undefined : (layer, i, at) => at === depth;
    const answer = await this.ofRow(row, atNs, atNs + 1);
    return sliceAt(answer, { ...this.texts, names: answer.texts.names }, row, atNs, 0, isMeant);
  }

  ofRow(row, fromNs, toNs, most = MOST_PIXELS) {
    const pixels = Math.max(1, Math.min(most, toNs - fromNs));
    return this.host.request("tasklens/timeline", { fromNs, toNs, rows: [row], pixels, texts: false });
  }
}

// The slice of an answer at a time; a single state with its full length, even if the answer cut it.
function sliceAt(answer, texts, row, time, slackNs, isMeant = () => true) {
  const layers = answer.rows.find((one) => one.row === row)?.layers || [];
  const at = time - answer.fromNs;
  for (let depth = layers.length - 1; depth >= 0; --depth) {
    const layer = layers[depth];
    if (!layer) continue;
    const best = nearest(layer, at, slackNs, (i) => isMeant(layer, i, depth));
    if (best >= 0)
      return {
        depth, index: best, row,
        startNs: answer.fromNs + layer.start[best] - (layer.before?.[best] ?? 0),
        endNs: answer.fromNs + layer.end[best] + (layer.after?.[best] ?? 0),
        state: texts.states[layer.state[best]],
        name: layer.name[best] < 0 ? null : texts.names[layer.name[best]] || "unknown",
        task: layer.task[best],
        count: layer.count[best],
        isInternal: Boolean(layer.internal?.[best]),
        isLeast: layer.isLeast?.[best] ?? false,
        isCut: layer.isCut?.[best] ?? false,
        expectedEndNs: layer.expectedEnd?.[best] >= 0 ? answer.fromNs + layer.expectedEnd[best] : null,
      };
  }
  return null;
}

// The tasks of workers since the trace was read. These tasks have no numbers yet.
export class TimelineTail {
  // `progress`: the answer of tasklens/progress; `taskState`: the state of a worker that runs a
  // task.
  constructor({ fromNs, endNs, rows, names }, taskState) {
    Object.assign(this, { fromNs, endNs, names, taskState });
    this.layers = new Map(rows.map(({ row, ...layer }) => [row, { ...layer,
      state: layer.start.map(() => taskState), task: layer.start.map(() => -1) }]));
  }

  // A row in the form of an answer, {layers, mixed}: tasks that share a pixel of `pixelNs` are as
  // high as their share of its time.
  rowAt(row, pixelNs) {
    const layer = this.layers.get(row), { start, end, busy, count } = layer;
    const mixed = { start: [], end: [], depth: [], count: [], tasks: [], kinds: [{ state: this.taskState, internal: false, ns: [] }] };
    for (let i = 0; i < start.length; ++i) {
      if (count[i] === 1 && end[i] - start[i] >= pixelNs) continue;
      mixed.start.push(start[i]);
      mixed.end.push(end[i]);
      mixed.depth.push(0);
      mixed.count.push(count[i]);
      mixed.tasks.push(count[i]);
      mixed.kinds[0].ns.push(busy[i]);
    }
    return { row, layers: [layer], mixed: mixed.start.length ? mixed : null };
  }

  // A copy from `fromNs` with part() applied to each row.
  remade(fromNs, part) {
    const rows = [...this.layers].flatMap(([row, { start, end, busy, name, count }]) => part(row, { start, end, busy, name, count }) ?? []);
    return new TimelineTail({ fromNs, endNs: this.endNs, rows, names: this.names }, this.taskState);
  }

  // The part after `time`.
  after(time) {
    const shift = time - this.fromNs;
    return this.remade(time, (row, { start, end, busy, name, count }) => {
      const first = end.findIndex((at) => at > shift), from = first < 0 ? end.length : first;
      const moved = (times) => times.slice(from).map((at) => Math.max(0, at - shift));
      const left = { row, start: moved(start), end: moved(end), busy: busy.slice(from), name: name.slice(from), count: count.slice(from) };
      // A slice that is cut has at most as much busy time as its remainder is long.
      if (left.busy.length) left.busy[0] = Math.min(left.busy[0], left.end[0] - left.start[0]);
      return left;
    });
  }

  // The same after a change of rows; `before` and `now`: {name, kind, rank, ...} of each row.
  onRows(before, now) {
    const key = ({ name, kind, rank }) => JSON.stringify([name, kind, rank]), rowOf = new Map(now.map((row, i) => [key(row), i]));
    return this.remade(this.fromNs, (row, layer) => {
      const moved = rowOf.get(key(before[row]));
      return moved === undefined ? null : { row: moved, ...layer };
    });
  }

  // Merged with slices that only `before` has: the server drops data from before the last readings
  // that were requested, and other viewers may be ahead.
  joinedTo(before) {
    if (!before || before.fromNs !== this.fromNs) return this;
    const names = [...this.names], numberOf = new Map(names.map((name, i) => [name, i]));
    const number = (name) => {
      if (!numberOf.has(name)) numberOf.set(name, names.push(name) - 1);
      return numberOf.get(name);
    };
    const rows = [...new Set([...before.layers.keys(), ...this.layers.keys()])].map((row) => {
      const none = { start: [], end: [], busy: [], name: [], count: [] }, old = before.layers.get(row) ?? none, now = this.layers.get(row) ?? none;
      const first = now.start[0] ?? Infinity, known = old.end.findIndex((end) => end > first), kept = known < 0 ? old.end.length : known;
      const joined = (column) => [...old[column].slice(0, kept), ...now[column]];
      return { row, start: joined("start"), end: joined("end"), busy: joined("busy"), count: joined("count"),
               name: [...old.name.slice(0, kept).map((one) => number(before.names[one])), ...now.name] };
    });
    return new TimelineTail({ fromNs: this.fromNs, endNs: Math.max(before.endNs, this.endNs), rows, names }, this.taskState);
  }

  sliceAt(row, time, slackNs) {
    const layer = this.layers.get(row);
    const best = layer ? nearest(layer, time - this.fromNs, slackNs) : -1;
    if (best < 0) return null;
    return { depth: 0, index: best, row, startNs: this.fromNs + layer.start[best], endNs: this.fromNs + layer.end[best],
             state: null, name: this.names[layer.name[best]], task: -1, count: layer.count[best], isNew: true };
  }
}

function unpack(columns, names, buffer) {
  for (const name of names) if (columns[name]) columns[name] = unpackColumn(columns[name], buffer);
}

// The slice of a layer nearest to `at` among those with isMeant, at most `slack` away; -1: none.
function nearest(layer, at, slack, isMeant = () => true) {
  let best = -1, distance = Infinity;
  for (let i = firstAbove(layer.end, at - slack); i < layer.start.length && layer.start[i] - slack <= at; ++i) {
    const away = Math.max(layer.start[i] - at, at - layer.end[i], 0);
    if (away < distance && isMeant(i)) [best, distance] = [i, away];
  }
  return best;
}
