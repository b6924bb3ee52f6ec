#!/usr/bin/env node
// SPDX-License-Identifier: Apache-2.0
// A report answers every request of the page as a server does that shows the same trace: at random tasks, lines,
// codelets, groups, parts of the graph and stretches of time.
import fs from "node:fs";
import path from "node:path";
import { execFileSync, spawn } from "node:child_process";
import { Marks, unpackColumn } from "../../../ide-plugin/webview/data/columns.js";
import { ReportAnswers, unpack } from "../../../ide-plugin/webview/data/report_answers.js";
import { setZero } from "../../../ide-plugin/webview/format.js";
import { stateGroup } from "../../../ide-plugin/webview/states.js";
import { timesIn } from "../../../ide-plugin/webview/views/timeline_mix.js";
import cases from "../../testing/cases.js";

const [, , tasklens, folder] = process.argv;
const TRACES = ["cholesky_lws", "cholesky_dmdas", "stencil_2k", "mpi2", "parallel_small", "tags", "disk_compute"];
const COLOURS = ["codelet", "worker", "duration", "waiting", "slack", "iteration"];
const GROUPINGS = [["iteration", "codelet"], ["codelet"], ["site"], ["iteration"], ["levels"], ["data"], ["worker"]];
const FEW = 500;   // tasks that a server shows without groups
const ROUNDS = 40;  // of a request, of a trace
const work = fs.mkdtempSync(path.join(process.env.TEST_TMPDIR || "/tmp", "same-"));

let seed = 11;
const below = (most) => Math.floor(((seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0) / 4294967296) * most);
const oneOf = (list) => list[below(list.length)];

// What is unknown is null, -1 or left out.
const isKnown = (value) => value !== null && value !== undefined && value !== -1;
const known = (value) => (Array.isArray(value) ? value.map(known) : value && typeof value === "object"
  ? Object.fromEntries(Object.entries(value).filter(([, one]) => isKnown(one)).sort().map(([name, one]) => [name, known(one)])) : value);
const only = (names) => (value) => value && known(Object.fromEntries(names.map((name) => [name, value[name]])));
// A report names a worker with its rank.
const task = (one) => only(["task", "job", "rank", "name", "worker", "site", "startNs", "endNs", "ownRgb"])({ ...one, worker: one.worker?.replace(/^\d+: /, "") });
const site = only(["site", "file", "line", "function"]);
const neighbours = ({ count, tasks }) => [count, tasks.map(task)];
const listed = ({ count, tasks, marks }) => {
  const marked = new Marks(marks);
  return [count, tasks, marked.size, tasks.every((one) => marked.has(one))];
};
// Groups of the same time may come in another order; what perfmodels foretold is in no table of the page.
const groups = ({ count, groups: list }) => [count, list.map(({ estimates, site: line, ...group }) => JSON.stringify(known(group))).sort()];

// A graph in words: ids of groups are each host's own.
function wordsOf(answer) {
  const { nodes, frames, edges, texts } = answer, isServer = !Array.isArray(frames);
  const text = (list, i) => (isServer ? texts[list][i] : i);
  const node = (i) => JSON.stringify([text("labels", nodes.label[i]), isServer ? texts.codelets[nodes.codelet[i]] : nodes.codelet[i], ...["task", "tasks", "totalNs", "startNs", "endNs", "site"].map((name) => nodes[name][i]),
    Boolean(nodes.mixed[i]), Boolean(nodes.canOpen[i]), answer.legend.by === "codelet" ? 0 : nodes.colour[i]]);
  const all = nodes.task.map((_, i) => node(i));
  const lines = isServer ? edges.from.map((from, i) => ({ from, to: edges.to[i], count: edges.count[i] })) : edges;
  const labels = isServer ? frames.label.map((label) => texts.labels[label]) : frames.map(({ label }) => label);
  return { nodes: all, edges: lines.map(({ from, to, count }) => `${all[from]} ${all[to]} ${count}`).sort(), frames: labels.sort() };
}
function graph(answer) {
  const words = wordsOf(answer);
  return { ...words, nodes: words.nodes.sort() };
}

// A server puts the tasks of a large part into groups; a report does not.
const part = (answer, params, { answers }) => (answers.graph(params).tasksInFocus > FEW ? null : graph(answer));

// What a timeline shows: by row and state the time, by task the colour, by kind the arrows, flags and curves.
function timeline(answer) {
  const { fromNs, toNs, texts } = answer, times = {}, colours = {};
  const whole = (columns) => Object.fromEntries(Object.entries(columns).map(([name, one]) => [name, one && typeof one === "object" && !Array.isArray(one) && !ArrayBuffer.isView(one) ? unpackColumn(one) : one]));
  for (const { row, layers, mixed } of answer.rows)
    for (const [state, ns] of timesIn({ layers: layers.map((layer) => layer && whole(layer)), mixed }, toNs - fromNs)) if (texts.states[state] !== "Nothing") times[`${row} ${texts.states[state]}`] = Math.round(ns);
  for (const layer of answer.rows.flatMap(({ layers }) => layers).filter((one) => one?.colour)) layer.task.forEach((one, i) => one >= 0 && stateGroup(texts.states[layer.state[i]]) === "task" && (colours[one] = layer.colour[i]));
  const sum = (list) => [...list].reduce((all, one) => all + one, 0);
  const arrows = {};
  answer.arrows?.kind.forEach((kind, i) => (arrows[answer.arrows.kinds[kind]] = (arrows[answer.arrows.kinds[kind]] ?? 0) + answer.arrows.count[i]));
  const flags = answer.flags && sum(answer.flags.count);
  const curves = answer.counters?.map(({ name, row, min, max }) => [row, name, min, max]).sort();
  return { times, colours, arrows, flags, curves, path: answer.path && sum(answer.path.count) };
}

