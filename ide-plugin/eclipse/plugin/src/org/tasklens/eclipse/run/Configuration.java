// SPDX-License-Identifier: Apache-2.0
package org.tasklens.eclipse.run;

import com.google.gson.JsonObject;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.tasklens.eclipse.TaskLens;
import org.tasklens.eclipse.server.Json;

/**
 * A launch configuration of the project, from {@code .tasklens/launch.json}.
 *
 * @param problem why it cannot be used; empty: it can
 */
public record Configuration(String name, String commandLine, String problem) {
  /** What the server knows. Any thread. */
  public static CompletableFuture<List<Configuration>> ask() {
    return TaskLens.server()
        .request("tasklens/configurations", new JsonObject())
        .thenApply(answer
            -> Json.objects(answer.getAsJsonObject(), "configurations")
                   .stream()
                   .map(Configuration::of)
                   .toList());
  }

  private static Configuration of(JsonObject row) {
    JsonObject written = Json.object(row, "configuration");
    List<String> arguments = Json.texts(written, "arguments");
    return new Configuration(Json.text(row, "name"),
        String.join(" ", Json.text(written, "program"), String.join(" ", arguments)).strip(),
        Json.text(row, "problem"));
  }

  /** Builds and runs it traced. Any thread. */
  public void run() {
    JsonObject params = Json.of("configuration", name);
    CompletableFuture.runAsync(() -> TaskLens.runs().start(params));
  }
}
