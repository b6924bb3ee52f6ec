// SPDX-License-Identifier: Apache-2.0
// What the colours mean: a choice of what tasks are coloured by, and the colours in a line.
import { background, legendColors } from "../colors.js";
import { el, replace, shortName } from "../dom.js";
import { count } from "../format.js";
import { COLOURS, showsEstimates } from "../store.js";

// What has no value. A report knows those of the tasks that it keeps.
const without = ({ by, entries }) => (by === "worker" ? "none, or one of many" : `${entries[0].label}, or not known here`);

const MOST_NAMES = 48;
const STATES = [["transfer", "transfers"], ["scheduler", "scheduling"], ["runtime", "runtime"], ["memory", "memory"], ["idle", "idle", "idle, asleep, waiting"]];

export class Legend {
  constructor(app) {
    this.app = app;
    this.choice = el("select", { "aria-label": "Colour tasks by", onchange: () => app.store.set({ colour: this.choice.value }) },
      COLOURS.map(([key, label]) => el("option", { value: key }, label)));
    this.list = el("div.legend.names", { role: "list", "aria-label": "Colours of tasks", tabindex: "0" });
    this.states = el("div.legend.states", { role: "list", "aria-label": "Colours of states" });
    this.element = el("div.colours", {}, el("label", {}, "Colour ", this.choice), this.list, this.states);
  }

  // `legend`: of the timeline's answer; null: there is none yet.
  refresh(legend) {
    const { state } = this.app.store, { colour } = state, { colors, theme } = this.app;
    // Answers come while something moves; the elements stay as long as they say the same.
    const key = [colour, legend?.by, colors, theme.background, showsEstimates(state)];
    if (this.key && key.every((part, i) => part === this.key[i])) return;
    this.key = key;
    this.choice.value = colour;
    const tasks = colour === "codelet" ? this.names() : legend?.by === colour ? this.values(legend) : [];
    const states = STATES.map(([kind, label, help]) => [label, { color: theme.kinds[kind], stripes: 0 }, help]);
    if (showsEstimates(state)) states.unshift(["expected", { color: theme.text, stripes: 0 }, "the line beneath a task: how long it was expected to take"]);
    for (const [list, entries] of [[this.list, tasks], [this.states, states]])
      replace(list, entries.map(([label, paint, help = label]) =>
        el("span", { role: "listitem", title: help }, paint && el("i", { style: { background: background(paint) } }), shortName(label, 40))));
  }

  names() {
    const { allNames, colors } = this.app;
    const rest = allNames.length - MOST_NAMES;
    return [...allNames.slice(0, MOST_NAMES).map((name) => [name, colors.paint(name)]), ...(rest > 0 ? [[`${count(rest)} more codelets`, null]] : [])];
  }

  // The states stand at the end of a timeline's legend.
  values(legend) {
    const paints = legendColors(legend, this.app.theme);
    return legend.entries.flatMap(({ label, low }, i) => {
      if (i > 0 && low === null && legend.by !== "worker") return [];
      if (legend.by === "worker" && i > 0 && !this.app.overview.workerRows.some((one) => one.label === label)) return [];
      return [[i === 0 ? without(legend) : label, paints[i]]];
    });
  }
}
