// SPDX-License-Identifier: Apache-2.0
// The app: connects the views and holds the shared state.
import { NameColors, Theme, background } from "./colors.js";
import { Marks } from "./data/columns.js";
import { el, replace, short, shortName, whenIdle, whilePressed } from "./dom.js";
import { at, count, counted, duration, setZero, share, sinceZero } from "./format.js";
import { connect } from "./host.js";
import { keyboard, helpPage } from "./keyboard.js";
import { exportView } from "./export.js";
import { Live } from "./live.js";
import { ESTIMATES, EXTRAS, INTERNAL, Store, fromLink, showsEstimates, showsInternal, stretchOf, toLink } from "./store.js";
import { GraphView } from "./views/graph.js";
import { Legend } from "./views/legend.js";
import { Minimap } from "./views/minimap.js";
import { Overview } from "./views/overview.js";
import { Panel } from "./views/panel.js";
import { Plots } from "./views/plots.js";
import { SearchBox } from "./views/search.js";
import { Table } from "./views/table.js";
import { TimelineView } from "./views/timeline.js";
import { Walk } from "./views/walk.js";

const REST_MS = 60;  // a pointer that rests this long gets a tip
const REHEARSALS = 8;
const LONGEST_MESSAGE = 500;
const MOST_PROBLEMS = 3;  // of a link, to be reported
const LEAST_TIMELINE = 80, LEAST_BESIDE = 160;  // pixels of height
const THEMES = ["system", "light", "dark"];

const START = {
  scroll: 0, split: null, selection: null, within: null, tab: "selection", pane: "graph", critical: false, graph: { group: null, open: null, focus: null },
  camera: null, colour: "codelet", extras: [], table: { by: "codelet", sort: "totalNs", down: true },
  plot: { kind: "activity", by: null, codelet: null },
};

class App {
  constructor(host) {
    this.host = host;
    this.colors = new NameColors([], []);
    this.theme = new Theme(document.documentElement);
    this.store = new Store({ view: { from: 0, to: 1 }, ...START });
    this.isRunning = host.isRunning ?? false;
    this.laterLink = "";  // to be followed when the whole trace has been read
    this.selected = this.focus = this.baseFocus = this.path = this.pathMarks = null;
    this.updates = 0;  // number of times that the trace has grown
  }

  async start() {
    await this.loadOverview({ reasons: false });
    this.isRunning ||= this.isPart && !this.overview.notRead;
    document.title = `${this.overview.title} · TaskLens`;
    this.timeline = new TimelineView(this);
    this.minimap = new Minimap(this);
    this.graph = new GraphView(this);
    this.table = new Table(this);
    this.plots = new Plots(this);
    this.overviewView = new Overview(this);
    this.walk = new Walk(this);
    this.panel = new Panel(this);
    this.search = new SearchBox(this);
    this.live = new Live(this);
    this.legend = new Legend(this);
    await this.timeline.load();
    this.build();
    this.overviewView.load();
    this.showRunning();
    const reasons = this.loadReasons();
    const home = this.timeline.home;
    const { link, theme } = this.host.stored;
    if (this.isPart) this.laterLink = link || "";
    this.showHistory();
    this.store.subscribe((state, before) => {
      this.showHistory();
      this.changed = this.onChange(state, before);
    });
    this.setTheme(theme || "system");
    await this.follow(this.isPart ? "" : link || "", (change) => {
      this.store.state = { ...this.store.state, view: home, ...change };
      this.changed = this.onChange(this.store.state, { graph: null, pane: null, selection: undefined });
    });
    addEventListener("pointerdown", () => this.hush(), { capture: true });
    this.host.onNotify((method, params) => this.onNotify(method, params));
    if (this.host.isOfAnotherServer) this.say("This page and its server are of different versions of TaskLens: open the page again, or parts of it may fail.");
    this.live.watch();
    keyboard(this);
    addEventListener("hashchange", ({ newURL }) => {
      // The page writes its own address some time after a move, so it may have changed again.
      const { hash } = new URL(newURL);
      if (hash.slice(1) === toLink(this.store.state, this.timeline.home)) return;
      this.follow(hash, (change) => this.store.set({ ...START, view: this.timeline.home, ...change }));
      this.host.store({ link: toLink(this.store.state, this.timeline.home) });
    });
    await reasons;
    document.body.dataset.ready = "yes";
    requestAnimationFrame(() => requestAnimationFrame(() => {
      this.host.settle();
      this.rehearse(REHEARSALS);
    }));
  }

