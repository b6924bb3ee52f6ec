// SPDX-License-Identifier: Apache-2.0
// From a task to its line, and from the caret on a line to its tasks.
import * as vscode from "vscode";
import { Choice } from "./protocol";
import { Server } from "./server";
import { setting } from "./settings";

const RESTING_MS = 120; // a caret that stays so long wants to know more

export class Editors implements vscode.Disposable {
  private readonly marked = vscode.window.createTextEditorDecorationType({
    isWholeLine: true,
    backgroundColor: new vscode.ThemeColor("editor.findMatchHighlightBackground"),
    overviewRulerColor: new vscode.ThemeColor("editorOverviewRuler.findMatchForeground"),
  });
  private readonly lit = new vscode.EventEmitter<Choice>();
  readonly onLit = this.lit.event; // the caret rests on a line that submitted tasks
  private shown?: { uri: string; line: number }; // where the caret was put for a task that is chosen already
  private showing = 0; // how often it is being put somewhere at this moment
  private moves = 0; // of the caret
  private timer?: NodeJS.Timeout;

  constructor(private readonly server: Server, private readonly trace: () => string | undefined) {}

  // Shows the range in an editor, beside pages rather than instead of them.
  async show(uri: vscode.Uri, range: vscode.Range | undefined, takesFocus: boolean): Promise<void> {
    this.forgetMove();
    if (range) this.shown = { uri: uri.toString(), line: range.start.line };
    ++this.showing;
    try {
      const column = columnFor(uri);
      const editor = await vscode.window.showTextDocument(uri, {
        viewColumn: column,
        preserveFocus: !takesFocus,
        preview: !wouldReplaceATool(column),
        selection: range && new vscode.Range(range.start, range.start),
      });
      if (range) this.mark(editor, range);
    } finally {
      --this.showing;
    }
  }

  private mark(editor: vscode.TextEditor, range: vscode.Range): void {
    for (const other of vscode.window.visibleTextEditors) other.setDecorations(this.marked, []);
    editor.setDecorations(this.marked, [range]);
    editor.revealRange(new vscode.Range(range.start.line, 0, range.start.line, 0), vscode.TextEditorRevealType.InCenterIfOutsideViewport);
  }

  // Where the user is, to be compared: the text, its version, and the caret.
  place(): string {
    const editor = vscode.window.activeTextEditor;
    if (!editor) return "";
    const { document, selection } = editor;
    return `${document.uri} ${document.version} ${document.offsetAt(selection.anchor)} ${document.offsetAt(selection.active)}`;
  }

  // The caret of this editor has moved, or is where the user is now.
  follow({ document, selection }: vscode.TextEditor): void {
    const move = this.forgetMove();
    // What the caret did before a task was chosen, and what it does because of that, changes no choice.
    if (this.showing) return;
    const { line } = selection.active;
    const isShown = this.shown?.uri === document.uri.toString() && this.shown.line === line;
    if (!isShown) this.shown = undefined;
    const isSource = document.uri.scheme === "file" && ["c", "cpp", "cuda-cpp"].includes(document.languageId);
    if (isShown || !isSource || this.trace() === undefined || !setting<boolean>("followCaret")) return;
    this.timer = setTimeout(() => void this.rested(document.uri, line, move), RESTING_MS);
  }

  // Answers the number of the next move.
  private forgetMove(): number {
    clearTimeout(this.timer);
    return ++this.moves;
  }

  private async rested(uri: vscode.Uri, line: number, move: number): Promise<void> {
    const params = { trace: this.trace(), uri: uri.toString(), line, limit: 1 };
    try {
      const { tasks } = await this.server.request("tasklens/tasksAt", params);
      const site = tasks[0]?.site;
      if (move === this.moves && site !== undefined && site !== null) this.lit.fire({ site });
    } catch {
      // The text changed meanwhile, or the server is being started again: the next move asks anew.
    }
  }

  dispose(): void {
    clearTimeout(this.timer);
    this.marked.dispose();
  }
}

// A preview takes the place of the group's other preview: of a file, yes, but not of a walkthrough that the user follows.
function wouldReplaceATool(column: vscode.ViewColumn): boolean {
  const group = vscode.window.tabGroups.all.find((one) => one.viewColumn === column);
  return group?.tabs.some((tab) => tab.isPreview && !(tab.input instanceof vscode.TabInputText)) ?? false;
}

// Where the file is open already; else where some other text is.
function columnFor(uri: vscode.Uri): vscode.ViewColumn {
  const { all, activeTabGroup } = vscode.window.tabGroups;
  const holds = (group: vscode.TabGroup, test: (tab: vscode.Tab) => boolean) => group.tabs.some(test);
  const isFile = (tab: vscode.Tab) => tab.input instanceof vscode.TabInputText && tab.input.uri.toString() === uri.toString();
  const isPage = (tab: vscode.Tab) => tab.input instanceof vscode.TabInputWebview;
  const group = all.find((one) => holds(one, isFile)) ??
    (activeTabGroup.activeTab && isPage(activeTabGroup.activeTab) ? all.find((one) => !holds(one, isPage)) : activeTabGroup);
  return group?.viewColumn ?? vscode.ViewColumn.Beside;
}
