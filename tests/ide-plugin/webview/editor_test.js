#!/usr/bin/env node
// SPDX-License-Identifier: Apache-2.0
// The page within an editor: a plugin that carries messages between it and the real language server.
"use strict";
const fs = require("fs");
const path = require("path");
const { LanguageServer } = require("./language_server.js");
const { READY, copyOf, equal, holds, run, shot, work } = require("./checks.js");

const [, , tasklens, trace, sourceFolder] = process.argv;
const sources = copyOf(sourceFolder);

// What a plugin does for a page, and nothing else.
class Plugin {
  constructor(server, trace) {
    Object.assign(this, { server, trace, state: null, theme: null, protocol: undefined, opened: [], saved: [], early: [], held: null });
  }

  async answer({ id, method, params }) {
    if (method === "tasklens/task") await this.held;
    if (method.startsWith("tasklens/")) {
      const { result, error } = await this.server.ask(method, params);
      return { id, result, error };
    }
    if (method === "host/start") return { id, result: { trace: this.trace, theme: this.theme, state: this.state, protocol: this.protocol } };
    if (method === "host/store") this.state = params.state;
    if (method === "host/open") this.opened.push(params);
    if (method === "host/save") this.saved.push(params);
    return id === undefined ? null : { id, result: null };
  }

  // Shows the page in a browser that passes `text` or, as VS Code does, objects.
  async show(browser, html, kind, size = {}) {
    const file = path.join(work, `${kind}.html`);
    fs.writeFileSync(file, html);
    const prepare = kind === "objects" ? "globalThis.acquireVsCodeApi = () => ({ postMessage: (message) => post(JSON.stringify(message)) });" : "";
    const page = await browser.open("about:blank", { ...size, prepare });
    const give = (message) => page.eval(kind === "text" ? `tasklensTake(${JSON.stringify(JSON.stringify(message))})`
      : `window.postMessage(${JSON.stringify(message)})`);
    await page.page.exposeFunction(kind === "text" ? "tasklensPost" : "post", async (text) => {
      const message = JSON.parse(text), answer = await this.answer(message);
      if (answer) await give(answer);
      if (message.method === "host/start") for (const one of this.early) await give(one);
    });
    await page.page.goto(`file://${file}`);
    await page.until(`${READY} && tasklensApp.graph.layout`);
    page.give = give;
    return page;
  }
}