  // Shows what a link selects, through set(change of the state); reports all invalid parts of the
  // link in one message.
  async follow(link, set) {
    const problems = this.collected = [], { limits } = this.timeline;
    const change = fromLink(link, problems);
    if (change.view && (change.view.to <= limits.from || change.view.from >= limits.to)) {
      problems.push(`The link's stretch of time is invalid: the run ends at ${at(limits.to, limits.to - limits.from)}.`);
      delete change.view;
    }
    if (stretchOf(change)?.fromNs >= limits.to) {
      problems.push(`The link's selected stretch is invalid: the run ends at ${at(limits.to, limits.to - limits.from)}.`);
      delete change.selection;
    }
    set(change);
    await this.changed;
    const unknown = change.graph ? this.graph.unknownOpen() : 0;
    if (unknown) problems.push(`The link opens ${counted(unknown, "group")} that are not in this graph.`);
    if (this.collected !== problems) return;  // another link was followed meanwhile
    this.collected = null;
    const more = problems.length - MOST_PROBLEMS;
    if (problems.length) this.say([...problems.slice(0, MOST_PROBLEMS), more > 0 && `And ${count(more)} more.`].filter(Boolean).join(" "));
  }

  rehearse(left) {
    if (left === 0) return;
    whenIdle(() => {
      this.timeline.surface.rehearse();
      this.minimap.surface.rehearse();
      this.rehearse(left - 1);
    });
  }

  // Handles notifications.
  onNotify(method, { trace, growing = false, task, site, theme }) {
    if (method === "tasklens/traceGrew" || method === "tasklens/traceUpdated") {
      if (trace !== undefined && trace !== this.overview.trace) return;
      this.isRunning = growing;
      this.live.watch();
      this.grow();
    } else if (method === "host/gone") {
      this.say("The server has ended; what is shown stays as it is.");
    } else if (method === "host/select") this.select(task !== undefined ? { task } : { site }, { reveal: true, isTold: true });
    else if (method === "host/theme") this.setTheme(theme);
  }

  // The trace has grown. The running program is being measured, so requests about its trace may
  // take at most a fifth of the time.
  async grow() {
    this.hasGrown = true;
    if (this.isGrowing) return;
    this.isGrowing = true;
    while (this.hasGrown) {
      this.hasGrown = false;
      const begun = performance.now();
      await this.reload().catch((error) => this.say(error.message));
      if (this.isRunning && !this.isPart) await new Promise((resolve) => setTimeout(resolve, 4 * (performance.now() - begun)));
    }
    this.isGrowing = false;
  }

  // Loads everything again and keeps the view.
  async reload() {
    ++this.updates;
    const task = this.selectedTask, wasPart = this.isPart;
    await this.loadOverview({ reasons: !wasPart });
    await this.timeline.reload();
    this.overviewView.load();
    this.live.show();
    this.table.answers.clear();
    const { state } = this.store;
    await this.graph.load();
    if (state.pane === "table") await this.table.refresh();
    if (state.pane === "plots") await this.plots.refresh();
    if (state.critical) await this.loadPath(true);
    if (task) await this.selectAgain(task);
    else if (stretchOf(state)) await this.loadSelection(state.selection);
    else if (!this.selected || this.store.state.tab === "findings") this.panel.refresh();
    this.refresh();
    if (this.isPart) return;
    const link = this.laterLink, { home } = this.timeline;
    this.laterLink = "";
    // Keeps the view if the user has moved it already.
    if (link && !toLink(this.store.state, home)) await this.follow(link, (change) => this.store.become({ ...START, view: home, ...change }));
    this.loadReasons();
  }

