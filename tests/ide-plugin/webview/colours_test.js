#!/usr/bin/env node
// SPDX-License-Identifier: Apache-2.0
// A codelet has one colour, wherever it is shown: what each picture and file writes is compared.
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
    const file = await browser.open(report(tasklens, folder, "codelets"));
    await file.until(READY);
    equal(await file.eval(paintsOf), paints, "colours");
    equal(file.problems, [], "complaints");
    await file.close();
    await page.toFront();
  });
  await check("the SVG of the graph has the same", () => same(filled(drawn("graph", "--group", "codelet")), 41));
  await check("the SVG of tasks one by one has the same, and each task's own", () => {
    const nodes = filled(drawn("graph"));
    same(nodes, 41);
    equal(nodes.filter(([name]) => name === "several").map(([, color]) => color).sort(), ["#112200", "#224400", "#336600"], "own colours");
  });
  await check("the SVG of the timeline has the same, also of what its legend has no room for", () => {
    const slices = [...drawn("timeline").matchAll(/fill="(#[0-9a-f]{6})"[^>]*><title>([^<\n]*), job/g)].map(([, color, name]) => [name, color]);
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
