#!/usr/bin/env node
// SPDX-License-Identifier: Apache-2.0
// `tasklens serve --http` as a trace server, driven by the protocol's official client from npm.
"use strict";
const assert = require("assert");
const fs = require("fs");
const http = require("http");
const path = require("path");
const { spawn } = require("child_process");
const { npmModule } = require("../../npm/npm_module.js");

const load = (name) => npmModule(`tsp-typescript-client/lib/${name}`);
const { HttpTspClient } = load("protocol/http-tsp-client");
const { Query } = load("models/query/query");
const { QueryHelper } = load("models/query/query-helper");

const [, , tasklens, trace, other, sourceFolder] = process.argv;
// Sources are read only where they really lie, and tests see them through links.
const sources = fs.mkdtempSync(path.join(process.env.TEST_TMPDIR || "/tmp", "tsp-"));
fs.cpSync(sourceFolder, sources, { recursive: true, dereference: true });

async function serve() {
  const server = spawn(tasklens, ["serve", "--http", trace, "--source-root", sources], { stdio: ["ignore", "pipe", "inherit"] });
  const address = await new Promise((resolve, reject) => {
    server.stdout.on("data", (text) => resolve(String(text).trim()));
    server.on("exit", (status) => reject(new Error(`the server ended (${status})`)));
  });
  return { server, address };
}

// The status and headers of a plain request.
function ask(address, method, headers = {}, body = "") {
  return new Promise((resolve, reject) => {
    const request = http.request(address, { method, headers: { ...headers, ...(body ? { "Content-Length": Buffer.byteLength(body) } : {}) } }, (reply) => {
      let text = "";
      reply.on("data", (data) => (text += data));
      reply.on("end", () => resolve({ status: reply.statusCode, headers: reply.headers, text }));
    });
    request.on("error", reject);
    request.end(body);
  });
}

const model = (reply) => {
  assert(reply.isOk(), `${reply.getStatusCode()} ${reply.getText()}`);
  return reply.getModel();
};

