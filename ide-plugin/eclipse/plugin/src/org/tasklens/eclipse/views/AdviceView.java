// SPDX-License-Identifier: Apache-2.0
package org.tasklens.eclipse.views;

import com.google.gson.JsonObject;
import java.util.ArrayList;
import java.util.List;
import org.eclipse.jface.viewers.ColumnViewerToolTipSupport;
import org.eclipse.jface.viewers.TreeViewer;
import org.eclipse.swt.SWT;
import org.eclipse.swt.widgets.Composite;
import org.eclipse.ui.ISharedImages;
import org.eclipse.ui.PlatformUI;
import org.tasklens.eclipse.model.Text;
import org.tasklens.eclipse.model.Trace;
import org.tasklens.eclipse.model.Traces;
import org.tasklens.eclipse.rpc.Json;
import org.tasklens.eclipse.rpc.Requests;
import org.tasklens.eclipse.ui.Notices;

/** The problems of the run and what to try, the most expensive first. UI thread. */
public final class AdviceView extends TraceView {
  record Finding(
      String rule, String severity, double costNs, String place, int site, String message) {
    int rank() {
      return severity.equals("error") ? 0 : severity.equals("warning") ? 1 : 2;
    }
  }

  private final Requests server;
  private final Views views;
  private final Notices notices;
  private TreeViewer viewer;
  private List<Finding> findings = List.of();
  private int asked;

  public AdviceView(Traces traces, Requests server, Views views, Notices notices) {
    super(traces);
    this.server = server;
    this.views = views;
    this.notices = notices;
  }

  @Override
  String icon() {
    return "advice";
  }

  @Override
  void createContents(Composite parent) {
    viewer = new TreeViewer(parent, SWT.FULL_SELECTION | SWT.SINGLE | SWT.V_SCROLL | SWT.H_SCROLL);
    viewer.setContentProvider(new FlatRows(() -> findings.toArray()));
    ColumnViewerToolTipSupport.enableFor(viewer);
    Columns<Finding> columns = new Columns<>(viewer, Finding.class);
    columns.add("Kind", 120, false, Finding::severity, Finding::rank);
    columns.add("Could save", 90, true, one -> Text.duration(one.costNs), Finding::costNs);
    columns.add("What to do", 620, false, Finding::message, Finding::message);
    columns.add("Source", 140, false, Finding::place, Finding::place);
    columns.add("Rule", 160, false, Finding::rule, Finding::rule);
    viewer.getTree().addListener(SWT.Selection, event -> follow(false));
    viewer.getTree().addListener(SWT.DefaultSelection, event -> follow(true));
    viewer.setInput(this);
  }

  @Override
  void show(Trace trace) {
    int number = ++asked;
    findings = List.of();
    viewer.refresh();
    setContentDescription("");
    if (trace == null) return;
    notices.whenDone(
        server
            .request("tasklens/advice", Json.of("trace", trace.id()))
            .thenApply(answer -> read(answer.getAsJsonObject())),
        found -> {
          if (number != asked || viewer.getControl().isDisposed()) return;
          findings = found;
          viewer.refresh();
          paintKinds();
          if (found.isEmpty()) setContentDescription("No findings in this run.");
        });
  }

  private static List<Finding> read(JsonObject answer) {
    List<Finding> found = new ArrayList<>();
    for (JsonObject one : Json.objects(answer, "findings")) {
      String file = Json.text(one, "file");
      found.add(
          new Finding(
              Json.text(one, "rule"),
              Json.text(one, "severity"),
              Json.real(one, "costNs", -1),
              file.isEmpty()
                  ? "the whole run"
                  : Text.oneLine(Text.fileName(file)) + ":" + Json.number(one, "line", 0),
              (int) Json.number(one, "site", -1),
              Text.oneLine(Json.text(one, "message"))));
    }
    return found;
  }

  private void paintKinds() {
    ISharedImages images = PlatformUI.getWorkbench().getSharedImages();
    for (var item : viewer.getTree().getItems())
      if (item.getData() instanceof Finding finding)
        item.setImage(
            0,
            images.getImage(
                finding.rank() == 0
                    ? ISharedImages.IMG_OBJS_ERROR_TSK
                    : finding.rank() == 1
                        ? ISharedImages.IMG_OBJS_WARN_TSK
                        : ISharedImages.IMG_OBJS_INFO_TSK));
  }

  private void follow(boolean takeFocus) {
    Trace trace = trace();
    Object chosen = viewer.getStructuredSelection().getFirstElement();
    if (trace == null || !(chosen instanceof Finding finding) || finding.site < 0) return;
    JsonObject what = Json.of("site", finding.site);
    views.select(trace, what, null);
    views.reveal(trace.id(), what, takeFocus);
  }

  @Override
  public void setFocus() {
    viewer.getControl().setFocus();
  }
}
