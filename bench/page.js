#!/usr/bin/env node
// SPDX-License-Identifier: Apache-2.0
// What the web app costs in a real browser, with a large trace: how long a report takes to open, what
// the page does for a frame while panning and zooming, and its memory.
//
//     bazel run //bench:page [-- TASKS | TRACE [explain]]
//
// With `explain`, each frame above the target says what it was spent on.
// Times are of the page's main thread, read from Chromium's own trace: processor time, and because
// other programs disturb it also that of the clock. Own work for a frame is everything that this
// thread did from one frame to the next (script, style, layout, recording what is to be painted), but
// for the painting itself, which a graphics processor would do and which is the processor's here, and
// for what the browser was given to do while no frame is due, of which the longest piece is said apart.
"use strict";
const fs = require("fs");
const os = require("os");
const path = require("path");
const { execFileSync, spawn } = require("child_process");

const { Browser } = require("../tests/ide-plugin/webview/browser.js");

const tasklens = path.resolve("server/command_line/tasklens");
const small = path.resolve("tests/data/starpu/stencil_2k/prof_file_0");
const READY = "document.body.dataset.ready === 'yes'";
const TASKS_OF_STENCIL = 2202;
const explaining = process.argv[3] === "explain";
const TARGET_MS = 8;  // of own work for a frame

const percentile = (values, share) => values.slice().sort((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))];

// Records Chromium's trace while `work` runs; its events.
async function traced(page, work) {
  const { chromium } = page.browser;
  await chromium.startTracing(page.page, { categories: ["toplevel", "devtools.timeline", "blink.user_timing", "disabled-by-default-devtools.timeline"] });
  await work();
  return JSON.parse((await chromium.stopTracing()).toString()).traceEvents;
}

// The main thread of the page: the one that fires animation frames.
function mainThread(events) {
  const frame = events.find((event) => event.name === "FireAnimationFrame" || event.name === "ParseHTML");
  return (event) => event.pid === frame.pid && event.tid === frame.tid;
}

// Milliseconds of the main thread for each frame, which ends when the browser takes the page over
// ("Commit"): {own, wall, all}, see above. And the longest piece of work while none was due.
function frames(events) {
  const isMain = mainThread(events);
  const spans = (wanted) => events.filter((event) => isMain(event) && event.ph === "X" && wanted.test(event.name)).sort((a, b) => a.ts - b.ts);
  const commits = spans(/^Commit$/), list = [];
  const idle = spans(/^FireIdleCallback$/);
  let frame = { own: 0, wall: 0, all: 0, tasks: [] }, next = 0, nextIdle = 0;
  for (const task of spans(/^RunTask$|ThreadControllerImpl::RunTask$/)) {
    if (task.ts < frame.until) continue;  // within another one
    frame.until = task.ts + task.dur;
    frame.tasks.push(task);
    const share = (span, field) => (span[field] ?? span.dur) / 1000;
    let taken = { wall: 0, all: 0 }, ends = false;
    for (; next < commits.length && commits[next].ts < frame.until; ++next, ends = true)
      taken = { wall: taken.wall + share(commits[next], "dur"), all: taken.all + share(commits[next], "tdur") };
    frame.all += share(task, "tdur");
    for (; nextIdle < idle.length && idle[nextIdle].ts < frame.until; ++nextIdle) {
      taken = { wall: taken.wall + share(idle[nextIdle], "dur"), all: taken.all + share(idle[nextIdle], "tdur") };
      frame.all -= share(idle[nextIdle], "tdur");
    }
    frame.own += share(task, "tdur") - taken.all;
    frame.wall += share(task, "dur") - taken.wall;
    if (!ends) continue;
    list.push(frame);
    frame = { own: 0, wall: 0, all: 0, tasks: [], until: frame.until };
  }
  return { list, longestIdle: Math.max(0, ...idle.map((span) => (span.tdur ?? span.dur) / 1000)) };
}

