// SPDX-License-Identifier: Apache-2.0
package org.tasklens.eclipse.run;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.tasklens.eclipse.TaskLens;
import org.tasklens.eclipse.server.Json;

/**
 * A run whose traces lie in the project, from this session or an earlier one: a row of {@code
 * tasklens/runs}. Any thread.
 *
 * @param trace the id of its trace while that is open, else empty
 */
public record KeptRun(String id, String name, String title, String directory, long startedNs,
    String message, String trace) {
  private static final DateTimeFormatter WHEN = DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss");

  /** The newest first. */
  public static CompletableFuture<List<KeptRun>> ask() {
    return TaskLens.server()
        .request("tasklens/runs", new JsonObject())
        .thenApply(answer
            -> Json.objects(answer.getAsJsonObject(), "runs").stream().map(KeptRun::of).toList());
  }

  private static KeptRun of(JsonObject row) {
    return new KeptRun(Json.text(row, "kept"), Json.text(row, "name"), Json.text(row, "title"),
        Json.text(row, "directory"), Json.number(row, "startedNs", -1), Json.text(row, "message"),
        Json.text(row, "trace"));
  }

  /** What people know it by. */
  public String label() {
    return name.isEmpty() ? title : name;
  }

  /** When it was started, for people; empty: unknown. */
  public String when() {
    if (startedNs < 0) return "";
    Instant moment = Instant.ofEpochSecond(0, startedNs);
    return WHEN.format(moment.atZone(ZoneId.systemDefault()));
  }

  public CompletableFuture<Trace> open() {
    return TaskLens.traces().open(List.of(directory));
  }

  public CompletableFuture<Trace> openWhole() {
    return TaskLens.traces().openWhole(List.of(directory));
  }

  /** Empty: takes the name away. */
  public CompletableFuture<JsonElement> rename(String newName) {
    return TaskLens.server().request("tasklens/renameRun", Json.of("kept", id, "name", newName));
  }

  /** Its traces go from the disk. */
  public CompletableFuture<JsonElement> delete() {
    return TaskLens.server().request("tasklens/deleteRun", Json.of("kept", id));
  }
}
