// SPDX-License-Identifier: Apache-2.0
package org.tasklens.eclipse.lsp4e;

import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArraySet;
import org.tasklens.eclipse.TaskLens;
import org.tasklens.eclipse.Ui;
import org.tasklens.eclipse.editors.Site;
import org.tasklens.eclipse.server.Connection;
import org.tasklens.eclipse.server.Json;
import org.tasklens.eclipse.views.Views;

/**
 * LSP4E's share of the one server, which knows the open traces: requests go there, and what this
 * plugin does itself (the life of the server, documents, advice) stays here. Any thread.
 */
public final class Relay implements Connection.Peer {
  // Advice comes as markers with fixes of their own.
  private static final List<String> OURS = List.of("codeActionProvider", "diagnosticProvider");
  private static final Set<Relay> ALL = new CopyOnWriteArraySet<>();

  private final Pipe fromLsp4e = new Pipe();
  private final Pipe toLsp4e = new Pipe();
  private Connection connection;

  void start() {
    connection = new Connection(fromLsp4e.in, toLsp4e.out, this);
    ALL.add(this);
  }

  void stop() {
    ALL.remove(this);
    if (connection != null) connection.close();
  }

  /** What LSP4E reads. */
  InputStream input() {
    return toLsp4e.in;
  }

  /** What LSP4E writes. */
  OutputStream output() {
    return fromLsp4e.out;
  }

  /** The server wants lenses or the like to be asked for again. */
  public static void refresh(String method) {
    for (Relay one : ALL) one.connection.request(method, JsonNull.INSTANCE);
  }

  @Override
  public void notified(String method, JsonObject params) {
    if (method.equals("exit")) stop();
    // Documents and settings: the server has them from us.
  }

  @Override
  public CompletableFuture<JsonElement> requested(String method, JsonObject params) {
    return switch (method) {
      case "initialize" -> TaskLens.server().initialized().thenApply(Relay::withoutOurs);
      case "shutdown" -> CompletableFuture.completedFuture(JsonNull.INSTANCE);
      case "workspace/executeCommand" -> execute(params);
      default -> TaskLens.server().request(method, params);
    };
  }

  private static JsonElement withoutOurs(JsonObject answer) {
    JsonObject copy = answer.deepCopy();
    JsonObject capabilities = Json.object(copy, "capabilities");
    if (capabilities != null) OURS.forEach(capabilities::remove);
    return copy;
  }

  // Lenses: what they show or run, this plugin shows and runs.
  private static CompletableFuture<JsonElement> execute(JsonObject params) {
    List<JsonObject> arguments = Json.objects(params, "arguments");
    JsonObject first = arguments.isEmpty() ? new JsonObject() : arguments.get(0);
    switch (Json.text(params, "command")) {
      case "tasklens.showSite" -> {
        Site site = Site.of(Json.text(first, "trace"), (int) Json.number(first, "site", -1));
        Ui.later(() -> Views.showSite(site));
        return CompletableFuture.completedFuture(JsonNull.INSTANCE);
      }
      case "tasklens.run" -> {
        CompletableFuture.runAsync(() -> TaskLens.runs().start(first));
        return CompletableFuture.completedFuture(JsonNull.INSTANCE);
      }
      default -> {
        return TaskLens.server().request("workspace/executeCommand", params);
      }
    }
  }

  @Override
  public void ended() {
    stop();
  }
}
