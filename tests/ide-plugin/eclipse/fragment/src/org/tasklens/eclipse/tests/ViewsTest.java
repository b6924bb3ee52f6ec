// SPDX-License-Identifier: Apache-2.0
package org.tasklens.eclipse.tests;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.eclipse.core.resources.IFile;
import org.eclipse.core.resources.IMarker;
import org.eclipse.core.resources.IResource;
import org.eclipse.core.resources.ResourcesPlugin;
import org.eclipse.core.runtime.CoreException;
import org.eclipse.debug.core.DebugPlugin;
import org.eclipse.debug.core.ILaunchConfigurationWorkingCopy;
import org.eclipse.debug.core.ILaunchManager;
import org.eclipse.debug.ui.DebugUITools;
import org.eclipse.debug.ui.IDebugUIConstants;
import org.eclipse.help.HelpSystem;
import org.eclipse.jface.text.JFaceTextUtil;
import org.eclipse.jface.text.source.Annotation;
import org.eclipse.jface.text.source.IVerticalRulerInfo;
import org.eclipse.swt.SWT;
import org.eclipse.swt.custom.StyledText;
import org.eclipse.swt.graphics.Point;
import org.eclipse.swt.widgets.Button;
import org.eclipse.swt.widgets.Control;
import org.eclipse.swt.widgets.Menu;
import org.eclipse.swt.widgets.MenuItem;
import org.eclipse.swt.widgets.Shell;
import org.eclipse.swt.widgets.Table;
import org.eclipse.swt.widgets.Tree;
import org.eclipse.swt.widgets.TreeItem;
import org.eclipse.ui.console.ConsolePlugin;
import org.eclipse.ui.console.IConsole;
import org.eclipse.ui.console.TextConsole;
import org.eclipse.ui.dialogs.PreferencesUtil;
import org.eclipse.ui.ide.IDE;
import org.eclipse.ui.texteditor.ITextEditor;
import org.tasklens.eclipse.commands.GenerateTraces;
import org.tasklens.eclipse.commands.LaunchPrograms;
import org.tasklens.eclipse.editors.LineMark;
import org.tasklens.eclipse.editors.SiteAnnotations;
import org.tasklens.eclipse.markers.AdviceMarkers;
import org.tasklens.eclipse.model.KeptRun;
import org.tasklens.eclipse.model.Site;
import org.tasklens.eclipse.model.Trace;
import org.tasklens.eclipse.preferences.Settings;
import org.tasklens.eclipse.views.Views;

/** Each view, command and mark, with two runs of the cholesky example. */
final class ViewsTest implements Main.Scenario {
  private static final int SIX_TILES = 56, OF_FINDINGS = 816; // so many tasks
  private static final List<String> NEED_A_TRACE =
      List.of("StarPU FxT Tool", "Trace:", "Task Graph", "Graph in Browser");

  private Bench bench;
  private Path source;

  @Override
  public void addTo(Cases cases, Bench bench) throws Exception {
    this.bench = bench;
    source = Steps.cholesky(bench);
    cases.add("without a trace only a run is offered", this::enablementBefore);
    cases.add("a program is run by the dialog, and its graph is shown", this::runByDialog);
    cases.beforeEach(this::showTheRun);
    cases.add("with a trace all is offered", this::enablementAfter);
    cases.add("the table of tasks is sorted, and leads to the source", this::tasksTable);
    cases.add("the timeline and the graph come to the front", this::timeline);
    cases.add("advice and runs are listed", this::advice);
    cases.add("lines that submit tasks are marked, and say what these cost", this::editorMarks);
    cases.add("the caret on a line lights up its tasks", this::caretLightsTasks);
    cases.add("the caret on a line of a newer trace shows that one, and lights up its tasks",
        this::caretTurnsToTheNewestTrace);
    cases.add("a view shows what was selected before it was opened", this::viewsOpenedLater);
    cases.add("what tasks cost moves with its line", this::marksMoveWithTheText);
    cases.add("advice is a problem with quick fixes", this::markersAndFixes);
    cases.add("the console shows a program's output, and its places are links", this::console);
    cases.add("traces are generated as by StarPU's FxT tool", this::generateTraces);
    cases.add("a launch configuration is run traced, and compared", this::launchAndCompare);
    cases.add("kept runs are opened, named and deleted", this::keptRuns);
    cases.add("a configuration of launch.json is run", this::configurations);
    cases.add("the graph is shown in the user's browser", this::graphInBrowser);
    cases.add("the keys of StarPU's plugin", this::keys);
    cases.add("a preference takes effect", this::preferences);
    cases.add("help is in the help system and in the browser", this::help);
  }

