#!/usr/bin/env node
// SPDX-License-Identifier: Apache-2.0
// A codelet has one colour, wherever it is shown: what each picture and file writes is compared. And the
// tasks of one codelet that have colours of their own, and tags.
"use strict";
const fs = require("fs");
const path = require("path");
const { execFileSync } = require("child_process");
const { READY, equal, holds, report, run, serve, shot, work } = require("./checks.js");

const [, , tasklens, program] = process.argv;

run(async (check, browser) => {
  const folder = path.join(work, "codelets"), files = path.join(work, "files");
  execFileSync(tasklens, ["run", "-o", folder, "--", program], { stdio: ["ignore", "ignore", "inherit"] });
  execFileSync(tasklens, ["convert", folder, "-o", files, "--to", "svg,paraver"], { stdio: "ignore" });
  const written = (name) => fs.readFileSync(path.join(files, name), "utf8");
  const drawn = (...words) => {
    const file = path.join(work, `${words[0]}.svg`);
    execFileSync(tasklens, [words[0], folder, "--svg", file, ...words.slice(1)], { stdio: "ignore" });
    return fs.readFileSync(file, "utf8");
  };
  const page = await browser.open((await serve(tasklens, folder)).address);
  await page.until(`${READY} && tasklensApp.graph.layout`);
  const file = await browser.open(report(tasklens, folder, "codelets"));
  await file.until(`${READY} && tasklensApp.graph.layout`);
  const paintsOf = "Object.fromEntries(tasklensApp.allNames.map((name) => [name, tasklensApp.colors.paint(name)]))";
  const paints = await page.eval(paintsOf);

  // That each pair of a codelet and a colour is the page's, and that there are `least` codelets.
  const same = (pairs, least) => {
    const known = pairs.filter(([name]) => name in paints && name !== "several");
    holds(new Set(known.map(([name]) => name)).size >= least, `${known.length} codelets are painted`);
    for (const [name, color] of known) equal(color, paints[name].color, name);
  };
  const filled = (text) => [...text.matchAll(/<title>([^<\n]*)[^<]*<\/title><rect[^>]*fill="(#[0-9a-f]{6})"/g)].map(([, name, color]) => [name, color]);

  await check("the page has a colour for each of 42 codelets, some with stripes", async () => {
    equal(Object.keys(paints).length, 42, "codelets");
    equal(paints.chosen, { color: "#00aa55", stripes: 0 }, "the program's choice");
    holds(Object.values(paints).some(({ stripes }) => stripes > 1), "names share colours");
  });
  await check("a report has the same", async () => {
    equal(await file.eval(paintsOf), paints, "colours");
  });
  for (const [host, one] of [["served", page], ["report", file]]) {
    const GRAPH = "tasklensApp.graph";
    const swatch = (where) => `[...document.querySelectorAll(${JSON.stringify(`${where} .swatch`)})].map((one) => "#" + getComputedStyle(one).backgroundColor.match(/\\d+/g).map((byte) => Number(byte).toString(16).padStart(2, "0")).join(""))`;
    const own = ["#112200", "#224400", "#336600"];
    await check(`a task has its own colour in panel, search, timeline and graph: ${host}`, async () => {
      await one.toFront();
      await one.eval("tasklensApp.search.ask('several')");
      await one.until("document.querySelectorAll('.hit').length >= 3");
      equal((await one.eval(swatch(".hits"))).sort(), own, "what was found");
      const { tasks } = await one.eval("tasklensApp.host.request('tasklens/search', { text: 'several' })");
      equal(tasks.length, 3, "tasks");
      const seen = [];
      for (const { task } of tasks) {
        await one.eval(`tasklensApp.select({ task: ${task} }, { reveal: true })`);
        await one.until(`tasklensApp.selectedTask?.task === ${task} && document.querySelector(".panel h2")?.title === "several"`);
        const [color] = await one.eval(swatch(".panel header"));
        seen.push(color);
        equal(await one.eval(`${GRAPH}.colorOf(${GRAPH}.answer.nodes.task.indexOf(${task}))`), color, "the graph's");
      }
      equal(seen.sort(), own, "the panel's");
      await shot(one, `own_task_${host}`);
    });
    await check(`a tag of 64 bits is found, and no other: ${host}`, async () => {
      for (const [text, count] of [["0x1000000000000007", 1], ["1152921504606846983", 1], ["0x1000000000000005", 0], ["0x11000000000000007", 0]])
        equal(await one.eval(`tasklensApp.host.request("tasklens/search", { text: "${text}" }).then(({ count }) => count)`), count, text);
    });
    await check(`so it has in what a task waited for last: ${host}`, async () => {
      const found = await one.eval(`(async () => { const { tasks } = await tasklensApp.host.request("tasklens/search", { text: "several" });
        return Promise.all(tasks.map(async ({ task }) => (await tasklensApp.host.request("tasklens/why", { task })).chain[0].task.ownRgb)); })()`);
      equal(found.sort((a, b) => a - b), [0x112200, 0x224400, 0x336600], "colours");
    });
    await check(`the graph shows the task with a tag of 64 bits, undone and in the link: ${host}`, async () => {
      const { tasks: [, wanted] } = await one.eval("tasklensApp.host.request('tasklens/search', { text: 'several' })");
      await one.eval(`tasklensApp.select({ task: ${wanted.task} })`);
      await one.until(`tasklensApp.selectedTask?.task === ${wanted.task}`);
      await one.until("[...document.querySelectorAll('.panel button')].some(({ textContent }) => textContent === 'All with its tag')");
      await one.eval("[...document.querySelectorAll('.panel button')].find(({ textContent }) => textContent === 'All with its tag').click()");
      await one.until(`${GRAPH}.wish.focus?.tag === "0x1000000000000007" && ${GRAPH}.answer.nodes.task.join() === "${wanted.task}"`);
      equal(await one.eval(`[${GRAPH}.answer.nodes.label[0], ${GRAPH}.colorOf(0)]`), ["several", "#224400"], "what is shown");
      holds((await one.eval("document.querySelector('.overlay').textContent")).includes("With tag 0x1000000000000007"), "it says what is shown");
      await shot(one, `tag_${host}`);
      await one.until("location.hash.includes('focus=tag:0x1000000000000007')");
      await one.eval("tasklensApp.store.undo()");
      await one.until(`${GRAPH}.wish.focus === null && ${GRAPH}.answer.nodes.task.length > 100`);
      await one.eval("location.hash = '#focus=tag:0x1000000000000007'");
      await one.until(`${GRAPH}.answer.nodes.task.join() === "${wanted.task}"`);
      equal(one.problems, [], "complaints");
      await one.eval("tasklensApp.select(null), tasklensApp.graph.focusOn(null)");
    });
  }
  await page.toFront();
  await check("the SVG of the graph has the same", () => same(filled(drawn("graph", "--group", "codelet")), 41));
  await check("the SVG of tasks one by one has the same, and each task's own", () => {
    const nodes = filled(drawn("graph"));
    same(nodes, 41);
    equal(nodes.filter(([name]) => name === "several").map(([, color]) => color).sort(), ["#112200", "#224400", "#336600"], "own colours");
  });
  await check("the SVG of the timeline has the same, also of what its legend has no room for", () => {
    // So many pixels that a task has its own also where the machine was busy and the run took long.
    const slices = [...drawn("timeline", "--pixels", "20000").matchAll(/fill="(#[0-9a-f]{6})"[^>]*><title>([^<\n]*), job/g)].map(([, color, name]) => [name, color]);
    same(slices, 32);
  });
  await check("dag.svg has the same", () => same(filled(written("dag.svg")), 41));
  await check("Paraver's labels have the same", () => {
    const section = (text, begin) => text.split(begin)[1].split("\n\n")[0];
    const labels = written("trace.pcf");
    const rgbOf = new Map([...section(labels, "STATES_COLOR\n").matchAll(/^(\d+) +\{(\d+),(\d+),(\d+)\}$/gm)].map(([, number, ...rgb]) =>
      [number, "#" + rgb.map((byte) => Number(byte).toString(16).padStart(2, "0")).join("")]));
    same([...section(labels, /^\d+ +\d+ +Task\nVALUES\n/m).matchAll(/^(\d+) +(.*)$/gm)].map(([, number, name]) => [name, rgbOf.get(number)]), 41);
  });
  await check("the page's own export has the same", async () => {
    await page.eval(`globalThis.saved = []; URL.createObjectURL = (blob) => { saved.push(blob); return "blob:x"; }; HTMLAnchorElement.prototype.click = () => {};`);
    await page.eval("tasklensApp.store.set({ graph: { group: ['codelet'], open: [], focus: null } })");
    await page.until("tasklensApp.graph.answer.group.join() === 'codelet'");
    await page.eval("tasklensApp.export('graph', 'svg')");
    const fills = await page.eval("saved[0].text().then((text) => [...new Set([...text.matchAll(/fill=\"(#[0-9a-f]{6})\"/g)].map(([, color]) => color))])");
    for (const [name, { color }] of Object.entries(paints)) holds(fills.includes(color), `${name}'s ${color}`);
    equal(page.problems, [], "complaints");
    await shot(page, "codelets");
  });
});
