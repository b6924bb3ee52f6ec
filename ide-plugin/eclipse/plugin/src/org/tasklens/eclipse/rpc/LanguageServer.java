// SPDX-License-Identifier: Apache-2.0
package org.tasklens.eclipse.rpc;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * The process {@code tasklens serve}: started when it is first asked something, started again when
 * it is asked after it ended. All methods return at once and may be called on any thread.
 */
public final class LanguageServer implements Requests {
  /** What a server needs to know of its client, and who hears of it. */
  public interface Client extends Connection.Peer {
    /** The program; called off the UI thread at each start. */
    Path program() throws ServerError;

    JsonObject initializeParams();

    /** The server answers; called before any request that waited for it is sent. */
    void started(LanguageServer server);

    /** It ended by itself. {@code why}: its status and last words, one line. */
    void crashed(LanguageServer server, String why);
  }

  private static final int LAST_WORDS = 5;
  private static final long SECONDS_TO_EXIT = 3;
  private static final long LISTEN_MS = 5000; // its end is near, and then there is no more to hear

  private final Client client;
  // Starts and ends of the process, one after the other.
  private final ExecutorService starter =
      Executors.newSingleThreadExecutor(
          body -> {
            Thread thread = new Thread(body, "TaskLens server");
            thread.setDaemon(true);
            return thread;
          });

  private CompletableFuture<Running> running; // null: none is started
  private Process last; // that was started
  private boolean stopped;

  /** One process. */
  private static final class Running {
    Process process;
    Connection connection;
    JsonObject initialized; // its answer to initialize
    volatile boolean ends; // it was told to
    final Deque<String> lastWords = new ArrayDeque<>();
    Thread listener; // to its standard error
  }

  public LanguageServer(Client client) {
    this.client = client;
  }

  @Override
  public CompletableFuture<JsonElement> request(String method, JsonElement params) {
    CompletableFuture<JsonElement> answer = new CompletableFuture<>();
    running()
        .whenComplete(
            (server, failure) -> {
              if (failure != null) {
                answer.completeExceptionally(failure);
                return;
              }
              CompletableFuture<JsonElement> call = server.connection.request(method, params);
              call.whenComplete(
                  (result, error) -> {
                    if (error == null) answer.complete(result);
                    else answer.completeExceptionally(error);
                  });
              answer.whenComplete(
                  (result, error) -> {
                    if (answer.isCancelled()) call.cancel(true);
                  });
            });
    return answer;
  }

  /** What a running server answered to {@code initialize}; starts it where none runs. */
  public CompletableFuture<JsonObject> initialized() {
    return running().thenApply(server -> server.initialized);
  }

  @Override
  public synchronized void tell(String method, JsonElement params) {
    if (running != null && running.isDone() && !running.isCompletedExceptionally())
      running.join().connection.tell(method, params);
  }

  @Override
  public synchronized boolean isRunning() {
    return running != null && running.isDone() && !running.isCompletedExceptionally();
  }

  /** The process's number, or -1. */
  public synchronized long pid() {
    return isRunning() ? running.join().process.pid() : -1;
  }

  /** Ends the server, if one runs; the next request starts another. */
  public synchronized CompletableFuture<Void> restart() {
    CompletableFuture<Running> old = running;
    running = null;
    if (old == null) return CompletableFuture.completedFuture(null);
    return old.handle((server, failure) -> server)
        .thenAcceptAsync(
            server -> {
              if (server != null) end(server);
            },
            starter);
  }

  /**
   * Ends the server for good; waits until it has, a few seconds at most. What was asked and has no
   * answer yet fails, and so does what is asked later; whoever asks may do so on.
   */
  public void stop() {
    CompletableFuture<Void> end;
    synchronized (this) {
      stopped = true;
      if (running != null && !running.isDone()) kill(); // it has not even started
      end = restart();
    }
    try {
      end.get(2 * SECONDS_TO_EXIT, TimeUnit.SECONDS);
    } catch (InterruptedException | ExecutionException | TimeoutException e) {
      // It does not listen. The workbench may live on: it must not.
      kill();
    }
    starter.shutdown();
  }

  private synchronized void kill() {
    if (last != null) last.destroyForcibly();
  }

  private synchronized CompletableFuture<Running> running() {
    if (stopped) return CompletableFuture.failedFuture(closing());
    if (running == null || running.isCompletedExceptionally())
      running = CompletableFuture.supplyAsync(Running::new, starter)
                    .thenComposeAsync(this::start, starter);
    return running;
  }

