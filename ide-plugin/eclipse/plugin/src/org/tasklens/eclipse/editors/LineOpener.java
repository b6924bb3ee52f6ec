// SPDX-License-Identifier: Apache-2.0
package org.tasklens.eclipse.editors;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.eclipse.core.filesystem.EFS;
import org.eclipse.core.resources.IFile;
import org.eclipse.core.resources.IResource;
import org.eclipse.core.resources.ResourcesPlugin;
import org.eclipse.core.runtime.CoreException;
import org.eclipse.jface.text.BadLocationException;
import org.eclipse.jface.text.IDocument;
import org.eclipse.ui.IEditorDescriptor;
import org.eclipse.ui.IEditorInput;
import org.eclipse.ui.IEditorPart;
import org.eclipse.ui.IWorkbenchPage;
import org.eclipse.ui.IWorkbenchPart;
import org.eclipse.ui.PartInitException;
import org.eclipse.ui.PlatformUI;
import org.eclipse.ui.editors.text.EditorsUI;
import org.eclipse.ui.ide.FileStoreEditorInput;
import org.eclipse.ui.part.FileEditorInput;
import org.eclipse.ui.texteditor.ITextEditor;
import org.tasklens.eclipse.model.Messages;
import org.tasklens.eclipse.model.Runs;
import org.tasklens.eclipse.model.TracedRun;
import org.tasklens.eclipse.rpc.Json;
import org.tasklens.eclipse.ui.Ui;

/** Opens source lines in editors, as workspace files if possible. */
public final class LineOpener {
  private final CaretFollower caret;
  private final Runs runs;
  private final Messages messages;
  private final LineMark mark = new LineMark();

  public LineOpener(CaretFollower caret, Runs runs, Messages messages) {
    this.caret = caret;
    this.runs = runs;
    this.messages = messages;
  }

  /** {@code window/showDocument}. Any thread; the future completes on the UI thread. */
  public CompletableFuture<JsonElement> showDocument(JsonObject params) {
    return show(params).thenApply(shown -> Json.of("success", shown));
  }

  private CompletableFuture<Boolean> show(JsonObject params) {
    CompletableFuture<Boolean> shown = new CompletableFuture<>();
    URI uri;
    try {
      uri = URI.create(Json.text(params, "uri"));
    } catch (IllegalArgumentException e) {
      return CompletableFuture.completedFuture(false);
    }
    JsonObject selection = Json.object(params, "selection");
    JsonObject start = Json.object(selection, "start");
    int line = (int) Json.number(start, "line", 0);
    int column = (int) Json.number(start, "character", 0);
    boolean takeFocus = Json.flag(params, "takeFocus", true);
    if (!"file".equals(uri.getScheme())) return CompletableFuture.completedFuture(false);
    open(Path.of(uri), line, column, takeFocus, shown);
    return shown;
  }

  /**
   * Opens a location from a program's output: a path, or its last part, and a line from 1. Any
   * thread.
   */
  public void showNamed(String file, int line) {
    CompletableFuture.runAsync(
        () -> {
          Path path = resolve(file);
          if (path == null)
            messages.warning(file + ": not found in the folders of runs or projects");
          else open(path, line - 1, 0, true, new CompletableFuture<>());
        });
  }

  private Path resolve(String file) {
    try {
      Path path = Path.of(file);
      if (path.isAbsolute()) return Files.isRegularFile(path) ? path : null;
      List<Path> folders = new ArrayList<>();
      for (TracedRun run : runs.all())
        if (!run.folder().isEmpty()) folders.add(Path.of(run.folder()));
      for (var project : ResourcesPlugin.getWorkspace().getRoot().getProjects())
        if (project.getLocation() != null) folders.add(Path.of(project.getLocation().toOSString()));
      for (Path folder : folders)
        for (Path up = folder; up != null; up = up.getParent())
          if (Files.isRegularFile(up.resolve(path))) return up.resolve(path);
    } catch (InvalidPathException e) {
      // The text is not a path, so there is no file.
    }
    return null;
  }

  private void open(
      Path path, int line, int column, boolean takeFocus, CompletableFuture<Boolean> shown) {
    // All disk access happens before the switch to the UI thread.
    IEditorInput input;
    IEditorDescriptor editor;
    if (!Files.isRegularFile(path)) {
      shown.complete(false);
      return;
    }
    IFile file = workspaceFile(path.toUri());
    try {
      input = file != null ? new FileEditorInput(file)
                           : new FileStoreEditorInput(EFS.getStore(path.toUri()));
      editor = PlatformUI.getWorkbench().getEditorRegistry().getDefaultEditor(input.getName());
    } catch (CoreException e) {
      Ui.log(path + " cannot be opened", e);
      shown.complete(false);
      return;
    }
    String editorId = editor == null || editor.isOpenExternal() ? EditorsUI.DEFAULT_TEXT_EDITOR_ID
                                                                : editor.getId();
    Ui.later(() -> shown.complete(openNow(input, editorId, line, column, takeFocus)));
  }

  private static IFile workspaceFile(URI uri) {
    for (IFile file : ResourcesPlugin.getWorkspace().getRoot().findFilesForLocationURI(uri)) {
      if (!file.exists() && file.getProject().isOpen()) {
        try {
          file.refreshLocal(
              IResource.DEPTH_ZERO, null); // the file was created outside of Eclipse
        } catch (CoreException e) {
          continue;
        }
      }
      if (file.isAccessible()) return file;
    }
    return null;
  }

  private boolean openNow(
      IEditorInput input, String editorId, int line, int column, boolean takeFocus) {
    IWorkbenchPage page = Ui.page();
    if (page == null) return false;
    try {
      IWorkbenchPart before = page.getActivePart();
      int match = IWorkbenchPage.MATCH_INPUT;
      IEditorPart part = page.openEditor(input, editorId, takeFocus, match);
      if (part == null) return false;
      page.bringToTop(part);
      ITextEditor editor = SourceEditors.textEditor(part);
      if (editor == null) return true;
      IDocument document = SourceEditors.document(editor);
      if (document == null) return true;
      int row = Math.max(0, Math.min(line, document.getNumberOfLines() - 1));
      int offset = document.getLineOffset(row)
          + Math.max(0, Math.min(column, document.getLineLength(row) - 1));
      caret.expect(editor, row);
      editor.selectAndReveal(offset, 0);
      mark.put(editor, row);
      if (!takeFocus && before != null && page.getActivePart() != before) page.activate(before);
      return true;
    } catch (PartInitException | BadLocationException e) {
      Ui.log(input.getName() + " cannot be opened", e);
      return false;
    }
  }
}