  // True if only the beginning of a large trace was read.
  get isPart() {
    return (this.overview.read ?? 1) < 1;
  }

  // The number of a task may have changed.
  async selectAgain({ task, job, rank }) {
    const isIt = (one) => one.job === job && one.rank === rank;
    if (!isIt(await this.host.request("tasklens/task", { task }))) {
      const { tasks } = await this.host.request("tasklens/search", { text: String(job) });
      task = tasks.find(isIt)?.task ?? null;
    }
    if (this.selectedTask?.job !== job) return;  // the selection changed meanwhile
    const selection = task === null ? null : { task };
    this.store.state = { ...this.store.state, selection };
    await this.loadSelection(selection);
  }

  // Without the reasons, timeline and graph need not wait for analyses, which take seconds for a
  // large trace.
  async loadOverview({ reasons = true } = {}) {
    this.overview = await this.host.request("tasklens/overview", { reasons });
    setZero(this.overview.zeroNs);
    await this.loadNames();
    this.sitesByName = new Map(this.overview.costs.map((site) => [`${site.file}:${site.line}`, site]));
  }

  // Loads the part that the first overview left out.
  async loadReasons() {
    if (this.overview.findings || this.isPart) return;
    const { updates } = this;
    try {
      const overview = await this.host.request("tasklens/overview");
      if (updates !== this.updates) return;  // the trace has grown, and newer reasons come with it
      this.overview = overview;
      setZero(overview.zeroNs);
    } catch (error) {
      this.overview.problem = error.message;
    }
    this.overviewView.load();
    this.live.show();
    this.minimap.surface.refresh();
    this.panel.showFindings();
  }

  // Loads the codelets with their colours, the costliest first.
  async loadNames() {
    const { groups } = await this.host.request("tasklens/stats", { by: "codelet", internal: showsInternal(this.store.state) });
    this.codelets = new Map(groups.map((group) => [group.label, group]));
    this.allNames = [...this.codelets.keys()];
    this.colors = new NameColors(this.allNames, this.overview.palette, this.overview.colours);
  }

  // The line "file:line", if it is among those of the overview.
  siteNamed(name) {
    return this.sitesByName.get(name);
  }

  // `progress`: the progress of the program since the trace was read.
  showRunning(progress = null) {
    this.running.hidden = !this.isRunning && !this.isPart;
    this.running.classList.toggle("part", this.isPart);
    if (this.isPart) return this.showPart(progress?.read ?? this.overview.read);
    this.running.textContent = progress ? `running, ${duration(sinceZero(progress.endNs))}` : "running";
    this.running.title = "The program runs. Span, tasks, lines and rows of workers are shown as they are now; " +
      `causes, findings and the graph as they were at ${duration(sinceZero(this.overview.durationNs))}`;
  }

  // `readNow`: the share that the server has read by now.
  showPart(readNow) {
    const { read, notRead, durationNs } = this.overview, what = `first ${share(read)}`;
    this.running.textContent = notRead ? `${what} only` : `${what}, ${share(readNow)} read`;
    this.running.title = `This is the beginning of the trace: ${share(read)} of its bytes, the first ${duration(durationNs)} of the run. All numbers are of these. ` +
      (notRead ? `The rest could not be read: ${notRead}` : "The rest is being read and comes by itself.");
  }

