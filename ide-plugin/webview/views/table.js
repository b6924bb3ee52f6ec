// SPDX-License-Identifier: Apache-2.0
// Numbers of all tasks, by codelet, line, worker or state; every column sorts.
import { el, replace, shortName } from "../dom.js";
import { count, duration, share } from "../format.js";
import { showsInternal } from "../store.js";

const TABLES = [["codelet", "Codelets"], ["site", "Lines"], ["worker", "Workers"], ["state", "States"]];
// Key, title, text of a row, and what it is.
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
const MOST_ROWS = 500;

export class Table {
  constructor(app) {
    this.app = app;
    this.element = el("div.table", { tabindex: "-1" });
    this.answers = new Map();
  }

  async refresh() {
    const { by, sort, down } = this.app.store.state.table;
    const internal = showsInternal(this.app.store.state), key = `${by} ${internal}`;
    if (!this.answers.has(key)) this.answers.set(key, await this.app.host.request("tasklens/stats", { by, internal }));
    const { groups, count: all = groups.length } = this.answers.get(key);
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
      el("table", {},
        el("thead", {}, el("tr", {}, columns.map(([key, label, , help]) =>
          el("th", { title: `${help}; a click sorts`, "aria-sort": key === sort ? (down ? "descending" : "ascending") : "none", scope: "col" },
            el("button", { onclick: () => set({ sort: key, down: key === sort ? !down : key !== "label" }) },
              label, key === sort ? (down ? " ↓" : " ↑") : ""))), el("th", { scope: "col", title: "How many were how long: from the shortest, left, to the longest" }, "Durations"))),
        el("tbody", {}, rows.slice(0, MOST_ROWS).map((row) => this.row(row, by, columns, longest)))),
      all > Math.min(rows.length, MOST_ROWS) && el("p.note", {}, `${count(all - Math.min(rows.length, MOST_ROWS))} more rows are not shown.`));
    this.mark();
  }

  // Marks the row of the selected line or codelet, or of the selected task's line.
  mark() {
    const { selected } = this.app, site = selected?.kind === "site" ? selected.site : selected?.task?.site;
    for (const row of this.element.querySelectorAll("tr.acts"))
      row.setAttribute("aria-selected", String(row.dataset.site === String(site) || row.dataset.codelet === (selected?.codelet ?? "")));
  }

  row(row, by, columns, longest) {
    const { app } = this;
    const color = by === "codelet" ? app.colors.of(row.label) : "var(--accent)";
    const site = by === "site" ? row.site ?? app.siteNamed(row.label)?.site : null;
    const act = site !== null && site !== undefined ? () => app.select({ site })
      : by === "codelet" ? () => app.toggleCodelet(row.label) : null;
    return el(act ? "tr.acts" : "tr", { onclick: act, tabindex: act ? "0" : null, "aria-label": act ? shortName(row.label, 200) : null, "data-site": site, "data-codelet": by === "codelet" ? row.label : null,
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
