// SPDX-License-Identifier: Apache-2.0
// Goes from a task to its line, and from the caret's line to its tasks.
import * as vscode from "vscode";
import { Choice } from "./protocol";
import { Server } from "./server";
import { setting } from "./settings";

const RESTING_MS = 120; // the delay until a resting caret is followed

export class Editors implements vscode.Disposable {
  private readonly marked = vscode.window.createTextEditorDecorationType({
    isWholeLine: true,
    backgroundColor: new vscode.ThemeColor("editor.findMatchHighlightBackground"),
    overviewRulerColor: new vscode.ThemeColor("editorOverviewRuler.findMatchForeground"),
  });
  private readonly lit = new vscode.EventEmitter<Choice>();
  readonly onLit = this.lit.event; // the caret rests on a line that submitted tasks
  private shown?: { uri: string; line: number }; // where the caret was moved for a selected task
  private showing = 0; // number of such moves in progress
  private moves = 0; // counts moves of the caret
  private timer?: NodeJS.Timeout;

  constructor(private readonly server: Server, private readonly trace: () => string | undefined) {}

  // Shows the range in an editor, beside pages instead of over them.
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

  // A string for comparing where the user is: the text, its version, and the caret.
  place(): string {
    const editor = vscode.window.activeTextEditor;
    if (!editor) return "";
    const { document, selection } = editor;
    return `${document.uri} ${document.version} ${document.offsetAt(selection.anchor)} ${document.offsetAt(selection.active)}`;
  }

  // Called when the caret of this editor has moved, or when the editor became active.
  follow({ document, selection }: vscode.TextEditor): void {
    const move = this.forgetMove();
    // Moves before a task was selected, and moves that the selection causes, do not change the
    // selection.
    if (this.showing) return;
    const { line } = selection.active;
    const isShown = this.shown?.uri === document.uri.toString() && this.shown.line === line;
    if (!isShown) this.shown = undefined;
    const isSource = document.uri.scheme === "file" && ["c", "cpp", "cuda-cpp"].includes(document.languageId);
    if (isShown || !isSource || this.trace() === undefined || !setting<boolean>("followCaret")) return;
    this.timer = setTimeout(() => void this.rested(document.uri, line, move), RESTING_MS);
  }

  // Returns the number of the next move.
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
      // The text changed meanwhile, or the server is restarting: the next move requests again.
    }
  }

  dispose(): void {
    clearTimeout(this.timer);
    this.marked.dispose();
  }
}

// An editor in preview mode replaces the preview of its group: acceptable for a file, but not for a
// walkthrough that the user follows.
function wouldReplaceATool(column: vscode.ViewColumn): boolean {
  const group = vscode.window.tabGroups.all.find((one) => one.viewColumn === column);
  return group?.tabs.some((tab) => tab.isPreview && !(tab.input instanceof vscode.TabInputText)) ?? false;
}

// The column where the file is open; else one with another text.
function columnFor(uri: vscode.Uri): vscode.ViewColumn {
  const { all, activeTabGroup } = vscode.window.tabGroups;
  const holds = (group: vscode.TabGroup, test: (tab: vscode.Tab) => boolean) => group.tabs.some(test);
  const isFile = (tab: vscode.Tab) => tab.input instanceof vscode.TabInputText && tab.input.uri.toString() === uri.toString();
  const isPage = (tab: vscode.Tab) => tab.input instanceof vscode.TabInputWebview;
  const group = all.find((one) => holds(one, isFile)) ??
    (activeTabGroup.activeTab && isPage(activeTabGroup.activeTab) ? all.find((one) => !holds(one, isPage)) : activeTabGroup);
  return group?.viewColumn ?? vscode.ViewColumn.Beside;
}
