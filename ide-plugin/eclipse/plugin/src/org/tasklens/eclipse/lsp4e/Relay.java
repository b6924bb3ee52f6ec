// SPDX-License-Identifier: Apache-2.0
package org.tasklens.eclipse.lsp4e;

import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.tasklens.eclipse.model.Site;
import org.tasklens.eclipse.rpc.Connection;
import org.tasklens.eclipse.rpc.Json;
import org.tasklens.eclipse.ui.Ui;

/**
 * LSP4E's share of the one server, which knows the open traces: requests go there, and what this
 * plugin does itself (the life of the server, documents, advice) stays here. Any thread.
 */
final class Relay implements Connection.Peer {
  // Advice comes as markers with fixes of their own.
  private static final List<String> OURS = List.of("codeActionProvider", "diagnosticProvider");

  private final Relays all;
  private final Pipe fromLsp4e = new Pipe();
  private final Pipe toLsp4e = new Pipe();
  private volatile Connection connection;

  Relay(Relays all) {
    this.all = all;
  }

  void start() {
    connection = new Connection(fromLsp4e.in, toLsp4e.out, this);
    all.add(this);
  }

  void stop() {
    all.remove(this);
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

  void refresh(String method) {
    connection.request(method, JsonNull.INSTANCE);
  }

  @Override
  public void notified(String method, JsonObject params) {
    if (method.equals("exit")) stop();
    // Documents and settings: the server has them from us.
  }

  @Override
  public CompletableFuture<JsonElement> requested(String method, JsonObject params) {
    return switch (method) {
      case "initialize" -> all.server().initialized().thenApply(Relay::withoutOurs);
      case "shutdown" -> CompletableFuture.completedFuture(JsonNull.INSTANCE);
      case "workspace/executeCommand" -> execute(params);
      default -> all.server().request(method, params);
    };
  }

  private static JsonElement withoutOurs(JsonObject answer) {
    JsonObject copy = answer.deepCopy();
    JsonObject capabilities = Json.object(copy, "capabilities");
    if (capabilities != null) OURS.forEach(capabilities::remove);
    return copy;
  }

  // Lenses: what they show or run, this plugin shows and runs.
  private CompletableFuture<JsonElement> execute(JsonObject params) {
    List<JsonObject> arguments = Json.objects(params, "arguments");
    JsonObject first = arguments.isEmpty() ? new JsonObject() : arguments.get(0);
    switch (Json.text(params, "command")) {
      case "tasklens.showSite" -> {
        Site site = Site.of(Json.text(first, "trace"), (int) Json.number(first, "site", -1));
        Ui.later(() -> all.lights().showSite(site));
        return CompletableFuture.completedFuture(JsonNull.INSTANCE);
      }
      case "tasklens.run" -> {
        CompletableFuture.runAsync(() -> all.runs().start(first));
        return CompletableFuture.completedFuture(JsonNull.INSTANCE);
      }
      default -> {
        return all.server().request("workspace/executeCommand", params);
      }
    }
  }

  @Override
  public void ended() {
    stop();
  }
}
