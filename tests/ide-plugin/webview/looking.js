// SPDX-License-Identifier: Apache-2.0
// Claims about the ways to look at a run, of a page that shows stencil_2k: what tasks are grouped and
// coloured by, parts of the graph, rows beyond the picture, going through a line's tasks. The same of a
// report and of a page that asks a server.
"use strict";
const { equal, holds, shot } = require("./checks.js");

const GRAPH = "tasklensApp.graph", DATA = "tasklensApp.timeline.data";
// What of the states stands out, as it is painted.
const SHOWN = "(({ timeline }) => timeline.scene(timeline.surface.width, timeline.surface.height).shown)(tasklensApp)";
const choose = (page, label, value) => page.eval(`(() => {
  const choice = document.querySelector(${JSON.stringify(`select[aria-label^="${label}"]`)});
  choice.value = ${JSON.stringify(value)};
  choice.dispatchEvent(new Event("change"));
})()`);
const options = (page, label) => page.eval(`[...document.querySelector(${JSON.stringify(`select[aria-label^="${label}"]`)}).options].map(({ value }) => value)`);
const fresh = (page) => page.eval(`(tasklensApp.store.set({ view: tasklensApp.timeline.home, scroll: 0, selection: null, within: null, pane: "graph", colour: "codelet", camera: null,
  graph: { group: null, open: null, focus: null } }), tasklensApp.graph.loading)`);
// What was laid out anew has its size within a frame, and is drawn in the next.
const drawn = (page) => page.drawn();
const button = (page, text) => page.eval(`[...document.querySelectorAll("button")].find((one) => one.textContent === ${JSON.stringify(text)}).click()`);
// What a press on Tab comes to is found by its label.
const focusOn = (page, label) => page.eval(`document.querySelector(${JSON.stringify(`[aria-label^="${label}"]`)}).focus()`);
const isGrouped = (group) => `${GRAPH}.answer.group.join() === "${group}" && ${GRAPH}.wish.group?.join() === "${group}"`;

