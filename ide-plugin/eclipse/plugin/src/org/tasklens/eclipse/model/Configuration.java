// SPDX-License-Identifier: Apache-2.0
package org.tasklens.eclipse.model;

import com.google.gson.JsonObject;
import java.util.List;
import org.tasklens.eclipse.rpc.Json;

/**
 * A launch configuration of the project, from {@code .tasklens/launch.json}.
 *
 * @param problem why it cannot be used; empty if it can
 */
public record Configuration(String name, String commandLine, String problem) {
  static Configuration of(JsonObject row) {
    JsonObject written = Json.object(row, "configuration");
    List<String> arguments = Json.texts(written, "arguments");
    return new Configuration(Json.text(row, "name"),
        String.join(" ", Json.text(written, "program"), String.join(" ", arguments)).strip(),
        Json.text(row, "problem"));
  }

  /** The parameters of {@code tasklens/run} to build and run it traced. */
  public JsonObject toParams() {
    return Json.of("configuration", name);
  }
}
