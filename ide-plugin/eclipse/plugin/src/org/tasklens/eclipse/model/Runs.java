// SPDX-License-Identifier: Apache-2.0
package org.tasklens.eclipse.model;

import com.google.gson.JsonObject;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import org.tasklens.eclipse.rpc.Json;
import org.tasklens.eclipse.rpc.Requests;
import org.tasklens.eclipse.rpc.ServerError;

/** Starts and stops traced runs, and lists those of this session. Any thread. */
public final class Runs {
  /** Listens to each run. Called on any thread. */
  public interface Follower {
    /** The run is about to start. */
    default void begins(TracedRun run) {}

    default void wrote(TracedRun run, String text, boolean isError) {}

    /** {@code directory}: the folder with its traces; empty if there are none. */
    default void ended(TracedRun run, String directory) {}
  }

  private final Requests server;
  private final Messages messages;
  private final Executor ui;
  private final Supplier<Map<String, String>> environment;
  private final List<TracedRun> runs = new ArrayList<>(); // the newest first
  private final List<Runnable> listeners = new CopyOnWriteArrayList<>();
  private final List<Follower> followers = new CopyOnWriteArrayList<>();
  private volatile JsonObject last;

  /**
   * {@code ui}: executes listeners; {@code environment}: variables for each program, which its own
   * override.
   */
  public Runs(Requests server, Messages messages, Executor ui,
      Supplier<Map<String, String>> environment) {
    this.server = server;
    this.messages = messages;
    this.ui = ui;
    this.environment = environment;
  }

  /** Called on the UI thread when a run begins or ends. */
  public void add(Runnable listener) {
    listeners.add(listener);
  }

  public void remove(Runnable listener) {
    listeners.remove(listener);
  }

  public void follow(Follower follower) {
    followers.add(follower);
  }

  public synchronized List<TracedRun> all() {
    return List.copyOf(runs);
  }

  public synchronized boolean isRunning() {
    return runs.stream().anyMatch(run -> run.state() == TracedRun.State.RUNNING);
  }

  /** The parameters of the last run in this session, or null. */
  public JsonObject last() {
    return last;
  }

  public void start(Program program) {
    start(program.toParams(environment.get()));
  }

  /** {@code params}: the parameters of {@code tasklens/run}. */
  public void start(JsonObject params) {
    last = params;
    TracedRun run = new TracedRun(params);
    for (Follower one : followers) one.begins(run);
    synchronized (this) {
      runs.add(0, run);
    }
    announce();
    server
        .request("tasklens/run", params)
        .whenComplete(
            (answer, failure) -> {
              if (failure == null) succeeded(run, answer.getAsJsonObject());
              else failed(run, failure);
              announce();
            });
  }

  private void succeeded(TracedRun run, JsonObject answer) {
    run.id = Json.text(answer, "run");
    String trace = Json.text(answer, "trace");
    boolean isGood = !trace.isEmpty() && Json.number(answer, "exitStatus", -1) == 0;
    run.ended(Json.text(answer, "message"), trace, Json.text(answer, "kept"), isGood);
    if (!isGood) messages.warning(run.message());
    for (Follower one : followers) one.ended(run, Json.text(answer, "directory"));
  }

  private void failed(TracedRun run, Throwable failure) {
    String why = ServerError.isCancelled(failure) ? "stopped" : ServerError.messageOf(failure);
    run.ended(why, "", "", false);
    for (Follower one : followers) one.ended(run, "");
    // The server has already reported its own refusals.
    if (!ServerError.isTold(failure) && !ServerError.isAnswer(failure)) messages.error(why);
  }

  /** {@code tasklens/runStarted}. */
  public void started(JsonObject params) {
    find(Json.text(params, "run"));
  }

  /** {@code tasklens/runOutput}. */
  public void output(JsonObject params) {
    TracedRun run = find(Json.text(params, "run"));
    boolean isError = Json.text(params, "stream").equals("stderr");
    if (run != null)
      for (Follower one : followers) one.wrote(run, Json.text(params, "text"), isError);
  }

  // The server starts runs in the order of their requests, so the first unknown id belongs to the
  // oldest run without an id.
  private synchronized TracedRun find(String id) {
    for (TracedRun run : runs) if (run.id.equals(id)) return run;
    for (int i = runs.size() - 1; i >= 0; --i) {
      TracedRun run = runs.get(i);
      if (run.id.isEmpty() && run.state() == TracedRun.State.RUNNING) {
        run.id = id;
        return run;
      }
    }
    return null;
  }

  /** Ends all running programs. */
  public void stop() {
    server
        .request("tasklens/stop", new JsonObject())
        .whenComplete(
            (answer, failure) -> {
              if (failure != null) messages.failed(failure);
            });
  }

  /** The server has ended; its runs fail. */
  public void serverEnded() {
    announce();
  }

  private void announce() {
    ui.execute(() -> listeners.forEach(Runnable::run));
  }
}