// What a frame was spent on, the most first: milliseconds of processor time of each kind of work, without that within it.
function explain(events, frame) {
  const isMain = mainThread(events), spent = new Map();
  for (const task of frame.tasks) {
    const inside = events.filter((event) => isMain(event) && event.ph === "X" && event.ts >= task.ts && event.ts + event.dur <= task.ts + task.dur);
    inside.sort((a, b) => a.ts - b.ts || b.dur - a.dur);
    const open = [];
    for (const event of inside) {
      while (open.length && open[open.length - 1].until <= event.ts) open.pop();
      const time = (event.tdur ?? event.dur) / 1000, data = event.args?.data ?? {};
      const name = event.name + (data.functionName ? ` ${data.functionName}:${data.lineNumber}` : "") + (data.type ? ` ${data.type}` : "");
      spent.set(name, (spent.get(name) ?? 0) + time);
      if (open.length) spent.set(open[open.length - 1].name, spent.get(open[open.length - 1].name) - time);
      open.push({ name, until: event.ts + event.dur });
    }
  }
  return [...spent].filter(([, time]) => time >= 0.2).sort((a, b) => b[1] - a[1]).map(([name, time]) => `${name} ${time.toFixed(1)}`).join(", ");
}

function say(what, { list, longestIdle }) {
  const text = (kind) => {
    const values = list.map((one) => one[kind]);
    return `median ${percentile(values, 0.5).toFixed(1)}, 95 % ${percentile(values, 0.95).toFixed(1)}, most ${Math.max(...values).toFixed(1)} ms, ${values.filter((value) => value > TARGET_MS).length} above ${TARGET_MS}`;
  };
  console.log(`${what.padEnd(36)} ${list.length} frames: own work ${text("own")}; by the clock ${text("wall")}; with the browser's painting ${text("all")}; longest piece while none was due ${longestIdle.toFixed(1)} ms`);
}

// Moves and zooms as a user does: a step of the wheel or of a drag for each frame; of jumps the frames that follow.
async function exercise(page, view, kind) {
  const boxOf = (name) => page.eval(`(({ left, top, width, height }) => ({ left, top, width, height }))(tasklensApp.${name}.surface.canvas.getBoundingClientRect())`);
  const box = await boxOf(view), x = box.left + box.width * 0.6, y = box.top + box.height * (view === "graph" ? 0.5 : 0.3);
  const frames = async (count) => { for (let i = 0; i < count; ++i) await page.eval("new Promise((resolve) => requestAnimationFrame(() => resolve()))"); };
  if (kind === "zoom") {
    for (let i = 0; i < 60; ++i) { await page.wheel(x, y, i < 40 ? -100 : 150); await frames(1); }
  } else if (kind === "pan") {
    await page.move(x, y);
    await page.page.mouse.down();
    for (let i = 0; i < 60; ++i) { await page.move(x - 300 * Math.sin(i / 8), y); await frames(1); }
    await page.page.mouse.up();
  } else {
    // From the whole run to a hundredth of it, and from there all over the run.
    await page.key("0");
    for (let i = 0; i < 9; ++i) { await page.key("w"); await frames(2); }
    const small = await boxOf("minimap");
    for (let i = 0; i < 16; ++i) { await page.click(small.left + 140 + (small.width - 150) * ((i * 0.37) % 1), small.top + small.height / 2); await frames(6); }
    await page.key("0");
    await frames(6);
  }
}

// MiB: what script holds, with its buffers; and what the page's process has for itself alone.
async function memory(page, pid) {
  await page.send("HeapProfiler.enable");
  await page.send("HeapProfiler.collectGarbage");
  const { usedSize, embedderHeapUsedSize = 0, backingStorageSize = 0 } = await page.send("Runtime.getHeapUsage");
  const own = [...fs.readFileSync(`/proc/${pid}/smaps_rollup`, "utf8").matchAll(/^Private_\w+: +(\d+) kB/gm)];
  return { script: (usedSize + embedderHeapUsedSize + backingStorageSize) / 2 ** 20,
           whole: own.reduce((sum, [, kib]) => sum + Number(kib), 0) / 2 ** 10 };
}

