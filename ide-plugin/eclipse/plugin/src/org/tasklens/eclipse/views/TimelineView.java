// SPDX-License-Identifier: Apache-2.0
package org.tasklens.eclipse.views;

/** What each worker did when. */
public final class TimelineView extends PageView {
  @Override
  String page() {
    return "timeline";
  }

  @Override
  String icon() {
    return "timeline";
  }
}