  // What each case finds: no dialog, the graph and the tasks of a run of six tiles, its source in the
  // editor as it is in the file.
  private void showTheRun() throws Exception {
    bench.ui(() -> {
      for (Shell one : bench.display.getShells())
        if (one.getParent() == bench.window().getShell()) one.close();
      if (editor() != null && editor().isDirty()) editor().doRevertToSaved();
      IDE.openEditor(bench.page(), file());
      bench.plugin.settings.store().setToDefault(Settings.SHOW_MININGS);
      return null;
    });
    Files.deleteIfExists(bench.work.resolve("opened"));
    Trace six = null;
    for (Trace one : List.copyOf(bench.plugin.traces.open())) {
      if (one.tasks() == SIX_TILES) six = one;
      if (one.tasks() == OF_FINDINGS) {
        bench.plugin.traces.close(one);
        bench.until("that run closed", () -> bench.plugin.traces.find(one.id()) == null);
      }
    }
    bench.plugin.traces.show(six != null ? six : run(""));
    bench.ui(() -> {
      bench.plugin.views.showResults();
      return null;
    });
    GraphPage.untilReady(bench);
  }

  // Runs the example without asking; answers its trace, which is shown then.
  private Trace run(String arguments) throws Exception {
    List<Trace> before = bench.plugin.traces.open();
    bench.plugin.runs.start(LaunchPrograms.program(
        bench.data.resolve("examples/cholesky").toString(), arguments, Map.of(), ""));
    bench.until("a run of cholesky " + arguments,
        () -> bench.plugin.traces.open().size() > before.size() && !bench.plugin.runs.isRunning());
    return bench.plugin.traces.open().get(0);
  }

  // A run of which advice has something to say wherever it runs: its tasks take less time than it takes
  // to submit them.
  private void showARunWithFindings() throws Exception {
    bench.plugin.traces.show(run("16 4"));
  }

  private IFile file() {
    return ResourcesPlugin.getWorkspace()
        .getRoot()
        .getProject("cholesky")
        .getFile("examples/cholesky.c");
  }

  private void runByDialog() throws Exception {
    Steps.runTraced(bench, bench.data.resolve("examples/cholesky"), "");
    GraphPage.untilReady(bench);
  }

  private boolean isEnabled(String tip) {
    return bench.toolItem(tip).isEnabled();
  }

  private void enablementBefore() throws Exception {
    bench.until("the toolbar", () -> bench.toolItem("Run Traced"));
    for (String tip : NEED_A_TRACE)
      Bench.expect(!bench.ui(() -> isEnabled(tip)), tip + " is disabled without a trace");
    Bench.expect(!bench.ui(() -> isEnabled("Stop")), "Stop is disabled while nothing runs");
    Bench.expect(!bench.ui(() -> isEnabled("Compare")), "Compare is disabled without two traces");
    Bench.expect(bench.ui(() -> isEnabled("Run Traced")), "Run Traced is enabled");
    Bench.expect(!bench.plugin.server.isRunning(), "no server runs before anything was asked");
  }

  private void enablementAfter() throws Exception {
    for (String tip : NEED_A_TRACE)
      bench.until(tip + " is enabled with a trace", () -> isEnabled(tip));
  }

  private void tasksTable() throws Exception {
    Tree tree = bench.until("the table of tasks", () -> bench.tree("Task", "Source"));
    bench.until("its four lines", () -> tree.getItemCount() == 4);
    List<String> names = bench.ui(() -> column(tree, 0));
    bench.click("the head of its first column", () -> bench.headOf(tree, 0));
    bench.until("the table sorted by name", () -> column(tree, 0).equals(sorted(names)));
    System.out.println("ok: a click on the head sorts the table: " + sorted(names));
    TreeItem first = chooseGemm(tree);
    bench.press("Right");
    bench.until("the tasks of gemm",
        () -> first.getItemCount() == 20 && !first.getItem(0).getText().equals("..."));
    bench.snap("tasks");
  }

