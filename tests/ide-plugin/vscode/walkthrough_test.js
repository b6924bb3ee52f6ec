#!/usr/bin/env node
// SPDX-License-Identifier: Apache-2.0
// The walkthrough: its steps, and what their buttons do.
"use strict";
const fs = require("fs");
const path = require("path");
const { finish } = require("./checks.js");
const { VSCode } = require("./vscode.js");

const [, , tasklens, cholesky] = process.argv;

finish(async () => {
  const code = await VSCode.start({
    tasklens,
    prepare: (code) => {
      code.write("examples/cholesky.c", fs.readFileSync("examples/cholesky.c", "utf8"));
      fs.copyFileSync(cholesky, path.join(code.folder, "cholesky"));
    },
  });
  const { page } = code;
  const step = (title) => page.locator(".getting-started-step", { hasText: title }).first();
  try {
    await code.check("it has a step each for installing, running, clicking and advice", async () => {
      await code.command("Welcome: Open Walkthrough...");
      await code.choose("Select a walkthrough to open", "See what your tasks cost");
      for (const title of ["Install TaskLens", "Run a program traced", "Click a task", "Read the advice"]) await step(title).waitFor();
      await code.screenshot("1_steps");
    });

    await code.check("its buttons run a program and show its graph, and what was done is ticked off", async () => {
      await step("Run a program traced").click();
      await step("Run a program traced").locator(".monaco-button", { hasText: "Run Traced" }).click();
      await code.answer("What to run", "./cholesky 4");
      await page.locator(".statusbar-item", { hasText: "TaskLens: cholesky, 20 tasks" }).first().waitFor();
      // The run opens the line of its first finding in front of the walkthrough.
      await page.locator(".view-line", { hasText: "starpu_task_insert" }).first().waitFor();
      await code.screenshot("2_run");
      await page.locator(".tab", { hasText: "Welcome" }).first().click();
      await step("Run a program traced").locator(".codicon-getting-started-step-checked").first().waitFor();
      await code.screenshot("3_ticked");
    });
  } finally {
    await code.close();
  }
});
