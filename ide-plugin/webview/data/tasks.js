// SPDX-License-Identifier: Apache-2.0
// Tasks, their data and their neighbours from the columns of a report.

import { firstAtLeast } from "./columns.js";
import { at, count, counted, duration } from "../format.js";

const MOST_NEIGHBOURS = 1000;
const MOST_HITS = 200;
const MOST_TEXTS = 64;  // in one field
const NO_COORDINATE = -2147483648;
const NUMBER = "\x01";  // in a pattern

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

  // Makes a value on first use, because the first screen does not need it.
  once(name, make) {
    if (!this.made.has(name)) this.made.set(name, make());
    return this.made.get(name);
  }

  get firstAccess() {
    return this.once("firstAccess", () => sums(this.column("taskAccesses")));
  }

  // The places of the tasks before each task: its "Predecessors", or those that are its predecessors
  // besides, see WriteDependencies() in server/report/report_data.cc.
  lists(kind) {
    return this.once(kind, () => {
      const first = sums(this.column(`task${kind}`)), back = this.column(`${kind}Back`), items = new Uint32Array(back.length);
      for (let place = 0; place < this.count; ++place)
        for (let i = first[place]; i < first[place + 1]; ++i)
          items[i] = place - (back[i] % 2 === 0 ? back[i] / 2 : -(back[i] + 1) / 2);
      return { first, items };
    });
  }

  get(name, place) {
    return this.column("task" + name)[place];
  }

  tag(place) {
    return hex(this.get("TagHigh", place), this.get("TagLow", place));
  }

  // True for the runtime's own tasks.
  isInternal(place) {
    return this.column("taskInternal")?.[place] > 0;  // without the column there are none
  }

  // The place of a task given its number in the trace; -1 if it was not kept.
  placeOf(row) {
    const place = firstAtLeast(this.rows, row);
    return this.rows[place] === row ? place : -1;
  }

  // The same; throws if it was not kept.
  keptPlaceOf(task) {
    const { tasks, tasksTotal } = this.header.kept, place = this.placeOf(task);
    if (place >= 0) return place;
    throw new Error(tasks < tasksTotal
      ? `task ${task} is not among the ${count(tasks)} that this page keeps one by one: the longest of ${count(tasksTotal)}, and those of the critical path`
      : `there is no task ${task}: the run has ${counted(tasksTotal, "task")}, counted from 0`);
  }

  name(place) {
    return this.header.texts.names[this.get("Name", place)] || "unknown";
  }

  worker(place) {
    const worker = this.get("Worker", place);
    return worker < 0 ? null : this.header.texts.workers[worker];
  }

  // A one-line description of a task.
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
      ownRgb: orNull(this.column("taskRgb")?.[place] ?? -1),
    };
  }

  // All information about a task.
  full(place) {
    const brief = this.brief(place), data = this.data(place);
    return {
      ...brief,
      slackNs: orNull(this.get("Slack", place)),
      lastDependency: this.rows[this.get("Last", place)] ?? null,
      fields: this.fields(place, brief, data),
      data,
      predecessors: this.neighbours(this.before(place), this.get("PredecessorsTotal", place)),
      successors: this.neighbours(this.after(place), this.get("SuccessorsTotal", place)),
      source: this.source(this.get("Site", place)),
    };
  }

  // The fields of the pop-up in StarPU's handbook, section 4.1.1, and some more: as the server tells
  // them, those of other columns in the same words.
  fields(place, brief, data) {
    const get = (name) => this.get(name, place), lengthNs = brief.endNs === null || brief.startNs === null ? 0 : brief.endNs - brief.startNs;
    const time = (ns) => (ns === null || ns < 0 ? "unknown" : at(ns, lengthNs)), site = this.source(get("Site"));
    const parameters = data.map(({ text }) => text).filter(Boolean), left = parameters.length - MOST_TEXTS;
    const own = {
      Name: brief.name,
      Worker: brief.worker ?? "no worker",
      Time: brief.startNs === null ? "it did not run" : `${time(brief.startNs)} to ${time(brief.endNs)}`,
      Duration: brief.endNs === null ? "unknown" : duration(brief.endNs - brief.startNs),
      Job: String(brief.job),
      Parameters: parameters.slice(0, MOST_TEXTS).join(", ") + (left > 0 ? `, and ${count(left)} more` : "") || "none",
      Tag: get("HasTag") ? `0x${this.tag(place).toString(16).padStart(16, "0")}` : "none",
      Source: site ? `${site.file}:${site.line}${site.function ? ` in ${site.function}` : ""}` : "unknown",
      Rank: String(brief.rank),
      Submitted: time(brief.submitNs),
      Ready: time(brief.readyNs),
      Taken: time(get("Taken")),
      "Waits for": counted(get("PredecessorsTotal"), "task"),
      "Waited for by": counted(get("SuccessorsTotal"), "task"),
    };
    return this.header.fields.map(({ name, column, patterns }) => ({ name, text: column ? this.text(column, patterns, place) : own[name] }));
  }

  // The text of a task that is kept as a pattern and the numbers that belong into it; without a
  // column the text is the same for all.
  text(column, patterns, place) {
    const which = this.column(column), pattern = patterns[which?.[place] ?? 0];
    if (!pattern.includes(NUMBER)) return pattern;
    const numbers = this.column(`${column}Number`), first = this.once(column, () => {
      const counts = patterns.map((one) => one.split(NUMBER).length - 1);
      return sums(which.map((one) => counts[one]));
    });
    let at = first[place];
    return pattern.replaceAll(NUMBER, () => numbers[at++]);
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
        handle: handle < 0 ? null : column("handleRow")[handle],
        address: handle < 0 ? null : "0x" + hex(column("handleAddressHigh")[handle],
                                                column("handleAddressLow")[handle]).toString(16),
        name: handle < 0 ? "" : this.header.texts.details[column("handleName")[handle]],
        text: this.header.texts.details[column("accessText")[i]],
        mode,
        sizeBytes: column("accessSizeBytes")[i],
        numaNodes: column("accessNuma")[i],
        coordinates: [x, y].filter((at) => at !== NO_COORDINATE),
      });
    }
    return rows;
  }

  uses(place, handle) {
    const handles = this.column("accessHandle"), row = this.column("handleRow");
    for (let i = this.firstAccess[place]; i < this.firstAccess[place + 1]; ++i) if (row[handles[i]] === handle) return true;
    return false;
  }

  // The places of the tasks before a task or after it.
  before(place, kind = "Predecessors") {
    return listAt(this.lists(kind), place);
  }

  after(place, kind = "Predecessors") {
    return listAt(this.once(`after ${kind}`, () => this.inverted(this.lists(kind))), place);
  }

  inverted({ first: firstBefore, items: ends }) {
    const counts = new Uint32Array(this.count);
    for (const end of ends) ++counts[end];
    const first = sums(counts), next = Uint32Array.from(first), items = new Uint32Array(ends.length);
    for (let place = 0; place < this.count; ++place)
      for (let i = firstBefore[place]; i < firstBefore[place + 1]; ++i) items[next[ends[i]]++] = place;
    return { first, items };
  }

  // Calls visit(row, end, row, start) for each dependency of the tasks [from, to) on tasks that
  // ran, also those through tasks without a place in the timeline.
  eachDependency(from, to, visit) {
    const [start, end, worker] = ["Start", "End", "Worker"].map((name) => this.column("task" + name));
    const { workers } = this.header.texts, lists = ["Predecessors", "Placed"].map((kind) => this.lists(kind));
    const rowOf = (place) => (worker[place] < 0 ? -1 : workers[worker[place]].row);
    for (let place = from; place < Math.min(to, this.count); ++place) {
      if (start[place] < 0 || rowOf(place) < 0) continue;
      for (const { first, items } of lists)
        for (let i = first[place]; i < first[place + 1]; ++i)
          if (end[items[i]] >= 0 && rowOf(items[i]) >= 0) visit(rowOf(items[i]), end[items[i]], rowOf(place), start[place]);
    }
  }

  neighbours(places, total) {
    return {
      count: total,
      tasks: places.slice(0, MOST_NEIGHBOURS).map((place) => this.brief(place)),
    };
  }

  // From `place` back to the task that it waited for last, and so on.
  lastDependencies(place, limit) {
    const last = this.column("taskLast"), chain = [];
    for (let one = place; one >= 0 && chain.length < limit; one = last[one]) chain.push(one);
    return chain;
  }

  // Tasks whose name, job, tag, data or line matches `text`: numbers exactly, texts in part.
  search(text) {
    const wanted = text.trim().toLowerCase();
    if (!wanted) return { count: 0, tasks: [], sites: [] };
    const { header, column } = this;
    // Tags are stored in two halves, because a JavaScript number has fewer bits.
    const whole = /^(0x[0-9a-f]+|\d+)$/.test(wanted) ? BigInt(wanted) : -1n, number = Number(whole);
    const wantedHigh = Number(whole >> 32n), wantedLow = Number(whole & 0xffffffffn);
    const names = header.texts.names.map((name) => (name || "unknown").toLowerCase().includes(wanted));
    const details = header.texts.details.map((name) => name !== "" && name.toLowerCase().includes(wanted));
    const sites = Object.entries(header.sites)
      .filter(([, s]) => `${s.file}:${s.line} ${s.function}`.toLowerCase().includes(wanted))
      .map(([site, s]) => ({ site: Number(site), ...s }));
    const isSite = new Set(sites.map((s) => s.site));
    const low = column("handleAddressLow"), high = column("handleAddressHigh");
    const isHandle = (i) =>
      i >= 0 && (details[column("handleName")[i]] ||
                 (number >= 0 && high[i] === wantedHigh && low[i] === wantedLow));
    const tasks = [];
    let count = 0;
    for (let place = 0; place < this.count; ++place) {
      let rank = 0;  // 0 is best
      if (number >= 0 && this.get("Job", place) === number) rank = 4;
      else if (number >= 0 && this.get("HasTag", place) &&
               this.get("TagHigh", place) === wantedHigh && this.get("TagLow", place) === wantedLow) rank = 3;
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

  ofSite(site) {
    const sites = this.column("taskSite"), start = this.column("taskStart");
    // A waiting call is not a submission, though an acquisition task stands for it.
    return this.places((place) => sites[place] === site && !(this.isInternal(place) && start[place] < 0));
  }

  // The places of the tasks with isMeant(place).
  places(isMeant) {
    return [...this.rows.keys()].filter(isMeant);
  }
}

const listAt = ({ first, items }, place) => Array.from(items.subarray(first[place], first[place + 1]));

// [0, counts[0], counts[0] + counts[1], ...]
export function sums(counts) {
  const first = new Uint32Array(counts.length + 1);
  for (let i = 0; i < counts.length; ++i) first[i + 1] = first[i] + counts[i];
  return first;
}