  // A click on its row in the table; answers the row.
  private TreeItem chooseGemm(Tree tree) throws Exception {
    bench.clickItem("the line of gemm", tree, () -> named(tree, "gemm"), 0);
    int gemm = Steps.lineOf(source, "starpu_task_insert(&gemm");
    bench.until("the cursor on gemm", () -> bench.caret().equals("cholesky.c:" + gemm));
    return bench.ui(() -> named(tree, "gemm"));
  }

  private static List<String> sorted(List<String> texts) {
    List<String> copy = new ArrayList<>(texts);
    copy.sort(null);
    return copy;
  }

  private static List<String> column(Tree tree, int column) {
    List<String> texts = new ArrayList<>();
    for (TreeItem item : tree.getItems()) texts.add(item.getText(column));
    return texts;
  }

  private void timeline() throws Exception {
    bench.clickTool("Trace:");
    bench.untilAsked(
        "the timeline",
        () -> "yes".equals(bench.script(Views.TIMELINE, "return document.body.dataset.ready")));
    bench.untilDrawn(Views.TIMELINE);
    bench.snap("timeline");
    bench.clickTool("Task Graph");
    bench.until("the graph in front", () -> bench.pageOf(Views.GRAPH).isVisible());
  }

  private void advice() throws Exception {
    showARunWithFindings();
    bench.ui(() -> bench.plugin.views.show(Views.ADVICE));
    Tree tree = bench.until("the table of advice", () -> bench.tree("Kind", "Could save"));
    bench.until("its findings", () -> tree.isVisible() && tree.getItemCount() > 0);
    Bench.expect(
        !bench.ui(() -> tree.getItem(0).getText(2)).isEmpty(), "advice says what to do");
    bench.snap("advice");
    bench.ui(() -> bench.plugin.views.show(Views.RUNS));
    Tree runs = bench.until("the table of runs", () -> bench.tree("Run", "State"));
    bench.until("its run",
        ()
            -> runs.isVisible() && runs.getItemCount() == bench.plugin.traces.open().size()
            && runs.getItem(0).getText(1).startsWith("shown"));
    bench.snap("runs");
  }

  private ITextEditor editor() {
    return bench.page().getActiveEditor() == null
        ? null
        : bench.page().getActiveEditor().getAdapter(ITextEditor.class);
  }

  private List<Annotation> annotations(String type) {
    List<Annotation> found = new ArrayList<>();
    ITextEditor editor = editor();
    if (editor == null) return found;
    Iterator<Annotation> all = editor.getDocumentProvider()
                                   .getAnnotationModel(editor.getEditorInput())
                                   .getAnnotationIterator();
    while (all.hasNext()) {
      Annotation one = all.next();
      if (one.getType().equals(type)) found.add(one);
    }
    return found;
  }

  private StyledText text() {
    return (StyledText) editor().getAdapter(org.eclipse.swt.widgets.Control.class);
  }

  private void editorMarks() throws Exception {
    chooseGemm(bench.until("the table of tasks", () -> bench.tree("Task", "Source")));
    bench.until("the line of the chosen task marked", () -> annotations(LineMark.TYPE).size() == 1);
    bench.until("the lines that submit and those that wait in the ruler",
        () -> annotations(SiteAnnotations.TYPE).size() == 7);
    String hover = bench.ui(()
                                -> annotations(SiteAnnotations.TYPE)
                                       .stream()
                                       .map(Annotation::getText)
                                       .filter(text -> !text.startsWith("waited "))
                                       .findFirst()
                                       .orElse(""));
    Bench.expect(hover.contains("tasks") && hover.lines().count() > 3,
        "the ruler's hover tells what tasks cost");
    System.out.println("ok: hover:\n    " + hover.replace("\n", "\n    "));
    bench.until("the code minings",
        ()
            -> text().getLineVerticalIndent(Steps.lineOf(source, "starpu_task_insert(&potrf") - 1)
            > 0);
    System.out.println("ok: what tasks cost stands above their line");
    bench.hover("the mark of trsm in the ruler", () -> {
      Bench.Spot line = bench.spotOf(text(), "starpu_task_insert(&trsm");
      return line == null ? null : new Bench.Spot(ruler(), new Point(rulerX(), line.at().y));
    });
    bench.until("the hover's window", () -> isHoverShown("trsm"));
    bench.snap("hover");
    bench.hover("a place without a hover", () -> bench.spotOf(text(), "return 0;"));
    bench.until("the hover gone", () -> !isHoverShown("trsm"));
    bench.hover("a line that submits", () -> bench.spotOf(text(), "starpu_task_insert(&potrf"));
    bench.until("the hover's window over the text", () -> isHoverShown("potrf"));
    bench.snap("hover_text");
    bench.hover("a place without a hover", () -> bench.spotOf(text(), "return 0;"));
    bench.until("the hover gone", () -> !isHoverShown("potrf"));
  }

