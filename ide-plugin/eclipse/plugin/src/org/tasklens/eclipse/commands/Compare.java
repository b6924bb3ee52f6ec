// SPDX-License-Identifier: Apache-2.0
package org.tasklens.eclipse.commands;

import java.util.List;
import org.eclipse.core.commands.ExecutionEvent;
import org.tasklens.eclipse.TaskLens;
import org.tasklens.eclipse.run.Trace;
import org.tasklens.eclipse.views.CompareView;

/** The trace that is shown and the one opened before it (or after it, for the oldest). */
public final class Compare extends TraceHandler {
  @Override
  void handle(Trace trace, ExecutionEvent event) {
    List<Trace> open = TaskLens.traces().open();
    int at = open.indexOf(trace);
    if (open.size() < 2 || at < 0) return;
    int after = Math.min(at, open.size() - 2); // the newest is the first
    CompareView.compare(open.get(after + 1), open.get(after));
  }
}