async function measure(browser, what, address) {
  const page = await browser.open("about:blank", { width: 1600, height: 1000 });
  const began = Date.now();
  let wall = 0;
  const opening = await traced(page, async () => {
    await page.page.goto(address, { waitUntil: "commit" });
    await page.until(READY);
    await page.eval("new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))");
    wall = Date.now() - began;
  });
  const isMain = mainThread(opening);
  // Milliseconds of processor time; a task may lie within another one.
  const busyIn = (from, to) => opening.filter((event) => isMain(event) && event.ph === "X" && event.name === "RunTask" && event.ts >= from && event.ts < to)
    .reduce((sum, event) => sum + (event.tdur ?? event.dur) / 1000, 0);
  const momentOf = (name) => opening.find((event) => event.name === `tasklens.${name}`).ts;
  const mark = (name) => page.eval(`performance.getEntriesByName("tasklens.${name}")[0].startTime`);
  await page.until("['picture', 'graph'].every((name) => performance.getEntriesByName('tasklens.' + name).length > 0)");
  const picture = await mark("picture");
  console.log(`${(what + ", opening").padEnd(30)} wall ${wall} ms, processor ${Math.round(busyIn(0, Infinity))} ms; first picture ${Math.round(picture - await mark("begin"))} ms after the script began, ${Math.round(picture - await mark("data"))} ms after the timeline's data (processor ${Math.round(busyIn(momentOf("data"), momentOf("picture")))} ms), that of the graph ${Math.round(await mark("graph") - await mark("graphData"))} ms after its own, ${Math.round(await mark("graph") - await mark("begin"))} ms after the script began`);
  for (const [view, kind] of [["timeline", "zoom"], ["timeline", "pan"], ["timeline", "jump"], ["timeline", "zoom"], ["timeline", "pan"], ["timeline", "jump"], ["graph", "zoom"], ["graph", "pan"]]) {
      const events = await traced(page, () => exercise(page, view, kind));
      const seen = frames(events);
      say(`${what}, ${view}, ${kind}`, seen);
      if (explaining) seen.list.forEach((frame, at) => { if (frame.own > TARGET_MS) console.log(`    frame ${at}: ${explain(events, frame)}`); });
    }
  const { script, whole } = await memory(page, opening.find(isMain).pid);
  console.log(`${(what + ", memory").padEnd(30)} ${script.toFixed(0)} MiB of script and its buffers, ${whole.toFixed(0)} MiB of the page's process`);
  await page.close();
}

async function main() {
  const [wanted = "1000000"] = process.argv.slice(2);
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "tasklens-page-"));
  let trace = wanted;
  if (/^\d+$/.test(wanted)) {
    trace = path.join(folder, "prof_file_large_0");
    execFileSync(path.resolve("bench/large_trace"), [small, String(Math.ceil(Number(wanted) / TASKS_OF_STENCIL)), trace]);
  }
  const file = path.join(folder, "report.html");
  const begun = process.hrtime.bigint();
  execFileSync(tasklens, ["report", trace, "-o", file], { stdio: ["ignore", "ignore", "inherit"] });
  console.log(`${"writing the report".padEnd(30)} ${(Number(process.hrtime.bigint() - begun) / 1e9).toFixed(1)} s, ${(fs.statSync(file).size / 1e6).toFixed(1)} MB`);
  const browser = await Browser.start();
  await measure(browser, "report", `file://${file}`);
  const server = spawn(tasklens, ["serve", "--http", trace], { stdio: ["ignore", "pipe", "inherit"] });
  const address = await new Promise((resolve) => server.stdout.on("data", (text) => resolve(String(text).trim())));
  await measure(browser, "served, the first time", address);
  await measure(browser, "served", address);
  server.kill();
  await browser.close();
  fs.rmSync(folder, { recursive: true });
}
main();
