// SPDX-License-Identifier: Apache-2.0
package org.tasklens.eclipse.commands;

import java.net.MalformedURLException;
import java.net.URI;
import java.net.URL;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.eclipse.core.commands.ExecutionEvent;
import org.eclipse.ui.PartInitException;
import org.eclipse.ui.PlatformUI;
import org.tasklens.eclipse.model.Messages;
import org.tasklens.eclipse.model.Trace;
import org.tasklens.eclipse.model.Traces;
import org.tasklens.eclipse.preferences.Settings;
import org.tasklens.eclipse.rpc.Json;
import org.tasklens.eclipse.ui.Ui;
import org.tasklens.eclipse.ui.WorkspaceFolders;

/** Writes the run as a page and opens it in the user's browser. */
public final class GraphInBrowser extends TraceHandler {
  private final Settings settings;
  private final Messages messages;
  private final Path folder;

  /** {@code folder}: the folder for the pages. */
  public GraphInBrowser(Traces traces, Settings settings, Messages messages, Path folder) {
    super(traces);
    this.settings = settings;
    this.messages = messages;
    this.folder = folder;
  }

  @Override
  void handle(Trace trace, ExecutionEvent event) {
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
