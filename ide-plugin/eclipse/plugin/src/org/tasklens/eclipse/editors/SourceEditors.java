// SPDX-License-Identifier: Apache-2.0
package org.tasklens.eclipse.editors;

import com.google.gson.JsonObject;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.eclipse.core.filesystem.EFS;
import org.eclipse.core.resources.IFile;
import org.eclipse.core.resources.IResource;
import org.eclipse.core.resources.ResourcesPlugin;
import org.eclipse.core.runtime.CoreException;
import org.eclipse.jface.text.BadLocationException;
import org.eclipse.jface.text.IDocument;
import org.eclipse.jface.text.IDocumentExtension4;
import org.eclipse.jface.text.ITextOperationTarget;
import org.eclipse.jface.text.ITextSelection;
import org.eclipse.jface.text.source.ISourceViewer;
import org.eclipse.jface.viewers.ISelection;
import org.eclipse.ui.IEditorDescriptor;
import org.eclipse.ui.IEditorInput;
import org.eclipse.ui.IEditorPart;
import org.eclipse.ui.IEditorReference;
import org.eclipse.ui.IURIEditorInput;
import org.eclipse.ui.IWorkbenchPage;
import org.eclipse.ui.IWorkbenchPart;
import org.eclipse.ui.PartInitException;
import org.eclipse.ui.PlatformUI;
import org.eclipse.ui.editors.text.EditorsUI;
import org.eclipse.ui.ide.FileStoreEditorInput;
import org.eclipse.ui.part.FileEditorInput;
import org.eclipse.ui.texteditor.ITextEditor;
import org.tasklens.eclipse.Notices;
import org.tasklens.eclipse.TaskLens;
import org.tasklens.eclipse.Ui;
import org.tasklens.eclipse.run.TracedRun;
import org.tasklens.eclipse.server.Json;

/** Opens lines of source in editors, of the workspace where the file belongs to it. */
public final class SourceEditors {
  private static final Set<String> ENDINGS =
      Set.of("c", "h", "cc", "cpp", "cxx", "c++", "hh", "hpp", "hxx", "h++", "cu", "cuh");

  private SourceEditors() {}

  public static boolean isSource(String name) {
    int dot = name.lastIndexOf('.');
    return dot > 0 && ENDINGS.contains(name.substring(dot + 1).toLowerCase(Locale.ROOT));
  }

  /** {@code window/showDocument}. Any thread; the future completes on the UI thread. */
  public static CompletableFuture<Boolean> show(JsonObject params) {
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

  /** A place as a program wrote it: a path, or the end of one, and a line from 1. Any thread. */
  public static void showNamed(String file, int line) {
    CompletableFuture.runAsync(
        () -> {
          Path path = resolve(file);
          if (path == null)
            Notices.warning(file + ": not found in the folders of runs or projects");
          else open(path, line - 1, 0, true, new CompletableFuture<>());
        });
  }

  private static Path resolve(String file) {
    try {
      Path path = Path.of(file);
      if (path.isAbsolute()) return Files.isRegularFile(path) ? path : null;
      List<Path> folders = new ArrayList<>();
      for (TracedRun run : TaskLens.runs().all())
        if (!run.folder().isEmpty()) folders.add(Path.of(run.folder()));
      for (var project : ResourcesPlugin.getWorkspace().getRoot().getProjects())
        if (project.getLocation() != null) folders.add(Path.of(project.getLocation().toOSString()));
      for (Path folder : folders)
        for (Path up = folder; up != null; up = up.getParent())
          if (Files.isRegularFile(up.resolve(path))) return up.resolve(path);
    } catch (InvalidPathException e) {
      // No path, so no file.
    }
    return null;
  }

  private static void open(
      Path path, int line, int column, boolean takeFocus, CompletableFuture<Boolean> shown) {
    // Everything that may touch the disk comes before the UI thread.
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
      TaskLens.log(path + " cannot be opened", e);
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
              IResource.DEPTH_ZERO, null); // it came to the disk behind Eclipse's back
        } catch (CoreException e) {
          continue;
        }
      }
      if (file.isAccessible()) return file;
    }
    return null;
  }

  private static boolean openNow(
      IEditorInput input, String editorId, int line, int column, boolean takeFocus) {
    IWorkbenchPage page = Ui.page();
    if (page == null) return false;
    try {
      IWorkbenchPart before = page.getActivePart();
      int match = IWorkbenchPage.MATCH_INPUT;
      IEditorPart part = page.openEditor(input, editorId, takeFocus, match);
      if (part == null) return false;
      page.bringToTop(part);
      ITextEditor editor = textEditor(part);
      if (editor == null) return true;
      IDocument document = document(editor);
      if (document == null) return true;
      int row = Math.max(0, Math.min(line, document.getNumberOfLines() - 1));
      int offset = document.getLineOffset(row)
          + Math.max(0, Math.min(column, document.getLineLength(row) - 1));
      TaskLens.caret().expect(editor, row);
      editor.selectAndReveal(offset, 0);
      LineMark.put(editor, row);
      if (!takeFocus && before != null && page.getActivePart() != before) page.activate(before);
      return true;
    } catch (PartInitException | BadLocationException e) {
      TaskLens.log(input.getName() + " cannot be opened", e);
      return false;
    }
  }

  // --- What an editor holds. UI thread.

  /** Where the user is, to be compared: the editor in front, its caret, the state of its text. */
  public static String place() {
    IWorkbenchPage page = Ui.page();
    ITextEditor editor = page == null ? null : textEditor(page.getActiveEditor());
    if (editor == null || document(editor) == null)
      return "";
    long stamp =
        document(editor) instanceof IDocumentExtension4 text ? text.getModificationStamp() : 0;
    ISelection at = editor.getSelectionProvider().getSelection();
    String caret =
        at instanceof ITextSelection text ? text.getOffset() + "+" + text.getLength() : "";
    return System.identityHashCode(editor) + " " + stamp + " " + caret;
  }

  public static ITextEditor textEditor(IWorkbenchPart part) {
    if (part instanceof ITextEditor editor) return editor;
    return part == null ? null : part.getAdapter(ITextEditor.class);
  }

  public static IDocument document(ITextEditor editor) {
    return editor.getDocumentProvider() == null
        ? null
        : editor.getDocumentProvider().getDocument(editor.getEditorInput());
  }

  public static ISourceViewer viewer(ITextEditor editor) {
    return editor.getAdapter(ITextOperationTarget.class) instanceof ISourceViewer viewer
        ? viewer
        : null;
  }

  /** The {@code file:} URI of a C or C++ source that the editor shows, or null. */
  public static String uriOf(ITextEditor editor) {
    IEditorInput input = editor.getEditorInput();
    if (input == null || !isSource(input.getName())) return null;
    URI uri = null;
    if (input instanceof FileEditorInput file) uri = file.getFile().getLocationURI();
    else if (input instanceof IURIEditorInput other) uri = other.getURI();
    if (uri == null || !"file".equals(uri.getScheme())) return null;
    return Path.of(uri).toUri().toString();
  }

  /** All open editors of C and C++ files that have been shown. */
  public static List<ITextEditor> open() {
    List<ITextEditor> found = new ArrayList<>();
    for (var window : PlatformUI.getWorkbench().getWorkbenchWindows())
      for (IWorkbenchPage page : window.getPages())
        for (IEditorReference reference : page.getEditorReferences()) {
          ITextEditor editor = textEditor(reference.getEditor(false));
          if (editor != null && uriOf(editor) != null) found.add(editor);
        }
    return found;
  }
}
