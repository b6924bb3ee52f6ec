#!/usr/bin/env node
// SPDX-License-Identifier: Apache-2.0
// `tasklens serve --http`: the page in a browser, and what is refused to everyone else.
"use strict";
const http = require("http");
const net = require("net");
const path = require("path");
const checks = require("./checks.js");
const { READY, copyOf, equal, holds, report, run, shot } = checks;
const { lookingClaims } = require("./looking.js");
const { plotClaims } = require("./plots.js");
const { pointingClaims } = require("./pointing.js");
const { selectionClaims } = require("./selection.js");
const { stretchClaims } = require("./stretch.js");

const [, , tasklens, trace, stencil, sourceFolder] = process.argv;
const sources = copyOf(sourceFolder);

// The status and text of a request that may be wrong in any way.
function ask(address, { path = "", method = "GET", headers = {}, body = "" } = {}) {
  const url = new URL(address);
  return new Promise((resolve, reject) => {
    const request = http.request({ host: url.hostname, port: url.port, method, path: path || url.pathname,
      headers: { Host: url.host, ...(body ? { "Content-Length": Buffer.byteLength(body) } : {}), ...headers } }, (reply) => {
      let text = "";
      reply.on("data", (data) => (text += data));
      reply.on("end", () => resolve({ status: reply.statusCode, text, headers: reply.headers }));
    });
    request.on("error", reject);
    request.end(body);
  });
}

// What comes back for raw bytes; "" when the connection is closed without an answer.
function raw(address, bytes) {
  const url = new URL(address);
  return new Promise((resolve) => {
    const socket = net.connect(Number(url.port), url.hostname, () => socket.write(bytes));
    let text = "";
    socket.on("data", (data) => (text += data));
    socket.on("close", () => resolve(text));
    socket.on("error", () => {});
  });
}

const serve = (shown = trace) => checks.serve(tasklens, shown, ["--source-root", sources]);

