// SPDX-License-Identifier: Apache-2.0
// Plots, drawn by the server as for `tasklens plot`, with choices of kind, grouping and codelet.
import { el, replace, shortName } from "../dom.js";
import { PLOTS } from "../store.js";

// The permitted elements of a picture; a server uses no others.
const ELEMENTS = ["svg", "title", "rect", "path", "circle", "text"];
const ATTRIBUTES = ["xmlns", "version", "width", "height", "viewBox", "font-family", "font-size", "font-weight", "text-anchor", "transform", "x", "y", "cx", "cy", "r", "d", "fill",
                    "fill-opacity", "stroke", "stroke-width", "stroke-dasharray"];

export class Plots {
  constructor(app) {
    this.app = app;
    this.tools = el("div.tools");
    this.sheet = el("div.sheet", { tabindex: "0", role: "img" });
    this.element = el("div.plots", {}, this.tools, this.sheet);
    this.kinds = PLOTS.map((name) => ({ name, summary: "", by: [], codelets: false }));
    this.answer = null;
    this.isShown = false;  // the answer to the last request
  }

  async refresh() {
    const { kind, by, codelet } = this.app.store.state.plot, asked = (this.asked = {});
    this.isShown = false;
    const params = { kind, theme: "page", ...(by ? { by } : {}), ...(codelet ? { codelets: [codelet] } : {}) };
    let answer;
    try {
      answer = await this.app.host.request("tasklens/plot", params);
    } catch ({ message }) {
      answer = { kind, kinds: this.kinds, svg: null, missing: message };
    }
    if (this.asked !== asked) return;  // something else is shown by now
    this.answer = answer;
    this.kinds = answer.kinds;
    this.showTools();
    const drawn = answer.svg && picture(answer.svg);
    this.sheet.setAttribute("aria-label", drawn ? drawn.querySelector("title").textContent : answer.missing);
    replace(this.sheet, drawn || el("p.note", { role: "status" }, answer.missing));
    this.isShown = true;
  }

  showTools() {
    const { plot } = this.app.store.state, { kind, by, codelet } = plot, shown = this.kinds.find(({ name }) => name === kind);
    const set = (change) => this.app.store.set({ plot: { ...plot, ...change } });
    const hadFocus = this.tools.contains(document.activeElement) ? document.activeElement.getAttribute("aria-label") : null;
    replace(this.tools,
      el("div.choices", { role: "group", "aria-label": "What the plot shows" }, this.kinds.map(({ name, summary, ...has }) =>
        el("button", { "aria-pressed": String(name === kind), "aria-label": named(name), title: summary,
          onclick: () => set({ kind: name, by: has.by.includes(by) ? by : null, codelet: has.codelets ? codelet : null }) }, named(name)))),
      shown?.by.length > 1 && el("label", {}, "by ", choice("What the plot is by", shown.by.map((name) => [name, named(name)]), by ?? shown.by[0],
        (value) => set({ by: value === shown.by[0] ? null : value }))),
      shown?.codelets && el("label", {}, "of ", choice("Which codelet the plot is of", [["", "all codelets"], ...this.names(codelet).map((name) => [name, shortName(name, 40)])], codelet ?? "",
        (value) => set({ codelet: value || null }))));
    if (hadFocus) this.tools.querySelector(`[aria-label=${JSON.stringify(hadFocus)}]`)?.focus();
  }

  // The codelets, the costliest first; an unknown codelet from a link is listed too.
  names(codelet) {
    const { allNames } = this.app;
    return codelet && !allNames.includes(codelet) ? [...allNames, codelet] : allNames;
  }

  // The picture as a file, with the colours of the page; null: none is shown.
  svg() {
    if (!this.answer?.svg) return null;
    const style = getComputedStyle(this.element);
    return this.answer.svg.replace(/var\((--plot-[a-z]+)\)/g, (_, name) => style.getPropertyValue(name).trim());
  }
}

const named = (name) => name[0].toUpperCase() + name.slice(1).replace("-", " ");

function choice(label, options, value, set) {
  const select = el("select", { "aria-label": label, onchange: () => set(select.value) },
    options.map(([key, text]) => el("option", { value: key, selected: key === value }, text)));
  return select;
}

// Parses a picture, and checks that it has permitted elements only.
export function picture(text) {
  const { documentElement } = new DOMParser().parseFromString(text, "image/svg+xml");
  for (const node of [documentElement, ...documentElement.querySelectorAll("*")]) {
    const foreign = ELEMENTS.includes(node.localName) ? [...node.attributes].find(({ name }) => !ATTRIBUTES.includes(name))?.name : node.localName;
    if (foreign) throw new Error(`the plot has "${foreign}", which is no part of a picture`);
  }
  return document.importNode(documentElement, true);
}
