// SPDX-License-Identifier: Apache-2.0
package org.tasklens.eclipse.tests;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.eclipse.swt.widgets.Button;
import org.eclipse.swt.widgets.Text;
import org.tasklens.eclipse.views.Perspective;

/** What several tests do. */
final class Steps {
  private Steps() {}

  /** A project with the source of the cholesky example; answers the source. */
  static Path cholesky(Bench bench) throws Exception {
    return source(bench, "cholesky", "examples/cholesky.c");
  }

  /** A project with a source at the place that the compiler was told. */
  static Path source(Bench bench, String project, String path) throws Exception {
    Path source = copy(bench, project, path);
    bench.project(project, bench.work.resolve(project));
    return source;
  }

  /** The source alone, in a folder that belongs to no project. */
  static Path copy(Bench bench, String folder, String path) throws IOException {
    Path source = bench.work.resolve(folder).resolve(path);
    Files.createDirectories(source.getParent());
    Files.write(source, Files.readAllBytes(bench.data.resolve(path)));
    return source;
  }

  /** Runs a program by the button and the dialog; answers when Run was clicked. */
  static long runTraced(Bench bench, Path program, String arguments) throws Exception {
    bench.clickTool("Run Traced");
    return answerDialog(bench, program, arguments);
  }

  static long answerDialog(Bench bench, Path program, String arguments) throws Exception {
    bench.until("the dialog's field",
        ()
            -> bench.controls(Text.class)
                   .stream()
                   .anyMatch(field
                       -> field.isFocusControl()
                           && field.getShell().getText().equals("Run Traced")));
    bench.press("ctrl+a");
    bench.type(program.toString());
    bench.press("Tab", "Tab", "ctrl+a", "BackSpace");
    if (!arguments.isEmpty()) bench.type(arguments);
    Callable<Bench.Spot> run = ()
        -> bench.controls(Button.class)
               .stream()
               .filter(button -> button.getText().equals("Run") && button.isEnabled())
               .findFirst()
               .map(bench::spotOf)
               .orElse(null);
    bench.until("the dialog's enabled button", run);
    bench.trySnap("dialog");
    return bench.click("the dialog's button", run);
  }

  /** Says yes to the perspective that the first run offers. */
  static void openPerspective(Bench bench) throws Exception {
    bench.until("the question",
        ()
            -> bench.controls(Button.class)
                   .stream()
                   .anyMatch(
                       one -> one.getText().equals("Remember my decision") && one.getSelection()));
    bench.trySnap("offered");
    bench.clickButton("Yes");
    bench.until(
        "the perspective", () -> bench.page().getPerspective().getId().equals(Perspective.ID));
  }

  /** The number (from 1) of the first line that holds a text. */
  static int lineOf(Path source, String text) throws IOException {
    var lines = Files.readAllLines(source);
    for (int i = 0; i < lines.size(); ++i) if (lines.get(i).contains(text)) return i + 1;
    throw new AssertionError(source + " does not hold " + text);
  }
}
