// SPDX-License-Identifier: Apache-2.0
package org.tasklens.eclipse.views;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Stream;
import org.eclipse.jface.action.Action;
import org.eclipse.jface.action.IMenuManager;
import org.eclipse.jface.action.MenuManager;
import org.eclipse.jface.dialogs.InputDialog;
import org.eclipse.jface.dialogs.MessageDialog;
import org.eclipse.jface.viewers.TreeViewer;
import org.eclipse.jface.window.Window;
import org.eclipse.swt.SWT;
import org.eclipse.swt.widgets.Composite;
import org.eclipse.swt.widgets.Shell;
import org.eclipse.ui.IPartListener2;
import org.eclipse.ui.IWorkbenchPartReference;
import org.eclipse.ui.part.ViewPart;
import org.tasklens.eclipse.model.Configuration;
import org.tasklens.eclipse.model.KeptRun;
import org.tasklens.eclipse.model.Project;
import org.tasklens.eclipse.model.Runs;
import org.tasklens.eclipse.model.Text;
import org.tasklens.eclipse.model.Trace;
import org.tasklens.eclipse.model.TracedRun;
import org.tasklens.eclipse.model.Traces;
import org.tasklens.eclipse.ui.Images;
import org.tasklens.eclipse.ui.Notices;

/**
 * Running programs, failures, the open traces, kept runs, and the project's launch configurations.
 * A click shows an open trace in all views; a double click opens a kept run or runs a
 * configuration. UI thread.
 */
public final class RunsView extends ViewPart implements Traces.Listener, IPartListener2 {
  /** At most one of the last three is set; if none is, the row is a run without a trace. */
  record Row(String name, String state, Trace trace, KeptRun kept, Configuration configuration) {
    String folder() {
      return trace != null ? trace.folder() : kept != null ? kept.directory() : "";
    }
  }

  private final Traces traces;
  private final Runs runs;
  private final Project project;
  private final Views views;
  private final Notices notices;
  private final Runnable onRuns = this::refresh;
  private TreeViewer viewer;
  private List<KeptRun> kept = List.of();
  private List<Configuration> configurations = List.of();
  private boolean wasSeen; // the server is only asked then, because that may start it
  private int asked;

  public RunsView(Traces traces, Runs runs, Project project, Views views, Notices notices) {
    this.traces = traces;
    this.runs = runs;
    this.project = project;
    this.views = views;
    this.notices = notices;
  }

