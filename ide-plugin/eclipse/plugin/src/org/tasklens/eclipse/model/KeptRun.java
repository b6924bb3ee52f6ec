// SPDX-License-Identifier: Apache-2.0
package org.tasklens.eclipse.model;

import com.google.gson.JsonObject;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import org.tasklens.eclipse.rpc.Json;

/**
 * A run whose traces are in the project, from this session or an earlier one: a row of {@code
 * tasklens/runs}.
 *
 * @param trace the id of its trace if that is open, else empty
 */
public record KeptRun(String id, String name, String title, String directory, long startedNs,
    String message, String trace) {
  private static final DateTimeFormatter WHEN = DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss");

  static KeptRun of(JsonObject row) {
    return new KeptRun(Json.text(row, "kept"), Json.text(row, "name"), Json.text(row, "title"),
        Json.text(row, "directory"), Json.number(row, "startedNs", -1), Json.text(row, "message"),
        Json.text(row, "trace"));
  }

  /** The name for people. */
  public String label() {
    return name.isEmpty() ? title : name;
  }

  /** When it was started, for people; empty: unknown. */
  public String when() {
    if (startedNs < 0) return "";
    Instant moment = Instant.ofEpochSecond(0, startedNs);
    return WHEN.format(moment.atZone(ZoneId.systemDefault()));
  }
}
