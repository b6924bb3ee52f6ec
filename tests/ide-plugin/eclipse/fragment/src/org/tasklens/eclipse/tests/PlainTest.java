// SPDX-License-Identifier: Apache-2.0
package org.tasklens.eclipse.tests;

import java.nio.file.Path;
import org.eclipse.swt.widgets.Tree;
import org.eclipse.swt.widgets.TreeItem;
import org.eclipse.ui.ide.FileStoreEditorInput;
import org.tasklens.eclipse.preferences.Settings;

/**
 * Without a browser widget the graph is an outline, and all the rest works; here with a source that
 * belongs to no project.
 */
final class PlainTest implements Main.Scenario {
  @Override
  public void run(Bench bench) throws Exception {
    Path source = Steps.copy(bench, "elsewhere", "examples/cholesky.c");
    String root = bench.work.resolve("elsewhere").toString();
    bench.plugin.settings.store().setValue(Settings.SOURCE_ROOTS, root);
    Steps.runTraced(bench, bench.data.resolve("examples/cholesky"), "3");
    Tree tree = bench.until("the outline", () -> bench.tree("Task", "Time"));
    bench.until("its tasks", () -> tree.getItemCount() == 10);
    TreeItem first = bench.ui(() -> tree.getItem(0));
    bench.clickItem("the first task", tree, () -> first, 0);
    String name = bench.ui(() -> first.getText(0).split(" ")[0]);
    int line = Steps.lineOf(source, "starpu_task_insert(&" + name);
    bench.until("the cursor on " + name, () -> bench.caret().equals("cholesky.c:" + line));
    Bench.expect(
        bench.ui(() -> bench.page().getActiveEditor().getEditorInput())
            instanceof FileStoreEditorInput,
        "the editor shows a file outside of the workspace");
    Bench.expect(bench.ui(()
                              -> java.util.Arrays.stream(tree.getItems())
                                     .anyMatch(item -> !item.getText(4).isEmpty())),
        "the outline says what a task waits for");
    bench.snap("outline");
  }
}
