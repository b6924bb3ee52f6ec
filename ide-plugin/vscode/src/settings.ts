// SPDX-License-Identifier: Apache-2.0
// The settings, and the path of the program `tasklens`.
import * as fs from "fs";
import * as path from "path";
import * as vscode from "vscode";

function settings() {
  return vscode.workspace.getConfiguration("tasklens");
}

export function setting<T>(name: string): T {
  return settings().get(name) as T;
}

// The settings for the server, see "Starting" in protocol.md. VS Code leaves out the settings of an
// untrusted folder that package.json restricts.
export function serverSettings() {
  return {
    sourceRoots: setting<string[]>("sourceRoots"),
    silencedRules: setting<string[]>("silencedRules"),
    configurations: setting<object[]>("configurations"),
    keepRuns: setting<number>("keepRuns"),
    memoryLimitMiB: setting<number>("memoryLimitMiB"),
    trusted: vscode.workspace.isTrusted,
  };
}

function isProgram(file: string): boolean {
  try {
    fs.accessSync(file, fs.constants.X_OK);
    return fs.statSync(file).isFile();
  } catch {
    return false;
  }
}

// Returns the path of the program; throws a message that says what to do.
export function findProgram(): string {
  const chosen = setting<string>("serverPath").replace(/^~(?=\/)/, process.env.HOME ?? "~");
  if (chosen) {
    if (isProgram(chosen)) return chosen;
    throw new Error(`${chosen} (the setting tasklens.serverPath) is not a program; install TaskLens, or correct the setting`);
  }
  for (const folder of (process.env.PATH ?? "").split(path.delimiter)) {
    const file = path.join(folder, "tasklens");
    if (path.isAbsolute(folder) && isProgram(file)) return file;
  }
  throw new Error("the program tasklens is not in PATH; install TaskLens, or name it in the setting tasklens.serverPath");
}
