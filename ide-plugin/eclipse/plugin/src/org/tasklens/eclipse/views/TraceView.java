// SPDX-License-Identifier: Apache-2.0
package org.tasklens.eclipse.views;

import org.eclipse.swt.widgets.Composite;
import org.eclipse.ui.part.ViewPart;
import org.tasklens.eclipse.Images;
import org.tasklens.eclipse.TaskLens;
import org.tasklens.eclipse.run.Trace;
import org.tasklens.eclipse.run.Traces;

/** A view of the trace that is shown. UI thread. */
abstract class TraceView extends ViewPart implements Traces.Listener {
  private Trace shown;

  @Override
  public final void createPartControl(Composite parent) {
    setTitleImage(Images.get(icon()));
    createContents(parent);
    TaskLens.traces().add(this);
    shown = TaskLens.traces().current();
    show(shown);
  }

  @Override
  public void dispose() {
    TaskLens.traces().remove(this);
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

  /** The name of its picture, see Images. */
  abstract String icon();

  abstract void createContents(Composite parent);

  /** Shows another trace; null: there is none. */
  abstract void show(Trace trace);
}
