// SPDX-License-Identifier: Apache-2.0
package org.tasklens.eclipse.tests;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The cases of a test. Each reports by itself, also in Bazel's test.xml: where one fails the others
 * run all the same, and one that waits for what does not come is given up in time for the others.
 */
final class Cases {
  /** What throws something has failed. */
  interface Body {
    void run() throws Exception;
  }

  private record Case(String name, Body before, Body body) {}

  private record Ended(String name, Throwable failure) {}

  private final Bench bench;
  private final List<Case> cases = new ArrayList<>();
  private final List<Ended> ended = new ArrayList<>();
  private Body before = () -> {};

  Cases(Bench bench) {
    this.bench = bench;
  }

  /** Brings the workbench into a known state before each case that is added from here on. */
  void beforeEach(Body body) {
    before = body;
  }

  void add(String name, Body body) {
    cases.add(new Case(name, before, body));
  }

  /** Runs all of them, in the order in which they were added; answers how many failed. */
  long run() throws IOException {
    long ends = Long.getLong("tasklens.ends", Long.MAX_VALUE / 1_000_000) * 1000;
    for (Case one : cases) {
      // It has no limit of its own, but half of the time that Bazel gives is left to the others.
      bench.givesUpAt = (System.currentTimeMillis() + ends) / 2;
      ended.add(new Ended(one.name, failureOf(one)));
      write(); // what is known, should the next one not end
    }
    return ended.stream().filter(one -> one.failure != null).count();
  }

  private Throwable failureOf(Case one) {
    System.out.println("case: " + one.name);
    try {
      one.before.run();
      one.body.run();
      System.out.println("passed: " + one.name);
      return null;
    } catch (Throwable failure) {
      System.out.println("FAILED: " + one.name + ": " + failure.getMessage());
      failure.printStackTrace();
      bench.trySnap("failed_" + (ended.size() + 1));
      return failure;
    }
  }

  private void write() throws IOException {
    String path = System.getProperty("tasklens.cases", "");
    if (path.isEmpty()) return;
    StringBuilder text = new StringBuilder("<testsuite>\n");
    for (Ended one : ended) {
      text.append("<testcase name=\"").append(escaped(one.name)).append("\">");
      if (one.failure != null)
        text.append("<failure message=\"").append(escaped("" + one.failure)).append("\"/>");
      text.append("</testcase>\n");
    }
    Files.writeString(Path.of(path), text.append("</testsuite>\n"));
  }

  private static String escaped(String text) {
    return text.replace("&", "&amp;")
        .replace("<", "&lt;")
        .replace("\"", "&quot;")
        .replaceAll("\\p{Cntrl}", " ");
  }
}
