#!/usr/bin/env node
// SPDX-License-Identifier: Apache-2.0
// Whatever breaks: one clear sentence, and an editor that works on.
"use strict";
const fs = require("fs");
const path = require("path");
const { finish, holds } = require("./checks.js");
const { VSCode } = require("./vscode.js");

const [, , tasklens, cholesky, hostile] = process.argv;

finish(async () => {
  const code = await VSCode.start({
    tasklens, trusted: false,
    prepare: (code) => {
      code.write("examples/cholesky.c", fs.readFileSync("examples/cholesky.c", "utf8"));
      fs.copyFileSync(cholesky, path.join(code.folder, "cholesky"));
      fs.copyFileSync(hostile, path.join(code.folder, "hostile"));
      code.record("good.tlt", path.join(code.folder, "cholesky"));
      code.record("large.tlt", path.join(code.folder, "cholesky"), "100", "1");
      code.write("bad.tlt", "this is no trace\n");
    },
    settings: { "security.workspace.trust.startupPrompt": "never", "security.workspace.trust.banner": "never" },
  });
  const missing = "the program tasklens is not in PATH; install TaskLens, or name it in the setting tasklens.serverPath";
  const notATrace = "bad.tlt: not in a known trace format";
  const gone = "and does not start again: the program tasklens is not in PATH";
  for (const error of [missing, notATrace, "server ended unexpectedly (SIGKILL)"]) code.expect(error);
  const running = () => code.page.locator(".statusbar-item", { hasText: "TaskLens: cholesky, 56 tasks" }).first();
  try {
    const target = fs.readlinkSync(code.server);
    fs.unlinkSync(code.server);

    await code.check("a missing server is told in one sentence that says what to do", async () => {
      await code.open("cholesky.c");
      await code.message(missing);
    });

    await code.check("in a folder that is not trusted nothing is run", async () => {
      fs.symlinkSync(target, code.server);
      const titles = await code.offered("TaskLens: R", "TaskLens: Restart the Server");
      holds(!titles.some((title) => title.includes("Run Traced")), `Run Traced is not offered: ${titles}`);
      await code.openTrace("good.tlt");
      await code.app();
      await code.screenshot("not_trusted");
    });

    await code.check("once it is trusted, programs run", async () => {
      await code.command("Workspaces: Manage Workspace Trust");
      await code.page.locator(".workspace-trust-editor .monaco-button", { hasText: /^Trust/ }).first().click();
      await code.open("cholesky.c");
      await code.click("Run Traced");
      await code.answer("What to run", "./cholesky");
      await running().waitFor();
      await code.app();
      // The folder of runs pushes all other files down, once the explorer has seen it.
      await code.page.locator(".explorer-folders-view .monaco-list-row", { hasText: ".tasklens" }).first().waitFor();
    });

    await code.check("a bad trace is told", async () => {
      await code.openTrace("bad.tlt");
      holds((await code.message(notATrace)).length < 300, "in one sentence");
      await running().waitFor();
    });

    await code.check("a killed server is started again, with its trace", async () => {
      const before = await code.until("the server", () => code.pid());
      process.kill(before, "SIGKILL");
      await code.message("the TaskLens server ended unexpectedly (SIGKILL) and was started again");
      await code.until("another server", () => code.pid() && code.pid() !== before);
      await running().waitFor();
      await code.app();
      await code.screenshot("killed");
    });

    await code.check("a server that was removed is told, and the editor lives on", async () => {
      fs.unlinkSync(code.server);
      process.kill(code.pid(), "SIGKILL");
      await code.message(gone);
      await code.screenshot("removed");
      await code.goTo("cholesky.c", 3);
      await code.until("the cursor", async () => (await code.line("cholesky.c")) === 3);
      fs.symlinkSync(target, code.server);
      await code.command("TaskLens: Run Traced");
      await running().waitFor();
    });

    await code.check("a load is cancelled, whatever the server is doing", async () => {
      const before = await code.page.locator(".tab", { hasText: "Task Graph" }).first().innerText();
      const pid = code.pid();
      process.kill(pid, "SIGSTOP"); // as long as it takes to find the button
      await code.openTrace("large.tlt");
      await code.page.locator(".notification-toast", { hasText: "opening large" }).locator(".monaco-button", { hasText: "Cancel" }).click();
      const begun = performance.now();
      process.kill(pid, "SIGCONT");
      await code.page.locator(".notification-toast", { hasText: "opening large" }).waitFor({ state: "detached" });
      console.log(`MEASURED from the cancel to the end of the load: ${Math.round(performance.now() - begun)} ms`);
      holds((await code.page.locator(".tab", { hasText: "Task Graph" }).first().innerText()) === before, "the trace before it is still shown");
    });

    await code.check("markup in the names of tasks and files stays text", async () => {
      await code.command("TaskLens: Run Traced...");
      await code.answer("What to run", "./hostile");
      await code.page.locator(".tab", { hasText: "Task Graph: hostile" }).waitFor();
      const app = await code.until("its page", async () => {
        const page = await code.app();
        return (await page.evaluate(() => globalThis.tasklensApp.overview.title).catch(() => "")) === "hostile" && page;
      });
      const foreign = () => document.querySelectorAll("img, iframe, object, [onerror], [onload]").length;
      holds((await app.evaluate(foreign)) === 0, "no element of the page came from a name");
      await code.page.locator(".activitybar [aria-label^='TaskLens']").first().click();
      await code.page.locator(".pane-body .monaco-list-row", { hasText: "hostile" }).first().waitFor();
      holds((await code.page.evaluate(() => document.querySelectorAll("[onerror], img[src='x']").length)) === 0, "nor of the workbench");
      await code.screenshot("markup");
    });

    await code.check("a server of another protocol is told, with what to update, and works", async () => {
      const { version } = JSON.parse(fs.readFileSync("ide-plugin/vscode/package.json", "utf8"));
      fs.unlinkSync(code.server);
      fs.writeFileSync(code.server, `#!/bin/sh\nPROTOCOL=2 exec '${target}' "$@"\n`, { mode: 0o755 });
      await code.command("TaskLens: Restart the Server");
      const verdict = "this extension is older than the server, update it; until then some commands may fail";
      await code.page.locator(".notification-toast", { hasText: verdict }).waitFor();
      await code.screenshot("other_protocol");
      const said = await code.message(verdict);
      holds(said.includes(`(extension ${version}: protocol 1; ${code.server}, tasklens ${version}: protocol 2)`), said);
      await code.page.locator(".statusbar-item", { hasText: "TaskLens: hostile, 38 tasks" }).first().waitFor();
    });
  } finally {
    await code.close();
  }
});
