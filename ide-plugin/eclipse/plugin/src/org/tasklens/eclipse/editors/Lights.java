// SPDX-License-Identifier: Apache-2.0
package org.tasklens.eclipse.editors;

import org.tasklens.eclipse.model.Site;

/** Where the tasks of a line are shown. UI thread. */
public interface Lights {
  /** Lights up the tasks of a line in all views. */
  void light(Site site);

  /** The same, from a click: the graph comes to the front. */
  void showSite(Site site);
}
