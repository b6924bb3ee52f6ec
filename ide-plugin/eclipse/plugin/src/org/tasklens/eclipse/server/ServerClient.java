// SPDX-License-Identifier: Apache-2.0
package org.tasklens.eclipse.server;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import org.tasklens.eclipse.Notices;
import org.tasklens.eclipse.TaskLens;
import org.tasklens.eclipse.editors.SourceEditors;
import org.tasklens.eclipse.lsp4e.Relay;
import org.tasklens.eclipse.preferences.Settings;
import org.tasklens.eclipse.views.Views;

/** What the workbench tells the server of itself, and where what the server says goes. */
public final class ServerClient implements LanguageServer.Client {
  private static final int PROTOCOL = 1; // what protocol.md describes
  private static final int MESSAGE_ERROR = 1;
  private static final int MESSAGE_WARNING = 2;
  private static final int MESSAGE_INFO = 3;
  // Crashes in a row after which the server is left alone until it is asked for again.
  private static final int MAX_RESTARTS = 3;
  private static final long ROW_NS = 60_000_000_000L;

  private volatile Path program; // that was started last
  private int restarts;
  private long firstCrashNs;

  @Override
  public Path program() throws ServerError {
    program = ServerLocation.find(Settings.serverPath(), System.getenv("PATH"));
    return program;
  }

  @Override
  public JsonObject initializeParams() {
    JsonObject capabilities =
        Json.of(
            "window",
                Json.of("workDoneProgress", true, "showDocument", Json.of("support", true)),
            "workspace",
                Json.of(
                    "workspaceFolders", true,
                    "codeLens", Json.of("refreshSupport", true),
                    "didChangeConfiguration", Json.of("dynamicRegistration", false)),
            "textDocument",
                Json.of(
                    "hover", Json.of("contentFormat", java.util.List.of("plaintext", "markdown")),
                    "publishDiagnostics", Json.of("relatedInformation", false),
                    "codeAction",
                        Json.of(
                            "codeActionLiteralSupport",
                            Json.of(
                                "codeActionKind",
                                Json.of("valueSet", java.util.List.of("quickfix"))))),
            "general", Json.of("positionEncodings", java.util.List.of("utf-16")),
            "experimental", Json.of("tasklens", Json.of("version", PROTOCOL)));
    JsonArray folders = TaskLens.folders().tell();
    return Json.of(
        "processId", ProcessHandle.current().pid(),
        "clientInfo", Json.of("name", "Eclipse"),
        "rootUri", folders.isEmpty() ? null : folders.get(0).getAsJsonObject().get("uri"),
        "workspaceFolders", folders,
        "capabilities", capabilities,
        "initializationOptions", Settings.forServer());
  }

  @Override
  public void started(LanguageServer server) {
    server.initialized().thenAccept(this::tellMisfit);
    TaskLens.documents().openAll();
    TaskLens.traces().reopen();
  }

  @Override
  public void notified(String method, JsonObject params) {
    // The pages want all of ours but the output of programs, which has its console.
    if (method.startsWith("tasklens/") && !method.equals("tasklens/runOutput"))
      Views.tell(method, params);
    switch (method) {
      case "tasklens/runStarted" -> TaskLens.runs().started(params);
      case "tasklens/runOutput" -> TaskLens.runs().output(params);
      case "tasklens/traceUpdated" -> TaskLens.traces().updated(params);
      case "textDocument/publishDiagnostics" -> TaskLens.advice().published(params);
      case "window/showMessage" ->
          message((int) Json.number(params, "type", MESSAGE_INFO), Json.text(params, "message"));
      case "$/progress" -> TaskLens.progress().report(params);
      default -> {} // later servers may say more
    }
  }

  // Where the server speaks another protocol than this plugin.
  private void tellMisfit(JsonObject initialized) {
    JsonObject experimental =
        Json.object(Json.object(initialized, "capabilities"), "experimental");
    long theirs = Json.number(Json.object(experimental, "tasklens"), "version", -1);
    if (theirs == PROTOCOL || TaskLens.get() == null) return;
    JsonObject about = Json.object(initialized, "serverInfo");
    String ours = TaskLens.get().getBundle().getVersion().toString();
    String verdict = "this plugin is older than the server, update it";
    if (theirs < 0)
      verdict = "the server may not fit, install TaskLens " + ours
          + " or set its path in Window > Preferences > TaskLens";
    else if (theirs < PROTOCOL)
      verdict = "the server is older than this plugin, install TaskLens " + ours;
    Notices.warning(
        verdict + "; until then some commands may fail (plugin " + ours + ": protocol " + PROTOCOL
            + "; " + program + ", " + Json.text(about, "name") + " " + Json.text(about, "version")
            + ": " + (theirs < 0 ? "no number of a protocol" : "protocol " + theirs) + ")");
  }

  private static void message(int type, String text) {
    if (type == MESSAGE_ERROR) Notices.error(text);
    else if (type == MESSAGE_WARNING) Notices.warning(text);
    else Notices.info(text);
  }

  @Override
  public CompletableFuture<JsonElement> requested(String method, JsonObject params) {
    switch (method) {
      case "window/showDocument":
        return SourceEditors.show(params)
            .thenApply(shown -> Json.of("success", shown));
      case "window/workDoneProgress/create":
        TaskLens.progress().create(params);
        return nothing();
      case "workspace/codeLens/refresh":
        TaskLens.sites().refreshAll();
        Relay.refresh(method);
        return nothing();
      case "client/registerCapability", "client/unregisterCapability":
        return nothing();
      default:
        return null;
    }
  }

  private static CompletableFuture<JsonElement> nothing() {
    return CompletableFuture.completedFuture(JsonNull.INSTANCE);
  }

  @Override
  public void ended() {
    if (TaskLens.get() == null) return; // with the workbench
    TaskLens.progress().endAll();
    TaskLens.runs().serverEnded();
    TaskLens.documents().closed();
  }

  @Override
  public void crashed(String why) {
    long now = System.nanoTime();
    if (restarts == 0 || now - firstCrashNs > ROW_NS) {
      restarts = 0;
      firstCrashNs = now;
    }
    String what = "the server ended unexpectedly (" + why + ")";
    if (++restarts > MAX_RESTARTS) {
      TaskLens.traces().lost();
      Notices.error(what + " for the " + restarts
          + "th time within a minute; the next command starts it again");
      return;
    }
    TaskLens.server()
        .request("tasklens/traces", new JsonObject())
        .whenComplete(
            (answer, failure) -> {
              if (failure == null) Notices.warning(what + " and was started again");
              else {
                TaskLens.traces().lost();
                Notices.error(
                    what + " and does not start again: " + ServerError.messageOf(failure));
              }
            });
  }
}
