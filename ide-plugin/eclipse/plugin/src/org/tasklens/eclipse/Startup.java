// SPDX-License-Identifier: Apache-2.0
package org.tasklens.eclipse;

import java.io.DataInputStream;
import java.io.IOException;
import java.net.URL;
import java.util.Collections;
import java.util.Enumeration;
import java.util.Set;
import java.util.TreeSet;
import org.eclipse.ui.IStartup;
import org.osgi.framework.FrameworkUtil;
import org.tasklens.eclipse.ui.Ui;

/**
 * Starts the bundle with the workbench, so that it sees the editors that open. Loads its classes
 * and the classes that they name, off the UI thread, so that no click has to wait for class
 * loading.
 */
public final class Startup implements IStartup {
  private static final String PACKAGES = "/org/tasklens";

  private record Sample(String text, int small, long number, double real, Object other) {}

  @Override
  public void earlyStartup() {
    Enumeration<URL> found =
        FrameworkUtil.getBundle(Startup.class).findEntries(PACKAGES, "*.class", true);
    if (found == null) return;
    useRecords();
    Set<String> named = new TreeSet<>();
    for (URL one : Collections.list(found)) {
      try (DataInputStream in = new DataInputStream(one.openStream())) {
        named.addAll(classesNamedIn(in));
      } catch (IOException e) {
        Ui.log(one + " cannot be read", e);
      }
    }
    for (String name : named) {
      try {
        // Classes of other plugins are initialised on their first use: some must run on the UI
        // thread.
        boolean isOurs = name.startsWith(Startup.class.getPackageName());
        Class.forName(name, isOurs, Startup.class.getClassLoader());
      } catch (ClassNotFoundException | LinkageError e) {
        // A class that is not installed is not used. A missing class of ours is reported when it is
        // used.
      }
    }
  }

  // Makes the virtual machine generate its code for comparing and printing records.
  private static int useRecords() {
    Sample one = new Sample("a", 1, 1, 1, null);
    Sample other = new Sample("a", 1, 1, 1, null);
    return one.equals(other) ? one.hashCode() : other.toString().length();
  }

  // The constant pool of a class file names the classes that it uses, see chapter 4.4 of the Java
  // Virtual Machine Specification.
  private static Set<String> classesNamedIn(DataInputStream in) throws IOException {
    final int utf8 = 1, klass = 7;
    in.readInt(); // the magic number
    in.readInt(); // the version
    int count = in.readUnsignedShort();
    String[] texts = new String[count];
    Set<Integer> names = new TreeSet<>();
    for (int i = 1; i < count; ++i) {
      int tag = in.readUnsignedByte();
      switch (tag) {
        case utf8 -> texts[i] = in.readUTF();
        case klass -> names.add(in.readUnsignedShort());
        case 8, 16, 19, 20 -> in.readUnsignedShort(); // String, MethodType, Module, Package
        case 15 -> in.skipNBytes(3); // MethodHandle
        case 5, 6 -> { // Long and Double take two entries
          in.readLong();
          ++i;
        }
        default -> in.readInt(); // numbers, members, and references to them
      }
    }
    Set<String> found = new TreeSet<>();
    for (int at : names)
      if (texts[at] != null && !texts[at].startsWith("[")) found.add(texts[at].replace('/', '.'));
    return found;
  }
}
