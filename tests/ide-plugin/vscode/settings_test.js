#!/usr/bin/env node
// SPDX-License-Identifier: Apache-2.0
// Each setting that the extension declares does what it says, without a restart. (That of the server's program: trust_test.js.)
"use strict";
const fs = require("fs");
const path = require("path");
const { finish, holds } = require("./checks.js");
const { VSCode } = require("./vscode.js");

const [, , tasklens, cholesky] = process.argv;
const text = fs.readFileSync("examples/cholesky.c", "utf8");
const lines = text.split("\n");
const lineOf = (codelet) => lines.findIndex((line) => line.includes(`starpu_task_insert(&${codelet}`)) + 1;
const THREE_TILES = { "tasklens.configurations": [{ name: "three tiles", program: "./cholesky", arguments: ["3"] }] };

finish(async () => {
  let elsewhere; // the folder of the sources, which is not that of the project
  const code = await VSCode.start({
    tasklens,
    prepare: (code) => {
      elsewhere = path.join(code.work, "elsewhere");
      fs.mkdirSync(path.join(elsewhere, "examples"), { recursive: true });
      fs.writeFileSync(path.join(elsewhere, "examples/cholesky.c"), text);
      fs.copyFileSync(cholesky, path.join(code.folder, "cholesky"));
      code.record("good.tlt", path.join(code.folder, "cholesky"));
      code.record("small.tlt", path.join(code.folder, "cholesky"), "4");
    },
    settings: { "editor.autoClosingBrackets": "never", "editor.autoClosingQuotes": "never" }, // what is written is written by code.set
  });
  const { page } = code;
  const status = (words) => page.locator(".statusbar-item", { hasText: words }).first().waitFor();
  const runs = () => fs.readdirSync(path.join(code.folder, ".tasklens/runs")).filter((one) => !one.startsWith("."));
  let app;
  try {
    await code.check("sources are found in the folders of sourceRoots", async () => {
      await code.openTrace("good.tlt");
      app = await code.app();
      await code.set({ "tasklens.sourceRoots": [elsewhere] });
      await app.click(await app.task("gemm"));
      const where = path.join(elsewhere, "examples/cholesky.c");
      await code.until("the cursor", async () => (await code.line(where)) === lineOf("gemm"));
    });

    // The caret on a line, and that line's tasks in the graph.
    const roots = { "tasklens.sourceRoots": [elsewhere] };
    const isLit = (name) => app.evaluate((line) => {
      const { overview, store } = globalThis.tasklensApp;
      return overview.costs.find((site) => site.line === line)?.site === store.state.selection?.site;
    }, lineOf(name));

    await code.check("the caret lights up no tasks without followCaret, and with it again those of the line where it is", async () => {
      await code.goTo("cholesky.c", lineOf("trsm"));
      await code.until("the tasks of trsm lit up", () => isLit("trsm"));
      await code.set({ ...roots, "tasklens.followCaret": false });
      const asked = code.messages("client", "tasklens/tasksAt").length;
      await code.goTo("cholesky.c", lineOf("syrk"));
      await code.command("View: Toggle Primary Side Bar Visibility"); // more than a caret's rest later
      await code.command("View: Toggle Primary Side Bar Visibility");
      holds(code.messages("client", "tasklens/tasksAt").length === asked && (await isLit("trsm")), "the caret rested, and nothing was asked");
      await code.set(roots);
      await code.until("the tasks of syrk lit up", () => isLit("syrk"));
    });

    await code.check("no advice comes by a rule of silencedRules", async () => {
      await page.locator(".activitybar [aria-label^='TaskLens']").first().click();
      const advice = page.locator(".pane", { hasText: "Advice" }).last().locator(".monaco-list-row");
      await advice.first().waitFor();
      const [rule] = (await advice.first().getAttribute("aria-label")).split(":");
      const ofRule = page.locator(`.pane .monaco-list-row[aria-label^="${rule}:"]`);
      holds((await ofRule.count()) > 0, `a row begins with its rule, ${rule}`);
      await code.set({ ...roots, "tasklens.silencedRules": [rule] });
      await ofRule.first().waitFor({ state: "detached" });
      await code.screenshot("1_silenced");
      await code.set(roots);
      await ofRule.first().waitFor();
    });

    await code.check("a trace for which memoryLimitMiB does not suffice is not opened, and is when it does", async () => {
      const refused = "small.tlt: needs more than the 1 MiB of the setting memoryLimitMiB; close traces, or raise it";
      code.expect("the setting memoryLimitMiB");
      await code.set({ ...roots, "tasklens.memoryLimitMiB": 1 });
      await page.locator(".activitybar [aria-label^='Explorer']").first().click();
      await code.openTrace("small.tlt");
      await code.message(refused);
      await status("TaskLens: cholesky, 56 tasks");
      await code.set(roots);
      await code.openTrace("small.tlt");
      await status("TaskLens: cholesky, 20 tasks");
    });

    await code.check("what configurations say is run, without a question where there is one only", async () => {
      await code.set({ ...roots, ...THREE_TILES });
      await code.command("TaskLens: Run Traced");
      await status("TaskLens: cholesky, 10 tasks");
      await code.app();
    });

    await code.check("showAfterRun says what is shown when a run has ended, and keepRuns how many are kept", async () => {
      await code.set({ ...roots, ...THREE_TILES, "tasklens.showAfterRun": "timeline", "tasklens.keepRuns": 1 });
      await code.command("TaskLens: Run Traced");
      await page.locator(".tab", { hasText: "Trace: cholesky" }).waitFor();
      await code.app("timeline");
      await code.until("the older run gone", () => runs().length === 1);
      await code.screenshot("2_timeline");
    });

    await code.check("the settings are listed, each with what it does", async () => {
      await code.command("Preferences: Open Settings (UI)");
      await page.locator(".settings-editor .search-container .view-line").first().click();
      await page.keyboard.type("@ext:tasklens.tasklens");
      const { properties } = JSON.parse(fs.readFileSync("ide-plugin/vscode/package.json", "utf8")).contributes.configuration;
      // That of the machine is listed under Remote. "memoryLimitMiB" is listed as "Memory Limit Mi B". Rows out of sight are not there.
      const names = Object.keys(properties).filter((name) => properties[name].scope === undefined);
      const wanted = new Set(names.map((name) => name.replace("tasklens.", "").replace(/([A-Z])/g, " $1").toLowerCase()));
      const rows = page.locator(".settings-editor .setting-item-label");
      await rows.first().waitFor();
      await code.screenshot("3_settings");
      await code.until("all settings seen", async () => {
        for (const one of await rows.allInnerTexts()) wanted.delete(one.trim().toLowerCase());
        if (wanted.size === 0) return true;
        await page.locator(".settings-editor .settings-tree-container").hover();
        await page.mouse.wheel(0, 200);
        return false;
      });
    });
  } finally {
    await code.close();
  }
});
