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
 * The process {@code tasklens serve}. It is started on the first request, and again on a request
 * after it has ended. All methods return at once and may be called on any thread.
 */
public final class LanguageServer implements Requests {
  /** Describes the client to the server, and receives its messages. */
  public interface Client extends Connection.Peer {
    /** The program; called off the UI thread at each start. */
    Path program() throws ServerError;

    JsonObject initializeParams();

    /** The server is initialized; called before the requests that waited for it are sent. */
    void started(LanguageServer server);

    /** The server ended by itself. {@code why}: its status and last output, one line. */
    void crashed(LanguageServer server, String why);
  }

  private static final int LAST_WORDS = 5;
  private static final long SECONDS_TO_EXIT = 3;
  private static final long LISTEN_MS = 5000; // the listener ends soon after the process

  private final Client client;
  // Starts and ends the process, one operation at a time.
  private final ExecutorService starter =
      Executors.newSingleThreadExecutor(
          body -> {
            Thread thread = new Thread(body, "TaskLens server");
            thread.setDaemon(true);
            return thread;
          });

  private CompletableFuture<Running> running; // null: no server runs
  private Process last; // the last process started
  private boolean stopped;

  /** One process of the server. */
  private static final class Running {
    Process process;
    Connection connection;
    JsonObject initialized; // its answer to initialize
    volatile boolean ends; // it was asked to end
    final Deque<String> lastWords = new ArrayDeque<>();
    Thread listener; // reads its standard error
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

  /** The server's answer to {@code initialize}; starts a server if none runs. */
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

  /** The process id, or -1. */
  public synchronized long pid() {
    return isRunning() ? running.join().process.pid() : -1;
  }

  /** Ends the server, if one runs; the next request starts a new one. */
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
   * Ends the server for good and waits for its end, a few seconds at most. Open requests fail, as
   * do all later ones.
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
      // The server does not react. The workbench may live on, but the server must not.
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

  // Runs on the starter's thread.
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
                server.process.destroyForcibly(); // it may still be alive
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
                // The pipe was closed when the process ended.
              }
            },
            "TaskLens server's messages");
    thread.setDaemon(true);
    thread.start();
    server.listener = thread;
  }

  // Not on the UI thread: waits for the output of a process that has just ended.
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
      else if (!server.ends) return; // it ended before it was ready: start() reports that
    }
    client.ended();
    if (server.ends) return;
    String status = "status unknown";
    try {
      server.process.getOutputStream().close();
    } catch (IOException e) {
      // The stream was already closed.
    }
    try {
      // A process that does not speak JSON-RPC any more but is still alive is killed.
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
      // The server is asked to exit all the same.
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
