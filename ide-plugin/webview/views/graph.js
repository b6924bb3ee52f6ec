// SPDX-License-Identifier: Apache-2.0
// The task graph in groups that open and close. Wheel: zoom around the pointer; drag: move; click:
// select; double click or Enter: open a group (or close its frame), or go to a task's line. If the
// selected task is inside a closed group, that group is marked.
import { legendColors } from "../colors.js";
import { Surface, afterFrame, el, pointIn, shortName, wheelUnit, whilePressed } from "../dom.js";
import { at as momentText, count, counted, duration } from "../format.js";
import { layOut } from "./graph_layout.js";
import { edgeEnds, paintGraph } from "./graph_paint.js";
import { GraphTools, textOfFocus } from "./graph_tools.js";
import { showsInternal } from "../store.js";

const DEFAULT_GROUP = ["iteration", "codelet"];  // the server's choice for large graphs
const DEFAULT_DEPTH = 2;
const CLICK_PIXELS = 4, EDGE_PIXELS = 5, EDGE_STEPS = 24;

export class GraphView {
  constructor(app) {
    this.app = app;
    this.surface = new Surface("Task graph: what depends on what, from left to right", (c, w, h) => this.draw(c, w, h));
    this.surface.mark = "tasklens.graph";
    this.tools = new GraphTools(this);
    this.element = el("div.canvas", {}, this.surface.canvas, this.tools.element);
    new ResizeObserver(() => this.surface.refresh()).observe(this.tools.element);
    this.answer = this.layout = null;
    this.hover = null;
    this.around = null;  // the groups around the selected task, if it is not a node
    this.focusText = "";
    this.listen();
    app.store.subscribe((state, before) => state.camera !== before.camera && this.surface.refresh());
  }

  // The camera of the state, or one that shows the whole graph.
  get camera() {
    return this.app.store.state.camera ?? this.wholeCamera();
  }

  set camera(camera) {
    this.app.store.set({ camera });
  }

  wholeCamera() {
    const { width, height } = this.surface;
    if (!this.layout || !width) return { x: 0, y: 0, scale: 1 };
    const pad = 16, top = Math.max(40, this.tools.bottom + pad / 2);
    const scale = Math.max(0.01, Math.min((width - 2 * pad) / this.layout.width, (height - top - pad) / this.layout.height, 1.25));
    return { scale, x: (width - this.layout.width * scale) / 2,
             y: top + Math.max(0, (height - top - pad - this.layout.height * scale) / 2) };
  }

  get wish() {
    return this.app.store.state.graph;
  }

  load() {
    return (this.loading = this.ask());
  }

  async ask() {
    const asked = this.asked = {};
    // The first time, the rest of the page is drawn first: in a report, the page computes the
    // answer itself.
    for (let frame = 0; frame < 2 && !this.layout; ++frame) await afterFrame();
    if (this.asked !== asked) return;
    const { group, open, focus } = this.wish, { colour } = this.app.store.state;
    let answer, text = "";
    try {
      answer = await this.app.host.request("tasklens/graph", {
        ...(group ? { group } : {}), ...(open ? { open } : {}), ...focus, internal: showsInternal(this.app.store.state), colour });
      if (focus) text = await textOfFocus(this.app, focus);
    } catch (error) {
      // Reports what cannot be shown, and shows the whole graph instead.
      if (this.asked !== asked || !(group || open || focus)) throw error;
      this.app.say(error.message);
      this.app.store.become({ ...this.app.store.state, graph: { group: null, open: null, focus: null }, camera: null });
      return this.loading;
    }
    if (this.asked !== asked) return;
    if (!this.layout) performance.mark("tasklens.graphData");
    const before = this.anchor && this.boxOf(this.anchor);
    this.answer = normalised(answer);
    this.focusText = text;
    this.answer.group ??= group ?? (answer.groups > 0 ? DEFAULT_GROUP : []);
    this.paints = null;
    const { nodes, frames, edges } = this.answer;
    this.layout = layOut(nodes.frame.map((frame) => ({ frame })), frames, edges, (i) => nodes.tasks[i] === 1);
    // When a group opens, its upper left corner stays in place.
    const now = before && this.boxOf(this.anchor), { state } = this.app.store;
    if (now && state.camera) {
      const { x, y, scale } = state.camera;
      this.app.store.become({ ...state, camera: { scale, x: x + (before.x - now.x) * scale, y: y + (before.y - now.y) * scale } });
    }
    this.anchor = null;
    this.locate();
    this.app.groupsChanged();
    this.tools.refresh();
    this.surface.refresh();
  }