// `isReport`: the page has nobody to ask.
exports.lookingClaims = async (check, page, { isReport }) => {
  await page.toFront();
  await check("tasks are grouped by anything, nested in any order", async () => {
    await fresh(page);
    await page.until(`${GRAPH}.answer && document.querySelector("select[aria-label^='Group tasks by']")`);
    if (isReport) {
      const kept = await options(page, "Group tasks by");
      equal(kept, ["iteration,codelet", "codelet", "site", "iteration", "levels", "data", "worker"], "what is kept");
      for (const group of kept) {
        await choose(page, "Group tasks by", group);
        await page.until(isGrouped(group));
        equal(await page.eval(`${GRAPH}.answer.nodes.tasks.reduce((sum, many) => sum + many, 0)`), await page.eval("tasklensApp.overview.tasks"), `tasks by ${group}`);
      }
    } else {
      for (const [label, value, group] of [["Group tasks by", "worker", "worker,codelet"], ["Within them, group by (level 2)", "", "worker"], ["Within them, group by (level 2)", "iteration", "worker,iteration"],
                                           ["Within them, group by (level 3)", "site", "worker,iteration,site"], ["Within them, group by (level 2)", "data", "worker,data,site"],
                                           ["Group tasks by", "levels", "levels,data,site"], ["Within them, group by (level 2)", "", "levels,site"]]) {
        await choose(page, label, value);
        await page.until(isGrouped(group));
      }
      holds(!(await options(page, "Within them, group by (level 2)")).includes("levels"), "what groups already is not offered again");
    }
    await shot(page, `grouped_${isReport ? "report" : "served"}`);
    await page.until(`location.hash.includes("${isReport ? "by=worker" : "by=levels%2Csite"}")`);
    await page.eval("tasklensApp.store.undo()");
    await page.until(`!(${isGrouped(isReport ? "worker" : "levels,site")})`);
    await page.eval("tasklensApp.store.redo()");
    await page.until(isGrouped(isReport ? "worker" : "levels,site"));
  });
  await check("the keyboard chooses the grouping", async () => {
    await fresh(page);
    await page.until(`${GRAPH}.wish.group === null && ${GRAPH}.answer.group.join() === "iteration,codelet"`);
    await focusOn(page, "Group tasks by");
    await page.key("ArrowDown");
    await page.until(`${GRAPH}.answer.group[0] === "codelet"`);
  });
  await check("tasks have the colour of anything, in timeline, graph and legend, in both themes", async () => {
    await fresh(page);
    const top = await page.eval("tasklensApp.timeline.element.getBoundingClientRect().top");
    for (const colour of ["worker", "duration", "waiting", "slack", "iteration"]) {
      await choose(page, "Colour tasks by", colour);
      await page.until(`${DATA}.answer.legend?.by === "${colour}" && ${GRAPH}.answer.legend?.by === "${colour}"`);
      const shown = await page.eval("[...document.querySelectorAll('.colours [role=list] span')].map((one) => one.textContent)");
      holds(shown.length > 5, `the legend of ${colour}: ${shown}`);
      // As much room as the highest of all colourings needs, and no line more.
      const room = await page.eval("(({ clientHeight, scrollHeight }) => ({ clientHeight, scrollHeight, spare: [...document.querySelectorAll('.colours .spares > *')].map((one) => one.offsetHeight), line: document.querySelector('.colours .names [role=list]').offsetHeight }))(document.querySelector('.colours .names'))");
      holds(room.clientHeight === Math.min(Math.max(...room.spare, room.line), 42) || room.clientHeight === 63, `the room of the legend by ${colour}: ${JSON.stringify(room)}`);
      equal(await page.eval("tasklensApp.timeline.element.getBoundingClientRect().top"), top, `where the timeline begins, coloured by ${colour}`);
      if (colour !== "worker") {
        // A scale is one bar, all of which is seen.
        const [bar, names] = await page.eval("['.scale', '.names'].map((one) => (({ left, right, top, bottom }) => ({ left, right, top, bottom }))(document.querySelector(`.colours ${one}`).getBoundingClientRect()))");
        holds(bar.left >= names.left && bar.right <= names.right && bar.bottom <= names.bottom && bar.right - bar.left > 120, `the scale of ${colour}: ${JSON.stringify([bar, names])}`);
        const labels = await page.eval(`(({ entries, unit }) => entries.slice(unit === "ns" ? 2 : 1).filter(({ low }) => low !== null).map(({ label }) => label))(${DATA}.answer.legend)`);
        const said = await page.eval("[...document.querySelectorAll('.colours [role=list] .scale b')].map((one) => one.textContent)");
        if (colour !== "iteration") holds(labels[0].startsWith(said[0]) && labels.at(-1).endsWith(said.at(-1)), `the ends of the scale of ${colour}: ${said} of ${labels}`);
      }
      const used = await page.eval(`new Set(${GRAPH}.answer.nodes.id.map((_, i) => ${GRAPH}.colorOf(i))).size`);
      holds(colour === "worker" || colour === "iteration" || used > 1, `${used} colours of nodes by ${colour}`);
      const entries = await page.eval(`(() => { const { paints } = tasklensApp.timeline, { answer, texts } = ${DATA};
        return [...new Set(answer.rows.flatMap(({ layers }) => layers.filter(Boolean).flatMap(({ task, colour, state }) => [...task].flatMap((one, i) => texts.states[state[i]] === "Task" ? [colour[i]] : []))))].map((entry) => tasklensApp.timeline.paints().byEntry[entry].color); })()`);
      holds(entries.length > 0 && entries.every((color) => /^#[0-9a-f]{6}$/.test(color)), `colours of slices by ${colour}: ${entries}`);
    }
    await choose(page, "Colour tasks by", "duration");
    await page.until(`${DATA}.answer.legend?.by === "duration" && ${GRAPH}.answer.legend?.by === "duration"`);
    const light = await page.eval(`${GRAPH}.colorOf(0)`);
    await shot(page, `coloured_light_${isReport ? "report" : "served"}`);
    await page.eval("tasklensApp.setTheme('dark')");
    await page.until(`${GRAPH}.colorOf(0) !== ${JSON.stringify(light)}`);
    await shot(page, `coloured_dark_${isReport ? "report" : "served"}`);
    await page.eval("tasklensApp.setTheme('light')");
    await page.until("location.hash.includes('colour=duration')");
    await page.eval("tasklensApp.store.undo()");
    await page.until(`tasklensApp.store.state.colour !== "duration" && ${DATA}.answer.legend?.by === tasklensApp.store.state.colour`);
    await fresh(page);
    await page.until(`${GRAPH}.answer.legend.by === "codelet"`);
  });
  await check("the graph shows what is around a task to a depth, and all of it again", async () => {
    await fresh(page);
    await page.eval("tasklensApp.select({ task: 1000 })");
    await page.until("tasklensApp.selectedTask?.task === 1000");
    await page.eval(`${GRAPH}.surface.canvas.focus()`);
    await page.key("o");
    await page.until(`${GRAPH}.answer.nodes.task.includes(1000) && ${GRAPH}.answer.nodes.id.length < 60`);
    const two = await page.eval(`${GRAPH}.answer.nodes.id.length`);
    holds((await page.eval("document.querySelector('.overlay').textContent")).includes("Around "), "it says what is shown");
    equal(await page.eval(`${GRAPH}.chosen() !== null`), true, "the task is marked");
    await choose(page, "How many dependencies away", "1");
    await page.until(`${GRAPH}.answer.nodes.id.length < ${two} && ${GRAPH}.answer.nodes.task.includes(1000)`);
    const near = await page.eval(`(async () => { const { predecessors, successors } = await tasklensApp.host.request("tasklens/task", { task: 1000 });
      const shown = ${GRAPH}.answer.nodes.task.filter((task) => task !== 1000), around = new Set([...predecessors.tasks, ...successors.tasks].map(({ task }) => task));
      return [shown.length > 0, shown.every((task) => around.has(task))]; })()`);
    equal(near, [true, true], "its neighbours and no others");
    await shot(page, `around_${isReport ? "report" : "served"}`);
    await page.until("location.hash.includes('focus=task:1000,depth:1')");
    await page.key("x");
    await page.until(`${GRAPH}.answer.nodes.id.length > 0 && ${GRAPH}.wish.focus === null && ${GRAPH}.answer.tasksInFocus === undefined && document.querySelector('[aria-label="Show all of the graph"]') === null`);
    await page.eval("tasklensApp.store.undo()");
    await page.until(`${GRAPH}.answer.nodes.task.includes(1000) && ${GRAPH}.wish.focus?.depth === 1`);
  });
  await check("the graph shows all paths between two tasks", async () => {
    await fresh(page);
    await page.eval("tasklensApp.select({ task: 1000 })");
    await page.until("tasklensApp.selectedTask?.task === 1000");
    const far = await page.eval(`(async () => { let at = 1000;
      for (let i = 0; i < 3; ++i) at = (await tasklensApp.host.request("tasklens/task", { task: at })).successors.tasks[0].task;
      return at; })()`);
    await page.key("v");
    await page.until("tasklensApp.message.textContent.includes('Select another task')");
    await page.eval(`tasklensApp.select({ task: ${far} })`);
    await page.until(`${GRAPH}.wish.focus?.to === ${far} && ${GRAPH}.answer.nodes.task.includes(1000) && ${GRAPH}.answer.nodes.task.includes(${far}) && ${GRAPH}.answer.nodes.id.length < 100`);
    const { task, from, to } = await page.eval(`({ task: ${GRAPH}.answer.nodes.task, from: ${GRAPH}.answer.edges.map((edge) => edge.from), to: ${GRAPH}.answer.edges.map((edge) => edge.to) })`);
    task.forEach((one, i) => {
      holds(one === 1000 || to.includes(i), `task ${one} is led to`);
      holds(one === far || from.includes(i), `task ${one} leads on`);
    });
    await shot(page, `paths_${isReport ? "report" : "served"}`);
  });
  await check("the graph shows the tasks of a line and of a piece of data", async () => {
    await fresh(page);
    const site = await page.eval("tasklensApp.overview.costs.find((one) => one.tasks < 400 && one.tasks > 1)");
    await page.eval(`tasklensApp.select({ site: ${site.site} })`);
    await page.until("tasklensApp.selected?.kind === 'site'");
    await button(page, "Only these in the graph");
    await page.until(`${GRAPH}.wish.focus?.site === ${site.site} && ${GRAPH}.answer.nodes.tasks.reduce((sum, many) => sum + many, 0) === ${site.tasks}`);
    await page.eval("tasklensApp.select({ task: 1000 })");
    await page.until("tasklensApp.selectedTask?.task === 1000 && document.querySelector('.list .only')");
    await page.eval("document.querySelector('.list .only').click()");
    await page.until(`${GRAPH}.wish.focus?.handle !== undefined && ${GRAPH}.answer.nodes.task.includes(1000)`);
    const handle = await page.eval(`${GRAPH}.wish.focus.handle`);
    for (const task of (await page.eval(`${GRAPH}.answer.nodes.task`)).filter((one) => one >= 0).slice(0, 5))
      holds((await page.eval(`tasklensApp.host.request("tasklens/task", { task: ${task} })`)).data.some((one) => one.handle === handle), `task ${task} uses it`);
    holds((await page.eval("document.querySelector('.list .only').getAttribute('aria-label')")).startsWith("Tasks that use "), "the button has a name");
  });
  await check("the tasks of a line are gone through one by one, with keys and buttons", async () => {
    await fresh(page);
    const site = await page.eval("tasklensApp.overview.costs[0]");
    await page.eval(`tasklensApp.select({ site: ${site.site} })`);
    await page.until("tasklensApp.walk.shows && tasklensApp.selected?.kind === 'site'");
    const status = "document.querySelector('.walk [role=status]').textContent", all = site.tasks.toLocaleString("en-US");
    equal(await page.eval(status), `${all} tasks`, "the status");
    const tasks = await page.eval(`(async () => (await tasklensApp.host.request("tasklens/site", { site: ${site.site} })).tasks)()`);
    for (const place of [0, 1, 2]) {
      await page.key("]");
      await page.until(`tasklensApp.selectedTask?.task === ${tasks[place]}`);
      equal(await page.eval(status), `${place + 1} of ${all}`, "the status");
    }
    equal(await page.eval("tasklensApp.focus.size"), tasks.length, "tasks that still stand out");
    await page.eval("document.querySelector('[aria-label=\"The task before\"]').focus()");
    await page.key("Enter");
    await page.until(`tasklensApp.selectedTask?.task === ${tasks[1]}`);
    equal(await page.eval("document.activeElement.getAttribute('aria-label')"), "The task before", "what has the focus");
    await shot(page, `walk_${isReport ? "report" : "served"}`);
    await page.until("location.hash.includes('within=site')");
    await page.eval("tasklensApp.store.undo()");
    await page.until(`tasklensApp.selectedTask?.task === ${tasks[2]} && ${status} === "3 of ${all}"`);
    await button(page, "Back to the line");
    await page.until("tasklensApp.selected?.kind === 'site'");
    await page.key("[");
    await page.until(`tasklensApp.selectedTask?.task === ${tasks.at(-1)}`);
    await page.eval("tasklensApp.select(null)");
    await page.until("document.querySelector('.walk').hidden");
  });
  await check("a click on a codelet, in the legend or the table, lets its tasks stand out; another click or Escape ends it", async () => {
    await fresh(page);
    await page.eval(`tasklensApp.store.set({ graph: { group: ["codelet"], open: [], focus: null } }), ${GRAPH}.loading`);
    await page.until(isGrouped("codelet"));
    const entry = "document.querySelector('.colours .names button[data-codelet=sum]')", row = "document.querySelector('tr[data-codelet=sum]')";
    const tasks = await page.eval("tasklensApp.codelets.get('sum').tasks");
    const standsOut = `tasklensApp.selected?.kind === "codelet" && tasklensApp.focus?.size === ${tasks}`, isOver = "!tasklensApp.selected && !tasklensApp.focus";
    await page.eval(`${entry}.click()`);
    await page.until(standsOut);
    equal(await page.eval(`${entry}.getAttribute("aria-pressed")`), "true", "whether the entry is pressed");
    const dimmed = await page.eval(`${GRAPH}.answer.nodes.codelet.map((name, i) => [name === "sum", ${GRAPH}.isWithout(i)])`);
    holds(dimmed.every(([isIts, isDimmed]) => isIts !== isDimmed) && dimmed.some(([isIts]) => isIts), `what is dimmed in the graph: ${dimmed}`);
    holds((await page.eval("document.querySelector('.panel .body').textContent")).includes(`Its ${tasks} tasks stand out`), "the panel says so");
    await shot(page, `codelet_${isReport ? "report" : "served"}`);
    await page.until("location.hash.includes('codelet=sum')");
    await page.key("]");
    await page.until(`tasklensApp.selectedTask?.name === "sum" && tasklensApp.focus.size === ${tasks}`);
    await page.eval("tasklensApp.store.undo()");
    await page.until(standsOut);
    await page.eval(`${entry}.click()`);
    await page.until(isOver);
    await page.eval("tasklensApp.showTable('codelet')");
    await page.until(row);
    for (const end of [() => page.eval(`${row}.click()`), () => page.key("Escape")]) {
      await page.eval(`${row}.click()`);
      await page.until(`${standsOut} && ${row}.getAttribute("aria-selected") === "true"`);
      holds(await page.eval("tasklensApp.search.list.hidden"), "the search stays closed");
      await end();
      await page.until(`${isOver} && ${row}.getAttribute("aria-selected") === "false"`);
    }
  });
  await check("a click on a worker in the table, or on the name of a row, marks the row and brings it into sight; another click or Escape ends it", async () => {
    await fresh(page);
    await page.eval("tasklensApp.setSplit(90), tasklensApp.showTable('worker')");
    await page.until("document.querySelectorAll('.table tr[data-row]').length === 2");
    await drawn(page);
    const rows = await page.eval("tasklensApp.overview.workerRows.map(({ row }) => row)");
    const isMarked = (row) => `tasklensApp.selected?.kind === "row" && tasklensApp.selected.row === ${row} && document.querySelector(".table tr[data-row='${row}']").getAttribute("aria-selected") === "true"`;
    const isIn = (row) => page.eval(`(({ layout, scroll, surface }) => { const { y, height } = layout.places.find((one) => one.row === ${row}); return y - scroll >= 24 && y + height - scroll <= surface.height; })(tasklensApp.timeline)`);
    for (const row of rows) {
      await page.eval("tasklensApp.timeline.scrollTo(tasklensApp.timeline.scrollMost)");
      await page.eval(`document.querySelector(".table tr[data-row='${row}']").click()`);
      await page.until(isMarked(row));
      holds(await isIn(row), `row ${row} is in sight`);
      equal(await page.eval("tasklensApp.selectedRow?.row"), row, "the row that is marked");
      holds((await page.eval("document.querySelector('.panel .body').textContent")).includes("go through its tasks"), "the panel says what can be done with it");
    }
    await page.until(`location.hash.includes("row=${rows[1]}") && !location.hash.includes("&at=")`);
    await page.key("n");
    await page.until(`tasklensApp.selectedTask?.row === ${rows[1]}`);
    await page.eval("tasklensApp.store.undo()");
    await page.until(isMarked(rows[1]));
    await page.eval("tasklensApp.setSplit(300)");
    await drawn(page);
    const name = await page.eval(`(({ layout, scroll, surface }) => { const box = surface.canvas.getBoundingClientRect(), { y, height } = layout.places.find((one) => one.row === ${rows[1]});
      return { x: box.left + 40, y: box.top + y + height / 2 - scroll }; })(tasklensApp.timeline)`);
    await shot(page, `row_${isReport ? "report" : "served"}`);
    for (const end of [() => page.click(name.x, name.y), () => page.key("Escape")]) {
      await end();
      await page.until("!tasklensApp.selected");
      await page.click(name.x, name.y);
      await page.until(isMarked(rows[1]));
    }
    await page.eval("tasklensApp.select(null)");
  });
  await check("a click on a state in the table lets it stand out in the timeline; another click ends it", async () => {
    await fresh(page);
    await page.eval("tasklensApp.showTable('state')");
    const row = "document.querySelector('.table tr[data-state=Scheduling]')", standsOut = "tasklensApp.selected?.kind === 'states'";
    await page.until(row);
    const many = await page.eval(`${row}.children[1].textContent`);
    await page.eval(`${row}.click()`);
    await page.until(`${standsOut} && ${row}.getAttribute("aria-selected") === "true"`);
    equal(await page.eval("[document.querySelector('.panel h2').title, document.querySelector('.panel dd').textContent]"), ["Scheduling", many], "what the panel says");
    equal(await page.eval(`${SHOWN} === ${DATA}.texts.states.indexOf("Scheduling")`), true, "what stands out");
    await page.until("location.hash.includes('state=Scheduling')");
    await shot(page, `state_${isReport ? "report" : "served"}`);
    await page.eval(`${row}.click()`);
    await page.until(`!tasklensApp.selected && ${SHOWN} < 0`);
    await fresh(page);
  });
  await check("rows beyond the picture are counted, and reached with bar, wheel and keys", async () => {
    await fresh(page);
    await page.eval("tasklensApp.setSplit(90)");
    const bar = "document.querySelector('[role=scrollbar]')", below = "tasklensApp.timeline.bar.below";
    await page.until(`!${bar}.hidden && !${below}.hidden`);
    holds(/^↓ (\d+ rows?)?(, )?(\d+ curves?)? below$/.test(await page.eval(`${below}.textContent`)), await page.eval(`${below}.textContent`));
    holds(await page.eval("tasklensApp.timeline.surface.canvas.getBoundingClientRect().right <= document.querySelector('[role=scrollbar]').getBoundingClientRect().left + 1"), "the bar covers nothing");
    await shot(page, `scroll_${isReport ? "report" : "served"}`);
    const most = await page.eval("tasklensApp.timeline.scrollMost");
    await page.eval(`${bar}.focus()`);
    await page.key("End");
    await page.until(`tasklensApp.timeline.scroll === ${Math.round(most)} && ${below}.hidden && !tasklensApp.timeline.bar.above.hidden`);
    await page.key("Home");
    await page.until("tasklensApp.timeline.scroll === 0");
    const box = await page.eval(`(({ left, top, width, height }) => ({ left, top, width, height }))(${bar}.getBoundingClientRect())`);
    await page.drag(box.left + 5, box.top + 4, box.left + 5, box.top + box.height + 40);
    await page.until(`tasklensApp.timeline.scroll === ${Math.round(most)}`);
    const canvas = await page.eval("(({ left, top }) => ({ left, top }))(tasklensApp.timeline.surface.canvas.getBoundingClientRect())");
    await page.wheel(canvas.left + 20, canvas.top + 50, -5000);
    await page.until("tasklensApp.timeline.scroll === 0");
    await page.eval("tasklensApp.timeline.surface.canvas.focus()");
    await page.key("PageDown");
    await page.until("tasklensApp.timeline.scroll > 0 && location.hash.includes('scroll=')");
    await page.eval("tasklensApp.setSplit(400)");
  });
  await check("the frame in the small picture of the run is drawn, moved and stretched with the mouse", async () => {
    await fresh(page);
    const VIEW = "tasklensApp.store.state.view", near = (a, b, what) => holds(Math.abs(a - b) < 0.01, `${what}: ${a.toFixed(3)} is ${b}`);
    const box = await page.eval("(({ left, top, width, height }) => ({ left, top, width, height }))(tasklensApp.minimap.surface.canvas.getBoundingClientRect())");
    const gutter = await page.eval("tasklensApp.minimap.gutter"), { from, to } = await page.eval("tasklensApp.minimap.span");
    const x = (share) => box.left + gutter + share * (box.width - gutter), y = box.top + box.height / 2;
    const shown = async () => { const view = await page.eval(VIEW); return [(view.from - from) / (to - from), (view.to - from) / (to - from)]; };
    const drag = async (a, b, wanted, what) => {
      await page.drag(x(a), y, x(b), y);
      const view = await shown();
      wanted.forEach((share, i) => near(view[i], share, what));
    };
    await drag(0.2, 0.4, [0.2, 0.4], "where the whole run was shown, a new frame");
    await drag(0.3, 0.6, [0.5, 0.7], "the frame moved");
    await drag(0.5, 0.1, [0.1, 0.7], "its left edge");
    await drag(0.7, 0.9, [0.1, 0.9], "its right edge");
    await drag(0.95, 0.92, [0.92, 0.95], "beside it a new one");
    await page.eval(`tasklensApp.timeline.show(${from} + 0.5 * ${to - from}, ${from} + 0.501 * ${to - from})`);
    await drag(0.5005, 0.3005, [0.3, 0.301], "one without room for edges is moved");
    await page.eval("tasklensApp.store.lastMove.at = -Infinity");  // moves that follow closely are one step
    await page.click(x(0.8), y);
    await page.until(`Math.abs((${VIEW}.from + ${VIEW}.to) / 2 - ${from + 0.8 * (to - from)}) < ${0.01 * (to - from)}`);
    await page.eval("tasklensApp.store.undo()");
    near((await shown())[0], 0.3, "back");
    await page.click(x(0.8), y, 2);
    await page.until(`${VIEW}.from === tasklensApp.timeline.home.from && ${VIEW}.to === tasklensApp.timeline.home.to`);
    await page.eval(`tasklensApp.timeline.show(${from} + 0.4 * ${to - from}, ${from} + 0.6 * ${to - from})`);
    for (const [share, cursor] of [[0.2, "crosshair"], [0.4, "ew-resize"], [0.5, "grab"], [0.6, "ew-resize"]]) {
      await page.move(x(share), y);
      equal(await page.eval("tasklensApp.minimap.surface.canvas.style.cursor"), cursor, `the pointer at ${share}`);
    }
    await fresh(page);
  });
  await check("where one looks at the graph is undone, and kept in the link", async () => {
    await fresh(page);
    await page.until(`${GRAPH}.wish.group === null && tasklensApp.store.state.camera === null`);
    await drawn(page);  // in the room that it has now
    const whole = await page.eval(`${GRAPH}.camera`);
    const box = await page.eval(`(({ left, top, width, height }) => ({ left, top, width, height }))(${GRAPH}.surface.canvas.getBoundingClientRect())`);
    await page.wheel(box.left + box.width / 2, box.top + box.height / 2, -300);
    await page.until("tasklensApp.store.state.camera !== null && location.hash.includes('camera=')");
    const near = await page.eval(`${GRAPH}.camera`);
    holds(near.scale > whole.scale, "it is nearer");
    await page.eval("tasklensApp.store.undo()");
    equal(await page.eval(`${GRAPH}.camera`), whole, "as before");
    await page.eval("tasklensApp.store.redo()");
    equal(await page.eval(`${GRAPH}.camera`), near, "and again");
    await page.eval("tasklensApp.showPanel('findings')");
    await page.until("location.hash.includes('tab=findings')");
    await page.eval("tasklensApp.store.undo()");
    await page.until("document.querySelector('.panel [role=tab][aria-selected=true]').textContent === 'Selection'");
  });
  await check("arrows of the graph have tips of a size that is seen, near and far", async () => {
    await fresh(page);
    await page.eval("tasklensApp.setSplit(90)");
    // Two pixels beside the line's end there is nothing but the tip.
    const seen = `(() => {
      const { surface, camera, answer, layout } = ${GRAPH}, { scale } = surface;
      const pixel = (x, y) => surface.context.getImageData(Math.round(x * scale), Math.round(y * scale), 1, 1).data.slice(0, 3).join();
      const background = pixel(2, surface.height - 2);
      const ends = [...new Set(answer.edges.map(({ to }) => to))].map((to) => layout.nodes[to])
        .map(({ x, y, height }) => [camera.x + x * camera.scale, camera.y + (y + height / 2) * camera.scale])
        .filter(([x, y]) => x > 8 && x < surface.width && y > 60 && y < surface.height - 4);
      return [ends.length, ends.filter(([x, y]) => pixel(x - 5, y - 2) !== background).length];
    })()`;
    const drawn = () => page.eval("new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))");
    for (const scale of [null, 0.25, 1]) {
      await page.eval(`tasklensApp.store.set({ camera: ${scale === null ? null : `{ x: 20, y: 60, scale: ${scale} }`} })`);
      await drawn();
      const [ends, tips] = await page.eval(seen);
      holds(ends > 0 && tips >= 0.95 * ends, `${tips} of ${ends} ends have a tip at ${scale ?? "full view"}`);
    }
    await page.eval("tasklensApp.store.set({ camera: null }), tasklensApp.setSplit(300)");
    await shot(page, `tips_far_${isReport ? "report" : "served"}`);
  });
  await check("the runtime's own tasks are shown with a key or a switch, in graph, timeline, legend and tables, and undone", async () => {
    await fresh(page);
    const total = `${GRAPH}.answer.tasksTotal`, box = "document.querySelector('.checks input[value=internal]')";
    const counted = "[...document.querySelectorAll('.table tbody tr')].reduce((sum, row) => sum + Number(row.children[1].textContent.replace(/[^0-9]/g, '')), 0)";
    await page.eval("tasklensApp.showTable('codelet')");
    await page.until(`${total} === 2202 && ${counted} === 2202`);
    const names = await page.eval("tasklensApp.allNames.length");
    await page.key("h");
    await page.until(`${total} === 2264 && ${counted} === 2264 && ${box}.checked && tasklensApp.allNames.length > ${names} && location.hash.includes("show=internal")`);
    equal(await page.eval(`${GRAPH}.answer.nodes.tasks.reduce((sum, many) => sum + many, 0)`), 2264, "tasks of the graph's nodes");
    await shot(page, `internal_table_${isReport ? "report" : "served"}`);
    await page.eval("tasklensApp.store.set({ pane: 'graph' })");
    await shot(page, `internal_${isReport ? "report" : "served"}`);
    await page.eval("tasklensApp.store.undo(), tasklensApp.store.undo()");
    await page.until(`${total} === 2202 && ${counted} === 2202 && !${box}.checked && tasklensApp.allNames.length === ${names}`);
    await page.eval(`${box}.click()`);
    await page.until(`${total} === 2264 && tasklensApp.store.state.extras.includes("internal")`);
    await page.until("location.hash.includes('show=internal')");
    await page.eval("location.hash = '#show=internal&pane=table'");
    await page.until(`${total} === 2264 && ${counted} === 2264`);
    await page.eval("location.hash = '#pane=table'");
    await page.until(`${total} === 2202 && ${counted} === 2202`);
    holds((await page.eval("tasklensApp.help.textContent")).includes("the runtime's own tasks"), "the help says the key");
    await fresh(page);
  });
  await check("a link that comes while the address of a move is about to be written is followed", async () => {
    await fresh(page);
    await page.eval("location.hash = '#colour=slack', tasklensApp.host.store({ link: '' })");
    await page.until("tasklensApp.store.state.colour === 'slack'");
    equal(await page.eval("location.hash"), "#colour=slack", "the address, at once");
    await page.until("tasklensApp.collected === null");
    await fresh(page);
  });
  await check("what of a link is none is said in the message line, and the rest is shown", async () => {
    const message = "tasklensApp.message.textContent";
    for (const [part, said] of [["camera=1,2", "place in the graph"], ["scroll=x", "place of the rows"], ["tab=x", "tab"], ["view=9-1", "stretch of time"], ["time=9,1", "stretch of time"], ["time=90000000000000,90000000000001", "stretch of time"], ["view=90000000000000-90000000000001", "stretch of time"],
                                ["sort=x", "order of the table"], ["show=x", "shown besides"], ["at=1", "selection"], ["row=99999", "has no row"], ["state=nonsense", "no state"], ["within=x", "walk through tasks"], ["nonsense=1", "part \"nonsense\""],
                                ["task=99999999", " "], ["site=99999999", " "], ["group=nonsense", "no group"], ["open=nonsense", "1 group"]]) {
      await page.eval(`tasklensApp.message.textContent = "", location.hash = ${JSON.stringify(`#${part}&colour=slack`)}`);
      await page.until(`${message}.includes(${JSON.stringify(said)})`);
      holds(!(await page.eval(`${message}.includes("\\n")`)), `${part}: one line`);
      equal(await page.eval("tasklensApp.store.state.colour"), "slack", `the rest of ${part}`);
      await page.eval("location.hash = ''");
      await page.until("tasklensApp.store.state.colour === 'codelet' && tasklensApp.collected === null");
    }
    await page.eval("location.hash = '#tab=x&pane=x&camera=x&scroll=x&sort=x'");
    await page.until(`${message}.endsWith("And 2 more.")`);
    await shot(page, `bad_link_${isReport ? "report" : "served"}`);
    await fresh(page);
  });
  await check("a link whose grouping is none says so in a line and shows the default", async () => {
    await page.eval("location.hash = '#by=nonsense'");
    await page.until("tasklensApp.message.textContent.includes('grouping is invalid')");
    await page.until(`${GRAPH}.wish.group === null && ${GRAPH}.answer.nodes.id.length > 1 && ${GRAPH}.layout.nodes.length > 1`);
    equal(await page.eval("tasklensApp.message.textContent.includes('\\n')"), false, "lines");
    if (isReport) {
      await page.eval("location.hash = '#by=worker,codelet'");
      await page.until("tasklensApp.message.textContent.includes('does not keep the graph by')");
      await page.until(`${GRAPH}.wish.group === null && ${GRAPH}.answer.nodes.id.length > 1`);
    }
    await fresh(page);
  });
  await check("the critical path is shown whole, and undone with a key", async () => {
    await fresh(page);
    await page.key("c");
    await page.until(`${DATA}.answer.path?.row.length > 0 && tasklensApp.pathMarks`);
    equal(await page.eval(`[...${DATA}.answer.path.count].reduce((sum, one) => sum + one, 0)`), await page.eval("tasklensApp.overview.criticalPath.count"), "steps that are shown");
    await shot(page, `path_${isReport ? "report" : "served"}`);
    await page.key("c");
    await page.until(`!${DATA}.answer.path && !tasklensApp.pathMarks`);
  });
};
