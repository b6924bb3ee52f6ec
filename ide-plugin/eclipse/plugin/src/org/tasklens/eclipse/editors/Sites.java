// SPDX-License-Identifier: Apache-2.0
package org.tasklens.eclipse.editors;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.eclipse.swt.widgets.Display;
import org.eclipse.ui.IEditorReference;
import org.eclipse.ui.IPartListener2;
import org.eclipse.ui.IWorkbenchPartReference;
import org.eclipse.ui.IWorkbenchWindow;
import org.eclipse.ui.PlatformUI;
import org.eclipse.ui.texteditor.ITextEditor;
import org.tasklens.eclipse.model.Site;
import org.tasklens.eclipse.model.Trace;
import org.tasklens.eclipse.model.Traces;
import org.tasklens.eclipse.rpc.Json;
import org.tasklens.eclipse.rpc.Requests;
import org.tasklens.eclipse.ui.Ui;

/**
 * The submission sites of each open editor. They are requested when the editor, its text or the
 * traces change, and shown as annotations in the ruler and as code minings. UI thread, unless
 * stated otherwise.
 */
public final class Sites implements IPartListener2, Documents.Listener, Traces.Listener {
  private static final int TYPING_MS = 300;
  private static final String RUN = "tasklens.run"; // command of a lens that runs a program

  private final Requests server;
  private final Documents documents;
  private final NewWindows newWindows = new NewWindows(this);
  private final Map<String, List<Site>> sites = new HashMap<>();
  private final Map<String, Integer> asked = new HashMap<>();
  private final Set<String> changed = new HashSet<>();
  private final SiteAnnotations annotations = new SiteAnnotations();

  public Sites(Requests server, Documents documents) {
    this.server = server;
    this.documents = documents;
    documents.add(this);
  }

  /** Follows the editors of all windows. Any thread. */
  public void start() {
    Ui.later(
        () -> {
          for (IWorkbenchWindow window : PlatformUI.getWorkbench().getWorkbenchWindows())
            window.getPartService().addPartListener(this);
          PlatformUI.getWorkbench().addWindowListener(newWindows);
        });
  }

  /** Any thread. */
  public void stop() {
    Ui.later(
        () -> {
          PlatformUI.getWorkbench().removeWindowListener(newWindows);
          for (IWorkbenchWindow window : PlatformUI.getWorkbench().getWorkbenchWindows())
            window.getPartService().removePartListener(this);
        });
  }

  /** The sites of a file, in the order of its lines. */
  public List<Site> of(String uri) {
    return sites.getOrDefault(uri, List.of());
  }

  /** The submission site on a line, or null. */
  public Site at(String uri, int line) {
    for (Site site : of(uri)) if (site.line() == line && site.run() == null) return site;
    return null;
  }

  /**
   * The preferences for sites have changed: shows the known sites again, without a request. UI
   * thread.
   */
  public void showAnew() {
    for (ITextEditor editor : SourceEditors.open()) SiteMinings.update(editor);
  }

  /** The traces or the server's settings for sites have changed. Any thread. */
  public void refreshAll() {
    Ui.later(
        () -> {
          Set<String> uris = new HashSet<>();
          for (ITextEditor editor : SourceEditors.open()) uris.add(SourceEditors.uriOf(editor));
          uris.forEach(this::refresh);
        });
  }

  /** Removes all sites until the next request. */
  @Override
  public void moved(String uri, int from, int lines) {
    sites.computeIfPresent(uri,
        (name, before)
            -> before.stream()
                   .map(site -> site.line() < from ? site : site.movedBy(lines))
                   .filter(site -> site.line() >= 0)
                   .toList());
  }

  @Override
  public void textChanged(String uri) {
    if (!changed.add(uri)) return;
    Display.getCurrent()
        .timerExec(
            TYPING_MS,
            () -> {
              changed.remove(uri);
              refresh(uri);
            });
  }

  private void refresh(String uri) {
    int number = asked.merge(uri, 1, Integer::sum);
    if (!server.isRunning()) {
      take(uri, List.of());
      return;
    }
    JsonObject document = Json.of("uri", uri);
    server
        .request("textDocument/codeLens", Json.of("textDocument", document))
        .thenCompose(answer -> withDetails(document, read(answer)))
        // A request that fails (the text changed meanwhile) is repeated when the text is stable.
        .thenAcceptAsync(
            found -> {
              if (asked.get(uri) == number) take(uri, found);
            },
            Ui::later);
  }

  private static List<Site> read(JsonElement answer) {
    List<Site> found = new ArrayList<>();
    for (JsonObject lens : Json.objects(answer)) {
      int line = (int) Json.number(Json.object(Json.object(lens, "range"), "start"), "line", -1);
      JsonObject command = Json.object(lens, "command");
      List<JsonObject> arguments = Json.objects(command, "arguments");
      if (line < 0 || command == null) continue;
      JsonObject argument = arguments.isEmpty() ? new JsonObject() : arguments.get(0);
      found.add(
          new Site(
              line,
              Json.text(command, "title"),
              "",
              Json.text(argument, "trace"),
              (int) Json.number(argument, "site", -1),
              Json.text(command, "command").equals(RUN) ? argument : null));
    }
    return found;
  }

  // The ruler's hover must have its text at once, so it is requested in advance.
  private CompletableFuture<List<Site>> withDetails(JsonObject document, List<Site> found) {
    CompletableFuture<List<Site>> all = CompletableFuture.completedFuture(new ArrayList<>());
    for (Site site : found)
      all =
          all.thenCombine(
              site.run() != null
                  ? CompletableFuture.completedFuture("")
                  : Hovers.ask(server, document, site.line(), 0).exceptionally(failure -> ""),
              (list, details) -> {
                list.add(site.withDetails(details));
                return list;
              });
    return all;
  }

  private void take(String uri, List<Site> found) {
    if (found.isEmpty()) sites.remove(uri);
    else sites.put(uri, found);
    for (ITextEditor editor : SourceEditors.open())
      if (uri.equals(SourceEditors.uriOf(editor))) {
        annotations.show(editor, found);
        SiteMinings.update(editor);
      }
  }

  // --- Traces.Listener

  @Override
  public void changed(Trace current) {} // the known sites stay

  @Override
  public void linesChanged() {
    refreshAll();
  }

  // --- IPartListener2

  @Override
  public void partOpened(IWorkbenchPartReference reference) {
    ITextEditor editor = editorOf(reference);
    if (editor == null) return;
    documents.opened(editor);
    RoomAboveLines.follow(editor);
    refresh(SourceEditors.uriOf(editor));
  }

  @Override
  public void partInputChanged(IWorkbenchPartReference reference) {
    partOpened(reference);
  }

  @Override
  public void partClosed(IWorkbenchPartReference reference) {
    ITextEditor editor = editorOf(reference);
    if (editor == null) return;
    annotations.forget(editor);
    documents.closed(editor);
  }

  private static ITextEditor editorOf(IWorkbenchPartReference reference) {
    if (!(reference instanceof IEditorReference)) return null;
    ITextEditor editor = SourceEditors.textEditor(reference.getPart(false));
    return editor == null || SourceEditors.uriOf(editor) == null ? null : editor;
  }
}