  build() {
    this.running = el("span.running", { hidden: true });
    this.message = el("div.message", { role: "status", "aria-live": "polite" });
    this.tipBox = el("div.tip", { role: "tooltip", hidden: true });
    this.criticalButton = el("button", { onclick: () => this.toggleCritical(), "aria-pressed": "false",
      title: "Mark the tasks that determined the length of the run (c)" }, "Critical path");
    this.backButton = el("button", { onclick: () => this.store.undo(), title: "Back to what was shown before (Backspace)", "aria-label": "Back" }, "←");
    this.forwardButton = el("button", { onclick: () => this.store.redo(), title: "Forward again (Shift+Backspace)", "aria-label": "Forward" }, "→");
    this.themeButton = el("button", { onclick: () => this.nextTheme(), title: "Light, dark, or as the system (t)" });
    const menu = el("details.menu", {}, el("summary", { title: "Save what is seen" }, "Export"),
      el("div", {}, ["timeline", "graph", "plot"].flatMap((what) => [[what, "svg"], [what, "png"]]).map(([what, format]) =>
        el("button", { onclick: () => { menu.open = false; this.export(what, format); } }, `${what[0].toUpperCase()}${what.slice(1)} as ${format.toUpperCase()}`))));
    this.extras = el("details.menu", {}, el("summary", { title: "What is shown besides" }, "Show"),
      el("div.checks", {}, EXTRAS.map(([key, label, help]) => el("label", { title: help },
        el("input", { type: "checkbox", value: key, onchange: (event) => this.setExtra(key, event.target.checked) }), label))));
    this.paneTabs = el("div.tabs", { role: "tablist" });
    this.pane = el("div.pane");
    const splitter = el("div.splitter", { role: "separator", "aria-orientation": "horizontal", "aria-label": "Height of the timeline",
      tabindex: "0", onpointerdown: (event) => this.split(event),
      onkeydown: (event) => event.key.startsWith("Arrow") && this.splitBy(event.key === "ArrowUp" ? -24 : event.key === "ArrowDown" ? 24 : 0) });
    this.help = helpPage();
    this.main = el("div.main", {}, this.minimap.element, this.legend.element, this.timeline.element, splitter, this.paneTabs, this.pane);
    document.body.append(el("div.app", {},
      el("header.bar", {}, el("span.logo", { "aria-hidden": "true" }), el("h1", { title: this.overview.title }, short(this.overview.title, 40)), this.running,
        this.search.element, el("span.space"),
        this.backButton, this.forwardButton,
        el("button", { onclick: () => this.timeline.goHome(), title: "Show the whole run (0)" }, "Whole run"),
        this.criticalButton, this.extras, menu, this.themeButton,
        el("button", { onclick: () => this.help.showModal(), title: "All keys (?)", "aria-label": "Keys" }, "?")),
      this.overviewView.element, el("div.work", {}, this.main, this.panel.element), this.message), this.tipBox, this.help);
  }

  // Updates the parts that depend on a change of the state.
  async onChange(state, before) {
    if (state.pane !== before.pane) this.showPane(state.pane);
    if (state.split !== before.split) this.showSplit(state.split);
    if (state.extras !== before.extras) this.showExtras(state.extras);
    const tasks = [];
    if (state.colour !== before.colour) this.recolor();
    const isOther = showsInternal(state) !== (before.extras ? showsInternal(before) : false);
    const stretch = stretchOf(state), isOtherStretch = stretch !== stretchOf(before);
    if (isOther) tasks.push(this.loadNames().then(() => (this.recolor(), this.refresh())));
    if (state.graph !== before.graph || (state.colour !== before.colour && before.colour) || isOther) tasks.push(this.graph.load());
    if (state.tab !== before.tab) this.panel.refresh();
    if (state.pane === "table" && (state.table !== before.table || state.pane !== before.pane || isOther || isOtherStretch)) tasks.push(this.table.refresh());
    if (state.pane === "plots" && (state.plot !== before.plot || state.pane !== before.pane)) tasks.push(this.plots.refresh());
    if (state.critical !== before.critical) tasks.push(this.loadPath(state.critical));
    if (state.selection !== before.selection || state.within !== before.within || (isOther && stretch)) tasks.push(this.loadSelection(state.selection));
    clearTimeout(this.linkTimer);
    this.linkTimer = setTimeout(() => whenIdle(() => this.host.store({ link: toLink(this.store.state, this.timeline.home) })), 250);
    // Each view draws its own changes; the graph is not drawn while the timeline moves.
    await Promise.all(tasks).catch((error) => this.say(error.message));
  }

  showHistory() {
    this.backButton.disabled = !this.store.past.length;
    this.forwardButton.disabled = !this.store.future.length;
  }

  refresh() {
    this.timeline.surface.refresh();
    this.graph.surface.refresh();
    this.minimap.surface.refresh();
  }

