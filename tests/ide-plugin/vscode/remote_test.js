#!/usr/bin/env node
// SPDX-License-Identifier: Apache-2.0
// VS Code on another node, of which this one has a port by ssh and nothing else: the pages come through it, and so does the browser's.
"use strict";
const fs = require("fs");
const net = require("net");
const path = require("path");
const { execFileSync, spawn } = require("child_process");
const { finish, holds } = require("./checks.js");
const { VSCode } = require("./vscode.js");

const [, , tasklens, cholesky] = process.argv;
const text = fs.readFileSync("examples/cholesky.c", "utf8");
const lineOf = (codelet) => text.split("\n").findIndex((line) => line.includes(`starpu_task_insert(&${codelet}`)) + 1;
const SSH = "tests/testing/ssh_node.sh";

// A port of this node that is free at this moment.
function freePort() {
  return new Promise((resolve) => {
    const server = net.createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

function answers(port) {
  return new Promise((resolve) => {
    const socket = net.connect(port, "127.0.0.1");
    socket.on("error", () => resolve(false));
    socket.on("connect", () => {
      socket.destroy();
      resolve(true);
    });
  });
}

finish(async () => {
  const keys = fs.mkdtempSync(path.join(process.env.TEST_TMPDIR, "ssh-"));
  const missing = execFileSync(SSH, [keys, "--missing"], { encoding: "utf8" }).trim();
  if (missing) {
    console.log(`SKIPPED: ${missing}`);
    return;
  }
  let tunnel, here; // the process of ssh, and its address on this node
  const code = await VSCode.start({
    tasklens,
    prepare: (code) => {
      code.write("examples/cholesky.c", text);
      fs.copyFileSync(cholesky, path.join(code.folder, "cholesky"));
    },
    through: async (there, code) => {
      const port = await freePort();
      const words = ["-N", "-o", "ExitOnForwardFailure=yes", "-L", `127.0.0.1:${port}:${new URL(there).host}`, "node"];
      tunnel = spawn(SSH, [keys, ...words], { stdio: "inherit" });
      tunnel.on("exit", (status) => code.end(`ssh ended (status ${status})`));
      await code.until("the tunnel", () => answers(port));
      here = `http://127.0.0.1:${port}`;
      return here;
    },
  });
  try {
    let app;
    await code.check("a program is run there, and its graph is shown here", async () => {
      await code.open("cholesky.c");
      await code.command("TaskLens: Run Traced");
      await code.answer("What to run", "./cholesky");
      app = await code.app();
      await code.screenshot("1_graph");
    });

    await code.check("a click on a task puts the cursor on its line", async () => {
      await app.click(await app.task("gemm"));
      await code.until("the cursor", async () => (await code.line("cholesky.c")) === lineOf("gemm"));
    });

    await code.check("the page in the browser comes through ssh as well", async () => {
      const opened = code.page.context().waitForEvent("page");
      await code.command("TaskLens: Graph in Browser");
      const other = await opened;
      await other.waitForFunction(() => document.body?.dataset.ready === "yes");
      const tasks = await other.evaluate(() => globalThis.tasklensApp.overview.tasks);
      holds(tasks === 56, `its page shows ${tasks} tasks`);
      holds(other.url().startsWith(`${here}/`), `it is at ${other.url()}`);
    });
  } finally {
    code.isClosing = true;
    tunnel.kill();
    await code.close();
  }
});
