#!/usr/bin/env node
// SPDX-License-Identifier: Apache-2.0
// What a user decides: whether a folder is trusted, and what the settings say.
"use strict";
const fs = require("fs");
const path = require("path");
const { check, finish, holds } = require("./checks.js");
const { VSCode } = require("./vscode.js");

const [, , tasklens, cholesky] = process.argv;
const text = fs.readFileSync("examples/cholesky.c", "utf8");

finish(async () => {
  let theirs; // a program that the folder names as the server; it notes that it ran
  const code = await VSCode.start({
    tasklens, trusted: false,
    prepare: (code) => {
      code.write("examples/cholesky.c", text);
      fs.copyFileSync(cholesky, path.join(code.folder, "cholesky"));
      code.record("good.tlt", path.join(code.folder, "cholesky"));
      theirs = code.write("theirs", `#!/bin/sh\ntouch '${code.work}/ran'\nexec '${code.server}' "$@"\n`);
      fs.chmodSync(theirs, 0o755);
      code.write(".vscode/settings.json", JSON.stringify({ "tasklens.serverPath": theirs }));
    },
    settings: { "security.workspace.trust.startupPrompt": "always", "security.workspace.trust.banner": "never" },
  });
  const { page } = code;
  const status = (words) => page.locator(".statusbar-item", { hasText: words }).first().waitFor();
  const hasRun = () => fs.existsSync(path.join(code.work, "ran"));
  const runs = () => {
    const folder = path.join(code.folder, ".tasklens/runs");
    return fs.existsSync(folder) ? fs.readdirSync(folder).filter((one) => one.startsWith("cholesky")) : [];
  };
  try {
    await check("who does not trust a folder looks at traces, with the server of their own", async () => {
      const dialog = page.locator(".monaco-dialog-box");
      await dialog.waitFor();
      await code.screenshot("1_asked");
      await dialog.locator(".monaco-button", { hasText: /^No/ }).click();
      await status("Restricted Mode");
      await code.openTrace("good.tlt");
      await status("TaskLens: cholesky, 56 tasks");
      await code.app();
      holds(!hasRun(), "the program that the folder's settings name was not run");
    });

    await check("once it is trusted, the folder's settings count", async () => {
      await code.command("Workspaces: Manage Workspace Trust");
      await page.locator(".workspace-trust-editor .monaco-button", { hasText: /^Trust/ }).first().click();
      await page.locator(".statusbar-item", { hasText: "Restricted Mode" }).waitFor({ state: "detached" });
      await code.open("cholesky.c");
      await code.click("Run Traced");
      await code.choose("What to run", "Program and arguments");
      await code.answer("./program", "./cholesky");
      await status("TaskLens: cholesky, 56 tasks");
      await code.app();
      holds(hasRun(), "the server is the program that the folder's settings name");
    });

    await check("the settings are listed, each with what it does", async () => {
      await code.command("Preferences: Open Settings (UI)");
      const search = page.locator(".settings-editor .search-container .view-line").first();
      await search.click();
      await page.keyboard.type("@ext:tasklens.tasklens");
      await page.locator(".settings-editor .setting-item-category", { hasText: "Tasklens" }).first().waitFor();
      const title = (name) => page.locator(".settings-editor .setting-item-label", { hasText: name }).first().waitFor();
      for (const name of ["Configurations", "Follow Caret", "Keep Runs", "Memory Limit Mi B"]) await title(name);
      await code.screenshot("2_settings");
      await code.until("the settings closed", async () => {
        await code.key("Escape");
        return (await page.locator(".settings-editor").count()) === 0;
      });
    });

    await check("a setting says what is shown after a run, another how many runs are kept", async () => {
      code.set({ "tasklens.showAfterRun": "timeline", "tasklens.keepRuns": 1 });
      // VS Code notices a moment later that its file has changed.
      await code.until("the timeline of a run", async () => {
        await code.open("cholesky.c");
        // A click while the workbench is busy with the settings may do nothing; then the next one counts.
        await code.click("Run Traced");
        return page.locator(".tab", { hasText: "Trace: cholesky" }).waitFor({ timeout: 15000 }).then(() => true, () => false);
      });
      await status("TaskLens: cholesky, 56 tasks");
      await code.app("timeline");
      await code.until("the older runs gone", () => runs().length === 1);
      await code.screenshot("3_timeline");
    });
  } finally {
    await code.close();
  }
});