  // The theme or the names have changed.
  recolor() {
    this.paints = null;
    this.surface.refresh();
  }

  // The number of requested open groups that the graph does not have.
  unknownOpen() {
    if (!this.answer) return 0;
    const { frames, notOpened } = this.answer, is = new Set([...frames.map((frame) => frame.id), ...notOpened]);
    return (this.wish.open ?? []).filter((id) => !is.has(id)).length;
  }

  boxOf(id) {
    const node = this.answer.nodes.id.indexOf(id);
    if (node >= 0) return this.layout.nodes[node];
    const frame = this.answer.frames.findIndex((one) => one.id === id);
    return frame >= 0 ? this.layout.frames[frame] : null;
  }

  toggle(id) {
    const open = this.answer.frames.map((frame) => frame.id);
    this.anchor = id;
    // Closing a group also closes the groups inside.
    const inside = new Set([id]);
    this.answer.frames.forEach((frame) => {
      if (frame.frame >= 0 && inside.has(this.answer.frames[frame.frame].id)) inside.add(frame.id);
    });
    this.setOpen(open.includes(id) ? open.filter((one) => !inside.has(one)) : [...open, id]);
  }

  // The part that is shown, as parameters of tasklens/graph.
  get partParams() {
    const { task: around, ...focus } = this.wish.focus ?? {}, internal = showsInternal(this.app.store.state);
    return around === undefined ? { internal, ...focus } : { internal, around, ...focus };
  }

  // Opens other groups and keeps the positions of the rest.
  setOpen(open) {
    this.app.store.set({ graph: { ...this.wish, group: this.answer.group, open }, camera: this.camera });
    return this.loading;
  }

  closeAll() {
    this.app.store.set({ graph: { ...this.wish, group: this.answer.group, open: [] }, camera: null });
  }

  // Shows a part of the graph, state.graph.focus in store.js, or the whole (null).
  focusOn(focus) {
    this.app.store.set({ pane: "graph", graph: { group: null, open: null, focus }, camera: null });
    return this.loading;
  }

  focusAround({ task }) {
    return this.focusOn({ task, depth: DEFAULT_DEPTH });
  }

  fit() {
    if (this.app.store.state.camera) this.app.store.set({ camera: null });
    this.surface.refresh();
  }

  draw(c, width, height) {
    if (!this.layout) {
      c.fillStyle = this.app.theme.faint;
      c.font = `13px ${this.app.theme.font}`;
      c.fillText("Loading the graph…", 16, 32);
      return false;
    }
    paintGraph(c, this.scene(width, height));
    return true;
  }

  scene(width, height) {
    const { app } = this;
    return { width, height, theme: app.theme, camera: this.camera, answer: this.answer, layout: this.layout,
             paintOf: (i) => this.paintOf(i), isWithout: (i) => this.isWithout(i), isOfLine: (i) => this.isOfLine(i), chosen: this.chosen(), chosenFrame: this.chosenFrame(), holder: this.holder(),
             near: this.near(), isOnPath: app.isOnPath };
  }

  colorOf(i) {
    return this.paintOf(i).color;
  }

  // The {color, stripes} of a node. A group of several codelets, or of tasks of several workers,
  // has no colour of its own.
  paintOf(i) {
    const { nodes, legend, group } = this.answer, { app } = this, by = legend?.by ?? "codelet";
    const none = { color: app.theme.mixed, stripes: 0 };
    if (by === "codelet") {
      if (nodes.mixed[i]) return none;
      return app.colors.paintOfTask(nodes.codelet[i], nodes.rgb?.[i]);
    }
    if (by === "worker" && nodes.tasks[i] > 1 && !group.includes("worker")) return none;
    this.paints ??= legendColors(legend, app.theme);
    return this.paints[nodes.colour[i]] ?? none;
  }

  // The node of the selection, or null. It is marked before all its data is loaded.
  chosen() {
    const { selection } = this.app.store.state;
    if (!selection || !this.answer) return null;
    const { nodes } = this.answer;
    let found = -1;
    if (selection.task !== undefined) found = nodes.task.indexOf(selection.task);
    else if (selection.group !== undefined) found = nodes.id.indexOf(selection.group);
    return found < 0 ? null : found;
  }

  // The selected open group, or null.
  chosenFrame() {
    const { selected } = this.app;
    const found = selected?.kind === "group" && this.answer ? this.answer.frames.findIndex(({ id }) => id === selected.node.id) : -1;
    return found < 0 ? null : found;
  }

