// SPDX-License-Identifier: Apache-2.0
// Statistics of all tasks, or of those of the selected interval, by codelet, line, worker or state;
// every column sorts.
import { el, replace, shortName } from "../dom.js";
import { at, count, duration, lengthText, share } from "../format.js";
import { showsInternal, stretchOf } from "../store.js";

const TABLES = [["codelet", "Codelets"], ["site", "Lines"], ["worker", "Workers"], ["state", "States"]];
// Key, title, text for a row, and description.
const COLUMNS = [
  ["label", "Name", (row) => row.label, "What the row is of"],
  ["tasks", "Count", (row) => count(row.tasks), "How many tasks there are, or how often the state was entered"],
  ["totalNs", "Total", (row) => duration(row.totalNs), "All their durations together"],
  ["share", "Share", (row) => share(row.share), "Of all rows' total"],
  ["meanNs", "Mean", (row) => duration(row.meanNs), "Mean duration"],
  ["medianNs", "Median", (row) => duration(row.medianNs), "Half of them were shorter"],
  ["minNs", "Shortest", (row) => duration(row.minNs), "The shortest duration"],
  ["maxNs", "Longest", (row) => duration(row.maxNs), "The longest duration"],
  ["stddevNs", "Deviation", (row) => duration(row.stddevNs), "Standard deviation of their durations"],
  ["gflops", "GFlop/s", (row) => (row.gflops === null || row.gflops === undefined ? "" : row.gflops.toPrecision(3)), "Operations that the program said, by the time they took"],
];
// The descriptions for an interval.
const WITHIN = new Map([
  ["tasks", "How many tasks ran in the stretch, at least partly, or how many states lie in it so"], ["totalNs", "Their time within the stretch"],
  ["meanNs", "Mean of their whole durations, also beyond the stretch"], ["medianNs", "Half of their whole durations were shorter"], ["minNs", "The shortest of their whole durations"],
  ["maxNs", "The longest of their whole durations"], ["stddevNs", "Standard deviation of their whole durations"],
]);
const MOST_ROWS = 500;

export class Table {
  constructor(app) {
    this.app = app;
    this.element = el("div.table", { tabindex: "-1" });
    this.answers = new Map();  // by request
    this.stretch = null;       // the interval of `answers`
  }

  async refresh() {
    const { state } = this.app.store, { by, sort, down } = state.table;
    const internal = showsInternal(state), stretch = stretchOf(state), key = (this.wanted = `${by} ${internal} ${stretch?.fromNs} ${stretch?.toNs}`);
    // Answers are kept for one interval only, because there may be any number of intervals.
    if (stretch !== this.stretch) this.answers.clear();
    this.stretch = stretch;
    if (!this.answers.has(key)) this.answers.set(key, await this.ask({ by, internal, ...stretch }));
    if (this.wanted !== key) return;  // something else is shown by now
    const { groups, count: all = groups.length, problem } = this.answers.get(key);
    const total = groups.reduce((sum, row) => sum + row.totalNs, 0) || 1;
    const rows = groups.map((row) => ({ ...row, share: row.totalNs / total }));
    rows.sort((a, b) => {
      const order = typeof a[sort] === "string" ? a[sort].localeCompare(b[sort]) : (a[sort] ?? -1) - (b[sort] ?? -1);
      return down ? -order : order;
    });
    const columns = COLUMNS.filter(([key]) => key !== "gflops" || rows.some((row) => row.gflops));
    const set = (change) => this.app.store.set({ table: { by, sort, down, ...change } });
    const longest = Math.max(...rows.map((row) => row.share), 0);
    replace(this.element,
      el("div.choices", { role: "group", "aria-label": "What the rows are" }, TABLES.map(([key, label]) =>
        el("button", { "aria-pressed": String(key === by), onclick: () => set({ by: key }) }, label))),
      stretch && this.ofStretch(stretch),
      problem ? el("p.note", {}, problem) : el("table", {},
        el("thead", {}, el("tr", {}, columns.map(([key, label, , help]) =>
          el("th", { title: `${(stretch && WITHIN.get(key)) ?? help}; a click sorts`, "aria-sort": key === sort ? (down ? "descending" : "ascending") : "none", scope: "col" },
            el("button", { onclick: () => set({ sort: key, down: key === sort ? !down : key !== "label" }) },
              label, key === sort ? (down ? " ↓" : " ↑") : ""))), el("th", { scope: "col", title: "How many were how long: from the shortest, left, to the longest" }, "Durations"))),
        el("tbody", {}, rows.slice(0, MOST_ROWS).map((row) => this.row(row, by, columns, longest)))),
      all > Math.min(rows.length, MOST_ROWS) && el("p.note", {}, `${count(all - Math.min(rows.length, MOST_ROWS))} more rows are not shown.`));
    this.mark();
  }