  // The colouring of tasks has changed.
  recolor() {
    const { data } = this.timeline;
    data.stale ||= (data.answer?.legend?.by ?? "codelet") !== this.store.state.colour;
    this.legend.refresh(this.timeline.data.answer?.legend);
  }

  // A small square in the colour of a codelet, or of a task with its own colour.
  swatch(name, ownRgb = null) {
    return el("span.swatch", { style: { background: background(this.colors.paintOfTask(name, ownRgb ?? -1)) } });
  }

  // Sets the selection of all views, state.selection in store.js. `isTold`: it comes from the
  // editor, which need not be notified. `within`: as state.within: the tasks to go through.
  select(selection, { reveal = false, isTold = false, within = null } = {}) {
    this.revealNext = reveal;
    this.tellNext = !isTold;
    const start = this.pathStart;
    this.pathStart = selection ? null : start;
    if (start && selection?.task !== undefined && selection.task !== start.task)
      this.showPaths(start, selection.task).catch((error) => this.say(error.message));
    this.store.set({ selection, within, ...(selection ? { tab: "selection" } : {}) });
    if (!isTold && (selection?.task ?? selection?.site) !== undefined) this.host.follow(selection);
  }

  get selectedState() {
    return ["state", "gap"].includes(this.selected?.kind) ? this.selected.state : null;
  }

  get selectedRow() {
    return this.selected?.kind === "row" ? this.selected : null;
  }

  get selectedTask() {
    return this.selected?.kind === "task" ? this.selected.task : null;
  }

  async loadSelection(selection) {
    this.hideTip();
    this.graph.surface.refresh();
    const reveal = this.revealNext, tell = this.tellNext;
    this.revealNext = this.tellNext = false;
    const asked = this.asked = selection;
    let selected = null;
    if (selection?.task !== undefined) {
      const task = withRows(await this.host.request("tasklens/task", { task: selection.task }), this.timeline);
      if (task.source && !task.source.lines && task.source.location)
        task.source = (await this.host.request("tasklens/site", { site: task.source.site, limit: 0 })).source;
      selected = { kind: "task", task };
    } else if (selection?.site !== undefined) {
      const { source, count } = await this.host.request("tasklens/site", { site: selection.site, limit: 0 });
      const cost = this.overview.costs.find((one) => one.site === selection.site);
      selected = { kind: "site", site: selection.site, count: cost?.tasks ?? count, source, cost };
    } else if (selection?.codelet !== undefined) {
      selected = { kind: "codelet", codelet: selection.codelet };
    } else if (selection?.fromNs !== undefined) {
      selected = { kind: "stretch", ...selection, ...(await this.workIn(selection)) };
    } else if (selection?.state !== undefined) {
      selected = await this.statesOf(selection.state);
    } else if (selection?.row !== undefined && selection.atNs === undefined && selection.gapNs === undefined) {
      selected = await this.rowOf(selection.row);
    } else if (selection?.gapNs !== undefined) {
      const state = await this.timeline.gapAt(selection);
      if (!state) this.say("That row was in a task then, or did nothing that is recorded.");
      selected = state && { kind: "gap", state, pause: await this.pauseAt(state, selection.gapNs) };
    } else if (selection?.row !== undefined) {
      const state = await this.timeline.data.stateAt(selection);
      if (!state) this.say("That row did nothing then.");
      selected = state && { kind: "state", state, pause: await this.pauseAt(state, selection.atNs) };
    } else if (selection?.group !== undefined) {
      await this.graph.loading;
      const node = this.graph.groupNamed(selection.group);
      if (!node) this.say(`The graph shows no group "${shortName(selection.group, 40)}".`);
      const inside = node && (await this.insideOf(node));
      selected = node && { kind: "group", node, inside };
    }
    await this.walk.load();
    if (this.asked !== asked) return;
    this.selected = selected;
    this.baseFocus = this.walk.focus;
    this.setFocus();
    this.panel.refresh();
    this.graph.locate();
    this.table.mark();
    this.legend.mark();
    // Only now the line of the group is known.
    if (tell && (selected?.inside?.site ?? null) !== null) this.host.follow({ site: selected.inside.site });
    if (!reveal) return;
    if (selected?.kind === "row") this.timeline.revealRow(selected.row, true);
    else this.timeline.reveal(this.selectedTask ?? this.selectedState, true);
  }