  // The closed group that contains the selected task, or null.
  holder() {
    if (!this.answer || !this.around || this.around.task !== this.app.selectedTask?.task) return null;
    const found = this.answer.nodes.id.findIndex((id) => this.around.groups.includes(id));
    return found < 0 ? null : found;
  }

  // True if a node has all its tasks from the selected line.
  isOfLine(i) {
    const { selected } = this.app, { group, nodes } = this.answer;
    return selected?.kind === "site" && nodes.site[i] === selected.site && (nodes.tasks[i] === 1 || group.join() === "site");
  }

  // True if a node is known to have no highlighted task. For a group with tasks of one codelet this
  // is known if the selected line submits only others.
  isWithout(i) {
    const { app } = this, { selected, focus, pathMarks } = app, { group, nodes } = this.answer;
    if (selected?.kind === "codelet" && !app.isOnPath) return !nodes.mixed[i] && nodes.codelet[i] !== selected.codelet;
    if (pathMarks || selected?.kind !== "site")
      return focus !== null && nodes.tasks[i] === 1 && !(nodes.task[i] >= 0 && focus.has(nodes.task[i]));
    if (nodes.tasks[i] === 1 || group.join() === "site") return !this.isOfLine(i);
    const names = selected.cost?.names, codelet = nodes.codelet[i];
    return !nodes.mixed[i] && names !== undefined && app.allNames.includes(codelet) && !names.includes(codelet);
  }

  near() {
    return this.hover?.node ?? this.chosen() ?? this.holder();
  }

  // Finds the groups around the selected task, if it is not a node.
  async locate() {
    const { selectedTask } = this.app, { answer } = this;
    // Keeps the old result until the new one is there, so that the mark does not flicker.
    if (!selectedTask || !answer || answer.nodes.task.includes(selectedTask.task)) return;
    try {
      const groups = await this.groupsAround(selectedTask);
      if (this.app.selectedTask !== selectedTask || this.answer !== answer) return;
      this.around = groups && { task: selectedTask.task, groups };
      this.surface.refresh();
    } catch (error) {
      this.app.say(error.message);
    }
  }

  async groupsAround({ task }) {
    return (await this.app.host.request("tasklens/group", { group: this.answer.group, task, ...this.partParams })).groups;
  }

  // Scrolls to a task and opens the groups around it.
  async reveal(task) {
    if (this.app.store.state.pane !== "graph") this.app.store.set({ pane: "graph" });
    await this.loading;
    const find = () => this.answer.nodes.task.indexOf(task.task);
    if (find() < 0) {
      let groups = await this.groupsAround(task);
      // The task is outside of the part that is shown.
      if (this.wish.focus && !groups?.length) {
        await this.focusOn(null);
        groups = find() < 0 ? await this.groupsAround(task) : [];
      }
      if (!groups) return this.app.say("The graph does not show this task. If it is one of the runtime's own, h shows those.");
      if (find() < 0) await this.setOpen([...new Set([...this.answer.frames.map((frame) => frame.id), ...groups])]);
      // If there is not enough room for all open groups, the others close.
      if (find() < 0) await this.setOpen(groups);
      this.around = { task: task.task, groups };
    }
    const node = find() < 0 ? this.holder() : find();
    if (node === null) return this.app.say("There is no room to open the groups around the task.");
    if (find() < 0) this.app.say("This page does not keep the inside of the group that the task lies in; the group is marked.");
    const box = this.layout.nodes[node], scale = Math.max(this.camera.scale, 0.8);
    this.camera = { scale, x: this.surface.width / 2 - (box.x + box.width / 2) * scale,
                    y: this.surface.height / 2 - (box.y + box.height / 2) * scale };
  }

  zoom(factor, x = this.surface.width / 2, y = this.surface.height / 2) {
    const { camera } = this, scale = Math.max(0.01, Math.min(4, camera.scale / factor)), change = scale / camera.scale;
    this.camera = { scale, x: x - (x - camera.x) * change, y: y - (y - camera.y) * change };
  }

  move(dx, dy) {
    const { camera } = this;
    this.camera = { ...camera, x: camera.x + dx, y: camera.y + dy };
  }

