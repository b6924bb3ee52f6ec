// SPDX-License-Identifier: Apache-2.0
// The search box: by name, job, tag, data or line.
import { el, replace, short, shortName } from "../dom.js";
import { at, count, counted, duration, place } from "../format.js";

const MOST_SHOWN = 30;

export class SearchBox {
  constructor(app) {
    this.app = app;
    this.input = el("input", { type: "search", placeholder: "Search name, job, tag, data, line  ( / )", "aria-label": "Search tasks",
      role: "combobox", "aria-expanded": "false", "aria-controls": "hits", "aria-autocomplete": "list",
      autocomplete: "off", spellcheck: "false", oninput: () => this.refresh(), onkeydown: (event) => this.onKey(event),
      onfocus: () => this.input.value && this.refresh(), onblur: () => setTimeout(() => this.close(), 150) });
    this.list = el("div.hits", { role: "listbox", id: "hits", hidden: true });
    this.element = el("div.search", {}, this.input, this.list);
    this.chosen = -1;
    this.hits = [];
    this.found = "";  // the text of these results
  }

  focus() {
    this.input.focus();
    this.input.select();
  }

  ask(text) {
    this.input.value = text;
    this.focus();
    this.refresh();
  }

  // While the user types, answers are not awaited.
  refresh() {
    this.search().catch((error) => this.app.say(error.message));
  }

  close() {
    this.list.hidden = true;
    this.input.setAttribute("aria-expanded", "false");
  }

  async search() {
    const text = this.input.value;
    if (!text.trim()) return this.close();
    const answer = await this.app.host.request("tasklens/search", { text });
    if (text !== this.input.value) return;
    this.found = text;
    this.hits = [
      ...answer.sites.slice(0, 5).map((site) => ({ selection: { site: site.site }, name: place(site.file, site.line), detail: site.function ? `line, in ${site.function}` : "line" })),
      ...answer.tasks.slice(0, MOST_SHOWN).map((task) => ({
        selection: { task: task.task }, name: task.name, ownRgb: task.ownRgb,
        detail: `job ${task.job}${task.startNs === null ? ", did not run" : ` at ${at(task.startNs, task.endNs - task.startNs)}, ${duration(task.endNs - task.startNs)} on ${task.worker}`}` })),
    ];
    this.chosen = this.hits.length ? 0 : -1;
    this.show(answer);
  }

  show({ count: total, among }) {
    const shown = this.hits.filter((hit) => hit.selection.task !== undefined).length;
    const found = total === 0 && !this.hits.length ? "Nothing was found"
      : total > shown ? `${count(shown)} of ${counted(total, "task")}; add to the search to see fewer` : counted(total, "task");
    // A report finds only the tasks that it keeps.
    const where = among && among.tasks < among.tasksTotal
      ? `; searched were the ${count(among.tasks)} of ${count(among.tasksTotal)} tasks that this page keeps one by one` : "";
    replace(this.list,
      this.hits.map((hit, i) => el("div.hit", { role: "option", id: `hit${i}`, "aria-selected": String(i === this.chosen),
        onpointerdown: (event) => { event.preventDefault(); this.take(i); } },
        hit.selection.task !== undefined && this.app.swatch(hit.name, hit.ownRgb), el("b", {}, shortName(hit.name, 40)), el("span.detail", {}, ` ${short(hit.detail, 70)}`))),
      el("div.note", {}, `${found}${where}.`));
    this.list.hidden = false;
    this.input.setAttribute("aria-expanded", "true");
    this.mark();
  }

  mark() {
    [...this.list.querySelectorAll(".hit")].forEach((node, i) => {
      node.setAttribute("aria-selected", String(i === this.chosen));
      if (i === this.chosen) node.scrollIntoView({ block: "nearest" });
    });
    if (this.chosen >= 0) this.input.setAttribute("aria-activedescendant", `hit${this.chosen}`);
  }

  onKey(event) {
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      if (!this.hits.length) return;
      this.chosen = (this.chosen + (event.key === "ArrowDown" ? 1 : this.hits.length - 1)) % this.hits.length;
      this.mark();
    } else if (event.key === "Enter") {
      this.enter().catch((error) => this.app.say(error.message));
    } else if (event.key === "Escape") {
      this.close();
      this.app.timeline.surface.canvas.focus();
    }
  }

  // A fast Enter refers to the text typed, not to earlier results.
  async enter() {
    if (this.found !== this.input.value) await this.search();
    if (this.found === this.input.value && this.chosen >= 0) this.take(this.chosen);
  }

  take(i) {
    this.close();
    this.app.select(this.hits[i].selection, { reveal: true });
    this.app.timeline.surface.canvas.focus();
  }
}
