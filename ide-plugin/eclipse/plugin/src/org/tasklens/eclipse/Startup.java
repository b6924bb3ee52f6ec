// SPDX-License-Identifier: Apache-2.0
package org.tasklens.eclipse;

import java.net.URL;
import java.util.Collections;
import java.util.Enumeration;
import org.eclipse.ui.IStartup;

/**
 * Starts the bundle with the workbench, so that it sees the editors that open; and loads its
 * classes here, off the UI thread, so that no click has to wait for that.
 */
public final class Startup implements IStartup {
  private static final String PACKAGES = "/org/tasklens";

  @Override
  public void earlyStartup() {
    Enumeration<URL> classes = TaskLens.get().getBundle().findEntries(PACKAGES, "*.class", true);
    if (classes == null) return;
    for (URL one : Collections.list(classes)) {
      String path = one.getPath();
      String name = path.substring(1, path.length() - ".class".length()).replace('/', '.');
      try {
        Class.forName(name, true, Startup.class.getClassLoader());
      } catch (ClassNotFoundException | LinkageError e) {
        TaskLens.log(name + " cannot be loaded", e);
      }
    }
  }
}
