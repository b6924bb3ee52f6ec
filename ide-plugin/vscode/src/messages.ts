// SPDX-License-Identifier: Apache-2.0
// Those messages of ../../protocol.json that the extension uses, made by tools/protocol_page.py.

export interface Position {
  line: number;
  character: number;
}

export interface Range {
  start: Position;
  end: Position;
}

export interface Location {
  uri: string;
  range: Range;
}

export interface Site {
  site: number;
  file: string;
  line: number;
  function: string;
  location?: Location;
  problem?: string;
}

export interface Task {
  task: number;
  name: string;
  job: number;
  rank: number;
  worker: string | null;
  startNs: number | null;
  endNs: number | null;
  site: number | null;
  ownRgb: number | null;
}

export interface Summary {
  tasks: number;
  ran: number;
  submissions: number;
  executions: number;
  dependencies: number;
  workers: number;
  ranks: number;
  spanNs: number;
  busyNs: number;
  efficiency: number | null;
  zeroNs: number;
}

export interface Trace extends Summary {
  trace: string;
  title: string;
  paths: string[];
  sites: number;
  events: number;
  read: number;
  notRead: string | null;
  diagnostics: Diagnostic[];
}

export interface Diagnostic {
  kind: string;
  severity: "info" | "warning" | "dataLoss";
  count: number;
  first: string;
  text: string;
}

export interface Cost extends Omit<Site, "site" | "file" | "line" | "function"> {
  site: number | null;
  file?: string;
  line?: number;
  function?: string;
  tasks: number;
  ran: number;
  runs: number;
  totalNs: number;
  meanNs: number;
  minNs: number;
  maxNs: number;
  share: number;
  names: string[];
  title: string;
  before: CostBefore | null;
  change: string;
}

export interface CostBefore {
  tasks: number;
  ran: number;
  totalNs: number;
  meanNs: number;
}

export interface Durations {
  count: number;
  totalNs: number;
  meanNs: number;
  stddevNs: number;
  minNs: number;
  medianNs: number;
  maxNs: number;
  quantilesNs: Quantiles;
}

export interface Quantiles {
  q5: number;
  q25: number;
  q50: number;
  q75: number;
  q95: number;
}

export type StatisticsBy = "codelet" | "site" | "worker" | "kind" | "size" | "state";

export interface Finding {
  rule: string;
  severity: "error" | "warning" | "information";
  costNs: number;
  file: string;
  line: number;
  site: number | null;
  message: string;
  evidence: { [name: string]: EvidenceValue };
}

export type EvidenceValue = number | string;

export interface Advice {
  findings: Finding[];
}

export type Verdict = "within noise" | "slower" | "faster" | "each longer" | "each shorter" | "some longer" | "some shorter" | "more tasks" | "fewer tasks" | "too few" | "only before" | "only after";

export interface ChangeParts {
  changeNs: number;
  byCountNs: number;
  byDurationNs: number;
  byCountErrorNs: number;
  byDurationErrorNs: number;
  beyondNoiseNs: number;
  typicalGrowthNs: number;
}

export interface Change extends ChangeParts {
  label: string;
  labelBefore: string;
  verdict: Verdict;
  countVerdict: Verdict;
  durationVerdict: Verdict;
  standardErrorNs: number;
  shiftNs: number;
  shiftLowNs: number;
  shiftHighNs: number;
  longerShare: number;
  p: number;
  countP: number;
  before: Durations;
  after: Durations;
}

export interface TotalChange extends ChangeParts {
  countBefore: number;
  countAfter: number;
  beforeNs: number;
  afterNs: number;
}

export interface Comparison {
  before: string;
  after: string;
  spanBeforeNs: number;
  spanAfterNs: number;
  by: StatisticsBy;
  complete: boolean;
  total: TotalChange | null;
  count: number;
  changes: Change[];
}