run(async (check, browser) => {
  const server = new LanguageServer(tasklens);
  const { result: initialized } = await server.ask("initialize", { processId: process.pid, rootUri: `file://${sources}`, capabilities: { window: { showDocument: { support: true } } } });
  const { result: opened } = await server.ask("tasklens/openTrace", { uris: [path.resolve(trace)] });
  const { result: { html } } = await server.ask("tasklens/page", {});

  for (const kind of ["text", "objects"]) {
    const plugin = new Plugin(server, opened.trace);
    const page = await plugin.show(browser, html, kind);
    await check(`a browser of ${kind} shows the run`, async () => {
      equal(page.problems, [], "complaints");
      const overview = await page.eval("document.querySelector('.overview').textContent");
      for (const words of ["16.5 ms", "56 tasks", "cholesky.c:102"]) holds(overview.includes(words), words);
      await shot(page, `editor_${kind}`);
    });
    await check(`a line is opened in the editor (${kind})`, async () => {
      server.shown = [];
      await page.eval("tasklensApp.openSource({ site: tasklensApp.overview.costs[0].site })");
      equal(server.shown.length, 1, "what the server asked to be shown");
      holds(server.shown[0].uri.endsWith("/cholesky.c"), server.shown[0].uri);
      equal(server.shown[0].selection.start.line, 101, "the line, from 0");
      equal(plugin.opened, [], "what the page asked for besides");
    });
    await check(`the cursor selects in the page, and the page shows what it selects in the editor (${kind})`, async () => {
      const { result } = await server.ask("tasklens/tasksAt", { uri: server.shown[0].uri, line: 101 });
      await page.give({ method: "host/select", params: { site: result.tasks[0].site } });
      await page.until("tasklensApp.focus?.size === 20");
      equal(server.shown.length, 1, "what comes from the editor is not shown in it again");
      await page.eval("tasklensApp.select({ task: 22 })");
      await page.until("tasklensApp.selectedTask?.task === 22");
      while (server.shown.length < 2) await page.until("true");
      equal(server.shown.map(({ takeFocus }) => takeFocus), [true, false], "whether the editor takes the focus");
    });
    await check(`a task is marked before all is known of it (${kind})`, async () => {
      let answer;
      plugin.held = new Promise((resolve) => (answer = resolve));
      await page.eval("void tasklensApp.select({ task: 23 })");
      equal(await page.eval("tasklensApp.graph.answer.nodes.task[tasklensApp.graph.chosen()]"), 23, "the marked task");
      equal(await page.eval("tasklensApp.selectedTask.task"), 22, "the task that is known");
      answer();
      await page.until("tasklensApp.selectedTask?.task === 23");
      while (server.shown.length < 3) await page.until("true");
    });
    await check(`a group of one line is shown in the editor (${kind})`, async () => {
      const { shown } = server, before = shown.length;
      await page.eval("tasklensApp.store.set({ graph: { group: ['codelet'], open: [] } })");
      await page.until("tasklensApp.graph.answer.group.join() === 'codelet'");
      const group = "tasklensApp.graph.answer.nodes.tasks.findIndex((tasks) => tasks > 2)";
      await page.eval(`tasklensApp.graph.choose(${group})`);
      while (shown.length === before) await page.until("true");
      const { site } = await page.eval("tasklensApp.selected.inside"), { takeFocus, selection } = shown.at(-1);
      const line = await page.eval(`tasklensApp.overview.costs.find((one) => one.site === ${site}).line`);
      equal([takeFocus, selection.start.line + 1], [false, line], "what is shown, and whether the editor takes the focus");
      await page.eval("tasklensApp.select({ task: 23 }), tasklensApp.store.set({ graph: { group: null, open: null } })");
      await page.until("tasklensApp.selectedTask?.task === 23 && tasklensApp.graph.chosen() !== null");
      while (shown.length === before + 1) await page.until("true");
    });
    await check(`the theme is the editor's (${kind})`, async () => {
      await page.give({ method: "host/theme", params: { theme: "dark" } });
      await page.until("document.documentElement.dataset.theme === 'dark'");
    });
    await check(`a picture is handed to the editor (${kind})`, async () => {
      await page.eval("tasklensApp.export('timeline', 'png')");
      equal([plugin.saved[0].name, plugin.saved[0].mediaType], ["cholesky_lws-timeline.png", "image/png"], "the file");
      equal(Buffer.from(plugin.saved[0].base64, "base64").subarray(1, 4).toString(), "PNG", "its bytes");
    });
    await check(`an error of the server is said (${kind})`, async () => {
      await page.eval("tasklensApp.openSource({ site: 4000000000 })");
      await page.until("tasklensApp.message.textContent.includes('no submission site')");
    });
    await check(`what is seen comes back with the page (${kind})`, async () => {
      await page.eval("tasklensApp.store.set({ pane: 'table' })");
      while (!/pane=table/.test(plugin.state?.link)) await page.until("true");
      await page.close();
      plugin.theme = "light";
      plugin.early = [{ method: "host/theme", params: { theme: "dark" } }];
      const again = await plugin.show(browser, html, kind);
      equal(await again.eval("[tasklensApp.store.state.pane, tasklensApp.store.state.selection.task]"), ["table", 23], "the view");
      equal(await again.eval("document.documentElement.dataset.theme"), "dark", "the theme, which changed while the page began");
      await again.close();
    });
  }

  for (const view of ["graph", "timeline"]) {
    await check(`an editor may show the ${view} alone`, async () => {
      const { result } = await server.ask("tasklens/page", { view });
      const page = await new Plugin(server, opened.trace).show(browser, result.html, "text", { width: 690, height: 840 });
      const shown = await page.eval("[tasklensApp.graph, tasklensApp.timeline].map((view) => view.surface.canvas.clientHeight > 500)");
      equal(shown, [view === "graph", view === "timeline"], "what is seen");
      equal(await page.eval("document.querySelector('.overview').clientHeight"), 0, "the overview's height");
      await shot(page, `editor_only_${view}`);
      await page.close();
    });
  }
  await check("a page beside a server of another protocol says that it has to be opened again", async () => {
    const { version } = initialized.capabilities.experimental.tasklens;
    for (const [protocol, isOther] of [[version, false], [version + 1, true]]) {
      const plugin = new Plugin(server, opened.trace);
      plugin.protocol = protocol;
      const page = await plugin.show(browser, html, "text");
      const said = await page.eval("tasklensApp.message.textContent");
      equal(said.startsWith("This page and its server are of different versions"), isOther, said);
      if (isOther) await shot(page, "editor_other_protocol");
      await page.close();
    }
  });
  await check("a view that there is not is refused", async () => {
    holds((await server.ask("tasklens/page", { view: "<script>" })).error.message.includes("graph or timeline"), "why");
  });
  await check("an editor that shows no documents is asked by the page", async () => {
    const other = new LanguageServer(tasklens);
    await other.ask("initialize", { processId: process.pid, rootUri: `file://${sources}`, capabilities: {} });
    await other.ask("tasklens/openTrace", { uris: [path.resolve(trace)] });
    const plugin = new Plugin(other, null);
    const page = await plugin.show(browser, html, "text");
    await page.eval("tasklensApp.openSource({ site: tasklensApp.overview.costs[0].site })");
    equal(plugin.opened.map(({ location: { uri, range }, takeFocus }) => [path.basename(uri), range.start.line, takeFocus]),
      [["cholesky.c", 101, true]], "the place");
    await page.close();
    await other.end();
  });
  await check("what was said is as the protocol says", () => server.end());
});
