// SPDX-License-Identifier: Apache-2.0
// A real VS Code (code-server) with the extension, in a real browser: what tests say in a word each.
"use strict";
const fs = require("fs");
const os = require("os");
const path = require("path");
const { execFileSync, spawn, spawnSync } = require("child_process");
const { Browser } = require("../webview/browser.js");
const { npmFolder } = require("../../npm/npm_module.js");
const { Cases, patience_ms } = require("../../testing/cases.js");
const { looked } = require("../../testing/looking.js");

const SETTINGS = {
  "workbench.startupEditor": "none", "workbench.enableExperiments": false, "chat.disableAIFeatures": true,
  "telemetry.telemetryLevel": "off", "extensions.autoCheckUpdates": false, "extensions.autoUpdate": false, "update.mode": "none",
  "workbench.tips.enabled": false, "window.menuBarVisibility": "compact", "editor.minimap.enabled": false,
  "git.enabled": false, "workbench.secondarySideBar.defaultVisibility": "hidden", "workbench.reduceMotion": "on", "editor.cursorBlinking": "solid",
};

// What the workbench complains about, without what a test expects.
const COMPLAINTS = (expected) => {
  const textOf = (row) => row.querySelector(".notification-list-item-message")?.textContent ?? "";
  return [...document.querySelectorAll(".notification-list-item")]
    .filter((row) => row.querySelector(".codicon-error") || textOf(row).includes("server ended unexpectedly"))
    .map(textOf).filter((text) => !expected.some((part) => text.includes(part)));
};

function exactly(text) {
  return new RegExp(`^${text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")}$`);
}

class VSCode {
  // A folder of tests/npm, or the end of the test with the reason.
  static packages(set) {
    const folder = npmFolder(set);
    if (!fs.existsSync(folder)) {
      console.log(`SKIPPED: the npm packages of ${set} are not installed; ./tasklens test installs them`);
      process.exit(0);
    }
    return path.join(folder, "node_modules");
  }

  // With the program `tasklens` in PATH, as `bin` in the folder of work, where it can be taken away.
  // `prepare` fills the project's folder. `through` answers the address at which the browser finds a VS Code that listens at the given one.
  static async start({ tasklens, prepare, settings = {}, trusted = true, environment = {}, through = (address) => address }) {
    const code = new VSCode();
    code.expected = []; // parts of messages of errors that a test provokes
    code.isClosing = false;
    code.cases = new Cases();
    const packages = VSCode.packages("tests/ide-plugin/vscode/code-server");
    VSCode.packages("ide-plugin/vscode/npm");
    code.node = path.join(packages, `node-linux-${os.arch()}`, "bin/node");
    code.program = path.join(packages, "code-server/out/node/entry.js");
    code.work = fs.realpathSync(fs.mkdtempSync(path.join(process.env.TEST_TMPDIR, "code-")));
    code.pictures = process.env.TEST_UNDECLARED_OUTPUTS_DIR;
    code.folder = path.join(code.work, "project");
    code.server = path.join(code.work, "bin/tasklens");
    fs.mkdirSync(path.join(code.work, "bin"));
    fs.mkdirSync(code.folder);
    fs.symlinkSync(path.resolve("tests/testing/recorded_server.py"), code.server);
    code.said = path.join(code.work, "said.jsonl");
    const home = path.join(code.work, "home");
    fs.mkdirSync(path.join(home, "data/User"), { recursive: true });
    code.settings = { file: path.join(home, "data/User/settings.json"), values: { ...SETTINGS, ...settings }, changes: 0 };
    fs.writeFileSync(code.settings.file, JSON.stringify(code.settings.values));
    code.environment = { HOME: home, PATH: `${path.dirname(code.server)}:${process.env.PATH}`, TMPDIR: code.work,
      LANG: "C.UTF-8", TASKLENS: path.resolve(tasklens), CONVERSATIONS: code.said, ...environment, VSCODE_CLI: "1" };  // 1: this environment as it is, not that of a login shell
    code.places = ["--user-data-dir", path.join(home, "data"), "--extensions-dir", path.join(home, "extensions")];
    prepare(code);
    code.install();
    try {
      await code.listen(trusted);
      code.address = await through(code.address, code);
      code.browser = await Browser.start();
      code.browser.chromium.on("disconnected", () => code.end("the browser ended"));
      code.view = await code.browser.open(`${code.address}/?folder=${encodeURIComponent(code.folder)}`, { width: 1500, height: 900 });
      code.page = code.view.page;
      code.page.on("crash", () => code.end("the page crashed"));
      code.watch();
      await code.page.waitForSelector(".explorer-folders-view .monaco-list-row");
    } catch (error) {
      await code.close();
      throw error;
    }
    return code;
  }