// A pixel at the edge of the view counts in part, and a report knows the share of the states in it as a whole only.
function isShown({ times: kept, colours, ...one }, { times: served, colours: wanted, ...other }, what, { fromNs, toNs, pixels }) {
  equal(one, other, what);
  for (const name of Object.keys(colours)) if (name in wanted) equal([name, colours[name]], [name, wanted[name]], what);
  for (const state of new Set([...Object.keys(kept), ...Object.keys(served)]))
    if (Math.abs((kept[state] ?? 0) - (served[state] ?? 0)) > 1 + (2 * (toNs - fromNs)) / pixels) equal([state, kept[state]], [state, served[state]], what);
}

function equal(kept, served, what) {
  const [a, b] = [kept, served].map((value) => JSON.stringify(value));
  if (a === b) return;
  const at = [...a].findIndex((letter, i) => letter !== b[i]), cut = (text) => text.slice(Math.max(0, at - 300), at + 300);
  throw new Error(`${what}: the report says ${cut(a)}\n  and the server ${cut(b)}`);
}

// Shows a trace both ways: {answers, ask(method, params)}; the server ends with end().
async function both(name) {
  const trace = path.join(folder, name), page = path.join(work, `${name}.html`);
  execFileSync(tasklens, ["report", trace, "-o", page], { stdio: ["ignore", "ignore", "inherit"] });
  const answers = new ReportAnswers(await unpack(/id="tasklens-data"[^>]*>([^<]*)</.exec(fs.readFileSync(page, "utf8"))[1]));
  const server = spawn(tasklens, ["serve", "--http", trace], { stdio: ["ignore", "pipe", "inherit"] });
  const address = await new Promise((resolve, reject) => {
    server.stdout.on("data", (text) => resolve(String(text).trim()));
    server.on("exit", (status) => reject(new Error(`the server ended (${status})`)));
  });
  const ask = async (method, params) => {
    const reply = await fetch(`${address}request`, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ method, params }) });
    const { error, result } = await reply.json();
    if (error) throw new Error(error.message);
    return result;
  };
  const { zeroNs } = await ask("tasklens/overview", {});
  return { name, answers, ask, end: () => server.kill("SIGTERM"), zeroNs, tasks: answers.tasks.count, endNs: answers.header.overview.durationNs };
}

const all = new cases.Cases(), runs = [];
for (const name of TRACES) runs.push(await both(name));

// A report says `told(answer)` of what the server's answer says, for parameters of each trace.
const check = (claim, method, paramsOf, told, compare = equal) => all.run(claim, async () => {
  for (const run of runs) {
    setZero(run.zeroNs);
    for (const params of paramsOf(run)) {
      const said = async (answer) => told(await answer, params, run);
      const of = `${method} ${JSON.stringify(params)} of ${run.name}`;
      compare(await said(run.answers.request(method, params)), await said(run.ask(method, params)), of, params);
    }
  }
});
const rounds = (make) => (run) => Array.from({ length: ROUNDS }, () => make(run));
const everyTask = ({ tasks }) => Array.from({ length: Math.min(tasks, 400) }, (_, i) => ({ task: tasks <= 400 ? i : below(tasks) }));

await check("of every task its fields, data and neighbours", "tasklens/task", everyTask, (answer) => [
  task(answer), ["submitNs", "readyNs", "slackNs", "lastDependency"].map((name) => answer[name]), answer.fields.map(({ name, text }) => `${name}=${text}`),
  known(answer.data), site(answer.source), neighbours(answer.predecessors), neighbours(answer.successors)]);
await check("why a task began so late", "tasklens/why", everyTask, ({ chain }) => chain.map((one) => task(one.task)));
// A report names no path of the machine that wrote it, and says what it keeps.
await check("where the time of the run went", "tasklens/overview", () => [{}], ({ paths, trace, id, kept, costs, ...overview }) => [known(overview), costs.map(({ site: one, cost }) => known([one, cost]))]);
await check("the findings", "tasklens/advice", () => [{}], ({ findings }) => known(findings));
await check("what is on the critical path", "tasklens/criticalPath", () => [{ marks: true, limit: 0 }], ({ workNs, waitNs, count, marks }) => {
  const { size } = new Marks(marks);
  return [workNs, waitNs, count, size];
});
await check("the tasks of a line", "tasklens/site", ({ answers }) => Object.keys(answers.header.sites).map((one) => ({ site: Number(one), marks: true })), (answer) => [site(answer.source), ...listed(answer)]);
await check("the tasks of a codelet", "tasklens/codelet", ({ answers }) => answers.header.stats.codelet.groups.map(({ label }) => ({ codelet: label, marks: true })), listed);
await check("what is found", "tasklens/search", ({ answers: { header, tasks } }) => [
  ...["", "a", "c:1", ".c", "nothing like it", "0x0"], ...header.texts.names.slice(0, 9).map((name) => name.slice(1, 6)),
  ...Array.from({ length: 9 }, () => String(tasks.get("Job", below(tasks.count)))), ...Array.from({ length: 9 }, () => `0x${tasks.tag(below(tasks.count)).toString(16)}`)].map((text) => ({ text })),
  ({ count, tasks, sites }) => [count, tasks.map(task), sites.map(site)]);
