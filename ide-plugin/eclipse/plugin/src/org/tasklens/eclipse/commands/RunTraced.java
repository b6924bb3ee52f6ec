// SPDX-License-Identifier: Apache-2.0
package org.tasklens.eclipse.commands;

import com.google.gson.JsonObject;
import java.util.concurrent.CompletableFuture;
import org.eclipse.core.commands.AbstractHandler;
import org.eclipse.core.commands.ExecutionEvent;
import org.eclipse.core.runtime.CoreException;
import org.eclipse.debug.core.ILaunchConfiguration;
import org.eclipse.jface.window.Window;
import org.eclipse.ui.handlers.HandlerUtil;
import org.tasklens.eclipse.Notices;
import org.tasklens.eclipse.TaskLens;
import org.tasklens.eclipse.run.LaunchPrograms;
import org.tasklens.eclipse.run.Program;
import org.tasklens.eclipse.run.RunDialog;
import org.tasklens.eclipse.server.ServerError;

/**
 * Runs the program of the active C/C++ launch configuration; where there is none, what was run
 * last, and the first time asks. With the parameter {@code ask}: always asks.
 */
public final class RunTraced extends AbstractHandler {
  public static final String ASK = "org.tasklens.eclipse.runTraced.ask";

  @Override
  public Object execute(ExecutionEvent event) {
    boolean asks = Boolean.parseBoolean(event.getParameter(ASK));
    ILaunchConfiguration active = asks ? null : LaunchPrograms.active();
    JsonObject last = TaskLens.runs().last();
    if (active != null) CompletableFuture.runAsync(() -> runConfiguration(active));
    else if (asks || last == null) ask(event);
    else CompletableFuture.runAsync(() -> TaskLens.runs().start(last));
    return null;
  }

  // Reads the configuration's file, so not on the UI thread.
  private static void runConfiguration(ILaunchConfiguration configuration) {
    try {
      TaskLens.runs().start(LaunchPrograms.of(configuration));
    } catch (CoreException | ServerError e) {
      Notices.error(e.getMessage());
    }
  }

  private static void ask(ExecutionEvent event) {
    RunDialog dialog = new RunDialog(HandlerUtil.getActiveShell(event));
    if (dialog.open() != Window.OK) return;
    Program program = dialog.result();
    CompletableFuture.runAsync(() -> TaskLens.runs().start(program));
  }
}
