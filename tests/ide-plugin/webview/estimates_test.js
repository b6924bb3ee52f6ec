#!/usr/bin/env node
// SPDX-License-Identifier: Apache-2.0
// What perfmodels expected of tasks, beside what these took: on a page that asks a server, in a report, in
// JSON and in a picture.
"use strict";
const fs = require("fs");
const path = require("path");
const { execFileSync } = require("child_process");
const { READY, equal, holds, report, run, serve, shot, work } = require("./checks.js");

const [, , tasklens, program] = process.argv;
const EXPECTED = { fast: 4000000, slow: 1000000, unknown: null };
// A task that begins in a pixel with others is shown from the border of that pixel on.
const sameLength = (length, name, pixelNs) => length === null ? equal(length, EXPECTED[name], `what was expected of ${name}`)
  : holds(Math.abs(length - EXPECTED[name]) <= 2 * pixelNs, `${length} ns were expected of ${name}`);

run(async (check, browser) => {
  const folder = path.join(work, "expected");
  execFileSync(tasklens, ["run", "-o", folder, "--", program], { stdio: ["ignore", "ignore", "inherit"] });
  const hosts = { served: (await serve(tasklens, folder)).address, report: report(tasklens, folder, "expected") };
  // Of each task in the timeline: its name, its length, and how long it was expected to be (null: nobody knows).
  const lengths = `(({ data: { answer, texts } }) => answer.rows.flatMap(({ layers }) => layers.filter(Boolean).flatMap((layer) =>
    [...layer.task.keys()].filter((i) => layer.task[i] >= 0 && layer.count[i] === 1 && layer.name[i] >= 0).map((i) => ({ name: texts.names[layer.name[i]],
      length: layer.end[i] - layer.start[i], expected: layer.expectedEnd?.[i] >= 0 ? Math.round(layer.expectedEnd[i] - layer.start[i]) : null })))))(tasklensApp.timeline)`;
  for (const [host, address] of Object.entries(hosts)) {
    const page = await browser.open(address, { dark: host === "report" });
    await page.until(READY);
    await check(`no estimates are shown or asked for before somebody wants them: ${host}`, async () => {
      equal(await page.eval("tasklensApp.timeline.data.answer.rows.some(({ layers }) => layers.some((layer) => layer?.expectedEnd))"), false, "columns");
      equal(await page.eval("document.querySelector('.legend.states').textContent.includes('expected')"), false, "legend");
    });
    await check(`a line beneath each task is as long as its perfmodel said: ${host}`, async () => {
      await page.key("m");
      await page.until("tasklensApp.timeline.data.answer.rows.some(({ layers }) => layers.some((layer) => layer?.expectedEnd))");
      const tasks = await page.eval(lengths), pixelNs = await page.eval("(({ fromNs, toNs, pixels }) => (toNs - fromNs) / pixels)(tasklensApp.timeline.data.answer)");
      equal(tasks.length, 12, "tasks");
      for (const { name, length, expected } of tasks) {
        sameLength(expected, name, pixelNs);
        holds(length + 2 * pixelNs >= (name === "fast" ? 2e6 : 3e6), `${name} took ${length} ns`);
      }
      equal(await page.eval("document.querySelector('.checks input[value=estimates]').checked"), true, "ticked in the menu");
      await page.until("document.querySelector('.legend.states').textContent.startsWith('expected')");
      holds((await page.eval("location.hash")).includes("show=estimates") || await page.until("location.hash.includes('show=estimates')") === undefined, "the link says so");
      await shot(page, `expected_${host}`);
    });
    await check(`a line of the colour of texts ends where the task should have: ${host}`, async () => {
      // A task that took longer than expected, near by: another program may have held up the run for long.
      const [from, to] = await page.eval(`(() => {
        const { answer, texts } = tasklensApp.timeline.data;
        for (const { layers: [layer] } of answer.rows)
          for (const i of layer?.task.keys() ?? [])
            if (layer.task[i] >= 0 && layer.count[i] === 1 && texts.names[layer.name[i]] === "slow") return [answer.fromNs + layer.start[i], answer.fromNs + layer.start[i] + 3000000];
      })()`);
      await page.eval(`tasklensApp.timeline.show(${from} - 500000, ${to})`);
      await page.until(`(({ answer }) => answer.toNs - answer.fromNs < 20000000 && answer.rows.some(({ layers: [layer] }) => layer?.expectedEnd))(tasklensApp.timeline.data)`);
      await page.drawn();
      const seen = await page.eval(`(() => {
        const { timeline } = tasklensApp, { answer, texts } = timeline.data, ratio = timeline.surface.canvas.width / timeline.surface.width;
        for (const { row, layers: [layer] } of answer.rows) {
          const i = layer ? [...layer.task.keys()].findIndex((one) => layer.task[one] >= 0 && layer.count[one] === 1 && layer.start[one] + answer.fromNs >= ${from} - 400000 && texts.names[layer.name[one]] === "slow") : -1;
          const place = i < 0 ? null : timeline.layout.places.find((one) => one.row === row);
          if (!place) continue;
          const xOf = (ns) => timeline.xOf(answer.fromNs + ns), y = place.y + place.height - timeline.scroll;
          const at = (x, up) => [...timeline.surface.canvas.getContext("2d").getImageData(Math.round(x * ratio), Math.round((y + 0.4 - up) * ratio), 1, 1).data].slice(0, 3).join();
          // The line of the task before may reach as far.
          const isCovered = [...layer.expectedEnd.keys()].some((k) => k !== i && layer.start[k] <= layer.expectedEnd[i] && xOf(layer.expectedEnd[k]) >= xOf(layer.expectedEnd[i]) + 4);
          return { isCovered, line: at((xOf(layer.start[i]) + xOf(layer.expectedEnd[i])) / 2, 0), behind: at(xOf(layer.expectedEnd[i]) + 5, 0),
                   tick: at(Math.round(xOf(layer.expectedEnd[i])) - 0.5, 3), text: tasklensApp.theme.text };
        }
      })()`);
      const rgb = await page.eval(`(() => { const c = document.createElement("canvas").getContext("2d"); c.fillStyle = ${JSON.stringify(seen.text)}; c.fillRect(0, 0, 1, 1); return [...c.getImageData(0, 0, 1, 1).data].slice(0, 3).join(); })()`);
      equal(seen.line, rgb, "the line");
      equal(seen.tick, rgb, "the tick at its end");
      holds(seen.isCovered || seen.behind !== rgb, "nothing behind it");
    });
    await check(`the tip of a task says it too, and the key takes all of it away: ${host}`, async () => {
      const hit = await page.eval(`(() => {
        const { timeline } = tasklensApp, { answer } = timeline.data;
        const { row, layers: [layer] } = answer.rows.find(({ layers }) => layers[0]?.expectedEnd?.some((end) => end >= 0));
        const i = [...layer.expectedEnd].findIndex((end) => end >= 0);
        return [timeline.data.sliceAt(row, answer.fromNs + (layer.start[i] + layer.end[i]) / 2, 0).expectedEndNs, answer.fromNs + layer.expectedEnd[i]];
      })()`);
      equal(hit[0], hit[1], "the end");
      await shot(page, `expected_near_${host}`);
      await page.key("m");
      await page.until("!tasklensApp.timeline.data.answer.rows.some(({ layers }) => layers.some((layer) => layer?.expectedEnd))");
      equal(await page.eval("document.querySelector('.legend.states').textContent.includes('expected')"), false, "legend");
      equal(page.problems, [], "complaints");
    });
    await page.close();
  }
  await check("the command tells the same as JSON and as a picture", async () => {
    const timeline = (...words) => execFileSync(tasklens, ["timeline", folder, "--pixels", "2000", ...words], { stdio: ["ignore", "pipe", "inherit"] }).toString();
    const answer = JSON.parse(timeline("--json", "--estimates")), slices = answer.rows.flatMap(({ layers }) => layers.flat()).filter(({ task, state, count }) => task && state === "Task" && count === 1);
    equal(slices.length, 12, "tasks");
    for (const { task, start_ns, expected_end_ns } of slices)
      sameLength(expected_end_ns === null ? null : expected_end_ns - start_ns, task.name, (answer.end_ns - answer.begin_ns) / answer.pixels);
    holds(!timeline("--json").includes("expected_end_ns"), "only when it is asked for");
    const picture = path.join(work, "expected.svg");
    timeline("--estimates", "-o", picture);
    equal([...fs.readFileSync(picture, "utf8").matchAll(/class="expected"/g)].length, 8, "lines");
  });
});
