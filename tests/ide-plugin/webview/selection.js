// SPDX-License-Identifier: Apache-2.0
// Claims about the one selection of all views, of a page that shows stencil_2k: more tasks than a
// graph shows one by one. The same of a report and of a page that asks a server.
"use strict";
const { equal, holds, shot } = require("./checks.js");

const select = (page, selection) => page.eval(`tasklensApp.select(${JSON.stringify(selection)})`);
const groupBy = async (page, group, open = []) => {
  await page.eval(`tasklensApp.store.set({ graph: { group: ${JSON.stringify(group)}, open: ${JSON.stringify(open)} } })`);
  await page.until(`tasklensApp.graph.answer.group.join() === "${group.join()}" && tasklensApp.graph.answer.frames.length === ${open.length}`);
  await page.eval("tasklensApp.graph.fit()");
};

// The middle of the longest stretch in which the worker was in no task, and where that is on the screen.
const IDLE = `(() => {
  const { timeline } = tasklensApp, { answer, texts } = timeline.data, box = timeline.surface.canvas.getBoundingClientRect();
  const row = texts.rows.findIndex(({ kind }) => kind === "worker");
  const layer = answer.rows.find((one) => one.row === row).layers[0];
  let best = -1;
  layer.start.forEach((start, i) => {
    const isIn = answer.fromNs + start >= timeline.view.from && answer.fromNs + layer.end[i] <= timeline.view.to;
    if (isIn && layer.task[i] < 0 && layer.count[i] === 1 && (best < 0 || layer.end[i] - start > layer.end[best] - layer.start[best])) best = i;
  });
  const place = timeline.layout.places.find((one) => one.row === row);
  const startNs = answer.fromNs + layer.start[best], endNs = answer.fromNs + layer.end[best];
  return { row, worker: texts.rows[row].worker, name: texts.rows[row].name, pixelNs: (answer.toNs - answer.fromNs) / answer.pixels, state: texts.states[layer.state[best]], startNs, endNs,
           x: Math.round(box.left + timeline.xOf((startNs + endNs) / 2)), y: box.top + place.y - timeline.scroll + place.height - 1 };
})()`;

