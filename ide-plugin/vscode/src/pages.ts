// SPDX-License-Identifier: Apache-2.0
// The server's web app in webviews. Carries messages between the page and the server, see "The web
// app in an editor" in protocol.md.
import * as vscode from "vscode";
import { Editors } from "./editors";
import { Choice } from "./protocol";
import { Server } from "./server";
import { messageOf } from "./text";
import { Traces } from "./traces";

export type View = "graph" | "timeline";
const VIEWS: View[] = ["graph", "timeline"];
const TITLES = { graph: "Task Graph", timeline: "Trace" };

interface Message {
  id?: number;
  method?: unknown;
  params?: any;
}

class Page {
  private readonly panel: vscode.WebviewPanel;
  private readonly states: Map<string, unknown>;
  private trace?: string;
  private loads = 0;
  private isReady = false; // the page has asked for its trace
  private waiting: object[] = []; // notifications to send then

  constructor(private readonly pages: Pages, private readonly view: View, onGone: () => void) {
    this.states = pages.states;
    this.panel = vscode.window.createWebviewPanel(`tasklens.${view}`, TITLES[view],
      { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true },
      { enableScripts: true, localResourceRoots: [], retainContextWhenHidden: true });
    this.panel.onDidDispose(onGone);
    this.panel.webview.onDidReceiveMessage((message) => void this.take(message));
  }

  show(): void {
    this.panel.reveal(undefined, true);
  }

  // Loads the page of the current trace; replaces the page of another trace.
  async load(): Promise<void> {
    const { current } = this.pages.traces;
    if (this.loads && current?.trace === this.trace) return;
    const load = ++this.loads;
    this.trace = current?.trace;
    this.isReady = false;
    this.waiting = [];
    if (!current) {
      this.panel.webview.html = EMPTY;
      return;
    }
    this.panel.title = `${TITLES[this.view]}: ${current.title}`;
    try {
      const { html } = await this.pages.server.request("tasklens/page", { view: this.view });
      // The number changes the text; VS Code would keep the old page for the same text.
      if (load === this.loads) this.panel.webview.html = `${html}<!-- ${load} -->`;
    } catch (error) {
      await this.pages.server.tellFailure(error);
    }
  }

  tell(method: string, params: object): void {
    if (this.isReady) void this.panel.webview.postMessage({ method, params });
    else this.waiting.push({ method, params });
  }

  private async take(message: Message): Promise<void> {
    const load = this.loads;
    const { id, method, params } = message ?? {};
    if (typeof method !== "string") return;
    let answer: object;
    try {
      answer = { id, result: await this.answer(method, params ?? {}) };
    } catch (error) {
      answer = { id, error: { message: messageOf(error) } };
    }
    // An answer for a page that was replaced meanwhile is dropped.
    if (id !== undefined && load === this.loads) await this.panel.webview.postMessage(answer);
    if (method === "host/start" && load === this.loads) {
      this.isReady = true;
      for (const one of this.waiting.splice(0)) await this.panel.webview.postMessage(one);
    }
  }

  private async answer(method: string, params: any): Promise<unknown> {
    if (method === "tasklens/reveal") this.pages.select(chosenIn(params), this.view);
    if (method.startsWith("tasklens/")) return this.pages.server.forward(method, params);
    const title = this.pages.traces.open.find((trace) => trace.trace === this.trace)?.title ?? "";
    switch (method) {
      case "host/start":
        return { trace: this.trace ?? null, theme: theme(), state: this.states.get(this.view + title) ?? null };
      case "host/store":
        this.states.set(this.view + title, params.state);
        return null;
      case "host/open":
        await this.pages.editors.show(...placeOf(params.location), params.takeFocus === true);
        return null;
      case "host/save":
        return save(String(params.name), String(params.base64));
      default:
        throw new Error(`${method}: not known here`);
    }
  }
}

export class Pages {
  readonly states = new Map<string, unknown>(); // by view and title of the trace
  private readonly pages = new Map<View, Page>();
  private readonly missed = new Map<View, { trace?: string; choice: Choice }>(); // by views that are not open

  constructor(readonly server: Server, readonly traces: Traces, readonly editors: Editors) {
    traces.onChanged(() => this.reload());
    editors.onLit((choice) => this.select(choice));
    server.onNotified(({ method, params }) => {
      if (method === "tasklens/traceUpdated" || method === "tasklens/traceGrew") this.tell(method, params);
    });
    server.onEnded(() => this.tell("host/gone", {}));
    vscode.window.onDidChangeActiveColorTheme(() => this.tell("host/theme", { theme: theme() }));
  }

  async show(view: View): Promise<void> {
    let page = this.pages.get(view);
    if (!page) {
      page = new Page(this, view, () => this.pages.delete(view));
      this.pages.set(view, page);
    }
    page.show();
    const loaded = page.load();
    const missed = this.missed.get(view);
    this.missed.delete(view);
    if (missed && missed.trace === this.traces.current?.trace) page.tell("host/select", missed.choice);
    await loaded;
  }

  // Selects it in all views, but for that in which it was chosen.
  select(choice: Choice, from?: View): void {
    for (const view of VIEWS) {
      if (view === from) continue;
      const page = this.pages.get(view);
      if (page) page.tell("host/select", choice);
      else this.missed.set(view, { trace: this.traces.current?.trace, choice });
    }
  }

  private tell(method: string, params: object): void {
    for (const page of this.pages.values()) page.tell(method, params);
  }

  private reload(): void {
    for (const page of this.pages.values()) void page.load();
  }
}

// A page that shows a line has chosen its task or the line itself.
function chosenIn(params: { task?: number } | { site: number }): Choice {
  return "site" in params ? { site: params.site } : { task: params.task! };
}

function theme(): "light" | "dark" {
  const { kind } = vscode.window.activeColorTheme;
  const isLight = kind === vscode.ColorThemeKind.Light || kind === vscode.ColorThemeKind.HighContrastLight;
  return isLight ? "light" : "dark";
}

// Converts a location of LSP.
export function placeOf(location: any): [vscode.Uri, vscode.Range] {
  const { start, end } = location.range;
  return [vscode.Uri.parse(location.uri, true), new vscode.Range(start.line, start.character, end.line, end.character)];
}

async function save(name: string, base64: string): Promise<null> {
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
  const file = await vscode.window.showSaveDialog({ defaultUri: folder && vscode.Uri.joinPath(folder, name) });
  if (file) await vscode.workspace.fs.writeFile(file, Buffer.from(base64, "base64"));
  return null;
}

const EMPTY =
  "<!doctype html><meta http-equiv='Content-Security-Policy' content=\"default-src 'none'\">" +
  "<p>No trace is open. Use <b>TaskLens: Run Traced</b>, or <b>TaskLens: Open Trace</b>.</p>";
