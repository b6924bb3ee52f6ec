// SPDX-License-Identifier: Apache-2.0
package org.tasklens.eclipse.model;

import com.google.gson.JsonObject;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.tasklens.eclipse.rpc.Json;

/** A program to run. An empty {@code directory} means the program's own folder. */
public record Program(
    String path, List<String> arguments, Map<String, String> environment, String directory) {

  private String folder() {
    if (!directory.isBlank()) return directory;
    int slash = path.lastIndexOf('/');
    return slash > 0 ? path.substring(0, slash) : "/";
  }

  /**
   * The parameters of {@code tasklens/run}. {@code ofEveryRun}: variables that its own override.
   */
  JsonObject toParams(Map<String, String> ofEveryRun) {
    Map<String, String> all = new LinkedHashMap<>(ofEveryRun);
    all.putAll(environment);
    return Json.of(
        "program", path, "arguments", arguments, "environment", all, "workingDirectory", folder());
  }
}
