// SPDX-License-Identifier: Apache-2.0
// Connects the parts: commands, views, the status bar, and the actions after a run.
import * as path from "path";
import * as vscode from "vscode";
import { askWhatToRun } from "./ask";
import { BrowserPages } from "./browser";
import { Compare } from "./compare";
import { Editors } from "./editors";
import { register as registerLaunches, TaskRuns } from "./launches";
import { Pages, placeOf, View } from "./pages";
import { Trace } from "./messages";
import { RunParams } from "./protocol";
import { End, Runs } from "./runs";
import { Server } from "./server";
import { setting } from "./settings";
import { oneLine } from "./text";
import { runTool } from "./tool";
import { Traces } from "./traces";
import { AdviceList, RunsList } from "./trees";

let server: Server | undefined;

export function activate(context: vscode.ExtensionContext): void {
  const log = vscode.window.createOutputChannel("TaskLens", { log: true });
  server = new Server(log, context.extension.packageJSON.version);
  const traces = new Traces(server);
  const editors = new Editors(server, () => traces.current?.trace);
  const pages = new Pages(server, traces, editors);
  const runs = new Runs(server, context.workspaceState, () => editors.place());
  const { tasks, disposables } = registerLaunches(server, runs);
  const compare = new Compare(server, traces);
  const browserPages = new BrowserPages(context.storageUri ?? context.globalStorageUri);
  const runsList = new RunsList(server, traces);
  const adviceList = new AdviceList(server, traces, editors);
  context.subscriptions.push(log, editors, browserPages, compare.register(), ...disposables,
    vscode.window.registerTreeDataProvider("tasklens.runs", runsList),
    vscode.window.registerTreeDataProvider("tasklens.advice", adviceList),
    vscode.window.onDidChangeTextEditorSelection(({ textEditor }) => editors.follow(textEditor)),
    vscode.window.onDidChangeActiveTextEditor((editor) => editor && editors.follow(editor)));

  server.middleware = {
    window: {
      showDocument: async ({ uri, selection, takeFocus, external }, _, next) => {
        if (external || !selection) return next({ uri, selection, takeFocus, external }, _);
        try {
          await editors.show(...placeOf({ uri, range: selection }), takeFocus === true);
          return { success: true };
        } catch {
          return { success: false };
        }
      },
    },
    // Diagnostics contain advice, too: if they change, the list of advice has changed as well.
    handleDiagnostics: (uri, diagnostics, next) => {
      next(uri, diagnostics);
      adviceList.refresh();
    },
    // The commands of code lenses, with the extension's own display.
    executeCommand: async (command, args, next) => {
      if (command === "tasklens.run") return tasks.run(args[0] ?? {});
      if (command === "tasklens.showSite") return showSite(pages, args[0]);
      return next(command, args);
    },
  };

  const shown = () => {
    const { current } = traces;
    if (!current) throw new Error("no trace is open; use Run Traced, or Open Trace");
    return current;
  };
  const commands: { [name: string]: (...args: any[]) => unknown } = {
    runTraced: () => runTraced(tasks, runs, false),
    runTracedAsk: () => runTraced(tasks, runs, true),
    openTraceFile: (file?: vscode.Uri) => openTrace(traces, pages, file),
    generateTraces: () => generateTraces(shown()),
    showTrace: () => pages.show("timeline"),
    showGraph: () => pages.show("graph"),
    graphInBrowser: () => browserPages.show(shown()),
    compareRuns: () => compare.run(),
    stopRuns: () => runs.stop(),
    restartServer: async () => {
      await server?.stop();
      await server?.start();
    },
    closeShownTrace: () => traces.close(shown().trace),
    openRun: (run) => runsList.open(run),
    renameKeptRun: (run) => runsList.rename(run),
    deleteKeptRun: (run) => runsList.delete(run),
    openFinding: async (finding) => {
      await adviceList.open(finding);
      pages.select({ site: finding.site });
    },
    refreshRuns: async () => {
      await server?.start();
      runsList.refresh();
    },
  };
  for (const [name, body] of Object.entries(commands)) {
    context.subscriptions.push(vscode.commands.registerCommand(`tasklens.${name}`, async (...args) => {
      try {
        return await body(...args);
      } catch (error) {
        return server?.tellFailure(error);
      }
    }));
  }

  runs.onFinished((end) => {
    runsList.refresh();
    if (!end.isGood) void vscode.window.showWarningMessage(`TaskLens: ${end.sentence}`);
    if (end.trace) void leadOn(end, end.trace, pages, editors).catch((error) => server?.tellFailure(error));
  });
  followState(context, traces, runs);
  context.subscriptions.push(
    vscode.workspace.onDidGrantWorkspaceTrust(() => void server?.tellSettings()),
    vscode.workspace.onDidChangeConfiguration(async (event) => {
      if (!event.affectsConfiguration("tasklens")) return;
      if (event.affectsConfiguration("tasklens.serverPath")) await server?.stop();
      else await server?.tellSettings();
      adviceList.refresh(); // some findings may be silenced now
    }));
  // Starts the server as soon as there is a source that could have lenses.
  if (vscode.workspace.textDocuments.some((document) => ["c", "cpp", "cuda-cpp"].includes(document.languageId))) {
    server.start().catch((error) => server?.tellFailure(error));
  }
}

