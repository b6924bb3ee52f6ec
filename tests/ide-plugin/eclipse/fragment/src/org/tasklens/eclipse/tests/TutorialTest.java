// SPDX-License-Identifier: Apache-2.0
package org.tasklens.eclipse.tests;

import com.google.gson.JsonObject;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.eclipse.core.resources.IResource;
import org.eclipse.core.resources.ResourcesPlugin;
import org.eclipse.swt.custom.StyledText;
import org.eclipse.swt.widgets.Control;
import org.eclipse.swt.widgets.Tree;
import org.eclipse.swt.widgets.TreeItem;
import org.eclipse.ui.texteditor.ITextEditor;
import org.tasklens.eclipse.markers.AdviceMarkers;
import org.tasklens.eclipse.model.Trace;
import org.tasklens.eclipse.rpc.Json;
import org.tasklens.eclipse.views.Views;

/** What docs/tutorial.md tells its reader to do, from the first click to the fault's end. */
final class TutorialTest implements Main.Scenario {
  private static final String RULE = "serial_chain";
  private static final String WRONG = "STARPU_RW";

  private Bench bench;

  @Override
  public String perspective() {
    return null;
  }

  @Override
  public void run(Bench bench) throws Exception {
    this.bench = bench;
    Path source = project();
    bench.chooseFromMenu("Run Traced"); // nothing is asked: the project says what to run
    Steps.openPerspective(bench);
    runUntilFound();
    int runs = bench.plugin.traces.open().size();
    int line = Steps.lineOf(source, "starpu_task_insert(&count");
    bench.until("the line to look at first", () -> bench.caret().equals("primes.c:" + line));
    bench.noticed("see the view Advice");
    GraphPage.untilReady(bench);
    String uri = source.toUri().toString();
    int site = bench.until("its site", () -> bench.plugin.sites.at(uri, line - 1)).site();
    bench.untilAsked("its tasks lit up in the graph", () -> GraphPage.isSiteChosen(bench, Views.GRAPH, site));
    bench.untilDrawn(Views.GRAPH);
    bench.snap("tutorial_run");

    bench.clickTab("Advice");
    Tree advice = bench.until("the table of advice", () -> bench.tree("Kind", "Could save"));
    bench.clickItem("the fault", advice, () -> finding(advice), 2);
    bench.until("the cursor on its line", () -> bench.caret().equals("primes.c:" + line));
    bench.untilDrawn(Views.GRAPH);
    bench.snap("tutorial_advice");
    Bench.expect(faults(bench.plugin.traces.current()) == 1, "the fault is found at its line");

    bench.click("the wrong word", () -> bench.spotOf(text(), WRONG + ", sum"));
    bench.press("Home");
    bench.until("the caret in its line", () -> text().getCaretOffset() < wordAt());
    int steps = bench.ui(() -> wordAt() - text().getCaretOffset());
    bench.xdotool("key", "--repeat", "" + steps, "--delay", "5", "Right");
    bench.until("the caret before it", () -> text().getCaretOffset() == wordAt());
    bench.xdotool("key", "--repeat", "" + WRONG.length(), "--delay", "5", "shift+Right");
    bench.until("the wrong word selected", () -> text().getSelectionText().equals(WRONG));
    bench.type("STARPU_REDUX");
    bench.until("the right word", () -> text().getText().contains("STARPU_REDUX, sum, 0)"));
    bench.press("ctrl+s");
    bench.until("it is saved", () -> Files.readString(source).contains("STARPU_REDUX, sum, 0)"));

    Trace before = bench.plugin.traces.current();
    bench.press("ctrl+5");
    bench.until("the second run", () -> bench.plugin.traces.open().size() == runs + 1);
    Trace after = bench.plugin.traces.current();
    GraphPage.untilReady(bench);
    Bench.expect(faults(after) == 0, "the fault is gone");
    // Of two workers. How long they took is up to what else the machine does.
    Bench.expect(before.efficiency() <= 0.5, "one task after the other");
    Bench.expect(after.efficiency() > 0.5, "tasks beside each other");
    bench.clickTab("Advice");
    bench.until("the table without it", () -> finding(advice) == null);
    bench.until("no marker of it", () -> markers(source) == 0);
    bench.untilDrawn(Views.GRAPH);
    bench.snap("tutorial_mended");
    System.out.printf(
        "MEASURED the run took %.1f ms before, %.1f ms after%n",
        before.spanNs() / 1e6, after.spanNs() / 1e6);

    bench.chooseFromMenu("Compare");
    Tree changes = bench.until("the comparison", () -> bench.tree("Line", "Verdict"));
    bench.until("its change", () -> changes.getItemCount() > 0);
    bench.snap("tutorial_compare");
  }

  // Where the machine held up one task for longer than all others took, that is the finding: once
  // more.
  private void runUntilFound() throws Exception {
    for (int tries = 1;; ++tries) {
      int runs = tries;
      bench.until("run " + tries,
          () -> bench.plugin.traces.open().size() == runs && !bench.plugin.runs.isRunning());
      if (tries == 5 || faults(bench.plugin.traces.current()) > 0) return;
      bench.press("ctrl+5");
    }
  }

  // A copy of the example as a project of the workbench; answers its source.
  private Path project() throws Exception {
    Path from = bench.data.resolve("examples/tutorial");
    Path folder = bench.work.resolve("tutorial");
    try (Stream<Path> files = Files.walk(from)) {
      for (Path one : (Iterable<Path>) files::iterator) {
        Path copy = folder.resolve(from.relativize(one).toString());
        if (Files.isDirectory(one)) Files.createDirectories(copy);
        else Files.write(copy, Files.readAllBytes(one));
      }
    }
    bench.project("tutorial", folder);
    return folder.resolve("primes.c");
  }

  private static TreeItem finding(Tree advice) {
    for (TreeItem item : advice.getItems()) if (item.getText(4).equals(RULE)) return item;
    return null;
  }

  // How many findings of the rule the server has.
  private long faults(Trace trace) throws Exception {
    var request = bench.plugin.server.request("tasklens/advice", Json.of("trace", trace.id()));
    JsonObject answer = bench.ended("the advice", request).getAsJsonObject();
    return Json.objects(answer, "findings").stream()
        .filter(one -> Json.text(one, "rule").equals(RULE))
        .count();
  }

  private long markers(Path source) throws Exception {
    var file = ResourcesPlugin.getWorkspace().getRoot().getProject("tutorial").getFile("primes.c");
    return Stream.of(file.findMarkers(AdviceMarkers.TYPE, false, IResource.DEPTH_ZERO))
        .filter(one -> one.getAttribute("message", "").contains("serial chain"))
        .count();
  }

  private StyledText text() {
    ITextEditor editor = bench.page().getActiveEditor().getAdapter(ITextEditor.class);
    return (StyledText) editor.getAdapter(Control.class);
  }

  private int wordAt() {
    return text().getText().indexOf(WRONG + ", sum");
  }
}
