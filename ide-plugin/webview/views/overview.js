// SPDX-License-Identifier: Apache-2.0
// The first screen: how long the run took, how well it used the workers, what cost most, and what
// to try.
import { el, replace, short } from "../dom.js";
import { bytes, count, counted, duration, fileName, place, share } from "../format.js";
import { TIME_KINDS } from "../states.js";

const FACTORS = [
  ["parallelism", "Parallelism", "less than 100 %: workers had nothing to do, as the program had no more ready tasks"],
  ["runtime", "Runtime", "less than 100 %: the runtime's own work between tasks (tasks too small)"],
  ["scheduling", "Scheduling", "less than 100 %: ready tasks waited while workers were free"],
  ["locality", "Locality", "less than 100 %: tasks waited for their data to be moved"],
  ["known", "Known", "less than 100 %: workers were idle, and the trace does not tell what tasks waited for"],
];

export class Overview {
  constructor(app) {
    this.app = app;
    this.element = el("section.overview", { "aria-label": "Overview" });
    this.siteRows = new Map();  // the elements with a site's costs
  }

  load() {
    replace(this.element, this.time(), this.efficiency(), this.sites(), this.findings());
  }

  // The program has progressed; changes existing elements, so that a click on them is not lost.
  show({ spanNs, tasks, ran, busyNs, sites }) {
    this.span.textContent = duration(spanNs);
    this.tasks.textContent = tasksText(tasks, ran);
    for (const { site, totalNs, tasks: many } of sites)
      this.siteRows.get(site)?.({ totalNs, runs: many, meanNs: many ? totalNs / many : 0, share: busyNs ? totalNs / busyNs : 0 });
  }

  time() {
    const o = this.app.overview;
    const measured = Math.max(1, o.endNs - o.beginNs);
    const facts = [
      [counted(o.workers, "worker"), o.ranks > 1 ? counted(o.ranks, o.rankWord) : null],
      [counted(o.dependencies, "dependency").replace("dependencys", "dependencies")],
    ];
    this.span = el("div.big", {}, duration(o.spanNs));
    this.tasks = el("span", {}, tasksText(o.tasks, o.ran, this.app.isPart));
    const bound = o.bound?.boundNs ?? 0, lost = (o.diagnostics ?? []).filter(({ severity }) => severity === "dataLoss");
    const isCut = lost.some(({ kind }) => kind.endsWith("_truncated"));
    return card("Span", "From the first submission of a task to the last task's end",
      this.span,
      lost.length > 0 && el("div.note.lost", { title: lost.map(({ text, first }) => `${text} (first at ${first})`).join("\n") }, isCut
        ? "This is not the whole trace, its file was cut: tasks, workers and times are missing, and what began before the end of it may seem to last until then."
        : "The trace lost data: numbers are of what is left of it."),
      el("div.facts", {}, this.tasks, facts.map((fact) => el("span", {}, fact.filter(Boolean).join(", ")))),
      bound > 0 && el("div.note", { title: "The larger of: the work spread evenly over the workers that can do it (area bound), and the longest dependency chain" },
        `No schedule of these tasks could be shorter than ${duration(bound)} (${share(Math.min(1, bound / measured))} of the measured ${duration(measured)}).`),
      o.bound?.whyNotFound && el("div.note", {}, `The work of the workers is left out of that: ${o.bound.whyNotFound}`),
      o.criticalPath?.count > 0 && el("button.link", { onclick: () => this.app.toggleCritical(), title: "What the length of this run hung on, workers that were busy with others included. Mark it in the timeline (c)" },
        `Critical path of this run: ${counted(o.criticalPath.count, "task")}, ${duration(o.criticalPath.workNs)} of work, ${duration(o.criticalPath.waitNs)} of waiting`));
  }

  efficiency() {
    const o = this.app.overview, times = o.timesNs;
    if (!o.ran) return card("Where the workers' time went", "All workers, while the run was measured", el("div.note", {}, "No task ran."));
    if (!times) return card("Where the workers' time went", "All workers, while the run was measured", this.soon("What workers did and waited for is being worked out"));
    return card("Where the workers' time went", "All workers, while the run was measured",
      el("div.headline", {},
        el("div.big", {}, share(o.efficiency)),
        el("span.note", {}, "efficiency: their time in tasks")),
      timesBar(TIME_KINDS, times),
      el("div.facts", {}, FACTORS.filter(([key]) => key !== "known" || o.factors.known < 1).map(([key, label, help], i) =>
        el("span.factor", { title: help }, i ? "× " : "= ", label, " ", el("b", {}, share(o.factors[key]))))));
  }

