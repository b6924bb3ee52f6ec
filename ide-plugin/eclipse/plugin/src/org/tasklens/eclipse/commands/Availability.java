// SPDX-License-Identifier: Apache-2.0
package org.tasklens.eclipse.commands;

import java.util.HashMap;
import java.util.Map;
import org.eclipse.ui.AbstractSourceProvider;
import org.eclipse.ui.ISources;
import org.tasklens.eclipse.model.Runs;
import org.tasklens.eclipse.model.Trace;
import org.tasklens.eclipse.model.Traces;
import org.tasklens.eclipse.ui.Ui;

/** The variables that enable and show commands, see plugin.xml. UI thread. */
public final class Availability extends AbstractSourceProvider implements Traces.Listener {
  private static final String HAS_TRACE = "org.tasklens.eclipse.hasTrace";
  private static final String CAN_COMPARE = "org.tasklens.eclipse.canCompare";
  private static final String IS_RUNNING = "org.tasklens.eclipse.isRunning";
  private static final String IS_DARK = "org.tasklens.eclipse.isDark";

  private final Traces traces;
  private final Runs runs;
  private final Runnable onRuns = this::announce;
  private Map<String, Boolean> told = Map.of();

  public Availability(Traces traces, Runs runs) {
    this.traces = traces;
    this.runs = runs;
    traces.add(this);
    runs.add(onRuns);
  }

  @Override
  public Map<String, Boolean> getCurrentState() {
    return Map.of(
        HAS_TRACE, traces.current() != null,
        CAN_COMPARE, traces.open().size() > 1,
        IS_RUNNING, runs.isRunning(),
        IS_DARK, Ui.isDark());
  }

  @Override
  public String[] getProvidedSourceNames() {
    return new String[] {HAS_TRACE, CAN_COMPARE, IS_RUNNING, IS_DARK};
  }

  @Override
  public void changed(Trace current) {
    announce();
  }

  // Announces only the changes: the workbench re-evaluates everything that depends on them.
  private void announce() {
    Map<String, Boolean> now = getCurrentState();
    Map<String, Boolean> changed = new HashMap<>(now);
    changed.entrySet().removeAll(told.entrySet());
    told = now;
    if (!changed.isEmpty()) fireSourceChanged(ISources.WORKBENCH, changed);
  }

  @Override
  public void dispose() {
    traces.remove(this);
    runs.remove(onRuns);
  }
}
