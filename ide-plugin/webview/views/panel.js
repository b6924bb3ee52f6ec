// SPDX-License-Identifier: Apache-2.0
// Details of the selection: a task, a line, a group, a state of a row, an interval of the run; and
// the list of findings.
import { background } from "../colors.js";
import { el, replace, short, shortName } from "../dom.js";
import { at, bytes, count, counted, duration, place, share, typed } from "../format.js";
import { SHOWN_KINDS, TIME_KINDS, stateGroup } from "../states.js";
import { findingRow } from "./overview.js";
import { stretchParts } from "./stretch.js";

const MOST_SHOWN = 8, MOST_DATA = 50;

export class Panel {
  constructor(app) {
    this.app = app;
    this.all = {};
    this.tabs = el("div.tabs", { role: "tablist" });
    this.body = el("div.body", { tabindex: "-1" });
    this.element = el("aside.panel", { "aria-label": "Selection and findings" }, this.tabs, app.walk.element, this.body);
  }

  get tab() {
    return this.app.store.state.tab;
  }

  refresh() {
    const { app } = this;
    this.showTabs();
    app.walk.refresh();
    if (this.tab === "findings") return replace(this.body, this.findings());
    const { selected } = app;
    if (!selected) return replace(this.body, this.nothing());
    const parts = { task: () => this.task(selected.task), site: () => this.site(selected), state: () => this.state(selected), gap: () => this.gap(selected), states: () => this.states(selected), row: () => this.row(selected), stretch: () => [this.title("Stretch of the run", null), stretchParts(app, selected)], codelet: () => this.codelet(selected), group: () => this.group(selected) };
    replace(this.body, parts[selected.kind]());
    this.body.scrollTop = 0;
  }

  showTabs() {
    const { app } = this, { findings } = app.overview;
    replace(this.tabs, [["selection", "Selection"], ["findings", findings ? `Findings (${findings.length})` : "Findings"]].map(([tab, label]) =>
      el("button", { role: "tab", "aria-selected": String(tab === this.tab), onclick: () => app.showPanel(tab) }, label)));
  }

  // Called when the findings are known.
  showFindings() {
    this.showTabs();
    if (this.tab === "findings") replace(this.body, this.findings());
  }

  nothing() {
    const { overview } = this.app;
    const { kept, diagnostics } = overview;
    const notes = [];
    const keeps = (what, have, all) => kept && have < all && notes.push(`${what}: ${count(have)} of ${count(all)} are kept.`);
    if (kept && kept.slices < kept.statesTotal)
      notes.push(`This page keeps the timeline down to stretches of ${duration(kept.detailNs)}: ${count(kept.slices)} entries for ${count(kept.statesTotal)} states.`);
    if (kept && kept.tasks < kept.tasksTotal)
      notes.push(`It can show ${count(kept.tasks)} of ${count(kept.tasksTotal)} tasks one by one, from the beginning to the end: of those that the timeline shows, and of the critical path. All numbers are of the whole run.`);
    if (kept) {
      keeps("Dependencies between tasks", kept.dependencies, kept.dependenciesTotal);
      keeps("Stretches of the critical path, each for those beside it", kept.pathStretches, overview.criticalPath.count);
      keeps("Arrows of transfers, messages and steals, each for those beside it", kept.transfers + kept.messages + kept.steals, kept.arrowsTotal);
      keeps("Flags of events, each for those beside it", kept.eventFlags, kept.eventFlagsTotal);
      keeps("Flags of pushes and pops, each for those beside it", kept.schedulerFlags, kept.schedulerFlagsTotal);
      keeps("Curves", kept.counters, kept.countersTotal);
    }
    for (const one of diagnostics || []) notes.push(`${one.text || one.kind} (${count(one.count)})`);
    return [
      el("p.note", {}, "Click a task or the name of a row in the timeline, a task in the graph, a line of the overview, or a row of the table."),
      el("p.note", {}, "Wheel zooms around the pointer, dragging moves, Shift + dragging selects a stretch of time, ", el("kbd", {}, "?"), " lists all keys."),
      notes.length > 0 && el("h3", {}, "About this trace"),
      notes.map((note) => el("p.note", {}, note)),
    ];
  }

