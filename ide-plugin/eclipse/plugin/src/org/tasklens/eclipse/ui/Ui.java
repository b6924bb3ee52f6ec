// SPDX-License-Identifier: Apache-2.0
package org.tasklens.eclipse.ui;

import org.eclipse.core.runtime.IStatus;
import org.eclipse.core.runtime.Platform;
import org.eclipse.core.runtime.Status;
import org.eclipse.e4.core.services.events.IEventBroker;
import org.eclipse.e4.ui.css.swt.theme.IThemeEngine;
import org.eclipse.swt.SWT;
import org.eclipse.swt.graphics.RGB;
import org.eclipse.swt.widgets.Control;
import org.eclipse.swt.widgets.Display;
import org.eclipse.swt.widgets.Listener;
import org.eclipse.ui.IWorkbenchPage;
import org.eclipse.ui.IWorkbenchWindow;
import org.eclipse.ui.PlatformUI;
import org.osgi.framework.FrameworkUtil;
import org.osgi.service.event.EventHandler;

/** The way onto the UI thread, where nothing waits and for which nothing waits; and to the log. */
public final class Ui {
  /** The bundle's name, and the beginning of all names of ours in the workbench. */
  public static final String PLUGIN = "org.tasklens.eclipse";

  private Ui() {}

  /** Into the workbench's error log, for whoever looks for the cause of something. Any thread. */
  public static void log(String message, Throwable cause) {
    log(IStatus.WARNING, message, cause);
  }

  static void log(int severity, String message, Throwable cause) {
    Platform.getLog(FrameworkUtil.getBundle(Ui.class))
        .log(new Status(severity, PLUGIN, message, cause));
  }

  /** Runs {@code body} later on the UI thread; never, when the workbench is being closed. */
  public static void later(Runnable body) {
    if (!PlatformUI.isWorkbenchRunning()) return;
    Display display = PlatformUI.getWorkbench().getDisplay();
    if (!display.isDisposed()) display.asyncExec(body);
  }

  /** On the UI thread: the page of the window in front, or null. */
  public static IWorkbenchPage page() {
    if (!PlatformUI.isWorkbenchRunning()) return null;
    IWorkbenchWindow window = PlatformUI.getWorkbench().getActiveWorkbenchWindow();
    if (window == null && PlatformUI.getWorkbench().getWorkbenchWindowCount() > 0)
      window = PlatformUI.getWorkbench().getWorkbenchWindows()[0];
    return window == null ? null : window.getActivePage();
  }

  /**
   * On the UI thread: whether the workbench is dark, as its theme says, else the system's colours.
   */
  public static boolean isDark() {
    IThemeEngine engine = PlatformUI.getWorkbench().getService(IThemeEngine.class);
    if (engine != null && engine.getActiveTheme() != null)
      return engine.getActiveTheme().getId().contains("dark");
    RGB back = Display.getCurrent().getSystemColor(SWT.COLOR_LIST_BACKGROUND).getRGB();
    return back.getHSB()[2] < 0.5f;
  }

  /**
   * On the UI thread: runs {@code body} there each time that {@link #isDark} may answer something
   * else, as long as the control is there.
   */
  public static void onThemeChange(Control control, Runnable body) {
    IEventBroker broker = PlatformUI.getWorkbench().getService(IEventBroker.class);
    EventHandler ofWorkbench = event -> later(body);
    Listener ofSystem = event -> body.run();
    broker.subscribe(IThemeEngine.Events.THEME_CHANGED, ofWorkbench);
    control.getDisplay().addListener(SWT.Settings, ofSystem);
    control.addDisposeListener(
        event -> {
          broker.unsubscribe(ofWorkbench);
          event.display.removeListener(SWT.Settings, ofSystem);
        });
  }
}
