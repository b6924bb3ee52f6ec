#!/usr/bin/env node
// SPDX-License-Identifier: Apache-2.0
// What a viewer costs the program that it watches: the same work with nobody watching, and with the
// page of `tasklens serve --http` open in a browser, in turns.
//
//     bazel run //bench:live [-- RUNS [TASKS [MICROSECONDS]]]
//
// Both times are the program's own: from its first task to its last, and its processor time in
// between. The browser, the server and the program share the machine, so wall time says what a
// viewer takes from a program that uses every processor, and processor time what it takes besides
// (cold caches, contention for the file).
"use strict";
const fs = require("fs");
const os = require("os");
const path = require("path");
const { spawn } = require("child_process");
const { Browser } = require("../tests/ide-plugin/webview/browser.js");

const tasklens = path.resolve("server/command_line/tasklens");
const program = path.resolve("bench/steady_tasks");
const [runs = "7", tasks = "200000", microseconds = "20"] = process.argv.slice(2);
const median = (values) => values.slice().sort((a, b) => a - b)[values.length >> 1];

// The next line of a process's output.
const lineOf = (child) => new Promise((resolve, reject) => {
  child.stdout.once("data", (text) => resolve(String(text).trim()));
  child.once("exit", (status) => reject(new Error(`it ended with ${status}`)));
});

// Clock ticks of processor time, of a process that has not ended.
function processorSeconds(pid) {
  const fields = fs.readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1].split(" ");
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

async function once(browser, folder) {
  const run = spawn(tasklens, ["run", "-o", folder, "--", program, tasks, microseconds], { stdio: ["pipe", "pipe", "inherit"] });
  const ended = new Promise((resolve) => run.on("exit", resolve));
  await lineOf(run);
  let server = null, page = null, updates = 0, serverSeconds = 0;
  if (browser) {
    server = spawn(tasklens, ["serve", "--http", folder], { stdio: ["ignore", "pipe", "inherit"] });
    page = await browser.open(await lineOf(server));
    await page.until("document.body.dataset.ready === 'yes'");
    serverSeconds = processorSeconds(server.pid);
  }
  const result = lineOf(run);
  run.stdin.end("go\n");
  const [wall, processor] = (await result).split(" ").map(Number);
  if (browser) {
    serverSeconds = processorSeconds(server.pid) - serverSeconds;
    updates = await page.eval("tasklensApp.updates + tasklensApp.live.updates");
    await page.close();
    server.kill();
  }
  await ended;
  fs.rmSync(folder, { recursive: true });
  return { wall, processor, updates, serverSeconds };
}

async function main() {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "tasklens-live-"));
  const browser = await Browser.start();
  const results = { "nobody watches": [], "a page watches": [] };
  for (let i = 0; i < Number(runs); ++i) {
    results["nobody watches"].push(await once(null, path.join(folder, "run")));
    results["a page watches"].push(await once(browser, path.join(folder, "run")));
  }
  await browser.close();
  fs.rmSync(folder, { recursive: true });
  console.log(`${tasks} tasks of some ${microseconds} us, ${runs} runs each, ${os.cpus().length} processors`);
  for (const [what, list] of Object.entries(results)) {
    const text = ["wall", "processor"].map((kind) => {
      const values = list.map((one) => one[kind]);
      return `${kind} median ${median(values).toFixed(3)} s (${Math.min(...values).toFixed(3)} to ${Math.max(...values).toFixed(3)})`;
    });
    const watched = list[0].updates ? `; ${median(list.map((one) => one.updates))} updates of the page, ${median(list.map((one) => one.serverSeconds)).toFixed(2)} s of processor time of the server` : "";
    console.log(`${what.padEnd(16)} ${text.join(", ")}${watched}`);
  }
}
main();