  findings() {
    const { findings, problem } = this.app.overview;
    if (this.app.isPart) return el("p.note", {}, "Findings are known when all of the trace is read.");
    if (!findings) return el("p.note", {}, problem ? `Not known: ${problem}` : "Findings are being looked for …");
    if (!findings.length) return el("p.note", {}, "No rule of advice found anything worth saying.");
    return [el("p.note", {}, "Each cost is by how much the run could be shorter at most; costs overlap, so they do not add up."),
            findings.map((finding) => findingRow(this.app, finding, false))];
  }

  title(name, detail, swatch) {
    return el("header", {}, swatch,
      el("h2", { title: name }, shortName(name, 80)), detail && el("span.detail", {}, detail));
  }

  task(task) {
    const { app } = this;
    const wait = (from, to) => (from === null || to === null || from === undefined ? null : to - from);
    const ready = wait(task.readyNs, task.startNs), lengthNs = wait(task.startNs, task.endNs) ?? 0;
    const fields = task.fields.map(({ name, text }) => [name, text]);
    const why = [
      ["Submitted", task.submitNs], ["Ready", task.readyNs], ["Started", task.startNs], ["Ended", task.endNs],
    ].filter(([, ns]) => ns !== null && ns !== undefined);
    return [
      this.title(task.name, `job ${task.job}`, app.swatch(task.name, task.ownRgb)),
      this.source(task.source, { task: task.task }),
      el("h3", {}, "When"),
      el("ol.steps", {}, why.map(([label, ns], i) => el("li", {}, el("span", {}, label), el("b", {}, at(ns, lengthNs)),
        i > 0 && ns >= why[i - 1][1] && el("span.detail", {}, `+${duration(ns - why[i - 1][1])}`)))),
      ready !== null && ready > 0 && el("p.note", {}, `It was ready ${duration(ready)} before a worker started it.`),
      task.slackNs !== null && task.slackNs !== undefined && el("p.note", {}, task.slackNs === 0
        ? "It has no slack: had it ended later, the run would have been longer."
        : `${app.isOnPath?.(task.task) ? "It is on the critical path, which has pauses. " : ""}Slack: it could have ended ${duration(task.slackNs)} later without making the run longer.`),
      el("h3", {}, "Fields"), this.fields(fields),
      this.dataList(task.data),
      this.neighbours("Waited for", task.predecessors, task),
      this.neighbours("Waited for it", task.successors),
      el("button", { onclick: () => app.timeline.reveal(task) }, "Show in timeline"),
      el("button", { onclick: () => app.graph.reveal(task).catch((error) => app.say(error.message)) }, "Show in graph"),
      el("button", { onclick: () => app.graph.focusAround(task), title: "What leads to it and follows from it (o)" }, "Only what is around it"),
      el("button", { onclick: () => app.pathsFrom(task), title: "All paths of dependencies to a task that is selected next (v)", "aria-pressed": String(app.pathStart?.task === task.task) }, "Paths to…"),
      tagOf(task) && el("button", { onclick: () => app.graph.focusOn({ tag: tagOf(task) }) }, "All with its tag"),
    ];
  }

  fields(fields) {
    return el("dl.fields", {}, fields.map(([label, value]) =>
      [el("dt", {}, label), el("dd", { title: String(value) }, short(value, 200))]));
  }

  dataList(data) {
    if (!data?.length) return null;
    return [el("h3", {}, `Data (${data.length})`),
      el("ul.list", {}, data.slice(0, MOST_DATA).map((one) =>
        el("li", {}, one.handle !== null && one.handle !== undefined && el("button.link.only", { onclick: () => this.app.graph.focusOn({ handle: one.handle }), title: "Show the tasks that use this data in the graph",
            "aria-label": `Tasks that use ${one.name || one.address || `data ${one.handle}`}` }, "tasks"), el("b", {}, modeText(one.mode)), " ", short(one.name || one.address || `data ${one.handle ?? ""}`, 60),
          el("span.detail", {}, ` ${bytes(one.sizeBytes)}${one.text ? `, ${short(one.text, 40)}` : ""}${one.coordinates?.length ? `, at ${one.coordinates.join(", ")}` : ""}`)))),
      data.length > MOST_DATA && el("p.note", {}, `${count(data.length - MOST_DATA)} more are not listed.`)];
  }

