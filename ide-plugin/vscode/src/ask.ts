// SPDX-License-Identifier: Apache-2.0
// Asks what to run: a typed command, a launch configuration, or a program of the workspace.
import * as vscode from "vscode";
import { RunParams } from "./protocol";
import { Server } from "./server";
import { messageOf, oneLine, words } from "./text";

// `params`: the parameters of the run; without them and without `typed`, creates a configuration.
type Item = vscode.QuickPickItem & { params?: RunParams; typed?: boolean };

// Returns the parameters, or undefined if the user cancels. `last`: those of the last run.
export async function askWhatToRun(server: Server, last: RunParams | undefined): Promise<RunParams | undefined> {
  const { file, configurations, problems } = await server.request("tasklens/configurations", {});
  if (problems.length) void vscode.window.showWarningMessage(`TaskLens: ${oneLine(problems[0])}`);
  const picker = vscode.window.createQuickPick<Item>();
  picker.title = "Run traced";
  picker.placeholder = "What to run: a program and its arguments, or one of these";
  picker.matchOnDescription = true;
  picker.ignoreFocusOut = true; // a terminal may take the focus while the user types
  const known = configurations.filter((one) => one.problem === null).map(({ name, configuration }): Item => ({
    label: `$(play) ${name}`, description: String((configuration as RunParams).program ?? ""), params: { configuration: name },
  }));
  if (last?.program) known.unshift({ label: `$(history) ${commandLine(last)}`, description: "again", params: last });
  let found: Item[] = [];
  const write: Item = { label: "$(gear) Write a launch configuration", description: file ?? "" };
  const list = () => {
    const isTyped = words(picker.value).length > 0;
    const typed: Item = { label: `$(terminal) ${oneLine(picker.value)}`, description: "Run this traced", alwaysShow: true, typed: true };
    picker.items = [...(isTyped ? [typed] : []), ...known, ...found, ...(file ? [write] : [])];
    if (isTyped) picker.activeItems = [typed];
  };
  picker.onDidChangeValue(list);
  list();
  // The programs in the folder are searched meanwhile.
  picker.busy = true;
  server.request("tasklens/programs", {}).then(({ programs }) => {
    const isKnown = (program: string) => known.some(({ params }) => params?.program === program);
    found = programs.filter(({ program }) => !isKnown(program)).map(({ program }): Item => ({
      label: `$(run) ${oneLine(program)}`, description: "a program with StarPU's interface", params: { program },
    }));
    list();
  }).catch((error) => (picker.placeholder = `What to run: a program and its arguments (${messageOf(error)})`))
    .finally(() => (picker.busy = false));
  const chosen = await accepted(picker);
  if (!chosen) return undefined;
  if (chosen === write) return writeConfiguration(file!);
  return chosen.params;
}

// The accepted item; Enter accepts the typed text even before the list contains it.
function accepted(picker: vscode.QuickPick<Item>): Promise<Item | undefined> {
  return new Promise((resolve) => {
    picker.onDidAccept(() => {
      const item = picker.selectedItems[0];
      const [program, ...rest] = words(picker.value);
      if (item && !item.typed) resolve(item);
      else if (program === undefined) return;
      else resolve({ label: program, params: rest.length ? { program, arguments: rest } : { program } });
      picker.hide();
    });
    picker.onDidHide(() => {
      resolve(undefined); // unless it was accepted
      picker.dispose();
    });
    picker.show();
  });
}

function commandLine({ program, arguments: rest = [] }: RunParams): string {
  return oneLine([program!, ...rest].map(quoted).join(" "));
}

function quoted(word: string): string {
  return /^[\w./=:,+-]+$/.test(word) ? word : `"${word.replace(/["\\]/g, "\\$&")}"`;
}

async function writeConfiguration(file: string): Promise<undefined> {
  const uri = vscode.Uri.file(file);
  const isThere = await vscode.workspace.fs.stat(uri).then(() => true, () => false);
  if (!isThere) {
    const first = { version: 1, configurations: [{ name: "small", program: "./program", arguments: [] }] };
    await vscode.workspace.fs.writeFile(uri, Buffer.from(`${JSON.stringify(first, null, 2)}\n`));
  }
  await vscode.window.showTextDocument(uri);
  return undefined;
}
