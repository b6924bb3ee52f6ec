// SPDX-License-Identifier: Apache-2.0
package org.tasklens.eclipse.editors;

import org.eclipse.jface.text.BadLocationException;
import org.eclipse.jface.text.IDocument;
import org.eclipse.jface.text.IRegion;
import org.eclipse.jface.text.Position;
import org.eclipse.jface.text.source.Annotation;
import org.eclipse.jface.text.source.IAnnotationModel;
import org.eclipse.ui.texteditor.ITextEditor;

/** The line that submitted the chosen task stays marked, also when the editor is not in front. */
public final class LineMark {
  /** Its look is in plugin.xml. */
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
      // The document became shorter meanwhile; there is no such line to mark.
    }
  }
}
