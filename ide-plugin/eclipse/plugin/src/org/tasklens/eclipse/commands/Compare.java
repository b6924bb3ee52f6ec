// SPDX-License-Identifier: Apache-2.0
package org.tasklens.eclipse.commands;

import java.util.List;
import org.tasklens.eclipse.model.Trace;
import org.tasklens.eclipse.model.Traces;
import org.tasklens.eclipse.views.Views;

/** Compares the current trace with the one opened before it (for the oldest: after it). */
public record Compare(Traces traces, Views views) {
  public void run(Trace trace) {
    List<Trace> open = traces.open();
    int at = open.indexOf(trace);
    if (open.size() < 2 || at < 0) return;
    int after = Math.min(at, open.size() - 2); // the newest comes first
    views.compare(open.get(after + 1), open.get(after));
  }
}
