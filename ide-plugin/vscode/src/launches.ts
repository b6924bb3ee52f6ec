// SPDX-License-Identifier: Apache-2.0
// Runs in VS Code's terms: tasks (tasks.json, and the terminal of each traced run) and launches
// (launch.json).
import * as vscode from "vscode";
import { RunParams } from "./protocol";
import { Run, Runs } from "./runs";
import { Server } from "./server";

const TYPE = "tasklens";
const RED = "\x1b[31m";
const BLUE = "\x1b[34m";
const PLAIN = "\x1b[0m";
const OWN_MEMBERS = new Set([
  "type", "request", "label", "preLaunchTask", "postDebugTask", "presentation", "internalConsoleOptions", "noDebug", "debugServer",
  "serverReadyAction", "suppressMultipleSessionWarning", "linux", "osx", "windows",
]);

// The parameters of the run in a task or launch configuration.
function paramsOf(definition: { [member: string]: unknown }): RunParams {
  const isOurs = ([member]: [string, unknown]) => !OWN_MEMBERS.has(member) && !member.startsWith("__");
  const params = Object.fromEntries(Object.entries(definition).filter(isOurs));
  // Tasks have no name of their own, and the server expects none together with a configuration.
  if (params.configuration !== undefined) delete params.name;
  return params as RunParams;
}

// A terminal with the output of a program; VS Code turns locations such as main.c:12 into links.
class RunTerminal implements vscode.Pseudoterminal {
  private readonly written = new vscode.EventEmitter<string>();
  private readonly closed = new vscode.EventEmitter<number>();
  readonly onDidWrite = this.written.event;
  readonly onDidClose = this.closed.event;
  private run?: Run;

  constructor(private readonly runs: Runs, private readonly params: RunParams) {}

  open(): void {
    const { program, configuration, arguments: words = [] } = this.params;
    const command = program ? [program, ...words].join(" ") : configuration ?? "";
    this.written.fire(`${BLUE}$ ${lines(command)}${PLAIN}\r\n`);
    this.run = this.runs.start(this.params);
    this.run.onWrote(({ text, isError }) => this.written.fire(isError ? `${RED}${lines(text)}${PLAIN}` : lines(text)));
    void this.run.end.then(({ sentence, isGood, exitStatus }) => {
      this.written.fire(`${isGood ? BLUE : RED}[${sentence}]${PLAIN}\r\n`);
      this.closed.fire(isGood ? 0 : exitStatus || 1);
    });
  }

  close(): void {
    this.run?.stop();
  }

  handleInput(text: string): void {
    if (text === "\x03") this.run?.stop();
  }
}

function lines(text: string): string {
  return text.replace(/\r?\n/g, "\r\n");
}

export class TaskRuns implements vscode.TaskProvider {
  constructor(private readonly server: Server, private readonly runs: Runs) {}

  async provideTasks(): Promise<vscode.Task[]> {
    if (!vscode.workspace.isTrusted) return [];
    try {
      const { configurations } = await this.server.request("tasklens/configurations", {});
      return configurations.filter((one) => one.problem === null)
        .map(({ name }) => this.task({ type: TYPE, configuration: name }, name));
    } catch {
      return []; // an error is reported when the user runs a task
    }
  }

  resolveTask(task: vscode.Task): vscode.Task {
    return this.task(task.definition, task.name, task.scope);
  }

  // Runs a program in a terminal of its own.
  async run(params: RunParams): Promise<void> {
    const name = String(params.configuration ?? params.program ?? "run").replace(/^.*\//, "");
    await vscode.tasks.executeTask(this.task({ type: TYPE, ...params }, name));
  }

  private task(definition: vscode.TaskDefinition, name: string, scope?: vscode.Task["scope"]): vscode.Task {
    const execution = new vscode.CustomExecution(async (resolved) => new RunTerminal(this.runs, paramsOf(resolved)));
    // An empty list of problem matchers, so that VS Code does not ask for one.
    const task = new vscode.Task(definition, scope ?? vscode.TaskScope.Workspace, name, "TaskLens", execution, []);
    task.presentationOptions = { reveal: vscode.TaskRevealKind.Always, focus: false, clear: true, showReuseMessage: false };
    return task;
  }
}

// A minimal debug adapter, for a launch that runs a program without debugging it.
class RunSession implements vscode.DebugAdapter {
  private readonly sent = new vscode.EventEmitter<vscode.DebugProtocolMessage>();
  readonly onDidSendMessage = this.sent.event;
  private number = 0;
  private run?: Run;

  constructor(private readonly runs: Runs) {}

  handleMessage(message: vscode.DebugProtocolMessage): void {
    const request = message as unknown as { seq: number; command: string; arguments: any };
    const body = request.command === "initialize" ? { supportsTerminateRequest: true } : {};
    this.send({ type: "response", request_seq: request.seq, success: true, command: request.command, body });
    if (request.command === "initialize") this.event("initialized", {});
    else if (request.command === "launch") this.launch(request.arguments);
    else if (request.command === "terminate" || request.command === "disconnect") this.run?.stop();
  }

  private launch(configuration: any): void {
    this.run = this.runs.start(paramsOf(configuration));
    this.run.onWrote(({ text, isError }) => this.event("output", { category: isError ? "stderr" : "stdout", output: text }));
    void this.run.end.then(({ sentence, isGood, exitStatus }) => {
      this.event("output", { category: isGood ? "console" : "stderr", output: `${sentence}\n` });
      this.event("exited", { exitCode: exitStatus });
      this.event("terminated", {});
    });
  }

  private event(event: string, body: object): void {
    this.send({ type: "event", event, body });
  }

  private send(message: object): void {
    this.sent.fire({ seq: ++this.number, ...message } as vscode.DebugProtocolMessage);
  }

  dispose(): void {
    this.run?.stop();
  }
}

export class LaunchRuns implements vscode.DebugAdapterDescriptorFactory, vscode.DebugConfigurationProvider {
  constructor(private readonly server: Server, private readonly runs: Runs) {}

  createDebugAdapterDescriptor(): vscode.DebugAdapterDescriptor {
    return new vscode.DebugAdapterInlineImplementation(new RunSession(this.runs));
  }

  async provideDebugConfigurations(): Promise<vscode.DebugConfiguration[]> {
    const { configurations } = await this.server.request("tasklens/configurations", {});
    return configurations.map(({ name }) => ({ type: TYPE, request: "launch", name: `Run traced: ${name}`, configuration: name }));
  }
}

export function register(server: Server, runs: Runs): { tasks: TaskRuns; disposables: vscode.Disposable[] } {
  const tasks = new TaskRuns(server, runs);
  const launches = new LaunchRuns(server, runs);
  const disposables = [
    vscode.tasks.registerTaskProvider(TYPE, tasks),
    vscode.debug.registerDebugAdapterDescriptorFactory(TYPE, launches),
    vscode.debug.registerDebugConfigurationProvider(TYPE, launches, vscode.DebugConfigurationProviderTriggerKind.Initial),
  ];
  return { tasks, disposables };
}
