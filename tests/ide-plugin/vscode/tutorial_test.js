#!/usr/bin/env node
// SPDX-License-Identifier: Apache-2.0
// What docs/tutorial.md tells its reader to do, in VS Code.
"use strict";
const fs = require("fs");
const path = require("path");
const { finish, holds } = require("./checks.js");
const { VSCode } = require("./vscode.js");

const [, , tasklens] = process.argv;
const WRONG = "STARPU_RW", RIGHT = "STARPU_REDUX";
const lines = fs.readFileSync("examples/tutorial/primes.c", "utf8").split("\n");
const submits = lines.findIndex((line) => line.includes("starpu_task_insert(&count")) + 1;
const wrong = lines.findIndex((line) => line.includes(`${WRONG}, sum, 0`)) + 1;

finish(async () => {
  // It compiles: headers, and the library as if Bazel had made it.
  const tree = path.join(process.env.TEST_TMPDIR, "tree");
  fs.mkdirSync(tree);
  fs.symlinkSync(path.resolve("runtime"), path.join(tree, "runtime"));
  fs.symlinkSync(process.cwd(), path.join(tree, "bazel-bin"));
  const code = await VSCode.start({
    tasklens, environment: { TASKLENS_ROOT: tree },
    prepare: (code) => fs.cpSync("examples/tutorial", code.folder, { recursive: true, dereference: true }),
  });
  const { page } = code;
  const advice = () => page.locator(".pane", { hasText: "Advice" }).last();
  let app;
  const traces = () => new Set(code.messages("server", "tasklens/traceUpdated").map(({ params }) => params.trace));
  const hasFault = async () => (await app.evaluate(() => globalThis.tasklensApp.host.request("tasklens/advice", {})))
    .findings.some(({ rule }) => rule === "serial_chain");
  try {
    await code.check("the program is built and run by the button, and nothing is asked", async () => {
      await code.open("primes.c");
      // Where the machine held up one task for longer than all others took, that is the finding: once more.
      let tries = 0;
      do {
        await code.click("Run Traced");
        ++tries;
        await code.until(`the graph of run ${tries}`, async () => {
          app = await code.app();
          if (traces().size < tries) return false;
          return (await app.evaluate(() => globalThis.tasklensApp.overview.trace).catch(() => "")) === [...traces()].at(-1);
        });
        await page.locator(".statusbar-item", { hasText: "TaskLens: primes, 40 tasks" }).first().waitFor();
      } while (!(await hasFault()) && tries < 5);
      await code.until("the caret on the line to look at first", async () => (await code.line("primes.c")) === submits);
    });

    await code.check("the fault is among the advice, and a click on it goes to its line", async () => {
      await page.locator(".notification-toast .monaco-button", { hasText: "Show Advice" }).first().click();
      const fault = advice().locator(".monaco-list-row", { hasText: "a serial chain" }).first();
      await fault.click();
      await code.until("the cursor on its line", async () => (await code.line("primes.c")) === submits);
      await code.screenshot("1_advice");
    });

    await code.check("one word mends it, and the button builds and runs it again", async () => {
      await code.goTo("primes.c", wrong);
      await code.key("Home");
      const indentation = lines[wrong - 1].search(/\S/);
      for (let at = lines[wrong - 1].indexOf(WRONG) - indentation; at > 0; --at) await code.key("ArrowRight");
      for (let at = 0; at < WRONG.length; ++at) await code.key("Shift+ArrowRight");
      await page.keyboard.type(RIGHT);
      await code.key("Escape"); // what is proposed besides
      await code.key("Control+S");
      await code.until("it saved", () => fs.readFileSync(path.join(code.folder, "primes.c"), "utf8").includes(`${RIGHT}, sum, 0`));
      const before = await app.evaluate(() => globalThis.tasklensApp.overview.trace);
      await code.click("Run Traced");
      await code.until("the second run", async () => {
        app = await code.app();
        return (await app.evaluate(() => globalThis.tasklensApp.overview.trace).catch(() => before)) !== before;
      });
      await advice().locator(".monaco-list-row", { hasText: "a serial chain" }).waitFor({ state: "detached" });
      // Of two workers. How long they took is up to what else the machine does.
      const spentInTasks = code.messages("server", "tasklens/traceUpdated").map(({ params }) => params.efficiency);
      holds(spentInTasks[0] <= 0.5 && spentInTasks.at(-1) > 0.5, `tasks stand beside each other: ${spentInTasks}`);
      await code.screenshot("2_mended");
    });

    await code.check("Compare says what the change was worth", async () => {
      await code.command("TaskLens: Compare");
      await code.choose("The newer one", "primes");
      await code.choose("The one before", "primes");
      const comparison = page.locator(".editor-instance .view-lines", { hasText: /From.primes.*to...primes/ }).first();
      await comparison.waitFor();
      const text = (await comparison.innerText()).replace(/\u00a0/g, " ");
      holds(text.includes(`primes.c:${submits}`), text);
      await code.screenshot("3_compared");
    });
  } finally {
    await code.close();
  }
});