run(async (check, browser) => {
  const { server, address } = await serve();
  const request = address + "request", url = new URL(address);
  const post = (body, headers = {}) => ask(request, { method: "POST", body: typeof body === "string" ? body : JSON.stringify(body), headers: { "Content-Type": "application/json", ...headers } });

  await check("the address has a secret of 128 bits on loopback", async () => {
    holds(/^http:\/\/127\.0\.0\.1:\d+\/[0-9a-f]{32}\/$/.test(address), address);
  });
  await check("without the secret nothing is there", async () => {
    for (const path of ["/", "/request", "/0123456789abcdef0123456789abcdef/", "/../", url.pathname.slice(0, -2) + "/"])
      equal((await ask(address, { path })).status, 404, path);
  });
  await check("a path outside is not found", async () => {
    for (const path of ["etc/passwd", "../../etc/passwd", "..%2f..%2fetc/passwd", "request/x", "%00", "changes/", "changes/1x", "changes/99999999999999999999"])
      equal((await ask(address, { path: url.pathname + path })).status, 404, path);
  });
  await check("another Host is refused, as a name that was bound to this address would be", async () => {
    for (const host of ["evil.example", `evil.example:${url.port}`, "127.0.0.1"])
      equal((await ask(address, { headers: { Host: host } })).status, 403, host);
    equal((await ask(address, { headers: { Host: `localhost:${url.port}` } })).status, 200, "localhost");
    holds(/^HTTP\/1\.1 403 /.test(await raw(address, `GET ${url.pathname} HTTP/1.1\r\n\r\n`)), "no host at all");
  });
  await check("another Origin is refused", async () => {
    for (const Origin of ["http://evil.example", "null", `https://127.0.0.1:${url.port}`, "http://127.0.0.1:1"])
      equal((await post({ method: "tasklens/traces" }, { Origin })).status, 403, Origin);
    equal((await post({ method: "tasklens/traces" }, { Origin: `http://127.0.0.1:${url.port}` })).status, 200, "its own");
  });
  await check("a form of a foreign page cannot ask", async () => {
    const reply = await ask(request, { method: "POST", body: '{"method":"tasklens/traces"}', headers: { "Content-Type": "text/plain" } });
    equal(reply.status, 415, "text");
  });
  await check("programs cannot be run and files not opened", async () => {
    for (const method of ["tasklens/run", "tasklens/openTrace", "tasklens/stop", "tasklens/showSite", "textDocument/codeLens", "shutdown", ""])
      equal(JSON.parse((await post({ method, params: {} })).text).error.code, -32601, method);
  });
  await check("requests that are none get an answer or an end", async () => {
    for (const body of ["", "[]", "{}", '{"method":1}', "\u0000", "{".repeat(100000)])
      holds("error" in JSON.parse((await ask(request, { method: "POST", body, headers: { "Content-Type": "application/json" } })).text), body.slice(0, 20));
    for (const bytes of ["x\r\n\r\n", "GET\r\n\r\n", "\0\0\0\r\n\r\n", `GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n`,
                         `POST ${url.pathname}request HTTP/1.1\r\nHost: ${url.host}\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
                         `POST ${url.pathname}request HTTP/1.1\r\nHost: ${url.host}\r\nContent-Length: -1\r\n\r\n`, "a".repeat(100000)])
      holds(/^HTTP\/1\.1 400 /.test(await raw(address, bytes)), JSON.stringify(bytes.slice(0, 60)));
    const huge = `POST ${url.pathname}request HTTP/1.1\r\nHost: ${url.host}\r\nContent-Type: application/json\r\nContent-Length: 99999999999\r\n\r\n`;
    holds(/^HTTP\/1\.1 413 /.test(await raw(address, huge)), "a huge body");
  });
  await check("a deep or wrong parameter is an error of one line", async () => {
    const bad = await post({ method: "tasklens/task", params: { task: "x" } });
    holds(JSON.parse(bad.text).error.message.includes("task"), bad.text);
    holds("error" in JSON.parse((await post({ method: "tasklens/task", params: [] })).text), "params that are no object");
    holds("error" in JSON.parse((await post({ method: "tasklens/timeline", params: { pixels: 1e9 } })).text), "too many pixels");
    const deep = `{"method":"tasklens/task","params":{"task":${"[".repeat(400000)}${"]".repeat(400000)}}}`;
    holds("error" in JSON.parse((await post(deep)).text), "nested without end");
  });

  const page = await browser.open(address);
  await page.until(`${READY} && tasklensApp.graph.layout`);
  await check("the page shows the run as the report does", async () => {
    equal(page.problems, [], "complaints");
    const overview = await page.eval("document.querySelector('.overview').textContent");
    for (const words of ["16.5 ms", "56 tasks", "in tasks 1.7 %", "cholesky.c:102"]) holds(overview.includes(words), words);
    await shot(page, "served");
  });
  await check("pictures do not wait for analyses, and what these have not said yet is said to come", async () => {
    const early = await browser.open("about:blank");
    const isSlow = (one) => one.method() === "POST" && one.postDataJSON().method === "tasklens/overview" && one.postDataJSON().params.reasons !== false;
    let goOn;
    const waits = new Promise((resolve) => (goOn = resolve));
    await early.page.route("**/request", async (route) => {
      if (isSlow(route.request())) await waits;
      await route.continue();
    });
    await early.page.goto(address);
    await early.until("globalThis.tasklensApp?.graph.layout && tasklensApp.timeline.data.answer");
    const shown = () => early.eval("document.querySelector('.overview').textContent");
    const before = await shown();
    for (const words of ["56 tasks", "is being worked out …", "cholesky.c:102", "Being looked for …"]) holds(before.includes(words), `${words}: ${before}`);
    await early.move(800, (await early.eval("tasklensApp.minimap.surface.canvas.getBoundingClientRect().top")) + 10);
    await early.until("document.querySelector('.tip').textContent.includes('is being worked out')");
    await early.key("i");
    await shot(early, "served_early");
    goOn();
    await early.until(READY);
    const after = await shown();
    for (const words of ["in tasks 1.7 %", "Critical path of this run: "]) holds(after.includes(words), `${words}: ${after}`);
    equal(await early.eval("document.querySelector('.panel .tabs').textContent.includes('Findings (')"), true, "their number");
    equal(early.problems, [], "complaints");
    await early.close();
  });
  await check("why an analysis will never say anything is said in its place", async () => {
    const poor = await browser.open("about:blank");
    await poor.page.route("**/request", (route) => {
      const { method, params } = route.request().postDataJSON();
      if (method !== "tasklens/overview" || params.reasons === false) return route.continue();
      return route.fulfill({ json: { error: { code: -32803, message: "there is not enough memory" } } });
    });
    await poor.page.goto(address);
    await poor.until(READY);
    const shown = await poor.eval("document.querySelector('.overview').textContent");
    equal(shown.split("Not known: there is not enough memory").length, 3, shown);
    equal(poor.problems, [], "complaints");
    await poor.close();
    await page.toFront();
  });
  await check("zooming asks the server for what is to be seen", async () => {
    const { from, to } = await page.eval("tasklensApp.timeline.home");
    await page.eval(`tasklensApp.timeline.show(${to - (to - from) / 50}, ${to})`);
    await page.until(`tasklensApp.timeline.data.answer.fromNs > ${from}`);
    holds((await page.eval("tasklensApp.timeline.data.answer.rows.reduce((sum, row) => sum + (row.layers[0]?.start.length ?? 0), 0)")) > 10, "slices came");
  });
  await check("search, selection, line and neighbours work", async () => {
    await page.eval("tasklensApp.search.ask('potrf')");
    await page.until("document.querySelectorAll('.hit').length > 1");
    await page.key("Enter");
    await page.until("tasklensApp.selectedTask && document.querySelector('.source pre')");
    holds((await page.eval("document.querySelector('.source .here').textContent")).includes("starpu_task_insert(&potrf"), "the line is quoted");
    holds(await page.eval("tasklensApp.selectedTask.row >= 0"), "the task has a row");
    const labels = await page.eval("[...document.querySelectorAll('.panel dl.fields dt')].map((one) => one.textContent)");
    for (const label of ["Name", "Worker", "Time", "Footprint", "GFlop", "Job", "Parameters", "X", "Y"]) holds(labels.includes(label), label);
    await page.eval("tasklensApp.openSource({ task: tasklensApp.selectedTask.task })");
    await page.until("/cholesky\\.c:\\d+$/.test(tasklensApp.message.textContent)");
    await shot(page, "served_task");
  });
  await check("Enter takes what is typed, not what was found before", async () => {
    for (const name of ["syrk", "gemm"])
      await page.eval(`(() => {
        const { input } = tasklensApp.search;
        input.value = "${name}";
        input.dispatchEvent(new Event("input"));
        input.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter" }));
      })()`);
    await page.until("tasklensApp.selectedTask?.name.includes('gemm')");
  });
  await check("what findings rest on has units", async () => {
    await page.eval("tasklensApp.showPanel('findings')");
    await page.until("document.querySelector('.evidence dd')");
    const names = await page.eval("[...document.querySelectorAll('.evidence dt')].map((one) => one.textContent)");
    holds(!names.some((name) => /[A-Z_]/.test(name)), `plain words: ${names}`);
    holds((await page.eval("[...document.querySelectorAll('.evidence dd')].map((one) => one.textContent).join()")).includes(" ms"), "times with their unit");
    await page.eval("tasklensApp.showPanel('selection')");
  });
  await check("a line, the critical path, groups and tables work", async () => {
    await page.eval("tasklensApp.select({ site: tasklensApp.overview.costs[0].site })");
    await page.until("tasklensApp.focus?.size === 20");
    await page.eval("tasklensApp.toggleCritical()");
    await page.until("tasklensApp.timeline.data.answer.path?.row.length > 0 && tasklensApp.pathMarks");
    await page.eval("tasklensApp.store.set({ graph: { group: ['codelet'], open: [] } })");
    await page.until("tasklensApp.graph.answer.nodes.canOpen.some(Boolean)");
    await page.eval("tasklensApp.graph.toggle(tasklensApp.graph.answer.nodes.id[tasklensApp.graph.answer.nodes.canOpen.indexOf(true)])");
    await page.until("tasklensApp.graph.answer.frames.length === 1");
    for (const by of ["codelet", "site", "worker", "state"]) {
      await page.eval(`tasklensApp.showTable("${by}")`);
      await page.until("document.querySelectorAll('tbody tr').length > 0");
    }
    equal(page.problems, [], "complaints");
    await shot(page, "served_table");
  });
  await check("dependencies, events and curves of workers are shown when they are asked for", async () => {
    await page.eval("tasklensApp.timeline.goHome(), tasklensApp.store.set({ extras: ['dependency', 'flags', 'curves'] })");
    await page.until("tasklensApp.timeline.data.answer.arrows?.kind.length > 20 && tasklensApp.timeline.data.answer.flags");
    const ofWorkers = "tasklensApp.timeline.layout.counters.filter(({ counter }) => tasklensApp.timeline.data.texts.rows[counter.row].kind === 'worker')";
    await page.until(`${ofWorkers}.length === 4`);
    holds(await page.eval(`${ofWorkers}.every(({ counter, y }) => tasklensApp.timeline.layout.places.some(({ row, y: top, height }) => row === counter.row && y > top + height - 3 && y < top + height + 10))`), "each beneath its worker's row");
    equal(await page.eval("[...document.querySelectorAll('.checks input:checked')].map((box) => box.value)"), ["dependency", "flags", "curves"], "what is ticked");
    await shot(page, "served_extras");
    await page.eval("document.querySelector('.checks input[value=dependency]').click()");
    await page.until("!tasklensApp.timeline.data.answer.arrows");
  });
  await check("every kind of row, curve, arrow and flag that a trace has is shown on demand", async () => {
    const wanted = {
      mpi2: { rows: ["worker", "comm", "submitter", "memory_node", "scheduler"], curves: ["submitted_tasks", "ready_tasks", "memory_used"], arrows: ["message"], flags: ["rank"] },
      disk_compute: { rows: ["memory_node"], curves: ["memory_used", "bandwidth_in", "bandwidth_out"], arrows: ["transfer"], flags: [] },
      cholesky_dmdas: { rows: ["worker"], curves: ["gflops"], arrows: ["dependency"], flags: ["task"] },
      tags: { rows: ["scheduler"], curves: ["ready_tasks"], arrows: ["steal", "dependency"], flags: ["diamond begins"] },
    };
    for (const [name, { rows, curves, arrows, flags }] of Object.entries(wanted)) {
      const other = await browser.open((await serve(path.join(path.dirname(trace), name))).address);
      await other.until(READY);
      await other.eval("tasklensApp.store.set({ extras: ['transfer', 'message', 'steal', 'dependency', 'flags', 'pushes', 'curves'] })");
      await other.until("tasklensApp.timeline.data.answer.arrows && tasklensApp.timeline.data.answer.flags");
      const shown = await other.eval(`(({ data: { answer, texts, counters }, rows }) => ({
        rows: rows.map((row) => texts.rows[row].kind), curves: counters.map(({ kind }) => kind),
        arrows: answer.arrows.kind.map((kind) => answer.arrows.kinds[kind]), flags: answer.flags.text.map((text) => answer.flags.texts[text]) }))(tasklensApp.timeline)`);
      for (const kind of rows) holds(shown.rows.includes(kind), `${name}: rows of ${kind}`);
      for (const kind of curves) holds(shown.curves.includes(kind), `${name}: curves of ${kind}`);
      for (const kind of arrows) holds(shown.arrows.includes(kind), `${name}: arrows of ${kind}`);
      for (const text of flags) holds(shown.flags.some((one) => one.startsWith(text)), `${name}: flags of ${text}`);
      await shot(other, `kinds_${name}`);
      await other.close();
    }
  });
  await check("tasks have the colours that the program chose, served and in a report, in both themes", async () => {
    const modular = path.join(path.dirname(trace), "cholesky_modular");
    for (const [host, where] of [["served", (await serve(modular)).address], ["report", report(tasklens, modular, "own_colours")]]) {
      const own = await browser.open(where, { dark: host === "report" });
      await own.until(`${READY} && tasklensApp.graph.layout`);
      // As in cholesky.c.
      const chosen = { demo_cholesky_potrf: "#e41a1c", demo_cholesky_trsm: "#377eb8", demo_cholesky_syrk: "#4daf4a", demo_cholesky_gemm: "#984ea3" };
      for (const [name, color] of Object.entries(chosen)) {
        equal(await own.eval(`tasklensApp.colors.of("${name}")`), color, `${host}: the legend's ${name}`);
        const nodes = await own.eval(`[...new Set(tasklensApp.graph.answer.nodes.codelet.flatMap((codelet, i) => codelet === "${name}" ? [tasklensApp.graph.colorOf(i)] : []))]`);
        equal(nodes, [color], `${host}: the graph's ${name}`);
      }
      const slices = await own.eval(`[...new Set(tasklensApp.timeline.data.answer.rows.flatMap(({ layers }) => layers.filter(Boolean).flatMap(({ rgb }) => [...rgb].filter((one) => one >= 0))))].map((rgb) => "#" + rgb.toString(16))`);
      equal(slices.sort(), Object.values(chosen).sort(), `${host}: the timeline's`);
      equal(own.problems, [], "complaints");
      await shot(own, `own_colours_${host}`);
      await own.close();
    }
  });
  await check("going back while the view is on its way stays where it went", async () => {
    const moving = await browser.open(address, { moves: true });
    await moving.until(`${READY} && tasklensApp.graph.layout`);
    const view = "tasklensApp.timeline.view", glides = "tasklensApp.timeline.gliding !== null";
    const frames = () => moving.eval("new Promise((done) => { let left = 3; const next = () => (left-- ? requestAnimationFrame(next) : done()); next(); })");
    const { from, to } = await moving.eval("tasklensApp.timeline.home");
    const quarter = (to - from) / 4;
    // Each begins to move the view, and what comes next does so before its end: in one task of the page, as clocks
    // of a machine at work may jump to the end.
    for (const [what, begin, first] of [["whole run", "tasklensApp.timeline.goHome()", `tasklensApp.timeline.show(${from + quarter}, ${to - quarter})`],
                                        ["filled", "(tasklensApp.timeline.reveal({ startNs: tasklensApp.timeline.home.from, endNs: tasklensApp.timeline.home.from + 100, row: 0 }))", "tasklensApp.timeline.goHome()"]]) {
      await moving.eval(first);
      await moving.until(`!(${glides})`);
      const before = await moving.eval(view);
      const now = await moving.eval(`new Promise((done) => {
        tasklensApp.store.lastMove = { keys: "", at: -Infinity };
        ${begin};
        const wait = () => {
          if (${view}.from === ${before.from} && ${view}.to === ${before.to} && ${glides}) return requestAnimationFrame(wait);
          tasklensApp.store.undo();
          done(${glides});
        };
        requestAnimationFrame(wait);
      })`);
      equal(now, false, `${what}: whether it is still on its way`);
      await frames();
      equal(await moving.eval(view), before, `${what}: the view after going back`);
    }
    equal(moving.problems, [], "complaints");
    await moving.close();
    await page.toFront();
  });
  const stencils = (await serve(stencil)).address, large = await browser.open(stencils);
  await large.until(`${READY} && tasklensApp.graph.layout`);
  await selectionClaims(check, large, { knowsWhy: true });
  await lookingClaims(check, large, { isReport: false });
  await pointingClaims(check, large, { open: (link) => browser.open(`${stencils}#${link}`) });
  await plotClaims(check, large, { isReport: false, tasklens, trace: stencil, open: (link) => browser.open(`${stencils}#${link}`) });
  await stretchClaims(check, large, { isReport: false, open: (link) => browser.open(`${stencils}#${link}`) });
  await check("the selection caused no complaint", async () => equal(large.problems, [], "complaints"));
  await check("it ends when it is told to", async () => {
    const ended = new Promise((resolve) => server.on("exit", resolve));
    server.kill("SIGTERM");
    equal(await ended, 0, "the exit status");
  });
});
