// SPDX-License-Identifier: Apache-2.0
package org.tasklens.eclipse;

import java.net.URL;
import org.eclipse.core.runtime.FileLocator;
import org.eclipse.core.runtime.Path;
import org.eclipse.jface.resource.ImageDescriptor;
import org.eclipse.jface.resource.ImageRegistry;
import org.eclipse.swt.graphics.Image;

/**
 * Pictures for light and dark workbenches: {@code icons/light/NAME.png}, {@code icons/dark/...}.
 */
public final class Images {
  private Images() {}

  /** UI thread. */
  public static ImageDescriptor descriptor(String name) {
    String path = "icons/" + (Ui.isDark() ? "dark/" : "light/") + name + ".png";
    URL url = FileLocator.find(TaskLens.get().getBundle(), new Path(path), null);
    return url == null ? ImageDescriptor.getMissingImageDescriptor()
                       : ImageDescriptor.createFromURL(url);
  }

  /** UI thread; the image belongs to the bundle. */
  public static Image get(String name) {
    ImageRegistry images = TaskLens.get().getImageRegistry();
    String key = (Ui.isDark() ? "dark/" : "light/") + name;
    if (images.getDescriptor(key) == null) images.put(key, descriptor(name));
    return images.get(key);
  }
}
