#!/usr/bin/env node
// SPDX-License-Identifier: Apache-2.0
// Views of a program that still runs: they grow with its trace, and what is looked at stays.
"use strict";
const path = require("path");
const { LanguageServer } = require("./language_server.js");
const { looked } = require("../../testing/looking.js");
const checks = require("./checks.js");
const { READY, equal, holds, run, shot, start, work } = checks;

const [, , tasklens, program] = process.argv;

// A program that runs as many tasks as it is told, recorded into `folder`.
class Program {
  constructor(folder) {
    this.process = start(tasklens, ["run", "-o", folder, "--", program], { stdio: ["pipe", "pipe", "inherit"] });
    this.text = "";
    this.process.stdout.on("data", (text) => (this.text += text));
    this.ended = new Promise((resolve) => this.process.on("exit", resolve));
    this.endedEarly = this.ended.then((status) => { throw new Error(`the program ended (${status})`); });
    this.endedEarly.catch(() => {});  // who waits for it hears of it
    this.lines = 0;
  }

  // Runs `count` tasks to their end.
  async tasks(count) {
    this.process.stdin.write(`${count}\n`);
    ++this.lines;
    while (this.text.split("done").length <= this.lines) await Promise.race([this.endedEarly, new Promise((resolve) => this.process.stdout.once("data", resolve))]);
  }

  async end() {
    this.process.stdin.end();
    equal(await this.ended, 0, "the exit status of the program");
  }
}

const serve = (folder) => checks.serve(tasklens, folder);

// Looks at every frame whether a page shows less than it has shown; `less` says of what.
const WATCH = `(() => {
  globalThis.less = [];
  const most = { tasks: 0, lastEnd: 0 };
  const grows = (what, value, tolerance) => {
    if (value < most[what] * (1 - tolerance)) less.push(what + ": " + value + " after " + most[what]);
    most[what] = Math.max(most[what], value);
  };
  const look = () => {
    const { timeline } = tasklensApp, { answer } = timeline.data, { tail } = timeline;
    const ends = answer.rows.flatMap(({ layers }) => layers.slice(0, 1).filter(Boolean).flatMap(({ end, task }) => answer.fromNs + end[task.findLastIndex((one) => one >= 0)]));
    for (const { end } of tail?.layers.values() ?? []) ends.push(tail.fromNs + end.at(-1));
    // The longer a recording the better it knows its clock.
    if (timeline.view.from === timeline.home.from && timeline.view.to === timeline.home.to) grows("lastEnd", Math.max(0, ...ends.filter(Number.isFinite)), 0.01);
    grows("tasks", Number(document.querySelector(".facts span").textContent.replace(/ task.*| |,/g, "")), 0);
    if (tail && tail.fromNs > answer.endNs * 1.01) less.push("nothing between " + answer.endNs + " and " + tail.fromNs);
    requestAnimationFrame(look);
  };
  look();
})()`;

