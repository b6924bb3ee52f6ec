// SPDX-License-Identifier: Apache-2.0
// Claims about a stretch of the run that is selected and measured, of a page that shows stencil_2k. The same of
// a report and of a page that asks a server.
"use strict";
const { READY, equal, holds, shot } = require("./checks.js");

// "1.204 ms" in nanoseconds.
const nsOf = (text) => parseFloat(text) * { ns: 1, "µs": 1e3, ms: 1e6, s: 1e9 }[text.split(" ")[1]];

const MESSAGE = "tasklensApp.message.textContent", SELECTION = "tasklensApp.store.state.selection", VIEW = "tasklensApp.timeline.view";
const whole = (page) => page.eval(`(tasklensApp.store.set({ view: tasklensApp.timeline.home, scroll: 0, selection: null, within: null, tab: "selection", pane: "graph", extras: [],
  table: { by: "codelet", sort: "totalNs", down: true } }), tasklensApp.changed)`);
const button = (page, text) => page.eval(`[...document.querySelectorAll("button")].find((one) => one.textContent === ${JSON.stringify(text)}).click()`);
const isMeasured = "tasklensApp.selected?.kind === 'stretch' && document.querySelector('.panel table.short')";
const table = (page) => page.eval("[...document.querySelectorAll('.table tbody tr')].map((row) => [...row.children].map((cell) => cell.textContent))");
// Where a part of the timeline's width lies on the screen, in the axis or over the rows.
const PLACE = `(() => {
  const { timeline } = tasklensApp, { left, top, width } = timeline.surface.canvas.getBoundingClientRect();
  return { left: left + timeline.gutter, width: width - timeline.gutter, axis: top + 8, rows: top + 40 };
})()`;

