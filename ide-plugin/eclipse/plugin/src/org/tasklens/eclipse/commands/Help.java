// SPDX-License-Identifier: Apache-2.0
package org.tasklens.eclipse.commands;

import java.io.IOException;
import java.net.URL;
import org.eclipse.core.runtime.FileLocator;
import org.eclipse.core.runtime.Path;
import org.eclipse.core.runtime.Platform;
import org.eclipse.ui.PartInitException;
import org.eclipse.ui.PlatformUI;
import org.eclipse.ui.browser.IWorkbenchBrowserSupport;
import org.osgi.framework.FrameworkUtil;
import org.tasklens.eclipse.model.Messages;
import org.tasklens.eclipse.ui.Ui;

/** Opens the help page: in Eclipse's help if it is installed, else in a browser. */
public final class Help {
  private static final String PAGE = "help/index.html";

  private Help() {}

  public static void open(Messages messages) {
    if (Platform.getBundle("org.eclipse.help.ui") != null) {
      PlatformUI.getWorkbench()
          .getHelpSystem()
          .displayHelpResource("/" + Ui.PLUGIN + "/" + PAGE);
      return;
    }
    try {
      URL page =
          FileLocator.toFileURL(FileLocator.find(
              FrameworkUtil.getBundle(Help.class), new Path(PAGE), null));
      PlatformUI.getWorkbench()
          .getBrowserSupport()
          .createBrowser(IWorkbenchBrowserSupport.AS_EDITOR, "org.tasklens.eclipse.help",
              "TaskLens", "TaskLens help")
          .openURL(page);
    } catch (IOException | PartInitException e) {
      messages.error("the help page cannot be opened: " + e.getMessage());
    }
  }
}