run(async (check, browser) => {
  const folder = path.join(work, "run");
  const program = new Program(folder);
  await program.tasks(100);
  const { server, address } = await serve(folder);
  const page = await browser.open(address);
  await page.until(`${READY} && tasklensApp.graph.layout`);
  const tasks = "tasklensApp.overview.tasks";
  await page.eval(WATCH);

  await check("a run in progress is shown, and said to run", async () => {
    equal(page.problems, [], "complaints");
    await page.until(`${tasks} === 100`);
    holds(await page.eval("!document.querySelector('.running').hidden"), "the page says that the program runs");
    await shot(page, "live_first");
  });
  await check("the whole run stays the whole run", async () => {
    const { to } = await page.eval("tasklensApp.timeline.view");
    await program.tasks(200);
    await page.until(`${tasks} === 300 && tasklensApp.timeline.view.to > ${to}`);
    equal(await page.eval("tasklensApp.timeline.view.to === tasklensApp.timeline.home.to"), true, "to its end");
    holds((await page.eval("document.querySelector('.overview').textContent")).includes("300 tasks"), "the first screen says so");
    await page.until("tasklensApp.graph.answer.tasksTotal === 300");
  });
  await check("while the trace is read anew nothing of what was shown is missing", async () => {
    // The timeline of the new reading is long on its way, and the program goes on.
    await page.eval(`(() => {
      const { host } = tasklensApp, ask = host.request.bind(host);
      globalThis.held = [];
      globalThis.isHeld = true;
      host.request = async (method, params) => {
        const answer = await ask(method, params);
        if (method === "tasklens/timeline" && isHeld) await new Promise((go) => held.push(go));
        return answer;
      };
    })()`);
    await program.tasks(60);
    await page.until("held.length > 0");
    for (let round = 0; round < 4; ++round) {
      const updates = await page.eval("tasklensApp.live.updates");
      await program.tasks(10);
      await page.until(`tasklensApp.live.updates > ${updates}`);
    }
    await page.until("document.querySelector('.facts').textContent.includes('400 tasks')");
    await page.eval("isHeld = false, held.forEach((go) => go())");
    await page.until(`${tasks} === 400`);
    equal(await page.eval("less"), [], "what was shown no more");
  });
  await check("a view and a selection stay where they are", async () => {
    await page.eval("tasklensApp.select({ task: 42 })");
    await page.until("tasklensApp.selectedTask?.task === 42");
    const job = await page.eval("tasklensApp.selectedTask.job");
    await page.eval("tasklensApp.timeline.show(tasklensApp.selectedTask.startNs - 1e5, tasklensApp.selectedTask.endNs + 1e5)");
    const view = await page.eval("tasklensApp.timeline.view");
    const steps = await page.eval("tasklensApp.store.past.length");
    await program.tasks(50);
    await page.until(`${tasks} === 450 && tasklensApp.timeline.data.answer.endNs > 0 && !tasklensApp.timeline.data.stale`);
    equal(await page.eval("tasklensApp.timeline.view"), view, "the view");
    equal(await page.eval("tasklensApp.selectedTask.job"), job, "the selected task");
    equal(await page.eval("tasklensApp.store.past.length"), steps, "steps of the history");
    holds((await page.eval("document.querySelector('.panel h2').textContent")) === "work", "the panel shows it still");
    await shot(page, "live_selected");
  });
  await check("a table grows", async () => {
    await page.eval("tasklensApp.showTable('codelet')");
    await page.until("document.querySelector('tbody tr')");
    await program.tasks(50);
    await page.until("document.querySelector('tbody td').textContent === '500'");
  });
  await check("when the program has ended, the page shows all of it and asks no more", async () => {
    await program.end();
    await page.until("document.querySelector('.running').hidden && !tasklensApp.isRunning");
    equal(await page.eval(tasks), 500, "tasks");
    equal(await page.eval("less"), [], "what was shown no more");
    equal(await page.eval("tasklensApp.host.seen.growing"), false, "whether it waits for more");
    holds(!(await page.eval("tasklensApp.overview.diagnostics")).some(({ kind }) => kind === "tlt_not_closed"), "the trace is complete");
    equal(page.problems, [], "complaints");
    await shot(page, "live_ended");
  });
  server.kill();

  await check("an editor can wait for a trace, and hears of its growth", async () => {
    const editor = new LanguageServer(tasklens);
    await editor.ask("initialize", { processId: process.pid, rootUri: null, capabilities: { experimental: { tasklens: true } } });
    const later = path.join(work, "later");
    const opened = editor.ask("tasklens/openTrace", { uris: [later], wait: true });
    const second = new Program(later);
    const { result } = await opened;
    holds(result.trace, "it is open");
    const news = (method, holds) => new Promise((resolve) => {
      editor.onNews = (message) => message.method === method && holds(message.params) && resolve(message.params);
    });
    const grown = news("tasklens/traceGrew", (params) => params.tasks === 70);
    await second.tasks(70);
    equal((await grown).trace, result.trace, "the trace that grew");
    const complete = news("tasklens/traceUpdated", (params) => !params.growing);
    await second.end();
    const { trace, tasks } = await complete;
    equal([trace, tasks], [result.trace, 70], "the complete trace");
    equal((await editor.ask("tasklens/traces", {})).result.traces.length, 1, "open traces");
    await editor.end();
  });
  await check("how far a run is grows without reading the trace anew", async () => {
    const editor = new LanguageServer(tasklens);
    await editor.ask("initialize", { processId: process.pid, rootUri: null, capabilities: { experimental: { tasklens: true } } });
    const folder = path.join(work, "progress");
    const fourth = new Program(folder);
    await fourth.tasks(40);
    const { result: { trace } } = await editor.ask("tasklens/openTrace", { uris: [folder] });
    const look = async () => (await editor.ask("tasklens/progress", { trace, fromNs: 0 })).result.progress;
    // What was recorded a moment ago may come the next time, and of a short task its end first.
    // A viewer looks ten times a second; each answer is also checked against the protocol's types in the end.
    const until = (tasks) => looked(async () => {
      const progress = await look();
      return progress.ran === tasks && progress.sites[0]?.tasks === tasks && !progress.names.includes("unknown") && progress;
    }, 100);
    await until(40);
    await fourth.tasks(20000);
    const progress = await until(20040);
    equal(progress.tasks, 20040, "tasks that were submitted");
    const stretches = progress.rows.flatMap(({ count }) => count);
    equal(stretches.reduce((sum, count) => sum + count, 0), 20040, "tasks of all rows");
    holds(progress.rows.every(({ start }) => start.length <= 4097), "short tasks share a stretch");
    equal(progress.names, ["work"], "their names");
    for (const { start, end } of progress.rows)
      holds(start.every((at, i) => at <= end[i] && (i === 0 || at >= end[i - 1])), "they stand one behind the other");
    equal(progress.sites.map(({ tasks }) => tasks), [20040], "tasks of the line");
    equal(progress.sites[0].totalNs, progress.busyNs, "their time");
    const complete = new Promise((resolve) => {
      editor.onNews = ({ method, params }) => method === "tasklens/traceUpdated" && !params.growing && resolve(params);
    });
    await fourth.end();
    const { tasks, ran, busyNs, spanNs } = await complete;
    equal([tasks, ran], [20040, 20040], "what the complete trace says");
    // The longer a recording the better it knows its clock.
    const isNear = (a, b) => Math.abs(a - b) <= a / 100;
    holds(isNear(busyNs, progress.busyNs) && isNear(spanNs, progress.spanNs), `the same times: ${[busyNs, progress.busyNs, spanNs, progress.spanNs]}`);
    equal(await look(), null, "the progress of what is complete");
    await editor.end();
  });
  await check("a page shows the tasks that came after the trace was read", async () => {
    const folder = path.join(work, "tail");
    const fifth = new Program(folder);
    await fifth.tasks(10);
    const served = await serve(folder);
    const view = await browser.open(served.address);
    await view.until(READY);
    // From now on nothing is read as a whole.
    await view.eval("tasklensApp.grow = async () => {}, 0");
    await view.until("!tasklensApp.isGrowing");
    await fifth.tasks(500);
    await view.until("tasklensApp.timeline.tail && document.querySelector('.facts').textContent.includes('510 tasks')");
    equal(await view.eval("tasklensApp.timeline.view.to === tasklensApp.timeline.home.to && tasklensApp.timeline.home.to === tasklensApp.timeline.tail.endNs"), true, "the whole run is in sight");
    equal(await view.eval("(({ tail }) => [...tail.layers].every(([row, { start }]) => !start.length || tail.sliceAt(row, tail.fromNs + start[0], 0).name === 'work'))(tasklensApp.timeline)"), true, "they have their name");
    // The view may grow once more while the pointer is on its way.
    for (let text = ""; !text.startsWith("work");) {
      const at = await view.eval(`(() => {
        const { timeline } = tasklensApp, box = timeline.surface.canvas.getBoundingClientRect();
        const [row, { start, end }] = [...timeline.tail.layers].find(([, { start }]) => start.length > 0) ?? [null, {}];
        if (row === null) return null;
        const place = timeline.layout.places.find((one) => one.row === row);
        return { x: box.left + timeline.xOf(timeline.tail.fromNs + (start[0] + end[0]) / 2), y: box.top + place.y + place.height / 2 - timeline.scroll };
      })()`);
      // The server may have read the trace anew, as it does now and then: it tells what came since.
      if (!at) {
        await fifth.tasks(1);
        continue;
      }
      await view.move(at.x, at.y);
      text = await view.eval("document.querySelector('.tip').textContent");
    }
    await shot(view, "live_tail");
    holds((await view.eval("document.querySelector('.running').textContent")).startsWith("running, "), "how long it has run");
    equal(view.problems, [], "complaints");
    await fifth.end();
    served.server.kill();
  });
  await check("a program that was killed runs no more", async () => {
    const killed = path.join(work, "killed");
    const third = new Program(killed);
    await third.tasks(30);
    const served = await serve(killed);
    const view = await browser.open(served.address);
    await view.until(`${READY} && !document.querySelector('.running').hidden`);
    third.process.kill("SIGKILL");
    await view.until("document.querySelector('.running').hidden");
    equal(await view.eval(tasks), 30, "tasks");
    served.server.kill();
  });
});
