// SPDX-License-Identifier: Apache-2.0
package org.tasklens.eclipse.tests;

import com.google.gson.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.eclipse.core.resources.IFile;
import org.eclipse.core.resources.ResourcesPlugin;
import org.eclipse.core.runtime.ILogListener;
import org.eclipse.core.runtime.Platform;
import org.eclipse.core.runtime.jobs.IJobChangeEvent;
import org.eclipse.core.runtime.jobs.Job;
import org.eclipse.core.runtime.jobs.JobChangeAdapter;
import org.eclipse.e4.ui.css.swt.theme.IThemeEngine;
import org.eclipse.swt.widgets.Tree;
import org.eclipse.ui.IEditorPart;
import org.eclipse.ui.handlers.IHandlerService;
import org.eclipse.ui.ide.IDE;
import org.osgi.framework.FrameworkUtil;
import org.tasklens.eclipse.Application;
import org.tasklens.eclipse.commands.LaunchPrograms;
import org.tasklens.eclipse.commands.OpenTrace;
import org.tasklens.eclipse.model.Trace;
import org.tasklens.eclipse.model.TracedRun;
import org.tasklens.eclipse.preferences.Settings;
import org.tasklens.eclipse.rpc.Json;
import org.tasklens.eclipse.rpc.ServerError;
import org.tasklens.eclipse.ui.ProgressJobs;
import org.tasklens.eclipse.views.Views;

/** Whatever breaks: one clear sentence, and a workbench that works on. */
final class FaultsTest implements Main.Scenario {
  private Bench bench;
  private Path cholesky;
  private Path link; // in PATH,
  private Path target; // and the server that it leads to

  @Override
  public void addTo(Cases cases, Bench bench) throws Exception {
    this.bench = bench;
    cholesky = bench.data.resolve("examples/cholesky");
    link = Path.of(System.getProperty("tasklens.bin"), "tasklens");
    target = Files.readSymbolicLink(link);
    Steps.cholesky(bench);
    cases.beforeEach(this::withTheServerInTheDark);
    cases.add("the page without a trace is dark in a dark workbench", this::darkWithoutTrace);
    cases.add("the page without a trace follows the theme", this::otherThemeWithoutTrace);
    cases.add("a server that is not there is told", this::noServer);
    cases.add("a server that is none is told", this::notAServer);
    cases.add("a bad trace is told", this::badTrace);
    cases.add("Stop ends a program", this::stop);
    cases.add("a killed server is started again, with its trace", this::killedServer);
    cases.add("a removed server is told, and comes back", this::removedServer);
    cases.add("a server of another protocol is told", this::otherProtocol);
    cases.add("a load is cancelled", this::cancelledLoad);
    cases.add("markup in names stays text", this::markupStaysText);
    cases.add("page and pictures are dark in a dark workbench", this::dark);
    cases.add("the open page follows the theme", this::otherTheme);
    cases.add("nothing fails when the bundle stops", this::bundleStops); // for good, so the last
  }

  // What each case finds, whatever the one before it has left.
  private void withTheServerInTheDark() throws Exception {
    if (!Files.exists(link, LinkOption.NOFOLLOW_LINKS)) Files.createSymbolicLink(link, target);
    if (!bench.plugin.settings.store().getString(Settings.SERVER_PATH).isEmpty()) setServer("");
    setTheme("e4_dark");
  }

  private void setServer(String path) throws Exception {
    bench.ui(
        () -> {
          bench.plugin.settings.store().setValue(Settings.SERVER_PATH, path);
          return null;
        });
    bench.ended("the server's end", bench.plugin.server.restart());
  }

  // A trace is open, and the page shows it; a server runs, also after one was told to end.
  private void showSomeTrace() throws Exception {
    bench.ended("the server's start", bench.plugin.server.initialized());
    if (bench.plugin.traces.current() == null) runCholesky();
    GraphPage.untilReady(bench);
  }