  neighbours(title, list, task) {
    if (!list?.count) return null;
    const last = task && list.tasks.reduce((best, one) => ((one.endNs ?? -1) > (best?.endNs ?? -1) ? one : best), null);
    const ordered = last ? [last, ...list.tasks.filter((one) => one !== last)] : list.tasks;
    const key = title + this.app.selected?.task?.task;
    const most = this.all[key] ? ordered.length : MOST_SHOWN;
    return [el("h3", {}, `${title} (${count(list.count)})`),
      el("ul.list", {}, ordered.slice(0, most).map((one) => el("li", {}, this.taskLink(one),
        one === last && list.count > 1 && el("span.detail", {}, " ended last")))),
      ordered.length > most && el("button.link", { onclick: () => ((this.all[key] = true), this.refresh()) }, `${count(ordered.length - most)} more`),
      list.count > ordered.length && el("p.note", {}, `${count(list.count - ordered.length)} more are not in this page.`)];
  }

  taskLink(task) {
    return el("button.link", { onclick: () => this.app.select({ task: task.task }, { reveal: true }) },
      this.app.swatch(task.name, task.ownRgb), shortName(task.name, 40),
      el("span.detail", {}, ` job ${task.job}${task.endNs !== null && task.startNs !== null ? `, ${duration(task.endNs - task.startNs)}` : ""}`));
  }

  // The lines around a site, and a link to it.
  source(source, target) {
    if (!source) return el("p.note", {}, "The trace does not say where this was submitted.");
    const name = `${source.file}:${source.line}`;
    return el("div.source", {},
      el("button.link.place", { onclick: () => this.app.openSource(target), title: `Open ${name}` }, short(name, 70),
        source.function && el("span.detail", {}, ` in ${short(source.function, 40)}`)),
      source.lines
        ? el("pre", {}, dedented(source.lines).map((text, i) => {
            const number = source.firstLine + i;
            return el(number === source.line ? "div.here" : "div", {}, el("span.no", {}, String(number)), text || " ");
          }))
        : source.problem && el("p.note", { title: source.problem }, short(source.problem, 240)),
      source.lines && source.note && el("p.note", {}, `Quoted is ${source.note}.`));
  }

  site({ site, source, count: all, cost }) {
    const shown = this.app.walk.focus?.size ?? 0, waits = source?.waits;
    const waited = waits && this.fields([["Waited", counted(waits.calls, "time")], ["Total", duration(waits.totalNs)],
                                         ["Mean", duration(waits.totalNs / waits.calls)]]);
    if (all === 0)
      return [this.title(source ? place(source.file, source.line) : `site ${site}`, waits ? "the program waits here" : "no task is submitted here"),
              this.source(source, { site }), waited];
    return [
      this.title(source ? place(source.file, source.line) : `site ${site}`, "submission site"),
      this.source(source, { site }),
      waited,
      cost && this.fields([["Tasks", count(cost.tasks)], ["Total", duration(cost.totalNs)],
                           ["Mean", duration(cost.meanNs)], ["Codelets", cost.names?.join(", ")]].filter(([, v]) => v)),
      el("p.note", {}, shown < all
        ? `${count(shown)} of the ${counted(all, "task")} of this line stand out in the timeline; the others are not told apart here.`
        : `${counted(all, "task")} of this line stand${all === 1 ? "s" : ""} out in the timeline.`),
      el("button", { onclick: () => this.app.graph.focusOn({ site }) }, "Only these in the graph"),
    ];
  }

  codelet({ codelet }) {
    const { app } = this, cost = app.codelets.get(codelet), shown = app.walk.focus?.size ?? 0;
    if (!cost) return [this.title(codelet, "codelet"), el("p.note", {}, "No task of this run has this name.")];
    return [
      this.title(codelet, "codelet", app.swatch(codelet)),
      this.fields([["Tasks", count(cost.tasks)], ["Total", duration(cost.totalNs)], ["Mean", duration(cost.meanNs)]]),
      el("p.note", {}, shown < cost.tasks
        ? `${count(shown)} of its ${counted(cost.tasks, "task")} stand out in the timeline; the others are not told apart here.`
        : `Its ${counted(shown, "task")} stand${shown === 1 ? "s" : ""} out in timeline and graph.`),
    ];
  }

