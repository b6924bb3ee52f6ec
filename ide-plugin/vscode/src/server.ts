// SPDX-License-Identifier: Apache-2.0
// The process `tasklens serve`: started on first use, and again when it ends by itself. The
// standard features of a language server come from vscode-languageclient.
import { ChildProcess, spawn } from "child_process";
import * as vscode from "vscode";
import {
  ClientCapabilities, CloseAction, ErrorAction, InitializeResult, LanguageClient, LanguageClientOptions, Middleware, RevealOutputChannelOn,
  State, WorkDoneProgress,
} from "vscode-languageclient/node";
import { Requests } from "./messages";
import { Told } from "./protocol";
import { findProgram, serverSettings } from "./settings";
import { messageOf, oneLine } from "./text";

const PROTOCOL = 1; // as described in protocol.md
const RESTARTS = 4; // after this many in this time, only a request starts it
const RESTARTS_MS = 180_000;
const KEPT_WORDS = 500; // characters of its last output
const CANCELLED = -32800;

const DOCUMENTS = [
  ...["c", "cpp", "cuda-cpp"].map((language) => ({ scheme: "file", language })),
  { scheme: "file", pattern: "**/*.{rec,dot,prv,pcf,events}" },
  { scheme: "file", pattern: "**/paje.trace" },
];

export function isCancelled(error: unknown): boolean {
  return (error as { code?: number } | undefined)?.code === CANCELLED;
}

// Does not report errors itself: callers report theirs in one sentence, once.
class QuietClient extends LanguageClient {
  override error(message: string, data?: unknown): void {
    super.error(message, data, false);
  }

  override warn(message: string, data?: unknown): void {
    super.warn(message, data, false);
  }

  override info(message: string, data?: unknown): void {
    super.info(message, data, false);
  }
}

interface Running {
  client: LanguageClient;
  process?: ChildProcess;
  exit?: Promise<string>; // how it ended, in words
  lastWords: string;
  isReady: boolean;
  ends: boolean; // it was asked to end
}

export class Server implements vscode.Disposable {
  private running?: Promise<Running>;
  private restarts: number[] = []; // times
  private tokens = 0;
  private readonly notified = new vscode.EventEmitter<Told>();
  private readonly started = new vscode.EventEmitter<void>();
  private readonly ended = new vscode.EventEmitter<void>();
  readonly onNotified = this.notified.event;
  readonly onStarted = this.started.event;
  readonly onEnded = this.ended.event; // for any reason
  middleware: Middleware = {};
  pid?: number;

  // `version`: the version of the extension.
  constructor(private readonly log: vscode.LogOutputChannel, private readonly version: string) {}

  // Sends a request and returns the answer; starts the server if it does not run.
  request<M extends keyof Requests>(method: M, params: Requests[M]["params"], token?: vscode.CancellationToken): Promise<Requests[M]["answer"]> {
    return this.forward(method, params, token);
  }

  // Forwards a request unchanged.
  async forward<T>(method: string, params: object, token?: vscode.CancellationToken): Promise<T> {
    const { client } = await this.start();
    return token ? client.sendRequest<T>(method, params, token) : client.sendRequest<T>(method, params);
  }

  // The same, with a notification that shows the progress and can cancel the request.
  requestWithProgress<M extends keyof Requests>(title: string, method: M, params: Requests[M]["params"]): Thenable<Requests[M]["answer"]> {
    const options = { location: vscode.ProgressLocation.Notification, title: `TaskLens: ${title}`, cancellable: true };
    return vscode.window.withProgress(options, async (progress, cancellation) => {
      const { client } = await this.start();
      const workDoneToken = `tasklens-${++this.tokens}`;
      let done = 0;
      const listening = client.onProgress(WorkDoneProgress.type, workDoneToken, (value) => {
        if (value.kind === "end") return;
        const { percentage = done, message } = value;
        progress.report({ message, increment: Math.max(0, percentage - done) });
        done = Math.max(done, percentage);
      });
      try {
        return await client.sendRequest(method, { ...params, workDoneToken }, cancellation);
      } finally {
        listening.dispose();
      }
    });
  }

  start(): Promise<Running> {
    if (!this.running) {
      const attempt = this.launch();
      this.running = attempt;
      attempt.catch(() => {
        if (this.running === attempt) this.running = undefined;
      });
    }
    return this.running;
  }

  // Sends changed settings to a running server.
  async tellSettings(): Promise<void> {
    const running = await this.running?.catch(() => undefined);
    await running?.client.sendNotification("workspace/didChangeConfiguration", { settings: { tasklens: serverSettings() } });
  }

  async stop(): Promise<void> {
    const running = await this.running?.catch(() => undefined);
    this.running = undefined;
    if (!running) return;
    running.ends = true;
    // Disposing fails if the server has just died, which does not matter.
    await running.client.dispose().catch((error) => this.log.info(messageOf(error)));
  }

  dispose(): Promise<void> {
    return this.stop();
  }

