#!/usr/bin/env node
// SPDX-License-Identifier: Apache-2.0
// Nothing of a folder is run before its user trusts it.
"use strict";
const fs = require("fs");
const path = require("path");
const { finish, holds } = require("./checks.js");
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
  try {
    await code.check("who does not trust a folder looks at traces, with the server of their own", async () => {
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

    await code.check("once it is trusted, the folder's settings count", async () => {
      await code.command("Workspaces: Manage Workspace Trust");
      await page.locator(".workspace-trust-editor .monaco-button", { hasText: /^Trust/ }).first().click();
      await page.locator(".statusbar-item", { hasText: "Restricted Mode" }).waitFor({ state: "detached" });
      await code.open("cholesky.c");
      await code.command("TaskLens: Run Traced");
      await code.answer("What to run", "./cholesky");
      await status("TaskLens: cholesky, 56 tasks");
      await code.app();
      holds(hasRun(), "the server is the program that the folder's settings name");
    });
  } finally {
    await code.close();
  }
});
