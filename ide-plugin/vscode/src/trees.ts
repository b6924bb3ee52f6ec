// SPDX-License-Identifier: Apache-2.0
// The views Runs and Advice in the side bar.
import * as vscode from "vscode";
import { Finding, KeptRun } from "./messages";
import { titleOf } from "./protocol";
import { placeOf } from "./pages";
import { Editors } from "./editors";
import { Server } from "./server";
import { duration, oneLine } from "./text";
import { Traces } from "./traces";

// A list that is requested again after changes, but never starts the server.
abstract class List<T> implements vscode.TreeDataProvider<T> {
  private readonly changed = new vscode.EventEmitter<void>();
  readonly onDidChangeTreeData = this.changed.event;
  private isStarted = false;

  constructor(protected readonly server: Server, protected readonly traces: Traces) {
    server.onStarted(() => {
      this.isStarted = true;
      this.refresh();
    });
    server.onEnded(() => {
      this.isStarted = false;
      this.refresh();
    });
    traces.onChanged(() => this.refresh());
  }

  refresh(): void {
    this.changed.fire();
  }

  async getChildren(parent?: T): Promise<T[]> {
    if (parent || !this.isStarted) return [];
    return this.ask().catch(() => []); // the server is ending, and reports that itself
  }

  abstract getTreeItem(row: T): vscode.TreeItem;
  protected abstract ask(): Promise<T[]>;
}

export class RunsList extends List<KeptRun> {
  getTreeItem(run: KeptRun): vscode.TreeItem {
    const item = new vscode.TreeItem(oneLine(titleOf(run)));
    const isShown = run.trace !== null && run.trace === this.traces.current?.trace;
    const failed = run.exitStatus !== null && run.exitStatus !== 0;
    item.iconPath = new vscode.ThemeIcon(run.running ? "sync~spin" : isShown ? "eye" : failed ? "error" : "history");
    const when = run.startedNs === null ? run.kept : new Date(run.startedNs / 1e6).toLocaleString();
    item.description = run.running ? "running" : when;
    item.tooltip = oneLine(`${titleOf(run)}: ${run.message}`);
    item.contextValue = run.running ? "running" : "kept";
    item.command = { command: "tasklens.openRun", title: "Open", arguments: [run] };
    return item;
  }

  protected async ask(): Promise<KeptRun[]> {
    return (await this.server.request("tasklens/runs", {})).runs;
  }

  async open(run: KeptRun): Promise<void> {
    if (run.trace) this.traces.show(run.trace);
    else await this.traces.look([run.directory]);
  }

  async rename(run: KeptRun): Promise<void> {
    const prompt = "A run with a name is not deleted by itself";
    const name = await vscode.window.showInputBox({ title: `Name of ${run.title}`, value: run.name, prompt });
    if (name === undefined) return;
    await this.server.request("tasklens/renameRun", { kept: run.kept, name });
    this.refresh();
  }

  async delete(run: KeptRun): Promise<void> {
    const yes = "Delete";
    const question = `Delete the run ${oneLine(titleOf(run))} with its trace?`;
    if ((await vscode.window.showWarningMessage(question, { modal: true }, yes)) !== yes) return;
    await this.server.request("tasklens/deleteRun", { kept: run.kept });
    await this.traces.refresh();
  }
}

const ICONS = { error: "error", warning: "warning", information: "info" };

export class AdviceList extends List<Finding> {
  constructor(server: Server, traces: Traces, private readonly editors: Editors) {
    super(server, traces);
  }

  getTreeItem(finding: Finding): vscode.TreeItem {
    const item = new vscode.TreeItem(oneLine(finding.message));
    item.iconPath = new vscode.ThemeIcon(ICONS[finding.severity]);
    const place = finding.file ? `${finding.file.replace(/^.*\//, "")}:${finding.line}, ` : "";
    item.description = oneLine(`${place}${duration(finding.costNs)}`);
    item.tooltip = oneLine(`${finding.rule}: ${finding.message}`);
    if (finding.site !== null) item.command = { command: "tasklens.openFinding", title: "Open", arguments: [finding] };
    return item;
  }

  protected async ask(): Promise<Finding[]> {
    const { current } = this.traces;
    if (!current) return [];
    return (await this.server.request("tasklens/advice", { trace: current.trace })).findings;
  }

  async open(finding: Finding): Promise<void> {
    const params = { trace: this.traces.current?.trace, site: finding.site ?? undefined };
    const { location, shown } = await this.server.request("tasklens/reveal", params);
    if (!shown) await this.editors.show(...placeOf(location), true);
  }
}
