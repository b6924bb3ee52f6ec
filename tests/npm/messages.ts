// SPDX-License-Identifier: Apache-2.0
// What each message of the protocol carries, in its official types. make_schemas.js turns this file
// into JSON schemas; check_messages.js checks real messages against them.
//
// Methods that are not here are not known to the check, which then fails: add the line.
import * as lsp from "vscode-languageserver-protocol";

interface Request<Params, Result> {
  params: Params;
  result: Result;
}

export interface ClientRequests {
  "initialize": Request<lsp.InitializeParams, lsp.InitializeResult>;
  "shutdown": Request<undefined, null>;
  "callHierarchy/incomingCalls": Request<lsp.CallHierarchyIncomingCallsParams, lsp.CallHierarchyIncomingCall[] | null>;
  "callHierarchy/outgoingCalls": Request<lsp.CallHierarchyOutgoingCallsParams, lsp.CallHierarchyOutgoingCall[] | null>;
  "textDocument/codeAction": Request<lsp.CodeActionParams, (lsp.Command | lsp.CodeAction)[] | null>;
  "textDocument/codeLens": Request<lsp.CodeLensParams, lsp.CodeLens[] | null>;
  "textDocument/definition": Request<lsp.DefinitionParams, lsp.Definition | lsp.LocationLink[] | null>;
  "textDocument/documentLink": Request<lsp.DocumentLinkParams, lsp.DocumentLink[] | null>;
  "textDocument/documentSymbol": Request<lsp.DocumentSymbolParams, lsp.DocumentSymbol[] | lsp.SymbolInformation[] | null>;
  "textDocument/foldingRange": Request<lsp.FoldingRangeParams, lsp.FoldingRange[] | null>;
  "textDocument/hover": Request<lsp.HoverParams, lsp.Hover | null>;
  "textDocument/inlayHint": Request<lsp.InlayHintParams, lsp.InlayHint[] | null>;
  "textDocument/prepareCallHierarchy": Request<lsp.CallHierarchyPrepareParams, lsp.CallHierarchyItem[] | null>;
  "textDocument/references": Request<lsp.ReferenceParams, lsp.Location[] | null>;
  "workspace/executeCommand": Request<lsp.ExecuteCommandParams, any>;
  "workspace/symbol": Request<lsp.WorkspaceSymbolParams, lsp.SymbolInformation[] | lsp.WorkspaceSymbol[] | null>;
}

export interface ClientNotifications {
  "initialized": lsp.InitializedParams;
  "exit": undefined;
  "$/cancelRequest": { id: lsp.integer | string };
  "$/setTrace": { value: "off" | "messages" | "verbose" };
  "textDocument/didChange": lsp.DidChangeTextDocumentParams;
  "textDocument/didClose": lsp.DidCloseTextDocumentParams;
  "textDocument/didOpen": lsp.DidOpenTextDocumentParams;
  "textDocument/didSave": lsp.DidSaveTextDocumentParams;
  "window/workDoneProgress/cancel": lsp.WorkDoneProgressCancelParams;
  "workspace/didChangeConfiguration": lsp.DidChangeConfigurationParams;
  "workspace/didChangeWorkspaceFolders": lsp.DidChangeWorkspaceFoldersParams;
}

export interface ServerRequests {
  "window/showDocument": Request<lsp.ShowDocumentParams, lsp.ShowDocumentResult>;
  "window/workDoneProgress/create": Request<lsp.WorkDoneProgressCreateParams, null>;
  "workspace/applyEdit": Request<lsp.ApplyWorkspaceEditParams, lsp.ApplyWorkspaceEditResult>;
  "workspace/codeLens/refresh": Request<undefined, null>;
  "workspace/inlayHint/refresh": Request<undefined, null>;
}

type Progress = lsp.WorkDoneProgressBegin | lsp.WorkDoneProgressReport | lsp.WorkDoneProgressEnd;

export interface ServerNotifications {
  "$/progress": { token: lsp.ProgressToken; value: Progress };
  "textDocument/publishDiagnostics": lsp.PublishDiagnosticsParams;
  "window/logMessage": lsp.LogMessageParams;
  "window/showMessage": lsp.ShowMessageParams;
}

export interface Messages {
  clientRequests: ClientRequests;
  clientNotifications: ClientNotifications;
  serverRequests: ServerRequests;
  serverNotifications: ServerNotifications;
  error: { code: lsp.integer; message: string; data?: any };
}