  private void noServer() throws Exception {
    setServer("/no/such/tasklens");
    bench.clickTool("Run Traced");
    bench.noticed(
        "/no/such/tasklens (from the preferences) is not a program; install TaskLens, or set its path");
    bench.snap("no_server");
  }

  private void notAServer() throws Exception {
    setServer("/bin/cat");
    bench.clickTool("Run Traced");
    bench.noticed("the server does not start: /bin/cat: serve: No such file");
    setServer("/bin/false");
    bench.clickTool("Run Traced");
    bench.noticed("the server does not start: the TaskLens server has ended");
    setServer("");
  }

  private void open(Path trace) throws Exception {
    bench.ui(
        () -> {
          var commands = bench.window().getService(org.eclipse.ui.commands.ICommandService.class);
          var command = commands.getCommand("org.tasklens.eclipse.openTrace");
          var parameters = Map.of(OpenTrace.PATH, trace.toString());
          var call =
              org.eclipse.core.commands.ParameterizedCommand.generateCommand(command, parameters);
          return bench.window().getService(IHandlerService.class).executeCommand(call, null);
        });
  }

  private void badTrace() throws Exception {
    Path bad = bench.work.resolve("bad.tlt");
    Files.writeString(bad, "this is no trace\n");
    int before = bench.plugin.traces.open().size();
    open(bad);
    bench.noticed("bad.tlt");
    Bench.expect(bench.plugin.traces.open().size() == before, "a bad trace is not opened");
    open(bench.work.resolve("missing.tlt"));
    bench.noticed("missing.tlt");
  }

  private void stop() throws Exception {
    bench.ui(() -> {
      bench.plugin.runs.start(
          LaunchPrograms.program("/bin/sleep", "1000", Map.of(), ""));
      return null;
    });
    bench.clickTool("Stop");
    bench.noticed("sleep");
    bench.until("nothing runs", () -> !bench.plugin.runs.isRunning());
    Bench.expect(bench.plugin.runs.all().get(0).message().contains("SIGTERM"),
        "Stop ends a program: " + bench.plugin.runs.all().get(0).message());
  }

  private void runCholesky() {
    bench.plugin.runs.start(LaunchPrograms.program(cholesky.toString(), "", Map.of(), ""));
  }

  private void killedServer() throws Exception {
    runCholesky();
    GraphPage.untilReady(bench);
    long pid = bench.plugin.server.pid();
    Trace before = bench.plugin.traces.current();
    Bench.expect(ProcessHandle.of(pid).orElseThrow().destroyForcibly(), "the server is killed");
    bench.noticed("the server ended unexpectedly (status 137");
    bench.noticed("and was started again");
    bench.until("its trace opened again",
        () -> bench.plugin.traces.current() != null && bench.plugin.traces.current() != before);
    Bench.expect(bench.plugin.server.pid() != pid, "another server runs");
    GraphPage.untilReady(bench);
    bench.untilDrawn(Views.GRAPH);
    bench.snap("killed_server");
  }

  private void removedServer() throws Exception {
    showSomeTrace(); // so that there is a server
    Files.delete(link);
    ProcessHandle.of(bench.plugin.server.pid()).orElseThrow().destroyForcibly();
    bench.noticed("and does not start again: the program tasklens is not in PATH");
    Bench.expect(bench.plugin.traces.open().isEmpty(), "no trace is open without a server");
    bench.snap("removed_server");
    Files.createSymbolicLink(link, target);
    runCholesky();
    bench.until("a trace again", () -> !bench.plugin.traces.open().isEmpty());
    GraphPage.untilReady(bench);
    Bench.expect(true, "once it is back, the next command works");
  }