  // The control left of the text; the marks are in its first column.
  private Control ruler() {
    return editor().getAdapter(IVerticalRulerInfo.class).getControl();
  }

  private int rulerX() {
    return ruler().toDisplay(6, 0).x;
  }

  private boolean isHoverShown(String part) {
    for (StyledText one : bench.controls(StyledText.class))
      if (one.isVisible() && one != text() && one.getText().contains(part)) return true;
    return false;
  }

  private void caretLightsTasks() throws Exception {
    int line = Steps.lineOf(source, "starpu_task_insert(&syrk");
    bench.click("the line of syrk", () -> bench.spotOf(text(), "starpu_task_insert(&syrk"));
    bench.until("the caret on syrk", () -> bench.caret().equals("cholesky.c:" + line));
    int site =
        bench.until(
            "its site",
            () -> bench.plugin.sites.at(source.toUri().toString(), line - 1)).site();
    bench.untilAsked("its tasks lit up in the graph", () -> GraphPage.isSiteChosen(bench, site));
    System.out.println("ok: the caret on a line lights up its tasks");
    bench.untilDrawn(Views.GRAPH);
    bench.snap("caret");
  }

  private void caretTurnsToTheNewestTrace() throws Exception {
    Trace six = bench.plugin.traces.current();
    Trace newest = run("16 4");
    int line = Steps.lineOf(source, "starpu_task_insert(&trsm");
    String uri = source.toUri().toString();
    bench.until("the line known to the newer trace", () -> {
      Site site = bench.plugin.sites.at(uri, line - 1);
      return site != null && site.trace().equals(newest.id());
    });
    bench.plugin.traces.show(six);
    GraphPage.untilReady(bench);
    // The run may have led to this very line: the caret is to come from elsewhere.
    int above = Steps.lineOf(source, "  double f = (double)nb");
    bench.click("a line above", () -> bench.spotOf(text(), "  double f = (double)nb"));
    bench.until("the caret there", () -> bench.caret().equals("cholesky.c:" + above));
    bench.click("the line of trsm", () -> bench.spotOf(text(), "starpu_task_insert(&trsm"));
    bench.until("the newer trace in the views",
        () -> bench.plugin.traces.current().id().equals(newest.id()));
    int site = bench.plugin.sites.at(uri, line - 1).site();
    bench.untilAsked("its tasks lit up in the graph", () -> GraphPage.isSiteChosen(bench, site));
    System.out.println("ok: the caret on a line of a newer trace shows that one");
  }

  private void viewsOpenedLater() throws Exception {
    for (String call : List.of("starpu_task_insert(&syrk", "starpu_task_insert(&trsm")) {
      close(Views.TIMELINE);
      close(Views.TASKS);
      int line = Steps.lineOf(source, call);
      bench.click("the line of " + call, () -> bench.spotOf(text(), call));
      bench.until("the caret there", () -> bench.caret().equals("cholesky.c:" + line));
      int site =
          bench.until("its site",
              () -> bench.plugin.sites.at(source.toUri().toString(), line - 1)).site();
      bench.untilAsked("its tasks lit up in the graph", () -> GraphPage.isSiteChosen(bench, site));
      bench.ui(() -> bench.plugin.views.show(Views.TIMELINE));
      bench.untilAsked("its tasks lit up in the timeline",
          () -> GraphPage.isSiteChosen(bench, Views.TIMELINE, site));
      bench.ui(() -> bench.plugin.views.show(Views.TASKS));
      bench.until("its row chosen in the table of tasks", () -> {
        Tree tree = bench.tree("Task", "Source");
        return tree != null && tree.getSelectionCount() == 1
            && tree.getSelection()[0].getText(1).equals("cholesky.c:" + line);
      });
      System.out.println("ok: views that are opened later know of line " + line);
    }
    close(Views.TIMELINE);
    bench.ui(() -> bench.plugin.views.show(Views.GRAPH));
    GraphPage.showTasks(bench);
    bench.click("a task of gemm", GraphPage.task("gemm"));
    String task = bench.untilAsked("that task chosen", () -> chosenTask(Views.GRAPH));
    bench.ui(() -> bench.plugin.views.show(Views.TIMELINE));
    bench.untilAsked("the task chosen in the timeline", () -> task.equals(chosenTask(Views.TIMELINE)));
    Tree tree = bench.ui(() -> bench.tree("Task", "Source"));
    bench.until("no line chosen any more", () -> tree.getSelectionCount() == 0);
    bench.untilDrawn(Views.TIMELINE);
    bench.snap("opened_later");
  }

