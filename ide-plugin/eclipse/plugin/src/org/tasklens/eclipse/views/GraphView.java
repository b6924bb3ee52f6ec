// SPDX-License-Identifier: Apache-2.0
package org.tasklens.eclipse.views;

import java.util.concurrent.Executor;
import org.tasklens.eclipse.model.Traces;
import org.tasklens.eclipse.rpc.Requests;
import org.tasklens.eclipse.ui.Notices;

/** The task graph. */
public final class GraphView extends PageView {
  public GraphView(
      Traces traces, Requests server, Views views, Notices notices, Executor pages) {
    super(traces, server, views, notices, pages);
  }

  @Override
  String page() {
    return "graph";
  }

  @Override
  String icon() {
    return "graph";
  }
}