  sites() {
    const { costs, sites, tasks } = this.app.overview;
    this.siteRows.clear();
    const rows = costs.slice(0, 3).map((site) => this.site(site));
    return card("Costliest lines", "Submission sites by execution time of their tasks",
      rows.length ? rows : el("div.note", {}, tasks ? "The trace does not say where tasks were submitted." : "No task was submitted."),
      sites > 3 && el("button.link", { onclick: () => this.app.showTable("site") }, `All ${count(sites)} lines`));
  }

  site(site) {
    const color = this.app.colors.of(site.names[0] || "unknown");
    const number = el("b.number"), bar = el("i", { style: { background: color } }), detail = el("span.detail");
    const show = (cost) => {
      number.textContent = share(cost.share);
      bar.style.setProperty("width", `${Math.min(1, cost.share) * 100}%`);
      detail.textContent = `${duration(cost.totalNs)} · ${count(cost.runs)} × ${duration(cost.meanNs)}`;
    };
    show(site);
    this.siteRows.set(site.site, show);
    return el("button.row", {
      onclick: () => this.app.select({ site: site.site }),
      ondblclick: () => this.app.openSource({ site: site.site }),
      title: `${site.file}:${site.line}${site.function ? ` in ${site.function}` : ""}\nclick shows its tasks, double click opens the line`,
    },
      this.app.swatch(site.names[0] || "unknown"),
      el("span.name", {}, site.names.join(", ") || "unknown"), number,
      el("span.place", {}, el("span.file", {}, fileName(site.file)), `:${site.line}`), detail, el("span.bar", {}, bar));
  }

  // A placeholder for the result of an analysis, or the reason why there will be none.
  soon(what) {
    const { problem } = this.app.overview;
    if (this.app.isPart) return el("div.note", {}, "Known when all of the trace is read");
    return el("div.note", {}, problem ? `Not known: ${problem}` : `${what} …`);
  }

  findings() {
    const { findings } = this.app.overview;
    if (!findings) return card("Findings", "What to try, the most expensive first", this.soon("Being looked for"));
    const rows = findings.slice(0, 3).map((finding) => findingRow(this.app, finding, true));
    return card("Findings", "What to try, the most expensive first",
      rows.length ? rows : el("div.note", {}, "No rule of advice found anything worth saying."),
      findings.length > 3 && el("button.link", { onclick: () => this.app.showPanel("findings") }, `All ${count(findings.length)} findings`));
  }
}

// A bar with the shares of time, and a description. `kinds`: as TIME_KINDS; `times`: ns by kind.
export function timesBar(kinds, times) {
  const total = Object.values(times).reduce((sum, value) => sum + value, 0) || 1;
  const parts = kinds.filter(({ kind }) => times[kind] > 0), color = (colour) => `var(--time-${colour})`;
  return [
    el("div.stack", { role: "img", "aria-label": parts.map(({ kind, label }) => `${label} ${share(times[kind] / total)}`).join(", ") },
      parts.map(({ kind, label, colour, help }) =>
        el("div", { title: `${label}: ${duration(times[kind])}. ${help}`, style: { background: color(colour), "flex-grow": String(Math.max(0.004, times[kind] / total)) } }))),
    el("div.legend", {}, parts.map(({ kind, label, colour, help }) =>
      el("span", { title: help }, el("i", { style: { background: color(colour) } }), `${label} `, el("b", {}, share(times[kind] / total))))),
  ];
}

const tasksText = (tasks, ran, isPart) =>
  [counted(tasks, "task"), ran < tasks && `${count(tasks - ran)} ${isPart ? "not run yet" : "did not run"}`].filter(Boolean).join(", ");

function card(title, help, ...children) {
  return el("div.card", {}, el("h2", { title: help }, title), ...children);
}

const SIGNS = { error: "▲", warning: "◆", information: "●" };

export function findingRow(app, finding, brief) {
  const where = finding.file ? short(place(finding.file, finding.line), 120) : "whole run";
  const evidence = Object.entries(finding.evidence || {});
  return el(`button.finding.${finding.severity}`, {
    onclick: () => app.showFinding(finding),
    title: brief ? finding.message : "Shows what it is about",
  },
    el("span.sign", { "aria-label": finding.severity }, SIGNS[finding.severity] || "●"),
    el("span.text", {}, brief ? short(finding.message, 300) : short(finding.message, 2000)),
    el("span.detail", {}, where, finding.costNs > 0 ? ` · up to ${duration(finding.costNs)} shorter` : ""),
    !brief && evidence.length > 0 && el("dl.evidence", {}, evidence.map(([name, value]) =>
      [el("dt", {}, name.replace(/_(ns|bytes)$/, "").replaceAll("_", " ")),
       el("dd", {}, name.endsWith("_ns") && typeof value === "number" ? duration(value)
         : name.endsWith("_bytes") && typeof value === "number" ? bytes(value)
         : typeof value === "number" ? (Number.isInteger(value) ? count(value) : value.toPrecision(3)) : short(String(value), 200))])));
}
