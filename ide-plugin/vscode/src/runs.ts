// SPDX-License-Identifier: Apache-2.0
// Starts and stops traced programs, and follows their output.
import * as vscode from "vscode";
import { RunParams } from "./protocol";
import { isCancelled, Server } from "./server";
import { messageOf, oneLine } from "./text";

const LAST = "tasklens.lastRun"; // in the memory of this workspace

// The end of a run. A failed run may still have a trace worth looking at.
export interface Outcome {
  sentence: string;
  isGood: boolean;
  trace: string | null; // id of its trace, if it has one
  exitStatus: number;
}

// `from`: the user's place when the run began.
export type End = Outcome & { from: string };

export class Run {
  id = ""; // the server's id, from its first notification on
  private readonly wrote = new vscode.EventEmitter<{ text: string; isError: boolean }>();
  readonly onWrote = this.wrote.event;
  readonly end: Promise<Outcome>;
  private isOver = false;
  private readonly cancellation = new vscode.CancellationTokenSource();

  constructor(private readonly server: Server, readonly params: RunParams) {
    this.end = server.request("tasklens/run", params, this.cancellation.token).then(
      (answer) => ({
        sentence: oneLine(answer.message),
        isGood: answer.exitStatus === 0 && answer.trace !== null,
        trace: answer.trace,
        exitStatus: answer.exitStatus ?? 1,
      }),
      (error) => ({ sentence: isCancelled(error) ? "stopped" : messageOf(error), isGood: false, trace: null, exitStatus: 1 }));
    void this.end.then(() => (this.isOver = true));
  }

  get title(): string {
    return oneLine(String(this.params.name ?? this.params.configuration ?? this.params.program ?? "program")).replace(/^.*\//, "");
  }

  write(text: string, isError: boolean): void {
    this.wrote.fire({ text, isError });
  }

  // Asks the program to end, and opens its trace so far. If the program has not started, or is
  // being built, cancels the request instead.
  stop(): void {
    if (this.isOver) return;
    if (!this.id) this.cancellation.cancel();
    else this.server.request("tasklens/stop", { run: this.id }).catch((error) => this.server.tellFailure(error));
  }
}

export class Runs {
  private readonly running: Run[] = []; // the oldest first
  private readonly changed = new vscode.EventEmitter<void>();
  private readonly finished = new vscode.EventEmitter<End>();
  readonly onChanged = this.changed.event;
  readonly onFinished = this.finished.event;

  // `place` returns the user's place.
  constructor(private readonly server: Server, private readonly memory: vscode.Memento, private readonly place: () => string) {
    server.onNotified(({ method, params }) => {
      if (method === "tasklens/runStarted") this.find(params.run);
      else if (method === "tasklens/runOutput") this.find(params.run)?.write(params.text, params.stream === "stderr");
    });
  }

  get all(): readonly Run[] {
    return this.running;
  }

  // The parameters of the last run in this workspace.
  get last(): RunParams | undefined {
    return this.memory.get(LAST);
  }

  start(params: RunParams): Run {
    void this.memory.update(LAST, params);
    const run = new Run(this.server, params);
    this.running.push(run);
    this.changed.fire();
    const from = this.place();
    void run.end.then((end) => {
      this.running.splice(this.running.indexOf(run), 1);
      this.changed.fire();
      this.finished.fire({ ...end, from });
    });
    return run;
  }

  stop(): void {
    for (const run of this.running) run.stop();
  }

  // The server starts runs in the order of their requests, so the first unknown id belongs to the
  // oldest run without an id.
  private find(id: string): Run | undefined {
    const run = this.running.find((one) => one.id === id) ?? this.running.find((one) => !one.id);
    if (run) run.id = id;
    return run;
  }
}
