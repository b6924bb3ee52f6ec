// SPDX-License-Identifier: Apache-2.0
// A real, headless Chromium, driven by its DevTools protocol over a pair of pipes: nothing listens on
// the network, and no package of npm is needed.
"use strict";
const { spawn } = require("child_process");
const fs = require("fs");
const os = require("os");
const path = require("path");

class Browser {
  static async start() {
    const browser = new Browser();
    browser.profile = fs.mkdtempSync(path.join(os.tmpdir(), "tasklens-browser-"));
    browser.process = spawn("chromium", [
      "--headless=new", "--no-sandbox", "--remote-debugging-pipe", "--disable-gpu", "--hide-scrollbars",
      "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-dev-shm-usage",
      "--disable-features=Translate,OptimizationHints", `--user-data-dir=${browser.profile}`, "about:blank",
    ], { stdio: ["ignore", "ignore", "pipe", "pipe", "pipe"], env: { ...process.env, HOME: browser.profile } });
    browser.errors = "";
    browser.process.stderr.on("data", (text) => (browser.errors = (browser.errors + text).slice(-4000)));
    browser.waiting = new Map();
    browser.listeners = new Map();
    browser.next = 1;
    let rest = "";
    browser.process.stdio[4].setEncoding("utf8");
    browser.process.stdio[4].on("data", (text) => {
      const messages = (rest + text).split("\0");
      rest = messages.pop();
      for (const message of messages) browser.take(JSON.parse(message));
    });
    const gone = (why) => {
      for (const { reject } of browser.waiting.values()) reject(new Error(`chromium ${why}: ${browser.errors}`));
      browser.waiting.clear();
    };
    browser.process.on("error", (error) => gone(`could not be started (package chromium): ${error.message}`));
    browser.process.on("exit", (status, signal) => gone(`ended (${status ?? signal})`));
    browser.process.stdio[3].on("error", () => {});
    return browser;
  }

  take(message) {
    if (message.id) {
      const { resolve, reject, method } = this.waiting.get(message.id) || {};
      this.waiting.delete(message.id);
      if (message.error) reject?.(new Error(`${method}: ${message.error.message}`));
      else resolve?.(message.result);
    } else {
      this.listeners.get(message.sessionId)?.(message.method, message.params);
    }
  }

  send(method, params = {}, sessionId = undefined) {
    const id = this.next++;
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve, reject, method });
      this.process.stdio[3].write(JSON.stringify({ id, method, params, sessionId }) + "\0");
    });
  }

  // A page of the given size; `prepare` is a script that runs before the page's own.
  async open(url, { width = 1400, height = 900, dark = false, prepare = "" } = {}) {
    const { targetId } = await this.send("Target.createTarget", { url: "about:blank" });
    const { sessionId } = await this.send("Target.attachToTarget", { targetId, flatten: true });
    const page = new Page(this, sessionId, targetId);
    this.listeners.set(sessionId, (method, params) => page.take(method, params));
    await page.send("Page.enable");
    await page.send("Runtime.enable");
    await page.send("Log.enable");
    await page.send("Emulation.setDeviceMetricsOverride", { width, height, deviceScaleFactor: 1, mobile: false });
    await page.send("Emulation.setEmulatedMedia", { features: [
      { name: "prefers-color-scheme", value: dark ? "dark" : "light" },
      { name: "prefers-reduced-motion", value: "reduce" } ] });
    if (prepare) await page.send("Page.addScriptToEvaluateOnNewDocument", { source: prepare });
    const loaded = page.once("Page.loadEventFired");
    await page.send("Page.navigate", { url });
    await loaded;
    return page;
  }

  async close() {
    const ended = new Promise((resolve) => this.process.on("exit", resolve));
    this.waiting.clear(); // an answer that a page still waits for is nobody's concern now
    this.send("Browser.close").catch(() => {});
    await ended;
    fs.rmSync(this.profile, { recursive: true, force: true, maxRetries: 5 });
  }
}

class Page {
  constructor(browser, session, target) {
    this.browser = browser;
    this.session = session;
    this.target = target;
    this.problems = [];  // what the page complained about
    this.requests = [];  // addresses it asked for
    this.events = new Map();
  }

  send(method, params) {
    return this.browser.send(method, params, this.session);
  }

  once(method) {
    return new Promise((resolve) => this.events.set(method, resolve));
  }

  take(method, params) {
    if (method === "Runtime.exceptionThrown") this.problems.push(params.exceptionDetails.exception?.description || params.exceptionDetails.text);
    if (method === "Log.entryAdded" && params.entry.level === "error") this.problems.push(params.entry.text);
    if (method === "Network.requestWillBeSent") this.requests.push(params.request.url);
    this.onEvent?.(method, params);
    const waiting = this.events.get(method);
    this.events.delete(method);
    waiting?.(params);
  }

  // The value of a JavaScript expression (a promise is waited for).
  async eval(expression) {
    const { result, exceptionDetails } = await this.send("Runtime.evaluate", { expression, awaitPromise: true, returnByValue: true });
    if (exceptionDetails) throw new Error(`${expression}: ${exceptionDetails.exception?.description || exceptionDetails.text}`);
    return result.value;
  }

  async close() {
    await this.browser.send("Target.closeTarget", { targetId: this.target });
  }

  // A page behind another draws no frames.
  async toFront() {
    await this.send("Page.bringToFront");
  }

  // Waits until the expression is true, frame by frame.
  until(expression) {
    return this.eval(`new Promise((resolve) => {
      const look = () => { let is = false; try { is = ${expression}; } catch {} is ? resolve() : requestAnimationFrame(look); };
      look();
    })`);
  }

  async mouse(type, x, y, more = {}) {
    await this.send("Input.dispatchMouseEvent", { type, x, y, ...more });
  }

  async click(x, y, count = 1) {
    await this.mouse("mouseMoved", x, y);
    for (let i = 1; i <= count; ++i)
      for (const type of ["mousePressed", "mouseReleased"]) await this.mouse(type, x, y, { button: "left", buttons: 1, clickCount: i });
  }

  async wheel(x, y, deltaY) {
    await this.mouse("mouseWheel", x, y, { deltaX: 0, deltaY });
  }

  async drag(x0, y0, x1, y1, modifiers = 0) {
    await this.mouse("mousePressed", x0, y0, { button: "left", buttons: 1, clickCount: 1, modifiers });
    for (let i = 1; i <= 5; ++i)
      await this.mouse("mouseMoved", x0 + ((x1 - x0) * i) / 5, y0 + ((y1 - y0) * i) / 5, { button: "left", buttons: 1, modifiers });
    await this.mouse("mouseReleased", x1, y1, { button: "left", clickCount: 1, modifiers });
  }

  async key(key, modifiers = 0) {
    const text = key.length === 1 ? key : key === "Enter" ? "\r" : undefined;
    await this.send("Input.dispatchKeyEvent", { type: text ? "keyDown" : "rawKeyDown", key, text, modifiers,
      windowsVirtualKeyCode: { Enter: 13, Tab: 9, Escape: 27, Backspace: 8, ArrowLeft: 37, ArrowUp: 38, ArrowRight: 39, ArrowDown: 40 }[key] });
    await this.send("Input.dispatchKeyEvent", { type: "keyUp", key, modifiers });
  }

  async type(text) {
    await this.send("Input.insertText", { text });
  }

  async screenshot(file) {
    await this.eval("new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))");
    const { data } = await this.send("Page.captureScreenshot", { format: "png" });
    fs.writeFileSync(file, Buffer.from(data, "base64"));
  }
}

module.exports = { Browser };
