// SPDX-License-Identifier: Apache-2.0
// Debian's Chromium without a window, driven by Playwright: what tests say in a word each.
"use strict";
const fs = require("fs");
const path = require("path");
const { npmModule } = require("../../npm/npm_module.js");
const { patience_ms } = require("../../testing/cases.js");

const CHROMIUM = "/usr/bin/chromium";

class Browser {
  static async start() {
    const browser = new Browser();
    browser.chromium = await npmModule("playwright-core").chromium.launch({
      executablePath: CHROMIUM, chromiumSandbox: false, args: ["--disable-gpu", "--disable-dev-shm-usage"],
    });
    return browser;
  }

  // A page of the given size; `prepare` is a script that runs before the page's own; `moves`: what moves
  // does so smoothly, else at once.
  async open(url, { width = 1400, height = 900, dark = false, moves = false, prepare = "" } = {}) {
    const context = await this.chromium.newContext({
      viewport: { width, height }, colorScheme: dark ? "dark" : "light", reducedMotion: moves ? "no-preference" : "reduce",
    });
    if (prepare) await context.addInitScript(prepare);
    const page = new Page(this, await context.newPage());
    page.devtools = await context.newCDPSession(page.page);
    await page.page.goto(url);
    return page;
  }

  async close() {
    await this.chromium.close();
  }
}

class Page {
  constructor(browser, page) {
    this.browser = browser;
    this.page = page;
    this.problems = [];  // what the page complained about
    this.requests = [];  // addresses it asked for besides its own
    page.on("pageerror", (error) => this.problems.push(error.stack));
    page.on("console", (message) => message.type() === "error" && this.problems.push(message.text()));
    page.on("crash", () => { throw new Error(`the page of ${page.url()} crashed`); });  // it would never answer
    page.on("request", (request) => request.isNavigationRequest() || this.requests.push(request.url()));
    page.setDefaultTimeout(0);
  }

  // A command of the DevTools protocol.
  send(method, params) {
    return this.devtools.send(method, params);
  }

  // The value of a JavaScript expression (a promise is waited for).
  async eval(expression) {
    const { result, exceptionDetails } = await this.send("Runtime.evaluate", { expression, awaitPromise: true, returnByValue: true });
    if (exceptionDetails) throw new Error(`${expression}: ${exceptionDetails.exception?.description || exceptionDetails.text}`);
    return result.value;
  }

  // Waits until the expression is true, frame by frame.
  until(expression) {
    return this.eval(`new Promise((resolve, reject) => {
      const begun = performance.now();
      const look = () => {
        let is = false;
        try { is = ${expression}; } catch {}
        if (is) resolve();
        else if (performance.now() - begun > ${patience_ms() || "Infinity"}) reject(new Error("waited in vain"));
        else requestAnimationFrame(look);
      };
      look();
    })`);
  }

  // The frame that is asked for now was drawn.
  drawn() {
    return this.eval("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done))))");
  }

  async close() {
    await this.page.context().close();
  }

  // A page behind another draws no frames.
  async toFront() {
    await this.page.bringToFront();
  }

  async move(x, y) {
    await this.page.mouse.move(x, y);
  }

  async click(x, y, count = 1) {
    await this.page.mouse.click(x, y, { clickCount: count });
  }

  async wheel(x, y, deltaY) {
    await this.page.mouse.move(x, y);
    await this.page.mouse.wheel(0, deltaY);
  }

  // `modifier`: a key that is held, as "Shift".
  async drag(x0, y0, x1, y1, modifier = null) {
    const { mouse, keyboard } = this.page;
    if (modifier) await keyboard.down(modifier);
    await mouse.move(x0, y0);
    await mouse.down();
    await mouse.move(x1, y1, { steps: 5 });
    await mouse.up();
    if (modifier) await keyboard.up(modifier);
  }

  // "a", "Enter", "Shift+Tab".
  async key(name) {
    await this.page.keyboard.press(name);
  }

  async type(text) {
    await this.page.keyboard.insertText(text);
  }

  async screenshot(file) {
    await this.eval("new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))");
    fs.mkdirSync(path.dirname(file), { recursive: true });
    await this.page.screenshot({ path: file });
  }
}

module.exports = { Browser };