  // Packs the extension, and installs it as a user would. (Its types are checked by tests/packaging:tar_test.)
  install() {
    const vsix = path.join(this.work, "tasklens.vsix");
    execFileSync("python3", ["-B", "ide-plugin/vscode/make_vsix.py", "--unchecked", vsix], { stdio: "inherit" });
    const options = { env: this.environment, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] };
    const said = execFileSync(this.node, [this.program, ...this.places, "--install-extension", vsix], options);
    if (!said.includes("was successfully installed")) throw new Error(said);
  }

  async listen(trusted) {
    const words = ["--auth", "none", "--bind-addr", "127.0.0.1:0", "--disable-telemetry", "--disable-update-check",
      "--disable-getting-started-override", ...(trusted ? ["--disable-workspace-trust"] : [])];
    this.process = spawn(this.node, [this.program, ...this.places, ...words], {
      env: this.environment, stdio: ["ignore", "pipe", "pipe"], detached: true,
    });
    this.isOver = new Promise((resolve) => this.process.on("close", resolve));
    let said = "";
    const listen = (text) => (said += text);
    this.process.stdout.on("data", listen);
    this.process.stderr.on("data", listen);
    this.process.on("exit", (status, signal) => this.end(`code-server ended (${signal ?? `status ${status}`}): ${said}`));
    [, this.address] = await this.until("code-server", () => said.match(/HTTP server listening on (http:\S+?)\/?\s/));
  }

  // Nothing comes any more of what a test waits for: says why, and ends its waiting, since all that waits
  // for a page fails when the browser goes.
  end(why) {
    if (this.isClosing || this.whyEnded) return;
    this.whyEnded = why;
    console.log(`ENDED   ${why}`);
    void this.browser?.close();
  }

  // An error that no test expects is the end: an extension host that died, a server that does not start. And a test that is ended
  // because it takes too long leaves a picture of what it waits in front of.
  async watch() {
    let looks = 0;
    await looked(async () => {
      if (this.isClosing || this.whyEnded) return true;
      if (++looks % 200 === 0) await this.screenshot("last").catch(() => {});
      const [complaint] = await this.page.evaluate(COMPLAINTS, this.expected).catch(() => []);
      if (!complaint) return false;
      await this.screenshot("complaint").catch(() => {});
      this.end(`the editor says: ${complaint}`);
      return true;
    }, 100);
  }

  // Tries a claim. One that does not hold is told, with a picture, and the next finds no question and no menu that it has left.
  async check(claim, test) {
    this.givesUpAt = performance.now() + (patience_ms() || Infinity);
    this.page.context().setDefaultTimeout(patience_ms());
    this.page.setDefaultTimeout(patience_ms());
    if (await this.cases.run(claim, test) || this.whyEnded) return;
    await this.screenshot(`failed_${this.cases.ended.length}`);
    for (let i = 0; i < 3; ++i) await this.key("Escape");
  }

  // As long as the editor lives; `look` answers what it waits for, or nothing.
  async until(what, look) {
    let tries = 0;
    return looked(() => {
      if (this.whyEnded) throw new Error(`waiting for ${what}: ${this.whyEnded}`);
      if (performance.now() > this.givesUpAt) throw new Error(`waited in vain for ${what}`);
      if (++tries === 600) console.log(`still waiting for ${what}`);
      return look();
    });
  }

  // What the test does next leads to an error that says this.
  expect(part) {
    this.expected.push(part);
  }

  async close() {
    this.isClosing = true;
    await this.browser?.close();
    try {
      process.kill(-this.process.pid, "SIGKILL"); // with all that it has started
    } catch (error) {
      if (error.code !== "ESRCH") throw error; // all has ended by itself
    }
    await this.isOver;
    // What the extension and the server said, against the protocol.
    const { status } = spawnSync("tests/npm/check_conversations.sh", [this.said], { stdio: "inherit" });
    if (status !== 0) process.exitCode = 1;
  }

  write(name, text) {
    const file = path.join(this.folder, name);
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.writeFileSync(file, text);
    return file;
  }

  // The user's settings are from now on those of the start and these: written in an editor, as a user does, since VS Code need not notice
  // what others write. Over when the extension has told the server (that has to run) of a number that only this change has.
  async set(settings) {
    const number = 1000 + ++this.settings.changes;
    const all = { ...this.settings.values, "tasklens.keepRuns": number, ...settings };
    await this.command("Preferences: Open User Settings (JSON)");
    const text = this.page.locator('.monaco-editor[data-uri$="settings.json"]').first();
    await text.locator(".view-lines").click();
    await this.until("the settings in the editor", async () => {
      await this.key("Control+A");
      await this.page.keyboard.insertText(JSON.stringify(all));
      return (await text.locator(".view-lines").innerText()).includes(String(all["tasklens.keepRuns"]));
    });
    await this.key("Control+S");
    await this.until("the extension to notice them", () =>
      this.messages("client", "workspace/didChangeConfiguration").at(-1)?.params.settings.tasklens.keepRuns === all["tasklens.keepRuns"]);
    await this.until("the editor of the settings closed", async () => {
      await this.key("Escape");
      return (await text.count()) === 0;
    });
  }

  // What the extension ("client") or the server has said so far by a method, the oldest first.
  messages(side, method) {
    const lines = fs.readFileSync(this.said, "utf8").split("\n").slice(0, -1).filter((line) => line.includes(`"${method}"`));
    return lines.map((line) => JSON.parse(line)).filter(({ from, message }) => from === side && message?.method === method)
      .map(({ message }) => message);
  }

  // What the server has answered to a method so far.
  answers(method) {
    const messages = fs.readFileSync(this.said, "utf8").split("\n").slice(0, -1).map((line) => JSON.parse(line));
    const ids = new Set(messages.filter(({ from, message }) => from === "client" && message?.method === method).map(({ message }) => message.id));
    return messages.filter(({ from, message }) => from === "server" && message?.result && ids.has(message.id)).map(({ message }) => message);
  }

  async key(name) {
    await this.page.keyboard.press(name);
  }

  // The input at the top, where a key or a question opens it; a question shows `hint` in it.
  input(hint = "") {
    const which = hint ? `[placeholder^="${hint}"]` : "[type=text]";
    return this.page.locator(`.quick-input-widget:not([style*='display: none']) input${which}`);
  }

  // Opens that input by a key. The workbench, while it is being put together, does not hear all keys.
  async ask(key) {
    await this.until(`the input of ${key}`, async () => {
      await this.key(key);
      return this.input().waitFor({ timeout: 3000 }).then(() => true, () => false);
    });
  }

  // Clicks what has this name in the list of an input, after a part of it was typed.
  async take(input, typed, name, options) {
    await input.fill(typed, options);
    const label = this.page.locator(".label-name", { hasText: name });
    await this.page.locator(".quick-input-list .monaco-list-row").filter({ has: label }).first().click(options);
  }

  // Opens the input by a key and takes something of its list. The input closes when another part of the workbench takes the
  // focus, such as an editor that is being opened, and its list is that of the moment when it was opened, which the extension
  // may not have reached yet: then once more, and with more patience.
  async askAndTake(key, typed, name) {
    let patience = 2000;
    await this.until(`${name} in the list of ${key}`, async () => {
      await this.ask(key);
      patience *= 1.5;
      const isTaken = await this.take(this.input(), typed, name, { timeout: patience }).then(() => true, () => false);
      if (!isTaken) await this.key("Escape");
      return isTaken;
    });
  }

  async command(title) {
    await this.askAndTake("F1", `>${title}`, exactly(title));
  }

  // The answers to a question at the top: one of a list, and any text.
  async choose(hint, text) {
    await this.input(hint).waitFor();
    await this.take(this.input(hint), text, text);
  }

  async answer(hint, text) {
    await this.input(hint).waitFor();
    await this.input(hint).fill(text);
    await this.key("Enter");
  }

  // The titles of the commands that are offered for some letters; `some` is the one that is sure to be.
  async offered(letters, some) {
    const rows = this.page.locator(".quick-input-list .monaco-list-row");
    const titles = await this.until(`the commands of ${letters}`, async () => {
      await this.ask("F1");
      const isThere = await this.input().fill(`>${letters}`, { timeout: 3000 })
        .then(() => rows.filter({ hasText: some }).first().waitFor({ timeout: 3000 })).then(() => true, () => false);
      return isThere && rows.allInnerTexts();
    });
    await this.key("Escape");
    return titles;
  }

  async open(name) {
    await this.askAndTake("Control+P", name, exactly(path.basename(name)));
    await this.page.locator(".tab.active", { hasText: path.basename(name) }).waitFor();
  }

  // The line that the caret of an open file is on, from 1.
  async line(name) {
    const numbers = this.page.locator(`.monaco-editor[data-uri$="${name}"] .active-line-number`);
    return Number(await numbers.first().innerText({ timeout: 5000 }).catch(() => 0));
  }

  // Types the beginning of a member where the caret is, and takes the rest from what is proposed.
  async complete(begin, member) {
    await this.page.keyboard.type(begin);
    const row = this.page.locator(".suggest-widget.visible .monaco-list-row.focused", { hasText: member }).first();
    await this.until(`${member} to be proposed`, async () => {
      await this.key("Control+Space");
      return row.waitFor({ timeout: 3000 }).then(() => true, () => false);
    });
    await this.key("Enter");
  }

  // Puts the caret on a line of an open file, as a user does.
  async goTo(name, line) {
    await this.page.locator(".tab", { hasText: name }).first().click();
    await this.askAndTake("Control+G", `:${line}`, `go to line ${line} `);
    await this.input().waitFor({ state: "hidden" });
  }

  // Waits for a message of the workbench that contains `part`, and dismisses it.
  async message(part) {
    const box = this.page.locator(".notification-toast", { hasText: part }).first();
    const text = await this.until(`the message "${part}"`, () => this.page.evaluate((wanted) => {
      const texts = [...document.querySelectorAll(".notification-list-item-message")].map((one) => one.textContent);
      return texts.find((one) => one.includes(wanted));
    }, part));
    // It goes by itself as well.
    await box.hover({ timeout: 5000 }).then(() => box.locator(".codicon-notifications-clear").click({ timeout: 5000 })).catch(() => {});
    return text;
  }

  // The button of the editor's title that begins with a name.
  async click(name) {
    await this.page.locator(`.editor-actions [aria-label^="${name}"]`).first().click();
  }

  // Opens a trace of the project's folder, by the menu of its file.
  async openTrace(name) {
    const row = this.page.locator(".explorer-folders-view .monaco-list-row", { hasText: name }).first();
    // A menu that opens before the workbench knows the extension has nothing of it.
    await this.until(`Open Trace in the menu of ${name}`, async () => {
      await row.click({ button: "right" });
      const isThere = await this.page.locator(".monaco-menu .action-item", { hasText: "Open Trace" }).first()
        .waitFor({ timeout: 3000 }).then(() => true, () => false);
      if (!isThere) await this.key("Escape");
      return isThere;
    });
    await this.fromMenu("Open Trace");
  }

  // Chooses from the menu that is about to open. A menu is deaf for its first 100 ms, so that the click that
  // opened it chooses nothing: it is clicked until it has heard.
  async fromMenu(title) {
    const item = this.page.locator(".monaco-menu .action-item", { hasText: title }).first();
    await item.waitFor();
    await this.until(`the menu to take ${title}`, async () => {
      await item.click({ timeout: 1000 }).catch(() => {});
      return !(await item.isVisible());
    });
  }

  // Records a trace of a program into the project's folder.
  record(name, program, ...words) {
    const folder = path.join(this.work, `recorded-${name}`);
    execFileSync(this.server, ["run", "-o", folder, "--", program, ...words], { stdio: "ignore", env: this.environment });
    const [file] = fs.readdirSync(folder).filter((one) => one.endsWith(".tlt"));
    fs.copyFileSync(path.join(folder, file), path.join(this.folder, name));
  }

  // The process of the server that runs: its number, or nothing.
  pid() {
    for (const entry of fs.readdirSync("/proc")) {
      if (!/^\d+$/.test(entry)) continue;
      try {
        const [program, word] = fs.readFileSync(`/proc/${entry}/cmdline`, "utf8").split("\0");
        if (program === this.server && word === "serve") return Number(entry);
      } catch { /* it has ended meanwhile */ }
    }
    return undefined;
  }

  async screenshot(name) {
    await this.view.screenshot(path.join(this.pictures, `${name}.png`));
  }

  // The web app in a view: the frame that has it.
  async app(view = "graph") {
    return this.until(`the page of the ${view}`, async () => {
      for (const frame of this.page.frames()) {
        // A frame may go away while it is asked.
        const isIt = await frame.evaluate((wanted) => document.documentElement.dataset.view === wanted &&
          document.body.dataset.ready === "yes", view).catch(() => false);
        if (isIt) return new App(this, frame);
      }
      return null;
    });
  }
}

