#!/usr/bin/env node
// SPDX-License-Identifier: Apache-2.0
// The self-contained page in a real browser, with real traces of StarPU.
"use strict";
const fs = require("fs");
const path = require("path");
const { READY, copyOf, equal, holds, kept, report, run, shot } = require("./checks.js");
const { lookingClaims } = require("./looking.js");
const { plotClaims } = require("./plots.js");
const { pointingClaims } = require("./pointing.js");
const { selectionClaims } = require("./selection.js");
const { stretchClaims } = require("./stretch.js");

const [, , tasklens, cholesky, stencil, sourceFolder] = process.argv;
const sources = copyOf(sourceFolder);

// What the page does beyond itself: copies to the clipboard, files it saves.
const WATCH = `
  globalThis.copied = [];
  globalThis.saved = [];
  Object.defineProperty(navigator, "clipboard", { value: { writeText: async (text) => { copied.push(text); } } });
  const create = URL.createObjectURL;
  URL.createObjectURL = (blob) => { saved.push(blob); return create.call(URL, blob); };
  HTMLAnchorElement.prototype.click = function () { this.clicked = true; };
`;
const text = (selector) => `document.querySelector(${JSON.stringify(selector)}).textContent`;
// Where a task of the name lies on the screen.
const spot = (name) => `(() => {
  const { timeline } = tasklensApp, box = timeline.surface.canvas.getBoundingClientRect();
  for (const place of timeline.layout.places) {
    const layer = timeline.data.answer.rows.find((row) => row.row === place.row)?.layers[0];
    if (!layer) continue;
    for (let i = 0; i < layer.start.length; ++i) {
      if (layer.name[i] < 0 || timeline.data.texts.names[layer.name[i]] !== ${JSON.stringify(name)}) continue;
      const middle = timeline.data.answer.fromNs + (layer.start[i] + layer.end[i]) / 2, { from, to } = timeline.view;
      if (middle < from || middle > to) continue;
      const x = timeline.xOf(middle);
      return { x: Math.round(box.left + x), y: box.top + place.y - timeline.scroll + place.height / 2, task: layer.task[i] };
    }
  }
})()`;

