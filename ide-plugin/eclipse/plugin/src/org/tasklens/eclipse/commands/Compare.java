// SPDX-License-Identifier: Apache-2.0
package org.tasklens.eclipse.commands;

import java.util.List;
import org.eclipse.core.commands.ExecutionEvent;
import org.tasklens.eclipse.model.Trace;
import org.tasklens.eclipse.model.Traces;
import org.tasklens.eclipse.views.Views;

/** Compares the current trace with the one opened before it (for the oldest: after it). */
public final class Compare extends TraceHandler {
  private final Traces traces;
  private final Views views;

  public Compare(Traces traces, Views views) {
    super(traces);
    this.traces = traces;
    this.views = views;
  }

  @Override
  void handle(Trace trace, ExecutionEvent event) {
    List<Trace> open = traces.open();
    int at = open.indexOf(trace);
    if (open.size() < 2 || at < 0) return;
    int after = Math.min(at, open.size() - 2); // the newest comes first
    views.compare(open.get(after + 1), open.get(after));
  }
}