  private void close(String view) throws Exception {
    bench.ui(() -> {
      if (bench.view(view) != null) bench.page().hideView(bench.view(view));
      return null;
    });
  }

  // Its number; null: none is.
  private String chosenTask(String view) throws InterruptedException {
    return bench.script(view,
        "return globalThis.tasklensApp?.store?.state.selection?.task?.toString() ?? null");
  }

  // Of the lines in sight, from 0, those that have room above them for what their tasks cost. The
  // platform makes room for the others when they come into sight.
  private List<Integer> minedLines() {
    return linesInSight(line -> text().getLineVerticalIndent(line) > 0);
  }

  // Those that submit tasks, and those that wait.
  private List<Integer> costlyLines() {
    List<String> calls = List.of("starpu_task_insert(", "starpu_task_wait_for_all(",
        "starpu_data_unpartition(", "starpu_data_unregister(");
    return linesInSight(line -> calls.stream().anyMatch(text().getLine(line)::contains));
  }

  private List<Integer> linesInSight(IntPredicate isWanted) {
    int last = JFaceTextUtil.getPartialBottomIndex(text());
    return IntStream.rangeClosed(text().getTopIndex(), last).filter(isWanted).boxed().toList();
  }

  private void marksMoveWithTheText() throws Exception {
    bench.click("a line above", () -> bench.spotOf(text(), "  double f = (double)nb"));
    List<Integer> before = bench.ui(this::costlyLines);
    bench.until("costs above the lines that submit or wait", () -> minedLines().equals(before));
    int lines = bench.ui(() -> text().getLineCount());
    bench.press("Home", "Return", "Return", "Up", "Up", "Return");
    bench.until("three more lines", () -> text().getLineCount() == lines + 3);
    bench.until("costs above these lines, where they are now",
        () -> minedLines().equals(costlyLines()));
    bench.snap("edited");
    bench.ui(() -> {
      editor().doRevertToSaved();
      return null;
    });
    bench.until("costs above the lines as they were", () -> minedLines().equals(before));
    System.out.println("ok: what tasks cost moves with its line");
  }

  private void markersAndFixes() throws Exception {
    showARunWithFindings();
    IFile file = file();
    IMarker marker =
        bench.until(
            "a marker",
            () -> {
              IMarker[] markers = file.findMarkers(AdviceMarkers.TYPE, false, IResource.DEPTH_ZERO);
              return markers.length == 0 ? null : markers[0];
            });
    Bench.expect(
        !marker.getAttribute(IMarker.MESSAGE, "").isEmpty(), "advice is in the Problems view");
    String said = marker.getAttribute(IMarker.MESSAGE, "");
    var fixes = bench.ui(() -> IDE.getMarkerHelpRegistry().getResolutions(marker));
    List<String> labels = new ArrayList<>();
    for (var fix : fixes) labels.add(fix.getLabel());
    System.out.println("ok: quick fixes: " + labels);
    Bench.expect(fixes.length >= 3, "a marker has quick fixes");
    int line = marker.getAttribute(IMarker.LINE_NUMBER, 1);
    bench.ui(
        () -> {
          IDE.openEditor(bench.page(), marker);
          return text().setFocus();
        });
    bench.until("the line of the marker", () -> bench.caret().equals("cholesky.c:" + line));
    bench.press("ctrl+1");
    bench.until("the quick fixes in the editor",
        ()
            -> bench.controls(Table.class)
                   .stream()
                   .filter(table -> table.getShell() != bench.window().getShell())
                   .flatMap(table -> Stream.of(table.getItems()))
                   .anyMatch(item -> item.getText().endsWith(" here")));
    bench.snap("quick_fixes");
    bench.press("Escape");
    long before = Files.lines(source).count();
    bench.ui(
        () -> {
          for (var fix : fixes) if (fix.getLabel().endsWith(" here")) fix.run(marker);
          return null;
        });
    bench.until("the comment in the editor", () -> text().getText().contains("tasklens: ignore"));
    Bench.expect(
        Files.lines(source).count() == before, "the file is changed in the editor, not behind it");
    bench.ui(() -> bench.plugin.views.show("org.eclipse.ui.views.ProblemView"));
    bench.until("the advice gone after its fix", () -> !hasMarker(file, said));
    bench.snap("problems");
  }

