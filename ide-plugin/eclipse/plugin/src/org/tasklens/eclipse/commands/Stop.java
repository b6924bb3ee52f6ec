// SPDX-License-Identifier: Apache-2.0
package org.tasklens.eclipse.commands;

import org.eclipse.core.commands.AbstractHandler;
import org.eclipse.core.commands.ExecutionEvent;
import org.tasklens.eclipse.TaskLens;

/** Ends the programs that run traced. */
public final class Stop extends AbstractHandler {
  @Override
  public Object execute(ExecutionEvent event) {
    TaskLens.runs().stop();
    return null;
  }
}
