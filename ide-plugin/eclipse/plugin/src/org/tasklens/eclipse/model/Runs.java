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

/** Starts and stops traced runs, and knows those of this session. Any thread. */
public final class Runs {
  /** Follows each run. Called on the threads on which things happen. */
  public interface Follower {
    /** It is about to be started. */
    default void begins(TracedRun run) {}

    default void wrote(TracedRun run, String text, boolean isError) {}

    /** {@code directory}: where its traces lie, empty where there are none. */
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
   * {@code ui}: where listeners are called; {@code environment}: variables that each program gets,
   * below its own.
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

  /** {@code params}: those of {@code tasklens/run}. */
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
    // What the server refused, it has said itself.
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

  // The server starts runs in the order of their requests, so the first id that is new belongs to
  // the oldest run without one.
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

  /** Ends all programs that run. */
  public void stop() {
    server
        .request("tasklens/stop", new JsonObject())
        .whenComplete(
            (answer, failure) -> {
              if (failure != null) messages.failed(failure);
            });
  }

  /** The server has ended; its runs have failed or will. */
  public void serverEnded() {
    announce();
  }

  private void announce() {
    ui.execute(() -> listeners.forEach(Runnable::run));
  }
}