  private static boolean hasMarker(IFile file, String message) throws CoreException {
    for (IMarker one : file.findMarkers(AdviceMarkers.TYPE, false, IResource.DEPTH_ZERO))
      if (one.getAttribute(IMarker.MESSAGE, "").equals(message)) return true;
    return false;
  }

  private static TextConsole console(String name) {
    for (IConsole one : ConsolePlugin.getDefault().getConsoleManager().getConsoles())
      if (one instanceof TextConsole text && one.getName().equals(name)) return text;
    return null;
  }

  private void console() throws Exception {
    TextConsole console = bench.until("the console", () -> console("TaskLens: cholesky"));
    bench.until("the program's output", () -> console.getDocument().get().contains("L(0,0) ="));
    bench.until("its end", () -> console.getDocument().get().contains("exited with status 0"));
    bench.ui(() -> bench.plugin.views.show("org.eclipse.ui.console.ConsoleView"));
    bench.snap("console");

    bench.plugin.runs.start(LaunchPrograms.program("/bin/echo", "examples/cholesky.c:7: a place", Map.of(),
        source.getParent().getParent().toString()));
    String place = "examples/cholesky.c:7";
    bench.until("the link in the console", () -> {
      TextConsole echo = console("TaskLens: echo");
      int at = echo == null ? -1 : echo.getDocument().get().lastIndexOf(place + ": a place");
      return at >= 0 && echo.getHyperlink(at + 3) != null;
    });
    bench.click("that link", () -> {
      for (StyledText text : bench.controls(StyledText.class)) {
        int at = text.isVisible() ? text.getText().lastIndexOf(place + ": a place") : -1;
        if (at < 0) continue;
        Point corner = text.getLocationAtOffset(at + 3);
        return new Bench.Spot(text, text.toDisplay(corner.x + 2, corner.y + 6));
      }
      return null;
    });
    bench.until("the cursor where the link leads", () -> bench.caret().equals("cholesky.c:7"));
    System.out.println("ok: a place in the console leads to its line");
  }

  private void keptRuns() throws Exception {
    // One that is closed is a kept one only.
    Trace closed = run("5");
    bench.plugin.traces.close(closed);
    bench.until("it is closed", () -> bench.plugin.traces.find(closed.id()) == null);
    int open = bench.plugin.traces.open().size();
    showRunsAnew();
    Tree runs = bench.until("the table of runs", () -> bench.tree("Run", "State"));
    bench.until("the run that was kept", () -> rowOf(runs, "kept; "));
    bench.snap("kept");
    bench.doubleClick("the kept run", () -> bench.spotOf(runs, rowOf(runs, "kept; "), 0));
    bench.until("it is open", () -> bench.plugin.traces.open().size() == open + 1);
    bench.until("its tasks", () -> bench.plugin.traces.current().tasks() == closed.tasks());

    String opened = bench.plugin.traces.current().id();
    KeptRun kept = bench.ended("the kept runs", bench.plugin.project.keptRuns())
                       .stream()
                       .filter(one -> one.trace().equals(opened))
                       .findFirst()
                       .orElseThrow();
    bench.ended("the new name", bench.plugin.project.rename(kept, "the fifth"));
    showRunsAnew();
    bench.until("its new name", () -> named(runs, "the fifth"));
    bench.ended("the deleting", bench.plugin.project.delete(kept));
    bench.plugin.traces.closed(opened);
    showRunsAnew();
    bench.until("the deleted run gone", () -> named(runs, "the fifth") == null);
    Bench.expect(!Files.exists(Path.of(kept.directory())), "its traces are deleted");
  }