await check("what took how long in the whole run", "tasklens/stats", () => ["codelet", "site", "worker", "state"].flatMap((by) => [{ by }, { by, internal: true }]), groups);

// Both ends of a stretch are within the run.
const stretch = ({ endNs }) => {
  const [from, to] = [below(endNs), below(endNs)].sort((a, b) => a - b);
  return { fromNs: from, toNs: to + 1 };
};
// A random one, all of the run, or a nanosecond.
const anyStretch = (run) => oneOf([stretch(run), stretch(run), { fromNs: 0, toNs: run.endNs }, ((fromNs) => ({ fromNs, toNs: fromNs + 1 }))(below(run.endNs))]);
const statsOf = rounds((run) => ({ by: oneOf(["codelet", "site", "worker", "state"]), internal: below(2) === 1, ...anyStretch(run) }));
const isKept = ({ answers }, { by }) => by !== "worker" || !answers.header.hasParts;
await check("what took how long in any stretch", "tasklens/stats", (run) => statsOf(run).filter((params) => isKept(run, params)), groups);
await all.run("a report names the command where several workers had tasks together, and only there", async () => {
  let refused = 0;
  for (const run of runs)
    for (const params of statsOf(run).filter((one) => !isKept(run, one))) {
      const said = await Promise.resolve().then(() => run.answers.request("tasklens/stats", params)).catch(({ message }) => message);
      equal(String(said).includes("`tasklens stats TRACE --from "), true, `whether ${run.name} says so`);
      equal(run.name, "parallel_small", "the run");
      ++refused;
    }
  equal(refused > 0, true, "whether any is refused");
});
// The groups that can be opened, in an order that does not depend on their ids.
async function groupsIn(ask, params) {
  const answer = await ask("tasklens/graph", { ...params, open: [] }), words = wordsOf(answer).nodes, ids = answer.texts?.ids ?? answer.nodes.id;
  return ids.map((id, i) => [words[i], id]).filter(([text], i) => answer.nodes.canOpen[i] && words.indexOf(text) === words.lastIndexOf(text)).sort().map(([, id]) => id);
}
const hosts = (run) => [async (...words) => run.answers.request(...words), run.ask];
const eachGrouping = async (claim, told) => all.run(claim, async () => {
  for (const run of runs)
    for (const group of GROUPINGS)
      for (const internal of [false, true]) {
        const chosen = { colour: oneOf(COLOURS), which: below(1000), task: below(run.tasks) };
        const [kept, served] = await Promise.all(hosts(run).map((ask) => told(ask, { group, internal }, chosen)));
        equal(kept, served, `${run.name} by ${group}${internal ? " with the runtime's own tasks" : ""}, ${JSON.stringify(chosen)}`);
      }
});
await eachGrouping("the graph in any grouping and colouring, with groups closed and one open", async (ask, params, { colour, which }) => {
  const ids = await groupsIn(ask, params), open = ids.length ? [ids[which % ids.length]] : [];
  return Promise.all([[], open].map(async (one) => graph(await ask("tasklens/graph", { ...params, colour, open: one }))));
});
await eachGrouping("the groups around a task, and the tasks of each", async (ask, params, { task: one }) => {
  const { groups: ids } = await ask("tasklens/group", { ...params, task: one });
  return Promise.all((ids ?? []).map(async (id) => {
    const answer = await ask("tasklens/group", { ...params, id, marks: true });
    return [answer.count, known(answer.site), answer.tasks.sort((x, y) => x - y), new Marks(answer.marks).size];
  }));
});
await check("the graph around a task, and between two", "tasklens/graph", rounds(({ tasks }) => ({ task: below(tasks), internal: below(2) === 1, colour: oneOf(COLOURS), ...(below(2) ? { depth: below(4) } : { to: below(tasks) }) })), part);
await check("the graph of a line", "tasklens/graph", ({ answers }) => Object.keys(answers.header.sites).map((one) => ({ site: Number(one), colour: oneOf(COLOURS) })), part);
await check("the timeline of any stretch", "tasklens/timeline", rounds((run) => ({ ...stretch(run), pixels: 1 + below(900), counters: true, [oneOf(["flags", "schedulerFlags"])]: true, colour: oneOf(COLOURS), arrows: ["transfer", "message", "steal", "dependency"], path: true })), timeline, isShown);
for (const { end } of runs) end();
