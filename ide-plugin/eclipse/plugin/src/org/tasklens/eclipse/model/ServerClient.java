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
 * What the server is told of the workbench, where what it says goes, and what happens when it ends.
 * Any thread; who takes something is named before the server is first asked.
 */
public final class ServerClient implements LanguageServer.Client {
  /** The workbench, as far as a server asks for it. Any thread. */
  public interface Workbench {
    /** The program; empty: that of PATH. */
    String serverPath();

    /** As LSP's {@code WorkspaceFolder[]}. */
    JsonArray folders();

    /** See protocol.md. */
    JsonObject settings();

    String pluginVersion();
  }

  private static final int PROTOCOL = 1; // what protocol.md describes
  private static final int MESSAGE_ERROR = 1;
  private static final int MESSAGE_WARNING = 2;
  private static final int MESSAGE_INFO = 3;
  // Crashes in a row after which the server is left alone until it is asked for again.
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

  private volatile Path program; // that was started last
  private int restarts;
  private long firstCrashNs;

  public ServerClient(Workbench workbench, Messages messages) {
    this.workbench = workbench;
    this.messages = messages;
    on("window/showMessage", this::say);
    answer("client/registerCapability", params -> nothing());
    answer("client/unregisterCapability", params -> nothing());
  }

  // --- Who takes what

  /** Takes the notifications of one method. */
  public void on(String method, Consumer<JsonObject> taker) {
    takers.put(method, taker);
  }

  /** Reads all notifications. */
  public void onAll(BiConsumer<String, JsonObject> reader) {
    readers.add(reader);
  }

  /** Answers the requests of one method. */
  public void answer(String method, Function<JsonObject, CompletableFuture<JsonElement>> answerer) {
    answerers.put(method, answerer);
  }

  /** A server has started. */
  public void onStart(Runnable body) {
    onStart.add(body);
  }

  /** The server has ended, for whatever reason. */
  public void onEnd(Runnable body) {
    onEnd.add(body);
  }

  /** The server has ended, and none takes its place. */
  public void onLoss(Runnable body) {
    onLoss.add(body);
  }

  /** The answer that says no more than that it was understood. */
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
    if (taker != null) taker.accept(params); // later servers may say more
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

  // Where the server speaks another protocol than this plugin.
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
