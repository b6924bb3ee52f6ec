// SPDX-License-Identifier: Apache-2.0
package org.tasklens.eclipse.model;

import com.google.gson.JsonObject;
import java.util.List;
import org.tasklens.eclipse.rpc.Json;

/** A trace that is open in the server: the answer of {@code tasklens/openTrace}. */
public record Trace(
    String id,
    String title,
    List<String> paths,
    long tasks,
    long dependencies,
    long workers,
    long sites,
    double zeroNs,
    double spanNs,
    double efficiency,
    double read,
    List<String> problems) {

  static Trace of(JsonObject contents) {
    List<String> problems =
        Json.objects(contents, "diagnostics").stream()
            .map(
                one ->
                    Text.count(Json.number(one, "count", 1))
                        + " × "
                        + Json.text(one, "kind")
                        + ": "
                        + Json.text(one, "text"))
            .toList();
    return new Trace(
        Json.text(contents, "trace"),
        Text.oneLine(Json.text(contents, "title")),
        Json.texts(contents, "paths"),
        Json.number(contents, "tasks", 0),
        Json.number(contents, "dependencies", 0),
        Json.number(contents, "workers", 0),
        Json.number(contents, "sites", 0),
        Json.real(contents, "zeroNs", 0),
        Json.real(contents, "spanNs", -1),
        Json.real(contents, "efficiency", -1),
        Json.real(contents, "read", 1),
        problems);
  }

  /** The folder of its first file. */
  public String folder() {
    String path = paths.isEmpty() ? "" : paths.get(0);
    int slash = path.lastIndexOf('/');
    return slash > 0 ? path.substring(0, slash) : "";
  }

  /** Reports problems; none are known while the rest of a trace is being read. */
  public void tellProblems(Messages messages) {
    for (String problem : problems) messages.warning(title + ": " + problem);
  }

  public String summary() {
    return Text.counted(tasks, "task")
        + " on "
        + Text.counted(workers, "worker")
        + " in "
        + Text.duration(spanNs)
        + (read < 1 ? " (in the first " + Text.percent(read) + " of the trace)" : "");
  }
}
