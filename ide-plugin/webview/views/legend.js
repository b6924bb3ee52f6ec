// SPDX-License-Identifier: Apache-2.0
// The legend: a choice of the colouring of tasks, and the colours in a line.
import { background, legendColors, markColors, scaleOf } from "../colors.js";
import { el, replace, shortName } from "../dom.js";
import { count, duration } from "../format.js";
import { SHOWN_KINDS } from "../states.js";
import { COLOURS, EXTRAS, showsEstimates } from "../store.js";

// The label for tasks without a value.
const without = ({ by, entries }) => (by === "worker" ? "none, or one of many" : entries[0].label);

const MOST_NAMES = 48;
const MOST_WORKERS = 31;  // that have a colour each, as in analysis/colours.h
// The longest labels beside a scale.
const NONE = [without({ entries: [{ label: "no iteration" }] }), "0 ns: critical"];
const STATES = SHOWN_KINDS.filter(({ kind }) => kind !== "task");
// Signs of marks over the timeline, by key of EXTRAS.
const SIGNS = { transfer: "→", message: "→", steal: "→", dependency: "→", flags: "⚑", pushes: "⚑" };

export class Legend {
  constructor(app) {
    this.app = app;
    this.choice = el("select", { "aria-label": "Colour tasks by", onchange: () => app.store.set({ colour: this.choice.value }) },
      COLOURS.map(([key, label]) => el("option", { value: key }, label)));
    this.list = el("div.legend", { role: "list", "aria-label": "Colours of tasks" });
    this.spares = el("div.spares", { "aria-hidden": "true" });
    this.names = el("div.names", { role: "group", "aria-label": "Colours of tasks", tabindex: "0" }, this.list, this.spares);
    this.states = el("div.legend.states", { role: "list", "aria-label": "Colours of states, arrows and flags" });
    this.element = el("div.colours", {}, el("label", {}, "Colour ", this.choice), this.names, this.states);
  }

  // `legend`: from the timeline's answer; null: there is none yet.
  refresh(legend) {
    const { state } = this.app.store, { colour } = state, { colors, theme } = this.app;
    // Answers arrive while something moves; elements are replaced only if the contents change.
    const key = [colour, legend?.by, colors, theme.background, this.app.updates, state.extras, state.critical];
    if (this.key && key.every((part, i) => part === this.key[i])) return;
    this.key = key;
    this.choice.value = colour;
    const isScale = colour !== "codelet" && colour !== "worker", isKnown = legend?.by === colour;
    const tasks = colour === "codelet" ? this.codelets() : !isKnown ? [] : isScale ? this.apart(legend) : this.workers(legend);
    const states = STATES.map(({ kind, label, help }) => [label, { color: theme.kinds[kind], stripes: 0 }, help]);
    if (showsEstimates(state)) states.unshift(["expected", { color: theme.text, stripes: 0 }, "the line beneath a task: how long it was expected to take"]);
    const entry = ([label, paint, help = label]) =>
      el("span", { role: "listitem", title: help }, paint && el("i", { style: { background: background(paint) } }), shortName(label, 40));
    replace(this.list, colour === "codelet" ? tasks.map((one) => this.codelet(one)) : tasks.map(entry), isScale && isKnown && this.scale(legend));
    replace(this.states, states.map(entry), this.sign("⋯", theme.faint, "several", "Dots beneath a row: a pixel holds several states there, and each kind is as high as its share of the time"), this.marks(state));
    this.spare();
    this.mark();
  }

  // Invisible copies of all colourings give the list the height of the highest, so that the
  // timeline below does not move when the colouring changes.
  spare() {
    const { app } = this, { theme, overview } = app, entry = (label) => el("span", {}, el("i"), shortName(label, 40)), longest = "888.8 ms";
    const key = [app.colors, app.updates];
    if (this.spareKey && key.every((part, i) => part === this.spareKey[i])) return;
    this.spareKey = key;
    const workers = overview.workerRows.slice(0, MOST_WORKERS).map(({ label }) => label);
    const scale = el("span.scale", {}, el("b", {}, longest), el("i", {}, el("b", {}, longest)), el("b", {}, longest));
    replace(this.spares,
      el("div.legend", {}, this.codelets().map(([name, paint]) => el("span", {}, paint ? el("span.pad", {}, el("i"), shortName(name, 40)) : name))),
      el("div.legend", {}, [without({ by: "worker" }), ...workers].map(entry)),
      el("div.legend", {}, NONE.map(entry), scale));
  }

  // Click: highlights the tasks of a codelet, or removes the highlight.
  codelet([name, paint]) {
    if (!paint) return el("span", { role: "listitem" }, name);
    return el("span", { role: "listitem" }, el("button.name", { title: `${name}: a click lets its tasks stand out`, "data-codelet": name, onclick: () => this.app.toggleCodelet(name) },
      el("i", { style: { background: background(paint) } }), shortName(name, 40)));
  }

  // Marks the selected codelet.
  mark() {
    for (const button of this.list.querySelectorAll("button")) button.setAttribute("aria-pressed", String(button.dataset.codelet === this.app.store.state.selection?.codelet));
  }

  sign(text, color, label, help) {
    return el("span", { role: "listitem", title: help }, el("b", { "aria-hidden": "true", style: { color } }, text), ` ${label}`);
  }

  // The marks over the timeline at present.
  marks({ extras, critical }) {
    const colors = markColors(this.app.theme), { sign } = this;
    return [...EXTRAS.filter(([key]) => SIGNS[key] && extras.includes(key)).map(([key, label, help]) => sign(SIGNS[key], colors[key], label.toLowerCase(), help)),
            critical && sign("▭", colors.path, "critical path", "The tasks that determined the length of the run")];
  }

  codelets() {
    const { allNames, colors } = this.app;
    const rest = allNames.length - MOST_NAMES;
    return [...allNames.slice(0, MOST_NAMES).map((name) => [name, colors.paint(name)]), ...(rest > 0 ? [[`${count(rest)} more codelets`, null]] : [])];
  }

  // States come at the end of the legend.
  workers(legend) {
    const paints = legendColors(legend, this.app.theme), { workerRows } = this.app.overview;
    return legend.entries.flatMap(({ label }, i) =>
      i > 0 && !workerRows.some((one) => one.label === label) ? [] : [[i === 0 ? without(legend) : label, paints[i]]]);
  }

  // The entries beside a scale: no value, and for times 0 ns.
  apart(legend) {
    const paints = legendColors(legend, this.app.theme), apart = [[without(legend), paints[0]]];
    if (legend.unit === "ns") apart.push([legend.entries[1].label, paints[1]]);
    return apart;
  }

  // A bar of all shades between the lowest and the highest value.
  scale(legend) {
    const scale = scaleOf(legend, this.app.theme);
    if (!scale) return null;
    const { least, middle, largest, colors } = scale, text = legend.unit === "ns" ? duration : count;
    const unless = (other, value) => value !== other && el("b", {}, text(value));
    const stops = [colors[0], ...colors].join(", ");  // a gradient needs at least two stops
    return el("span.scale", { role: "listitem", title: `From ${text(least)} to ${text(largest)}; in the middle of the bar ${text(middle)}` },
      el("b", {}, text(least)), el("i", { style: { background: `linear-gradient(to right, ${stops})` } }, unless(least, middle)), unless(least, largest));
  }
}
