// SPDX-License-Identifier: Apache-2.0
// Runs long commands of the program `tasklens` that write files, with progress and cancel.
import { spawn } from "child_process";
import * as vscode from "vscode";
import { findProgram } from "./settings";
import { oneLine } from "./text";

const KEPT_WORDS = 2000; // characters of its output in an error message

// Returns false if it was cancelled; throws the output of a command that failed.
export function runTool(title: string, words: string[]): Thenable<boolean> {
  const options = { location: vscode.ProgressLocation.Notification, title: `TaskLens: ${title}`, cancellable: true };
  return vscode.window.withProgress(options, (_, token) => new Promise<boolean>((resolve, reject) => {
    const child = spawn(findProgram(), words, { stdio: ["ignore", "pipe", "pipe"] });
    let said = "";
    const listen = (text: Buffer) => (said = (said + text).slice(-KEPT_WORDS));
    child.stdout.on("data", listen);
    child.stderr.on("data", listen);
    child.on("error", reject);
    child.on("close", (status) => {
      if (token.isCancellationRequested) resolve(false);
      else if (status === 0) resolve(true);
      else reject(new Error(oneLine(said) || `${title}: status ${status}`));
    });
    token.onCancellationRequested(() => child.kill());
  }));
}
