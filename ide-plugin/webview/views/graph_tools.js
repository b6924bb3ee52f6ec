// SPDX-License-Identifier: Apache-2.0
// The tools above the graph: the grouping of tasks, the part that is shown, and what is left out.
import { el, replace, shortName } from "../dom.js";
import { count, counted, fileName } from "../format.js";
import { GROUPS } from "../store.js";

export const SMALL = 500;  // a graph of at most this many tasks can be shown without groups
const MOST_DEPTH = 20;

const labelOf = (group) => group.map((name) => GROUPS.find(([known]) => known === name)[1]).join(" › ");

export class GraphTools {
  constructor(graph) {
    this.graph = graph;
    this.groups = el("span.choices", { role: "group", "aria-label": "How tasks are grouped, the outermost first" });
    this.part = el("span.choices", { role: "group", "aria-label": "The part of the graph that is shown" });
    this.buttons = el("span.choices");
    this.caption = el("span.caption", { role: "status" });
    this.element = el("div.overlay", {}, this.groups, this.part, this.buttons, this.caption);
  }

  // The lower edge of the tools on the canvas: they wrap into several lines on a narrow canvas.
  get bottom() {
    return this.element.offsetTop + this.element.offsetHeight;
  }

  refresh() {
    const { graph } = this, { answer } = graph;
    replace(this.groups, answer.groupings ? this.kept(answer) : this.nested(answer));
    replace(this.part, this.focus(graph.wish.focus));
    replace(this.buttons,
      answer.frames.length > 0 && el("button", { onclick: () => graph.closeAll(), title: "Close all groups" }, "Close all"),
      el("button", { onclick: () => graph.fit(), title: "Show the whole graph (0)" }, "Fit"));
    this.caption.textContent = captionOf(answer);
  }

  choose(group) {
    const { focus } = this.graph.wish;
    this.graph.app.store.set({ graph: { group, open: [], focus }, camera: null });
  }

  // One choice for each level, and one more for the next level.
  nested({ group, tasksTotal }) {
    const levels = group.length < GROUPS.length ? group.length + 1 : group.length;
    return Array.from({ length: levels }, (_, level) => {
      const free = GROUPS.filter(([name]) => !group.slice(0, level).includes(name));
      const none = level > 0 ? "–" : tasksTotal <= SMALL || !group.length ? "Single tasks" : null;
      const choice = el("select", { "aria-label": level ? `Within them, group by (level ${level + 1})` : "Group tasks by", title: level ? "Groups within these groups" : "What tasks are grouped by",
        onchange: () => this.choose([...group.slice(0, level), choice.value, ...group.slice(level + 1)].filter((name, i, all) => name && all.indexOf(name) === i)) },
        none !== null && el("option", { value: "" }, none),
        free.map(([name, label]) => el("option", { value: name, selected: name === group[level] }, label)));
      return [level > 0 && el("span.detail", { "aria-hidden": "true" }, "›"), choice];
    });
  }

  // A report offers the groupings that it keeps.
  kept({ group, groupings, tasksTotal }) {
    const choice = el("select", { "aria-label": "Group tasks by", title: "This page keeps these groupings; `tasklens serve --http` has any other",
      onchange: () => this.choose(choice.value ? choice.value.split(",") : []) },
      (tasksTotal <= SMALL || !group.length) && el("option", { value: "", selected: group.length === 0 }, "Single tasks"),
      groupings.map((names) => el("option", { value: names.join(), selected: names.join() === group.join() }, labelOf(names))));
    return choice;
  }

  focus(focus) {
    if (!focus) return null;
    const { graph } = this;
    const depth = focus.depth !== undefined && el("select", { "aria-label": "How many dependencies away", onchange: (event) => graph.focusOn({ ...focus, depth: Number(event.target.value) }) },
      Array.from({ length: MOST_DEPTH }, (_, i) => el("option", { value: String(i + 1), selected: i + 1 === focus.depth }, `${i + 1} away`)));
    return [el("span.caption", {}, graph.focusText), depth,
            el("button", { onclick: () => graph.focusOn(null), title: "Show all of the graph again", "aria-label": "Show all of the graph" }, "× all")];
  }
}

// Describes what is shown and what is left out.
function captionOf(answer) {
  const { tasks } = answer.nodes;
  const alone = tasks.reduce((sum, many) => sum + (many === 1), 0), groups = tasks.reduce((sum, many) => sum + (many > 1), 0);
  const grouped = tasks.reduce((sum, many) => sum + (many > 1 ? many : 0), 0);
  if (!tasks.length) return "no task";
  const text = groups ? [`${counted(grouped, "task")} in ${counted(groups, "group")}`] : [];
  if (alone || !groups) text.push(groups ? `${count(alone)} one by one` : counted(alone, "task"));
  if (alone + grouped < answer.tasksTotal) text.push(answer.tasksInFocus === undefined ? `${count(answer.tasksTotal - alone - grouped)} not shown` : `of ${count(answer.tasksTotal)}`);
  if (answer.tasksInFocus > alone + grouped) text.push(`${count(answer.tasksInFocus - alone - grouped)} more have no room`);
  if (answer.notKept) text.push(answer.notKept);
  if (answer.byLevelInstead) text.push(answer.group.length ? `cannot be shown by ${labelOf(answer.group).toLowerCase()}: by level instead` : "no room for single tasks: by level instead");
  if (answer.dependenciesLeftOut) text.push(`edges for ${count(answer.dependenciesLeftOut)} dependencies left out`);
  if ((answer.legend?.by ?? "codelet") === "codelet" && answer.nodes.mixed.some(Boolean)) text.push("grey: several codelets");
  if (answer.notOpened.length) text.push(`no room to open ${count(answer.notOpened.length)}`);
  return text.join(", ");
}

// Describes the part; loads the names of its tasks if necessary.
export async function textOfFocus(app, { task, to, site, handle, tag }) {
  const nameOf = async (one) => {
    const { name, job } = await app.host.request("tasklens/task", { task: one });
    return `${shortName(name, 24)} (job ${job})`;
  };
  if (to !== undefined) return `Paths between ${await nameOf(task)} and ${await nameOf(to)}`;
  if (task !== undefined) return `Around ${await nameOf(task)}`;
  if (site !== undefined) {
    const known = app.overview.costs.find((one) => one.site === site);
    return known ? `Of ${shortName(fileName(known.file), 24)}:${known.line}` : `Of line ${site}`;
  }
  return handle !== undefined ? `Of data ${handle}` : `With tag ${tag}`;
}
