// SPDX-License-Identifier: Apache-2.0
package org.tasklens.eclipse.commands;

import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.eclipse.core.commands.ExecutionEvent;
import org.eclipse.core.resources.IContainer;
import org.eclipse.core.resources.IResource;
import org.eclipse.core.resources.ResourcesPlugin;
import org.eclipse.core.runtime.CoreException;
import org.tasklens.eclipse.Notices;
import org.tasklens.eclipse.TaskLens;
import org.tasklens.eclipse.run.ServerTool;
import org.tasklens.eclipse.run.Trace;

/** Writes what StarPU's FxT tool writes (paje.trace, dag.dot, tasks.rec ...) beside the trace. */
public final class GenerateTraces extends TraceHandler {
  /** The folder, within that of the trace. */
  public static final String FOLDER = "starpu";

  @Override
  void handle(Trace trace, ExecutionEvent event) {
    String folder = Path.of(trace.folder(), FOLDER).toString();
    List<String> arguments =
        new ArrayList<>(List.of("convert", "-o", folder, "--to", "starpu", "--"));
    arguments.addAll(trace.paths());
    new ServerTool("generating traces of " + trace.title(), arguments, () -> done(folder))
        .schedule();
  }

  private static void done(String folder) {
    Notices.info("paje.trace, dag.dot, tasks.rec and the others are in " + folder);
    URI uri = Path.of(folder).toUri();
    for (IContainer container :
        ResourcesPlugin.getWorkspace().getRoot().findContainersForLocationURI(uri))
      try {
        container.refreshLocal(IResource.DEPTH_ONE, null);
      } catch (CoreException e) {
        TaskLens.log(folder + " cannot be shown in the workspace", e);
      }
  }
}
