// SPDX-License-Identifier: Apache-2.0
package org.tasklens.eclipse.commands;

import org.eclipse.core.commands.AbstractHandler;
import org.eclipse.core.commands.ExecutionEvent;
import org.tasklens.eclipse.model.Runs;

/** Ends the programs that run traced. */
public final class Stop extends AbstractHandler {
  private final Runs runs;

  public Stop(Runs runs) {
    this.runs = runs;
  }

  @Override
  public Object execute(ExecutionEvent event) {
    runs.stop();
    return null;
  }
}