// `open(link)`: the page anew, with a link.
exports.stretchClaims = async (check, page, { isReport, open }) => {
  const host = isReport ? "report" : "served";
  await page.toFront();
  await whole(page);
  const { left, width, axis, rows } = await page.eval(PLACE), home = await page.eval("tasklensApp.timeline.home");
  const pixelNs = (home.to - home.from) / width, timeOf = (part) => home.from + part * (home.to - home.from), x = (part) => left + part * width;
  const selectPart = async (from, to) => {
    await page.drag(x(from), rows, x(to), rows + 6, "Shift");
    await page.until(isMeasured);
  };
  await check("a drag over the rows with Shift selects a stretch of time, in either direction, and one on the axis zooms", async () => {
    for (const [from, to] of [[0.3, 0.6], [0.6, 0.3]]) {
      await whole(page);
      await selectPart(from, to);
      const { fromNs, toNs } = await page.eval(SELECTION);
      holds(Number.isInteger(fromNs) && Number.isInteger(toNs), `${fromNs} to ${toNs} are whole nanoseconds`);
      holds(Math.abs(fromNs - timeOf(0.3)) < 2 * pixelNs && Math.abs(toNs - timeOf(0.6)) < 2 * pixelNs, `${fromNs} to ${toNs} is where it was drawn`);
      equal(await page.eval(VIEW), home, "the view");
    }
    await whole(page);
    await page.drag(x(0.3), axis, x(0.6), axis);
    const view = await page.eval(VIEW);
    holds(Math.abs(view.from - timeOf(0.3)) < 2 * pixelNs && Math.abs(view.to - timeOf(0.6)) < 2 * pixelNs, `the view is ${JSON.stringify(view)}`);
    equal(await page.eval(SELECTION), null, "the selection");
  });
  await check("while it is drawn it is shown with its length, and it ends where the run does", async () => {
    await whole(page);
    const { mouse, keyboard } = page.page;
    await keyboard.down("Shift");
    await mouse.move(x(0.7), rows);
    await mouse.down();
    await mouse.move(x(0.9), rows);
    const drawn = await page.eval("tasklensApp.timeline.stretch()");
    holds(drawn.selects && Math.abs(drawn.from - timeOf(0.7)) < 2 * pixelNs && Math.abs(drawn.to - timeOf(0.9)) < 2 * pixelNs, `drawn is ${JSON.stringify(drawn)}`);
    equal(await page.eval(SELECTION), null, "the selection until the button is up");
    await shot(page, `stretch_drawn_${host}`);
    await mouse.move(x(1.5), rows);
    await mouse.up();
    await keyboard.up("Shift");
    await page.until(isMeasured);
    equal(await page.eval(`${SELECTION}.toNs`), await page.eval("tasklensApp.timeline.limits.to"), "its end");
  });
  await check("the panel says when it was, what the workers did, and which codelets ran", async () => {
    await whole(page);
    await selectPart(0.3, 0.6);
    const { fromNs, toNs } = await page.eval(SELECTION), zeroNs = await page.eval("tasklensApp.overview.zeroNs");
    const fields = await page.eval("Object.fromEntries([...document.querySelectorAll('.panel dl.fields dt')].map((one) => [one.textContent, one.nextSibling.textContent]))");
    for (const [name, ns] of [["From", fromNs - zeroNs], ["To", toNs - zeroNs], ["Length", toNs - fromNs]])
      holds(Math.abs(nsOf(fields[name]) - ns) <= (toNs - fromNs) / 100, `${name} counts from the first submission: ${fields[name]} for ${ns}`);
    equal(await page.eval("document.querySelector('.panel h3').textContent"), isReport ? "What the workers' rows show" : "Where the workers' time went", "what the bar is of");
    const shares = await page.eval("[...document.querySelectorAll('.panel .legend b')].map((one) => parseFloat(one.textContent))");
    holds(shares.length > 2 && Math.abs(shares.reduce((sum, one) => sum + one, 0) - 100) < 3, `shares: ${shares}`);
    const { work } = await page.eval("tasklensApp.selected"), codelets = await page.eval("[...document.querySelectorAll('.panel tbody tr')].map((row) => [row.children[0].textContent, row.children[1].textContent])");
    equal(codelets, work.groups.slice(0, 8).map(({ label, tasks }) => [label, tasks.toLocaleString("en-US")]), "the codelets");
    const all = await page.eval("tasklensApp.codelets.get('step')"), step = work.groups.find(({ label }) => label === "step");
    holds(step.tasks > 0 && step.tasks < all.tasks && step.totalNs > 0 && step.totalNs <= toNs - fromNs + (toNs - fromNs), `${step.tasks} of ${all.tasks} tasks of step`);
    if (isReport) holds((await page.eval("document.querySelector('.panel .body').textContent")).includes("tasklens stats TRACE --from "), "what tells the rest is named");
    await shot(page, `stretch_${host}`);
  });
  await check("it is in the link and in the history", async () => {
    const { fromNs, toNs } = await page.eval(SELECTION), zeroNs = await page.eval("tasklensApp.overview.zeroNs"), link = `from=${fromNs - zeroNs}&to=${toNs - zeroNs}`;
    await page.until(`location.hash.includes(${JSON.stringify(link)})`);
    await page.eval("tasklensApp.store.undo()");
    await page.until("!tasklensApp.selected && document.querySelector('.panel table.short') === null");
    await page.eval("tasklensApp.store.redo()");
    await page.until(isMeasured);
    const other = await open(link);
    await other.until(`${READY} && ${isMeasured}`);
    equal(await other.eval(SELECTION), { fromNs, toNs }, "what the link selects");
    await other.eval("location.hash = '#fromNs=99000000000000&toNs=99000000000001'");
    await other.until(`${MESSAGE}.includes("selected stretch is invalid: the run ends at") && !tasklensApp.selected`);
    equal(other.problems, [], "complaints");
    await other.close();
    await page.toFront();
  });
  await check("a key and a button zoom to it, Escape ends it, and a key selects what is shown", async () => {
    const { fromNs, toNs } = await page.eval(SELECTION);
    for (const zoom of [() => page.key("f"), () => button(page, "Zoom in")]) {
      await page.eval("tasklensApp.timeline.show(tasklensApp.timeline.home.from, tasklensApp.timeline.home.to)");
      await zoom();
      await page.until(`${VIEW}.to - ${VIEW}.from < 1.2 * ${toNs - fromNs}`);
      const { from, to } = await page.eval(VIEW);
      holds(from < fromNs && to > toNs, `${from} to ${to} shows both edges`);
    }
    await shot(page, `stretch_zoomed_${host}`);
    await page.key("Escape");
    await page.until("!tasklensApp.selected");
    await page.key("k");
    await page.until(isMeasured);
    const { from, to } = await page.eval(VIEW);
    equal(await page.eval(SELECTION), { fromNs: Math.round(from), toNs: Math.round(to) }, "what is shown");
  });
  await check("the tables are of it, say so, and go back to the whole run", async () => {
    await whole(page);
    await page.eval("tasklensApp.showTable('codelet')");
    await page.until("document.querySelectorAll('.table tbody tr').length > 1");
    const before = await table(page);
    await selectPart(0.45, 0.55);
    await page.until("document.querySelector('.table .of')");
    const { fromNs, toNs } = await page.eval(SELECTION);
    const zeroNs = await page.eval("tasklensApp.overview.zeroNs"), line = await page.eval("document.querySelector('.table .of').textContent");
    const told = [...line.matchAll(/-?[\d.]+ (ns|µs|ms|s)\b/g)].map(([text]) => nsOf(text));
    for (const [i, ns] of [fromNs - zeroNs, toNs - zeroNs, toNs - fromNs].entries()) holds(Math.abs(told[i] - ns) <= (toNs - fromNs) / 100, `${line}: ${ns}`);
    for (const by of ["site", "worker", "state", "codelet"]) {
      await page.eval(`tasklensApp.showTable("${by}")`);
      const { groups } = await page.eval(`tasklensApp.host.request("tasklens/stats", { by: "${by}", fromNs: ${fromNs}, toNs: ${toNs} })`);
      await page.until(`document.querySelector(".table .choices [aria-pressed=true]").textContent === ${JSON.stringify({ site: "Lines", worker: "Workers", state: "States", codelet: "Codelets" }[by])} &&
        document.querySelectorAll(".table tbody tr").length === ${groups.length}`);
      equal((await table(page)).map(([name, many]) => [name, many]).sort(), groups.map(({ label, tasks }) => [label, tasks.toLocaleString("en-US")]).sort(), `rows by ${by}`);
      holds((await page.eval("document.querySelector('.table th:nth-child(3)').title")).startsWith("Their time within the stretch"), "the columns' tips");
    }
    await shot(page, `stretch_table_${host}`);
    await button(page, "Back to the whole run");
    await page.until("!document.querySelector('.table .of') && !tasklensApp.selected");
    equal(await table(page), before, "the rows");
  });
  await check("another selection ends it: of a codelet in its table the tasks stand out, and the numbers are of the whole run", async () => {
    await whole(page);
    await page.eval("tasklensApp.showTable('codelet')");
    await selectPart(0.45, 0.55);
    await page.until("document.querySelector('.table .of') && document.querySelector('.table tr[data-codelet=step]')");
    await page.eval("document.querySelector('.table tr[data-codelet=step]').click()");
    await page.until("tasklensApp.selected?.kind === 'codelet' && tasklensApp.focus && !document.querySelector('.table .of')");
    equal(await page.eval("document.querySelector('.table tr[data-codelet=step]').getAttribute('aria-selected')"), "true", "whether its row is marked");
    await page.key("Backspace");
    await page.until(`${isMeasured} && document.querySelector('.table .of') && !tasklensApp.focus`);
  });
  await whole(page);
};
