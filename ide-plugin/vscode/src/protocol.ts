// SPDX-License-Identifier: Apache-2.0
// The parts of the server's answers that the extension uses; see ../../protocol.md.
import type { Location } from "vscode-languageclient/node";

export interface Trace {
  trace: string;
  title: string;
  paths: string[];
  tasks: number;
  workers: number;
  sites: number;
  spanNs: number;
  efficiency: number | null; // null: no task ran
  read: number; // of its files, 0 to 1
  diagnostics: { kind: string; severity: "info" | "warning" | "dataLoss"; count: number; first: string; text: string }[];
}

// The parameters of tasklens/run: the members of a launch configuration, see ../../launch.md.
export interface RunParams {
  configuration?: string;
  program?: string;
  arguments?: string[];
  workingDirectory?: string;
  [member: string]: unknown;
}

export interface RunAnswer {
  run: string;
  exitStatus: number | null;
  signal: string | null;
  trace: string | null;
  message: string;
}

export interface Configurations {
  file: string;
  configurations: { name: string; origin: string; problem: string | null; configuration: RunParams }[];
  problems: string[];
}

export interface KeptRun {
  kept: string;
  name: string;
  title: string;
  configuration: RunParams;
  directory: string;
  startedNs: number | null;
  running: boolean;
  exitStatus: number | null;
  message: string;
  trace: string | null;
}

// What people know it by: their name for it, or the program with its arguments.
export function titleOf({ name, title, configuration }: KeptRun): string {
  return name || [title, ...(configuration.arguments ?? [])].join(" ");
}

export interface Finding {
  rule: string;
  severity: "error" | "warning" | "information";
  costNs: number;
  file: string;
  line: number;
  site: number | null;
  message: string;
}

export interface Advice {
  trace: string;
  firstSite?: number | null; // the line to look at first; servers before 0.10 do not tell
  findings: Finding[];
}

// Of the workspace, with StarPU's interface.
export interface Programs {
  programs: { program: string; modifiedNs: number }[];
}

export interface Comparison {
  spanBeforeNs: number;
  spanAfterNs: number;
  count: number;
  changes: { label: string; verdict: string; changeNs: number; p: number | null }[];
}

export interface TasksAt {
  trace: string | null;
  count: number;
  tasks: { task: number; site: number | null }[];
}

// What the page selects: a task, or the tasks of a line.
export type Choice = { task: number } | { site: number };

export interface Reveal {
  location: Location;
  shown: boolean;
}
