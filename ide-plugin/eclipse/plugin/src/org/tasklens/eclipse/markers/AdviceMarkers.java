// SPDX-License-Identifier: Apache-2.0
package org.tasklens.eclipse.markers;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.net.URI;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.eclipse.core.resources.IFile;
import org.eclipse.core.resources.IMarker;
import org.eclipse.core.resources.IResource;
import org.eclipse.core.resources.ResourcesPlugin;
import org.eclipse.core.resources.WorkspaceJob;
import org.eclipse.core.runtime.CoreException;
import org.eclipse.core.runtime.IProgressMonitor;
import org.eclipse.core.runtime.IStatus;
import org.eclipse.core.runtime.Status;
import org.tasklens.eclipse.rpc.Json;
import org.tasklens.eclipse.rpc.Requests;

/**
 * Shows the server's advice as markers, in the Problems view and the rulers. Markers belong to
 * files of the workspace; advice for other files is only in the view Advice. Any thread.
 */
public final class AdviceMarkers {
  public static final String TYPE = "org.tasklens.eclipse.adviceMarker";
  static final String ACTIONS = "tasklens.actions"; // the server's quick fixes, as JSON

  private static final int SEVERITY_ERROR = 1;
  private static final int SEVERITY_WARNING = 2;

  private final Requests server;

  public AdviceMarkers(Requests server) {
    this.server = server;
  }

  /** {@code textDocument/publishDiagnostics}. */
  public void published(JsonObject params) {
    String uri = Json.text(params, "uri");
    List<JsonObject> diagnostics = Json.objects(params, "diagnostics");
    if (diagnostics.isEmpty()) {
      schedule(uri, diagnostics, new JsonArray());
      return;
    }
    // The fixes are requested now, because a menu of quick fixes cannot wait.
    int last = 0;
    for (JsonObject one : diagnostics) last = Math.max(last, lineOf(one));
    server
        .request("textDocument/codeAction",
            Json.of("textDocument", Json.of("uri", uri), "range", range(0, last + 1), "context",
                Json.of("diagnostics", List.of())))
        .whenComplete((answer, failure)
                          -> schedule(uri, diagnostics,
                              failure == null && answer.isJsonArray() ? answer.getAsJsonArray()
                                                                      : new JsonArray()));
  }

  private static JsonObject range(int from, int to) {
    return Json.of(
        "start", Json.of("line", from, "character", 0), "end", Json.of("line", to, "character", 0));
  }

  private static int lineOf(JsonObject diagnostic) {
    return (int) Json.number(Json.object(Json.object(diagnostic, "range"), "start"), "line", 0);
  }

  private static void schedule(String uri, List<JsonObject> diagnostics, JsonArray actions) {
    IFile[] files;
    try {
      files = ResourcesPlugin.getWorkspace().getRoot().findFilesForLocationURI(URI.create(uri));
    } catch (IllegalArgumentException e) {
      return; // not a position in a file
    }
    for (IFile file : files) {
      if (!file.isAccessible()) continue;
      WorkspaceJob job =
          new WorkspaceJob("TaskLens: advice for " + file.getName()) {
            @Override
            public IStatus runInWorkspace(IProgressMonitor monitor) throws CoreException {
              replace(file, diagnostics, actions);
              return Status.OK_STATUS;
            }
          };
      job.setSystem(true);
      job.setRule(ResourcesPlugin.getWorkspace().getRuleFactory().markerRule(file));
      job.schedule();
    }
  }

  private static void replace(IFile file, List<JsonObject> diagnostics, JsonArray actions)
      throws CoreException {
    file.deleteMarkers(TYPE, true, IResource.DEPTH_ZERO);
    for (JsonObject one : diagnostics) {
      Map<String, Object> attributes = new HashMap<>();
      attributes.put(IMarker.MESSAGE, Json.text(one, "message"));
      attributes.put(IMarker.LINE_NUMBER, lineOf(one) + 1);
      attributes.put(IMarker.SOURCE_ID, "TaskLens");
      attributes.put(IMarker.TRANSIENT, true); // advice belongs to open traces, so it is not saved
      int severity = (int) Json.number(one, "severity", 3);
      attributes.put(
          IMarker.SEVERITY,
          severity == SEVERITY_ERROR
              ? IMarker.SEVERITY_ERROR
              : severity == SEVERITY_WARNING ? IMarker.SEVERITY_WARNING : IMarker.SEVERITY_INFO);
      attributes.put(ACTIONS, Json.write(actionsFor(one, actions)));
      file.createMarker(TYPE, attributes);
    }
  }

  private static JsonElement actionsFor(JsonObject diagnostic, JsonArray actions) {
    List<JsonObject> found = new ArrayList<>();
    for (JsonObject action : Json.objects(actions))
      for (JsonObject solved : Json.objects(action, "diagnostics"))
        if (lineOf(solved) == lineOf(diagnostic)
            && Json.text(solved, "message").equals(Json.text(diagnostic, "message")))
          found.add(action);
    return Json.element(found);
  }
}