// The web app within a webview.
class App {
  constructor(code, frame) {
    this.code = code;
    this.frame = frame;
  }

  evaluate(body, argument) {
    return this.frame.evaluate(body, argument);
  }

  // Clicks at a place of the page.
  async click({ x, y }, count = 1) {
    const element = await this.frame.frameElement();
    const box = await element.boundingBox();
    await this.code.page.mouse.click(box.x + x, box.y + y, { clickCount: count });
  }

  // Where a node of the graph is in the page: the first that `body` finds.
  node(body, argument) {
    return this.frame.evaluate(([text, value]) => {
      const graph = globalThis.tasklensApp.graph;
      const at = graph.answer ? new Function("nodes", "value", `return (${text})(nodes, value)`)(graph.answer.nodes, value) : -1;
      if (at < 0) return null;
      const box = graph.layout.nodes[at];
      const view = graph.surface.canvas.getBoundingClientRect();
      return {
        x: view.left + graph.camera.x + (box.x + box.width / 2) * graph.camera.scale,
        y: view.top + graph.camera.y + (box.y + box.height / 2) * graph.camera.scale,
      };
    }, [body.toString(), argument]);
  }

  // The codelet of the task that the graph marks, once the page knows all of it; else "".
  marked() {
    return this.frame.evaluate(() => {
      const { graph, store, selectedTask } = globalThis.tasklensApp, at = graph.chosen();
      return at !== null && selectedTask?.task === store.state.selection.task ? graph.answer.nodes.label[at] : "";
    });
  }

  // What was chosen since the page began: codelets of tasks, and "line".
  choices() {
    return this.frame.evaluate(() => {
      const { graph, store } = globalThis.tasklensApp, { nodes } = graph.answer;
      const chosen = [...store.past, store.state].map(({ selection }) => selection).filter((one, i, all) => one && one !== all[i - 1]);
      return chosen.map(({ task, site }) => (task !== undefined ? nodes.label[nodes.task.indexOf(task)] : site !== undefined ? "line" : "other"));
    });
  }

  // Where a task of `codelet` is, once the picture has come to rest.
  task(codelet) {
    let before = null;
    return this.code.until(`a task of ${codelet}`, async () => {
      const now = await this.node((nodes, name) => nodes.label.findIndex((label, i) => label === name && nodes.task[i] >= 0), codelet);
      const rests = now !== null && before !== null && now.x === before.x && now.y === before.y;
      before = now;
      return rests ? now : null;
    });
  }
}

module.exports = { VSCode };
