// SPDX-License-Identifier: Apache-2.0
// The cases of a test, one after the other. Each reports by itself, also in Bazel's test.xml: where one fails
// the others run all the same.
"use strict";
const fs = require("fs");

const { TEST_TIMEOUT, XML_OUTPUT_FILE } = process.env;
const ends = TEST_TIMEOUT ? performance.now() + 1000 * TEST_TIMEOUT : Infinity;

// How long a case may wait for something, in milliseconds; 0: for ever. It has no limit of its own, but what
// waits in vain leaves half of the time that Bazel gives the test to the others.
function patience_ms() {
  return ends === Infinity ? 0 : Math.max(1, (ends - performance.now()) / 2);
}

const ESCAPED = { "&": "&amp;", "<": "&lt;", '"': "&quot;" };
const escaped = (text) => text.replace(/[&<"]/g, (one) => ESCAPED[one]).replace(/[\x00-\x1f\x7f]/g, " ");

class Cases {
  constructor() {
    this.ended = []; // [name, the failure's message or nothing, seconds]
  }

  // Runs a case, or a whole test under its name; answers whether it passed.
  async run(name, test) {
    const begun_ms = performance.now();
    let problem;
    try {
      await test();
      console.log(`ok      ${name}`);
    } catch (error) {
      problem = error.stack ?? String(error);
      console.log(`FAILED  ${name}\n        ${problem}`);
      process.exitCode = 1;
    }
    this.ended.push([name, problem, (performance.now() - begun_ms) / 1000]);
    this.write(); // what is known, should the next one not end
    return problem === undefined;
  }

  get failed() {
    return this.ended.filter(([, problem]) => problem !== undefined).length;
  }

  write() {
    if (!XML_OUTPUT_FILE) return;
    const cases = this.ended.map(([name, problem, time_s]) => `<testcase name="${escaped(name)}" time="${time_s.toFixed(3)}">${
      problem === undefined ? "" : `<failure message="${escaped(problem)}"/>`}</testcase>\n`);
    fs.writeFileSync(XML_OUTPUT_FILE, `<testsuite>\n${cases.join("")}</testsuite>\n`);
  }
}

module.exports = { Cases, patience_ms };
