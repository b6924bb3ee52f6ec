// SPDX-License-Identifier: Apache-2.0
package org.tasklens.eclipse.commands;

import org.eclipse.core.commands.AbstractHandler;
import org.eclipse.core.commands.ExecutionEvent;
import org.tasklens.eclipse.model.Trace;
import org.tasklens.eclipse.model.Traces;

/** A command for the current trace. */
abstract class TraceHandler extends AbstractHandler {
  private final Traces traces;

  TraceHandler(Traces traces) {
    this.traces = traces;
  }

  @Override
  public final Object execute(ExecutionEvent event) {
    Trace trace = traces.current();
    if (trace != null) handle(trace, event);
    return null;
  }

  abstract void handle(Trace trace, ExecutionEvent event);
}
