// SPDX-License-Identifier: Apache-2.0
package org.tasklens.eclipse;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.eclipse.core.runtime.IStatus;
import org.eclipse.core.runtime.Status;
import org.eclipse.jface.layout.GridDataFactory;
import org.eclipse.jface.notifications.NotificationPopup;
import org.eclipse.jface.resource.JFaceResources;
import org.eclipse.swt.SWT;
import org.eclipse.swt.graphics.Rectangle;
import org.eclipse.swt.widgets.Display;
import org.eclipse.swt.widgets.Label;

/**
 * Sentences for people: a small window in the corner that goes by itself, and a line in the error
 * log. Never a dialog, so that nothing waits for an answer. Any thread.
 */
public final class Notices {
  private static final int SECONDS_SHOWN = 8;
  private static final int KEPT = 100;
  private static final Deque<String> RECENT = new ArrayDeque<>();
  private static final List<NotificationPopup> OPEN = new ArrayList<>(); // UI thread

  private Notices() {}

  public static void info(String text) {
    show(IStatus.INFO, text);
  }

  public static void warning(String text) {
    show(IStatus.WARNING, text);
  }

  public static void error(String text) {
    show(IStatus.ERROR, text);
  }

  /** The last notices, the oldest first. */
  public static List<String> recent() {
    synchronized (RECENT) {
      return new ArrayList<>(RECENT);
    }
  }

  private static void show(int severity, String text) {
    synchronized (RECENT) {
      RECENT.add(text);
      if (RECENT.size() > KEPT) RECENT.removeFirst();
    }
    if (TaskLens.get() == null) return; // the workbench is being closed
    TaskLens.get().getLog().log(new Status(severity, TaskLens.ID, text));
    Ui.later(() -> open(titleOf(severity), text));
  }

  // On the UI thread. Above those that are still there.
  private static void open(String title, String text) {
    NotificationPopup popup =
        NotificationPopup.forDisplay(Display.getCurrent())
            .title(title, true)
            .content(
                parent -> {
                  Label label = new Label(parent, SWT.WRAP);
                  label.setText(text.replace("&", "&&"));
                  label.setFont(JFaceResources.getDialogFont());
                  label.setLayoutData(
                      GridDataFactory.fillDefaults()
                          .grab(true, true)
                          .hint(320, SWT.DEFAULT)
                          .create());
                  return label;
                })
            .delay(SECONDS_SHOWN * 1000L)
            .build();
    popup.open();
    OPEN.removeIf(other -> other.getShell() == null || other.getShell().isDisposed());
    Rectangle place = popup.getShell().getBounds();
    int top = place.y;
    for (NotificationPopup other : OPEN)
      top = Math.min(top, other.getShell().getBounds().y - place.height);
    if (top >= 0) popup.getShell().setLocation(place.x, top);
    OPEN.add(popup);
  }

  private static String titleOf(int severity) {
    if (severity == IStatus.ERROR) return "TaskLens: that did not work";
    return severity == IStatus.WARNING ? "TaskLens: please look" : "TaskLens";
  }
}
