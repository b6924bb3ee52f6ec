// SPDX-License-Identifier: Apache-2.0
// Steps through the tasks of a selected line, codelet or group: "3 of 10,000". state.within keeps
// their source while single tasks are selected.
import { Marks } from "../data/columns.js";
import { el } from "../dom.js";
import { count, counted } from "../format.js";
import { showsInternal } from "../store.js";

const PAGE = 10000;  // tasks for each request

export class Walk {
  constructor(app) {
    this.app = app;
    const step = (direction) => this.step(direction).catch((error) => app.say(error.message));
    this.status = el("span", { role: "status" });
    this.back = el("button", { onclick: () => app.select(this.of) });
    this.element = el("div.walk", { role: "group", "aria-label": "Through the tasks of the selection", hidden: true },
      el("button", { onclick: () => step(-1), title: "The task before ([)", "aria-label": "The task before" }, "‹"), this.status,
      el("button", { onclick: () => step(1), title: "The next task (])", "aria-label": "The next task" }, "›"), this.back);
    this.of = null;     // the source of `pages`: {site}, {codelet} or {group}
    this.pages = new Map();
    this.count = 0;     // number of tasks that can be reached
    this.all = 0;
    this.at = -1;
    this.focus = null;  // the set of all tasks
  }

  get shows() {
    return this.of !== null && this.count > 0;
  }

  // The source of the tasks: the selection itself, or that of the selected task.
  get wanted() {
    const { selection, within } = this.app.store.state;
    if (selection?.task !== undefined) return within;
    return selection?.site !== undefined || selection?.codelet !== undefined || selection?.group !== undefined ? selection : null;
  }

  // After the selection has changed.
  async load() {
    const { wanted } = this, key = wanted && JSON.stringify(wanted) + this.app.updates, { selection } = this.app.store.state;
    if (!wanted) return this.forget();
    if (key !== this.key) {
      this.forget();
      this.key = key;
      await this.page(0, wanted).catch(() => this.forget());  // shown elsewhere
      if (this.key !== key) return;
      this.of = this.count > 0 ? wanted : null;
    }
    if (selection?.task === undefined) this.at = -1;
    else if (await this.taskAt(this.at) !== selection.task) this.at = this.find(selection.task);
  }

  forget() {
    this.of = this.key = this.focus = null;
    this.pages.clear();
    [this.count, this.all, this.at] = [0, 0, -1];
  }

  async page(number, { site, codelet, group }) {
    if (this.pages.has(number)) return this.pages.get(number);
    const { app } = this, part = { first: number * PAGE, limit: PAGE, marks: number === 0 };
    const answer = site !== undefined ? await app.host.request("tasklens/site", { site, ...part })
      : codelet !== undefined ? await app.host.request("tasklens/codelet", { codelet, internal: showsInternal(app.store.state), ...part })
      : await app.insideOf({ id: group, tasks: 2 });
    if (!answer) return [];
    this.pages.set(number, answer.tasks);
    if (answer.marks) this.focus = new Marks(answer.marks, answer.buffer);
    // Tasks that a report does not keep, or beyond the limit of an answer, have no number to go to.
    this.count = group === undefined ? answer.count : answer.tasks.length;
    const known = codelet !== undefined ? app.codelets.get(codelet) : app.overview.costs.find((one) => one.site === site);
    this.all = known?.tasks ?? answer.count;
    return answer.tasks;
  }

  // The number of the task at an index; undefined: there is none.
  async taskAt(place) {
    if (place < 0 || place >= this.count || !this.of) return undefined;
    if (this.of.group !== undefined) return this.pages.get(0)[place];
    return (await this.page(Math.floor(place / PAGE), this.of))[place % PAGE];
  }

  // The index of a task among the known ones.
  find(task) {
    for (const [number, tasks] of this.pages) {
      const place = tasks.indexOf(task);
      if (place >= 0) return number * PAGE + place;
    }
    return -1;
  }

  async step(direction) {
    if (!this.shows) return this.app.say("Select a line, a codelet or a group first; this goes through its tasks.");
    const next = this.at < 0 ? (direction > 0 ? 0 : this.count - 1) : this.at + direction;
    if (next < 0 || next >= this.count) return this.app.say(direction > 0 ? "This is the last one." : "This is the first one.");
    const task = await this.taskAt(next);
    this.at = next;
    this.app.select({ task }, { reveal: true, within: this.of });
  }

  refresh() {
    this.element.hidden = !this.shows;
    if (!this.shows) return;
    const rest = this.all > this.count ? ` that are listed, ${count(this.all)} in all` : "";
    this.status.textContent = this.at < 0 ? `${counted(this.count, "task")}${rest}` : `${count(this.at + 1)} of ${count(this.count)}${rest}`;
    this.back.hidden = this.at < 0;
    this.back.textContent = this.of.site !== undefined ? "Back to the line" : this.of.codelet !== undefined ? "Back to the codelet" : "Back to the group";
  }
}
