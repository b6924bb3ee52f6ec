// SPDX-License-Identifier: Apache-2.0
package org.tasklens.eclipse.commands;

import org.eclipse.core.commands.AbstractHandler;
import org.eclipse.core.commands.ExecutionEvent;

/** A command that one action carries out. */
public final class Command extends AbstractHandler {
  private final Runnable action;

  public Command(Runnable action) {
    this.action = action;
  }

  @Override
  public Object execute(ExecutionEvent event) {
    action.run();
    return null;
  }
}
