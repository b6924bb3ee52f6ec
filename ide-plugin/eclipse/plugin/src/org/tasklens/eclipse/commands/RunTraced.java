// SPDX-License-Identifier: Apache-2.0
package org.tasklens.eclipse.commands;

import com.google.gson.JsonObject;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.eclipse.core.commands.AbstractHandler;
import org.eclipse.core.commands.ExecutionEvent;
import org.eclipse.core.runtime.CoreException;
import org.eclipse.debug.core.ILaunchConfiguration;
import org.eclipse.jface.dialogs.IDialogSettings;
import org.eclipse.jface.viewers.LabelProvider;
import org.eclipse.jface.window.Window;
import org.eclipse.swt.widgets.Shell;
import org.eclipse.ui.dialogs.ElementListSelectionDialog;
import org.eclipse.ui.handlers.HandlerUtil;
import org.tasklens.eclipse.model.Configuration;
import org.tasklens.eclipse.model.Program;
import org.tasklens.eclipse.model.Project;
import org.tasklens.eclipse.model.Runs;
import org.tasklens.eclipse.preferences.Settings;
import org.tasklens.eclipse.rpc.ServerError;
import org.tasklens.eclipse.ui.Notices;

/**
 * Runs a program traced: that of the active C/C++ launch configuration; else the last one that was
 * run; the first time, the project's launch configuration (the user chooses if there are several);
 * else asks. With the parameter {@code ask}, always asks.
 */
public final class RunTraced extends AbstractHandler {
  public static final String ASK = "org.tasklens.eclipse.runTraced.ask";

  private final Runs runs;
  private final Project project;
  private final Settings settings;
  private final Notices notices;
  private final Supplier<IDialogSettings> remembered;

  /** {@code remembered}: the settings that the dialog remembers. */
  public RunTraced(Runs runs, Project project, Settings settings, Notices notices,
      Supplier<IDialogSettings> remembered) {
    this.runs = runs;
    this.project = project;
    this.settings = settings;
    this.notices = notices;
    this.remembered = remembered;
  }

  @Override
  public Object execute(ExecutionEvent event) {
    boolean asks = Boolean.parseBoolean(event.getParameter(ASK));
    ILaunchConfiguration active = asks ? null : LaunchPrograms.active();
    JsonObject last = runs.last();
    if (active != null) CompletableFuture.runAsync(() -> runConfiguration(active));
    else if (asks)
      ask(HandlerUtil.getActiveShell(event));
    else if (last != null)
      CompletableFuture.runAsync(() -> runs.start(last));
    else runOfProject(HandlerUtil.getActiveShell(event));
    return null;
  }

  private void runOfProject(Shell shell) {
    notices.whenDone(project.configurations(), known -> {
      List<Configuration> usable = known.stream().filter(one -> one.problem().isEmpty()).toList();
      if (usable.isEmpty()) ask(shell);
      else if (usable.size() == 1)
        run(usable.get(0));
      else choose(shell, usable);
    });
  }

  private void choose(Shell shell, List<Configuration> usable) {
    ElementListSelectionDialog dialog =
        new ElementListSelectionDialog(shell, LabelProvider.createTextProvider(one -> {
          Configuration configuration = (Configuration) one;
          return configuration.name() + ": " + configuration.commandLine();
        }));
    dialog.setTitle("Run Traced");
    dialog.setMessage("Launch configurations of the project:");
    dialog.setElements(usable.toArray());
    if (dialog.open() == Window.OK) run((Configuration) dialog.getFirstResult());
  }

  private void run(Configuration configuration) {
    CompletableFuture.runAsync(() -> runs.start(configuration.toParams()));
  }

  // Reads the file of the configuration, so not on the UI thread.
  private void runConfiguration(ILaunchConfiguration configuration) {
    try {
      runs.start(LaunchPrograms.of(configuration));
    } catch (CoreException | ServerError e) {
      notices.error(e.getMessage());
    }
  }

  private void ask(Shell shell) {
    RunDialog dialog = new RunDialog(shell, settings, remembered.get());
    if (dialog.open() != Window.OK) return;
    Program program = dialog.result();
    CompletableFuture.runAsync(() -> runs.start(program));
  }
}
