// SPDX-License-Identifier: Apache-2.0
package org.tasklens.eclipse.views;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.tasklens.eclipse.editors.LineOpener;
import org.tasklens.eclipse.model.Runs;
import org.tasklens.eclipse.model.TracedRun;

/** A console for each running program. Any thread. */
public final class RunConsoles implements Runs.Follower {
  private final Views views;
  private final LineOpener opener;
  private final Map<TracedRun, RunConsole> consoles = new ConcurrentHashMap<>();

  public RunConsoles(Views views, LineOpener opener) {
    this.views = views;
    this.opener = opener;
  }

  @Override
  public void begins(TracedRun run) {
    RunConsole console = RunConsole.open(run.name(), views, opener);
    consoles.put(run, console);
    console.say("$ " + run.commandLine() + "\n");
  }

  @Override
  public void wrote(TracedRun run, String text, boolean isError) {
    RunConsole console = consoles.get(run);
    if (console != null) console.write(text, isError);
  }

  @Override
  public void ended(TracedRun run, String directory) {
    RunConsole console = consoles.remove(run);
    if (console != null) console.end(run.message(), run.state() == TracedRun.State.DONE);
  }
}
