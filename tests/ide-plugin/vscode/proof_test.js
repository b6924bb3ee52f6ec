#!/usr/bin/env node
// SPDX-License-Identifier: Apache-2.0
// The main job: the cholesky example is run traced by a button, its graph appears, and a click on a task of
// each kind marks it and puts the cursor on the line that submitted it. What the right line is, the source says.
"use strict";
const fs = require("fs");
const path = require("path");
const { finish, holds } = require("./checks.js");
const { VSCode } = require("./vscode.js");

const [, , tasklens, cholesky] = process.argv;
const text = fs.readFileSync("examples/cholesky.c", "utf8");
const lines = text.split("\n");
const lineOf = (codelet) => lines.findIndex((line) => line.includes(`starpu_task_insert(&${codelet}`)) + 1;
const measured = (what, begun) => console.log(`MEASURED ${what}: ${Math.round(performance.now() - begun)} ms`);

finish(async () => {
  const code = await VSCode.start({
    tasklens,
    prepare: (code) => {
      code.write("examples/cholesky.c", text);
      fs.copyFileSync(cholesky, path.join(code.folder, "cholesky"));
      // It has the runtime within it. One that loads it instead has another name at the same place.
      const loading = fs.readFileSync(cholesky, "latin1").replaceAll("libstdc++.so.6", "libstarpu.so.1");
      fs.mkdirSync(path.join(code.folder, "build"));
      fs.writeFileSync(path.join(code.folder, "build/loading"), loading, { encoding: "latin1", mode: 0o755 });
    },
  });
  try {
    await code.open("cholesky.c");
    let app, chosen;
    const untilLit = (name, where = app) => code.until(`the tasks of ${name} lit up`, () => where.evaluate((line) => {
      const { overview, store } = globalThis.tasklensApp;
      return overview.costs.find((site) => site.line === line)?.site === store.state.selection?.site;
    }, lineOf(name)));

    await code.check("a run is asked for by the editor's button, and its graph appears", async () => {
      await code.click("Run Traced");
      await code.input("What to run").waitFor();
      await code.page.locator(".quick-input-list .monaco-list-row", { hasText: "./build/loading" }).first().waitFor();
      await code.screenshot("1_asked");
      const begun = performance.now();
      await code.answer("What to run", "./cholesky");
      app = await code.app();
      measured("from the name of the program to the first picture, the first time", begun);
      await code.screenshot("2_graph");
    });

    await code.check("the run ends with the line to look at first, and says how many findings there are and how to come to them", async () => {
      const ended = code.page.locator(".notification-toast", { hasText: "findings" }).first();
      const [{ result }] = await code.until("the advice", () => { const all = code.answers("tasklens/advice"); return all.length && all; });
      if (result.findings.length > 1) await ended.waitFor();
      const { file, line } = await code.until("the line", async () => {
        const at = await code.line("cholesky.c");
        return lines[at - 1]?.includes("starpu_task_insert(&") && { file: "cholesky.c", line: at };
      });
      await code.page.locator(".codelens-decoration", { hasText: "tasks" }).first().waitFor();
      await code.screenshot("2_ended");
      if (result.findings.length > 1) {
        await ended.locator(".monaco-button", { hasText: "Show Advice" }).click();
        await code.page.locator(".pane", { hasText: "Advice" }).last().locator(".monaco-list-row").first().waitFor();
      }
      console.log(`${result.findings.length} findings; ${file}:${line}`);
    });

    await code.check("the lines that submit tasks say what these cost", async () => {
      await code.goTo("cholesky.c", lineOf("gemm"));
      await code.page.locator(".codelens-decoration", { hasText: "20 tasks" }).first().waitFor();
      await untilLit("gemm");
      chosen = (await app.choices()).length; // by the end of the run, and by the caret
    });

    for (const name of ["potrf", "trsm", "syrk", "gemm"]) {
      await code.check(`a click on a task of ${name} puts the cursor on its line`, async () => {
        await code.goTo("cholesky.c", 1);
        const task = await app.task(name);
        const begun = performance.now();
        await app.click(task);
        await code.until("the cursor", async () => (await code.line("cholesky.c")) === lineOf(name));
        measured(`from the click on a task of ${name} to the cursor`, begun);
        await code.until(`the task of ${name} marked`, async () => (await app.marked()) === name);
      });
    }
    await code.screenshot("3_clicked");

    await code.check("the caret on a line lights up its tasks", async () => {
      for (const name of ["trsm", "gemm"]) {
        await code.goTo("cholesky.c", lineOf(name));
        await untilLit(name);
      }
      await code.screenshot("4_lit");
      // The caret goes to a line because a task was clicked: no choice of its own.
      const choices = (await app.choices()).slice(chosen).join(" ");
      holds(choices === "potrf trsm syrk gemm line line", `each click chose a task, and only the user's caret a line: ${choices}`);
    });

    await code.check("the button runs it again, and the picture is that of the new run", async () => {
      const before = await app.evaluate(() => globalThis.tasklensApp.overview.trace);
      const begun = performance.now();
      await code.click("Run Traced");
      await code.until("the new picture", async () => {
        app = await code.app();
        return (await app.evaluate(() => globalThis.tasklensApp.overview.trace).catch(() => before)) !== before;
      });
      measured("from the click on Run Traced to the first picture", begun);
    });

    await code.check("the timeline has a view of its own, which shows what was chosen before it was opened", async () => {
      let timeline;
      for (const name of ["trsm", "syrk"]) { // the second time it was open, and was closed
        await code.goTo("cholesky.c", lineOf(name));
        await untilLit(name);
        await code.command("TaskLens: Trace (Timeline)");
        timeline = await code.app("timeline");
        await untilLit(name, timeline);
        if (name === "syrk") break;
        const tab = code.page.locator(".tab", { hasText: "Trace: " });
        await tab.click({ button: "middle" });
        await tab.waitFor({ state: "detached" });
      }
      await code.until("the rows of the workers", () => timeline.evaluate(() => globalThis.tasklensApp.timeline.busy?.length > 0));
      await code.screenshot("5_timeline");
    });
  } finally {
    await code.close();
  }
});