  state({ state, pause }) {
    const { app } = this, row = app.timeline.data.texts.rows[state.row], lengthNs = state.endNs - state.startNs;
    return [
      this.title(state.name ?? state.state, `on ${row.name}`),
      this.fields([["Row", row.name], ["From", at(state.startNs, lengthNs)], ["To", at(state.endNs, lengthNs)],
                   ["Duration", duration(lengthNs)]]),
      state.count > 1 && el("p.note", {}, `The longest of ${count(state.count)} states that are kept as one here.`),
      state.task >= 0 && el("button", { onclick: () => app.select({ task: state.task }) }, "Show the task"),
      pause ? this.pause(pause) : this.whyNot(state),
    ];
  }

  // An interval of a row without tasks, whatever its states.
  gap({ state, pause }) {
    const { app } = this, row = app.timeline.data.texts.rows[state.row], lengthNs = state.endNs - state.startNs;
    return [
      this.title("Without a task", `on ${row.name}`),
      this.fields([["Row", row.name], ["From", at(state.startNs, lengthNs)], ["To", at(state.endNs, lengthNs)], ["Duration", duration(lengthNs)]]),
      pause ? this.pause(pause) : this.whyNot(state),
      state.states.length > 0 && [el("h3", {}, "What the row shows"),
        this.fields(state.states.map(({ state: name, ns }) => [name, `${share(ns / lengthNs)}, ${duration(ns)}`]))],
    ];
  }

  // How to find out why a worker was idle, if the page does not know.
  whyNot({ row, startNs, endNs, task, state }) {
    const { app } = this, { name, kind, rank } = app.timeline.data.texts.rows[row];
    if (task >= 0 || kind !== "worker" || app.host.knowsWhy || (state !== undefined && stateGroup(state) !== "idle")) return null;
    const worker = app.overview.ranks > 1 ? `${rank}:${name}` : name, middle = typed((startNs + endNs) / 2, endNs - startNs);
    return [el("h3", {}, "Why it was idle"),
            el("p.note", {}, "This page does not keep that. With the trace, ", el("code", {}, `tasklens why TRACE --worker "${worker}" --at ${middle}`), " says it.")];
  }

  states({ state, numbers }) {
    const { kind, colour } = SHOWN_KINDS.find((one) => one.kind === stateGroup(state));
    return [
      this.title(state, "state", el("span.swatch", { style: { background: kind === "idle" ? "var(--accent)" : `var(--time-${colour})` } })),
      numbers ? this.fields([["Count", count(numbers.count)], ["Total", duration(numbers.totalNs)], ["Mean", duration(numbers.meanNs)], ["Longest", duration(numbers.maxNs)]])
        : el("p.note", {}, "No row was in this state."),
      numbers && el("p.note", {}, "It stands out in the timeline. Where several states share a pixel, the most telling one is shown: zoom in to see more of this one."),
    ];
  }

  row({ row, numbers }) {
    const { app } = this, { name, kind, rank } = app.timeline.texts.rows[row];
    return [
      this.title(name, kind.replace("_", " ")),
      this.fields([[app.overview.rankWord === "run" ? "Run" : "Rank", app.overview.ranks > 1 ? String(rank) : null],
                   ...(numbers ? [["Tasks", count(numbers.count)], ["In tasks", duration(numbers.totalNs)], ["Mean", duration(numbers.meanNs)], ["Longest", duration(numbers.maxNs)]] : [])]
        .filter(([, value]) => value !== null)),
      el("p.note", {}, el("kbd", {}, "n"), " and ", el("kbd", {}, "p"), " go through its tasks", kind === "worker" && [", ", el("kbd", {}, "e"), " and ", el("kbd", {}, "E"), " through its idle stretches"], "."),
    ];
  }

