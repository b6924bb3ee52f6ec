// SPDX-License-Identifier: Apache-2.0
package org.tasklens.eclipse.commands;

import java.util.HashMap;
import java.util.Map;
import org.eclipse.ui.AbstractSourceProvider;
import org.eclipse.ui.ISources;
import org.tasklens.eclipse.TaskLens;
import org.tasklens.eclipse.Ui;
import org.tasklens.eclipse.run.Trace;
import org.tasklens.eclipse.run.Traces;

/** What commands are enabled and shown by, see plugin.xml. UI thread. */
public final class Availability extends AbstractSourceProvider implements Traces.Listener {
  private static final String HAS_TRACE = "org.tasklens.eclipse.hasTrace";
  private static final String CAN_COMPARE = "org.tasklens.eclipse.canCompare";
  private static final String IS_RUNNING = "org.tasklens.eclipse.isRunning";
  private static final String IS_DARK = "org.tasklens.eclipse.isDark";

  private final Runnable onRuns = this::announce;
  private Map<String, Boolean> told = Map.of();

  public Availability() {
    TaskLens.traces().add(this);
    TaskLens.runs().add(onRuns);
  }

  @Override
  public Map<String, Boolean> getCurrentState() {
    return Map.of(
        HAS_TRACE, TaskLens.traces().current() != null,
        CAN_COMPARE, TaskLens.traces().open().size() > 1,
        IS_RUNNING, TaskLens.runs().isRunning(),
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

  // Of what has changed only: the workbench asks all that depends on it.
  private void announce() {
    Map<String, Boolean> now = getCurrentState();
    Map<String, Boolean> changed = new HashMap<>(now);
    changed.entrySet().removeAll(told.entrySet());
    told = now;
    if (!changed.isEmpty()) fireSourceChanged(ISources.WORKBENCH, changed);
  }

  @Override
  public void dispose() {
    if (TaskLens.get() == null) return;
    TaskLens.traces().remove(this);
    TaskLens.runs().remove(onRuns);
  }
}
