// SPDX-License-Identifier: Apache-2.0
// Programs that are run traced: started and stopped, and what they write.
import * as vscode from "vscode";
import { RunAnswer, RunParams } from "./protocol";
import { isCancelled, Server } from "./server";
import { messageOf, oneLine } from "./text";

const LAST = "tasklens.lastRun"; // of this workspace

export class Run {
  id = ""; // the server's, from its first word on
  private readonly wrote = new vscode.EventEmitter<{ text: string; isError: boolean }>();
  readonly onWrote = this.wrote.event;
  // How it ended, for people.
  readonly end: Promise<{ sentence: string; isGood: boolean; exitStatus: number }>;
  private readonly cancellation = new vscode.CancellationTokenSource();

  constructor(server: Server, readonly params: RunParams) {
    this.end = server.request<RunAnswer>("tasklens/run", params, this.cancellation.token).then(
      (answer) => ({
        sentence: oneLine(answer.message),
        isGood: answer.exitStatus === 0 && answer.trace !== null,
        exitStatus: answer.exitStatus ?? 1,
      }),
      (error) => ({ sentence: isCancelled(error) ? "stopped" : messageOf(error), isGood: false, exitStatus: 1 }));
  }

  get title(): string {
    return oneLine(String(this.params.name ?? this.params.configuration ?? this.params.program ?? "program")).replace(/^.*\//, "");
  }

  write(text: string, isError: boolean): void {
    this.wrote.fire({ text, isError });
  }

  stop(): void {
    this.cancellation.cancel();
  }
}

export class Runs {
  private readonly running: Run[] = []; // the oldest first
  private readonly changed = new vscode.EventEmitter<void>();
  private readonly finished = new vscode.EventEmitter<{ run: Run; sentence: string; isGood: boolean }>();
  readonly onChanged = this.changed.event;
  readonly onFinished = this.finished.event;

  constructor(private readonly server: Server, private readonly memory: vscode.Memento) {
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
    void run.end.then(({ sentence, isGood }) => {
      this.running.splice(this.running.indexOf(run), 1);
      this.changed.fire();
      this.finished.fire({ run, sentence, isGood });
    });
    return run;
  }

  stop(): void {
    for (const run of this.running) run.stop();
  }

  // The server starts runs in the order of their requests, so the first id that is new belongs to
  // the oldest run without one.
  private find(id: string): Run | undefined {
    const run = this.running.find((one) => one.id === id) ?? this.running.find((one) => !one.id);
    if (run) run.id = id;
    return run;
  }
}