export function deactivate(): Promise<void> | undefined {
  return server?.dispose();
}

// Sets the context that enables commands and menus, and the status bar.
function followState(context: vscode.ExtensionContext, traces: Traces, runs: Runs): void {
  const status = vscode.window.createStatusBarItem("tasklens", vscode.StatusBarAlignment.Left);
  status.name = "TaskLens";
  const update = () => {
    const { current, open } = traces;
    const key = (name: string, value: boolean) => void vscode.commands.executeCommand("setContext", `tasklens.${name}`, value);
    key("hasTrace", current !== undefined);
    key("isRunning", runs.all.length > 0);
    if (runs.all.length) {
      status.text = `$(sync~spin) TaskLens: ${runs.all.map((run) => run.title).join(", ")}`;
      status.tooltip = "Stop the running program";
      status.command = "tasklens.stopRuns";
    } else if (current) {
      const part = current.read < 1 ? ` of the first ${Math.round(current.read * 1000) / 10} %` : "";
      status.text = oneLine(`$(type-hierarchy) TaskLens: ${current.title}, ${current.tasks} tasks${part}`);
      const share = current.efficiency === null ? "No task ran" : `${Math.round(current.efficiency * 100)} % of the workers' time was spent in tasks`;
      status.tooltip = `${share}; ${open.length} open. Task graph`;
      status.command = "tasklens.showGraph";
    } else {
      status.text = "$(type-hierarchy) TaskLens";
      status.tooltip = "Run a program traced";
      status.command = "tasklens.runTraced";
    }
    status.show();
  };
  traces.onChanged(update);
  runs.onChanged(update);
  update();
  context.subscriptions.push(status);
}

async function showSite(pages: Pages, argument: { trace?: string; site: number }): Promise<void> {
  const { text } = await pages.server.request("tasklens/showSite", argument);
  vscode.window.setStatusBarMessage(oneLine(text), 10000);
  if (argument.trace) pages.traces.show(argument.trace);
  await pages.show("graph");
  pages.select({ site: argument.site });
}

// Runs the last program again; else the project's launch configuration, if there is only one; else
// asks.
async function runTraced(tasks: TaskRuns, runs: Runs, asks: boolean): Promise<void> {
  if (!vscode.workspace.isTrusted) throw new Error("programs are run in trusted folders only; trust this folder first");
  const params = (asks ? undefined : runs.last ?? (await onlyConfiguration())) ?? (await askWhatToRun(server!, runs.last));
  if (params) await tasks.run(params);
}

// After a run: shows its picture, the line to look at first, and the number of findings with a
// link.
async function leadOn({ sentence, isGood, from }: End, trace: string, pages: Pages, editors: Editors): Promise<void> {
  const stays = from === editors.place(); // a user who has moved or typed is not disturbed
  const view = setting<View | "none">("showAfterRun");
  if (view !== "none") await pages.show(view);
  const { findings, firstSite } = await server!.request("tasklens/advice", { trace });
  if (stays && typeof firstSite === "number") {
    const params = { trace, site: firstSite, takeFocus: false };
    const { location, shown } = await server!.request("tasklens/reveal", params);
    if (!shown) await editors.show(...placeOf(location), false);
    pages.select({ site: firstSite });
  }
  const count = findings.length === 0 ? "no findings" : findings.length === 1 ? "1 finding" : `${findings.length} findings`;
  const text = isGood ? `${sentence}; ${count}` : count; // failures are already reported
  if (!findings.length) return void vscode.window.setStatusBarMessage(oneLine(text), 10000);
  const show = "Show Advice";
  const answer = await vscode.window.showInformationMessage(oneLine(`TaskLens: ${text}`), show);
  if (answer === show) await vscode.commands.executeCommand("tasklens.advice.focus");
}

async function onlyConfiguration(): Promise<RunParams | undefined> {
  const { configurations } = await server!.request("tasklens/configurations", {});
  const [one, ...others] = configurations;
  return one?.problem === null && others.length === 0 ? { configuration: one.name } : undefined;
}

async function openTrace(traces: Traces, pages: Pages, file: vscode.Uri | undefined): Promise<void> {
  const files = file ? [file] : await vscode.window.showOpenDialog({
    title: "Open a trace: all files of one run, or their folder", canSelectMany: true, canSelectFolders: true, canSelectFiles: true,
  });
  if (!files?.length) return;
  await traces.look(files.map((one) => one.fsPath));
  await pages.show("graph");
}

// Writes the files of StarPU's FxT tool (paje.trace, dag.dot, tasks.rec ...) beside the trace.
async function generateTraces(trace: Trace): Promise<void> {
  const folder = path.join(path.dirname(trace.paths[0]), "starpu");
  if (!(await runTool(`generating traces of ${oneLine(trace.title)}`, ["convert", "-o", folder, "--to", "starpu", "--", ...trace.paths]))) return;
  const show = "Show";
  const answer = await vscode.window.showInformationMessage(`TaskLens: paje.trace, dag.dot, tasks.rec and the others are in ${folder}`, show);
  if (answer === show) await vscode.commands.executeCommand("revealInExplorer", vscode.Uri.file(folder));
}
