// SPDX-License-Identifier: Apache-2.0
package org.tasklens.eclipse.commands;

import java.net.MalformedURLException;
import java.net.URL;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.eclipse.core.commands.ExecutionEvent;
import org.eclipse.ui.PartInitException;
import org.eclipse.ui.PlatformUI;
import org.tasklens.eclipse.Notices;
import org.tasklens.eclipse.TaskLens;
import org.tasklens.eclipse.Ui;
import org.tasklens.eclipse.preferences.Settings;
import org.tasklens.eclipse.run.ServerTool;
import org.tasklens.eclipse.run.Trace;
import org.tasklens.eclipse.server.Json;
import org.tasklens.eclipse.server.WorkspaceFolders;

/** Writes the run as one page and opens it in the user's browser. */
public final class GraphInBrowser extends TraceHandler {
  @Override
  void handle(Trace trace, ExecutionEvent event) {
    Path page = TaskLens.get().getStateLocation().toFile().toPath().resolve(trace.id() + ".html");
    List<String> arguments = new ArrayList<>(List.of("report", "-o", page.toString()));
    List<String> roots = new ArrayList<>(Settings.sourceRoots());
    for (var folder : Json.objects(WorkspaceFolders.now()))
      roots.add(Path.of(java.net.URI.create(Json.text(folder, "uri"))).toString());
    for (String root : roots) arguments.addAll(List.of("--source-root", root));
    arguments.add("--");
    arguments.addAll(trace.paths());
    new ServerTool("a page of " + trace.title(), arguments, () -> open(page)).schedule();
  }

  private static void open(Path page) {
    Ui.later(
        () -> {
          try {
            URL url = page.toUri().toURL();
            PlatformUI.getWorkbench().getBrowserSupport().getExternalBrowser().openURL(url);
            Notices.info("the page of this run is " + page);
          } catch (PartInitException | MalformedURLException e) {
            Notices.warning("no browser could be started; the page is " + page);
          }
        });
  }
}