  // Returns {problem} if a report keeps too little of an interval.
  async ask(params) {
    try {
      return await this.app.host.request("tasklens/stats", params);
    } catch (error) {
      if (params.fromNs === undefined) throw error;
      return { groups: [], problem: error.message };
    }
  }

  ofStretch({ fromNs, toNs }) {
    return el("div.of", { role: "status" }, el("span", {}, `Of the stretch from ${at(fromNs, toNs - fromNs)} to ${at(toNs, toNs - fromNs)}, ${lengthText(toNs - fromNs, toNs - fromNs)} long: totals are of the time within it.`),
      el("button", { onclick: () => this.app.select(null), title: "Numbers of all of it; the stretch is no longer selected" }, "Back to the whole run"));
  }

  // Marks the selection: a line, also that of a selected task, a codelet, a worker's row, a state.
  mark() {
    const { selected } = this.app, site = selected?.kind === "site" ? selected.site : selected?.task?.site;
    for (const row of this.element.querySelectorAll("tr.acts"))
      row.setAttribute("aria-selected", String(row.dataset.site === String(site) || row.dataset.codelet === (selected?.codelet ?? "") ||
        (selected?.kind === "row" && row.dataset.row === String(selected.row)) || (selected?.kind === "states" && row.dataset.state === selected.state)));
  }

  row(row, by, columns, longest) {
    const { app } = this;
    const color = by === "codelet" ? app.colors.of(row.label) : "var(--accent)";
    const site = by === "site" ? app.siteNamed(row.label)?.site : null;
    const place = by === "worker" ? app.overview.workerRows.find(({ label }) => label === row.label)?.row ?? -1 : -1;
    const act = site !== null && site !== undefined ? () => app.select({ site })
      : by === "codelet" ? () => app.toggleCodelet(row.label)
      : by === "state" ? () => app.toggleState(row.label)
      : place >= 0 ? () => app.toggleRow(place) : null;
    return el(act ? "tr.acts" : "tr", { onclick: act, tabindex: act ? "0" : null, "aria-label": act ? shortName(row.label, 200) : null, "data-site": site, "data-codelet": by === "codelet" ? row.label : null,
      "data-state": by === "state" ? row.label : null, "data-row": place >= 0 ? String(place) : null,
      onkeydown: act && ((event) => event.key === "Enter" && act()) },
      columns.map(([key, , text]) => key === "label"
        ? el("th", { scope: "row", title: row.label }, by === "codelet" && app.swatch(row.label), shortName(row.label, 60))
        : key === "share" ? el("td", {}, el("span.meter", {}, el("i", { style: { width: `${(row.share / (longest || 1)) * 100}%`, background: color } })), el("span.share", {}, text(row)))
        : el("td", {}, text(row))),
      el("td", {}, this.histogram(row)));
  }

  histogram({ histogram, label }) {
    if (!histogram?.length) return "";
    const most = Math.max(...histogram.map((bar) => bar.count));
    return el("span.histogram", { role: "img", "aria-label": `Durations of ${shortName(label, 60)}` }, histogram.map((bar) =>
      el("i", { title: `${duration(bar.lowNs)} to ${duration(bar.highNs)}: ${count(bar.count)}`,
                style: { height: `${bar.count ? Math.max(8, (100 * bar.count) / most) : 0}%` } })));
  }
}