  // The row of a group in tasklens/stats; undefined: there are no statistics for it.
  async numbersOf(by, label) {
    const { groups } = await this.host.request("tasklens/stats", { by, internal: showsInternal(this.store.state) });
    return groups.find((group) => group.label === label);
  }

  // The selection of a whole row, with the statistics of its worker, if it has one.
  async rowOf(row) {
    if (!this.timeline.texts.rows[row]) return void this.say(`The timeline has no row ${row}.`);
    const worker = this.overview.workerRows.find((one) => one.row === row);
    return { kind: "row", row, numbers: worker && (await this.numbersOf("worker", worker.label)) };
  }

  // The selection of all states of one name, on any row.
  async statesOf(state) {
    if (!this.timeline.texts.states.includes(state)) return void this.say(`There is no state "${shortName(state, 40)}".`);
    return { kind: "states", state, numbers: await this.numbersOf("state", state) };
  }

  // The work of all workers in an interval of the run: {work: answer of tasklens/stats}, or
  // {problem}.
  async workIn({ fromNs, toNs }) {
    try {
      return { work: await this.host.request("tasklens/stats", { by: "codelet", internal: showsInternal(this.store.state), fromNs, toNs }) };
    } catch (error) {
      return { problem: error.message };
    }
  }

  // Groups were opened or closed: the selected group is now a frame or a node.
  groupsChanged() {
    const node = this.selected?.kind === "group" && this.graph.groupNamed(this.selected.node.id);
    if (!node) return;
    this.selected = { ...this.selected, node };
    this.panel.refresh();
  }

  // The tasks of a group; null if they are unknown, and then the page says why.
  async insideOf({ id, tasks }) {
    if (tasks < 2) return null;
    await this.graph.loading;
    const key = JSON.stringify([id, this.graph.answer.group, this.graph.partParams, this.updates]);
    if (this.inside?.key === key) return this.inside.answer;
    try {
      const answer = await this.host.request("tasklens/group", { group: this.graph.answer.group, id, marks: true, ...this.graph.partParams });
      this.inside = { key, answer };
      return answer;
    } catch (error) {
      this.say(error.message);
      return null;
    }
  }

  // Shows the paths from a task to the next selected task; when called again, cancels that.
  pathsFrom(task) {
    const isSame = this.pathStart?.task === task.task;
    this.pathStart = isSame ? null : task;
    this.say(isSame ? "No paths are shown." : "Select another task: the graph then shows all paths between the two.");
    this.panel.refresh();
  }

  // Shows all paths between two tasks in the graph; if there are none, keeps the graph.
  async showPaths(start, task) {
    this.hush();
    const focus = { task: start.task, to: task };
    const { nodes } = await this.host.request("tasklens/graph", { ...focus, internal: showsInternal(this.store.state) });
    if (nodes.task.length) return this.graph.focusOn(focus);
    const end = await this.host.request("tasklens/task", { task });
    const [one, other] = [start, end].map(({ name, job }) => `${short(name, 40)} (job ${job})`);
    const { kept } = this.overview, isPart = kept && kept.tasks < kept.tasksTotal;
    this.say(`No path of dependencies leads from ${one} to ${other}, or back${isPart ? ", among the tasks that this page keeps" : ""}.`);
  }

  // Why a worker was idle at a moment: null if it is not a worker or was busy; undefined if
  // unknown.
  async pauseAt(state, atNs) {
    const { worker } = this.timeline.data.texts.rows[state.row];
    if (state.task >= 0 || worker === undefined || worker < 0) return null;
    return (await this.host.request("tasklens/why", { worker, atNs })).pause;
  }

  setFocus() {
    this.focus = this.pathMarks ?? this.baseFocus;
    this.refresh();
  }

  // True if the selected task is on the critical path; null: the path is not shown.
  get isOnPath() {
    return this.pathMarks && ((task) => this.pathMarks.has(task));
  }

