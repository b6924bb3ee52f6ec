// SPDX-License-Identifier: Apache-2.0
package org.tasklens.eclipse.commands;

import java.net.MalformedURLException;
import java.net.URI;
import java.net.URL;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.eclipse.ui.PartInitException;
import org.eclipse.ui.PlatformUI;
import org.tasklens.eclipse.model.Messages;
import org.tasklens.eclipse.model.Trace;
import org.tasklens.eclipse.preferences.Settings;
import org.tasklens.eclipse.rpc.Json;
import org.tasklens.eclipse.ui.Ui;
import org.tasklens.eclipse.ui.WorkspaceFolders;

/**
 * Writes the run as a page and opens it in the user's browser. {@code folder}: the folder for the
 * pages.
 */
public record GraphInBrowser(Settings settings, Messages messages, Path folder) {
  public void run(Trace trace) {
    Path page = folder.resolve(trace.id() + ".html");
    List<String> arguments = new ArrayList<>(List.of("report", "-o", page.toString()));
    List<String> roots = new ArrayList<>(settings.sourceRoots());
    for (var project : Json.objects(WorkspaceFolders.now()))
      roots.add(Path.of(URI.create(Json.text(project, "uri"))).toString());
    for (String root : roots) arguments.addAll(List.of("--source-root", root));
    arguments.add("--");
    arguments.addAll(trace.paths());
    new ServerTool("a page of " + trace.title(), settings.serverPath(), arguments, messages,
        () -> open(page))
        .schedule();
  }

  private void open(Path page) {
    Ui.later(
        () -> {
          try {
            URL url = page.toUri().toURL();
            PlatformUI.getWorkbench().getBrowserSupport().getExternalBrowser().openURL(url);
            messages.info("the page of this run is " + page);
          } catch (PartInitException | MalformedURLException e) {
            messages.warning("no browser could be started; the page is " + page);
          }
        });
  }
}
