// SPDX-License-Identifier: Apache-2.0
package org.tasklens.eclipse.editors;

import org.eclipse.jface.text.BadLocationException;
import org.eclipse.jface.text.IDocument;
import org.eclipse.jface.text.IRegion;
import org.eclipse.jface.text.Position;
import org.eclipse.jface.text.source.Annotation;
import org.eclipse.jface.text.source.IAnnotationModel;
import org.eclipse.ui.texteditor.ITextEditor;

/** Marks the line that submitted the selected task, also while the editor is not in front. */
public final class LineMark {
  /** plugin.xml defines its look. */
  public static final String TYPE = "org.tasklens.eclipse.revealedLine";

  private IAnnotationModel markedModel;
  private Annotation mark;

  /** UI thread. {@code line} from 0. */
  void put(ITextEditor editor, int line) {
    if (markedModel != null) markedModel.removeAnnotation(mark);
    markedModel = null;
    IDocument document = SourceEditors.document(editor);
    IAnnotationModel model =
        editor.getDocumentProvider().getAnnotationModel(editor.getEditorInput());
    if (document == null || model == null) return;
    try {
      IRegion region = document.getLineInformation(line);
      mark = new Annotation(TYPE, false, "submits the chosen task");
      model.addAnnotation(mark, new Position(region.getOffset(), region.getLength()));
      markedModel = model;
    } catch (BadLocationException e) {
      // The document became shorter meanwhile, so the line does not exist any more.
    }
  }
}
