// SPDX-License-Identifier: Apache-2.0
package org.tasklens.eclipse.views;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.eclipse.jface.action.Action;
import org.eclipse.jface.action.MenuManager;
import org.eclipse.jface.viewers.TreeViewer;
import org.eclipse.swt.SWT;
import org.eclipse.swt.widgets.Composite;
import org.eclipse.ui.part.ViewPart;
import org.tasklens.eclipse.Images;
import org.tasklens.eclipse.TaskLens;
import org.tasklens.eclipse.Text;
import org.tasklens.eclipse.run.Trace;
import org.tasklens.eclipse.run.TracedRun;
import org.tasklens.eclipse.run.Traces;

/**
 * What runs, what went wrong, and the open traces; a click shows a trace in all views. UI thread.
 */
public final class RunsView extends ViewPart implements Traces.Listener {
  /** A trace, or a run without one. */
  record Row(String name, String state, Trace trace) {}

  private final Runnable onRuns = this::refresh;
  private TreeViewer viewer;

  @Override
  public void createPartControl(Composite parent) {
    setTitleImage(Images.get("runs"));
    viewer = new TreeViewer(parent, SWT.FULL_SELECTION | SWT.MULTI | SWT.V_SCROLL | SWT.H_SCROLL);
    viewer.setContentProvider(new FlatRows(() -> rows().toArray()));
    Columns<Row> columns = new Columns<>(viewer, Row.class);
    columns.add("Run", 220, false, Row::name, Row::name);
    columns.add("State", 280, false, Row::state, Row::state);
    number(
        columns, "Tasks", 80, trace -> (double) trace.tasks(), trace -> Text.count(trace.tasks()));
    number(columns, "Workers", 70,
        trace -> (double) trace.workers(), trace -> Text.count(trace.workers()));
    number(columns, "Time", 80, Trace::spanNs, trace -> Text.duration(trace.spanNs()));
    number(columns, "Efficiency", 80, Trace::efficiency, trace -> Text.percent(trace.efficiency()));
    columns.add("Folder", 360, false,
        row
        -> row.trace == null ? "" : row.trace.folder(),
        row -> row.trace == null ? "" : row.trace.folder());
    viewer.getTree().addListener(SWT.Selection, event -> showChosen());
    viewer.setInput(this);
    createMenu();
    TaskLens.traces().add(this);
    TaskLens.runs().add(onRuns);
  }

  private static void number(Columns<Row> columns, String head, int width,
      Function<Trace, Double> key, Function<Trace, String> text) {
    columns.add(
        head,
        width,
        true,
        row -> row.trace == null ? "" : text.apply(row.trace),
        row -> row.trace == null ? -1.0 : key.apply(row.trace));
  }

  private static List<Row> rows() {
    List<Row> found = new ArrayList<>();
    for (TracedRun run : TaskLens.runs().all())
      if (TaskLens.traces().find(run.trace()) == null)
        found.add(new Row(run.name(), run.message(), null));
    Trace current = TaskLens.traces().current();
    for (Trace trace : TaskLens.traces().open()) {
      String state = trace.equals(current) ? "shown" : "open";
      for (TracedRun run : TaskLens.runs().all())
        if (run.trace().equals(trace.id()) && run.state() == TracedRun.State.FAILED)
          state += "; " + run.message();
      if (!trace.problems().isEmpty()) state += "; " + String.join("; ", trace.problems());
      found.add(new Row(trace.title(), Text.oneLine(state), trace));
    }
    return found;
  }

  private void createMenu() {
    MenuManager menu = new MenuManager();
    menu.setRemoveAllWhenShown(true);
    menu.addMenuListener(
        manager -> {
          List<Trace> chosen = chosen();
          if (!chosen.isEmpty())
            manager.add(action("Close", () -> chosen.forEach(TaskLens.traces()::close)));
          if (chosen.size() > 1)
            manager.add(action("Compare", () -> CompareView.compare(chosen)));
          if (TaskLens.runs().isRunning()) manager.add(action("Stop", TaskLens.runs()::stop));
        });
    viewer.getControl().setMenu(menu.createContextMenu(viewer.getControl()));
    getSite().registerContextMenu(menu, viewer);
    getSite().setSelectionProvider(viewer);
  }

  private static Action action(String name, Runnable body) {
    return new Action(name) {
      @Override
      public void run() {
        body.run();
      }
    };
  }

  private List<Trace> chosen() {
    List<Trace> found = new ArrayList<>();
    for (Object row : viewer.getStructuredSelection())
      if (row instanceof Row one && one.trace != null) found.add(one.trace);
    return found;
  }

  private void showChosen() {
    List<Trace> chosen = chosen();
    if (chosen.size() == 1) TaskLens.traces().show(chosen.get(0));
  }

  private void refresh() {
    if (!viewer.getControl().isDisposed()) viewer.refresh();
  }

  @Override
  public void changed(Trace current) {
    refresh();
  }

  @Override
  public void dispose() {
    TaskLens.traces().remove(this);
    TaskLens.runs().remove(onRuns);
    super.dispose();
  }

  @Override
  public void setFocus() {
    viewer.getControl().setFocus();
  }
}
