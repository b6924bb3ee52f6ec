// SPDX-License-Identifier: Apache-2.0
// All keys: their actions and their descriptions in the help page.
import { el } from "./dom.js";
import { stateGroup } from "./states.js";
import { showsInternal, stretchOf } from "./store.js";

const KEYS = [
  ["Timeline", [
    [["w", "+", "="], "zoom in", (app) => zoom(app, 0.6)],
    [["s", "-"], "zoom out", (app) => zoom(app, 1 / 0.6)],
    [["a", "ArrowLeft"], "earlier; in the graph: the node to the left", (app) => step(app, -1, 0)],
    [["d", "ArrowRight"], "later; in the graph: the node to the right", (app) => step(app, 1, 0)],
    [["PageUp"], "a screen of rows above", (app) => app.timeline.scrollBy(-0.8 * app.timeline.surface.height)],
    [["PageDown"], "a screen of rows below", (app) => app.timeline.scrollBy(0.8 * app.timeline.surface.height)],
    [["ArrowUp"], "rows above; in the graph: the node above", (app) => step(app, 0, -1)],
    [["ArrowDown"], "rows below; in the graph: the node below", (app) => step(app, 0, 1)],
    [["k"], "select the stretch of time that is shown", (app) => app.timeline.selectStretch(app.timeline.view.from, app.timeline.view.to)],
    [["0", "Home"], "the whole run; in the graph: all of it", (app) => home(app)],
  ]],
  ["Tasks", [
    [["n"], "next task on the same row", (app) => inTurn(app, () => neighbour(app, 1))],
    [["p"], "previous task on the same row", (app) => inTurn(app, () => neighbour(app, -1))],
    [["e"], "next stretch without a task on the same row, and why", (app) => inTurn(app, () => idleStretch(app, 1))],
    [["E"], "the stretch without a task before", (app) => inTurn(app, () => idleStretch(app, -1))],
    [["]"], "next task of the selected line or group", (app) => walk(app, 1)],
    [["["], "previous task of the selected line or group", (app) => walk(app, -1)],
    [["b"], "the dependency that ended last: why so late", (app) => lastDependency(app)],
    [["f"], "the selection fills the timeline", (app) => fill(app)],
    [["o"], "in the graph only what is around the selected task", (app) => around(app)],
    [["v"], "paths from the selected task to the one selected next", (app) => app.selectedTask ? app.pathsFrom(app.selectedTask) : app.say("Select a task first.")],
    [["x"], "all of the graph again", (app) => app.store.state.graph.focus && app.graph.focusOn(null)],
    [["Enter"], "open or close a group; go to the line of a task", (app) => enter(app)],
    [["Escape"], "close a menu; else select nothing; in the graph: to the open group around, then close it", (app) => leave(app)],
  ]],
  ["Page", [
    [["/"], "search: name, job, tag, data, line", (app) => app.search.focus()],
    [["c"], "critical path on and off", (app) => app.toggleCritical()],
    [["h"], "the runtime's own tasks: shown or not", (app) => app.toggleInternal()],
    [["m"], "how long tasks were expected to take: shown or not", (app) => app.toggleEstimates()],
    [["g"], "graph", (app) => app.store.set({ pane: "graph" })],
    [["l"], "table", (app) => app.store.set({ pane: "table" })],
    [["y"], "plots", (app) => app.store.set({ pane: "plots" })],
    [["i"], "findings", (app) => app.showPanel("findings")],
    [["Backspace", "u"], "back to what was shown before", (app) => app.store.undo()],
    [["Shift+Backspace", "r"], "forward again", (app) => app.store.redo()],
    [["t"], "light, dark, as the system", (app) => app.nextTheme()],
    [["?"], "this page", (app) => app.help.showModal()],
  ]],
];

const MOUSE = [
  ["wheel", "zoom around the pointer"], ["Shift + wheel", "move sideways"], ["drag", "move"],
  ["drag on the time axis", "zoom into that stretch"], ["Shift + drag over the rows", "select a stretch of time: what was done in it"],
  ["wheel over row names", "scroll the rows"],
  ["drag in the small picture of the run", "the frame, one of its edges, or beside it a new one"], ["right click on the timeline", "back to what was shown before"],
  ["click", "select"], ["double click", "open a group; go to the line of a task"],
];

const inGraph = (app) => document.activeElement === app.graph.surface.canvas || document.documentElement.dataset.view === "graph";

function zoom(app, factor) {
  if (inGraph(app)) app.graph.zoom(factor);
  else app.timeline.zoom(factor);
}

function step(app, dx, dy) {
  if (inGraph(app)) return app.graph.step(dx, dy);
  if (dx) return app.timeline.pan(0.15 * dx);
  app.timeline.scrollBy(40 * dy);
}

function home(app) {
  if (inGraph(app)) app.graph.fit();
  else app.timeline.goHome();
}

// Runs steps in sequence: each starts where the one before ended, however fast keys are pressed.
function inTurn(app, step) {
  app.steps = Promise.resolve(app.steps).then(step).then(() => app.changed).catch((error) => app.say(error.message));
}

