// SPDX-License-Identifier: Apache-2.0
package org.tasklens.eclipse.editors;

import java.util.HashSet;
import java.util.Iterator;
import java.util.Set;
import java.util.stream.Stream;
import org.eclipse.jface.text.ITextViewerExtension5;
import org.eclipse.jface.text.Position;
import org.eclipse.jface.text.source.Annotation;
import org.eclipse.jface.text.source.AnnotationModelEvent;
import org.eclipse.jface.text.source.IAnnotationModel;
import org.eclipse.jface.text.source.IAnnotationModelListener;
import org.eclipse.jface.text.source.IAnnotationModelListenerExtension;
import org.eclipse.jface.text.source.ISourceViewer;
import org.eclipse.jface.text.source.inlined.AbstractInlinedAnnotation;
import org.eclipse.jface.text.source.inlined.LineHeaderAnnotation;
import org.eclipse.swt.custom.StyledText;
import org.eclipse.swt.widgets.Display;
import org.eclipse.ui.texteditor.ITextEditor;
import org.tasklens.eclipse.ui.Ui;

/**
 * Takes away the room above a line when what stood there goes. The platform does so itself as it
 * draws, which is where the line is in sight: a line that is not would keep its room, and show it,
 * empty, when it comes into sight.
 */
record RoomAboveLines(ISourceViewer viewer)
    implements IAnnotationModelListener, IAnnotationModelListenerExtension {
  /** UI thread. An editor that is followed already is followed once. */
  static void follow(ITextEditor editor) {
    ISourceViewer viewer = SourceEditors.viewer(editor);
    IAnnotationModel model = viewer == null ? null : viewer.getAnnotationModel();
    if (model != null) model.addAnnotationModelListener(new RoomAboveLines(viewer));
  }

  @Override
  public void modelChanged(IAnnotationModel model) {} // the other one is called

  @Override
  public void modelChanged(AnnotationModelEvent event) {
    if (Stream.of(event.getRemovedAnnotations()).noneMatch(LineHeaderAnnotation.class::isInstance))
      return;
    if (Display.getCurrent() != null) close(event.getAnnotationModel());
    else Ui.later(() -> close(event.getAnnotationModel()));
  }

  private void close(IAnnotationModel model) {
    StyledText text = viewer.getTextWidget();
    if (text == null || text.isDisposed()) return;
    Set<Integer> used = new HashSet<>();
    for (Iterator<Annotation> all = model.getAnnotationIterator(); all.hasNext(); ) {
      Annotation one = all.next();
      if (one instanceof AbstractInlinedAnnotation) used.add(lineOf(model.getPosition(one), text));
    }
    for (int line = 0; line < text.getLineCount(); ++line)
      if (text.getLineVerticalIndent(line) > 0 && !used.contains(line))
        text.setLineVerticalIndent(line, 0);
  }

  // In the widget, which shows part of the document where text is folded; -1: not there.
  private int lineOf(Position position, StyledText text) {
    if (position == null) return -1;
    int offset =
        viewer instanceof ITextViewerExtension5 folded
            ? folded.modelOffset2WidgetOffset(position.getOffset())
            : position.getOffset() - viewer.getVisibleRegion().getOffset();
    return offset < 0 || offset > text.getCharCount() ? -1 : text.getLineAtOffset(offset);
  }
}
