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
 * Connects LSP4E to the single server, which has the open traces. Forwards requests to the server;
 * handles what this plugin does itself (the server's life cycle, documents, advice). Any thread.
 */
final class Relay implements Connection.Peer {
  // Advice is shown as markers with fixes of their own.
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

  /** The stream that LSP4E reads. */
  InputStream input() {
    return toLsp4e.in;
  }

  /** The stream that LSP4E writes. */
  OutputStream output() {
    return fromLsp4e.out;
  }

  void refresh(String method) {
    connection.request(method, JsonNull.INSTANCE);
  }

  @Override
  public void notified(String method, JsonObject params) {
    if (method.equals("exit")) stop();
    // Documents and settings: the plugin sends them to the server itself.
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

  // The commands of lenses are executed by this plugin.
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
