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

/** Runs code on the UI thread, without blocking either side; and writes to the log. */
public final class Ui {
  /** The bundle's name, and the prefix of all our names in the workbench. */
  public static final String PLUGIN = "org.tasklens.eclipse";

  private Ui() {}

  /** Writes to the workbench's error log. Any thread. */
  public static void log(String message, Throwable cause) {
    log(IStatus.WARNING, message, cause);
  }

  static void log(int severity, String message, Throwable cause) {
    Platform.getLog(FrameworkUtil.getBundle(Ui.class))
        .log(new Status(severity, PLUGIN, message, cause));
  }

  /** Runs {@code body} later on the UI thread; never if the workbench is being closed. */
  public static void later(Runnable body) {
    if (!PlatformUI.isWorkbenchRunning()) return;
    Display display = PlatformUI.getWorkbench().getDisplay();
    if (!display.isDisposed()) display.asyncExec(body);
  }

  /** On the UI thread: the page of the active window, or null. */
  public static IWorkbenchPage page() {
    if (!PlatformUI.isWorkbenchRunning()) return null;
    IWorkbenchWindow window = PlatformUI.getWorkbench().getActiveWorkbenchWindow();
    if (window == null && PlatformUI.getWorkbench().getWorkbenchWindowCount() > 0)
      window = PlatformUI.getWorkbench().getWorkbenchWindows()[0];
    return window == null ? null : window.getActivePage();
  }

  /**
   * On the UI thread: true if the workbench's theme is dark; without a theme, if the system's
   * colours are.
   */
  public static boolean isDark() {
    IThemeEngine engine = PlatformUI.getWorkbench().getService(IThemeEngine.class);
    if (engine != null && engine.getActiveTheme() != null)
      return engine.getActiveTheme().getId().contains("dark");
    RGB back = Display.getCurrent().getSystemColor(SWT.COLOR_LIST_BACKGROUND).getRGB();
    return back.getHSB()[2] < 0.5f;
  }

  /**
   * On the UI thread: runs {@code body} there whenever {@link #isDark} may have changed, until the
   * control is disposed.
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
