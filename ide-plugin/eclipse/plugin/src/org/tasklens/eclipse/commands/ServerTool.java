// SPDX-License-Identifier: Apache-2.0
package org.tasklens.eclipse.commands;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.eclipse.core.runtime.IProgressMonitor;
import org.eclipse.core.runtime.IStatus;
import org.eclipse.core.runtime.Status;
import org.eclipse.core.runtime.jobs.Job;
import org.tasklens.eclipse.model.Messages;
import org.tasklens.eclipse.rpc.ServerError;
import org.tasklens.eclipse.rpc.ServerLocation;

/** Runs a long command of the program {@code tasklens}, which writes files, as a job. */
final class ServerTool extends Job {
  /** Called on the job's thread when the command ended with status 0. */
  interface Done {
    void done();
  }

  private static final int POLL_MS = 100;
  private static final int KEPT_LINES = 20;

  private final String serverPath;
  private final List<String> arguments;
  private final Messages messages;
  private final Done done;

  /** {@code serverPath}: the path in the preferences. */
  ServerTool(
      String title, String serverPath, List<String> arguments, Messages messages, Done done) {
    super("TaskLens: " + title);
    this.serverPath = serverPath;
    this.arguments = arguments;
    this.messages = messages;
    this.done = done;
  }

  @Override
  public boolean belongsTo(Object family) {
    return family == ServerTool.class;
  }

  @Override
  protected IStatus run(IProgressMonitor monitor) {
    monitor.beginTask(getName(), IProgressMonitor.UNKNOWN);
    Process process = null;
    try {
      Path program = ServerLocation.find(serverPath, System.getenv("PATH"));
      List<String> command = new ArrayList<>(List.of(program.toString()));
      command.addAll(arguments);
      process =
          new ProcessBuilder(command)
              .redirectErrorStream(true)
              .redirectInput(new File("/dev/null"))
              .start();
      List<String> lines = follow(process, monitor);
      while (!process.waitFor(POLL_MS, TimeUnit.MILLISECONDS))
        if (monitor.isCanceled()) return Status.CANCEL_STATUS;
      if (process.exitValue() != 0) {
        synchronized (lines) {
          messages.error(lines.isEmpty() ? getName() + ": status " + process.exitValue()
                                        : String.join(" ", lines));
        }
        return Status.OK_STATUS; // already reported; a dialog would repeat it
      }
      done.done();
      return Status.OK_STATUS;
    } catch (IOException | ServerError e) {
      messages.error(ServerError.messageOf(e));
      return Status.OK_STATUS;
    } catch (InterruptedException e) {
      return Status.CANCEL_STATUS;
    } finally {
      if (process != null) process.destroyForcibly();
    }
  }

  // Reads on a separate thread, so that a command without output can be cancelled.
  private static List<String> follow(Process process, IProgressMonitor monitor) {
    List<String> last = new ArrayList<>();
    Thread reader =
        new Thread(
            () -> {
              try (BufferedReader lines =
                  new BufferedReader(
                      new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
                for (String line = lines.readLine(); line != null; line = lines.readLine())
                  synchronized (last) {
                    last.add(line);
                    if (last.size() > KEPT_LINES) last.remove(0);
                  }
              } catch (IOException e) {
                // The pipe was closed when the process ended.
              }
            },
            "TaskLens command's output");
    reader.setDaemon(true);
    reader.start();
    return last;
  }
}
