// SPDX-License-Identifier: Apache-2.0
package org.tasklens.eclipse.run;

import com.google.gson.JsonObject;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.eclipse.debug.core.DebugPlugin;
import org.tasklens.eclipse.Text;
import org.tasklens.eclipse.preferences.Settings;
import org.tasklens.eclipse.server.Json;

/** What to run. {@code directory} may be empty: then the program's own folder. */
public record Program(
    String path, List<String> arguments, Map<String, String> environment, String directory) {

  /** Arguments as people type them, with quotes. */
  public static Program of(
      String path, String arguments, Map<String, String> environment, String directory) {
    return new Program(
        path, List.of(DebugPlugin.parseArguments(arguments)), environment, directory);
  }

  public String name() {
    return Text.fileName(path);
  }

  public String folder() {
    if (!directory.isBlank()) return directory;
    int slash = path.lastIndexOf('/');
    return slash > 0 ? path.substring(0, slash) : "/";
  }

  /** The parameters of {@code tasklens/run}. */
  public JsonObject toParams() {
    Map<String, String> all = new LinkedHashMap<>(Settings.runEnvironment());
    all.putAll(environment);
    return Json.of(
        "program", path, "arguments", arguments, "environment", all, "workingDirectory", folder());
  }
}