  // Highlights the tasks of a codelet, or a state; when called again, removes the highlight.
  toggleCodelet(codelet) {
    this.select(this.store.state.selection?.codelet === codelet ? null : { codelet });
  }

  toggleState(state) {
    this.select(this.store.state.selection?.state === state ? null : { state });
  }

  // Marks a row of the timeline and scrolls to it; when called again, removes the mark.
  toggleRow(row) {
    const { selection } = this.store.state;
    this.select(selection?.row === row && selection.atNs === undefined ? null : { row }, { reveal: true });
  }

  setExtra(key, on) {
    const { extras } = this.store.state;
    this.store.set({ extras: on ? [...extras, key] : extras.filter((one) => one !== key) });
  }

  // Shows or hides the runtime's own tasks.
  toggleInternal() {
    this.setExtra(INTERNAL, !showsInternal(this.store.state));
  }

  // Shows or hides the durations that perfmodels expected, below the tasks.
  toggleEstimates() {
    this.setExtra(ESTIMATES, !showsEstimates(this.store.state));
  }

  showExtras(extras) {
    this.legend.refresh(this.timeline.data.answer?.legend);
    for (const box of this.extras.querySelectorAll("input")) box.checked = extras.includes(box.value);
    this.timeline.data.stale = true;
  }

  async toggleCritical() {
    const { critical } = this.store.state;
    if (!critical && this.isPart) return this.say("The critical path is known when all of the trace is read.");
    if (!critical && this.overview.criticalPath?.count === 0) return this.say("No task ran, so there is no critical path.");
    this.store.set({ critical: !critical });
    await this.changed;
    const { path } = this;
    if (path) this.say(`Critical path of this run: ${counted(path.count, "task")}, ${duration(path.workNs)} of work and ${duration(path.waitNs)} of waiting`);
  }

  async loadPath(on) {
    this.criticalButton.setAttribute("aria-pressed", String(on));
    this.legend.refresh(this.timeline.data.answer?.legend);
    this.timeline.data.stale ||= on || this.pathMarks !== null;
    const path = this.path = on ? await this.host.request("tasklens/criticalPath", { limit: 0, marks: true }) : null;
    this.pathMarks = path && new Marks(path.marks, path.buffer);
    this.setFocus();
  }

  showFinding(finding) {
    const site = finding.site ?? this.siteNamed(`${finding.file}:${finding.line}`)?.site;
    if (site !== undefined && site !== null) this.select({ site });
    else this.showPanel("findings");
  }

  showPanel(tab) {
    this.store.set({ tab });
  }

  showTable(by) {
    this.store.set({ pane: "table", table: { by, sort: "totalNs", down: true } });
  }

  showPane(pane) {
    this.hideTip();
    const panes = { graph: this.graph, table: this.table, plots: this.plots };
    replace(this.paneTabs, [["graph", "Graph"], ["table", "Table"], ["plots", "Plots"]].map(([key, label]) =>
      el("button", { role: "tab", "aria-selected": String(key === pane), onclick: () => this.store.set({ pane: key }) }, label)));
    replace(this.pane, panes[pane].element);
  }

  async openSource(place) {
    try {
      const said = await this.host.open(place);
      if (said) this.say(said);
    } catch (error) {
      this.say(error.message);
    }
  }

  async export(what, format) {
    if (what === "plot" && !this.plots.svg()) return this.say("No plot is shown: choose one among the plots (y).");
    const view = { timeline: this.timeline, graph: this.graph, plot: this.plots }[what];
    await exportView(this.host, view, what, format, this.overview.title);
    this.say(`The ${what} was saved as ${format.toUpperCase()}.`);
  }

  // Shows a one-line message; while a link is followed, collects it with the others.
  say(text) {
    if (this.collected) return void this.collected.push(text);
    this.message.textContent = short(text, LONGEST_MESSAGE);
    this.message.classList.add("shown");
    clearTimeout(this.messageTimer);
    this.messageTimer = setTimeout(() => this.hush(), 6000);
  }

  hush() {
    this.message.classList.remove("shown");
  }

