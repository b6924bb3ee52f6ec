// SPDX-License-Identifier: Apache-2.0
package org.tasklens.eclipse.ui;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.eclipse.core.runtime.IProgressMonitor;
import org.eclipse.core.runtime.IStatus;
import org.eclipse.core.runtime.Status;
import org.eclipse.core.runtime.jobs.IJobChangeEvent;
import org.eclipse.core.runtime.jobs.Job;
import org.eclipse.core.runtime.jobs.JobChangeAdapter;
import org.tasklens.eclipse.rpc.Json;
import org.tasklens.eclipse.rpc.Requests;

/** Shows the server's progress as jobs of the workbench, which the user can cancel. Any thread. */
public final class ProgressJobs {
  private final Requests server;
  private final Map<String, ProgressJob> jobs = new ConcurrentHashMap<>();
  private final AtomicInteger cancelled = new AtomicInteger();

  public ProgressJobs(Requests server) {
    this.server = server;
  }

  /** {@code window/workDoneProgress/create}. */
  public void create(JsonObject params) {
    JsonElement token = params.get("token");
    if (token != null) jobs.put(token.toString(), new ProgressJob(token));
  }

  /** {@code $/progress}. */
  public void report(JsonObject params) {
    JsonElement token = params.get("token");
    JsonObject value = Json.object(params, "value");
    ProgressJob job = token == null ? null : jobs.get(token.toString());
    if (job == null || value == null) return;
    job.reports.add(value);
    if (Json.text(value, "kind").equals("begin")) job.begin(Json.text(value, "title"));
    if (Json.text(value, "kind").equals("end")) jobs.remove(token.toString());
  }

  /** The server has ended, and with it all its work. */
  public void endAll() {
    for (String token : jobs.keySet()) {
      ProgressJob job = jobs.remove(token);
      if (job != null) job.reports.add(Json.of("kind", "end"));
    }
  }

  /** The number of cancellations that were sent to the server. */
  public int cancelled() {
    return cancelled.get();
  }

  private final class ProgressJob extends Job {
    private static final int PERCENT = 100;
    private static final int POLL_MS = 100; // interval to check for cancelled jobs

    final BlockingQueue<JsonObject> reports = new LinkedBlockingQueue<>();
    private final JsonElement token;
    private final AtomicBoolean isCancelled = new AtomicBoolean();

    ProgressJob(JsonElement token) {
      super("TaskLens");
      this.token = token;
      setPriority(LONG);
      addJobChangeListener(
          new JobChangeAdapter() {
            @Override
            public void done(IJobChangeEvent event) {
              // Also if the job was cancelled before it ran.
              if (event.getResult().getSeverity() == IStatus.CANCEL) tellCancelled();
            }
          });
    }

    private void tellCancelled() {
      if (isCancelled.getAndSet(true)) return;
      server.tell("window/workDoneProgress/cancel", Json.of("token", token));
      cancelled.incrementAndGet();
    }

    void begin(String title) {
      setName("TaskLens: " + title);
      schedule();
    }

    @Override
    public boolean belongsTo(Object family) {
      return family == ProgressJobs.class;
    }

    @Override
    protected IStatus run(IProgressMonitor monitor) {
      int done = 0;
      try {
        while (true) {
          JsonObject report = reports.poll(POLL_MS, TimeUnit.MILLISECONDS);
          if (monitor.isCanceled()) tellCancelled();
          if (report == null) continue;
          switch (Json.text(report, "kind")) {
            case "begin" -> monitor.beginTask(
                getName(), report.has("percentage") ? PERCENT : IProgressMonitor.UNKNOWN);
            case "end" -> {
              monitor.done();
              return isCancelled.get() ? Status.CANCEL_STATUS : Status.OK_STATUS;
            }
            default -> {}
          }
          if (report.has("message")) monitor.subTask(Json.text(report, "message"));
          int percent = (int) Json.number(report, "percentage", done);
          if (percent > done) monitor.worked(percent - done);
          done = Math.max(done, percent);
        }
      } catch (InterruptedException e) {
        return Status.CANCEL_STATUS;
      }
    }
  }
}
