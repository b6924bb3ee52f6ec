// SPDX-License-Identifier: Apache-2.0
package org.tasklens.eclipse.commands;

import com.google.gson.JsonObject;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.eclipse.core.commands.AbstractHandler;
import org.eclipse.core.commands.ExecutionEvent;
import org.eclipse.core.runtime.CoreException;
import org.eclipse.debug.core.ILaunchConfiguration;
import org.eclipse.jface.viewers.LabelProvider;
import org.eclipse.jface.window.Window;
import org.eclipse.swt.widgets.Shell;
import org.eclipse.ui.dialogs.ElementListSelectionDialog;
import org.eclipse.ui.handlers.HandlerUtil;
import org.tasklens.eclipse.Notices;
import org.tasklens.eclipse.TaskLens;
import org.tasklens.eclipse.Ui;
import org.tasklens.eclipse.run.Configuration;
import org.tasklens.eclipse.run.LaunchPrograms;
import org.tasklens.eclipse.run.Program;
import org.tasklens.eclipse.run.RunDialog;
import org.tasklens.eclipse.server.ServerError;

/**
 * Runs the program of the active C/C++ launch configuration; where there is none, what was run
 * last; the first time the project's launch configuration (of several, the one that is chosen), and
 * where the project has none, asks. With the parameter {@code ask}: always asks.
 */
public final class RunTraced extends AbstractHandler {
  public static final String ASK = "org.tasklens.eclipse.runTraced.ask";

  @Override
  public Object execute(ExecutionEvent event) {
    boolean asks = Boolean.parseBoolean(event.getParameter(ASK));
    ILaunchConfiguration active = asks ? null : LaunchPrograms.active();
    JsonObject last = TaskLens.runs().last();
    if (active != null) CompletableFuture.runAsync(() -> runConfiguration(active));
    else if (asks)
      ask(HandlerUtil.getActiveShell(event));
    else if (last != null)
      CompletableFuture.runAsync(() -> TaskLens.runs().start(last));
    else runOfProject(HandlerUtil.getActiveShell(event));
    return null;
  }

  private static void runOfProject(Shell shell) {
    Ui.whenDone(Configuration.ask(), known -> {
      List<Configuration> usable = known.stream().filter(one -> one.problem().isEmpty()).toList();
      if (usable.isEmpty()) ask(shell);
      else if (usable.size() == 1)
        usable.get(0).run();
      else choose(shell, usable);
    });
  }

  private static void choose(Shell shell, List<Configuration> usable) {
    ElementListSelectionDialog dialog =
        new ElementListSelectionDialog(shell, LabelProvider.createTextProvider(one -> {
          Configuration configuration = (Configuration) one;
          return configuration.name() + ": " + configuration.commandLine();
        }));
    dialog.setTitle("Run Traced");
    dialog.setMessage("Launch configurations of the project:");
    dialog.setElements(usable.toArray());
    if (dialog.open() == Window.OK) ((Configuration) dialog.getFirstResult()).run();
  }

  // Reads the configuration's file, so not on the UI thread.
  private static void runConfiguration(ILaunchConfiguration configuration) {
    try {
      TaskLens.runs().start(LaunchPrograms.of(configuration));
    } catch (CoreException | ServerError e) {
      Notices.error(e.getMessage());
    }
  }

  private static void ask(Shell shell) {
    RunDialog dialog = new RunDialog(shell);
    if (dialog.open() != Window.OK) return;
    Program program = dialog.result();
    CompletableFuture.runAsync(() -> TaskLens.runs().start(program));
  }
}
