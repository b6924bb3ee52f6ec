// SPDX-License-Identifier: Apache-2.0
package org.tasklens.eclipse.tests;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.tasklens.eclipse.views.Views;

/**
 * The main job: the cholesky example is run traced by a click, its graph appears, and a click on a
 * task of each kind marks it and puts the cursor on the line that submitted it; the cursor on a
 * line lights up its tasks. What the right line is, the source says.
 */
final class ProofTest implements Main.Scenario {
  @Override
  public String perspective() {
    return null;
  }

  @Override
  public void run(Bench bench) throws Exception {
    Path source = Steps.cholesky(bench);
    // As if it had just been made of that source.
    Path program = source.resolveSibling("cholesky");
    Files.copy(bench.data.resolve("examples/cholesky"), program);
    bench.snap("1_before");

    long clicked = Steps.runTraced(bench, Path.of("./examples/cholesky"), ""); // of the project
    Steps.openPerspective(bench);
    GraphPage.untilReady(bench);
    System.out.printf(
        "MEASURED click on Run to first picture: %.0f ms%n", (System.nanoTime() - clicked) / 1e6);
    bench.untilDrawn(Views.GRAPH);
    bench.snap("3_graph");

    GraphPage.showTasks(bench);
    int before = GraphPage.choices(bench);
    List<String> lines = Files.readAllLines(source);
    for (String name : List.of("potrf", "trsm", "syrk", "gemm")) {
      clicked = bench.click("a task of " + name, GraphPage.task(name));
      String caret = bench.until("the cursor on " + name, () -> {
        String at = bench.caret();
        if (!at.startsWith("cholesky.c:")) return null;
        String text = lines.get(Integer.parseInt(at.substring(at.indexOf(':') + 1)) - 1);
        return text.contains("starpu_task_insert(&" + name) ? at : null;
      });
      System.out.printf("MEASURED click on a task of %s to the cursor on %s: %.0f ms%n", name,
          caret, (System.nanoTime() - clicked) / 1e6);
      bench.untilAsked("the task of " + name + " marked", () -> name.equals(GraphPage.marked(bench)));
    }
    bench.untilDrawn(Views.GRAPH);
    bench.snap("4_clicked");

    int line = Steps.lineOf(source, "starpu_task_insert(&trsm");
    bench.click("the line of trsm", () -> bench.spotOf(bench.text(), "starpu_task_insert(&trsm"));
    String uri = source.toUri().toString();
    int site = bench.until("its site", () -> bench.plugin.sites.at(uri, line - 1)).site();
    bench.untilAsked("its tasks lit up", () -> GraphPage.isSiteChosen(bench, site));
    bench.untilDrawn(Views.GRAPH);
    bench.snap("5_lit");
    // The caret goes to a line because a task was clicked: no choice of its own.
    String choices = GraphPage.choicesAfter(bench, before);
    Bench.expect("potrf trsm syrk gemm line".equals(choices),
        "each click chose a task, and only the caret of the user a line: " + choices);
  }
}
