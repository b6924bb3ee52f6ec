// SPDX-License-Identifier: Apache-2.0
package org.tasklens.eclipse.model;

import com.google.gson.JsonObject;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import org.tasklens.eclipse.rpc.Json;
import org.tasklens.eclipse.rpc.Requests;

/** The open traces, the newest first, and the current one, which the views show. Any thread. */
public final class Traces {
  /** Called on the UI thread. */
  public interface Listener {
    /** Another trace is current (null: none), or the list has changed. */
    void changed(Trace current);

    /** The server's data about source lines may have changed. */
    default void linesChanged() {}
  }

  private static final int FIRST_BYTES = 1 << 26;

  private final Requests server;
  private final Messages messages;
  private final Executor ui;
  private final List<Listener> listeners = new CopyOnWriteArrayList<>();
  private List<Trace> open = new ArrayList<>();
  private String current = "";
  private List<Trace> toReopen = List.of();

  /** {@code ui}: executes listeners. */
  public Traces(Requests server, Messages messages, Executor ui) {
    this.server = server;
    this.messages = messages;
    this.ui = ui;
  }

  public void add(Listener listener) {
    listeners.add(listener);
  }

  public void remove(Listener listener) {
    listeners.remove(listener);
  }

  public synchronized List<Trace> open() {
    return List.copyOf(open);
  }

  /** The current trace, or null. */
  public synchronized Trace current() {
    for (Trace trace : open) if (trace.id().equals(current)) return trace;
    return null;
  }

  public synchronized Trace find(String id) {
    for (Trace trace : open) if (trace.id().equals(id)) return trace;
    return null;
  }

  public void show(Trace trace) {
    synchronized (this) {
      if (current.equals(trace.id())) return;
      current = trace.id();
    }
    announce();
  }

  /** {@code tasklens/traceUpdated}: a trace was opened, or its sources were found elsewhere. */
  public void updated(JsonObject contents) {
    Trace trace = Trace.of(contents);
    boolean isWholeNow = false;
    synchronized (this) {
      int at = -1;
      for (int i = 0; i < open.size(); ++i) if (open.get(i).id().equals(trace.id())) at = i;
      if (at >= 0) {
        isWholeNow = open.get(at).read() < 1 && trace.read() == 1;
        open.set(at, trace);
      } else {
        open.add(0, trace);
        current = trace.id();
      }
    }
    announceLines();
    if (isWholeNow) trace.tellProblems(messages);
  }

  /**
   * Opens the files of one run (or their folder) to look at. The rest of a large trace is read
   * later.
   */
  public CompletableFuture<Trace> open(List<String> paths) {
    return read(paths, FIRST_BYTES);
  }

  /** Opens the files and reads all of them. */
  public CompletableFuture<Trace> openWhole(List<String> paths) {
    return read(paths, 0);
  }

  private CompletableFuture<Trace> read(List<String> paths, int firstBytes) {
    return server
        .request("tasklens/openTrace", Json.of("uris", paths, "firstBytes", firstBytes))
        .thenApply(answer -> Trace.of(answer.getAsJsonObject()));
  }

  public void close(Trace trace) {
    server
        .request("tasklens/closeTrace", Json.of("trace", trace.id()))
        // Also after a failure: if the server does not know the trace, it is not open.
        .whenComplete((answer, failure) -> closed(trace.id()));
  }

  /** The server has closed the trace. */
  public void closed(String id) {
    synchronized (this) {
      open.removeIf(one -> one.id().equals(id));
      if (current.equals(id)) current = open.isEmpty() ? "" : open.get(0).id();
    }
    announceLines();
  }

  /** The server has ended: its traces are reopened when it is back. */
  public void lost() {
    synchronized (this) {
      if (!open.isEmpty()) toReopen = List.copyOf(open);
      open = new ArrayList<>();
      current = "";
    }
    announceLines();
  }

  /** A server has just started. */
  public void reopen() {
    List<Trace> paths;
    synchronized (this) {
      if (!open.isEmpty()) toReopen = List.copyOf(open);
      paths = toReopen;
      toReopen = List.of();
      open = new ArrayList<>();
      current = "";
    }
    announce();
    // Opens them in sequence, the oldest first, so that their order stays the same.
    CompletableFuture<Trace> before = CompletableFuture.completedFuture(null);
    for (int i = paths.size() - 1; i >= 0; --i) {
      Trace trace = paths.get(i);
      before = before.handle((done, failure) -> null).thenCompose(done -> open(trace.paths()));
    }
    before.whenComplete(
        (done, failure) -> {
          if (failure != null) messages.failed(failure);
        });
  }

  private void announce() {
    ui.execute(
        () -> {
          Trace now = current();
          for (Listener listener : listeners) listener.changed(now);
        });
  }

  private void announceLines() {
    announce();
    ui.execute(() -> listeners.forEach(Listener::linesChanged));
  }
}
