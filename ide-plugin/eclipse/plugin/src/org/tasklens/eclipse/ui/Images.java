// SPDX-License-Identifier: Apache-2.0
package org.tasklens.eclipse.ui;

import java.net.URL;
import org.eclipse.core.runtime.FileLocator;
import org.eclipse.core.runtime.Path;
import org.eclipse.jface.resource.ImageDescriptor;
import org.eclipse.jface.resource.JFaceResources;
import org.eclipse.swt.graphics.Image;
import org.osgi.framework.FrameworkUtil;

/** Icons for light and dark workbenches: {@code icons/light/NAME.png}, {@code icons/dark/...}. */
public final class Images {
  private Images() {}

  /** UI thread. */
  public static ImageDescriptor descriptor(String name) {
    String path = "icons/" + (Ui.isDark() ? "dark/" : "light/") + name + ".png";
    URL url = FileLocator.find(FrameworkUtil.getBundle(Images.class), new Path(path), null);
    return url == null ? ImageDescriptor.getMissingImageDescriptor()
                       : ImageDescriptor.createFromURL(url);
  }

  /** UI thread; the image belongs to the display, since views may outlive the bundle. */
  public static Image get(String name) {
    ImageDescriptor wanted = descriptor(name);
    Image there = JFaceResources.getResources().find(wanted) instanceof Image one ? one : null;
    return there != null ? there : JFaceResources.getResources().createImage(wanted);
  }
}
