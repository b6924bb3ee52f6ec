// SPDX-License-Identifier: Apache-2.0
package org.tasklens.eclipse;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.io.IOException;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.tasklens.eclipse.model.KeptRun;
import org.tasklens.eclipse.model.Messages;
import org.tasklens.eclipse.model.Program;
import org.tasklens.eclipse.model.Project;
import org.tasklens.eclipse.model.Runs;
import org.tasklens.eclipse.model.ServerClient;
import org.tasklens.eclipse.model.Text;
import org.tasklens.eclipse.model.Trace;
import org.tasklens.eclipse.model.TracedRun;
import org.tasklens.eclipse.model.Traces;
import org.tasklens.eclipse.rpc.Connection;
import org.tasklens.eclipse.rpc.Json;
import org.tasklens.eclipse.rpc.LanguageServer;
import org.tasklens.eclipse.rpc.ServerError;

/**
 * The rooms {@code rpc} and {@code model} of the plugin with the real server and no workbench:
 * {@code ModelTest SERVER PROGRAM FOLDER}, where PROGRAM is the cholesky example and FOLDER is empty.
 */
public final class ModelTest {
  /** What throws something has failed. */
  private interface Body {
    void run() throws Exception;
  }

  private final String program;
  private final Path server;
  private final Path folder;

  private ModelTest(String[] arguments) {
    server = Path.of(arguments[0]);
    program = arguments[1];
    folder = Path.of(arguments[2]);
  }

  public static void main(String[] arguments) {
    ModelTest test = new ModelTest(arguments);
    Map<String, Body> cases = new LinkedHashMap<>();
    cases.put("numbers are written for people", test::numbers);
    cases.put("a message of bytes that come one by one is read", test::slowBytes);
    cases.put("what is no message ends the connection, and fails what waits", test::noMessage);
    cases.put("a program is run, and its trace, output and kept run are known", test::run);
    cases.put("a server that was killed is started again, with its trace", test::killed);
    cases.put("a server that ends four times within a minute is left alone", test::killedOften);
    cases.put("a server that is not there is told", test::noServer);
    cases.put("stopping fails what is under way and what comes later, and no more", test::stop);
    cases.put("stopping ends a server that does not answer", test::stopWhileItStarts);
    int failed = 0;
    for (Map.Entry<String, Body> one : cases.entrySet()) {
      try {
        one.getValue().run();
        System.out.println("passed: " + one.getKey());
      } catch (Exception | AssertionError failure) {
        System.out.println("FAILED: " + one.getKey() + ": " + failure.getMessage());
        failure.printStackTrace();
        ++failed;
      }
    }
    System.exit(failed == 0 ? 0 : 1);
  }

  private static void expect(boolean condition, String what) {
    if (!condition) throw new AssertionError(what);
  }

  private static void expectEqual(Object expected, Object found) {
    expect(expected.equals(found), "expected " + expected + ", found " + found);
  }

  // --- What the plugin's Application puts together, without a workbench

  /** Keeps what people would be told. */
  private static final class Told implements Messages {
    private final BlockingQueue<String> texts = new LinkedBlockingQueue<>();

    @Override
    public void info(String text) {
      texts.add("info: " + text);
    }

    @Override
    public void warning(String text) {
      texts.add("warning: " + text);
    }

    @Override
    public void error(String text) {
      texts.add("error: " + text);
    }

    /** Waits for a text with this part. */
    String next(String part) throws InterruptedException {
      String text = texts.take();
      while (!text.contains(part)) text = texts.take();
      return text;
    }
  }

  private static final class Plugin implements AutoCloseable, ServerClient.Workbench {
    final Told told = new Told();
    final LanguageServer server;
    final Traces traces;
    final Runs runs;
    final Project project;
    private final String serverPath;
    private final Path folder;

    Plugin(Path serverPath, Path folder) throws IOException {
      this.serverPath = serverPath.toString();
      this.folder = Files.createDirectories(folder);
      ServerClient client = new ServerClient(this, told);
      server = new LanguageServer(client);
      traces = new Traces(server, told, Runnable::run);
      runs = new Runs(server, told, Runnable::run, Map::of);
      project = new Project(server);
      client.on("tasklens/runStarted", runs::started);
      client.on("tasklens/runOutput", runs::output);
      client.on("tasklens/traceUpdated", traces::updated);
      client.onStart(traces::reopen);
      client.onEnd(runs::serverEnded);
      client.onLoss(traces::lost);
    }

    @Override
    public String serverPath() {
      return serverPath;
    }

    @Override
    public JsonArray folders() {
      JsonArray folders = new JsonArray();
      folders.add(Json.of("uri", folder.toUri().toString(), "name", "project"));
      return folders;
    }

    @Override
    public JsonObject settings() {
      return Json.of("sourceRoots", List.of(), "silencedRules", List.of());
    }

    @Override
    public String pluginVersion() {
      return "0";
    }

    void kill() {
      ProcessHandle.of(server.pid()).orElseThrow().destroyForcibly();
    }