  private void otherProtocol() throws Exception {
    Bench.expect(
        bench.plugin.notices.recent().stream().noneMatch(text -> text.contains("protocol")),
        "a server of the same protocol is not told of");
    Files.delete(link);
    Files.writeString(link, "#!/bin/sh\nPROTOCOL=2 exec '" + target + "' \"$@\"\n");
    Bench.expect(link.toFile().setExecutable(true), "a server of another protocol is there");
    bench.ended("the server's end", bench.plugin.server.restart());
    runCholesky();
    bench.noticed(
        "this plugin is older than the server, update it; until then some commands may fail (");
    bench.noticed(": protocol 1; " + link + ", tasklens ");
    bench.noticed(": protocol 2)");
    bench.until("a trace all the same", () -> !bench.plugin.traces.open().isEmpty());
    GraphPage.untilReady(bench);
    bench.snap("other_protocol");
    Files.delete(link);
    Files.createSymbolicLink(link, target);
    bench.ended("the server's end", bench.plugin.server.restart());
  }

  private void cancelledLoad() throws Exception {
    // 1,353,400 tasks: their reading goes on for long after its progress began.
    Path folder = bench.work.resolve("large");
    Process recording = new ProcessBuilder(
        "tasklens", "run", "-o", folder.toString(), "--", cholesky.toString(), "200", "1")
                            .redirectErrorStream(true)
                            .redirectOutput(bench.outputs.resolve("large.log").toFile())
                            .start();
    Bench.expect(bench.ended("the recording", recording.onExit()).exitValue() == 0,
        "a large trace is recorded");
    showSomeTrace(); // so that there is a server
    // A load may be done before it could be held, where the machine has much else to do. That is no
    // try: it is opened again, read from its file as the first time.
    while (!cancelLoad(folder)) {
      if (!Files.isDirectory(savedTraces()))
        continue;
      for (Path saved : Files.walk(savedTraces()).filter(Files::isRegularFile).toList())
        Files.delete(saved);
    }
  }

  private static Path savedTraces() {
    return Path.of(System.getenv("XDG_CACHE_HOME"), "tasklens", "traces");
  }

  // Whether the load was cancelled; it was done otherwise.
  private boolean cancelLoad(Path folder) throws Exception {
    int cancelled = bench.plugin.progress.cancelled();
    // The server is held from the beginning of its load on until that was cancelled.
    long server = bench.plugin.server.pid();
    AtomicBoolean isHeld = new AtomicBoolean();
    CompletableFuture<Job> begun = new CompletableFuture<>();
    JobChangeAdapter hold = new JobChangeAdapter() {
      @Override
      public void scheduled(IJobChangeEvent event) {
        if (event.getJob().belongsTo(ProgressJobs.class) && !isHeld.getAndSet(true))
          signal("STOP", server);
      }

      @Override
      public void running(IJobChangeEvent event) { // cancelling it before that is not sure to count
        if (event.getJob().belongsTo(ProgressJobs.class)) begun.complete(event.getJob());
      }
    };
    Job.getJobManager().addJobChangeListener(hold);
    var load = bench.plugin.traces.open(List.of(folder.toString()));
    Job job = bench.ended("the beginning of the load", begun);
    Job.getJobManager().removeJobChangeListener(hold);
    job.cancel();
    bench.until("the cancelling on its way, or its job's end",
        () -> bench.plugin.progress.cancelled() > cancelled || job.getState() == Job.NONE);
    long asked = System.nanoTime();
    signal("CONT", server);
    Trace trace = null;
    try {
      trace = bench.ended("the load", load);
    } catch (ExecutionException e) {
      Bench.expect(
          ServerError.isCancelled(e), "the load was cancelled: " + e.getCause().getMessage());
      System.out.printf(
          "MEASURED cancel to the end of the load: %.0f ms%n", (System.nanoTime() - asked) / 1e6);
    }
    bench.until("its job ended", () -> Job.getJobManager().find(ProgressJobs.class).length == 0);
    if (trace != null) {
      System.out.println("the load was done before it could be held: once more");
      bench.plugin.traces.close(trace);
    }
    // (A run that was begun before may open its trace meanwhile.)
    bench.until(
        "no trace of it",
        () -> bench.plugin.traces.open().stream().noneMatch(one -> one.folder().equals(folder.toString())));
    return trace == null;
  }

