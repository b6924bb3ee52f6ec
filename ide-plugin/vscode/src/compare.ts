// SPDX-License-Identifier: Apache-2.0
// Compares two runs, and shows as text what became slower.
import * as vscode from "vscode";
import { Comparison, Trace } from "./messages";
import { titleOf } from "./protocol";
import { Server } from "./server";
import { duration, oneLine } from "./text";
import { Traces } from "./traces";

const SCHEME = "tasklens";
const ADDRESS = vscode.Uri.parse(`${SCHEME}:TaskLens%20Comparison`);

interface Side {
  label: string;
  description: string;
  read: () => Promise<string>; // opens the trace and returns its id
}

export class Compare implements vscode.TextDocumentContentProvider {
  private text = "";
  private readonly changed = new vscode.EventEmitter<vscode.Uri>();
  readonly onDidChange = this.changed.event;

  constructor(private readonly server: Server, private readonly traces: Traces) {}

  register(): vscode.Disposable {
    return vscode.workspace.registerTextDocumentContentProvider(SCHEME, this);
  }

  provideTextDocumentContent(): string {
    return this.text;
  }

  // Asks for two runs, and shows the changes from the first to the second.
  async run(): Promise<void> {
    const sides = await this.sides();
    if (sides.length < 2) throw new Error("there is only one run; run the program again, or open another trace");
    const after = await vscode.window.showQuickPick(sides, { title: "Compare: which run?", placeHolder: "The newer one" });
    if (!after) return;
    const others = sides.filter((side) => side !== after);
    const before = await vscode.window.showQuickPick(others, { title: `${after.label}: compared with?`, placeHolder: "The one before" });
    if (before) await this.show(before, after);
  }

  private async show(before: Side, after: Side): Promise<void> {
    const traces = [await before.read(), await after.read()];
    const parts = [];
    for (const by of ["site", "codelet"] as const) {
      const { comparisons } = await this.server.request("tasklens/compare", { traces, by });
      parts.push(table(by, comparisons[0]));
      if (by === "site") parts.unshift(head(before, after, comparisons[0]));
    }
    this.text = parts.join("\n");
    this.changed.fire(ADDRESS);
    await vscode.window.showTextDocument(ADDRESS, { preview: true, viewColumn: vscode.ViewColumn.Active });
  }

  // Open traces and kept runs; a run whose trace is open appears once.
  private async sides(): Promise<Side[]> {
    const { runs } = await this.server.request("tasklens/runs", {});
    const kept = runs.filter((run) => !run.running).map((run) => ({
      label: oneLine(titleOf(run)), description: run.kept,
      read: async () => run.trace ?? (await this.traces.read([run.directory])).trace,
    }));
    const ofRuns = new Set(runs.map((run) => run.trace));
    const open = this.traces.open.filter((trace) => !ofRuns.has(trace.trace)).map((trace: Trace) => ({
      label: oneLine(trace.title), description: trace.paths[0], read: async () => trace.trace,
    }));
    return [...open, ...kept];
  }
}

function head(before: Side, after: Side, { spanBeforeNs, spanAfterNs }: Comparison): string {
  const change = ((spanAfterNs - spanBeforeNs) / spanBeforeNs) * 100;
  const signed = `${change < 0 ? "" : "+"}${change.toFixed(1)} %`;
  const [from, to] = [before, after].map(({ label, description }) => `${label} (${description})`);
  return `From ${from}\nto   ${to}\n${duration(spanBeforeNs)} to ${duration(spanAfterNs)} (${signed})\n`;
}

function table(by: string, { changes, count }: Comparison): string {
  const rows = changes.map(({ label, verdict, changeNs }) =>
    `${verdict.padEnd(14)}${`${changeNs < 0 ? "" : "+"}${duration(changeNs)}`.padStart(12)}  ${oneLine(label)}`);
  const left = count > changes.length ? [`... and ${count - changes.length} more`] : [];
  return [`By ${by}`, ...rows, ...left, ""].join("\n");
}