export interface LaunchConfiguration {
  name?: string;
  program?: string;
  arguments?: string[];
  environment?: { [name: string]: string };
  workingDirectory?: string;
  cpus?: number;
  gpus?: number;
  scheduler?: string;
  calibrate?: boolean;
  build?: string[];
  launcher?: string[];
  runtime?: "tasklens" | "starpu";
  source?: string;
  keepRunning?: boolean;
}

export interface NamedConfiguration {
  name: string;
  origin: string;
  problem: string | null;
  configuration: unknown;
}

export interface RuntimeChoice {
  runtime: "tasklens" | "starpu";
  version: string | null;
  package: string | null;
  compileFlags: string;
  linkFlags: string;
  problem: string | null;
}

export interface Program {
  program: string;
  modifiedNs: number;
}

export interface KeptRun {
  kept: string;
  name: string;
  title: string;
  program: string;
  configuration: LaunchConfiguration;
  directory: string;
  startedNs: number | null;
  endedNs: number | null;
  running: boolean;
  exitStatus: number | null;
  signal: number | null;
  message: string;
  trace: string | null;
}

export interface OutputLink {
  start: number;
  end: number;
  uri: string;
  line: number;
  character: number;
}

export interface Requests {
  "tasklens/run": {
    params: LaunchConfiguration & { configuration?: string };
    answer: {
      run: string;
      exitStatus: number | null;
      signal: number | null;
      leftBehind: number;
      directory: string;
      kept: string | null;
      runtime: "tasklens" | "starpu" | null;
      trace: string | null;
      contents: Trace | null;
      message: string;
    };
  };
  "tasklens/stop": {
    params: { run?: string; kept?: string };
    answer: { stopped: string[] };
  };
  "tasklens/configurations": {
    params: { runtimes?: boolean };
    answer: { file: string | null; configurations: NamedConfiguration[]; problems: string[]; runtimes: RuntimeChoice[] | null };
  };
  "tasklens/programs": {
    params: { limit?: number };
    answer: { directory: string | null; count: number; programs: Program[]; all: boolean };
  };
  "tasklens/runs": {
    params: {};
    answer: { directory: string; runs: KeptRun[] };
  };
  "tasklens/renameRun": {
    params: { kept: string; name: string };
    answer: KeptRun;
  };
  "tasklens/deleteRun": {
    params: { kept: string };
    answer: null;
  };
  "tasklens/openTrace": {
    params: { uris: string[]; wait?: boolean; firstBytes?: number };
    answer: Trace;
  };
  "tasklens/closeTrace": {
    params: { trace: string };
    answer: null;
  };
  "tasklens/traces": {
    params: {};
    answer: { traces: Trace[] };
  };
  "tasklens/tasksAt": {
    params: { trace?: string; uri: string; line: number; limit?: number };
    answer: { trace: string | null; count: number; tasks: Task[] };
  };
  "tasklens/reveal": {
    params: { trace?: string; task?: number; site?: number; takeFocus?: boolean };
    answer: { location: Location; shown: boolean };
  };
  "tasklens/showSite": {
    params: { trace?: string; site: number };
    answer: Omit<Cost, "title"> & { trace: string; title: string; dataLoss: boolean; text: string };
  };
  "tasklens/advice": {
    params: { trace?: string };
    answer: Advice & { trace: string; firstSite: number | null };
  };
  "tasklens/compare": {
    params: { traces: string[]; by?: StatisticsBy; limit?: number };
    answer: { comparisons: Comparison[] };
  };
  "tasklens/page": {
    params: { view?: "all" | "graph" | "timeline" };
    answer: { html: string };
  };
}

export interface Notifications {
  "tasklens/runStarted": { run: string; directory: string; program: string };
  "tasklens/runOutput": { run: string; stream: "stdout" | "stderr"; text: string; links: OutputLink[] };
  "tasklens/traceUpdated": Trace & { growing?: boolean };
  "tasklens/traceGrew": Trace & { growing: boolean };
}
