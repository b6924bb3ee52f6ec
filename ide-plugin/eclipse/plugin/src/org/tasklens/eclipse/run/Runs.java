// SPDX-License-Identifier: Apache-2.0
package org.tasklens.eclipse.run;

import com.google.gson.JsonObject;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.eclipse.core.resources.IContainer;
import org.eclipse.core.resources.IResource;
import org.eclipse.core.resources.ResourcesPlugin;
import org.eclipse.core.resources.WorkspaceJob;
import org.eclipse.core.runtime.CoreException;
import org.eclipse.core.runtime.IProgressMonitor;
import org.eclipse.core.runtime.IStatus;
import org.eclipse.core.runtime.Status;
import org.tasklens.eclipse.Notices;
import org.tasklens.eclipse.TaskLens;
import org.tasklens.eclipse.Text;
import org.tasklens.eclipse.Ui;
import org.tasklens.eclipse.editors.SourceEditors;
import org.tasklens.eclipse.preferences.Settings;
import org.tasklens.eclipse.server.Json;
import org.tasklens.eclipse.server.ServerError;
import org.tasklens.eclipse.views.Views;

/** Starts and stops traced runs, and knows those of this session. Any thread. */
public final class Runs {
  private final List<TracedRun> runs = new ArrayList<>(); // the newest first
  private final List<Runnable> listeners = new CopyOnWriteArrayList<>();
  private volatile JsonObject last;

  /** Called on the UI thread when a run begins or ends. */
  public void add(Runnable listener) {
    listeners.add(listener);
  }

  public void remove(Runnable listener) {
    listeners.remove(listener);
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
    start(program.toParams());
  }

  /** {@code params}: those of {@code tasklens/run}. */
  public void start(JsonObject params) {
    last = params;
    TracedRun run = new TracedRun(params);
    synchronized (this) {
      runs.add(0, run);
    }
    announce();
    Ui.later(() -> run.from = SourceEditors.place());
    run.call = TaskLens.server().request("tasklens/run", params);
    run.call.whenComplete(
        (answer, failure) -> {
          if (failure == null) succeeded(run, answer.getAsJsonObject());
          else failed(run, failure);
          announce();
        });
  }

  private static void succeeded(TracedRun run, JsonObject answer) {
    run.id = Json.text(answer, "run");
    String trace = Json.text(answer, "trace");
    boolean isGood = !trace.isEmpty() && Json.number(answer, "exitStatus", -1) == 0;
    run.ended(Json.text(answer, "message"), trace, Json.text(answer, "kept"), isGood);
    if (!isGood) Notices.warning(run.message());
    String directory = Json.text(answer, "directory");
    if (!directory.isEmpty())
      refreshFolder(directory);
    if (!trace.isEmpty())
      Ui.later(() -> leadOn(run, isGood));
  }

  // After a run: its views, the line to look at first, and how many findings there are. UI thread.
  private static void leadOn(TracedRun run, boolean isGood) {
    // Who has gone elsewhere, or types, is left alone.
    boolean stays = SourceEditors.place().equals(run.from);
    if (Settings.showAfterRun())
      Views.showResults();
    Ui.whenDone(
        TaskLens.server().request("tasklens/advice", Json.of("trace", run.trace())), answer -> {
          JsonObject advice = answer.getAsJsonObject();
          int count = Json.objects(advice, "findings").size();
          int site = (int) Json.number(advice, "firstSite", -1);
          if (stays && site >= 0)
            Views.leadTo(run.trace(), site);
          String found = count == 0 ? "nothing is wrong with it that TaskLens knows of"
                                    : Text.counted(count, "finding") + ": see the view Advice";
          Notices.info(isGood ? run.message() + "; " + found : found);
        });
  }

  private static void failed(TracedRun run, Throwable failure) {
    String why = ServerError.isCancelled(failure) ? "stopped" : ServerError.messageOf(failure);
    run.ended(why, "", "", false);
    // What the server refused, it has said itself.
    if (!ServerError.isTold(failure) && !ServerError.isAnswer(failure)) Notices.error(why);
  }

  /** The traces lie in the project: its explorer is to show them. */
  private static void refreshFolder(String folder) {
    IContainer[] containers =
        ResourcesPlugin.getWorkspace()
            .getRoot()
            .findContainersForLocationURI(java.nio.file.Path.of(folder).toUri());
    for (IContainer container : containers) {
      WorkspaceJob job =
          new WorkspaceJob("Refreshing " + container.getName()) {
            @Override
            public IStatus runInWorkspace(IProgressMonitor monitor) throws CoreException {
              container.getProject().refreshLocal(IResource.DEPTH_ONE, monitor);
              return Status.OK_STATUS;
            }
          };
      job.setSystem(true);
      job.setRule(container.getProject());
      job.schedule();
    }
  }

  /** {@code tasklens/runStarted}. */
  public void started(JsonObject params) {
    find(Json.text(params, "run"));
  }

  /** {@code tasklens/runOutput}. */
  public void output(JsonObject params) {
    TracedRun run = find(Json.text(params, "run"));
    if (run != null)
      run.console.write(Json.text(params, "text"), Json.text(params, "stream").equals("stderr"));
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
    TaskLens.server()
        .request("tasklens/stop", new JsonObject())
        .whenComplete(
            (answer, failure) -> {
              if (failure != null) Notices.error(ServerError.messageOf(failure));
            });
  }

  public void serverEnded() {
    announce();
  }

  private void announce() {
    Ui.later(() -> listeners.forEach(Runnable::run));
  }
}