// `knowsWhy`: whether the page has someone to ask why a worker was idle.
exports.selectionClaims = async (check, page, { knowsWhy }) => {
  await check("the closed group that holds the selected task is marked, and shown opened on demand", async () => {
    await page.toFront();
    for (const group of [["codelet"], ["iteration", "codelet"]]) {
      await groupBy(page, group);
      await select(page, { task: 1000 });
      await page.until("tasklensApp.selectedTask?.task === 1000 && tasklensApp.graph.holder() !== null");
      const holder = await page.eval("tasklensApp.graph.nodeAt(tasklensApp.graph.holder())");
      holds(holder.tasks > 1 && holder.startNs <= await page.eval("tasklensApp.selectedTask.startNs"), "it is a group around the task");
      if (group.join() === "codelet") equal(holder.codelet, await page.eval("tasklensApp.selectedTask.name"), "the group's codelet");
      equal(await page.eval("tasklensApp.graph.chosen()"), null, "the node that is selected itself");
      await shot(page, `holder_${group.length}`);
      await page.eval("[...document.querySelectorAll('.panel button')].find((one) => one.textContent === 'Show in graph').click()");
      await page.until("tasklensApp.graph.chosen() !== null");
      equal(await page.eval("tasklensApp.graph.answer.nodes.task[tasklensApp.graph.chosen()]"), 1000, "the marked node");
      equal(await page.eval("tasklensApp.graph.answer.frames.map(({ id }) => id)"),
        (await page.eval(`tasklensApp.host.request("tasklens/group", { group: ${JSON.stringify(group)}, task: 1000 })`)).groups, "what was opened");
      equal(await page.eval("tasklensApp.graph.answer.frames[0].id"), holder.id, "the outermost of them");
      await page.until(`(({ camera, layout, surface }, i) => Math.abs(camera.x + (layout.nodes[i].x + layout.nodes[i].width / 2) * camera.scale - surface.width / 2) < 1)(tasklensApp.graph, tasklensApp.graph.chosen())`);
      await shot(page, `revealed_${group.length}`);
    }
  });
  await check("a state that is no task can be selected, and says why the worker was idle where that is known", async () => {
    await page.eval("tasklensApp.timeline.show(tasklensApp.timeline.home.from, tasklensApp.timeline.home.to)");
    await page.until("tasklensApp.timeline.data.answer.toNs >= tasklensApp.timeline.home.to && !tasklensApp.timeline.data.busy");
    const idle = await page.eval(IDLE);
    await page.click(idle.x, idle.y);
    await page.until("tasklensApp.selectedState && document.querySelector('.panel h2')");
    const { row, state, startNs, endNs } = await page.eval("tasklensApp.selectedState");
    equal([row, state], [idle.row, idle.state], "the state");
    // The picture is as fine as its pixels, the panel is exact: what lies a nanosecond beyond is another state.
    const { pixelNs } = idle;
    holds(Math.abs(startNs - idle.startNs) <= pixelNs && Math.abs(endNs - idle.endNs) <= pixelNs, `${startNs} to ${endNs} is ${idle.startNs} to ${idle.endNs}`);
    const at = (ns) => page.eval(`tasklensApp.host.request("tasklens/timeline", { fromNs: ${ns}, toNs: ${ns + 1}, rows: [${row}], pixels: 1 })
      .then(({ rows, texts }) => { const { layers } = rows.find((one) => one.row === ${row}); return layers[0].state.map((state) => texts.states[state]).join(); })`);
    equal([await at(startNs), await at(endNs - 1)], [state, state], "its first and last nanosecond");
    holds((await at(startNs - 1)) !== state && (await at(endNs)) !== state, "beyond it is another state");
    equal(await page.eval("document.querySelector('.panel h2').textContent"), idle.state, "the title");
    const fields = await page.eval("Object.fromEntries([...document.querySelectorAll('.panel dl.fields:not(.causes) dt')].map((one) => [one.textContent, one.nextSibling.textContent]))");
    equal([Object.keys(fields), fields.Row], [["Row", "From", "To", "Duration"], idle.name], "the fields");
    const causes = await page.eval("[...document.querySelectorAll('.panel .causes dd')].map((one) => parseFloat(one.textContent))");
    holds(knowsWhy ? Math.abs(causes.reduce((sum, one) => sum + one, 0) - 100) < 2 : causes.length === 0, `shares of the causes: ${causes}`);
    await shot(page, "idle");
    await page.until("location.hash.includes(`row=${tasklensApp.selectedState.row}`)");
    if (knowsWhy) {
      const { pause } = await page.eval(`tasklensApp.host.request("tasklens/why", { worker: ${idle.worker}, atNs: ${Math.floor((startNs + endNs) / 2)} })`);
      await page.eval("document.querySelector('.panel .causes ~ .list .link').click()");
      await page.until(`tasklensApp.selectedTask?.task === ${pause.nextTask.task}`);
    }
  });
  await check("the tasks of a selected group stand out in the timeline", async () => {
    await groupBy(page, ["codelet"]);
    const node = await page.eval("tasklensApp.graph.nodeAt(tasklensApp.graph.answer.nodes.tasks.indexOf(200))");
    await page.eval(`tasklensApp.graph.choose(tasklensApp.graph.answer.nodes.id.indexOf(${JSON.stringify(node.id)}))`);
    await page.until("tasklensApp.selected?.kind === 'group' && tasklensApp.focus");
    equal([await page.eval("tasklensApp.focus.size"), await page.eval("tasklensApp.selected.node.id")], [200, node.id], "tasks in focus");
    const last = await page.eval("tasklensApp.host.request('tasklens/task', { task: Math.max(...tasklensApp.walk.pages.get(0)) })");
    equal([last.name, last.startNs >= node.startNs && last.endNs <= node.endNs], [node.codelet, true], "one of them");
    holds((await page.eval("document.querySelector('.panel .body').textContent")).includes("Its 200 tasks stand out"), "the panel says so");
    equal(await page.eval("document.querySelector('.panel .place').textContent"), "stencil.c:70", "its line");
    await shot(page, "group_selected");
    await select(page, null);
    await page.until("!tasklensApp.selected && !tasklensApp.focus");
  });
  await check("of a selected line, groups without its tasks are dimmed, its own are marked, and so is its row", async () => {
    const site = await page.eval("tasklensApp.overview.costs.find(({ line }) => line === 77).site");
    await select(page, { site });
    await page.until("tasklensApp.selected?.kind === 'site'");
    for (const group of ["codelet", "site", "iteration"]) {
      await groupBy(page, group === "iteration" ? ["iteration", "codelet"] : [group]);
      const nodes = await page.eval(`(({ answer: { nodes }, isWithout, isOfLine }, graph) => nodes.codelet.map((codelet, i) => ({
        codelet, mixed: !!nodes.mixed[i], site: nodes.site[i], without: isWithout.call(graph, i), own: isOfLine.call(graph, i) })))(tasklensApp.graph, tasklensApp.graph)`);
      holds(nodes.some(({ without }) => !without), "some may have tasks of the line");
      if (group !== "iteration") holds(nodes.some(({ without }) => without), "some have none");
      for (const node of nodes) {
        const isOther = group === "site" ? node.site !== site : !node.mixed && node.codelet !== "sum";
        equal([node.without, node.own], [isOther, group === "site" && !isOther], JSON.stringify(node));
      }
      await shot(page, `line_by_${group}`);
    }
    await page.eval("tasklensApp.showTable('site')");
    const marked = "[...document.querySelectorAll('tbody tr[aria-selected=true]')].map((row) => row.querySelector('th').textContent)";
    await page.until(`${marked}.length === 1`);
    equal(await page.eval(marked), ["stencil.c:77"], "the marked row");
    await shot(page, "line_in_table");
    await select(page, { task: 1000 });
    await page.until(`${marked}.join() === "stencil.c:70"`);
    await select(page, null);
    await page.until(`${marked}.length === 0`);
    await page.eval("tasklensApp.store.set({ pane: 'graph' })");
  });
  await check("the keyboard opens a group, walks in it, goes out and closes it", async () => {
    await groupBy(page, ["codelet"]);
    const id = await page.eval("tasklensApp.graph.answer.nodes.id[tasklensApp.graph.answer.nodes.tasks.indexOf(200)]");
    const open = async () => {
      await page.key("Enter");
      await page.until("tasklensApp.graph.answer.frames.length === 1 && tasklensApp.selectedTask && tasklensApp.graph.chosen() !== null");
      equal(await page.eval("tasklensApp.graph.answer.frames[0].id"), id, "what is open");
      equal(await page.eval("tasklensApp.graph.chosen()"), await page.eval("tasklensApp.graph.answer.nodes.frame.indexOf(0)"), "its first part");
    };
    const leave = async () => {
      await page.key("Escape");
      await page.until("tasklensApp.graph.chosenFrame() === 0");
    };
    const isClosed = `tasklensApp.graph.answer.frames.length === 0 && tasklensApp.graph.chosen() === tasklensApp.graph.answer.nodes.id.indexOf(${JSON.stringify(id)})`;
    await select(page, { group: id });
    await page.until("tasklensApp.selected?.kind === 'group'");
    await page.eval("tasklensApp.graph.surface.canvas.focus()");
    await open();
    const first = await page.eval("tasklensApp.selectedTask.task");
    await page.key("ArrowDown");
    await page.until(`tasklensApp.selectedTask && tasklensApp.selectedTask.task !== ${first} && tasklensApp.graph.chosen() !== null`);
    equal(await page.eval("tasklensApp.graph.answer.nodes.frame[tasklensApp.graph.chosen()]"), 0, "the group that it walks in");
    await leave();
    await shot(page, "frame_selected");
    await page.key("Enter");
    await page.until(isClosed);
    await open();
    await leave();
    await page.key("Escape");
    await page.until(isClosed);
    await page.key("Escape");
    await page.until("!tasklensApp.selected");
  });
};