  private static ServerError closing() {
    return new ServerError(ServerError.CLOSING, "the workbench is being closed");
  }

  // On the starter's thread.
  private CompletableFuture<Running> start(Running server) {
    try {
      Path program = client.program();
      server.process = new ProcessBuilder(program.toString(), "serve").start();
    } catch (ServerError e) {
      return CompletableFuture.failedFuture(e);
    } catch (IOException e) {
      return CompletableFuture.failedFuture(
          new ServerError(0, "the server does not start: " + e.getMessage()));
    }
    synchronized (this) {
      last = server.process;
      if (stopped) {
        kill();
        return CompletableFuture.failedFuture(closing());
      }
    }
    collectLastWords(server);
    server.connection =
        new Connection(
            server.process.getInputStream(),
            server.process.getOutputStream(),
            new Connection.Peer() {
              @Override
              public void notified(String method, JsonObject params) {
                client.notified(method, params);
              }

              @Override
              public CompletableFuture<JsonElement> requested(String method, JsonObject params) {
                return client.requested(method, params);
              }

              @Override
              public void ended() {
                onEnd(server);
              }
            });
    return server
        .connection
        .request("initialize", client.initializeParams())
        .handle(
            (answer, failure) -> {
              if (failure != null) {
                server.process.destroyForcibly(); // it may live on, whatever it is
                throw new CompletionException(
                    new ServerError(0, "the server does not start: " + describe(server, failure)));
              }
              server.initialized = answer.getAsJsonObject();
              server.connection.tell("initialized", new JsonObject());
              return server;
            })
        .thenApply(
            ready -> {
              welcome();
              return ready;
            });
  }

  private synchronized void welcome() {
    if (!stopped) starter.execute(() -> client.started(this));
  }

  private static String describe(Running server, Throwable failure) {
    String words = lastWords(server);
    return words.isEmpty() ? ServerError.messageOf(failure) : words;
  }

  private static void collectLastWords(Running server) {
    Thread thread =
        new Thread(
            () -> {
              try (BufferedReader lines =
                  new BufferedReader(
                      new InputStreamReader(
                          server.process.getErrorStream(), StandardCharsets.UTF_8))) {
                for (String line = lines.readLine(); line != null; line = lines.readLine())
                  synchronized (server.lastWords) {
                    server.lastWords.add(line.length() > 500 ? line.substring(0, 500) : line);
                    if (server.lastWords.size() > LAST_WORDS) server.lastWords.removeFirst();
                  }
              } catch (IOException e) {
                // The pipe ended with the process.
              }
            },
            "TaskLens server's messages");
    thread.setDaemon(true);
    thread.start();
    server.listener = thread;
  }

  // Not on the UI thread: a process that has just ended may still be heard.
  private static String lastWords(Running server) {
    try {
      server.listener.join(LISTEN_MS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    synchronized (server.lastWords) {
      return String.join(" ", server.lastWords);
    }
  }

  private void onEnd(Running server) {
    synchronized (this) {
      boolean isCurrent =
          running != null
              && running.isDone()
              && !running.isCompletedExceptionally()
              && running.join() == server;
      if (isCurrent) running = null;
      else if (!server.ends) return; // it ended before it was ready: its starter says so
    }
    client.ended();
    if (server.ends) return;
    String status = "status unknown";
    try {
      server.process.getOutputStream().close();
    } catch (IOException e) {
      // It was closed already.
    }
    try {
      // What speaks no JSON-RPC any more but lives on is no server.
      if (!server.process.waitFor(SECONDS_TO_EXIT, TimeUnit.SECONDS))
        server.process.destroyForcibly().waitFor(SECONDS_TO_EXIT, TimeUnit.SECONDS);
      status = "status " + server.process.exitValue();
    } catch (InterruptedException | IllegalThreadStateException e) {
      Thread.currentThread().interrupt();
    }
    String words = lastWords(server);
    client.crashed(this, words.isEmpty() ? status : status + ": " + words);
  }

  private static void end(Running server) {
    server.ends = true;
    try {
      server.connection.request("shutdown", null).get(SECONDS_TO_EXIT, TimeUnit.SECONDS);
    } catch (InterruptedException | ExecutionException | TimeoutException e) {
      // It is told to exit all the same.
    }
    server.connection.tell("exit", null);
    server.connection.close();
    try {
      if (!server.process.waitFor(SECONDS_TO_EXIT, TimeUnit.SECONDS))
        server.process.destroyForcibly();
    } catch (InterruptedException e) {
      server.process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
  }
}