  hit(x, y) {
    if (!this.layout) return null;
    const at = { x: (x - this.camera.x) / this.camera.scale, y: (y - this.camera.y) / this.camera.scale };
    const isOn = (box, height = box.height) =>
      at.x >= box.x && at.x <= box.x + box.width && at.y >= box.y && at.y <= box.y + height;
    for (let i = this.layout.nodes.length - 1; i >= 0; --i) if (isOn(this.layout.nodes[i])) return { node: i };
    for (let i = this.layout.frames.length - 1; i >= 0; --i)
      if (isOn(this.layout.frames[i])) return { frame: i, title: isOn(this.layout.frames[i], 20) };
    return null;
  }

  // The edge near a point of the screen, or -1. Edges through gaps are found only at their ends.
  edgeAt(x, y) {
    const { nodes } = this.layout, { scale } = this.camera;
    const at = { x: (x - this.camera.x) / scale, y: (y - this.camera.y) / scale }, reach = EDGE_PIXELS / scale;
    let best = -1, least = reach;
    this.answer.edges.forEach(({ from, to }, i) => {
      const [begin, end, bend] = edgeEnds(nodes[from], nodes[to]);
      if (at.x < Math.min(begin.x, end.x - bend) - reach || at.x > Math.max(end.x, begin.x + bend) + reach) return;
      if (at.y < Math.min(begin.y, end.y) - reach || at.y > Math.max(begin.y, end.y) + reach) return;
      for (let step = 0; step <= EDGE_STEPS; ++step) {
        const t = step / EDGE_STEPS, u = 1 - t;
        const px = u * u * u * begin.x + 3 * u * u * t * (begin.x + bend) + 3 * u * t * t * (end.x - bend) + t * t * t * end.x;
        const py = (u * u * u + 3 * u * u * t) * begin.y + (3 * u * t * t + t * t * t) * end.y;
        const away = Math.hypot(px - at.x, py - at.y);
        if (away < least) [best, least] = [i, away];
      }
    });
    return best;
  }

  nodeAt(i) {
    const node = {};
    for (const [key, values] of Object.entries(this.answer.nodes)) node[key] = values[i];
    return { ...node, paint: this.paintOf(i) };
  }

  // The group with this id, open or closed; null: it is not shown.
  groupNamed(id) {
    const node = this.answer.nodes.id.indexOf(id);
    if (node >= 0) return this.nodeAt(node);
    return this.answer.frames.find((frame) => frame.id === id) ?? null;
  }

  act(hit) {
    if (!hit) return;
    if (hit.frame !== undefined) return this.toggle(this.answer.frames[hit.frame].id);
    const node = this.nodeAt(hit.node);
    if (node.canOpen) this.toggle(node.id);
    else if (node.task >= 0) this.app.openSource({ task: node.task });
  }

  choose(i) {
    const node = this.nodeAt(i);
    if (node.tasks === 1 && node.task >= 0) this.app.select({ task: node.task });
    else this.app.select({ group: node.id });
  }

  // The tip for a place without a node: for an edge, the open group around, or the graph.
  tipBeside(event, hit, x, y) {
    if (!this.layout) return this.app.hideTip();
    const { edges, nodes, frames, tasksTotal } = this.answer, edge = this.edgeAt(x, y);
    if (edge >= 0) {
      const { from, to, count: many } = edges[edge];
      return this.app.tip(event, many === 1 ? "1 dependency" : `${count(many)} dependencies`, [`from ${shortName(nodes.label[from], 60)}`, `to ${shortName(nodes.label[to], 60)}`]);
    }
    if (!hit) return this.app.tip(event, "Task graph", [`${counted(tasksTotal, "task")}; what starts an arrow comes before what it leads to`]);
    const frame = frames[hit.frame];
    this.app.tip(event, frame.label, [`${counted(frame.tasks, "task")}, an open group`, "a click on its title closes it"]);
  }

  // Enter: opens the group and selects its first part, closes an open group, or goes to a task's
  // line. If the selected task is in a closed group, opens the groups around the task.
  async enter() {
    const frame = this.chosenFrame(), node = this.chosen();
    if (frame !== null) return this.toggle(this.answer.frames[frame].id);
    if (node === null) return this.reveal(this.app.selectedTask);
    const { id, canOpen } = this.nodeAt(node);
    if (!canOpen) return this.act({ node });
    this.toggle(id);
    await this.loading;
    const opened = this.answer.frames.findIndex((one) => one.id === id);
    const first = opened < 0 ? -1 : this.answer.nodes.frame.indexOf(opened);
    if (first >= 0) this.choose(first);
  }

