// SPDX-License-Identifier: Apache-2.0
package org.tasklens.eclipse.views;

import java.util.concurrent.Executor;
import org.tasklens.eclipse.model.Traces;
import org.tasklens.eclipse.rpc.Requests;
import org.tasklens.eclipse.ui.Notices;

/** The timeline of the workers. */
public final class TimelineView extends PageView {
  public TimelineView(
      Traces traces, Requests server, Views views, Notices notices, Executor pages) {
    super(traces, server, views, notices, pages);
  }

  @Override
  String page() {
    return "timeline";
  }

  @Override
  String icon() {
    return "timeline";
  }
}
