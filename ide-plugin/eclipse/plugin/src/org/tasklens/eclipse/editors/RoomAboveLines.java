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
 * Removes the room above a line when its code mining goes away. The platform does so only while it
 * draws the line. A line out of sight would keep its room and show it, empty, when it is scrolled
 * into view.
 */
record RoomAboveLines(ISourceViewer viewer)
    implements IAnnotationModelListener, IAnnotationModelListenerExtension {
  /** UI thread. Following an editor twice has no effect. */
  static void follow(ITextEditor editor) {
    ISourceViewer viewer = SourceEditors.viewer(editor);
    IAnnotationModel model = viewer == null ? null : viewer.getAnnotationModel();
    if (model != null) model.addAnnotationModelListener(new RoomAboveLines(viewer));
  }

  @Override
  public void modelChanged(IAnnotationModel model) {} // the other overload is called

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

  // The line in the widget, which hides folded text; -1: the line is hidden.
  private int lineOf(Position position, StyledText text) {
    if (position == null) return -1;
    int offset =
        viewer instanceof ITextViewerExtension5 folded
            ? folded.modelOffset2WidgetOffset(position.getOffset())
            : position.getOffset() - viewer.getVisibleRegion().getOffset();
    return offset < 0 || offset > text.getCharCount() ? -1 : text.getLineAtOffset(offset);
  }
}
