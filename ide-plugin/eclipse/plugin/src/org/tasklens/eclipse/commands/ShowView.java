// SPDX-License-Identifier: Apache-2.0
package org.tasklens.eclipse.commands;

import org.eclipse.core.commands.ExecutionEvent;
import org.tasklens.eclipse.model.Trace;
import org.tasklens.eclipse.model.Traces;
import org.tasklens.eclipse.views.Views;

/** Shows the trace in a view: its timeline or its task graph. */
public final class ShowView extends TraceHandler {
  private final Views views;
  private final String view;

  /** {@code view}: an id of {@link Views}. */
  public ShowView(Traces traces, Views views, String view) {
    super(traces);
    this.views = views;
    this.view = view;
  }

  @Override
  void handle(Trace trace, ExecutionEvent event) {
    views.show(view);
  }
}
