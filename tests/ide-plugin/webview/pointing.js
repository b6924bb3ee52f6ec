// SPDX-License-Identifier: Apache-2.0
// Claims about pointing, stepping and links, of a page that shows stencil_2k. The same of a report and of a
// page that asks a server.
"use strict";
const { READY, equal, holds } = require("./checks.js");

const MESSAGE = "tasklensApp.message.textContent";
const isShown = "tasklensApp.message.classList.contains('shown')";
const whole = (page) => page.eval("(tasklensApp.store.set({ view: tasklensApp.timeline.home, scroll: 0, selection: null, within: null, pane: 'graph', camera: null, graph: { group: null, open: null, focus: null } }), tasklensApp.graph.loading)");
const settled = "tasklensApp.timeline.data.answer.fromNs <= tasklensApp.timeline.home.from && tasklensApp.timeline.data.answer.toNs >= tasklensApp.timeline.home.to && !tasklensApp.timeline.data.busy";
// That the picture has pixels of some nanoseconds.
const IS_NEAR = "tasklensApp.timeline.pixelNs < 10 && (({ fromNs, toNs, pixels }) => (toNs - fromNs) / pixels < 20)(tasklensApp.timeline.data.answer)";
// The worker that ran most tasks: where its row lies, and its tasks in their order.
const BUSIEST = `(async () => {
  const { timeline, host, overview } = tasklensApp, tasks = new Map();
  const all = await Promise.all(overview.costs.map(({ site }) => host.request("tasklens/site", { site })));
  for (const task of all.flatMap((one) => one.tasks)) {
    const { worker, startNs } = await host.request("tasklens/task", { task });
    if (!tasks.has(worker)) tasks.set(worker, []);
    tasks.get(worker).push([startNs, task]);
  }
  const [worker, list] = [...tasks].sort((a, b) => b[1].length - a[1].length)[0];
  const { row } = overview.workerRows.find(({ name, label }) => name === worker || label === worker);
  return { row, tasks: list.sort((a, b) => a[0] - b[0]).map(([, task]) => task) };
})()`;
const placeOf = (row) => `(() => {
  const { timeline } = tasklensApp, box = timeline.surface.canvas.getBoundingClientRect(), { y, height } = timeline.layout.places.find((one) => one.row === ${row});
  return { left: box.left + timeline.gutter, right: box.right, top: box.top + y - timeline.scroll, height };
})()`;

