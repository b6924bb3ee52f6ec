// SPDX-License-Identifier: Apache-2.0
// Tasks, their data and their neighbours out of a report's columns.

import { bytes, duration, exact } from "../format.js";

const MOST_NEIGHBOURS = 1000;
const MOST_HITS = 200;
const NO_COORDINATE = -2147483648;

const orNull = (value) => (value < 0 ? null : value);
const hex = (high, low) => (BigInt(high) << 32n) | BigInt(low);

export class Tasks {
  constructor(data) {
    this.header = data.header;
    this.column = data.column;
    this.count = data.column("taskRow").length;
    this.rows = data.column("taskRow");
    this.made = new Map();
  }

  // What is not needed to show the first screen is made when it is.
  once(name, make) {
    if (!this.made.has(name)) this.made.set(name, make());
    return this.made.get(name);
  }

  get firstAccess() {
    return this.once("firstAccess", () => sums(this.column("taskAccesses")));
  }

  get firstBefore() {
    return this.once("firstBefore", () => sums(this.column("taskPredecessors")));
  }

  get back() {
    return this.column("dependencyBack");
  }

  get(name, place) {
    return this.column("task" + name)[place];
  }

  // From the number of a task in the trace to its place here; -1 when it was not kept.
  placeOf(row) {
    let low = 0, high = this.count;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.rows[middle] < row) low = middle + 1;
      else high = middle;
    }
    return low < this.count && this.rows[low] === row ? low : -1;
  }

  name(place) {
    return this.header.texts.names[this.get("Name", place)] || "unknown";
  }

  worker(place) {
    const worker = this.get("Worker", place);
    return worker < 0 ? null : this.header.texts.workers[worker];
  }

  // One line about a task.
  brief(place) {
    const site = this.get("Site", place), worker = this.worker(place);
    const source = site < 0 ? null : this.header.sites[site];
    return {
      task: this.rows[place],
      job: this.get("Job", place),
      rank: this.get("Rank", place),
      name: this.name(place),
      worker: worker ? worker.name : null,
      row: worker ? worker.row : -1,
      site: orNull(site),
      file: source ? source.file : null,
      line: source ? source.line : null,
      submitNs: orNull(this.get("Submit", place)),
      readyNs: orNull(this.get("Ready", place)),
      startNs: orNull(this.get("Start", place)),
      endNs: orNull(this.get("End", place)),
    };
  }

  // Everything about a task.
  full(place) {
    const brief = this.brief(place), data = this.data(place);
    return {
      ...brief,
      slackNs: orNull(this.get("Slack", place)),
      fields: this.fields(place, brief, data),
      data,
      predecessors: this.neighbours(this.before(place), this.get("PredecessorsTotal", place)),
      successors: this.neighbours(this.after(place), this.get("SuccessorsTotal", place)),
      source: this.source(this.get("Site", place)),
    };
  }

  // As the pop-up of StarPU's handbook, section 4.1.1, and what it does not know.
  fields(place, brief, data) {
    const none = (value) => (value < 0 || value === null || value === undefined ? "none" : String(value));
    const color = this.get("Color", place), flops = this.get("Flops", place);
    const footprint = this.get("Footprint", place), written = data.find((one) => one.writes && one.x !== null);
    const fields = {
      Value: brief.name,
      Container: brief.worker ?? "no worker",
      Type: brief.startNs === null ? "none" : "Worker State",
      Date: brief.startNs === null ? "it did not run" : `${exact(brief.startNs)} to ${exact(brief.endNs)}`,
      Duration: brief.endNs === null ? "unknown" : duration(brief.endNs - brief.startNs),
      Footprint: footprint < 0 ? "unknown" : "0x" + footprint.toString(16).padStart(8, "0"),
      GFlop: flops > 0 ? String(Number((flops / 1e9).toPrecision(6))) : "unknown",
      Iteration: none(this.get("Iteration", place)),
      JobId: String(brief.job),
      NumaNodes: data.map((one) => (one.numaNodes < 0 ? "-1" : one.numaNodes.toString(16))).join(" ") || "none",
      Params: data.map((one) => one.text).filter(Boolean).join(" ") || "none",
      Size: bytes(this.get("SizeBytes", place)),
      Subiteration: none(this.get("Subiteration", place)),
      SubmitOrder: none(this.get("SubmitOrder", place) || -1),
      Tag: this.get("HasTag", place)
        ? "0x" + hex(this.get("TagHigh", place), this.get("TagLow", place)).toString(16).padStart(16, "0") : "none",
      X: none(written?.x),
      Y: none(written?.y),
      Color: color < 0 ? "none" : "0x" + color.toString(16).toUpperCase().padStart(6, "0"),
      Rank: String(brief.rank),
      Priority: String(this.get("Priority", place)),
      Model: this.header.texts.names[this.get("Model", place)] || "none",
    };
    return Object.entries(fields).map(([name, text]) => ({ name, text }));
  }

  source(site) {
    return site < 0 || !this.header.sites[site] ? null : { site, ...this.header.sites[site] };
  }

  data(place) {
    const { column } = this;
    const rows = [];
    for (let i = this.firstAccess[place]; i < this.firstAccess[place + 1]; ++i) {
      const handle = column("accessHandle")[i], mode = column("accessMode")[i];
      const x = handle < 0 ? NO_COORDINATE : column("handleX")[handle];
      const y = handle < 0 ? NO_COORDINATE : column("handleY")[handle];
      rows.push({
        handle: handle < 0 ? null : handle,
        address: handle < 0 ? null : "0x" + hex(column("handleAddressHigh")[handle],
                                                column("handleAddressLow")[handle]).toString(16),
        name: handle < 0 ? "" : this.header.texts.details[column("handleName")[handle]],
        text: this.header.texts.details[column("accessText")[i]],
        mode,
        writes: (mode & (2 | 8)) !== 0,
        sizeBytes: column("accessSizeBytes")[i],
        numaNodes: column("accessNuma")[i],
        x: x === NO_COORDINATE ? null : x,
        y: y === NO_COORDINATE ? null : y,
      });
    }
    return rows;
  }

  before(place) {
    const list = [];
    for (let i = this.firstBefore[place]; i < this.firstBefore[place + 1]; ++i) {
      const coded = this.back[i];
      list.push(place - (coded % 2 === 0 ? coded / 2 : -(coded + 1) / 2));
    }
    return list;
  }

  after(place) {
    if (!this.successors) this.invert();
    const { first, items } = this.successors;
    return Array.from(items.subarray(first[place], first[place + 1]));
  }

  invert() {
    const counts = new Uint32Array(this.count + 1);
    const ends = new Uint32Array(this.back.length);
    for (let place = 0; place < this.count; ++place)
      for (let i = this.firstBefore[place]; i < this.firstBefore[place + 1]; ++i) {
        const coded = this.back[i];
        ends[i] = place - (coded % 2 === 0 ? coded / 2 : -(coded + 1) / 2);
        ++counts[ends[i]];
      }
    const first = sums(counts.subarray(0, this.count));
    const next = Uint32Array.from(first), items = new Uint32Array(this.back.length);
    for (let place = 0; place < this.count; ++place)
      for (let i = this.firstBefore[place]; i < this.firstBefore[place + 1]; ++i)
        items[next[ends[i]]++] = place;
    this.successors = { first, items };
  }

  // Calls visit(row, end, row, start) for each dependency between tasks that ran.
  eachDependency(visit) {
    const [start, end, worker] = ["Start", "End", "Worker"].map((name) => this.column("task" + name));
    const { workers } = this.header.texts;
    const rowOf = (place) => (worker[place] < 0 ? -1 : workers[worker[place]].row);
    for (let place = 0; place < this.count; ++place) {
      if (start[place] < 0 || rowOf(place) < 0) continue;
      for (const before of this.before(place))
        if (end[before] >= 0 && rowOf(before) >= 0) visit(rowOf(before), end[before], rowOf(place), start[place]);
    }
  }

  neighbours(places, total) {
    return {
      count: total,
      tasks: places.slice(0, MOST_NEIGHBOURS).map((place) => this.brief(place)),
    };
  }

  // From `place` back to whatever ended last among its predecessors, and so on.
  lastDependencies(place, limit) {
    const chain = [place];
    while (chain.length < limit) {
      let last = -1;
      for (const one of this.before(chain[chain.length - 1]))
        if (this.get("End", one) >= 0 && (last < 0 || this.get("End", one) > this.get("End", last)))
          last = one;
      if (last < 0 || chain.includes(last)) break;
      chain.push(last);
    }
    return chain;
  }

  // Tasks whose name, job, tag, data or line answers to `text`: numbers as a whole, texts in part.
  search(text) {
    const wanted = text.trim().toLowerCase();
    if (!wanted) return { count: 0, tasks: [], sites: [] };
    const { header, column } = this;
    const number = /^(0x[0-9a-f]+|\d+)$/.test(wanted) ? Number(wanted) : -1;
    const names = header.texts.names.map((name) => (name || "unknown").toLowerCase().includes(wanted));
    const details = header.texts.details.map((name) => name !== "" && name.toLowerCase().includes(wanted));
    const sites = Object.entries(header.sites)
      .filter(([, s]) => `${s.file}:${s.line} ${s.function}`.toLowerCase().includes(wanted))
      .map(([site, s]) => ({ site: Number(site), ...s }));
    const isSite = new Set(sites.map((s) => s.site));
    const low = column("handleAddressLow"), high = column("handleAddressHigh");
    const isHandle = (i) =>
      i >= 0 && (details[column("handleName")[i]] ||
                 (number >= 0 && high[i] * 4294967296 + low[i] === number));
    const tasks = [];
    let count = 0;
    for (let place = 0; place < this.count; ++place) {
      let rank = 0;  // the better, the earlier
      if (number >= 0 && this.get("Job", place) === number) rank = 4;
      else if (number >= 0 && this.get("HasTag", place) &&
               this.get("TagHigh", place) * 4294967296 + this.get("TagLow", place) === number) rank = 3;
      else if (names[this.get("Name", place)]) rank = 2;
      else if (isSite.has(this.get("Site", place))) rank = 1;
      else
        for (let i = this.firstAccess[place]; i < this.firstAccess[place + 1] && !rank; ++i)
          if (isHandle(column("accessHandle")[i])) rank = 1;
      if (!rank) continue;
      ++count;
      if (tasks.length < MOST_HITS || rank > 2) tasks.push([rank, place]);
    }
    tasks.sort((a, b) => b[0] - a[0] || a[1] - b[1]);
    return {
      count,
      tasks: tasks.slice(0, MOST_HITS).map(([, place]) => this.brief(place)),
      sites: sites.slice(0, MOST_HITS),
    };
  }

  ofSite(site, limit) {
    const tasks = [];
    const sites = this.column("taskSite");
    for (let place = 0; place < this.count && tasks.length < limit; ++place)
      if (sites[place] === site) tasks.push(this.rows[place]);
    return tasks;
  }
}

// [0, counts[0], counts[0] + counts[1], ...]
export function sums(counts) {
  const first = new Uint32Array(counts.length + 1);
  for (let i = 0; i < counts.length; ++i) first[i + 1] = first[i] + counts[i];
  return first;
}
