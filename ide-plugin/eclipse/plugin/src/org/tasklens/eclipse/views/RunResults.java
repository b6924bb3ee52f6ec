// SPDX-License-Identifier: Apache-2.0
package org.tasklens.eclipse.views;

import com.google.gson.JsonObject;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.eclipse.core.resources.IContainer;
import org.eclipse.core.resources.IResource;
import org.eclipse.core.resources.ResourcesPlugin;
import org.eclipse.core.resources.WorkspaceJob;
import org.eclipse.core.runtime.CoreException;
import org.eclipse.core.runtime.IProgressMonitor;
import org.eclipse.core.runtime.IStatus;
import org.eclipse.core.runtime.Status;
import org.tasklens.eclipse.editors.SourceEditors;
import org.tasklens.eclipse.model.Runs;
import org.tasklens.eclipse.model.Text;
import org.tasklens.eclipse.model.TracedRun;
import org.tasklens.eclipse.preferences.Settings;
import org.tasklens.eclipse.rpc.Json;
import org.tasklens.eclipse.rpc.Requests;
import org.tasklens.eclipse.ui.Notices;
import org.tasklens.eclipse.ui.Ui;

/** Shows the results of a run that has ended. Any thread. */
public final class RunResults implements Runs.Follower {
  private final Requests server;
  private final Settings settings;
  private final Views views;
  private final Notices notices;
  // The user's place at the start of each run, see SourceEditors.place().
  private final Map<TracedRun, String> places = new ConcurrentHashMap<>();

  public RunResults(Requests server, Settings settings, Views views, Notices notices) {
    this.server = server;
    this.settings = settings;
    this.views = views;
    this.notices = notices;
  }

  @Override
  public void begins(TracedRun run) {
    places.put(run, "");
    Ui.later(() -> places.replace(run, SourceEditors.place()));
  }

  @Override
  public void ended(TracedRun run, String directory) {
    String from = places.remove(run);
    if (!directory.isEmpty()) refreshFolder(directory);
    if (!run.trace().isEmpty()) Ui.later(() -> leadOn(run, from));
  }

  // Shows its views, the line to look at first, and the number of findings. UI thread.
  private void leadOn(TracedRun run, String from) {
    // Does not disturb a user who has moved or typed meanwhile.
    boolean stays = SourceEditors.place().equals(from);
    if (settings.showAfterRun()) views.showResults();
    notices.whenDone(
        server.request("tasklens/advice", Json.of("trace", run.trace())),
        answer -> {
          JsonObject advice = answer.getAsJsonObject();
          int count = Json.objects(advice, "findings").size();
          int site = (int) Json.number(advice, "firstSite", -1);
          if (stays && site >= 0) views.leadTo(run.trace(), site);
          String found =
              count == 0
                  ? "no findings"
                  : Text.counted(count, "finding") + ": see the view Advice";
          boolean isGood = run.state() == TracedRun.State.DONE;
          notices.info(isGood ? run.message() + "; " + found : found);
        });
  }

  // Refreshes the explorer of the project, which contains the traces.
  private static void refreshFolder(String folder) {
    IContainer[] containers =
        ResourcesPlugin.getWorkspace()
            .getRoot()
            .findContainersForLocationURI(Path.of(folder).toUri());
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
}
