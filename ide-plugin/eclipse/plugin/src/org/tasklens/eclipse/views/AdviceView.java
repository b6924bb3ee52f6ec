// SPDX-License-Identifier: Apache-2.0
package org.tasklens.eclipse.views;

import com.google.gson.JsonObject;
import java.util.ArrayList;
import java.util.List;
import org.eclipse.jface.viewers.ColumnViewerToolTipSupport;
import org.eclipse.ui.ISharedImages;
import org.eclipse.ui.PlatformUI;
import org.tasklens.eclipse.model.Text;
import org.tasklens.eclipse.model.Trace;
import org.tasklens.eclipse.model.Traces;
import org.tasklens.eclipse.rpc.Json;
import org.tasklens.eclipse.rpc.Requests;
import org.tasklens.eclipse.ui.Notices;

/** The problems of the run and what to try, the most expensive first. UI thread. */
public final class AdviceView extends RowsView {
  record Finding(
      String rule, String severity, double costNs, String place, int site, String message) {
    int rank() {
      return severity.equals("error") ? 0 : severity.equals("warning") ? 1 : 2;
    }
  }

  private List<Finding> findings = List.of();

  public AdviceView(Traces traces, Requests server, Views views, Notices notices) {
    super(traces, server, views, notices);
  }

  @Override
  String icon() {
    return "advice";
  }

  @Override
  void createColumns() {
    viewer.setContentProvider(new FlatRows(() -> findings.toArray()));
    ColumnViewerToolTipSupport.enableFor(viewer);
    Columns<Finding> columns = new Columns<>(viewer, Finding.class);
    columns.add("Kind", 120, false, Finding::severity, Finding::rank);
    columns.add("Could save", 90, true, one -> Text.duration(one.costNs), Finding::costNs);
    columns.add("What to do", 620, false, Finding::message, Finding::message);
    columns.add("Source", 140, false, Finding::place, Finding::place);
    columns.add("Rule", 160, false, Finding::rule, Finding::rule);
  }

  @Override
  void show(Trace trace) {
    findings = List.of();
    viewer.refresh();
    setContentDescription("");
    if (trace == null) return;
    ask(trace, "tasklens/advice", Json.of("trace", trace.id()), AdviceView::read,
        found -> {
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

  @Override
  JsonObject what(Object row) {
    int site = ((Finding) row).site;
    return site < 0 ? null : Json.of("site", site);
  }
}
