// SPDX-License-Identifier: Apache-2.0
package org.tasklens.eclipse.views;

import com.google.gson.JsonObject;
import java.util.function.Consumer;
import java.util.function.Function;
import org.eclipse.jface.viewers.TreeViewer;
import org.eclipse.swt.SWT;
import org.eclipse.swt.widgets.Composite;
import org.tasklens.eclipse.model.Trace;
import org.tasklens.eclipse.model.Traces;
import org.tasklens.eclipse.rpc.Requests;
import org.tasklens.eclipse.ui.Notices;

/** A table about the current trace. A click selects its row in all views, and shows its line. */
abstract class RowsView extends TraceView {
  final Views views;
  TreeViewer viewer;
  private final Requests server;
  private final Notices notices;

  RowsView(Traces traces, Requests server, Views views, Notices notices) {
    super(traces);
    this.server = server;
    this.views = views;
    this.notices = notices;
  }

  @Override
  final void createContents(Composite parent) {
    viewer = new TreeViewer(parent, SWT.FULL_SELECTION | SWT.SINGLE | SWT.V_SCROLL | SWT.H_SCROLL);
    createColumns();
    viewer.getTree().addListener(SWT.Selection, event -> follow(false));
    viewer.getTree().addListener(SWT.DefaultSelection, event -> follow(true));
    viewer.setInput(this);
  }

  /** Sets the columns of {@code viewer}, and where its rows come from. */
  abstract void createColumns();

  /** The site or task of a row, as the server calls it; null: none. */
  abstract JsonObject what(Object row);

  /** Asks about {@code trace}. {@code take} gets what was read, if the view still shows it. */
  final <T> void ask(Trace trace, String method, JsonObject params,
      Function<JsonObject, T> read, Consumer<T> take) {
    notices.whenDone(
        server.request(method, params).thenApply(answer -> read.apply(answer.getAsJsonObject())),
        found -> {
          if (trace.equals(trace()) && !viewer.getControl().isDisposed()) take.accept(found);
        });
  }

  private void follow(boolean takeFocus) {
    Object row = viewer.getStructuredSelection().getFirstElement();
    JsonObject what = trace() == null || row == null ? null : what(row);
    if (what == null) return;
    views.select(trace(), what, this instanceof Views.Follower self ? self : null);
    views.reveal(trace().id(), what, takeFocus);
  }

  @Override
  public void setFocus() {
    viewer.getControl().setFocus();
  }
}