  private void configurations() throws Exception {
    Files.writeString(Files.createDirectories(source.getParent().getParent().resolve(".tasklens"))
                          .resolve("launch.json"),
        "{\"version\": 1, \"configurations\": [{\"name\": \"three tiles\", \"program\": \""
            + bench.data.resolve("examples/cholesky") + "\", \"arguments\": [\"3\"]}]}");
    showRunsAnew();
    Tree runs = bench.until("the table of runs", () -> bench.tree("Run", "State"));
    bench.doubleClick("the launch configuration",
        () -> bench.spotOf(runs, rowOf(runs, "launch configuration; "), 0));
    bench.until("its run", () -> bench.plugin.traces.current().tasks() == 10);
  }

  // The view asks the server when it comes into sight.
  private void showRunsAnew() {
    bench.ui(() -> bench.plugin.views.show(Views.ADVICE));
    bench.ui(() -> bench.plugin.views.show(Views.RUNS));
  }

  private static TreeItem named(Tree tree, String name) {
    for (TreeItem item : tree.getItems()) if (item.getText(0).equals(name)) return item;
    return null;
  }

  private static TreeItem rowOf(Tree tree, String state) {
    for (TreeItem item : tree.getItems())
      if (item.getText(1).startsWith(state)) return item;
    return null;
  }

  // Also of lines that are out of sight.
  private static long linesWithRoom(StyledText text) {
    return IntStream.range(0, text.getLineCount())
        .filter(line -> text.getLineVerticalIndent(line) > 0)
        .count();
  }

  private void preferences() throws Exception {
    // Of the lines that had costs in sight some are out of sight when the costs go.
    bench.ui(() -> {
      int line = Steps.lineOf(source, "starpu_task_insert(&potrf") - 1;
      text().setTopIndex(line);
      return null;
    });
    bench.until("costs above lines", () -> !minedLines().isEmpty());
    bench.ui(() -> {
      text().setTopIndex(0);
      return null;
    });
    Bench.expect(bench.ui(() -> linesWithRoom(text()) > minedLines().size()),
        "lines out of sight have room for costs, too");
    var dialog = bench.ui(() -> {
      var made = PreferencesUtil.createPreferenceDialogOn(
          bench.window().getShell(), "org.tasklens.eclipse.preferences", null, null);
      made.setBlockOnOpen(false);
      made.open();
      return made;
    });
    bench.click("the choice of costs above lines",
        ()
            -> bench.controls(Button.class)
                   .stream()
                   .filter(one -> one.getText().contains("above the lines that submit tasks"))
                   .findFirst()
                   .map(bench::spotOf)
                   .orElse(null));
    bench.snap("preferences");
    bench.click("Apply and Close",
        ()
            -> bench.controls(Button.class)
                   .stream()
                   .filter(one -> one.getText().equals("Apply and Close"))
                   .findFirst()
                   .map(bench::spotOf)
                   .orElse(null));
    bench.until("the dialog closed", () -> dialog.getShell() == null);
    bench.until("no costs above lines", () -> linesWithRoom(text()) == 0);
    System.out.println("ok: a preference takes effect");
  }

  private void help() throws Exception {
    // Names of the items of all menus that have been shown.
    Set<String> shownMenus = new HashSet<>();
    bench.ui(() -> {
      bench.display.addFilter(SWT.Show, event -> {
        if (!(event.widget instanceof Menu menu)) return;
        for (MenuItem item : menu.getItems())
          shownMenus.add(item.getText().replace("&", "").replaceAll("\t.*", ""));
      });
      return null;
    });
    boolean hasHelp = java.util.Arrays.stream(HelpSystem.getTocs())
                          .anyMatch(toc -> toc.getLabel().equals("TaskLens"));
    Bench.expect(hasHelp, "the help system has our pages");
    bench.ui(() -> {
      bench.window().getShell().forceActive();
      return null;
    });
    bench.press("alt+l"); // the menu TaskLens
    bench.until("the menu", () -> shownMenus.contains("Run Another Program Traced..."));
    bench.snap("menu");
    bench.press("h");
    Path page = bench.until("the help page in the user's browser", () -> opened("help/index.html"));
    Bench.expect(Files.readString(page).contains("From a task to its line and back"),
        "the help command shows our page");
  }

