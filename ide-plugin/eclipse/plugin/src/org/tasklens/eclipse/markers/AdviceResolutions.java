// SPDX-License-Identifier: Apache-2.0
package org.tasklens.eclipse.markers;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.eclipse.core.filebuffers.FileBuffers;
import org.eclipse.core.filebuffers.ITextFileBuffer;
import org.eclipse.core.filebuffers.LocationKind;
import org.eclipse.core.resources.IFile;
import org.eclipse.core.resources.IMarker;
import org.eclipse.core.runtime.CoreException;
import org.eclipse.core.runtime.NullProgressMonitor;
import org.eclipse.jface.text.BadLocationException;
import org.eclipse.jface.text.IDocument;
import org.eclipse.swt.graphics.Image;
import org.eclipse.ui.IMarkerResolution;
import org.eclipse.ui.IMarkerResolution2;
import org.eclipse.ui.IMarkerResolutionGenerator2;
import org.tasklens.eclipse.editors.Lights;
import org.tasklens.eclipse.model.Messages;
import org.tasklens.eclipse.model.Site;
import org.tasklens.eclipse.rpc.Json;
import org.tasklens.eclipse.ui.Images;

/** The server's actions for advice, as quick fixes. */
public record AdviceResolutions(Lights lights, Messages messages)
    implements IMarkerResolutionGenerator2 {
  @Override
  public boolean hasResolutions(IMarker marker) {
    return !actions(marker).isEmpty();
  }

  @Override
  public IMarkerResolution[] getResolutions(IMarker marker) {
    return actions(marker)
        .stream()
        .map(action -> new Fix(action, lights, messages))
        .toArray(IMarkerResolution[]::new);
  }

  private static List<JsonObject> actions(IMarker marker) {
    return Json.objects(JsonParser.parseString(marker.getAttribute(AdviceMarkers.ACTIONS, "[]")));
  }

  private record Fix(JsonObject action, Lights lights, Messages messages)
      implements IMarkerResolution2 {
    @Override
    public String getLabel() {
      return Json.text(action, "title");
    }

    @Override
    public String getDescription() {
      return action.has("edit")
          ? "Writes a comment that TaskLens reads; the program stays as it is."
          : "Shows the tasks of this line in the task graph.";
    }

    @Override
    public Image getImage() {
      return Images.get("advice");
    }

    @Override
    public void run(IMarker marker) {
      JsonObject command = Json.object(action, "command");
      if (command != null) {
        List<JsonObject> arguments = Json.objects(command, "arguments");
        if (!arguments.isEmpty())
          lights.showSite(
              Site.of(
                  Json.text(arguments.get(0), "trace"),
                  (int) Json.number(arguments.get(0), "site", -1)));
        return;
      }
      JsonObject changes = Json.object(Json.object(action, "edit"), "changes");
      if (changes != null && marker.getResource() instanceof IFile file)
        for (String uri : changes.keySet()) edit(file, Json.objects(changes, uri));
    }

    // Edits the editor's buffer if the file is open, so that the change can be undone. The file is
    // saved only if no editor has it open.
    private void edit(IFile file, List<JsonObject> edits) {
      var manager = FileBuffers.getTextFileBufferManager();
      try {
        manager.connect(file.getFullPath(), LocationKind.IFILE, new NullProgressMonitor());
        try {
          ITextFileBuffer buffer =
              manager.getTextFileBuffer(file.getFullPath(), LocationKind.IFILE);
          boolean wasDirty = buffer.isDirty();
          apply(buffer.getDocument(), edits);
          if (!wasDirty && !buffer.isShared()) buffer.commit(new NullProgressMonitor(), true);
        } finally {
          manager.disconnect(file.getFullPath(), LocationKind.IFILE, new NullProgressMonitor());
        }
      } catch (CoreException | BadLocationException e) {
        messages.error(file.getName() + " cannot be changed: " + e.getMessage());
      }
    }

    private static void apply(IDocument document, List<JsonObject> edits)
        throws BadLocationException {
      List<JsonObject> ordered = new ArrayList<>(edits);
      // Applies edits from the end of the text, so that earlier positions stay valid.
      Comparator<JsonObject> order = Comparator.comparingInt(one -> line(one, "start"));
      ordered.sort(order.reversed());
      for (JsonObject one : ordered) {
        int from = offset(document, one, "start");
        document.replace(from, offset(document, one, "end") - from, Json.text(one, "newText"));
      }
    }

    private static int line(JsonObject edit, String end) {
      return (int) Json.number(Json.object(Json.object(edit, "range"), end), "line", 0);
    }

    private static int offset(IDocument document, JsonObject edit, String end)
        throws BadLocationException {
      JsonObject place = Json.object(Json.object(edit, "range"), end);
      return document.getLineOffset(line(edit, end)) + (int) Json.number(place, "character", 0);
    }
  }
}