  // The causes of idleness of a worker, the largest share first.
  pause({ worker, startNs, endNs, causesNs, waited, nextTask, chain }) {
    const total = endNs - startNs || 1;
    const causes = Object.entries(causesNs).filter(([, ns]) => ns > 0).sort(([, a], [, b]) => b - a);
    const kindOf = (cause) => TIME_KINDS.find(({ kind }) => kind === cause) ?? { label: cause, help: "" };
    return [
      el("h3", {}, "Why it was idle"),
      el("p.note", {}, `${worker} was without a task for ${duration(endNs - startNs)}, from ${at(startNs, endNs - startNs)} to ${at(endNs, endNs - startNs)}.`),
      el("dl.fields.causes", {}, causes.map(([cause, ns]) => [
        el("dt", { title: kindOf(cause).help }, kindOf(cause).label),
        el("dd", {}, el("span.meter", {}, el("i", { style: { width: `${(100 * ns) / total}%`, background: "var(--accent)" } })),
          `${share(ns / total)}, ${duration(ns)}`)])),
      waited && el("p.note", {}, `The program waited for ${duration(waited.waitedNs)} of that at `,
        el("button.link.place", { onclick: () => this.app.openSource({ site: waited.site }) }, short(place(waited.file, waited.line), 50)), ": it submitted nothing meanwhile."),
      nextTask && [el("h3", {}, "The task after it"), el("ul.list", {}, el("li", {}, this.taskLink(nextTask)))],
      chain?.length > 1 && [el("h3", {}, "Waited for last"),
        el("ul.list", {}, chain.slice(1, 1 + MOST_SHOWN).map(({ task }) => el("li", {}, this.taskLink(task)))),
        chain.length > 1 + MOST_SHOWN && el("p.note", {}, `And so on, ${counted(chain.length - 1, "task")} back in all.`)],
    ];
  }

  group({ node, inside }) {
    const { app } = this, site = app.overview.costs.find((one) => one.site === inside?.site);
    const shown = app.walk.focus?.size ?? 0;
    return [
      this.title(node.label, counted(node.tasks, "task"), node.paint && el("span.swatch", { style: { background: background(node.paint) } })),
      site && el("button.link.place", { onclick: () => app.openSource({ site: site.site }) }, short(place(site.file, site.line), 70)),
      this.fields([["Tasks", count(node.tasks)], ["Time in tasks", duration(node.totalNs)],
                   ["First start", node.startNs >= 0 ? at(node.startNs, node.endNs - node.startNs) : null],
                   ["Last end", node.endNs >= 0 ? at(node.endNs, node.endNs - node.startNs) : null],
                   ["Mean", duration(node.totalNs / Math.max(1, node.tasks))]].filter(([, v]) => v)),
      inside && el("p.note", {}, shown < inside.count
        ? `${count(shown)} of its ${counted(inside.count, "task")} stand out in the timeline; the others are not told apart here.`
        : `Its ${counted(shown, "task")} stand out in the timeline.`),
      node.canOpen && el("button", { onclick: () => app.graph.toggle(node.id) }, "Open the group"),
      node.canOpen === undefined && el("button", { onclick: () => app.graph.toggle(node.id) }, "Close the group"),
      node.startNs >= 0 && el("button", { onclick: () => this.app.timeline.glide(node.startNs, node.endNs) }, "Show its time in the timeline"),
    ];
  }
}

// How data is accessed, by the bits of trace/events/events.h.
const MODES = [[1, "R"], [2, "W"], [4, "SCRATCH"], [8, "REDUX"], [16, "COMMUTE"], [32, "SSEND"],
               [64, "LOCALITY"], [128, "MPI_REDUX"]];

function modeText(mode) {
  return MODES.filter(([bit]) => mode & bit).map(([, text]) => text).join(" | ") || "NONE";
}

// The tag in the form of tasklens/graph: a JavaScript number has too few bits.
function tagOf({ fields }) {
  const text = fields.find(({ name }) => name === "Tag")?.text ?? "";
  return /^0x[0-9a-f]+$/.test(text) ? `0x${text.slice(2).replace(/^0+(?=.)/, "")}` : null;
}

// Removes the blanks that all lines begin with.
function dedented(lines) {
  const spread = lines.map((line) => line.replace(/\t/g, "    "));
  const indents = spread.filter((line) => line.trim()).map((line) => line.length - line.trimStart().length);
  const least = Math.min(...indents, 200);
  return spread.map((line) => line.slice(least));
}
