// SPDX-License-Identifier: Apache-2.0
package org.tasklens.eclipse.editors;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.eclipse.jface.text.BadLocationException;
import org.eclipse.jface.text.IDocument;
import org.eclipse.jface.text.IRegion;
import org.eclipse.jface.text.Position;
import org.eclipse.jface.text.source.Annotation;
import org.eclipse.jface.text.source.IAnnotationModel;
import org.eclipse.jface.text.source.IAnnotationModelExtension;
import org.eclipse.ui.texteditor.ITextEditor;
import org.tasklens.eclipse.model.Site;

/**
 * Marks submission sites in the editor's ruler; the hover shows the cost of their tasks. UI thread.
 */
public final class SiteAnnotations {
  /** plugin.xml defines its look. */
  public static final String TYPE = "org.tasklens.eclipse.site";

  private final Map<ITextEditor, Annotation[]> shown = new HashMap<>();

  void show(ITextEditor editor, List<Site> sites) {
    IDocument document = SourceEditors.document(editor);
    if (document == null || editor.getDocumentProvider() == null) return;
    IAnnotationModel model =
        editor.getDocumentProvider().getAnnotationModel(editor.getEditorInput());
    if (!(model instanceof IAnnotationModelExtension many)) return;
    Map<Annotation, Position> added = new HashMap<>();
    for (Site site : sites) {
      if (site.run() != null) continue;
      try {
        IRegion region = document.getLineInformation(site.line());
        String text = site.details().isEmpty() ? site.title() : site.details();
        added.put(new Annotation(TYPE, false, text),
            new Position(region.getOffset(), region.getLength()));
      } catch (BadLocationException e) {
        // The text became shorter; its new sites have been requested.
      }
    }
    many.replaceAnnotations(shown.getOrDefault(editor, new Annotation[0]), added);
    shown.put(editor, added.keySet().toArray(new Annotation[0]));
  }

  void forget(ITextEditor editor) {
    shown.remove(editor);
  }
}