  // Shows a tip beside the pointer; for a task with its source line, once that is known.
  tip(event, title, lines, task = null) {
    const key = JSON.stringify([title, lines, task]);
    if (this.tipKey !== key) {
      this.tipKey = key;
      const rest = el("div");
      replace(this.tipBox, el("b", {}, shortName(title, 80)), lines.map((line) => el("div", {}, line)), rest);
      clearTimeout(this.tipTimer);
      if (task !== null && task !== undefined) this.tipTimer = setTimeout(() => this.tipTask(task, key, rest), REST_MS);
    }
    this.tipBox.hidden = false;
    const { innerWidth, innerHeight } = globalThis, box = this.tipBox.getBoundingClientRect();
    this.tipBox.style.left = `${Math.min(event.clientX + 14, innerWidth - box.width - 8)}px`;
    this.tipBox.style.top = `${event.clientY + 18 + box.height > innerHeight ? event.clientY - box.height - 10 : event.clientY + 18}px`;
  }

  async tipTask(task, key, rest) {
    try {
      const where = await this.host.where(task);
      if (this.tipKey !== key || !where) return;
      const { job, source } = where;
      replace(rest, el("div", {}, `job ${job}`), source && el("div.place", {}, short(`${source.file}:${source.line}`, 70)));
    } catch { /* the tip stays as it is */ }
  }

  hideTip() {
    this.tipBox.hidden = true;
    this.tipKey = null;
  }

  nextTheme() {
    this.setTheme(THEMES[(THEMES.indexOf(this.themeName) + 1) % THEMES.length]);
    this.host.store({ theme: this.themeName });
  }

  setTheme(name) {
    this.themeName = THEMES.includes(name) ? name : "system";
    const dark = this.themeName === "dark" || (this.themeName === "system" && matchMedia("(prefers-color-scheme: dark)").matches);
    document.documentElement.dataset.theme = dark ? "dark" : "light";
    this.themeButton.textContent = { system: "◐", light: "☀", dark: "☾" }[this.themeName];
    this.themeButton.setAttribute("aria-label", `Theme: ${this.themeName}`);
    this.theme.read();
    this.panel.refresh();
    this.graph.recolor();
    this.legend.refresh(this.timeline.data.answer?.legend);
    this.refresh();
  }

  split(event) {
    const start = event.clientY, height = this.timeline.element.clientHeight;
    whilePressed(event.currentTarget, event, (next) => this.setSplit(height + next.clientY - start));
  }

  splitBy(pixels) {
    this.setSplit(this.timeline.element.clientHeight + pixels);
  }

  setSplit(height) {
    const all = this.main.clientHeight;
    this.store.set({ split: Math.max(LEAST_TIMELINE, Math.min(height, all - LEAST_BESIDE)) / all });
  }

  // Keeps the split as a part of the height; the style sheet keeps the minimum heights.
  showSplit(split) {
    const { style } = this.main;
    style.setProperty("--timeline-room", split === null ? null : `0 1 ${100 * split}%`);
    style.setProperty("--pane-room", split === null ? null : "1 1 0");
  }
}

// Adds the row of the timeline to a task, if an answer only names the worker.
function withRow(task, timeline) {
  if (!task || (task.row !== undefined && task.row !== null)) return task;
  const worker = timeline.app.overview.workerRows.find((one) =>
    one.rank === task.rank && (one.name === task.worker || one.label === task.worker));
  return { ...task, row: worker ? worker.row : -1 };
}

function withRows(task, timeline) {
  const all = (list) => list && { ...list, tasks: list.tasks.map((one) => withRow(one, timeline)) };
  return { ...withRow(task, timeline), predecessors: all(task.predecessors), successors: all(task.successors) };
}

async function main() {
  performance.mark("tasklens.begin");
  try {
    const app = new App(await connect());
    globalThis.tasklensApp = app;
    await app.start();
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => app.setTheme(app.themeName));
  } catch (error) {
    document.body.append(el("p.failure", { role: "alert" }, `TaskLens cannot show this: ${error.message}`));
    throw error;
  }
}
main();
