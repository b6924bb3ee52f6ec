#!/usr/bin/env node
// SPDX-License-Identifier: Apache-2.0
// What there is besides the main job: runs of tasks.json and launch.json, and what is done with runs.
"use strict";
const fs = require("fs");
const path = require("path");
const { finish, holds } = require("./checks.js");
const { VSCode } = require("./vscode.js");

const [, , tasklens, cholesky] = process.argv;

const TASKS = `{
  "version": "2.0.0",
  "tasks": [
    {
      "type": "tasklens",

    }
  ]
}
`;
const LAUNCH = `{
  "version": "0.2.0",
  "configurations": [
    {
      "type": "tasklens",
      "request": "launch",
      "program": "\${workspaceFolder}/cholesky",

    }
  ]
}
`;

finish(async () => {
  const code = await VSCode.start({
    tasklens,
    prepare: (code) => {
      code.write("examples/cholesky.c", fs.readFileSync("examples/cholesky.c", "utf8"));
      fs.copyFileSync(cholesky, path.join(code.folder, "cholesky"));
      code.write(".vscode/tasks.json", TASKS);
      code.write(".vscode/launch.json", LAUNCH);
    },
  });
  const { page } = code;
  let graphAddress;
  const status = (text) => page.locator(".statusbar-item", { hasText: text }).first().waitFor();
  const runs = () => fs.readdirSync(path.join(code.folder, ".tasklens/runs")).filter((one) => one.startsWith("cholesky"));
  const saved = async (name) => {
    await code.key("Control+S");
    const file = path.join(code.folder, name);
    return code.until(`${name} saved`, () => {
      try {
        return JSON.parse(fs.readFileSync(file, "utf8"));
      } catch {
        return null; // it lacks what was typed
      }
    });
  };
  // Types members of an object, as far as they are not proposed; the caret is in an empty line.
  const members = async (...rows) => {
    for (const [begin, name, value] of rows) {
      if (begin !== rows[0][0]) await page.keyboard.type(",\n");
      await code.complete(begin, name);
      await page.keyboard.type(value);
      await code.key("Escape"); // what is proposed besides
      await code.key("End");
    }
  };
  // VS Code notices a moment after it was saved that the file has another one.
  const start = (command, hint, name) => code.until(`${name} to be listed`, async () => {
    await code.command(command);
    await code.input(hint).waitFor();
    const row = page.locator(".quick-input-list .monaco-list-row", { hasText: name }).first();
    const isThere = await row.waitFor({ timeout: 3000 }).then(() => true, () => false);
    if (isThere) await row.click();
    else await code.key("Escape");
    return isThere;
  });
  try {
    await code.check("tasks.json is completed as it is typed, and its task is run traced", async () => {
      await code.open("tasks.json");
      await code.goTo("tasks.json", 6);
      await members(['"prog', "program", "./cholesky"], ['"arg', "arguments", '"8'], ['"lab', "label", "eight tiles"]);
      await code.screenshot("1_tasks_json");
      const { tasks } = await saved(".vscode/tasks.json");
      holds(tasks[0].program === "./cholesky" && tasks[0].arguments[0] === "8", `what was written: ${JSON.stringify(tasks)}`);
      await start("Tasks: Run Task", "Select the task to run", "eight tiles");
      await status("TaskLens: cholesky, 120 tasks");
      await code.app();
      await code.screenshot("2_task");
    });

    await code.check("launch.json is completed as it is typed, and its launch is run traced", async () => {
      await code.open("launch.json");
      await code.goTo("launch.json", 8);
      await members(['"arg', "arguments", '"4'], ['"nam', "name", "four tiles"]);
      await code.screenshot("3_launch_json");
      const { configurations } = await saved(".vscode/launch.json");
      holds(configurations[0].arguments[0] === "4", `what was written: ${JSON.stringify(configurations)}`);
      await start("Debug: Select and Start Debugging", "Type the name of a launch configuration", "four tiles");
      await status("TaskLens: cholesky, 20 tasks");
      await code.screenshot("4_launch");
    });

    await code.check("a launch without debugging is the same", async () => {
      const before = runs().length;
      await code.key("Control+F5");
      await code.until("another run", () => runs().length > before);
      await status("TaskLens: cholesky, 20 tasks");
    });

    await code.check("two runs are compared", async () => {
      await code.command("TaskLens: Compare");
      await code.choose("The newer one", "cholesky 4");
      await code.choose("The one before", "cholesky 8");
      const comparison = page.locator(".editor-instance .view-lines", { hasText: /From.cholesky.8.*to...cholesky.4/ }).first();
      await comparison.waitFor();
      const text = (await comparison.innerText()).replace(/\u00a0/g, " ");
      for (const part of ["By site", "By codelet", "cholesky.c:117", "gemm"]) holds(text.includes(part), `${part} in ${text}`);
      await code.screenshot("5_compared");
    });

    await code.check("traces are generated as by StarPU's FxT tool", async () => {
      await code.command("TaskLens: Generate Traces (StarPU FxT Tool)");
      const told = await code.message("paje.trace, dag.dot, tasks.rec and the others are in");
      const folder = told.replace(/^.* are in /, "");
      for (const name of ["paje.trace", "dag.dot", "tasks.rec"]) holds(fs.existsSync(path.join(folder, name)), `${name} in ${folder}`);
    });

    await code.check("the graph is opened in the browser, where VS Code is served to one as well", async () => {
      const opened = page.context().waitForEvent("page");
      await code.command("TaskLens: Graph in Browser");
      const other = await opened;
      await other.waitForFunction(() => document.body?.dataset.ready === "yes");
      const tasks = await other.evaluate(() => globalThis.tasklensApp.overview.tasks);
      holds(tasks === 20, `its page shows ${tasks} tasks`);
      await other.screenshot({ path: path.join(code.pictures, "6_browser.png") });
      graphAddress = other.url();
      await other.close();
    });

    await code.check("the address of the graph has a secret of 128 bits, and without it nothing is there", async () => {
      holds(/\/[0-9a-f]{32}\/$/.test(graphAddress), graphAddress);
      for (const place of ["../", `../${"0".repeat(32)}/`, "../etc/passwd"]) {
        const { status } = await fetch(new URL(place, graphAddress));
        holds(status === 404, `${place}: ${status}`);
      }
      holds((await fetch(graphAddress)).status === 200, "it is there with it");
    });

    await code.check("a click on advice goes to its line, and lights up its tasks", async () => {
      await page.locator(".activitybar [aria-label^='TaskLens']").first().click();
      const advice = page.locator(".pane", { hasText: "Advice" }).last().locator(".monaco-list-row", { hasText: /cholesky\.c:\d+/ }).first();
      await advice.waitFor();
      const line = Number(/cholesky\.c:(\d+)/.exec(await advice.innerText())[1]);
      await advice.click();
      await code.until("the cursor", async () => (await code.line("cholesky.c")) === line);
      const app = await code.app();
      await code.until("its tasks lit up", () => app.evaluate((wanted) => {
        const { overview, store } = globalThis.tasklensApp;
        return overview.costs.find((site) => site.line === wanted)?.site === store.state.selection?.site;
      }, line));
      await code.screenshot("7_advice");
    });

    await code.check("Stop ends what runs, and what it recorded is shown", async () => {
      await code.command("TaskLens: Run Traced...");
      await code.answer("What to run", '/bin/sh -c "./cholesky && touch recorded && exec sleep 100000"');
      await code.until("the end of its tasks", () => fs.existsSync(path.join(code.folder, "recorded")));
      const running = page.locator(".statusbar-item", { hasText: /TaskLens: sh$/ }).first();
      await running.waitFor();
      await code.command("TaskLens: Stop");
      await code.message("SIGTERM");
      await running.waitFor({ state: "detached" });
      await code.until("its graph", async () => {
        const app = await code.app();
        return (await app.evaluate(() => globalThis.tasklensApp.overview.tasks).catch(() => 0)) === 56;
      });
      await code.screenshot("8_stopped");
    });
  } finally {
    await code.close();
  }
});