  @Override
  public void createPartControl(Composite parent) {
    setTitleImage(Images.get("runs"));
    viewer = new TreeViewer(parent, SWT.FULL_SELECTION | SWT.MULTI | SWT.V_SCROLL | SWT.H_SCROLL);
    viewer.setContentProvider(new FlatRows(() -> rows().toArray()));
    Columns<Row> columns = new Columns<>(viewer, Row.class);
    columns.add("Run", 180, false, Row::name, Row::name);
    columns.add("State", 320, false, Row::state, Row::state);
    number(
        columns, "Tasks", 80, trace -> (double) trace.tasks(), trace -> Text.count(trace.tasks()));
    number(columns, "Workers", 70,
        trace -> (double) trace.workers(), trace -> Text.count(trace.workers()));
    number(columns, "Time", 80, Trace::spanNs, trace -> Text.duration(trace.spanNs()));
    number(columns, "Efficiency", 80, Trace::efficiency,
        trace -> trace.efficiency() < 0 ? "" : Text.percent(trace.efficiency()));
    columns.add("Folder", 360, false, Row::folder, Row::folder);
    viewer.getTree().addListener(SWT.Selection, event -> showChosen());
    viewer.getTree().addListener(SWT.DefaultSelection, event -> openChosen());
    viewer.setInput(this);
    createMenu();
    traces.add(this);
    runs.add(onRuns);
    getSite().getPage().addPartListener(this);
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

  // --- What there is

  private List<Row> rows() {
    List<Row> found = new ArrayList<>();
    for (TracedRun run : runs.all())
      if (traces.find(run.trace()) == null && !isKept(run))
        found.add(new Row(run.name(), Text.oneLine(run.message()), null, null, null));
    Set<String> open = new HashSet<>();
    for (Trace trace : traces.open()) {
      open.add(trace.id());
      found.add(new Row(nameOf(trace), Text.oneLine(stateOf(trace)), trace, null, null));
    }
    for (KeptRun run : kept)
      if (!open.contains(run.trace()))
        found.add(new Row(Text.oneLine(run.label()),
            Text.oneLine("kept; " + run.when() + "; " + run.message()), null, run, null));
    for (Configuration one : configurations)
      found.add(new Row(Text.oneLine(one.name()),
          Text.oneLine("launch configuration; "
              + (one.problem().isEmpty() ? one.commandLine() : one.problem())),
          null, null, one));
    return found;
  }

  // True for a run of this session whose trace was closed.
  private boolean isKept(TracedRun run) {
    return kept.stream().anyMatch(one -> one.id().equals(run.kept()));
  }

  private String nameOf(Trace trace) {
    for (KeptRun run : kept)
      if (run.trace().equals(trace.id()) && !run.name().isEmpty())
        return Text.oneLine(run.name());
    return trace.title();
  }

  private String stateOf(Trace trace) {
    String state = trace.equals(traces.current()) ? "shown" : "open";
    for (TracedRun run : runs.all())
      if (run.trace().equals(trace.id()) && run.state() == TracedRun.State.FAILED)
        state += "; " + run.message();
    return trace.problems().isEmpty() ? state : state + "; " + String.join("; ", trace.problems());
  }

  private void refresh() {
    if (viewer.getControl().isDisposed()) return;
    viewer.refresh();
    if (wasSeen) ask();
  }

  private void ask() {
    int number = ++asked;
    take(number, project.keptRuns(), found -> kept = found);
    take(number, project.configurations(), found -> configurations = found);
  }

  private <T> void take(int number, CompletableFuture<T> answer, Consumer<T> taker) {
    notices.whenDone(answer, found -> {
      if (number != asked || viewer.getControl().isDisposed()) return;
      taker.accept(found);
      viewer.refresh();
    });
  }

  // --- What can be done

  private List<Row> chosen() {
    List<Row> found = new ArrayList<>();
    for (Object row : viewer.getStructuredSelection())
      if (row instanceof Row one) found.add(one);
    return found;
  }

  private void showChosen() {
    List<Row> chosen = chosen();
    if (chosen.size() == 1 && chosen.get(0).trace != null)
      traces.show(chosen.get(0).trace);
  }

  private void openChosen() {
    for (Row row : chosen()) {
      if (row.trace != null) views.showResults();
      if (row.kept != null) open(row.kept);
      if (row.configuration != null) run(row.configuration);
    }
  }

  private void open(KeptRun run) {
    notices.whenDone(traces.open(List.of(run.directory())), trace -> views.showResults());
  }

  private void run(Configuration configuration) {
    CompletableFuture.runAsync(() -> runs.start(configuration.toParams()));
  }

  private void createMenu() {
    MenuManager menu = new MenuManager();
    menu.setRemoveAllWhenShown(true);
    menu.addMenuListener(this::fillMenu);
    viewer.getControl().setMenu(menu.createContextMenu(viewer.getControl()));
    getSite().registerContextMenu(menu, viewer);
    getSite().setSelectionProvider(viewer);
  }

  private void fillMenu(IMenuManager menu) {
    List<Row> chosen = chosen();
    List<Trace> open = of(chosen, Row::trace);
    List<KeptRun> closed = of(chosen, Row::kept);
    for (Configuration one : of(chosen, Row::configuration))
      if (one.problem().isEmpty()) menu.add(action("Run Traced: " + one.name(), () -> run(one)));
    if (!closed.isEmpty()) menu.add(action("Open", () -> closed.forEach(this::open)));
    if (chosen.size() == 2 && open.size() + closed.size() == 2)
      menu.add(action("Compare", () -> compare(chosen.get(0), chosen.get(1))));
    if (chosen.size() == 1)
      keptOf(chosen.get(0)).forEach(run -> menu.add(action("Rename...", () -> rename(run))));
    if (!open.isEmpty()) menu.add(action("Close", () -> open.forEach(traces::close)));
    List<KeptRun> onDisk = chosen.stream().flatMap(this::keptOf).toList();
    if (!onDisk.isEmpty()) menu.add(action("Delete", () -> delete(onDisk)));
    if (runs.isRunning()) menu.add(action("Stop", runs::stop));
  }

  private static <T> List<T> of(List<Row> rows, Function<Row, T> part) {
    return rows.stream().map(part).filter(one -> one != null).toList();
  }

  // Includes the run of an open trace.
  private Stream<KeptRun> keptOf(Row row) {
    if (row.kept != null) return Stream.of(row.kept);
    if (row.trace == null) return Stream.empty();
    return kept.stream().filter(run -> run.trace().equals(row.trace.id()));
  }

  private static Action action(String name, Runnable body) {
    return new Action(name) {
      @Override
      public void run() {
        body.run();
      }
    };
  }

  private void compare(Row one, Row other) {
    boolean isOneFirst = startedNs(one) <= startedNs(other);
    Row before = isOneFirst ? one : other;
    Row after = isOneFirst ? other : one;
    notices.whenDone(traceOf(before).thenCombine(traceOf(after), List::of),
        both -> views.compare(both.get(0), both.get(1)));
  }

  private long startedNs(Row row) {
    return keptOf(row).mapToLong(KeptRun::startedNs).findFirst().orElse(0);
  }

  private CompletableFuture<Trace> traceOf(Row row) {
    return row.trace != null ? CompletableFuture.completedFuture(row.trace)
                             : traces.openWhole(List.of(row.kept.directory()));
  }

  private Shell shell() {
    return getSite().getShell();
  }

  private void rename(KeptRun run) {
    String what = "A run with a name is kept until you delete it.";
    InputDialog dialog = new InputDialog(shell(), "Rename Run", what, run.name(), null);
    if (dialog.open() == Window.OK)
      notices.whenDone(project.rename(run, dialog.getValue().strip()), done -> refresh());
  }

  private void delete(List<KeptRun> some) {
    String what = "Delete " + Text.counted(some.size(), "run") + " with its traces from the disk?";
    if (!MessageDialog.openQuestion(shell(), "Delete Run", what)) return;
    for (KeptRun run : some)
      notices.whenDone(project.delete(run), done -> {
        traces.closed(run.trace());
        refresh();
      });
  }

  // --- The workbench

  @Override
  public void partVisible(IWorkbenchPartReference reference) {
    if (reference.getPart(false) != this) return;
    wasSeen = true;
    ask();
  }

  @Override
  public void changed(Trace current) {
    refresh();
  }

  @Override
  public void dispose() {
    getSite().getPage().removePartListener(this);
    traces.remove(this);
    runs.remove(onRuns);
    super.dispose();
  }

  @Override
  public void setFocus() {
    viewer.getControl().setFocus();
  }
}