  // Escape: goes from a part to the open group around it, or closes the selected open group.
  // Returns false if there is neither.
  leave() {
    const frame = this.chosenFrame(), node = this.chosen();
    const around = node === null ? -1 : this.answer.nodes.frame[node];
    if (frame !== null) this.toggle(this.answer.frames[frame].id);
    else if (around >= 0) this.app.select({ group: this.answer.frames[around].id });
    return frame !== null || around >= 0;
  }

  // Selects the next node in a direction, for the keyboard.
  step(dx, dy) {
    if (!this.answer?.nodes.id.length) return;
    const from = this.chosen() ?? this.holder(), frame = this.chosenFrame();
    if (from === null && frame === null) return this.choose(0);
    const box = from === null ? this.layout.frames[frame] : this.layout.nodes[from];
    let best = -1, least = Infinity;
    this.layout.nodes.forEach((other, i) => {
      const x = other.x - box.x, y = other.y - box.y;
      const along = x * dx + y * dy, aside = Math.abs(x * dy) + Math.abs(y * dx);
      if (along > 1 && along + aside * 2 < least) [best, least] = [i, along + aside * 2];
    });
    if (best >= 0) this.choose(best);
  }

  listen() {
    const { canvas } = this.surface;
    const at = (event) => Object.values(pointIn(canvas, event));
    canvas.addEventListener("wheel", (event) => {
      event.preventDefault();
      const unit = wheelUnit(event);
      if (event.shiftKey) this.move(-(event.deltaX || event.deltaY) * unit, 0);
      else this.zoom(Math.exp(Math.max(-300, Math.min(300, event.deltaY * unit)) * 0.0022), ...at(event));
    }, { passive: false });
    canvas.addEventListener("pointerdown", (event) => {
      if (event.button !== 0) return;
      const start = at(event), camera = this.camera;
      let moved = false;
      const move = (next) => {
        const [x, y] = at(next);
        moved = moved || Math.hypot(x - start[0], y - start[1]) > CLICK_PIXELS;
        if (!moved) return;
        this.app.hideTip();
        this.camera = { ...camera, x: camera.x + x - start[0], y: camera.y + y - start[1] };
      };
      const up = (last) => {
        if (moved || last.type !== "pointerup") return;
        const hit = this.hit(...start);
        if (hit?.node !== undefined) this.choose(hit.node);
        else if (hit?.title) this.toggle(this.answer.frames[hit.frame].id);
        else this.app.select(hit ? { group: this.answer.frames[hit.frame].id } : null);
      };
      whilePressed(canvas, event, move, up);
    });
    canvas.addEventListener("dblclick", (event) => {
      const hit = this.hit(...at(event));
      if (hit && !hit.title) this.act(hit);
    });
    canvas.addEventListener("pointermove", (event) => {
      if (event.buttons) return;
      const hit = this.hit(...at(event));
      this.hover = hit?.node !== undefined ? hit : null;
      this.surface.refresh();
      if (!this.hover) return this.tipBeside(event, hit, ...at(event));
      const node = this.nodeAt(hit.node);
      const lines = [node.tasks > 1 ? `${counted(node.tasks, "task")}, ${duration(node.totalNs)} in all` : duration(node.totalNs)];
      if (node.startNs >= 0) lines.push(`from ${momentText(node.startNs, node.endNs - node.startNs)} to ${momentText(node.endNs, node.endNs - node.startNs)}`);
      if (hit.node === this.holder()) lines.push("the selected task lies in it");
      if (node.canOpen) lines.push("double click opens it");
      this.app.tip(event, node.label, lines, node.tasks === 1 && node.task >= 0 ? node.task : null);
    });
    canvas.addEventListener("pointerleave", () => {
      this.hover = null;
      this.app.hideTip();
      this.surface.refresh();
    });
  }
}

// A server's answer has a table of texts and indices; this converts it to the form of a report's.
function normalised(answer) {
  if (Array.isArray(answer.frames)) return answer;
  const { nodes, frames, edges, texts } = answer;
  return {
    ...answer,
    nodes: { ...nodes, id: texts.ids, label: nodes.label.map((i) => texts.labels[i]),
             codelet: nodes.codelet.map((i) => texts.codelets[i] ?? "unknown"),
             canOpen: nodes.canOpen.map(Boolean) },
    frames: frames.label.map((label, i) => ({ id: texts.frames[i], frame: frames.frame[i], tasks: frames.tasks[i], totalNs: frames.totalNs[i],
                                              label: typeof label === "number" ? texts.labels[label] : label })),
    edges: edges.from.map((from, i) => ({ from, to: edges.to[i], count: edges.count[i] })),
  };
}