    /** Waits until the traces are such. */
    void until(Predicate<List<Trace>> isSo) throws InterruptedException {
      CountDownLatch done = new CountDownLatch(1);
      Traces.Listener listener = current -> {
        if (isSo.test(traces.open())) done.countDown();
      };
      traces.add(listener);
      listener.changed(null); // it may be so already
      done.await();
      traces.remove(listener);
    }

    @Override
    public void close() {
      server.stop();
    }
  }

  private Plugin plugin(String name) throws IOException {
    return new Plugin(server, folder.resolve(name));
  }

  /** Runs the example with so many tiles, and waits for its end. */
  private TracedRun runCholesky(Plugin plugin, String tiles) {
    CompletableFuture<TracedRun> ended = new CompletableFuture<>();
    plugin.runs.follow(new Runs.Follower() {
      @Override
      public void ended(TracedRun run, String directory) {
        ended.complete(run);
      }
    });
    plugin.runs.start(new Program(program, List.of(tiles), Map.of(), ""));
    return ended.join();
  }

  // --- Cases

  private void numbers() {
    expectEqual("1.23 ms", Text.duration(1_234_567));
    expectEqual("", Text.duration(-1));
    expectEqual("1 task", Text.counted(1, "task"));
    expectEqual("1,234 tasks", Text.counted(1234, "task"));
    expectEqual("a b", Text.oneLine("a\nb"));
  }

  /** The server's side of a connection, by hand. */
  private static final class Peer implements Connection.Peer {
    final BlockingQueue<String> heard = new LinkedBlockingQueue<>();
    final CountDownLatch ended = new CountDownLatch(1);

    @Override
    public void notified(String method, JsonObject params) {
      heard.add(method + " " + Json.write(params));
    }

    @Override
    public CompletableFuture<JsonElement> requested(String method, JsonObject params) {
      return null;
    }

    @Override
    public void ended() {
      ended.countDown();
    }
  }

  private void slowBytes() throws Exception {
    PipedOutputStream theirs = new PipedOutputStream();
    PipedInputStream sent = new PipedInputStream();
    Peer peer = new Peer();
    PipedInputStream in = new PipedInputStream(theirs);
    Connection connection = new Connection(in, new PipedOutputStream(sent), peer);
    byte[] text = "{\"jsonrpc\":\"2.0\",\"method\":\"m\",\"params\":{\"a\":\"é\"}}"
                      .getBytes(StandardCharsets.UTF_8);
    for (byte one : ("content-length:" + text.length + "\r\nOther: x\r\n\r\n")
                        .getBytes(StandardCharsets.US_ASCII)) {
      theirs.write(one);
      theirs.flush();
    }
    for (byte one : text) {
      theirs.write(one);
      theirs.flush();
    }
    expectEqual("m {\"a\":\"é\"}", peer.heard.take());
    connection.close();
    theirs.close();
    peer.ended.await();
  }

  private void noMessage() throws Exception {
    for (String bad : List.of("no head\r\n\r\n{}", "Content-Length: -1\r\n\r\n",
             "Content-Length: 3\r\n\r\n[1]", "Content-Length: 9\r\n\r\n{}")) {
      PipedOutputStream theirs = new PipedOutputStream();
      Peer peer = new Peer();
      PipedInputStream in = new PipedInputStream(theirs);
      Connection connection = new Connection(in, new PipedOutputStream(new PipedInputStream()), peer);
      CompletableFuture<JsonElement> waits = connection.request("m", null);
      theirs.write(bad.getBytes(StandardCharsets.US_ASCII));
      theirs.close();
      peer.ended.await();
      expect(waits.isCompletedExceptionally(), "what waited failed after " + bad);
      expect(connection.request("m", null).isCompletedExceptionally(), "so does what comes later");
    }
  }

  private void run() throws Exception {
    try (Plugin plugin = plugin("run")) {
      StringBuffer output = new StringBuffer();
      plugin.runs.follow(new Runs.Follower() {
        @Override
        public void wrote(TracedRun run, String text, boolean isError) {
          output.append(text);
        }
      });
      expect(!plugin.server.isRunning(), "no server runs before anything was asked");
      TracedRun run = runCholesky(plugin, "4");
      expectEqual(TracedRun.State.DONE, run.state());
      expect(output.toString().contains("L(0,0) ="), "what it wrote: " + output);
      expectEqual(20L, plugin.traces.find(run.trace()).tasks());
      expectEqual(plugin.traces.find(run.trace()), plugin.traces.current());
      KeptRun kept = plugin.project.keptRuns().join().get(0);
      expectEqual(run.kept(), kept.id());
      expectEqual(run.trace(), kept.trace());
      plugin.project.rename(kept, "the fourth").join();
      expectEqual("the fourth", plugin.project.keptRuns().join().get(0).label());
      Trace trace = plugin.traces.current();
      plugin.traces.close(trace);
      plugin.until(List::isEmpty);
      plugin.traces.open(List.of(kept.directory())).join();
      plugin.until(open -> open.size() == 1);
      expectEqual(20L, plugin.traces.current().tasks());
    }
  }