  private async launch(): Promise<Running> {
    const program = findProgram();
    const options: LanguageClientOptions = {
      documentSelector: DOCUMENTS,
      initializationOptions: serverSettings,
      outputChannel: this.log,
      revealOutputChannelOn: RevealOutputChannelOn.Never,
      initializationFailedHandler: () => false,
      errorHandler: {
        error: () => ({ action: ErrorAction.Continue, handled: true }),
        closed: () => ({ action: CloseAction.DoNotRestart, handled: true }),
      },
      middleware: this.middleware,
    };
    const running: Running = {
      client: new QuietClient("tasklens", "TaskLens", async () => this.spawn(program, running), options),
      lastWords: "", isReady: false, ends: false,
    };
    const { client } = running;
    client.registerFeature({
      fillClientCapabilities: (capabilities: ClientCapabilities) => {
        capabilities.experimental = { ...capabilities.experimental, tasklens: { version: PROTOCOL } };
      },
      initialize: () => {},
      getState: () => ({ kind: "static" }),
      clear: () => {},
    });
    for (const method of ["tasklens/runStarted", "tasklens/runOutput", "tasklens/traceUpdated", "tasklens/traceGrew"] as const) {
      client.onNotification(method, (params) => this.notified.fire({ method, params }));
    }
    client.onDidChangeState(({ newState }) => {
      if (newState === State.Stopped && running.isReady) void this.onEnd(running);
    });
    try {
      await client.start();
    } catch (error) {
      running.process?.kill("SIGKILL"); // it may still be alive
      await running.exit;
      throw new Error(`the server does not start: ${oneLine(running.lastWords) || messageOf(error)}`);
    }
    running.isReady = true;
    this.pid = running.process?.pid;
    const misfit = this.misfit(program, client.initializeResult);
    if (misfit) void vscode.window.showWarningMessage(`TaskLens: ${oneLine(misfit)}`);
    this.started.fire();
    return running;
  }

  // A message if the server has another protocol version than this extension.
  private misfit(program: string, result?: InitializeResult): string | undefined {
    const theirs: unknown = result?.capabilities.experimental?.tasklens?.version;
    if (theirs === PROTOCOL) return undefined;
    const { name = "without a name", version = "?" } = result?.serverInfo ?? {};
    const isNumber = typeof theirs === "number";
    const verdict = !isNumber ? `the server may not fit, install TaskLens ${this.version} or correct the setting tasklens.serverPath`
      : theirs < PROTOCOL ? `the server is older than this extension, install TaskLens ${this.version}`
      : "this extension is older than the server, update it";
    return `${verdict}; until then some commands may fail (extension ${this.version}: protocol ${PROTOCOL}; `
      + `${program}, ${name} ${version}: ${isNumber ? `protocol ${theirs}` : "no protocol version"})`;
  }

  private spawn(program: string, running: Running): ChildProcess {
    const child = spawn(program, ["serve"], { cwd: vscode.workspace.workspaceFolders?.[0]?.uri.fsPath });
    running.process = child;
    running.exit = new Promise((resolve) => {
      child.on("error", (error) => resolve(messageOf(error)));
      child.on("exit", (status, signal) => resolve(signal ?? `status ${status}`));
    });
    child.stderr.on("data", (text) => {
      running.lastWords = (running.lastWords + text).slice(-KEPT_WORDS);
    });
    return child;
  }

  private async onEnd(running: Running): Promise<void> {
    const isCurrent = (await this.running?.catch(() => undefined)) === running;
    if (isCurrent) this.running = undefined;
    this.ended.fire();
    if (running.ends || !isCurrent) return;
    running.process?.kill("SIGKILL"); // it does not answer any more
    const words = oneLine(running.lastWords);
    const how = `the TaskLens server ended unexpectedly (${await running.exit}${words ? `: ${words}` : ""})`;
    const now = Date.now();
    this.restarts = [...this.restarts.filter((at) => now - at < RESTARTS_MS), now];
    if (this.restarts.length > RESTARTS) {
      void this.tell(`${how}, again; the next command starts it`);
      return;
    }
    try {
      await this.start();
      void vscode.window.showWarningMessage(`${how} and was started again`);
    } catch (error) {
      void this.tell(`${how} and does not start again: ${messageOf(error)}`);
    }
  }

  private async tell(sentence: string): Promise<void> {
    const log = "Show Log";
    const settings = "Settings";
    const answer = await vscode.window.showErrorMessage(sentence, log, settings);
    if (answer === log) this.log.show();
    if (answer === settings) await vscode.commands.executeCommand("workbench.action.openSettings", "tasklens.");
  }

  // Reports a failure, except a cancellation.
  async tellFailure(error: unknown): Promise<void> {
    if (isCancelled(error)) return;
    const isAnswer = typeof (error as { code?: unknown }).code === "number";
    if (isAnswer) void vscode.window.showErrorMessage(`TaskLens: ${messageOf(error)}`);
    else await this.tell(messageOf(error));
  }
}