// The next task on the row of the selection; without a selection, on the first row with tasks.
async function neighbour(app, direction) {
  const { data, rows, view } = app.timeline, from = app.selectedTask ?? app.selectedState ?? app.selectedRow;
  const isMeant = (task, isInternal) => task !== from?.task && (!isInternal || showsInternal(app.store.state));
  for (const row of from?.row >= 0 ? [from.row] : rows) {
    const task = await data.nextTask(row, whereFrom(from, view, direction), direction, isMeant);
    if (task >= 0) return app.select({ task }, { reveal: true });
  }
  app.say(`There is no ${direction > 0 ? "later" : "earlier"} task${from ? " on this row" : ""}.`);
}

// The next interval without tasks in which the worker of the selection was idle for a while;
// without a selection, of the first worker that has one.
async function idleStretch(app, direction) {
  const { data, rows, view } = app.timeline, from = app.selectedTask ?? app.selectedState ?? app.selectedRow;
  const workers = rows.filter((row) => data.texts.rows[row].kind === "worker");
  // Ignores what workers did before and after the measured time.
  const { home } = app.timeline, start = Math.max(home.from, Math.min(whereFrom(from, view, direction), home.to));
  for (const row of from?.row >= 0 ? [from.row] : workers) {
    const atNs = await data.nextState(row, start, direction, (state) => stateGroup(state) === "idle", home);
    if (atNs !== null) return app.select({ row, gapNs: atNs }, { reveal: true });
  }
  app.say(`There is no ${direction > 0 ? "later" : "earlier"} stretch without a task${from ? " on this row" : ""}.`);
}

// Where to start searching: after or before the selection; without one, at the left edge of the
// view.
function whereFrom(from, view, direction) {
  const at = direction > 0 ? from?.endNs ?? from?.startNs : from?.startNs;
  return Math.max(0, Math.round(at ?? view.from));
}

const walk = (app, direction) => app.walk.step(direction).catch((error) => app.say(error.message));

function around(app) {
  const { selectedTask, selected } = app;
  if (selectedTask) app.graph.focusAround(selectedTask);
  else if (selected?.kind === "site") app.graph.focusOn({ site: selected.site });
  else app.say("Select a task or a line first.");
}

function lastDependency(app) {
  const task = app.selectedTask?.lastDependency ?? null;
  if (task !== null) app.select({ task }, { reveal: true });
  else app.say("No task is selected that waited for another.");
}

function fill(app) {
  const stretch = stretchOf(app.store.state);
  if (stretch) return app.timeline.showStretch(stretch);
  const one = app.selectedTask || app.selectedState || app.selected?.node;
  if (!one || one.startNs === null || one.startNs < 0) return;
  const margin = Math.max(10, (one.endNs - one.startNs) * 0.3);
  app.timeline.glide(one.startNs - margin, one.endNs + margin);
}

function enter(app) {
  const { graph } = app;
  if (inGraph(app) && (graph.chosen() ?? graph.chosenFrame() ?? graph.holder()) !== null)
    return graph.enter().catch((error) => app.say(error.message));
  if (app.selectedTask) app.openSource({ task: app.selectedTask.task });
  else if (app.selected?.kind === "site") app.openSource({ site: app.selected.site });
}

function leave(app) {
  if (!inGraph(app) || !app.graph.leave()) app.select(null);
}

export function keyboard(app) {
  const actions = new Map(KEYS.flatMap(([, rows]) => rows.flatMap(([keys, , act]) => keys.map((key) => [key, act]))));
  const closeMenus = (isKept) => [...document.querySelectorAll("details.menu[open]")].filter((menu) => !isKept(menu)).map((menu) => ((menu.open = false), menu));
  addEventListener("pointerdown", (event) => closeMenus((menu) => menu.contains(event.target)));
  addEventListener("keydown", (event) => {
    const [closed] = event.key === "Escape" ? closeMenus(() => false) : [];
    if (closed) return closed.querySelector("summary").focus();
    const typing = event.target instanceof Element && event.target.closest("input, textarea, select, dialog");
    if (typing || event.ctrlKey || event.metaKey || event.altKey) return;
    // A focused button handles Enter itself.
    if (event.key === "Enter" && event.target instanceof Element && event.target.closest("button, summary, tr.acts")) return;
    if (event.target instanceof Element && event.target.closest(".splitter, .panel .body, .table, .plots, .colours .names") && event.key.startsWith("Arrow")) return;
    const name = event.shiftKey && event.key === "Backspace" ? "Shift+Backspace" : event.key;
    const act = actions.get(name);
    if (!act) return;
    event.preventDefault();
    act(app);
  });
}

export function helpPage() {
  const dialog = el("dialog.help", { "aria-label": "Keys" },
    // If the button at the end had the focus, the dialog would open scrolled down.
    el("h2", { tabindex: "-1", autofocus: true }, "Keys"),
    el("div.columns", {}, KEYS.map(([title, rows]) => el("section", {}, el("h3", {}, title),
      el("dl", {}, rows.map(([keys, what]) => [el("dt", {}, keys.map((key) => el("kbd", {}, key.replace("Arrow", "")))), el("dd", {}, what)])))),
      el("section", {}, el("h3", {}, "Mouse"), el("dl", {}, MOUSE.map(([what, does]) => [el("dt", {}, what), el("dd", {}, does)])))),
    el("button", { onclick: () => dialog.close() }, "Close"));
  return dialog;
}