  private void killed() throws Exception {
    try (Plugin plugin = plugin("killed")) {
      runCholesky(plugin, "3");
      plugin.until(open -> open.size() == 1);
      long before = plugin.server.pid();
      plugin.kill();
      expect(plugin.told.next("and was started again").startsWith("warning: "), "it is a warning");
      plugin.until(open -> open.size() == 1 && open.get(0).tasks() == 10);
      expect(plugin.server.pid() != before, "another server runs");
    }
  }

  private void killedOften() throws Exception {
    try (Plugin plugin = plugin("killed_often")) {
      plugin.server.initialized().join();
      for (int i = 0; i < 3; ++i) {
        plugin.kill();
        plugin.told.next("and was started again");
      }
      plugin.kill();
      expect(plugin.told.next("for the 4th time within a minute").startsWith("error: "), "an error");
      expect(!plugin.server.isRunning(), "none is started by itself");
      plugin.server.initialized().join(); // but when it is asked for
    }
  }

  private void noServer() throws Exception {
    try (Plugin plugin = new Plugin(folder.resolve("no/such/tasklens"), folder.resolve("none"))) {
      plugin.runs.start(new Program(program, List.of(), Map.of(), ""));
      plugin.told.next("is not a program; install TaskLens, or set its path");
      expectEqual(TracedRun.State.FAILED, plugin.runs.all().get(0).state());
      expect(!plugin.runs.isRunning(), "the run has failed");
    }
  }

  // What the views, editors and commands do, from threads of their own, while the bundle stops: each
  // future ends, and only as one that people know of.
  private void stop() throws Exception {
    Plugin plugin = plugin("stop");
    Trace trace = plugin.traces.find(runCholesky(plugin, "6").trace());
    ProcessHandle process = ProcessHandle.of(plugin.server.pid()).orElseThrow();
    List<Supplier<CompletableFuture<?>>> callers =
        List.of(
            () -> plugin.server.request("tasklens/advice", Json.of("trace", trace.id())),
            () -> plugin.server.request("tasklens/graph", Json.of("trace", trace.id())),
            () -> plugin.server.initialized(),
            () -> plugin.traces.open(trace.paths()),
            () -> plugin.project.keptRuns(),
            () -> plugin.project.configurations());
    CountDownLatch askedOnce = new CountDownLatch(callers.size());
    CountDownLatch stopped = new CountDownLatch(1);
    List<Throwable> thrown = new CopyOnWriteArrayList<>();
    List<Throwable> failures = new CopyOnWriteArrayList<>();
    List<Thread> threads = new ArrayList<>();
    for (Supplier<CompletableFuture<?>> caller : callers) {
      Thread thread = new Thread(() -> {
        try {
          boolean isLast = false;
          while (!isLast) {
            isLast = stopped.getCount() == 0; // once more after the end
            plugin.server.tell(
                "workspace/didChangeConfiguration", Json.of("settings", plugin.settings()));
            plugin.traces.show(trace);
            CompletableFuture<?> answer = caller.get();
            askedOnce.countDown();
            try {
              answer.join();
            } catch (CompletionException failure) {
              failures.add(failure);
            }
          }
        } catch (RuntimeException | Error failure) {
          thrown.add(failure);
        }
      });
      thread.start();
      threads.add(thread);
    }
    askedOnce.await();
    plugin.server.stop();
    stopped.countDown();
    for (Thread one : threads) one.join();
    plugin.runs.start(new Program(program, List.of(), Map.of(), ""));
    plugin.runs.stop();
    plugin.traces.close(trace);
    plugin.server.restart().join();

    expect(thrown.isEmpty(), "nothing is thrown at who asks: " + thrown);
    expect(failures.size() >= callers.size(), "each was told that there is no server any more");
    for (Throwable one : failures)
      expect(ServerError.isTold(one), "only as people know of it: " + one);
    expectEqual(TracedRun.State.FAILED, plugin.runs.all().get(0).state());
    expect(plugin.traces.find(trace.id()) == null, "the trace is closed");
    expect(!process.isAlive(), "the server has ended");
    for (String text : plugin.told.texts) expect(!text.startsWith("error: "), text);
  }

  private void stopWhileItStarts() throws Exception {
    Path silent = Files.createDirectories(folder.resolve("silent")).resolve("tasklens");
    Path started = silent.resolveSibling("started");
    new ProcessBuilder("mkfifo", started.toString()).inheritIO().start().waitFor();
    Files.writeString(silent, "#!/bin/sh\necho $$ >'" + started + "'\nexec sleep 1000\n");
    expect(silent.toFile().setExecutable(true), "a server that says nothing");
    Plugin plugin = new Plugin(silent, folder.resolve("silent"));
    CompletableFuture<JsonElement> waits = plugin.server.request("tasklens/traces", new JsonObject());
    long number = Long.parseLong(Files.readString(started).strip());
    CompletableFuture<ProcessHandle> end = ProcessHandle.of(number).orElseThrow().onExit();
    plugin.server.stop();
    end.join();
    try {
      waits.join();
      throw new AssertionError("a server that says nothing was heard");
    } catch (CompletionException failure) {
      expect(ServerError.messageOf(failure).startsWith("the server does not start"), "" + failure);
    }
  }
}
