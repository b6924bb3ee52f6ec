#!/usr/bin/env node
// SPDX-License-Identifier: Apache-2.0
// Names, files and data that are attacks arrive on the page as the text that they are.
"use strict";
const path = require("path");
const { execFileSync } = require("child_process");
const { READY, equal, holds, report, run, shot, work } = require("./checks.js");

const [, , tasklens, program] = process.argv;
const PREPARE = "globalThis.hacks = 0; globalThis.hacked = () => { ++hacks; };";

run(async (check, browser) => {
  const folder = path.join(work, "hostile");
  execFileSync(tasklens, ["run", "-o", folder, "--", program], { stdio: ["ignore", "ignore", "inherit"] });
  const page = await browser.open(report(tasklens, folder, "hostile"), { prepare: PREPARE });
  await page.until(READY);

  const unharmed = async () => {
    equal(await page.eval("hacks"), 0, "scripts that ran");
    equal(await page.eval("document.querySelectorAll('img, iframe, object, svg:not(.plots .sheet > svg), b > b').length"), 0, "foreign elements");
    equal(await page.eval("document.querySelectorAll('script').length"), 1, "scripts of the page");
    equal(page.problems, [], "complaints");
  };

  await check("the first screen shows attacks as text", async () => {
    await unharmed();
    holds(await page.eval("document.documentElement.scrollWidth <= innerWidth"), "a name of 10,000 letters widens nothing");
    holds((await page.eval("document.querySelector('.overview').textContent")).includes("script>.c:7"), "the line's file is shown");
    await shot(page, "hostile");
  });
  await check("every task can be selected", async () => {
    const names = await page.eval("tasklensApp.host.request('tasklens/search', { text: '' }).then(() => tasklensApp.host.answers.tasks.header.texts.names)");
    for (const name of ["<img src=x onerror=hacked()>", "\"><script>hacked()</script>", "__proto__", "constructor", "W".repeat(10000)])
      holds(names.includes(name), `the trace has ${name.slice(0, 40)}`);
    const { tasks } = await page.eval("tasklensApp.host.request('tasklens/search', { text: 'hacked' })");
    holds(tasks.length >= 36, `${tasks.length} tasks are found`);
    for (const { task, name } of tasks.slice(0, 20)) {
      await page.eval(`tasklensApp.select({ task: ${task} }, { reveal: true })`);
      await page.until(`tasklensApp.selectedTask?.task === ${task} && document.querySelector(".panel h2")`);
      equal(await page.eval("document.querySelector('.panel h2').title"), name, "the name in the panel");
    }
    await unharmed();
  });
  await check("files and functions of 10,000 letters or of markup are text, in panel, tables, search and tips", async () => {
    const long = "W".repeat(10000);
    const { sites } = await page.eval("tasklensApp.host.request('tasklens/search', { text: 'WWWW' })");
    equal(sites.map(({ file, function: name }) => [file, name.slice(0, 40)]).sort(), [[long, "</b><img src=x onerror=hacked()>"], ...Array(3).fill([long, long.slice(0, 40)])], "lines, two of which wait");
    for (const { site } of sites) {
      await page.eval(`tasklensApp.select({ site: ${site} })`);
      await page.until(`tasklensApp.selected?.site === ${site} && document.querySelector(".panel h2")`);
      holds(await page.eval("document.documentElement.scrollWidth <= innerWidth && document.querySelector('.panel').scrollWidth <= document.querySelector('.panel').clientWidth + 1"), "nothing is widened");
      holds(await page.eval("document.querySelector('.panel .body').scrollHeight < 2000"), "nor much longer");
    }
    await page.eval(`tasklensApp.openSource({ site: ${sites[0].site} })`);
    await page.until("tasklensApp.message.textContent.includes('WWWW')");
    holds(await page.eval("tasklensApp.message.getBoundingClientRect().height < innerHeight / 4"), "the message line is no page");
    await shot(page, "hostile_line");
    await page.eval("tasklensApp.search.ask('WWWW')");
    await page.until("document.querySelectorAll('.hit').length > 1");
    await page.eval("tasklensApp.search.close(), tasklensApp.showTable('site')");
    await page.until("document.querySelectorAll('tbody tr').length > 2");
    holds(await page.eval("document.documentElement.scrollWidth <= innerWidth"), "the table widens nothing");
    // Which lines have findings differs from run to run.
    await page.eval(`tasklensApp.overview.findings.unshift({ rule: "r", severity: "warning", message: "W".repeat(10000), file: "W".repeat(10000), line: 7, site: null, costNs: 1000,
      evidence: { ["w".repeat(10000)]: "W".repeat(10000) } }), tasklensApp.overviewView.load(), tasklensApp.showPanel("findings")`);
    await page.until("document.querySelector('.panel .finding')");
    holds(await page.eval("document.documentElement.scrollWidth <= innerWidth && document.querySelector('.overview').offsetHeight < 400"), "a finding widens nothing");
    holds(await page.eval("document.querySelector('.panel .body').scrollWidth <= document.querySelector('.panel .body').clientWidth + 1"), "nor the panel");
    await shot(page, "hostile_findings");
    await page.eval("tasklensApp.overview.findings.shift(), tasklensApp.overviewView.load(), tasklensApp.showPanel('selection')");
    await unharmed();
  });
  await check("tables, search and the tip hold", async () => {
    for (const by of ["codelet", "site", "worker", "state"]) {
      await page.eval(`tasklensApp.showTable("${by}")`);
      await page.until("document.querySelectorAll('tbody tr').length > 0");
    }
    await page.eval("tasklensApp.search.ask('script')");
    await page.until("document.querySelectorAll('.hit').length > 1");
    await page.eval("tasklensApp.tip({ clientX: 9, clientY: 9 }, '<img src=x onerror=hacked()>', ['<b>hacked()</b>'])");
    await unharmed();
    await shot(page, "hostile_search");
  });
  await check("plots are pictures and nothing else", async () => {
    for (const kind of await page.eval("tasklensApp.plots.kinds.map(({ name }) => name)")) {
      await page.eval(`tasklensApp.store.set({ pane: "plots", plot: { kind: "${kind}", by: null, codelet: null } })`);
      await page.until(`tasklensApp.plots.answer?.kind === "${kind}" && tasklensApp.plots.isShown`);
      equal(await page.eval("[...document.querySelectorAll('.plots .sheet svg *')].filter((one) => !['title', 'rect', 'path', 'circle', 'text'].includes(one.localName)).length"), 0, "what does not belong");
      await unharmed();
    }
    const [name] = await page.eval("tasklensApp.allNames.filter((one) => one.includes('hacked'))");
    await page.eval(`tasklensApp.store.set({ plot: { kind: "durations", by: null, codelet: ${JSON.stringify(name)} } })`);
    await page.until("tasklensApp.store.state.plot.codelet !== null && tasklensApp.plots.isShown");
    holds(await page.eval("document.documentElement.scrollWidth <= innerWidth"), "names widen nothing");
    await unharmed();
    await shot(page, "hostile_plot");
  });
  await check("an exported SVG is a picture and nothing else", async () => {
    await page.eval(`globalThis.saved = []; URL.createObjectURL = (blob) => { saved.push(blob); return "blob:x"; };
      HTMLAnchorElement.prototype.click = () => {}; tasklensApp.store.set({ pane: "graph" })`);
    await page.eval("tasklensApp.store.set({ pane: 'plots', plot: { kind: 'durations', by: null, codelet: null } })");
    await page.until("tasklensApp.plots.isShown && tasklensApp.plots.answer.svg");
    for (const what of ["timeline", "graph", "plot"]) await page.eval(`tasklensApp.export("${what}", "svg")`);
    for (const i of [0, 1, 2])
      equal(await page.eval(`(async () => [...new DOMParser().parseFromString(await saved[${i}].text(), "image/svg+xml")
        .querySelectorAll("script, foreignObject, image, a, parsererror, [onload], [onerror]")].length)()`), 0, "what does not belong");
  });
  await check("a link of a stranger changes nothing but the view", async () => {
    const evil = await browser.open(report(tasklens, folder, "hostile2") +
      "#view=9-1&task=<img>&group=%3Cimg%20src%3Dx%20onerror%3Dhacked()%3E&by=x,__proto__&open=%E0%A4&table=evil&site=99999999", { prepare: PREPARE });
    await evil.until(READY);
    equal(await evil.eval("hacks"), 0, "scripts that ran");
    equal(evil.problems, [], "complaints");
  });
});
