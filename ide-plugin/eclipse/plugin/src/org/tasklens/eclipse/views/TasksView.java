// SPDX-License-Identifier: Apache-2.0
package org.tasklens.eclipse.views;

import com.google.gson.JsonObject;
import java.util.ArrayList;
import java.util.List;
import org.eclipse.jface.viewers.ITreeContentProvider;
import org.eclipse.jface.viewers.StructuredSelection;
import org.tasklens.eclipse.model.Text;
import org.tasklens.eclipse.model.Trace;
import org.tasklens.eclipse.model.Traces;
import org.tasklens.eclipse.rpc.Json;
import org.tasklens.eclipse.rpc.Requests;
import org.tasklens.eclipse.ui.Notices;

/** A sortable table of the lines that submitted tasks, with their tasks as children. UI thread. */
public final class TasksView extends RowsView implements Views.Follower {
  private static final int MOST_SITES = 100_000;
  private static final int MOST_TASKS =
      1000; // per line; the last row gives the number of further tasks

  /** A line, one of its tasks ({@code task} >= 0), or a remark (neither). */
  static final class Row {
    final Row parent;
    String name = "";
    String place = "";
    String worker = "";
    long tasks = -1;
    double totalNs = -1;
    double meanNs = -1;
    double minNs = -1;
    double maxNs = -1;
    double share = -1;
    double startNs = -1;
    int site = -1;
    int task = -1;
    String uri = ""; // of the file on this machine; empty if it was not found
    int uriLine; // from 0
    List<Row> children; // null: not requested yet

    Row(Row parent) {
      this.parent = parent;
    }
  }

  private List<Row> rows = List.of();
  private int selectedSite = -1; // also before its row is there

  public TasksView(Traces traces, Requests server, Views views, Notices notices) {
    super(traces, server, views, notices);
  }

  @Override
  String icon() {
    return "tasks";
  }

  @Override
  void createColumns() {
    viewer.setUseHashlookup(true);
    viewer.setContentProvider(new Rows());
    Columns<Row> columns = new Columns<>(viewer, Row.class);
    columns.add("Task", 200, false, row -> row.name, row -> row.name);
    columns.add("Source", 150, false, row -> row.place, row -> row.place);
    columns.add(
        "Tasks", 70, true, row -> row.tasks < 0 ? "" : Text.count(row.tasks), row -> row.tasks);
    columns.add("Total", 80, true, row -> Text.duration(row.totalNs), row -> row.totalNs);
    columns.add("Mean", 80, true, row -> Text.duration(row.meanNs), row -> row.meanNs);
    columns.add("Shortest", 80, true, row -> Text.duration(row.minNs), row -> row.minNs);
    columns.add("Longest", 80, true, row -> Text.duration(row.maxNs), row -> row.maxNs);
    columns.add(
        "Share", 70, true, row -> row.share < 0 ? "" : Text.percent(row.share), row -> row.share);
    columns.add("Start", 80, true, row -> Text.duration(row.startNs), row -> row.startNs);
    columns.add("Worker", 120, false, row -> row.worker, row -> row.worker);
  }

  private final class Rows implements ITreeContentProvider {
    @Override
    public Object[] getElements(Object input) {
      return rows.toArray();
    }

    @Override
    public Object[] getChildren(Object parent) {
      Row row = (Row) parent;
      if (row.children != null) return row.children.toArray();
      row.children = List.of(remark(row, "..."));
      askTasks(row);
      return row.children.toArray();
    }

    @Override
    public Object getParent(Object element) {
      return ((Row) element).parent;
    }

    @Override
    public boolean hasChildren(Object element) {
      Row row = (Row) element;
      return row.tasks > 0 && !row.uri.isEmpty();
    }
  }

  private static Row remark(Row parent, String text) {
    Row row = new Row(parent);
    row.name = text;
    return row;
  }

