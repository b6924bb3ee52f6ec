// SPDX-License-Identifier: Apache-2.0
package org.tasklens.eclipse.editors;

import org.tasklens.eclipse.model.Site;

/** Highlights the tasks of a line. UI thread. */
public interface Lights {
  /** Highlights the tasks of a line in all views. */
  void light(Site site);

  /** The same after a click: also brings the graph to the front. */
  void showSite(Site site);
}
