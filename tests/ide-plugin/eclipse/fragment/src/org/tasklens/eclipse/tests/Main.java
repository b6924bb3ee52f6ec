// SPDX-License-Identifier: Apache-2.0
package org.tasklens.eclipse.tests;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.eclipse.ui.IStartup;
import org.eclipse.ui.PlatformUI;
import org.tasklens.eclipse.views.Perspective;

/** Runs the scenario that the property {@code tasklens.test} names, and closes the workbench. */
public final class Main implements IStartup {
  /** A test: of several cases, or one story whose steps cannot do without those before them. */
  interface Scenario {
    default void addTo(Cases cases, Bench bench) throws Exception {
      cases.add("all of it", () -> run(bench));
    }

    /** The perspective that it begins in; null: the workbench's own, as a new user has it. */
    default String perspective() {
      return Perspective.ID;
    }

    default void run(Bench bench) throws Exception {
      throw new UnsupportedOperationException("this scenario has cases");
    }
  }

  private static final Map<String, Scenario> SCENARIOS =
      Map.of(
          "lsp4e", new Lsp4eTest(),
          "proof", new ProofTest(),
          "views", new ViewsTest(),
          "faults", new FaultsTest(),
          "plain", new PlainTest(),
          "tutorial", new TutorialTest());

  @Override
  public void earlyStartup() {
    String name = System.getProperty("tasklens.test");
    if (name == null) return;
    new Thread(() -> run(name), "test " + name).start();
  }

  private static void run(String name) {
    String result = "passed";
    Bench bench = new Bench();
    try {
      bench.prepare(SCENARIOS.get(name).perspective());
      Cases cases = new Cases(bench);
      SCENARIOS.get(name).addTo(cases, bench);
      cases.beforeEach(() -> {});
      cases.add("the plugin did not hold the UI thread for long", bench.watch::check);
      long failed = cases.run();
      if (failed > 0) result = failed + " cases failed";
    } catch (Throwable failure) {
      failure.printStackTrace();
      bench.trySnap("failure");
      result = "failed: " + failure;
    }
    try {
      // The script sees to it that the server ends with the workbench.
      Files.writeString(bench.work.resolve("server.pid"), bench.plugin.server.pid() + "\n");
      Files.writeString(Path.of(System.getProperty("tasklens.result")), result + "\n");
    } catch (java.io.IOException e) {
      e.printStackTrace();
    }
    bench.display.asyncExec(() -> PlatformUI.getWorkbench().close());
  }
}
