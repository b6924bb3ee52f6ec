// SPDX-License-Identifier: Apache-2.0
package org.tasklens.eclipse.views;

import com.google.gson.JsonObject;
import java.util.ArrayList;
import java.util.List;
import org.eclipse.jface.viewers.TreeViewer;
import org.eclipse.swt.SWT;
import org.eclipse.swt.widgets.Composite;
import org.eclipse.ui.part.ViewPart;
import org.tasklens.eclipse.model.Text;
import org.tasklens.eclipse.model.Trace;
import org.tasklens.eclipse.rpc.Json;
import org.tasklens.eclipse.rpc.Requests;
import org.tasklens.eclipse.ui.Images;
import org.tasklens.eclipse.ui.Notices;

/** The lines that became slower or faster between two runs, beyond noise. UI thread. */
public final class CompareView extends ViewPart {
  record Change(
      String label, String verdict, double changeNs, long before, long after, double p) {}

  private final Requests server;
  private final Notices notices;
  private TreeViewer viewer;
  private List<Change> changes = List.of();

  public CompareView(Requests server, Notices notices) {
    this.server = server;
    this.notices = notices;
  }

  /** Shows the changes from one run to another. */
  void compare(Trace before, Trace after) {
    setContentDescription("asking the server ...");
    notices.whenDone(
        server
            .request(
                "tasklens/compare",
                Json.of("traces", List.of(before.id(), after.id()), "by", "site"))
            .thenApply(answer -> Json.objects(answer.getAsJsonObject(), "comparisons").get(0)),
        comparison -> {
          if (viewer.getControl().isDisposed()) return;
          changes = read(comparison);
          setContentDescription(
              before.title()
                  + " ("
                  + Text.duration(Json.real(comparison, "spanBeforeNs", -1))
                  + ")  →  "
                  + after.title()
                  + " ("
                  + Text.duration(Json.real(comparison, "spanAfterNs", -1))
                  + ")");
          viewer.refresh();
        });
  }

  private static List<Change> read(JsonObject comparison) {
    List<Change> found = new ArrayList<>();
    for (JsonObject one : Json.objects(comparison, "changes"))
      found.add(
          new Change(
              Text.oneLine(Json.text(one, "label")),
              Json.text(one, "verdict"),
              Json.real(one, "changeNs", 0),
              Json.number(Json.object(one, "before"), "count", 0),
              Json.number(Json.object(one, "after"), "count", 0),
              Json.real(one, "p", -1)));
    return found;
  }

  @Override
  public void createPartControl(Composite parent) {
    setTitleImage(Images.get("compare"));
    viewer = new TreeViewer(parent, SWT.FULL_SELECTION | SWT.SINGLE | SWT.V_SCROLL | SWT.H_SCROLL);
    viewer.setContentProvider(new FlatRows(() -> changes.toArray()));
    Columns<Change> columns = new Columns<>(viewer, Change.class);
    columns.add("Line", 260, false, Change::label, Change::label);
    columns.add("Verdict", 110, false, Change::verdict, Change::verdict);
    columns.add("Change", 100, true, CompareView::change, Change::changeNs);
    columns.add("Tasks before", 100, true, one -> Text.count(one.before), Change::before);
    columns.add("Tasks after", 100, true, one -> Text.count(one.after), Change::after);
    columns.add("p", 70, true, one -> Text.probability(one.p), Change::p);
    viewer.setInput(this);
    setContentDescription("Choose two traces in the view Runs, then Compare.");
  }

  private static String change(Change one) {
    return (one.changeNs < 0 ? "−" : "+") + Text.duration(Math.abs(one.changeNs));
  }

  @Override
  public void setFocus() {
    viewer.getControl().setFocus();
  }
}
