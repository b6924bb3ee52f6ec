// SPDX-License-Identifier: Apache-2.0
// The open traces, the newest first, and the current one, which the views show.
import * as path from "path";
import * as vscode from "vscode";
import { Trace } from "./messages";
import { Server } from "./server";
import { oneLine } from "./text";

// The bytes of a large trace that are shown while the rest is being read.
const FIRST_BYTES = 1 << 26;

export class Traces {
  open: Trace[] = [];
  private currentId?: string;
  private readonly changed = new vscode.EventEmitter<void>();
  readonly onChanged = this.changed.event;

  constructor(private readonly server: Server) {
    server.onNotified(({ method, params }) => {
      if (method === "tasklens/traceUpdated" || method === "tasklens/traceGrew") this.updated(params);
    });
    let lost: Trace[] = [];
    server.onEnded(() => {
      lost = this.open;
      this.set([]);
    });
    // Reopens the oldest first, so that the order stays.
    server.onStarted(async () => {
      const before = lost.reverse();
      lost = [];
      for (const trace of before) {
        await this.server.request("tasklens/openTrace", { uris: trace.paths, firstBytes: FIRST_BYTES }).catch((error) => server.tellFailure(error));
      }
    });
  }

  get current(): Trace | undefined {
    return this.open.find((trace) => trace.trace === this.currentId);
  }

  show(id: string): void {
    this.currentId = id;
    this.changed.fire();
  }

  // Opens the files of one run, or their folder, to show them; the rest of a large trace is read
  // later.
  async look(paths: string[]): Promise<void> {
    await this.read(paths, FIRST_BYTES);
  }

  // Opens the files of one run, or their folder, and reads at least their first bytes; 0: all.
  async read(paths: string[], firstBytes = 0): Promise<Trace> {
    const trace = await this.server.requestWithProgress(`opening ${path.basename(paths[0])}`, "tasklens/openTrace", { uris: paths, firstBytes });
    this.show(trace.trace);
    this.tellLoss(trace);
    return trace;
  }

  private tellLoss(trace: Trace): void {
    const lost = trace.diagnostics.find((one) => one.severity === "dataLoss");
    if (lost) void vscode.window.showWarningMessage(oneLine(`${trace.title}: ${lost.count} × ${lost.text} (first: ${lost.first})`));
  }

  async close(id: string): Promise<void> {
    await this.server.request("tasklens/closeTrace", { trace: id });
    this.set(this.open.filter((trace) => trace.trace !== id));
  }

  // Called when a trace may have been closed together with its run.
  async refresh(): Promise<void> {
    const { traces } = await this.server.request("tasklens/traces", {});
    this.set(traces);
  }

  private set(traces: Trace[]): void {
    this.open = traces;
    if (!this.current) this.currentId = traces[0]?.trace;
    this.changed.fire();
  }

  private updated(trace: Trace): void {
    const at = this.open.findIndex((one) => one.trace === trace.trace);
    if (at >= 0) {
      const wasPart = this.open[at].read < 1;
      this.open[at] = trace;
      if (wasPart && trace.read === 1) this.tellLoss(trace);
    } else {
      this.open.unshift(trace);
      this.currentId = trace.trace;
    }
    this.changed.fire();
  }
}
