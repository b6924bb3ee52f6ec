// SPDX-License-Identifier: Apache-2.0
// Shows a run as one page in the user's browser. If that browser cannot read files of this machine
// (Remote, or VS Code in a browser), the page is served on the loopback interface, which VS Code
// forwards.
import * as crypto from "crypto";
import * as fs from "fs";
import * as http from "http";
import { AddressInfo } from "net";
import * as path from "path";
import * as vscode from "vscode";
import { Trace } from "./messages";
import { serverSettings } from "./settings";
import { messageOf, oneLine } from "./text";
import { runTool } from "./tool";

const SECRET_BYTES = 16; // hides the address from other users and pages of this machine
const HEADERS = {
  "Content-Type": "text/html; charset=utf-8", "Cache-Control": "no-store", "Referrer-Policy": "no-referrer",
  "X-Content-Type-Options": "nosniff",
};

export class BrowserPages implements vscode.Disposable {
  private readonly served = new Map<string, string>(); // files by the paths of their addresses
  private server?: Promise<http.Server>;

  // `folder`: the folder for the pages.
  constructor(private readonly folder: vscode.Uri) {}

  async show(trace: Trace): Promise<void> {
    await vscode.workspace.fs.createDirectory(this.folder);
    const file = path.join(this.folder.fsPath, `${trace.trace}.html`);
    const folders = (vscode.workspace.workspaceFolders ?? []).map((folder) => folder.uri.fsPath);
    const roots = [...serverSettings().sourceRoots, ...folders].flatMap((root) => ["--source-root", root]);
    if (!(await runTool(`a page of ${oneLine(trace.title)}`, ["report", "-o", file, ...roots, "--", ...trace.paths]))) return;
    const isBrowserHere = vscode.env.remoteName === undefined && vscode.env.uiKind === vscode.UIKind.Desktop;
    const isOpened = await vscode.env.openExternal(isBrowserHere ? vscode.Uri.file(file) : await this.serve(file));
    const text = `TaskLens: the page of this run is ${file}`;
    if (isOpened) vscode.window.setStatusBarMessage(text, 10000);
    else void vscode.window.showInformationMessage(text);
  }

  // Serves a file and returns its address.
  private async serve(file: string): Promise<vscode.Uri> {
    this.server ??= this.listen();
    const { port } = (await this.server).address() as AddressInfo;
    const place = `/${crypto.randomBytes(SECRET_BYTES).toString("hex")}/`;
    this.served.set(place, file);
    return vscode.Uri.parse(`http://127.0.0.1:${port}${place}`);
  }

  private listen(): Promise<http.Server> {
    const server = http.createServer((request, response) => void this.answer(request, response));
    return new Promise((resolve, reject) => {
      server.on("error", reject);
      server.listen(0, "127.0.0.1", () => resolve(server));
    });
  }

  private async answer(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    const file = request.method === "GET" ? this.served.get(request.url ?? "") : undefined;
    if (file === undefined) {
      response.writeHead(404).end();
      return;
    }
    try {
      const page = await fs.promises.readFile(file);
      response.writeHead(200, HEADERS).end(page);
    } catch (error) {
      response.writeHead(500, { "Content-Type": "text/plain; charset=utf-8" }).end(messageOf(error));
    }
  }

  dispose(): void {
    void this.server?.then((server) => server.close());
  }
}
