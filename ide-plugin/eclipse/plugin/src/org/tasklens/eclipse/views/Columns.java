// SPDX-License-Identifier: Apache-2.0
package org.tasklens.eclipse.views;

import java.util.Comparator;
import java.util.function.Function;
import org.eclipse.jface.viewers.ColumnLabelProvider;
import org.eclipse.jface.viewers.TreeViewer;
import org.eclipse.jface.viewers.TreeViewerColumn;
import org.eclipse.jface.viewers.Viewer;
import org.eclipse.jface.viewers.ViewerComparator;
import org.eclipse.swt.SWT;
import org.eclipse.swt.widgets.Tree;
import org.eclipse.swt.widgets.TreeColumn;

/** Columns of a native table of {@code Row}s, sorted by a click on their headers. UI thread. */
final class Columns<Row> {
  private final TreeViewer viewer;
  private final Class<Row> kind;

  Columns(TreeViewer viewer, Class<Row> kind) {
    this.viewer = viewer;
    this.kind = kind;
    viewer.getTree().setHeaderVisible(true);
    viewer.getTree().setLinesVisible(true);
  }

  /** Adds a column of texts, sorted by {@code key}; numbers start with the largest. */
  <Key extends Comparable<Key>> TreeColumn add(String head, int width, boolean isNumber,
      Function<Row, String> text, Function<Row, Key> key) {
    TreeViewerColumn column = new TreeViewerColumn(viewer, isNumber ? SWT.RIGHT : SWT.LEFT);
    column.getColumn().setText(head);
    column.getColumn().setWidth(width);
    column.getColumn().setMoveable(true);
    column.setLabelProvider(
        new ColumnLabelProvider() {
          @Override
          public String getText(Object element) {
            return kind.isInstance(element) ? text.apply(kind.cast(element)) : "";
          }
        });
    Comparator<Row> order = Comparator.comparing(key);
    column.getColumn().addListener(
        SWT.Selection, event -> sort(column.getColumn(), order, isNumber));
    return column.getColumn();
  }

  private void sort(TreeColumn column, Comparator<Row> order, boolean isNumber) {
    Tree tree = viewer.getTree();
    boolean isSecondClick = tree.getSortColumn() == column;
    boolean wasDown = tree.getSortDirection() == SWT.DOWN;
    boolean down = isSecondClick ? !wasDown : isNumber;
    tree.setSortColumn(column);
    tree.setSortDirection(down ? SWT.DOWN : SWT.UP);
    Comparator<Row> directed = down ? order.reversed() : order;
    viewer.setComparator(
        new ViewerComparator() {
          @Override
          public int compare(Viewer any, Object a, Object b) {
            return kind.isInstance(a) && kind.isInstance(b)
                ? directed.compare(kind.cast(a), kind.cast(b))
                : 0;
          }
        });
  }
}
