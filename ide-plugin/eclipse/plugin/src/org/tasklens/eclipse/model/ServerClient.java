// SPDX-License-Identifier: Apache-2.0
package org.tasklens.eclipse.model;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Function;
import org.tasklens.eclipse.rpc.Json;
import org.tasklens.eclipse.rpc.LanguageServer;
import org.tasklens.eclipse.rpc.ServerError;
import org.tasklens.eclipse.rpc.ServerLocation;

/**
 * The client's side of the server: describes the workbench to the server, dispatches its messages,
 * and restarts it when it ends. Any thread; register all handlers before the first request.
 */
public final class ServerClient implements LanguageServer.Client {
  /** The workbench's answers for a server. Any thread. */
  public interface Workbench {
    /** The path of the program; empty: search PATH. */
    String serverPath();

    /** As LSP's {@code WorkspaceFolder[]}. */
    JsonArray folders();

    /** See protocol.md. */
    JsonObject settings();

    String pluginVersion();
  }

  private static final int PROTOCOL = 1; // as described in protocol.md
  private static final int MESSAGE_ERROR = 1;
  private static final int MESSAGE_WARNING = 2;
  private static final int MESSAGE_INFO = 3;
  // After this many crashes in a row the server is not restarted until the next request.
  private static final int MAX_RESTARTS = 3;
  private static final long ROW_NS = 60_000_000_000L;

  private final Workbench workbench;
  private final Messages messages;
  private final Map<String, Consumer<JsonObject>> takers = new ConcurrentHashMap<>();
  private final Map<String, Function<JsonObject, CompletableFuture<JsonElement>>> answerers =
      new ConcurrentHashMap<>();
  private final List<BiConsumer<String, JsonObject>> readers = new CopyOnWriteArrayList<>();
  private final List<Runnable> onStart = new CopyOnWriteArrayList<>();
  private final List<Runnable> onEnd = new CopyOnWriteArrayList<>();
  private final List<Runnable> onLoss = new CopyOnWriteArrayList<>();

  private volatile Path program; // the program started last
  private int restarts;
  private long firstCrashNs;

  public ServerClient(Workbench workbench, Messages messages) {
    this.workbench = workbench;
    this.messages = messages;
    on("window/showMessage", this::say);
    answer("client/registerCapability", params -> nothing());
    answer("client/unregisterCapability", params -> nothing());
  }

  // --- Handlers of messages

  /** Registers the handler of one notification method. */
  public void on(String method, Consumer<JsonObject> taker) {
    takers.put(method, taker);
  }

  /** Registers a reader of all notifications. */
  public void onAll(BiConsumer<String, JsonObject> reader) {
    readers.add(reader);
  }

  /** Registers the handler of one request method. */
  public void answer(String method, Function<JsonObject, CompletableFuture<JsonElement>> answerer) {
    answerers.put(method, answerer);
  }

  /** Called when a server has started. */
  public void onStart(Runnable body) {
    onStart.add(body);
  }

  /** Called when the server has ended, for any reason. */
  public void onEnd(Runnable body) {
    onEnd.add(body);
  }

  /** Called when the server has ended and is not restarted. */
  public void onLoss(Runnable body) {
    onLoss.add(body);
  }

  /** An answer without data. */
  public static CompletableFuture<JsonElement> nothing() {
    return CompletableFuture.completedFuture(JsonNull.INSTANCE);
  }

  // --- LanguageServer.Client

  @Override
  public Path program() throws ServerError {
    program = ServerLocation.find(workbench.serverPath(), System.getenv("PATH"));
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
                    "hover", Json.of("contentFormat", List.of("plaintext", "markdown")),
                    "publishDiagnostics", Json.of("relatedInformation", false),
                    "codeAction",
                        Json.of(
                            "codeActionLiteralSupport",
                            Json.of(
                                "codeActionKind", Json.of("valueSet", List.of("quickfix"))))),
            "general", Json.of("positionEncodings", List.of("utf-16")),
            "experimental", Json.of("tasklens", Json.of("version", PROTOCOL)));
    JsonArray folders = workbench.folders();
    return Json.of(
        "processId", ProcessHandle.current().pid(),
        "clientInfo", Json.of("name", "Eclipse"),
        "rootUri", folders.isEmpty() ? null : folders.get(0).getAsJsonObject().get("uri"),
        "workspaceFolders", folders,
        "capabilities", capabilities,
        "initializationOptions", workbench.settings());
  }

  @Override
  public void started(LanguageServer server) {
    server.initialized().thenAccept(this::tellMisfit);
    onStart.forEach(Runnable::run);
  }

  @Override
  public void notified(String method, JsonObject params) {
    for (BiConsumer<String, JsonObject> one : readers) one.accept(method, params);
    Consumer<JsonObject> taker = takers.get(method);
    if (taker != null) taker.accept(params); // later servers may send more methods
  }

  @Override
  public CompletableFuture<JsonElement> requested(String method, JsonObject params) {
    Function<JsonObject, CompletableFuture<JsonElement>> answerer = answerers.get(method);
    return answerer == null ? null : answerer.apply(params);
  }

  @Override
  public void ended() {
    onEnd.forEach(Runnable::run);
  }

  @Override
  public void crashed(LanguageServer server, String why) {
    long now = System.nanoTime();
    if (restarts == 0 || now - firstCrashNs > ROW_NS) {
      restarts = 0;
      firstCrashNs = now;
    }
    String what = "the server ended unexpectedly (" + why + ")";
    if (++restarts > MAX_RESTARTS) {
      onLoss.forEach(Runnable::run);
      messages.error(what + " for the " + restarts
          + "th time within a minute; the next command starts it again");
      return;
    }
    server
        .request("tasklens/traces", new JsonObject())
        .whenComplete(
            (answer, failure) -> {
              if (failure == null) messages.warning(what + " and was started again");
              else {
                onLoss.forEach(Runnable::run);
                messages.error(
                    what + " and does not start again: " + ServerError.messageOf(failure));
              }
            });
  }

  // Reports that the server has another protocol version than this plugin.
  private void tellMisfit(JsonObject initialized) {
    JsonObject experimental =
        Json.object(Json.object(initialized, "capabilities"), "experimental");
    long theirs = Json.number(Json.object(experimental, "tasklens"), "version", -1);
    if (theirs == PROTOCOL) return;
    JsonObject about = Json.object(initialized, "serverInfo");
    String ours = workbench.pluginVersion();
    String verdict = "this plugin is older than the server, update it";
    if (theirs < 0)
      verdict = "the server may not fit, install TaskLens " + ours
          + " or set its path in Window > Preferences > TaskLens";
    else if (theirs < PROTOCOL)
      verdict = "the server is older than this plugin, install TaskLens " + ours;
    messages.warning(
        verdict + "; until then some commands may fail (plugin " + ours + ": protocol " + PROTOCOL
            + "; " + program + ", " + Json.text(about, "name") + " " + Json.text(about, "version")
            + ": " + (theirs < 0 ? "no protocol version" : "protocol " + theirs) + ")");
  }

  private void say(JsonObject params) {
    int type = (int) Json.number(params, "type", MESSAGE_INFO);
    String text = Json.text(params, "message");
    if (type == MESSAGE_ERROR) messages.error(text);
    else if (type == MESSAGE_WARNING) messages.warning(text);
    else messages.info(text);
  }
}