  private static void signal(String name, long process) {
    // "-1" would be every process there is, this one as well.
    if (process <= 0) throw new AssertionError("no server runs that could get SIG" + name);
    try {
      int status = new ProcessBuilder("kill", "-" + name, String.valueOf(process))
                       .inheritIO()
                       .start()
                       .waitFor();
      Bench.expect(status == 0, "the server got SIG" + name);
    } catch (IOException | InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private void markupStaysText() throws Exception {
    bench.plugin.runs.start(LaunchPrograms.program(
        bench.data.resolve("tests/ide-plugin/webview/hostile").toString(), "", Map.of(),
        bench.work.toString()));
    bench.until("its trace",
        ()
            -> bench.plugin.traces.current() != null
            && bench.plugin.traces.current().title().equals("hostile"));
    GraphPage.untilReady(bench);
    Tree tree = bench.until("the table of tasks", () -> bench.tree("Task", "Source"));
    bench.until("a name with markup, as text", () -> {
      for (var item : tree.getItems()) if (item.getText(0).contains("<")) return true;
      return false;
    });
    String made =
        "return String(document.querySelectorAll('img, iframe, [onerror], [onload], [onmouseover]').length"
        + " + ' ' + document.scripts.length)";
    Bench.expect("0 1".equals(bench.script(Views.GRAPH, made)),
        "no element came from a name");
    bench.untilDrawn(Views.GRAPH);
    bench.snap("markup");
  }

  // This test runs in a dark workbench.
  private void darkWithoutTrace() throws Exception {
    untilBackground("rgb(15, 19, 24)");
    bench.snap("dark_before");
  }

  private void untilBackground(String colour) throws Exception {
    bench.untilAsked("the page without a trace in " + colour,
        ()
            -> colour.equals(bench.script(
                Views.GRAPH, "return getComputedStyle(document.body).backgroundColor")));
  }

  // As the page Appearance of the preferences does.
  private void setTheme(String name) {
    bench.ui(() -> {
      var engine = bench.window().getService(IThemeEngine.class);
      engine.setTheme("org.eclipse.e4.ui.css.theme." + name, false);
      return null;
    });
  }

  private void otherThemeWithoutTrace() throws Exception {
    setTheme("e4_default");
    untilBackground("rgb(241, 243, 246)");
    setTheme("e4_dark");
    untilBackground("rgb(15, 19, 24)");
    System.out.println("ok: another theme of the workbench is that of the page without a trace");
  }

  private void untilTheme(String name) throws Exception {
    bench.untilAsked("the open page, " + name, () -> name.equals(bench.script(Views.GRAPH, THEME)));
    bench.untilDrawn(Views.GRAPH);
    bench.snap("page_" + name);
  }

  private static final String THEME = "return document.documentElement.dataset.theme";

  private void otherTheme() throws Exception {
    showSomeTrace();
    bench.script(Views.GRAPH, "globalThis.isThatPage = true; return 'done'");
    setTheme("e4_default");
    untilTheme("light");
    setTheme("e4_dark");
    untilTheme("dark");
    String isThatPage = "return String(globalThis.isThatPage)";
    Bench.expect("true".equals(bench.script(Views.GRAPH, isThatPage)),
        "another theme of the workbench reaches the page that is open, without a reload");
  }

  private void dark() throws Exception {
    showSomeTrace();
    String theme = bench.script(Views.GRAPH, THEME);
    Bench.expect("dark".equals(theme), "the page is dark in a dark workbench");
    var picture = bench.ui(() -> bench.toolItem("Run Traced").getImage().getImageData());
    int brightest = 0;
    for (int x = 0; x < picture.width; ++x)
      for (int y = 0; y < picture.height; ++y)
        if (picture.getAlpha(x, y) > 200 || picture.alphaData == null)
          brightest = Math.max(brightest, picture.palette.getRGB(picture.getPixel(x, y)).blue);
    Bench.expect(brightest > 230, "the pictures are those for a dark workbench: " + brightest);
  }

  // What views, commands and the editor ask while the bundle stops, and what the user does in them
  // afterwards, is answered by nobody; nothing is thrown or told.
  private void bundleStops() throws Exception {
    showSomeTrace();
    // A view that comes to the front when another is closed would be made then.
    bench.ui(() -> bench.plugin.views.show(Views.TIMELINE));
    bench.ui(() -> bench.plugin.views.show(Views.GRAPH));
    Trace trace = bench.plugin.traces.current();
    Tree tree = bench.until("the table of tasks", () -> bench.tree("Task", "Source"));
    bench.until("its lines", () -> tree.getItemCount() > 0);
    IEditorPart editor = bench.ui(() -> IDE.openEditor(bench.page(), source()));
    List<String> thrown = new CopyOnWriteArrayList<>();
    ILogListener log = (status, plugin) -> {
      if (status.getException() != null)
        thrown.add(status.getMessage() + ": " + status.getException());
    };
    Platform.addLogListener(log);
    Thread.setDefaultUncaughtExceptionHandler(
        (thread, failure) -> thrown.add(thread + ": " + failure));
    List<CompletableFuture<?>> asked = new CopyOnWriteArrayList<>();
    AtomicBoolean isStopped = new AtomicBoolean();
    CountDownLatch askedOnce = new CountDownLatch(1);
    Thread asking = new Thread(() -> {
      boolean isLast = false;
      while (!isLast) {
        isLast = isStopped.get();
        JsonObject params = Json.of("trace", trace.id());
        asked.add(bench.plugin.server.request("tasklens/advice", params));
        asked.add(bench.plugin.traces.open(trace.paths()));
        asked.add(bench.plugin.project.keptRuns());
        bench.plugin.views.reveal(trace.id(), Json.of("site", 0), false);
        bench.plugin.sites.refreshAll();
        askedOnce.countDown();
        asked.get(asked.size() - 1).exceptionally(failure -> null).join();
      }
    }, "asks on");
    asking.start();
    askedOnce.await();
    FrameworkUtil.getBundle(Application.class).stop();
    int told = bench.plugin.notices.recent().size();
    isStopped.set(true);
    asking.join();
    for (CompletableFuture<?> one : asked) {
      Throwable failure = bench.ended("an answer or none", one.handle((answer, why) -> why));
      if (failure != null && !ServerError.isTold(failure)) throw new AssertionError(failure);
    }
    Bench.expect(
        Application.of() == null && !bench.plugin.server.isRunning(), "the bundle has stopped");

    bench.clickItem("a line of the table", tree, () -> tree.getItem(0), 0);
    bench.until("it is chosen", () -> tree.getSelectionCount() == 1);
    bench.clickTool("Run Traced");
    bench.until("a run that came to nothing",
        () -> bench.plugin.runs.all().get(0).state() == TracedRun.State.FAILED);
    bench.ui(() -> {
      bench.page().activate(editor);
      bench.text().replaceTextRange(0, 0, "// typed\n");
      return null;
    });
    bench.ui(() -> bench.page().closeEditor(editor, false));
    bench.ui(() -> {
      bench.page().hideView(bench.view(Views.GRAPH));
      return null;
    });
    bench.snap("stopped");
    Platform.removeLogListener(log);
    Thread.setDefaultUncaughtExceptionHandler(null);
    Bench.expect(thrown.isEmpty(), "nothing was thrown: " + thrown);
    Bench.expect(bench.plugin.notices.recent().size() == told, "nobody was told of what failed");
  }

  private static IFile source() {
    return ResourcesPlugin.getWorkspace()
        .getRoot()
        .getProject("cholesky")
        .getFile("examples/cholesky.c");
  }
}
