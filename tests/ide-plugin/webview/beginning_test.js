#!/usr/bin/env node
// SPDX-License-Identifier: Apache-2.0
// A page of a large trace: its beginning is there at once, says that it is one, and becomes the whole.
"use strict";
const path = require("path");
const { execFileSync } = require("child_process");
const checks = require("./checks.js");
const { READY, equal, holds, run, shot, work } = checks;

const [, , tasklens, largeTrace, small] = process.argv;
process.env.TASKLENS_SAVED_TRACES = "off";

const text = (selector) => `document.querySelector(${JSON.stringify(selector)}).textContent`;
const WHOLE = `${READY} && tasklensApp.overview.read === 1 && tasklensApp.overview.findings && !tasklensApp.isRunning && !tasklensApp.isGrowing`;

run(async (check, browser) => {
  const trace = path.join(work, "prof_file_0");
  execFileSync(largeTrace, [small, "120", trace]);  // 586 MB
  const serve = (...options) => checks.serve(tasklens, trace, options);

  await check("a beginning says that it is one, and leaves out what is about a whole run", async () => {
    // The rest does not fit.
    const { server, address } = await serve("--first-mib", "16", "--memory-limit-mib", "70");
    const page = await browser.open(address);
    await page.until(`${READY} && tasklensApp.graph.layout && ${text(".running")} === "first 2.9 % only"`);
    holds((await page.eval("document.querySelector('.running').title")).includes("needs more than the 70 MiB of the option --memory-limit-mib"), "it says why");
    holds((await page.eval(text(".facts"))).includes("not run yet"), "tasks that came later did not fail");
    const cards = await page.eval("[...document.querySelectorAll('.card')].map((card) => card.textContent)");
    holds(cards.some((card) => card === "FindingsKnown when all of the trace is read"), `findings: ${cards}`);
    equal(await page.eval("Math.max(...tasklensApp.overview.profile.shares[0]) > 0.5 && tasklensApp.overview.profile.toNs === tasklensApp.overview.endNs"), true, "the small picture shows the beginning");
    await page.eval("tasklensApp.toggleCritical()");
    await page.until(`${text(".message")} === "The critical path is known when all of the trace is read."`);
    equal(await page.eval("tasklensApp.store.state.critical"), false, "whether a path is marked");
    equal(page.problems, [], "complaints");
    await shot(page, "beginning");
    server.kill();
  });
  await check("the rest comes by itself", async () => {
    const { server, address } = await serve("--first-mib", "16");
    const page = await browser.open(address);
    await page.until(WHOLE);
    equal(await page.eval("document.querySelector('.running').hidden"), true, "whether anything is said beside the title");
    const tasks = await page.eval("tasklensApp.overview.tasks");
    equal(tasks, 120 * 2202, "tasks");
    equal(await page.eval("tasklensApp.timeline.view.to === tasklensApp.timeline.home.to && tasklensApp.timeline.home.to === tasklensApp.overview.endNs"), true, "the whole run is in sight");
    await page.until(`tasklensApp.graph.answer.tasksTotal === ${tasks}`);
    equal(page.problems, [], "complaints");
    await shot(page, "beginning_whole");
    server.kill();
  });
  await check("a link into what is not read yet is followed when it is", async () => {
    const { server, address } = await serve("--first-mib", "16");
    const page = await browser.open(`${address}#view=1000000000-1200000000&pane=table`);
    await page.until(WHOLE);
    await page.until("document.querySelector('tbody tr')");
    equal(await page.eval("tasklensApp.timeline.view"), { from: 1e9, to: 1.2e9 }, "the view");
    equal(page.problems, [], "complaints");
    server.kill();
  });
});