async function main() {
  const { server, address } = await serve();
  const base = address + "tsp/api";
  const client = new HttpTspClient(base);
  let failed = 0;
  const check = async (claim, test) => {
    try {
      await test();
      console.log(`ok      ${claim}`);
    } catch (error) {
      ++failed;
      console.log(`FAILED  ${claim}\n        ${error.stack}`);
    }
  };

  let experiment, timeline, rows;
  await check("it is up, and says what it is", async () => {
    assert.equal(model(await client.checkHealth()).status, "UP");
    const identifier = model(await client.fetchIdentifier());
    assert.equal(identifier.version, fs.readFileSync("VERSION", "ascii").trim());
    assert.equal(identifier.tspVersion, "0.6.0");
    assert.equal(identifier.productId, "tasklens");
  });
  await check("the trace that is served is a trace and an experiment", async () => {
    const traces = model(await client.fetchTraces());
    assert.equal(traces.length, 1);
    assert.equal(traces[0].indexingStatus, "COMPLETED");
    assert.equal(model(await client.fetchTrace(traces[0].UUID)).path, traces[0].path);
    const experiments = model(await client.fetchExperiments());
    assert.equal(experiments.length, 1);
    experiment = model(await client.fetchExperiment(experiments[0].UUID));
    assert.equal(typeof experiment.start, "bigint");
    // The measured 16.4 ms lie within what was recorded.
    assert(experiment.end - experiment.start > 16400000n, `${experiment.end - experiment.start} ns`);
  });
  await check("opening it again gives the same trace, an experiment of it the same data", async () => {
    const again = model(await client.openTrace(new Query({ uri: path.resolve(trace), name: "x" })));
    assert.equal(again.UUID, model(await client.fetchTraces())[0].UUID);
    const made = model(await client.createExperiment(new Query({ name: "mine", traces: [again.UUID] })));
    assert.equal(made.name, "mine");
    assert.equal(made.traces[0].UUID, again.UUID);
    assert.equal(model(await client.fetchExperiments()).length, 2);
    const conflict = await client.deleteTrace(again.UUID);
    assert.equal(conflict.getStatusCode(), 409);
    model(await client.deleteExperiment(made.UUID));
    assert.equal(model(await client.fetchExperiments()).length, 1);
  });
  await check("another trace can be opened and closed", async () => {
    const opened = model(await client.openTrace(new Query({ uri: `file://${path.resolve(other)}`, name: "other" })));
    assert.equal(opened.name, "other");
    assert.equal(model(await client.fetchTraces()).length, 2);
    const made = model(await client.createExperiment(new Query({ name: "other", traces: [opened.UUID] })));
    model(await client.fetchTimeGraphTree(made.UUID, "timeline", QueryHelper.timeRangeQuery(made.start, made.end)));
    model(await client.deleteExperiment(made.UUID));
    model(await client.deleteTrace(opened.UUID));
    assert.equal(model(await client.fetchTraces()).length, 1);
  });
  await check("a file that is no trace is refused with a reason", async () => {
    const refused = await client.openTrace(new Query({ uri: "/etc/passwd", name: "x" }));
    assert.equal(refused.getStatusCode(), 404);
    assert(JSON.parse(refused.getText()).detail.startsWith("/etc/passwd: "), refused.getText());
  });
  await check("it has a timeline, counters and statistics", async () => {
    const outputs = model(await client.experimentOutputs(experiment.UUID));
    assert.deepEqual(outputs.map(({ id, type }) => `${id} ${type}`), ["timeline TIME_GRAPH", "counters TREE_TIME_XY",
      "codelets DATA_TREE", "lines DATA_TREE", "workers DATA_TREE", "states DATA_TREE"]);
    timeline = outputs[0].id;
  });
  await check("the rows of the timeline are a tree that begins with the trace", async () => {
    const { status, model: tree } = model(await client.fetchTimeGraphTree(experiment.UUID, timeline,
      QueryHelper.timeRangeQuery(experiment.start, experiment.end)));
    assert.equal(status, "COMPLETED");
    assert.equal(tree.entries[0].parentId, -1);
    assert.equal(tree.entries[0].start, experiment.start);
    const ids = new Set(tree.entries.map(({ id }) => id));
    assert.equal(ids.size, tree.entries.length);
    for (const { parentId } of tree.entries.slice(1)) assert(ids.has(parentId), `${parentId} is an entry`);
    rows = tree.entries.filter(({ hasData }) => hasData);
    assert.equal(rows.filter(({ labels }) => labels[1] === "worker").length, 4);
  });
  let gemm, gemmRow;
  await check("its states show all tasks, in order and without overlap", async () => {
    const { model: { rows: answered } } = model(await client.fetchTimeGraphStates(experiment.UUID, timeline,
      QueryHelper.selectionTimeRangeQuery(experiment.start, experiment.end, 20000, rows.map(({ id }) => id))));
    assert.equal(answered.length, rows.length);
    let tasks = 0;
    for (const { entryId, states } of answered) {
      states.forEach((state, i) => {
        assert(state.start < state.end, "a state has a length");
        assert(i === 0 || states[i - 1].end <= state.start, `state ${i} of ${entryId} begins after the one before`);
        if (state.label === "demo_cholesky_gemm") [gemm, gemmRow] = [state, entryId];
      });
      tasks += states.filter(({ label }) => label.startsWith("demo_cholesky_")).length;
    }
    assert.equal(tasks, 56, "tasks of the run");
  });
  await check("every style that a state or an arrow refers to is there, with a colour", async () => {
    const { model: { styles } } = model(await client.fetchStyles(experiment.UUID, timeline, QueryHelper.query()));
    assert(/^#[0-9a-f]{6}$/.test(styles[gemm.style.parentKey].values["background-color"]));
    const { model: arrows } = model(await client.fetchTimeGraphArrows(experiment.UUID, timeline,
      QueryHelper.timeRangeQuery(experiment.start, experiment.end, 20000)));
    assert(arrows.length > 20, `${arrows.length} arrows`);
    const ids = new Set(rows.map(({ id }) => id));
    for (const { sourceId, targetId, start, end, style } of arrows) {
      assert(styles[style.parentKey], style.parentKey);
      if (style.parentKey === "dependency") assert(ids.has(sourceId) && ids.has(targetId) && start <= end);
    }
  });
  await check("a tooltip has the task's fields and the line to open", async () => {
    const { model: tip } = model(await client.fetchTimeGraphTooltip(experiment.UUID, timeline, QueryHelper.query({
      requested_times: [gemm.start + (gemm.end - gemm.start) / 2n], requested_items: [gemmRow],
      requested_element: { elementType: "STATE", time: gemm.start, duration: gemm.end - gemm.start } })));
    assert.equal(tip.Task, "demo_cholesky_gemm");
    assert.equal(tip.Source, `${fs.realpathSync(sources)}/cholesky.c:102`);
    assert(tip.Job, "StarPU's fields are there");
  });
  await check("a filter dims and excludes what does not match", async () => {
    const { model: { rows: [row] } } = model(await client.fetchTimeGraphStates(experiment.UUID, timeline,
      QueryHelper.selectionTimeRangeQuery(experiment.start, experiment.end, 2000, [gemmRow], {
        filter_query_parameters: { strategy: "DEEP", filter_expressions_map: { 1: ["GEMM"], 4: ["cholesky"] } } })));
    for (const { label, tags } of row.states)
      assert.equal(tags, (label.includes("gemm") ? 0 : 1) | (label.includes("cholesky") ? 0 : 4), label);
  });
  await check("annotations have categories and a model", async () => {
    assert.deepEqual(model(await client.fetchAnnotationsCategories(experiment.UUID, timeline)).model.annotationCategories, ["Events"]);
    const { model: { annotations } } = model(await client.fetchAnnotations(experiment.UUID, timeline,
      QueryHelper.selectionTimeRangeQuery(experiment.start, experiment.end, 1000, rows.map(({ id }) => id))));
    assert(Array.isArray(annotations.Events));
    assert.deepEqual(model(await client.fetchMarkerSets(experiment.UUID)).model, []);
  });
  await check("counters have values at equal steps of time", async () => {
    const { model: tree } = model(await client.fetchXYTree(experiment.UUID, "counters", QueryHelper.timeRangeQuery(experiment.start, experiment.end)));
    const ready = tree.entries.find(({ labels }) => labels[0] === "ready tasks");
    assert(ready && ready.isDefault, "ready tasks are shown at once");
    const { model: { series } } = model(await client.fetchXY(experiment.UUID, "counters",
      QueryHelper.selectionTimeRangeQuery(experiment.start, experiment.end, 500, [ready.id])));
    assert.equal(series.length, 1);
    assert.equal(series[0].seriesId, ready.id);
    assert.equal(series[0].xValues.length, 500);
    assert.equal(series[0].yValues.length, 500);
    assert(Math.max(...series[0].yValues) > 0, "tasks were ready");
  });
  await check("statistics add up to the tasks of the run", async () => {
    for (const output of ["codelets", "lines", "workers"]) {
      const { model: tree } = model(await client.fetchDataTree(experiment.UUID, output, QueryHelper.timeRangeQuery(experiment.start, experiment.end)));
      const column = tree.headers.findIndex(({ name }) => name === "Count");
      const total = tree.entries.reduce((sum, { labels }) => sum + Number(labels[column]), 0);
      assert(total >= 56, `${total} tasks by ${output}`);
      assert.equal(tree.headers.length, tree.entries[0].labels.length);
    }
  });
  await check("what cannot be answered is an error of one line", async () => {
    const wrong = [
      await client.fetchTimeGraphStates(experiment.UUID, timeline, QueryHelper.selectionTimeRangeQuery(experiment.end, experiment.start, 10, [1])),
      await client.fetchTimeGraphStates(experiment.UUID, timeline, QueryHelper.selectionTimeRangeQuery(experiment.start, experiment.end, 2000000000, [1, 2, 3])),
      await client.fetchTimeGraphStates(experiment.UUID, timeline, new Query({ requested_timerange: "x" })),
      await client.fetchTimeGraphStates(experiment.UUID, "nothing", QueryHelper.query()),
      await client.fetchTimeGraphTree("nothing", timeline, QueryHelper.query()),
      await client.createExperiment(new Query({ name: "two", traces: ["a", "b"] })),
      await client.openTrace(new Query({ name: "no uri" })),
    ];
    for (const reply of wrong) {
      assert([400, 404].includes(reply.getStatusCode()), `${reply.getStatusCode()}`);
      assert(!JSON.parse(reply.getText()).detail.includes("\n"), reply.getText());
    }
    const deep = `{"parameters":{"uri":${"[".repeat(400000)}${"]".repeat(400000)}}}`;
    for (const body of ["", "{", "[]", deep, '{"parameters":[]}', '{"parameters":{"requested_items":[1e300]}}'])
      assert([200, 400].includes((await ask(`${base}/experiments/${experiment.UUID}/outputs/timeGraph/timeline/states`, "POST", {}, body)).status), body);
  });
  await check("a page of another origin may ask, if it knows the secret", async () => {
    const Origin = "vscode-webview://abc";
    const before = await ask(`${base}/traces`, "OPTIONS", { Origin, "Access-Control-Request-Method": "POST" });
    assert.equal(before.status, 204);
    assert.equal(before.headers["access-control-allow-origin"], "*");
    assert(before.headers["access-control-allow-methods"].includes("POST"));
    assert.equal((await ask(`${base}/traces`, "GET", { Origin })).status, 200);
    const url = new URL(base);
    assert.equal((await ask(`${url.origin}/tsp/api/traces`, "GET", { Origin })).status, 404);
    assert.equal((await ask(`${url.origin}/${"0".repeat(32)}/tsp/api/traces`, "GET", { Origin })).status, 404);
    // The rest of the page is its own.
    assert.equal((await ask(address, "GET", { Origin })).status, 403);
  });
  const ended = new Promise((resolve) => server.on("exit", resolve));
  server.kill("SIGTERM");
  assert.equal(await ended, 0);
  process.exitCode = failed ? 1 : 0;
}
main();
