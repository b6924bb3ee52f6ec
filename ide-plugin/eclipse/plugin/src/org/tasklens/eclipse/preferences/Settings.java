// SPDX-License-Identifier: Apache-2.0
package org.tasklens.eclipse.preferences;

import com.google.gson.JsonObject;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.eclipse.jface.preference.IPreferenceStore;
import org.tasklens.eclipse.rpc.Json;

/** The preferences by name. Any thread. */
public final class Settings {
  public static final String SERVER_PATH = "serverPath";
  public static final String SOURCE_ROOTS = "sourceRoots"; // separated as in PATH
  public static final String SILENCED_RULES = "silencedRules"; // separated by blanks
  public static final String RUN_ARGUMENTS = "run.arguments";
  public static final String RUN_ENVIRONMENT = "run.environment"; // NAME=VALUE, one a line
  public static final String SHOW_AFTER_RUN = "showAfterRun";
  /** {@code always}, {@code never}, or {@code prompt}, the values of MessageDialogWithToggle. */
  public static final String OPEN_PERSPECTIVE = "openPerspective";
  public static final String SHOW_MININGS = "showMinings";

  private final IPreferenceStore store;

  public Settings(IPreferenceStore store) {
    this.store = store;
  }

  public IPreferenceStore store() {
    return store;
  }

  public String serverPath() {
    return store.getString(SERVER_PATH);
  }

  public boolean showAfterRun() {
    return store.getBoolean(SHOW_AFTER_RUN);
  }

  public boolean showMinings() {
    return store.getBoolean(SHOW_MININGS);
  }

  public List<String> sourceRoots() {
    return words(store.getString(SOURCE_ROOTS), ":");
  }

  /** Variables for each traced run, which its own override. */
  public Map<String, String> runEnvironment() {
    return environment(store.getString(RUN_ENVIRONMENT));
  }

  /** The settings under the server's names, see protocol.md. */
  public JsonObject forServer() {
    return Json.of(
        "sourceRoots", sourceRoots(),
        "silencedRules", words(store.getString(SILENCED_RULES), "\\s+"));
  }

  /** Parses {@code A=1} lines into a map; ignores lines without a name before {@code =}. */
  public static Map<String, String> environment(String lines) {
    Map<String, String> found = new LinkedHashMap<>();
    for (String line : lines.split("\\R")) {
      int equals = line.indexOf('=');
      if (equals > 0) found.put(line.substring(0, equals).strip(), line.substring(equals + 1));
    }
    return found;
  }

  private static List<String> words(String text, String separator) {
    List<String> found = new ArrayList<>();
    for (String word : text.split(separator)) if (!word.isBlank()) found.add(word.strip());
    return found;
  }
}
