// SPDX-License-Identifier: Apache-2.0
package org.tasklens.eclipse.model;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.tasklens.eclipse.rpc.Json;
import org.tasklens.eclipse.rpc.Requests;

/** Kept runs and launch configurations of the project, from the server. Any thread. */
public record Project(Requests server) {
  /** The newest first. */
  public CompletableFuture<List<KeptRun>> keptRuns() {
    return list("tasklens/runs", "runs", KeptRun::of);
  }

  public CompletableFuture<List<Configuration>> configurations() {
    return list("tasklens/configurations", "configurations", Configuration::of);
  }

  private <T> CompletableFuture<List<T>> list(
      String method, String member, Function<JsonObject, T> read) {
    return server.request(method, new JsonObject())
        .thenApply(
            answer -> Json.objects(answer.getAsJsonObject(), member).stream().map(read).toList());
  }

  /** An empty name removes the name. */
  public CompletableFuture<JsonElement> rename(KeptRun run, String newName) {
    return server.request("tasklens/renameRun", Json.of("kept", run.id(), "name", newName));
  }

  /** Also deletes its traces from the disk. */
  public CompletableFuture<JsonElement> delete(KeptRun run) {
    return server.request("tasklens/deleteRun", Json.of("kept", run.id()));
  }
}
