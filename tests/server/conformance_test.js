#!/usr/bin/env node
// SPDX-License-Identifier: Apache-2.0
// The server as the protocol's own client sees it: connection, types and request names of npm's
// vscode-languageserver-protocol, from initialize to exit. ($1 is the server, $2 the StarPU traces.)
"use strict";
const assert = require("assert");
const { execFileSync, spawn } = require("child_process");
const fs = require("fs");
const os = require("os");
const path = require("path");
const { pathToFileURL } = require("url");
const { npmModule } = require("../npm/npm_module.js");

const lsp = npmModule("vscode-languageserver-protocol/node");

async function main(program, starpu) {
  const folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "conformance-")));
  const source = path.join(folder, "cholesky.c");
  fs.copyFileSync(path.join(starpu, "src/cholesky.c"), source);
  fs.chmodSync(source, 0o644);
  fs.utimesSync(source, 0, 0);
  const uri = pathToFileURL(source).href;
  const text = fs.readFileSync(source, "utf8");

  const said = path.join(folder, "said.jsonl");
  const server = spawn("tests/testing/recorded_server.py", ["serve"], {
    stdio: ["pipe", "pipe", "inherit"], env: { ...process.env, TASKLENS: program, CONVERSATIONS: said } });
  const ended = new Promise((resolve) => server.on("exit", (status, signal) => resolve(status ?? signal)));
  const connection = lsp.createProtocolConnection(
    new lsp.StreamMessageReader(server.stdout), new lsp.StreamMessageWriter(server.stdin));
  const diagnostics = new Promise((resolve) => connection.onNotification(
    lsp.PublishDiagnosticsNotification.type, (params) => params.diagnostics.length && resolve(params)));
  const progress = [];
  let shown = null;
  connection.onRequest(lsp.ShowDocumentRequest.type, (params) => ((shown = params), { success: true }));
  connection.onRequest(lsp.WorkDoneProgressCreateRequest.type, () => null);
  connection.onRequest(lsp.CodeLensRefreshRequest.type, () => null);
  connection.onError(([error]) => assert.fail(error));
  connection.listen();

  const result = await connection.sendRequest(lsp.InitializeRequest.type, {
    processId: process.pid,
    rootUri: null,
    workspaceFolders: [{ uri: pathToFileURL(folder).href, name: "w" }],
    capabilities: {
      window: { showDocument: { support: true }, workDoneProgress: true },
      workspace: { codeLens: { refreshSupport: true } },
      general: { positionEncodings: [lsp.PositionEncodingKind.UTF16] },
    },
  });
  assert.strictEqual(result.serverInfo.name, "tasklens");
  assert.strictEqual(result.capabilities.positionEncoding, lsp.PositionEncodingKind.UTF16);
  await connection.sendNotification(lsp.InitializedNotification.type, {});
  await connection.sendNotification(lsp.DidOpenTextDocumentNotification.type, {
    textDocument: lsp.TextDocumentItem.create(uri, "c", 1, text) });

  const execute = (command, ...args) =>
    connection.sendRequest(lsp.ExecuteCommandRequest.type, { command, arguments: args });
  connection.onProgress(lsp.WorkDoneProgress.type, "reading", (value) => progress.push(value.kind));
  const opened = await connection.sendRequest(lsp.ExecuteCommandRequest.type, {
    command: "tasklens.openTrace", workDoneToken: "reading",
    arguments: [{ uris: [path.join(starpu, "cholesky_lws/prof_file_0")] }] });
  assert(opened.tasks > 0);
  const document = { textDocument: { uri } };
  const lenses = (await connection.sendRequest(lsp.CodeLensRequest.type, document)).filter(
    (lens) => lens.command.command === "tasklens.showSite");
  assert(lenses.length > 0 && lenses.every((lens) => lsp.CodeLens.is(lens)));
  await diagnostics; // from now on the trace is analysed

  // From a lens to the line, as the server asks the client to show it.
  await execute("tasklens.reveal", lenses[0].command.arguments[0]);
  assert.strictEqual(shown.uri, uri);
  assert.deepStrictEqual(shown.selection, lenses[0].range);

  const position = lenses[0].range.start;
  const whole = lsp.Range.create(0, 0, text.split("\n").length, 0);
  const hover = await connection.sendRequest(lsp.HoverRequest.type, { ...document, position });
  assert(lsp.Hover.is(hover) && hover.contents.value.includes("tasks"));
  const hints = await connection.sendRequest(lsp.InlayHintRequest.type, { ...document, range: whole });
  assert(hints.length > 0 && hints.every((hint) => lsp.InlayHint.is(hint)));
  const places = await connection.sendRequest(lsp.DefinitionRequest.type, { ...document, position });
  assert(places.length > 0 && places.every((place) => lsp.Location.is(place)));
  const references = await connection.sendRequest(lsp.ReferencesRequest.type, {
    ...document, position: places[0].range.start, context: { includeDeclaration: true } });
  assert(Array.isArray(references));
  const [item] = await connection.sendRequest(lsp.CallHierarchyPrepareRequest.type, { ...document, position });
  const incoming = await connection.sendRequest(lsp.CallHierarchyIncomingCallsRequest.type, { item });
  const outgoing = await connection.sendRequest(lsp.CallHierarchyOutgoingCallsRequest.type, { item });
  assert(incoming.length + outgoing.length > 0);
  const symbols = await connection.sendRequest(lsp.WorkspaceSymbolRequest.type, { query: "gemm" });
  assert(symbols.length > 0);
  const actions = await connection.sendRequest(lsp.CodeActionRequest.type, {
    ...document, range: whole, context: { diagnostics: [] } });
  assert(actions.length > 0);
  for (const type of [lsp.DocumentLinkRequest.type, lsp.DocumentSymbolRequest.type, lsp.FoldingRangeRequest.type])
    assert.deepStrictEqual(await connection.sendRequest(type, document), []);

  // Mistakes come back as errors of the protocol, and the client's cancellation is one.
  await assert.rejects(connection.sendRequest("textDocument/nonsense", {}),
    (error) => error instanceof lsp.ResponseError && error.code === lsp.ErrorCodes.MethodNotFound);
  await assert.rejects(connection.sendRequest(lsp.HoverRequest.type, { ...document }),
    (error) => error.code === lsp.ErrorCodes.InvalidParams);
  assert.strictEqual(progress[0], "begin");
  assert.strictEqual(progress.at(-1), "end");

  await connection.sendRequest(lsp.ShutdownRequest.type);
  await connection.sendNotification(lsp.ExitNotification.type);
  assert.strictEqual(await ended, 0);
  // The library checks little of what it gets.
  execFileSync("tests/npm/check_conversations.sh", [said], { stdio: "inherit" });
  fs.rmSync(folder, { recursive: true });
  console.log("ok");
}

main(path.resolve(process.argv[2]), path.resolve(process.argv[3])).catch((error) => {
  console.error(error);
  process.exit(1);
});
