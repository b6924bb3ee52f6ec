// SPDX-License-Identifier: Apache-2.0
package org.tasklens.eclipse.commands;

import org.eclipse.core.commands.ExecutionEvent;
import org.tasklens.eclipse.model.Trace;
import org.tasklens.eclipse.model.Traces;
import org.tasklens.eclipse.views.Views;

/** Shows the task graph of the trace. */
public final class ShowGraph extends TraceHandler {
  private final Views views;

  public ShowGraph(Traces traces, Views views) {
    super(traces);
    this.views = views;
  }

  @Override
  void handle(Trace trace, ExecutionEvent event) {
    views.show(Views.GRAPH);
  }
}