  @Override
  void show(Trace trace) {
    rows = List.of();
    selectedSite = -1;
    viewer.refresh();
    if (trace == null) return;
    ask(trace, "tasklens/stats", Json.of("trace", trace.id(), "limit", MOST_SITES),
        TasksView::sites, found -> {
          rows = found;
          viewer.refresh();
          showSelected();
        });
  }

  private static List<Row> sites(JsonObject stats) {
    List<Row> found = new ArrayList<>();
    for (JsonObject cost : Json.objects(stats, "costs")) {
      Row row = new Row(null);
      row.name = Text.oneLine(String.join(", ", Json.texts(cost, "names")));
      row.place = place(cost);
      row.tasks = Json.number(cost, "tasks", 0);
      row.totalNs = Json.real(cost, "totalNs", -1);
      row.meanNs = Json.real(cost, "meanNs", -1);
      row.minNs = Json.real(cost, "minNs", -1);
      row.maxNs = Json.real(cost, "maxNs", -1);
      row.share = Json.real(cost, "share", -1);
      row.site = (int) Json.number(cost, "site", -1);
      JsonObject location = Json.object(cost, "location");
      row.uri = Json.text(location, "uri");
      JsonObject start = Json.object(Json.object(location, "range"), "start");
      row.uriLine = (int) Json.number(start, "line", 0);
      found.add(row);
    }
    long more = Json.number(stats, "count", 0) - found.size();
    if (more > 0) found.add(remark(null, Text.counted(more, "more line")));
    return found;
  }

  private static String place(JsonObject site) {
    String file = Json.text(site, "file");
    return file.isEmpty() ? ""
                          : Text.oneLine(Text.fileName(file)) + ":" + Json.number(site, "line", 0);
  }

  private void askTasks(Row line) {
    Trace trace = trace();
    if (trace == null) return;
    JsonObject params = Json.of(
        "trace", trace.id(), "uri", line.uri, "line", line.uriLine, "limit", MOST_TASKS);
    ask(trace, "tasklens/tasksAt", params, answer -> tasks(line, trace.zeroNs(), answer),
        found -> {
          line.children = found;
          viewer.refresh(line);
        });
  }

  // `zeroNs`: the zero of displayed times.
  private static List<Row> tasks(Row line, double zeroNs, JsonObject answer) {
    List<Row> found = new ArrayList<>();
    for (JsonObject task : Json.objects(answer, "tasks")) {
      Row row = new Row(line);
      row.task = (int) Json.number(task, "task", -1);
      row.name = Text.oneLine(Json.text(task, "name")) + "  #" + Json.number(task, "job", -1);
      row.place = line.place;
      row.worker = Text.oneLine(Json.text(task, "worker"));
      double startNs = Json.real(task, "startNs", -1);
      double endNs = Json.real(task, "endNs", -1);
      if (startNs >= 0) row.startNs = startNs - zeroNs;
      if (startNs >= 0 && endNs >= 0) row.totalNs = endNs - startNs;
      found.add(row);
    }
    long more = Json.number(answer, "count", 0) - found.size();
    if (more > 0) found.add(remark(line, Text.counted(more, "more task")));
    return found;
  }

  @Override
  JsonObject what(Object chosen) {
    Row row = (Row) chosen;
    if (row.task >= 0) return Json.of("task", row.task);
    return row.site < 0 ? null : Json.of("site", row.site);
  }

  @Override
  void opened() {
    views.opened(this, trace());
  }

  @Override
  public void select(JsonObject what) {
    selectedSite = (int) Json.number(what, "site", -1);
    // A task is in another line, as far as this table knows.
    if (selectedSite < 0) viewer.setSelection(StructuredSelection.EMPTY);
    showSelected();
  }

  private void showSelected() {
    for (Row row : rows)
      if (selectedSite >= 0 && row.site == selectedSite)
        viewer.setSelection(new StructuredSelection(row), true);
  }
}
