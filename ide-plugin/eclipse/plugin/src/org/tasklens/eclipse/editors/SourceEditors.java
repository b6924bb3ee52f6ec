// SPDX-License-Identifier: Apache-2.0
package org.tasklens.eclipse.editors;

import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.eclipse.jface.text.IDocument;
import org.eclipse.jface.text.IDocumentExtension4;
import org.eclipse.jface.text.ITextOperationTarget;
import org.eclipse.jface.text.ITextSelection;
import org.eclipse.jface.text.source.ISourceViewer;
import org.eclipse.jface.viewers.ISelection;
import org.eclipse.ui.IEditorInput;
import org.eclipse.ui.IEditorReference;
import org.eclipse.ui.IURIEditorInput;
import org.eclipse.ui.IWorkbenchPage;
import org.eclipse.ui.IWorkbenchPart;
import org.eclipse.ui.PlatformUI;
import org.eclipse.ui.part.FileEditorInput;
import org.eclipse.ui.texteditor.ITextEditor;
import org.tasklens.eclipse.ui.Ui;

/** The contents of source editors. UI thread. */
public final class SourceEditors {
  private static final Set<String> ENDINGS =
      Set.of("c", "h", "cc", "cpp", "cxx", "c++", "hh", "hpp", "hxx", "h++", "cu", "cuh");

  private SourceEditors() {}

  public static boolean isSource(String name) {
    int dot = name.lastIndexOf('.');
    return dot > 0 && ENDINGS.contains(name.substring(dot + 1).toLowerCase(Locale.ROOT));
  }

  /**
   * A string for comparing where the user is: the active editor, its caret, the version of its
   * text.
   */
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

  /** The {@code file:} URI of a C or C++ source in the editor, or null. */
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
