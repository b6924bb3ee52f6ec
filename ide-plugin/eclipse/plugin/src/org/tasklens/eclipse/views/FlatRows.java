// SPDX-License-Identifier: Apache-2.0
package org.tasklens.eclipse.views;

import java.util.function.Supplier;
import org.eclipse.jface.viewers.ITreeContentProvider;

/** Rows without children. */
record FlatRows(Supplier<Object[]> rows) implements ITreeContentProvider {
  @Override
  public Object[] getElements(Object input) {
    return rows.get();
  }

  @Override
  public Object[] getChildren(Object parent) {
    return new Object[0];
  }

  @Override
  public Object getParent(Object element) {
    return null;
  }

  @Override
  public boolean hasChildren(Object element) {
    return false;
  }
}
