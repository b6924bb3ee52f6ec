// SPDX-License-Identifier: Apache-2.0
package org.tasklens.eclipse.ui;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.eclipse.core.runtime.IStatus;
import org.eclipse.jface.layout.GridDataFactory;
import org.eclipse.jface.notifications.NotificationPopup;
import org.eclipse.jface.resource.JFaceResources;
import org.eclipse.swt.SWT;
import org.eclipse.swt.graphics.Rectangle;
import org.eclipse.swt.widgets.Display;
import org.eclipse.swt.widgets.Label;
import org.tasklens.eclipse.model.Messages;

/**
 * Shows messages in a small window in the corner, which disappears by itself, and in the error log.
 * Never opens a dialog, so nothing waits for an answer. Any thread.
 */
public final class Notices implements Messages {
  private static final int SECONDS_SHOWN = 8;
  private static final int KEPT = 100;

  private final Deque<String> recent = new ArrayDeque<>();
  private final List<NotificationPopup> open = new ArrayList<>(); // UI thread
  private volatile boolean isClosed;

  @Override
  public void info(String text) {
    show(IStatus.INFO, text);
  }

  @Override
  public void warning(String text) {
    show(IStatus.WARNING, text);
  }

  @Override
  public void error(String text) {
    show(IStatus.ERROR, text);
  }

  /**
   * Passes the answer to {@code done} on the UI thread; reports a failure, unless the user already
   * knows.
   */
  public <T> void whenDone(CompletableFuture<T> future, Consumer<T> done) {
    future.whenComplete(
        (result, failure) -> {
          if (failure == null) Ui.later(() -> done.accept(result));
          else failed(failure);
        });
  }

  /** The last notices, the oldest first. */
  public List<String> recent() {
    synchronized (recent) {
      return new ArrayList<>(recent);
    }
  }

  /** Stops showing messages: the plugin is being stopped. */
  public void close() {
    isClosed = true;
  }

  private void show(int severity, String text) {
    if (isClosed) return;
    synchronized (recent) {
      recent.add(text);
      if (recent.size() > KEPT) recent.removeFirst();
    }
    Ui.log(severity, text, null);
    Ui.later(() -> open(titleOf(severity), text));
  }

  // On the UI thread. Opens above the notices that are still visible.
  private void open(String title, String text) {
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
    open.removeIf(other -> other.getShell() == null || other.getShell().isDisposed());
    Rectangle place = popup.getShell().getBounds();
    int top = place.y;
    for (NotificationPopup other : open)
      top = Math.min(top, other.getShell().getBounds().y - place.height);
    if (top >= 0) popup.getShell().setLocation(place.x, top);
    open.add(popup);
  }

  private static String titleOf(int severity) {
    if (severity == IStatus.ERROR) return "TaskLens: that did not work";
    return severity == IStatus.WARNING ? "TaskLens: please look" : "TaskLens";
  }
}
