// SPDX-License-Identifier: Apache-2.0
package org.tasklens.eclipse.views;

import org.eclipse.swt.widgets.Composite;
import org.eclipse.ui.part.ViewPart;
import org.tasklens.eclipse.model.Trace;
import org.tasklens.eclipse.model.Traces;
import org.tasklens.eclipse.ui.Images;

/** A view of the current trace. UI thread. */
abstract class TraceView extends ViewPart implements Traces.Listener {
  private final Traces traces;
  private Trace shown;

  TraceView(Traces traces) {
    this.traces = traces;
  }

  @Override
  public final void createPartControl(Composite parent) {
    setTitleImage(Images.get(icon()));
    createContents(parent);
    traces.add(this);
    shown = traces.current();
    show(shown);
    opened();
  }

  @Override
  public void dispose() {
    traces.remove(this);
    super.dispose();
  }

  @Override
  public void changed(Trace current) {
    boolean isSame = shown == null ? current == null : shown.equals(current);
    shown = current;
    setContentDescriptionOf(current);
    if (!isSame) show(current);
  }

  /** The trace in the view, or null. */
  final Trace trace() {
    return shown;
  }

  private void setContentDescriptionOf(Trace trace) {
    setTitleToolTip(trace == null ? getPartName() : trace.title() + ": " + trace.summary());
  }

  /** The name of its icon, see Images. */
  abstract String icon();

  abstract void createContents(Composite parent);

  /** Shows another trace; null: none. */
  abstract void show(Trace trace);

  /** It shows its first trace, and has heard of nothing that was done before. */
  void opened() {}
}
