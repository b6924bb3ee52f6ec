// SPDX-License-Identifier: Apache-2.0
package org.tasklens.eclipse.commands;

import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.eclipse.core.resources.IContainer;
import org.eclipse.core.resources.IResource;
import org.eclipse.core.resources.ResourcesPlugin;
import org.eclipse.core.runtime.CoreException;
import org.tasklens.eclipse.model.Messages;
import org.tasklens.eclipse.model.Trace;
import org.tasklens.eclipse.preferences.Settings;
import org.tasklens.eclipse.ui.Ui;

/** Writes the files of StarPU's FxT tool (paje.trace, dag.dot, tasks.rec ...) beside the trace. */
public record GenerateTraces(Settings settings, Messages messages) {
  /** The folder for the files, within the folder of the trace. */
  public static final String FOLDER = "starpu";

  public void run(Trace trace) {
    String folder = Path.of(trace.folder(), FOLDER).toString();
    List<String> arguments =
        new ArrayList<>(List.of("convert", "-o", folder, "--to", "starpu", "--"));
    arguments.addAll(trace.paths());
    new ServerTool("generating traces of " + trace.title(), settings.serverPath(), arguments,
        messages, () -> done(folder))
        .schedule();
  }

  private void done(String folder) {
    messages.info("paje.trace, dag.dot, tasks.rec and the others are in " + folder);
    URI uri = Path.of(folder).toUri();
    for (IContainer container :
        ResourcesPlugin.getWorkspace().getRoot().findContainersForLocationURI(uri))
      try {
        container.refreshLocal(IResource.DEPTH_ONE, null);
      } catch (CoreException e) {
        Ui.log(folder + " cannot be shown in the workspace", e);
      }
  }
}
