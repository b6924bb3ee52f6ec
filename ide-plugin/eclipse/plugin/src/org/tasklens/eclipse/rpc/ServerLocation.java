// SPDX-License-Identifier: Apache-2.0
package org.tasklens.eclipse.rpc;

import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;

/** Finds the program {@code tasklens}. */
public final class ServerLocation {
  private ServerLocation() {}

  /**
   * Returns the absolute path of the server.
   *
   * @param configured the path in the preferences; empty for none
   * @param searchPath the environment variable PATH
   * @throws ServerError if there is none; says what to do
   */
  public static Path find(String configured, String searchPath) throws ServerError {
    if (!configured.isBlank()) {
      Path path = program(configured.strip(), "");
      if (path != null) return path;
      throw missing(configured.strip() + " (from the preferences) is not a program");
    }
    for (String folder : searchPath == null ? new String[0] : searchPath.split(":")) {
      Path path = folder.startsWith("/") ? program(folder, "tasklens") : null;
      if (path != null) return path;
    }
    throw missing("the program tasklens is not in PATH");
  }

  private static Path program(String folder, String name) {
    try {
      Path path = Path.of(folder, name).toAbsolutePath();
      return Files.isRegularFile(path) && Files.isExecutable(path) ? path : null;
    } catch (InvalidPathException e) {
      return null;
    }
  }

  private static ServerError missing(String what) {
    return new ServerError(
        0, what + "; install TaskLens, or set its path in Window > Preferences > TaskLens");
  }
}
