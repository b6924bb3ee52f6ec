// SPDX-License-Identifier: Apache-2.0
package org.tasklens.eclipse.model;

import java.util.Locale;

/** Formats numbers for people. */
public final class Text {
  private Text() {}

  /**
   * {@code 1_234_567} becomes {@code 1.23 ms}; a negative duration means "did not happen" and is
   * empty.
   */
  public static String duration(double ns) {
    if (ns < 0 || Double.isNaN(ns)) return "";
    if (ns >= 1e9) return number(ns / 1e9) + " s";
    if (ns >= 1e6) return number(ns / 1e6) + " ms";
    if (ns >= 1e3) return number(ns / 1e3) + " µs";
    return number(ns) + " ns";
  }

  private static String number(double value) {
    int digits = value >= 100 || value == Math.rint(value) ? 0 : value >= 10 ? 1 : 2;
    return String.format(Locale.ROOT, "%." + digits + "f", value);
  }

  public static String count(long value) {
    return String.format(Locale.ROOT, "%,d", value);
  }

  /** {@code 1 task}, {@code 2 tasks}. */
  public static String counted(long value, String noun) {
    return count(value) + " " + noun + (value == 1 ? "" : "s");
  }

  public static String percent(double share) {
    return String.format(Locale.ROOT, share < 0.1 ? "%.1f %%" : "%.0f %%", share * 100);
  }

  /** {@code 0.042}; a negative probability is unknown and is empty. */
  public static String probability(double p) {
    return p < 0 ? "" : String.format(Locale.ROOT, "%.3f", p);
  }

  /** The last part of a path. */
  public static String fileName(String path) {
    return path.substring(path.lastIndexOf('/') + 1);
  }

  /** Makes one line of printable text for a cell: names from a trace may contain any character. */
  public static String oneLine(String text) {
    StringBuilder line = new StringBuilder();
    text.codePoints()
        .limit(1000)
        .forEach(c -> line.appendCodePoint(Character.isISOControl(c) ? ' ' : c));
    return line.toString();
  }
}
