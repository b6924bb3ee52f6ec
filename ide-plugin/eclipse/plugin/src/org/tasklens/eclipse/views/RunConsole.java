// SPDX-License-Identifier: Apache-2.0
package org.tasklens.eclipse.views;

import java.io.IOException;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.eclipse.swt.graphics.Color;
import org.eclipse.ui.console.ConsolePlugin;
import org.eclipse.ui.console.IConsole;
import org.eclipse.ui.console.IConsoleConstants;
import org.eclipse.ui.console.IConsoleManager;
import org.eclipse.ui.console.IConsoleView;
import org.eclipse.ui.console.IOConsole;
import org.eclipse.ui.console.IOConsoleOutputStream;
import org.tasklens.eclipse.editors.LineOpener;
import org.tasklens.eclipse.ui.Ui;

/** The output of a program in the Console view, with links for locations in files. Any thread. */
public final class RunConsole extends IOConsole {
  private static final int KEPT_CHARACTERS = 1_000_000;
  private static final int WAITING_CHUNKS = 1000;

  private final IOConsoleOutputStream out;
  private final IOConsoleOutputStream err;
  private final IOConsoleOutputStream ours;
  // Writing blocks while the view is behind. When this many chunks are queued, the server has to
  // wait as well; it then drops output and says so.
  private final ThreadPoolExecutor writer =
      new ThreadPoolExecutor(
          1,
          1,
          1,
          TimeUnit.SECONDS,
          new ArrayBlockingQueue<>(WAITING_CHUNKS),
          new ThreadPoolExecutor.CallerRunsPolicy());

  private RunConsole(String name, LineOpener opener) {
    super("TaskLens: " + name, null);
    writer.allowCoreThreadTimeOut(true);
    setWaterMarks(KEPT_CHARACTERS, KEPT_CHARACTERS + KEPT_CHARACTERS / 10);
    out = newOutputStream();
    err = newOutputStream();
    err.setColor(new Color(200, 40, 40));
    ours = newOutputStream();
    ours.setColor(new Color(70, 120, 200));
    addPatternMatchListener(new ConsoleLinks(opener));
  }

  static RunConsole open(String name, Views views, LineOpener opener) {
    RunConsole console = new RunConsole(name, opener);
    IConsoleManager manager = ConsolePlugin.getDefault().getConsoleManager();
    // Replaces the console of an earlier run of this program.
    for (IConsole other : manager.getConsoles())
      if (other instanceof RunConsole && other.getName().equals(console.getName()))
        manager.removeConsoles(new IConsole[] {other});
    manager.addConsoles(new IConsole[] {console});
    // Not through the console manager, which shows the view later, possibly over the results.
    Ui.later(() -> {
      if (views.show(IConsoleConstants.ID_CONSOLE_VIEW) instanceof IConsoleView view)
        view.display(console);
    });
    return console;
  }

  void write(String text, boolean isError) {
    put(isError ? err : out, text);
  }

  void say(String text) {
    put(ours, text);
  }

  void end(String sentence, boolean isGood) {
    put(isGood ? ours : err, "[" + sentence + "]\n");
  }

  private void put(IOConsoleOutputStream stream, String text) {
    writer.execute(
        () -> {
          try {
            stream.write(text);
          } catch (IOException e) {
            // The console was closed, so the rest of the output is dropped.
            Ui.log(getName() + ": output after the console was closed", e);
          }
        });
  }
}