// `open(link)`: the page anew, with a link.
exports.pointingClaims = async (check, page, { open }) => {
  await page.toFront();
  await check("a page that is opened with any selection shows the graph, and complains about nothing", async () => {
    for (const link of ["task=1000", "site=0", "row=4&atNs=46899999", "row=4&atNs=46899999&depth=0", "critical", "task=99999999", "site=99999999"]) {
      const one = await open(link);
      await one.until(`${READY} && tasklensApp.graph.layout && tasklensApp.collected === null`);
      equal(one.problems, [], `complaints about ${link}`);
      holds(await one.eval("tasklensApp.graph.answer.nodes.id.length > 1"), `the graph of ${link}`);
      if (link === "task=99999999") holds(/has no task 99999999|there is no task 99999999/.test(await one.eval(MESSAGE)), await one.eval(MESSAGE));
      if (link === "critical") equal(await one.eval(isShown), false, "a message that nobody asked for");
      await one.close();
    }
    await page.toFront();
  });
  const { row, tasks } = await page.eval(BUSIEST);
  await check("a click takes what is painted under the pointer, as the tip names it", async () => {
    await whole(page);
    await page.until(settled);
    const { left, right, top, height } = await page.eval(placeOf(row)), clicks = 25, kinds = { task: 0, state: 0 };
    // Where tasks are, in the upper part of the row and in the lower one, which has what was pushed onto them.
    for (const y of [top + 4, top + height - 2])
      for (let i = 0; i < clicks; ++i) {
        const x = Math.round(left + ((i + 0.5) * (right - left)) / clicks);
        await page.move(x, y);
        // Of a pixel that several states share the tip says what it is made of, and names the longest task.
        const tip = await page.eval("document.querySelector('.tip').innerText"), isShared = /^(about )?[\d,]+ states? in /.test(tip), task = await page.eval(`tasklensApp.timeline.hover.task ?? -1`);
        const under = await page.eval(`(() => {
          const { timeline } = tasklensApp, time = timeline.timeAt(${x} - timeline.surface.canvas.getBoundingClientRect().left), { answer } = timeline.data;
          const layer = answer.rows.find((one) => one.row === ${row}).layers[0], i = layer.start.findIndex((start, k) => start + answer.fromNs <= time && layer.end[k] + answer.fromNs > time);
          return i < 0 ? -1 : layer.task[i];
        })()`);
        if (y === top + 4 && under >= 0) equal(task, under, `the task at ${x}`);
        await page.eval("tasklensApp.select(null)");
        await page.click(x, y);
        await page.until("tasklensApp.selected");
        const title = await page.eval("document.querySelector('.panel h2').title"), lines = tip.split("\n");
        if (isShared) holds(tip.includes(title) && lines.some((line) => / %, [\d.]+ [mµn]?s$/.test(line)), `what is selected at ${x}, ${y}, ${title}, is in ${tip}`);
        else equal(title, lines[0], `what is selected at ${x}, ${y}`);
        ++kinds[task >= 0 ? "task" : "state"];
      }
    holds(kinds.task >= 5 && kinds.state >= 5, `both were met: ${JSON.stringify(kinds)}`);
  });
  await check("a tip tells how long a state is in all, however much of it is in sight", async () => {
    await whole(page);
    await page.until(settled);
    const { left, right, top } = await page.eval(placeOf(row)), y = top + 4, clicks = 12, told = { task: 0, state: 0 };
    for (let i = 0; i < clicks; ++i) {
      const x = Math.round(left + ((i + 0.5) * (right - left)) / clicks);
      await whole(page);
      await page.until(settled);
      // To where a pixel is some nanoseconds, so that whatever lies there is longer than the view.
      await page.eval(`tasklensApp.timeline.zoom(1e-5, ${x} - tasklensApp.timeline.surface.canvas.getBoundingClientRect().left)`);
      await page.until(`!tasklensApp.timeline.gliding && !tasklensApp.timeline.data.busy && ${IS_NEAR}`);
      await page.drawn();
      await page.move(x, y);
      const tip = await page.eval("document.querySelector('.tip').innerText"), hit = await page.eval("tasklensApp.timeline.hover");
      if (hit.empty) continue;
      const isTask = hit.task >= 0, { startNs, endNs } = isTask ? await page.eval(`tasklensApp.host.request("tasklens/task", { task: ${hit.task} })`)
                                                                : await page.eval(`tasklensApp.timeline.data.stateAt({ row: ${row}, atNs: ${Math.floor((hit.startNs + hit.endNs) / 2)}, depth: ${hit.depth} })`);
      equal([hit.startNs, hit.endNs], [startNs, endNs], `what lies at ${x}: ${tip}`);
      holds(endNs - startNs > 1000, `it is longer than the view: ${tip}`);
      ++told[isTask ? "task" : "state"];
    }
    holds(told.task >= 1 && told.state >= 1, `both were met: ${JSON.stringify(told)}`);
  });
  await check("a tip says what lies beneath a pointer that rests, also after the view has moved", async () => {
    await whole(page);
    await page.until(settled);
    const { left, right, top, height } = await page.eval(placeOf(row)), x = Math.round((left + right) / 2), y = Math.round(top + height / 2);
    await page.move(x, y);
    await page.drawn();
    for (const move of ["timeline.zoom(1 / 300)", "timeline.pan(0.35)", "timeline.zoom(40)", "timeline.goHome()"]) {
      await page.eval(`tasklensApp.${move}`);
      await page.drawn();
      await page.until("!tasklensApp.timeline.gliding && !tasklensApp.timeline.data.busy");
      await page.drawn();
      const said = await page.eval("document.querySelector('.tip').innerText");
      await page.move(x, y - 1);
      await page.move(x, y);
      await page.drawn();
      equal(said, await page.eval("document.querySelector('.tip').innerText"), `the tip after ${move}`);
    }
  });
  await check("n and p go from task to task of a row, whatever is in sight", async () => {
    const from = 3, far = Math.min(40, tasks.length - 1);
    await page.eval(`tasklensApp.select({ task: ${tasks[from]} })`);
    await page.until(`tasklensApp.selectedTask?.task === ${tasks[from]}`);
    await page.eval("tasklensApp.timeline.show(tasklensApp.timeline.home.from, tasklensApp.timeline.home.to)");
    for (let i = from + 1; i <= far; ++i) {
      await page.key("n");
      await page.until(`tasklensApp.selectedTask?.task !== ${tasks[i - 1]}`);
      equal(await page.eval("tasklensApp.selectedTask.task"), tasks[i], `task ${i} of the row`);
    }
    for (let i = far - 1; i >= 0; --i) await page.key("p");
    await page.until(`tasklensApp.selectedTask?.task === ${tasks[0]}`);
    await page.key("p");
    await page.until(`${MESSAGE} === "There is no earlier task on this row."`);
    await page.eval(`tasklensApp.select({ task: ${tasks.at(-1)} })`);
    await page.until(`tasklensApp.selectedTask?.task === ${tasks.at(-1)}`);
    // Past those of lines that the overview does not list, each key when the one before was answered.
    const isLast = `${MESSAGE} === "There is no later task on this row."`;
    for (let is = false; !is; is = await page.eval(isLast)) {
      const before = await page.eval("tasklensApp.selectedTask.task");
      await page.key("n");
      await page.until(`${isLast} || (tasklensApp.selectedTask && tasklensApp.selectedTask.task !== ${before})`);
    }
  });
  await check("e and E go to idle stretches beyond what is in sight, and back", async () => {
    await page.eval(`tasklensApp.select({ task: ${tasks[0]} })`);
    await page.until(`tasklensApp.selectedTask?.task === ${tasks[0]}`);
    await page.key("E");
    await page.until("tasklensApp.selectedState");
    const { startNs, endNs } = await page.eval("tasklensApp.selectedState");
    await page.eval(`tasklensApp.timeline.show(${endNs} - 10, ${endNs} + 10)`);
    await page.key("e");
    await page.until(`tasklensApp.selectedState?.startNs > ${startNs}`);
    await page.key("E");
    await page.until(`tasklensApp.selectedState?.startNs === ${startNs}`);
  });
  await check("tips tell moments as finely as pixels are", async () => {
    const { startNs } = await page.eval(`tasklensApp.host.request("tasklens/task", { task: ${tasks[20]} })`);
    await page.eval(`tasklensApp.timeline.show(${startNs} - 4000, ${startNs} + 4000)`);
    await page.until("!tasklensApp.timeline.data.busy && tasklensApp.timeline.data.answer.toNs - tasklensApp.timeline.data.answer.fromNs < 1e5");
    const { left, right, top, height } = await page.eval(placeOf(row)), axis = await page.eval("tasklensApp.timeline.surface.canvas.getBoundingClientRect().top + 8");
    const curve = await page.eval("tasklensApp.timeline.surface.canvas.getBoundingClientRect().top + tasklensApp.timeline.layout.counters[0].y + 10 - tasklensApp.timeline.scroll");
    const tip = async (x, y) => (await page.move(x, y), page.eval("document.querySelector('.tip').textContent"));
    for (const y of [axis, curve]) {
      const [one, other] = [await tip((left + right) / 2, y), await tip((left + right) / 2 + 8, y)].map((text) => /-?\d+\.\d+ (ns|µs|ms|s)/.exec(text)?.[0]);
      holds(one && other && one !== other, `${one} and, eight pixels later, ${other}`);
    }
    const said = await tip((left + right) / 2 + 4, top + height / 2), [, from, unit] = /, from (-?[\d.]+) (ns|µs|ms|s)/.exec(said) ?? [];
    const zeroNs = await page.eval("tasklensApp.overview.zeroNs"), { endNs } = await page.eval(`tasklensApp.host.request("tasklens/task", { task: ${tasks[20]} })`);
    holds(Math.abs(from * { ns: 1, "µs": 1e3, ms: 1e6, s: 1e9 }[unit] + zeroNs - startNs) <= (endNs - startNs) / 100, `${said} is about ${startNs - zeroNs} ns after the first submission`);
    await whole(page);
  });
  await check("where no path leads from one task to another the graph stays, and it is said", async () => {
    await whole(page);
    const nodes = await page.eval("tasklensApp.graph.answer.nodes.id");
    const [one, other] = await page.eval(`(async () => {
      const { tasks } = await tasklensApp.host.request("tasklens/site", { site: tasklensApp.overview.costs[0].site });
      for (const to of tasks.slice(1)) if (!(await tasklensApp.host.request("tasklens/graph", { task: tasks[0], to })).nodes.task.length) return [tasks[0], to];
    })()`);
    await page.eval(`tasklensApp.select({ task: ${one} })`);
    await page.until(`tasklensApp.selectedTask?.task === ${one}`);
    await page.key("v");
    await page.until(`${isShown} && ${MESSAGE}.startsWith("Select another task")`);
    await page.eval(`tasklensApp.select({ task: ${other} })`);
    await page.until(`${isShown} && ${MESSAGE}.startsWith("No path of dependencies leads from ")`);
    equal([await page.eval("tasklensApp.graph.answer.nodes.id"), await page.eval("tasklensApp.graph.wish.focus")], [nodes, null], "the graph");
  });
  await check("a message goes with the next press, and that of the critical path comes for who asks", async () => {
    await page.key("c");
    await page.until(`${isShown} && ${MESSAGE}.startsWith("Critical path of this run: ")`);
    const { left, top } = await page.eval("(({ left, top }) => ({ left, top }))(document.querySelector('.overview').getBoundingClientRect())");
    await page.click(left + 2, top + 2);
    equal(await page.eval(isShown), false, "whether it is there");
    await page.eval("tasklensApp.store.undo()");
    await page.until("!tasklensApp.pathMarks");
    await page.eval("tasklensApp.store.redo()");
    await page.until("tasklensApp.pathMarks");
    equal(await page.eval(isShown), false, "a message of what was done again");
    await page.key("c");
    await page.until("!tasklensApp.pathMarks");
  });
  await check("back and forward can be pressed where there is something to go to", async () => {
    const one = await open("");
    await one.until(READY);
    const states = () => one.eval("['Back', 'Forward'].map((label) => document.querySelector(`[aria-label=${label}]`).disabled)");
    equal(await states(), [true, true], "at first");
    await one.eval("tasklensApp.showPanel('findings')");
    equal(await states(), [false, true], "after a step");
    await one.eval("document.querySelector('[aria-label=Back]').click()");
    equal(await states(), [true, false], "back again");
    await one.close();
    await page.toFront();
  });
};
