// SPDX-License-Identifier: Apache-2.0
package org.tasklens.eclipse.editors;

import org.eclipse.ui.IPartListener2;
import org.eclipse.ui.IWindowListener;
import org.eclipse.ui.IWorkbenchWindow;

/** Adds a listener to windows that open later. */
record NewWindows(IPartListener2 listener) implements IWindowListener {
  @Override
  public void windowOpened(IWorkbenchWindow window) {
    window.getPartService().addPartListener(listener);
  }

  @Override
  public void windowActivated(IWorkbenchWindow window) {}

  @Override
  public void windowDeactivated(IWorkbenchWindow window) {}

  @Override
  public void windowClosed(IWorkbenchWindow window) {}
}
