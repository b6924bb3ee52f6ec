// SPDX-License-Identifier: Apache-2.0
// The panel for an interval of the run: its times, the work of all workers in it, and the tasks
// they ran.
import { commandOf } from "../data/stretch_stats.js";
import { el, shortName } from "../dom.js";
import { at, count, duration, lengthText } from "../format.js";
import { SHOWN_KINDS, TIME_KINDS } from "../states.js";
import { timesBar } from "./overview.js";

const MOST_CODELETS = 8;

// `work`: the answer of tasklens/stats by codelet for the interval; else `problem`, why there is
// none.
export function stretchParts(app, { fromNs, toNs, work, problem }) {
  return [
    el("dl.fields", {}, [["From", at(fromNs, toNs - fromNs)], ["To", at(toNs, toNs - fromNs)], ["Length", lengthText(toNs - fromNs, toNs - fromNs)]].map(([label, value]) => [el("dt", {}, label), el("dd", {}, value)])),
    problem ? el("p.note", {}, problem) : [workers(work), codelets(app, work)],
    el("button", { onclick: () => app.timeline.showStretch({ fromNs, toNs }), title: "The stretch fills the timeline (f)" }, "Zoom in"),
    el("button", { onclick: () => app.store.set({ pane: "table" }), title: "Numbers of the stretch by codelet, line, worker and state (l)" }, "Table"),
  ];
}

// A report does not keep why workers were idle, but it may know the states of their rows.
function workers({ fromNs, toNs, timesNs, shownNs }) {
  const bar = (title, kinds, times) => [el("h3", {}, title), Object.values(times).some((ns) => ns > 0) ? timesBar(kinds, times) : el("p.note", {}, "No worker did anything in it.")];
  if (timesNs) return bar("Where the workers' time went", TIME_KINDS, timesNs);
  return [shownNs && bar("What the workers' rows show", SHOWN_KINDS, shownNs),
          el("p.note", {}, `What workers waited for this page does not keep; \`${commandOf({ fromNs, toNs })}\` tells it.`)];
}

// The costliest first, in the order of the answer.
function codelets(app, { groups, count: all }) {
  if (!groups.length) return el("p.note", {}, "No task ran in it.");
  return [
    el("h3", {}, "Codelets"),
    el("table.short", {},
      el("thead", {}, el("tr", {}, [["Tasks", "How many ran in the stretch, at least partly"], ["Within", "Their time within the stretch"], ["Mean", "Mean of their whole durations"]]
        .map(([label, help]) => el("th", { scope: "col", title: help }, label)))),
      el("tbody", {}, groups.slice(0, MOST_CODELETS).map(({ label, tasks, totalNs, meanNs }) => el("tr", {},
        el("th", { scope: "row", title: label }, app.swatch(label), shortName(label, 60)), [count(tasks), duration(totalNs), duration(meanNs)].map((text) => el("td", {}, text)))))),
    all > MOST_CODELETS && el("p.note", {}, `${count(all - MOST_CODELETS)} more are in the table.`),
  ];
}
