// SPDX-License-Identifier: Apache-2.0
package org.tasklens.eclipse.commands;

import org.eclipse.core.commands.ExecutionEvent;
import org.tasklens.eclipse.run.Trace;
import org.tasklens.eclipse.views.Views;

/** The timeline of the trace. */
public final class ShowTrace extends TraceHandler {
  @Override
  void handle(Trace trace, ExecutionEvent event) {
    Views.show(Views.TIMELINE);
  }
}
