// SPDX-License-Identifier: Apache-2.0
package org.tasklens.eclipse.views;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.eclipse.swt.SWT;
import org.eclipse.swt.layout.FillLayout;
import org.eclipse.swt.widgets.Composite;
import org.eclipse.swt.widgets.Control;
import org.eclipse.swt.widgets.Tree;
import org.eclipse.swt.widgets.TreeColumn;
import org.eclipse.swt.widgets.TreeItem;
import org.tasklens.eclipse.model.Text;
import org.tasklens.eclipse.model.Trace;
import org.tasklens.eclipse.rpc.Json;
import org.tasklens.eclipse.rpc.Requests;
import org.tasklens.eclipse.ui.Notices;

/**
 * The task graph as a native tree: groups that open, tasks with their predecessors. A click on a
 * task goes to its line. UI thread.
 */
final class Outline {
  /** A row: {@code group} is the id of a group that can be opened, or null. */
  private record Node(String[] cells, int task, int site, String group, List<String> open) {}

  private final Requests server;
  private final Views views;
  private final Notices notices;
  private final Tree tree;
  private Trace trace;
  private JsonObject selected = new JsonObject(); // also before its rows are there
  private int asked;

  Outline(Composite parent, Requests server, Views views, Notices notices) {
    this.server = server;
    this.views = views;
    this.notices = notices;
    parent.setLayout(new FillLayout());
    tree = new Tree(parent, SWT.FULL_SELECTION | SWT.SINGLE);
    tree.setHeaderVisible(true);
    for (String[] column : new String[][] {{"Task", "220"}, {"Time", "90"}, {"Where", "110"},
             {"Source", "160"}, {"Waits for", "200"}}) {
      TreeColumn one = new TreeColumn(tree, SWT.NONE);
      one.setText(column[0]);
      one.setWidth(Integer.parseInt(column[1]));
    }
    tree.addListener(SWT.Selection, event -> follow((TreeItem) event.item, false));
    tree.addListener(SWT.DefaultSelection, event -> follow((TreeItem) event.item, true));
    tree.addListener(SWT.Expand, event -> expand((TreeItem) event.item));
  }

  Control control() {
    return tree;
  }

  void setFocus() {
    tree.setFocus();
  }

  void show(Trace shown) {
    trace = shown;
    tree.removeAll();
    selected = new JsonObject();
    int number = ++asked;
    if (shown == null) return;
    notices.whenDone(
        ask(List.of()),
        nodes -> {
          if (number != asked || tree.isDisposed()) return;
          for (Node node : nodes) fill(new TreeItem(tree, SWT.NONE), node);
          showSelected();
        });
  }

  void select(JsonObject what) {
    selected = what;
    showSelected();
  }

  private void showSelected() {
    int task = (int) Json.number(selected, "task", -1);
    int site = (int) Json.number(selected, "site", -1);
    List<TreeItem> found = new ArrayList<>();
    for (TreeItem item : tree.getItems()) collect(item, task, site, found);
    tree.setSelection(found.isEmpty() ? new TreeItem[0] : new TreeItem[] {found.get(0)});
  }

  private static void collect(TreeItem item, int task, int site, List<TreeItem> found) {
    if (item.getData() instanceof Node node
        && (task >= 0 && node.task == task || site >= 0 && node.site == site)) found.add(item);
    for (TreeItem child : item.getItems()) collect(child, task, site, found);
  }

  private CompletableFuture<List<Node>> ask(List<String> open) {
    return server
        .request("tasklens/graph", Json.of("trace", trace.id(), "open", open))
        .thenApply(answer -> nodes(answer.getAsJsonObject(), open));
  }

  // The nodes of the group that was opened last, in a graph with open groups.
  private static List<Node> nodes(JsonObject graph, List<String> open) {
    JsonObject columns = Json.object(graph, "nodes");
    JsonObject texts = Json.object(graph, "texts");
    List<String> ids = Json.texts(texts, "ids");
    List<String> frames = Json.texts(texts, "frames");
    List<List<String>> before = new ArrayList<>();
    for (int i = 0; i < ids.size(); ++i) before.add(new ArrayList<>());
    JsonObject edges = Json.object(graph, "edges");
    JsonArray from = Json.array(edges, "from");
    JsonArray to = Json.array(edges, "to");
    for (int i = 0; i < from.size(); ++i)
      before.get(to.get(i).getAsInt()).add(ids.get(from.get(i).getAsInt()));
    int inside = open.isEmpty() ? -1 : frames.indexOf(open.get(open.size() - 1));
    List<Node> found = new ArrayList<>();
    for (int i = 0; i < ids.size(); ++i) {
      if (at(columns, "frame", i) != inside) continue;
      boolean isGroup = at(columns, "canOpen", i) == 1;
      long tasks = at(columns, "tasks", i);
      int site = (int) at(columns, "site", i);
      JsonObject place = Json.object(Json.object(texts, "sites"), String.valueOf(site));
      String source = place == null
          ? ""
          : Text.fileName(Json.text(place, "file")) + ":" + Json.number(place, "line", 0);
      String where = tasks > 1 ? Text.counted(tasks, "task") : text(texts, columns, "worker", i);
      String[] cells = {
        Text.oneLine(text(texts, columns, "label", i)) + (isGroup ? "" : "  " + ids.get(i)),
        Text.duration(at(columns, "totalNs", i)),
        Text.oneLine(where),
        Text.oneLine(source),
        String.join(" ", before.get(i))
      };
      found.add(
          new Node(cells, (int) at(columns, "task", i), site, isGroup ? ids.get(i) : null, open));
    }
    return found;
  }

  private static long at(JsonObject columns, String name, int row) {
    JsonElement value = Json.array(columns, name).get(row);
    return value.isJsonNull() ? -1 : value.getAsLong();
  }

  private static String text(JsonObject texts, JsonObject columns, String name, int row) {
    List<String> all = Json.texts(texts, name + "s");
    int index = (int) at(columns, name, row);
    return index >= 0 && index < all.size() ? all.get(index) : "";
  }

  private static void fill(TreeItem item, Node node) {
    item.setText(node.cells);
    item.setData(node);
    if (node.group != null) new TreeItem(item, SWT.NONE).setText("...");
  }

  private void expand(TreeItem item) {
    if (!(item.getData() instanceof Node node) || node.group == null) return;
    if (item.getItemCount() != 1 || item.getItem(0).getData() != null) return;
    List<String> open = new ArrayList<>(node.open);
    open.add(node.group);
    notices.whenDone(
        ask(open),
        nodes -> {
          if (item.isDisposed()) return;
          item.removeAll();
          for (Node child : nodes) fill(new TreeItem(item, SWT.NONE), child);
        });
  }

  private void follow(TreeItem item, boolean takeFocus) {
    if (item.getData() instanceof Node node && node.task >= 0 && trace != null)
      views.reveal(trace.id(), Json.of("task", node.task), takeFocus);
  }
}
