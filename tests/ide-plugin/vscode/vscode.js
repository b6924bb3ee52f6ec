// SPDX-License-Identifier: Apache-2.0
// A real VS Code (code-server) with the extension, in a real browser: what tests say in a word each.
"use strict";
const fs = require("fs");
const os = require("os");
const path = require("path");
const { execFileSync, spawn } = require("child_process");
const { Browser } = require("../webview/browser.js");
const { npmFolder } = require("../../npm/npm_module.js");

const SETTINGS = {
  "workbench.startupEditor": "none", "workbench.enableExperiments": false, "chat.disableAIFeatures": true,
  "telemetry.telemetryLevel": "off", "extensions.autoCheckUpdates": false, "extensions.autoUpdate": false, "update.mode": "none",
  "workbench.tips.enabled": false, "window.menuBarVisibility": "compact", "editor.minimap.enabled": false,
  "git.enabled": false, "workbench.secondarySideBar.defaultVisibility": "hidden", "workbench.reduceMotion": "on", "editor.cursorBlinking": "solid",
};

// As long as the test may take; `look` answers what it waits for, or nothing.
async function until(what, look) {
  for (let tries = 0; ; ++tries) {
    const found = await look();
    if (found) return found;
    if (tries === 600) console.log(`still waiting for ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
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
  // `prepare` fills the project's folder.
  static async start({ tasklens, prepare, settings = {}, trusted = true }) {
    const code = new VSCode();
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
    fs.symlinkSync(path.resolve(tasklens), code.server);
    const home = path.join(code.work, "home");
    fs.mkdirSync(path.join(home, "data/User"), { recursive: true });
    fs.writeFileSync(path.join(home, "data/User/settings.json"), JSON.stringify({ ...SETTINGS, ...settings }));
    code.environment = { HOME: home, PATH: `${path.dirname(code.server)}:${process.env.PATH}`, TMPDIR: code.work,
      LANG: "C.UTF-8", VSCODE_CLI: "1" };  // 1: this environment as it is, not that of a login shell
    code.places = ["--user-data-dir", path.join(home, "data"), "--extensions-dir", path.join(home, "extensions")];
    prepare(code);
    code.install();
    await code.listen(trusted);
    code.browser = await Browser.start();
    code.view = await code.browser.open(`${code.address}/?folder=${encodeURIComponent(code.folder)}`, { width: 1500, height: 900 });
    code.page = code.view.page;
    await code.page.waitForSelector(".explorer-folders-view .monaco-list-row");
    return code;
  }

  // Packs the extension, and installs it as a user would.
  install() {
    const vsix = path.join(this.work, "tasklens.vsix");
    execFileSync("python3", ["-B", "ide-plugin/vscode/make_vsix.py", vsix], { stdio: "inherit" });
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
    let said = "";
    const listen = (text) => (said += text);
    this.process.stdout.on("data", listen);
    this.process.stderr.on("data", listen);
    this.process.on("exit", (status) => status && console.log(`code-server ended with ${status}: ${said}`));
    [, this.address] = await until("code-server", () => said.match(/HTTP server listening on (http:\S+?)\/?\s/));
  }

  async close() {
    await this.browser.close();
    process.kill(-this.process.pid, "SIGKILL");
    await new Promise((resolve) => this.process.on("close", resolve));
  }

  write(name, text) {
    const file = path.join(this.folder, name);
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.writeFileSync(file, text);
    return file;
  }

  async key(name) {
    await this.page.keyboard.press(name);
  }

  // The input at the top, where a key or a question opens it.
  get input() {
    return this.page.locator(".quick-input-widget:not([style*='display: none']) input[type=text]");
  }

  // Opens that input by a key. The workbench, while it is being put together, does not hear all keys.
  async ask(key) {
    await until(`the input of ${key}`, async () => {
      await this.key(key);
      return this.input.waitFor({ timeout: 3000 }).then(() => true, () => false);
    });
  }

  // Chooses in the input at the top what begins with `text`.
  async choose(text) {
    const { input } = this;
    await input.waitFor();
    const before = await input.inputValue();
    await input.fill(before.startsWith(">") ? `>${text}` : text);
    await this.page.locator(".quick-input-list .monaco-list-row.focused", { hasText: text }).first().waitFor();
    await this.key("Enter");
  }

  async command(title) {
    await this.ask("F1");
    await this.choose(title);
  }

  // The titles of the commands that are offered for some letters; `some` is the one that is sure to be.
  async offered(letters, some) {
    await this.ask("F1");
    await this.input.fill(`>${letters}`);
    const rows = this.page.locator(".quick-input-list .monaco-list-row");
    await rows.filter({ hasText: some }).first().waitFor();
    const titles = await rows.allInnerTexts();
    await this.key("Escape");
    return titles;
  }

  // The answer to a question at the top.
  async answer(text) {
    await this.input.waitFor();
    await this.input.fill(text);
    await this.key("Enter");
  }

  async open(name) {
    await this.ask("Control+P");
    await this.choose(name);
    await this.page.locator(".tab.active", { hasText: path.basename(name) }).waitFor();
  }

  // The line that the caret of an open file is on, from 1.
  async line(name) {
    const numbers = this.page.locator(`.monaco-editor[data-uri$="${name}"] .active-line-number`);
    return Number(await numbers.first().innerText({ timeout: 5000 }).catch(() => 0));
  }

  // Puts the caret on a line, as a user does.
  async goTo(line) {
    await this.ask("Control+G");
    await this.answer(`:${line}`);
  }

  // Waits for a message of the workbench that contains `part`, and dismisses it.
  async message(part) {
    const box = this.page.locator(".notification-toast", { hasText: part }).first();
    const text = await until(`the message "${part}"`, () => this.page.evaluate((wanted) => {
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
    await row.click({ button: "right" });
    await this.page.locator(".monaco-menu .action-item", { hasText: "Open Trace" }).first().click();
  }

  // Records a trace of a program into the project's folder.
  record(name, program, ...words) {
    const folder = path.join(this.work, `recorded-${name}`);
    execFileSync(this.server, ["run", "-o", folder, "--", program, ...words], { stdio: "ignore" });
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
    return until(`the page of the ${view}`, async () => {
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

  task(codelet) {
    return until(`a task of ${codelet}`, () =>
      this.node((nodes, name) => nodes.label.findIndex((label, i) => label === name && nodes.task[i] >= 0), codelet));
  }
}

module.exports = { VSCode, until };
