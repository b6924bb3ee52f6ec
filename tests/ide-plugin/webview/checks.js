// SPDX-License-Identifier: Apache-2.0
// Claims about a page, one after the other; the status says whether all held. Screenshots are kept
// with the results of the test.
"use strict";
const fs = require("fs");
const path = require("path");
const { execFileSync, spawn } = require("child_process");
const { Browser } = require("./browser.js");
const { Cases } = require("../../testing/cases.js");

const work = fs.mkdtempSync(path.join(process.env.TEST_TMPDIR || "/tmp", "webview-"));
const kept = process.env.TEST_UNDECLARED_OUTPUTS_DIR || work;

function equal(actual, wanted, what = "") {
  const [a, b] = [actual, wanted].map((value) => JSON.stringify(value));
  if (a !== b) throw new Error(`${what} is ${a}, not ${b}`);
}

function holds(condition, what) {
  if (!condition) throw new Error(`not so: ${what}`);
}

// Runs `claims(check, browser)`, where check("what is claimed", async () => {...}) runs one.
async function run(claims) {
  const browser = await Browser.start();
  const cases = new Cases();
  const check = (claim, test) => cases.run(claim, test);
  try {
    await claims(check, browser);
  } catch (error) {
    await cases.run("what is between the claims", () => { throw error; });
  }
  await browser.close();
  // A claim that did not hold leaves its programs running, and they would keep this one.
  for (const child of children) child.kill("SIGKILL");
  process.exit(cases.failed ? 1 : 0);
}

// Runs a program that ends with the test at the latest.
const children = [];
function start(program, words, options) {
  const child = spawn(program, words, options);
  children.push(child);
  return child;
}

// Writes the page of a trace with the real program; returns its address.
function report(tasklens, traces, name, options = []) {
  const file = path.join(work, `${name}.html`);
  execFileSync(tasklens, ["report", ...[].concat(traces), "-o", file, ...options], { stdio: ["ignore", "inherit", "inherit"] });
  return `file://${file}`;
}

// Shows a trace on loopback: {server, address}.
async function serve(tasklens, trace, options = []) {
  const server = start(tasklens, ["serve", "--http", trace, ...options], { stdio: ["ignore", "pipe", "inherit"] });
  const address = await new Promise((resolve, reject) => {
    server.stdout.on("data", (text) => resolve(String(text).trim()));
    server.on("exit", (status) => reject(new Error(`the server ended (${status})`)));
  });
  return { server, address };
}

// Sources are read only where they really lie, and tests see them through links.
function copyOf(folder) {
  const copy = path.join(work, "sources");
  fs.cpSync(folder, copy, { recursive: true, dereference: true });
  return copy;
}

const READY = "document.body.dataset.ready === 'yes'";
const shot = (page, name) => page.screenshot(path.join(kept, `${name}.png`));

module.exports = { READY, copyOf, equal, holds, kept, report, run, serve, shot, start, work };