  // What the user's browser was asked to show last, once that ends with `name`. A desktop may hand
  // over a path or a URL.
  private Path opened(String name) throws java.io.IOException {
    Path noted = bench.work.resolve("opened");
    String given = Files.exists(noted) ? Files.readString(noted).strip() : "";
    if (!given.endsWith(name)) return null;
    return given.startsWith("file:") ? Path.of(java.net.URI.create(given)) : Path.of(given);
  }

  private void generateTraces() throws Exception {
    Trace trace = bench.plugin.traces.current();
    bench.clickTool("StarPU FxT Tool");
    Path folder = Path.of(trace.folder(), GenerateTraces.FOLDER);
    bench.noticed("are in " + folder);
    for (String name : List.of("paje.trace", "dag.dot", "tasks.rec"))
      Bench.expect(Files.size(folder.resolve(name)) > 0, name + " was generated");
  }

  // Launches a new configuration of one of CDT's types.
  private void launch(String type, String name) throws CoreException {
    ILaunchConfigurationWorkingCopy configuration =
        DebugPlugin.getDefault()
            .getLaunchManager()
            .getLaunchConfigurationType("org.eclipse.cdt.launch." + type)
            .newInstance(null, name);
    configuration.setAttribute(
        LaunchPrograms.PROGRAM, bench.data.resolve("examples/cholesky").toString());
    configuration.setAttribute(LaunchPrograms.PROJECT, "cholesky");
    configuration.setAttribute(LaunchPrograms.ARGUMENTS, "4");
    configuration.doSave().launch(ILaunchManager.RUN_MODE, null);
  }

  private void launchAndCompare() throws Exception {
    launch("attachLaunchType", "a running cholesky");
    bench.until("the last launch",
        () -> DebugUITools.getLastLaunch(IDebugUIConstants.ID_RUN_LAUNCH_GROUP) != null);
    Bench.expect(bench.ui(LaunchPrograms::active) == null,
        "a launch configuration that runs no program here is left alone");
    launch("applicationLaunchType", "cholesky of four");
    bench.until("the active launch configuration", () -> LaunchPrograms.active());
    int open = bench.plugin.traces.open().size();
    bench.clickTool("Run Traced"); // no dialog: the configuration says what to run
    bench.until("another trace", () -> bench.plugin.traces.open().size() == open + 1);
    Bench.expect(bench.plugin.traces.current().tasks() == 20,
        "the launch configuration's arguments were used");
    bench.clickTool("Compare");
    Tree tree = bench.until("the comparison", () -> bench.tree("Line", "Verdict"));
    bench.until("its changes", () -> tree.getItemCount() == 4);
    bench.snap("compare");
  }

  private void graphInBrowser() throws Exception {
    bench.clickTool("Graph in Browser");
    Path page = bench.until("the page in the user's browser", () -> opened(".html"));
    Bench.expect(Files.readString(page).contains("tasklens-data"),
        "the browser was given the page " + page.getFileName());
  }

  // Those of StarPU's own plugin, in the text and in the pages. (Ctrl+5 is in TutorialTest.)
  private void keys() throws Exception {
    bench.ui(() -> bench.plugin.views.show(Views.ADVICE));
    bench.click("the text", () -> bench.spotOf(text(), "return 0;"));
    bench.press("ctrl+7");
    bench.until("the timeline in front", () -> bench.pageOf(Views.TIMELINE).isVisible());
    bench.untilDrawn(Views.TIMELINE);
    bench.press("ctrl+8");
    bench.until("the graph in front", () -> bench.pageOf(Views.GRAPH).isVisible());
    System.out.println("ok: Ctrl+7 shows the timeline, Ctrl+8 the graph");

    Path folder = Path.of(run("3").folder(), GenerateTraces.FOLDER);
    GraphPage.untilReady(bench);
    Bench.expect(!Files.exists(folder), "nothing was generated of this run yet");
    bench.press("ctrl+6");
    bench.noticed("are in " + folder);
    for (String name : List.of("paje.trace", "dag.dot", "tasks.rec"))
      Bench.expect(Files.size(folder.resolve(name)) > 0, "Ctrl+6 generates " + name);

    bench.press("ctrl+9");
    Path page = bench.until("the page in the user's browser", () -> opened(".html"));
    Bench.expect(Files.readString(page).contains("tasklens-data"), "Ctrl+9 shows the page");
  }
}