run(async (check, browser) => {
  const address = report(tasklens, cholesky, "cholesky", ["--source-root", sources]);
  const page = await browser.open(address, { prepare: WATCH });
  await page.until(READY);

  await check("the page opens without a complaint and loads nothing", async () => {
    equal(page.problems, [], "what it complains about");
    equal(page.requests, [], "what it loads");
    const html = fs.readFileSync(address.slice(7), "utf8");
    holds(!/(src|href)=["'](?!data:)/.test(html.replace(/<script[^]*?<\/script>/g, "")), "no element refers to a file");
    await shot(page, "first_screen");
  });
  await check("the first screen says where the time went", async () => {
    const overview = await page.eval(text(".overview"));
    for (const words of ["Span", "16.5 ms", "56 tasks", "in tasks 1.7 %", "Parallelism", "Scheduling", "Findings"])
      holds(overview.includes(words), `the overview says "${words}": ${overview}`);
    equal(await page.eval("document.querySelectorAll('.overview button.row').length"), 3, "costliest lines");
    holds((await page.eval(text(".overview button.row"))).includes("cholesky.c:102"), "gemm's line comes first");
  });
  await check("a task shorter than a pixel is seen", async () => {
    holds(await page.eval(spot("demo_cholesky_potrf")), "potrf has a place in the whole run");
  });
  await check("zooming keeps the moment under the pointer", async () => {
    const at = await page.eval(spot("demo_cholesky_gemm"));
    const time = `tasklensApp.timeline.timeAt(${at.x} - tasklensApp.timeline.surface.canvas.getBoundingClientRect().left)`;
    const before = await page.eval(time);
    for (let i = 0; i < 6; ++i) await page.wheel(at.x, at.y, -240);
    await page.until("tasklensApp.timeline.view.to - tasklensApp.timeline.view.from < 2e6");
    const after = await page.eval(time);
    holds(Math.abs(after - before) < 3000, `${before} ns became ${after} ns`);
  });
  await check("the pointer names the task and its line", async () => {
    const at = await page.eval(spot("demo_cholesky_gemm"));
    await page.move(at.x, at.y);
    await page.until("!document.querySelector('.tip').hidden && document.querySelector('.tip .place')");
    holds((await page.eval(text(".tip"))).startsWith("demo_cholesky_gemm"), "the tip names it");
    holds((await page.eval(text(".tip .place"))).endsWith("cholesky.c:102"), "and its line");
  });
  await check("a click shows every field of StarPU's pop-up, and the source", async () => {
    const at = await page.eval(spot("demo_cholesky_gemm"));
    await page.click(at.x, at.y);
    await page.until("tasklensApp.selectedTask && document.querySelector('.panel dl.fields')");
    equal(await page.eval("tasklensApp.selectedTask.task"), at.task, "the task");
    const labels = await page.eval("[...document.querySelectorAll('.panel dl.fields dt')].map((one) => one.textContent)");
    for (const label of ["Name", "Worker", "Time", "Duration", "Footprint", "GFlop", "Iteration", "Job",
                         "NUMA nodes", "Parameters", "Size", "Submission", "Tag", "X", "Y"])
      holds(labels.includes(label), `the panel has ${label}: ${labels}`);
    holds((await page.eval(text(".source .here"))).includes("starpu_task_insert(&gemm"), "the line is quoted");
    await shot(page, "task");
  });
  await check("the same task is marked in the graph", async () => {
    const chosen = await page.eval("tasklensApp.graph.chosen()");
    holds(chosen !== null, "a node is chosen");
    equal(await page.eval(`tasklensApp.graph.answer.nodes.task[${chosen}]`), await page.eval("tasklensApp.selectedTask.task"), "its task");
  });
  await check("a double click asks the host for the line", async () => {
    const at = await page.eval(spot("demo_cholesky_gemm"));
    await page.click(at.x, at.y, 2);
    await page.until("copied.length > 0");
    holds((await page.eval("copied[0]")).endsWith("/cholesky.c:102"), "the place is copied");
  });
  await check("the address restores what is seen", async () => {
    await page.until("location.hash.includes('task=')");
    const link = await page.eval("location.hash"), view = await page.eval("tasklensApp.store.state.view");
    const again = await browser.open(address + link);
    await again.until(`${READY} && tasklensApp.selectedTask`);
    equal(await again.eval("tasklensApp.selectedTask.task"), await page.eval("tasklensApp.selectedTask.task"), "the task");
    holds(Math.abs((await again.eval("tasklensApp.store.state.view.from")) - view.from) < 2, "the view");
    await again.close();
    await page.toFront();
  });
  await check("what is seen is saved as SVG and PNG", async () => {
    for (const what of ["timeline", "graph"]) for (const format of ["svg", "png"]) await page.eval(`tasklensApp.export("${what}", "${format}")`);
    equal(await page.eval("saved.length"), 4, "files");
    for (const i of [0, 2]) {
      const svg = await page.eval(`saved[${i}].text()`);
      equal(await page.eval(`(async () => new DOMParser().parseFromString(await saved[${i}].text(), "image/svg+xml").querySelectorAll("parsererror").length)()`), 0, "errors");
      holds(svg.includes(i === 0 ? ">CPU0<" : ">demo_"), "rows and tasks are named in the SVG");
    }
    const base64 = (i) => `new Promise((resolve) => {
      const reader = new FileReader();
      reader.onload = () => resolve(reader.result.split(",")[1]);
      reader.readAsDataURL(saved[${i}]);
    })`;
    for (const [i, name] of ["timeline.svg", "timeline.png", "graph.svg", "graph.png"].entries())
      fs.writeFileSync(path.join(kept, `exported_${name}`), Buffer.from(await page.eval(base64(i)), "base64"));
    for (const i of [1, 3]) holds(await page.eval(`createImageBitmap(saved[${i}]).then((image) => image.width > 300)`), "the PNG is a picture");
  });
  await check("the critical path is one chain from begin to end", async () => {
    await page.key("c");
    const PATH = "tasklensApp.timeline.data.answer.path";
    await page.until(`${PATH} && tasklensApp.pathMarks`);
    await page.key("0");
    await page.until(`tasklensApp.store.state.view.from === tasklensApp.timeline.home.from && [...${PATH}.count].reduce((sum, one) => sum + one, 0) === 26`);
    const { rows, fromNs, toNs } = await page.eval("tasklensApp.timeline.data.answer");
    const path = await page.eval(`tasklensApp.host.request("tasklens/timeline", { fromNs: ${fromNs}, toNs: ${toNs}, pixels: 10000000, path: true }).then(({ path }) => path)`);
    equal(path.row.length, 26, "steps");
    for (let i = 1; i < path.row.length; ++i) holds(path.start[i] >= path.end[i - 1], "no step starts before the one before ended");
    holds(rows.length > 4, "rows");
    await shot(page, "critical_path");
    await page.key("c");
    await page.until(`!${PATH} && !tasklensApp.pathMarks`);
  });
  await check("back and forward walk through what was shown", async () => {
    const view = await page.eval("tasklensApp.store.state.view");
    await page.key("w");
    await page.until(`tasklensApp.store.state.view.from !== ${view.from}`);
    await page.key("Backspace");
    await page.until(`tasklensApp.store.state.view.from === ${view.from}`);
    await page.key("r");
    await page.until(`tasklensApp.store.state.view.from !== ${view.from}`);
  });
  await check("a right click on the timeline goes back, as in ViTE", async () => {
    const view = await page.eval("tasklensApp.store.state.view");
    await page.key("w");
    await page.until(`tasklensApp.store.state.view.from !== ${view.from}`);
    const { x, y } = await page.eval("(({ x, y, width, height }) => ({ x: x + width / 2, y: y + height / 2 }))(tasklensApp.timeline.surface.canvas.getBoundingClientRect())");
    await page.page.mouse.click(x, y, { button: "right" });
    await page.until(`tasklensApp.store.state.view.from === ${view.from}`);
  });
  await check("the keyboard alone finds a task, walks on and goes to its line", async () => {
    await page.key("Escape");
    await page.until("!tasklensApp.selected");
    await page.key("/");
    await page.type("potrf");
    await page.until("document.querySelectorAll('.hit').length > 1");
    await page.key("ArrowDown");
    await page.key("Enter");
    await page.until("tasklensApp.selectedTask");
    equal(await page.eval("tasklensApp.selectedTask.name"), "demo_cholesky_potrf", "what was found");
    const first = await page.eval("tasklensApp.selectedTask.task");
    await page.key("n");
    await page.until(`tasklensApp.selectedTask && tasklensApp.selectedTask.task !== ${first}`);
    await page.eval("copied.length = 0");
    await page.key("Enter");
    await page.until("copied.length > 0");
    await page.key("?");
    await page.until("document.querySelector('dialog').open");
    await shot(page, "keys");
    await page.key("Escape");
    await page.until("!document.querySelector('dialog').open");
  });
  await check("keys go through the idle stretches of a row", async () => {
    const idle = () => page.eval("tasklensApp.selectedState && [tasklensApp.selectedState.row, tasklensApp.selectedState.startNs]");
    const task = await page.eval("tasklensApp.selectedTask.task");
    await page.eval("tasklensApp.select(null)");
    await page.until("!tasklensApp.selectedTask");
    await page.key("0");
    await page.until("!tasklensApp.timeline.gliding && tasklensApp.timeline.view.from <= tasklensApp.timeline.home.from");
    await page.until("tasklensApp.timeline.data.answer.fromNs <= tasklensApp.timeline.home.from");
    await page.key("e");
    await page.until("tasklensApp.selectedState");
    equal(await page.eval("tasklensApp.timeline.data.texts.rows[tasklensApp.selectedState.row].kind"), "worker", "what is idle");
    // A worker with several tasks: what lies between two of them is one stretch, whatever states it is in meanwhile.
    await page.eval("tasklensApp.select({ row: tasklensApp.timeline.texts.rows.findIndex(({ name }) => name === 'CPU1') })");
    await page.until("tasklensApp.selectedRow");
    await page.key("e");
    await page.until("tasklensApp.selectedState");
    const [row, first] = await idle(), { endNs } = await page.eval("tasklensApp.selectedState");
    const after = await page.eval(`tasklensApp.timeline.data.nextTask(${row}, ${endNs} - 1, 1, () => true).then((task) => tasklensApp.host.request("tasklens/task", { task }))`);
    equal(after.startNs, endNs, "where the stretch ends, a task begins");
    equal(await page.eval("document.querySelector('.panel h2').textContent"), "Without a task", "what it is");
    holds((await page.eval("document.querySelector('.panel .body').textContent")).includes('tasklens why TRACE --worker "CPU1" --at '), "the page says who knows why");
    holds(await page.eval("tasklensApp.timeline.view.from >= 0"), "the view is within the run");
    await page.key("e");
    await page.until(`tasklensApp.selectedState?.startNs > ${first}`);
    equal((await idle())[0], row, "the row of the next one");
    await shot(page, "idle_key");
    holds(await page.eval(`(() => {
      const name = document.querySelector(".panel dl.fields dt"), { offsetHeight } = name;
      name.textContent = "PushingOutput"; // the longest of StarPU's states
      return name.offsetHeight === offsetHeight;
    })()`), "a state's name stays in one line");
    await page.key("E");
    await page.until(`tasklensApp.selectedState?.startNs === ${first}`);
    await page.eval(`tasklensApp.select({ task: ${task} })`);
    await page.until("tasklensApp.selectedTask");
  });
  await check("search finds jobs, lines and data", async () => {
    const count = (text) => page.eval(`tasklensApp.host.request("tasklens/search", { text: ${JSON.stringify(text)} }).then(({ count }) => count)`);
    equal(await count("cholesky.c:102"), 20, "tasks of gemm's line");
    holds((await count(String(await page.eval("tasklensApp.selectedTask.job")))) >= 1, "a job is found");
    const address = await page.eval("tasklensApp.selectedTask.data[0].address");
    holds((await count(address)) >= 1, "data is found by its address");
    equal(await count("no such thing"), 0, "tasks of nothing");
  });
  await check("search says how many it found, how many it shows, and among how many it looked", async () => {
    const answers = "tasklensApp.host.answers";
    const note = async (text, wanted) => {
      await page.eval(`tasklensApp.search.ask(${JSON.stringify(text)})`);
      await page.until(`document.querySelector('.hits .note').textContent === ${JSON.stringify(wanted)}`);
    };
    const found = await page.eval(`${answers}.tasks.search("demo").count`);
    holds(found > 30, "more tasks than the list shows");
    await note("demo", `30 of ${found} tasks; add to the search to see fewer.`);
    equal(await page.eval("document.querySelectorAll('.hit').length"), 30, "hits");
    await note("cholesky.c:102", "20 tasks.");
    await note("no such thing", "Nothing was found.");
    // As of a run of which the page keeps a part.
    await page.eval(`kept = ${answers}.header.kept, all = kept.tasksTotal, kept.tasksTotal = 1234567, 0`);
    const tasks = await page.eval("kept.tasks");
    await note("cholesky.c:102 ", `20 tasks; searched were the ${tasks} of 1,234,567 tasks that this page keeps one by one.`);
    await note("no such thing ", `Nothing was found; searched were the ${tasks} of 1,234,567 tasks that this page keeps one by one.`);
    await page.eval("kept.tasksTotal = all, tasklensApp.search.close(), 0");
  });
  await check("menus open, are used and close with keys alone", async () => {
    const summary = (name) => `[...document.querySelectorAll("summary")].find((one) => one.textContent === "${name}")`;
    const isOpen = (name) => `${summary(name)}.parentNode.open`;
    await page.eval(`${summary("Show")}.focus()`);
    await page.key("Enter");
    await page.until(isOpen("Show"));
    await page.key("Tab");
    await page.key("Space");
    await page.until("tasklensApp.store.state.extras.length === 1");
    await page.key("Space");
    await page.until("tasklensApp.store.state.extras.length === 0");
    await page.key("Escape");
    equal(await page.eval(`[${isOpen("Show")}, document.activeElement === ${summary("Show")}]`), [false, true], "open, and where the focus is");
    await page.key("Tab");
    await page.key("Enter");
    await page.until(isOpen("Export"));
    const files = await page.eval("saved.length");
    await page.key("Tab");
    await page.key("Enter");
    await page.until(`saved.length === ${files + 1} && !${isOpen("Export")}`);
    await page.eval(`${summary("Export")}.click()`);
    await page.click(700, 130);
    await page.until(`!${isOpen("Export")}`);
  });
  await check("everything that can be reached has a name, whatever is shown", async () => {
    const wait = (condition) => page.until(condition);
    for (const [what, show, isThere] of [
      ["a task", "tasklensApp.select({ task: 30 })", "tasklensApp.selectedTask?.task === 30 && document.querySelector('.panel h2')"],
      ["a line", "tasklensApp.select({ site: tasklensApp.overview.costs[0].site })", "tasklensApp.selected?.kind === 'site' && !tasklensApp.walk.element.hidden"],
      ["findings", "tasklensApp.showPanel('findings')", "document.querySelector('.panel .finding')"],
      ["the table", "tasklensApp.showTable('codelet')", "document.querySelector('tbody tr')"],
      ["menus", "document.querySelectorAll('details').forEach((one) => (one.open = true))", "document.querySelector('details[open]')"],
      ["the search", "document.querySelectorAll('details').forEach((one) => (one.open = false)), tasklensApp.search.ask('potrf')", "document.querySelectorAll('.hit').length > 1"],
      ["the help", "tasklensApp.search.close(), tasklensApp.help.showModal()", "tasklensApp.help.open"],
      ["nothing", "tasklensApp.help.close(), tasklensApp.select(null), tasklensApp.store.set({ pane: 'graph', tab: 'selection' })", "!tasklensApp.help.open"]]) {
      await page.eval(`void (${show})`);
      await wait(isThere);
      const { nodes } = await page.send("Accessibility.getFullAXTree");
      const bad = nodes.filter((node) => !node.ignored && node.properties?.some(({ name, value }) => name === "focusable" && value.value) &&
        !["RootWebArea", "generic"].includes(node.role.value) && !node.name?.value);
      equal(bad.map((node) => node.role.value), [], `without a name, with ${what}`);
    }
  });
  await check("a group has the colour of its codelet, and none where there are several", async () => {
    const colors = (group) => page.eval(`(async () => {
      tasklensApp.store.set({ graph: { group: ${JSON.stringify(group)}, open: [] } });
      while (tasklensApp.graph.answer.group.join() !== "${group}") await new Promise(requestAnimationFrame);
      const { graph, colors, theme } = tasklensApp, { label, tasks, codelet } = graph.answer.nodes;
      return label.map((name, i) => ({ name, tasks: tasks[i], is: graph.colorOf(i), of: colors.of(codelet[i]), none: theme.mixed }));
    })()`);
    const codelets = (await colors(["codelet"])).filter(({ tasks }) => tasks > 1);
    holds(codelets.length > 3 && codelets.every((one) => one.is === one.of), "codelets have their colours");
    const iterations = (await colors(["iteration", "codelet"])).filter(({ tasks }) => tasks > 1);
    holds(iterations.length > 2 && iterations.every((one) => one.is === one.none), "iterations of several codelets have none");
    await page.eval("tasklensApp.store.set({ graph: { group: [], open: null } })");
  });
  await check("arrows, pushes and curves of workers are in the report, too", async () => {
    await page.eval("tasklensApp.timeline.goHome(), tasklensApp.store.set({ extras: ['dependency', 'steal', 'pushes', 'curves'] })");
    await page.until("tasklensApp.timeline.data.answer.arrows?.kind.length > 20 && tasklensApp.timeline.data.answer.flags");
    const { kinds, kind, count } = await page.eval("tasklensApp.timeline.data.answer.arrows");
    equal(kind.reduce((sum, one, i) => sum + (kinds[one] === "steal" ? count[i] : 0), 0), 5, "steals");
    equal(await page.eval("tasklensApp.timeline.data.answer.flags.row.length"), 112, "pushes and pops of the run");
    await page.until("tasklensApp.timeline.layout.counters.filter(({ counter }) => tasklensApp.timeline.data.texts.rows[counter.row].kind === 'worker').length === 4");
    const marks = "[...document.querySelectorAll('.legend.states span')].slice(6).map((one) => [one.textContent, getComputedStyle(one.querySelector('b')).color])";
    const said = await page.eval(marks);
    equal(said.map(([label]) => label), ["→ steals", "→ dependencies", "⚑ pushes and pops"], "what the legend says of them");
    await page.eval("tasklensApp.toggleCritical()");
    await page.until(`${marks}.length === 4 && tasklensApp.isOnPath`);
    const path = (await page.eval(marks)).at(-1);
    holds(path[0] === "▭ critical path" && said.every(([, color]) => color !== path[1]), `the critical path has a colour of its own: ${path}`);
    await page.eval("tasklensApp.toggleCritical()");
    await page.until("!tasklensApp.isOnPath");
    await shot(page, "extras");
    // A quarter of the way along each arrow, in rows and in the gaps between them.
    const places = await page.eval(`(() => {
      const { timeline } = tasklensApp, { arrows, fromNs } = timeline.data.answer, box = timeline.surface.canvas.getBoundingClientRect();
      const middle = new Map(timeline.layout.places.map(({ row, y, height }) => [row, y + height / 2 - timeline.scroll]));
      return [...arrows.kind.keys()].map((i) => { const at = (a, b) => a + (b - a) / 4;
        return { x: box.left + at(timeline.xOf(fromNs + arrows.from[i]), timeline.xOf(fromNs + arrows.to[i])), y: box.top + at(middle.get(arrows.fromRow[i]), middle.get(arrows.toRow[i])) }; });
    })()`);
    for (const { x, y } of places.slice(0, 20)) {
      await page.move(x, y);
      const tip = await page.eval(text(".tip"));
      holds(/(dependency|steal)(, the longest of \d+ that begin here)?: from CPU\d at .* to CPU\d at |taken|ready/.test(tip), `an arrow's tip: ${tip}`);
    }
    await page.eval("tasklensApp.store.set({ extras: [] })");
    await page.until("!tasklensApp.timeline.data.answer.arrows && !tasklensApp.timeline.data.answer.flags");
  });
  await check("the pointer reads all curves at once", async () => {
    const box = await page.eval("(({ left, top, width, height }) => ({ left, top, width, height }))(tasklensApp.timeline.surface.canvas.getBoundingClientRect())");
    await page.move(box.left + box.width * 0.4, box.top + 60);
    await page.until("tasklensApp.timeline.pointer");
    const values = await page.eval("(() => { const { timeline } = tasklensApp, scene = timeline.scene(timeline.surface.width, timeline.surface.height); return timeline.data.counters.map(scene.valueOf); })()");
    equal(values[0], "25", "submitted tasks");
    equal(values.length, 3, "curves");
    await shot(page, "cursor");
  });
  await check("every place of both pictures has an answer under the pointer", async () => {
    for (const view of ["timeline", "graph", "minimap"]) {
      const box = await page.eval(`(({ left, top, width, height }) => ({ left, top, width, height }))(tasklensApp.${view}.surface.canvas.getBoundingClientRect())`);
      // From corner to corner, margins and axis included.
      for (let i = 0; i <= 15; ++i)
        for (let j = 0; j <= 9; ++j) {
          const x = box.left + 1 + ((box.width - 2) * i) / 15, y = box.top + 1 + ((box.height - 2) * j) / 9;
          await page.move(x, y);
          const { text, isCanvas } = await page.eval(`({ text: document.querySelector(".tip").hidden ? "" : document.querySelector(".tip").textContent,
            isCanvas: document.elementFromPoint(${x}, ${y}) === tasklensApp.${view}.surface.canvas })`);
          holds(text || !isCanvas, `the ${view} at ${i}/15, ${j}/9 says something`);
        }
    }
  });
  await check("dark follows the system, and the key changes it", async () => {
    const dark = await browser.open(address, { dark: true });
    await dark.until(READY);
    const color = "getComputedStyle(document.body).backgroundColor";
    equal(await dark.eval("document.documentElement.dataset.theme"), "dark", "the theme");
    holds((await dark.eval(color)) !== (await page.eval(color)), "the page is darker");
    await shot(dark, "dark");
    await dark.key("t");
    await dark.until("document.documentElement.dataset.theme === 'light'");
    equal(dark.problems, [], "complaints");
    await dark.close();
  });
  await check("where scripts are switched off the page says so", async () => {
    const plain = await browser.chromium.newContext({ javaScriptEnabled: false });
    const one = await plain.newPage();
    await one.goto(address);
    holds((await one.locator("body").innerText()).includes("scripts are switched off"), "it says so");
    await plain.close();
  });
  await check("of a run without tasks the overview says so, and no efficiency", async () => {
    await page.eval("whole = tasklensApp.overview, tasklensApp.overview = { ...whole, tasks: 0, ran: 0, costs: [], sites: 0, criticalPath: { count: 0, workNs: 0, waitNs: 0 } }, tasklensApp.overviewView.load()");
    const overview = await page.eval(text(".overview"));
    holds(overview.includes("No task ran.") && overview.includes("No task was submitted.") && !overview.includes("efficiency") && !overview.includes("Critical path"), overview);
    await page.eval("tasklensApp.store.set({ critical: false }), tasklensApp.toggleCritical()");
    equal(await page.eval("tasklensApp.message.textContent"), "No task ran, so there is no critical path.", "the message");
    equal(await page.eval("tasklensApp.store.state.critical"), false, "whether a path is marked");
    await page.eval("tasklensApp.overview = whole, tasklensApp.overviewView.load()");
  });
  await check("a narrow page has all of it, one below the other", async () => {
    for (const width of [480, 400, 320]) {
      const narrow = await browser.open(address, { width, height: 900, dark: width === 400 });
      await narrow.until(READY);
      holds(await narrow.eval(`document.documentElement.scrollWidth <= ${width}`), `nothing is cut at the right of ${width} pixels`);
      await shot(narrow, `narrow_${width}`);
      await narrow.close();
    }
  });
  await check("timeline, graph and what lies between them stay in reach, whatever becomes of the window", async () => {
    const one = await browser.open(address, { width: 1400, height: 1000 });
    await one.until(READY);
    const splitter = () => one.eval("(({ left, top }) => ({ x: left + 200, y: top + 3 }))(document.querySelector('.splitter').getBoundingClientRect())");
    const { x, y } = await splitter();
    await one.drag(x, y, x, 995);
    // The address follows a drag with some delay.
    await one.until("location.hash.includes('split=' + Number(tasklensApp.store.state.split.toFixed(3)))");
    const split = await one.eval("tasklensApp.store.state.split");
    for (const height of [1000, 780, 620]) {
      await one.page.setViewportSize({ width: 1400, height });
      await one.until(`innerHeight === ${height}`);
      const [pane, main] = await one.eval("['.pane', '.main'].map((name) => document.querySelector(name).getBoundingClientRect()).map(({ height, bottom }) => ({ height, bottom }))");
      holds(pane.height >= 100 && pane.bottom <= main.bottom + 1, `the graph at ${height}: ${JSON.stringify(pane)} in ${JSON.stringify(main)}`);
    }
    await one.page.setViewportSize({ width: 1400, height: 1000 });
    const before = await splitter();
    await one.page.reload();
    await one.until(READY);
    equal([await one.eval("tasklensApp.store.state.split"), await splitter()], [Number(split.toFixed(3)), before], "its place in the page that is loaded again");
    await one.close();
  });
  await check("on low and narrow screens lines are whole, and the keys begin at their begin", async () => {
    for (const [width, height] of [[1280, 720], [1000, 600], [700, 600], [400, 600]]) {
      const one = await browser.open(`${address}#task=20`, { width, height });
      await one.until(`${READY} && document.querySelector(".steps")`);
      const [lines, shown] = await one.eval(`(() => {
        const text = document.querySelector(".card .finding .text"), line = parseFloat(getComputedStyle(text).lineHeight);
        return [text.clientHeight / line, Number(getComputedStyle(text).webkitLineClamp)];
      })()`);
      holds(lines <= shown + 0.05, `${lines} lines of a finding where ${shown} are shown, ${width} x ${height}`);
      equal(await one.eval(`[...document.querySelectorAll(".steps b, .steps .detail")].filter((one) => one.getClientRects().length > 1 || one.getBoundingClientRect().height > 24).length`), 0, `times in two lines, ${width} x ${height}`);
      await one.key("?");
      const [top, cut] = await one.eval("(({ scrollTop, scrollWidth, clientWidth }) => [scrollTop, scrollWidth - clientWidth])(document.querySelector('dialog.help'))");
      equal([top, cut], [0, 0], `what is above and at the right of the keys, ${width} x ${height}`);
      await shot(one, `keys_${width}`);
      await one.close();
    }
  });
  await check("the wheel over the names of rows moves the page where no row is left", async () => {
    const one = await browser.open(address, { width: 700, height: 500 });
    await one.until(READY);
    await one.eval("document.querySelector('.main > .canvas').scrollIntoView({ block: 'center' })");
    const [x, y, before] = await one.eval("(({ left, top }) => [left + 40, top + 60, scrollY])(tasklensApp.timeline.surface.canvas.getBoundingClientRect())");
    holds(await one.eval("tasklensApp.timeline.scrollMost < 1"), "all rows are in sight");
    await one.wheel(x, y, -100);
    await one.until(`scrollY < ${before}`);
    await one.close();
  });
  await check("the colours of states are seen whole beside any number of codelets, and the timeline has room", async () => {
    const legend = report(tasklens, stencil, "legend", []);
    for (const [width, height] of [[1400, 900], [1100, 800], [900, 700], [480, 900]]) {
      const one = await browser.open(`${legend}#show=internal&colour=${width === 1100 ? "duration" : "codelet"}`, { width, height });
      await one.until(`${READY} && document.querySelectorAll(".colours .names span").length >= 3`);
      const cut = await one.eval(`(() => {
        const main = document.querySelector(".main").getBoundingClientRect(), names = document.querySelector(".colours .names").getBoundingClientRect();
        const isIn = (box) => box.left >= main.left && box.right <= main.right;
        return [...document.querySelectorAll(".colours .states span")].filter((span) => !isIn(span.getBoundingClientRect())).map((span) => span.textContent)
          .concat([...document.querySelectorAll(".colours .names span")].filter((span) => span.getBoundingClientRect().right > names.right).map((span) => span.textContent));
      })()`);
      equal(cut, [], `cut at ${width} pixels`);
      holds(await one.eval("tasklensApp.timeline.surface.height > 140"), `the timeline at ${width} x ${height}`);
      await shot(one, `legend_${width}`);
      await one.close();
    }
  });
  await check("the graph begins below what stands above it, however many lines that takes", async () => {
    const narrow = await browser.open(`${report(tasklens, stencil, "above", [])}#focus=task:1000,depth:3`, { width: 420, height: 900 });
    await narrow.until(`${READY} && tasklensApp.graph.layout && tasklensApp.graph.surface.width && document.querySelector(".overlay .caption").textContent`);
    const { top, bottom } = await narrow.eval("({ top: tasklensApp.graph.camera.y, bottom: tasklensApp.graph.tools.element.getBoundingClientRect().bottom - tasklensApp.graph.surface.canvas.getBoundingClientRect().top })");
    holds(bottom > 40 && top >= bottom, `the graph begins at ${top}, what stands above it ends at ${bottom}`);
    await shot(narrow, "above");
    await narrow.close();
  });
  await check("a group opens where it is, and closes", async () => {
    const large = await browser.open(report(tasklens, stencil, "stencil", ["--source-root", sources]));
    await large.until(`${READY} && tasklensApp.graph.layout && tasklensApp.graph.surface.width`);
    const box = await large.eval(`(() => { const { graph } = tasklensApp, i = graph.answer.nodes.canOpen.indexOf(true), at = graph.layout.nodes[i],
      canvas = graph.surface.canvas.getBoundingClientRect();
      return { id: graph.answer.nodes.id[i], x: canvas.left + graph.camera.x + (at.x + at.width / 2) * graph.camera.scale,
               y: canvas.top + graph.camera.y + (at.y + at.height / 2) * graph.camera.scale,
               left: graph.camera.x + at.x * graph.camera.scale }; })()`);
    await large.click(box.x, box.y, 2);
    await large.until("tasklensApp.graph.answer.frames.length === 1");
    const left = await large.eval("tasklensApp.graph.camera.x + tasklensApp.graph.layout.frames[0].x * tasklensApp.graph.camera.scale");
    holds(Math.abs(left - box.left) < 1, `its corner moved from ${box.left} to ${left}`);
    await shot(large, "group_open");
    await large.eval(`tasklensApp.graph.toggle(${JSON.stringify(box.id)})`);
    await large.until("tasklensApp.graph.answer.frames.length === 0");
    equal(large.problems, [], "complaints");
    await large.key("l");
    await large.until("document.querySelectorAll('tbody tr').length > 1");
    await shot(large, "table");
    await large.close();
  });
  const stencils = report(tasklens, stencil, "selection", ["--source-root", sources]), large = await browser.open(stencils);
  await large.until(`${READY} && tasklensApp.graph.layout`);
  await selectionClaims(check, large, { knowsWhy: false });
  await lookingClaims(check, large, { isReport: true });
  await pointingClaims(check, large, { open: (link) => browser.open(`${stencils}#${link}`) });
  await plotClaims(check, large, { isReport: true, tasklens, trace: stencil, open: (link) => browser.open(`${stencils}#${link}`) });
  await stretchClaims(check, large, { isReport: true, open: (link) => browser.open(`${stencils}#${link}`) });
  await check("the selection caused no complaint", async () => equal(large.problems, [], "complaints"));
});
