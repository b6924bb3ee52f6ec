// SPDX-License-Identifier: Apache-2.0
package org.tasklens.eclipse.tests;

import org.tasklens.eclipse.model.Trace;
import org.tasklens.eclipse.views.Views;

/** Where things are in the page of the task graph. */
final class GraphPage {
  private GraphPage() {}

  /** Waits until it shows the trace that the workbench has chosen. */
  static void untilReady(Bench bench) throws InterruptedException {
    bench.untilAsked("the graph", () -> {
      Trace trace = bench.plugin.traces.current();
      String shown = bench.script(Views.GRAPH, SHOWN);
      return trace != null && trace.id().equals(shown);
    });
  }

  private static final String SHOWN =
      "return document.body.dataset.ready === 'yes' ? tasklensApp.overview.trace : ''";

  /** Opens all groups, by double clicks, until single tasks are all there is. */
  static void showTasks(Bench bench) throws Exception {
    while (true) {
      String state =
          bench.untilAsked("the groups", () -> bench.script(Views.GRAPH, GROUP));
      if (state.isEmpty()) break;
      fit(bench);
      String group = state.split(" ")[2];
      bench.doubleClick("group " + group, new Bench.PageSpot(Views.GRAPH, GROUP));
      bench.untilAsked("group " + group + " opened", () -> {
        String now = bench.script(Views.GRAPH, GROUP);
        return now != null && (now.isEmpty() || !now.split(" ")[2].equals(group));
      });
    }
    fit(bench);
  }

  /** Brings the whole graph into view, by the page's own button. */
  private static void fit(Bench bench) throws Exception {
    bench.click(
        "the page's button Fit",
        new Bench.PageSpot(
            Views.GRAPH,
                """
                const button = [...document.querySelectorAll("button")].find((one) => one.textContent === "Fit");
                if (!button) return "";
                const box = button.getBoundingClientRect();
                return (box.left + box.width / 2) + " " + (box.top + box.height / 2);
                """));
    bench.untilAsked(
        "the whole graph",
        () -> "true".equals(bench.script(Views.GRAPH, "return String(tasklensApp.store.state.camera === null)")));
  }

  // "x y id" of the first group that can be opened; "" when there is none.
  private static final String GROUP =
      """
      const graph = tasklensApp.graph, { nodes } = graph.answer;
      const at = nodes.canOpen.findIndex((canOpen) => canOpen);
      if (at < 0) return "";
      const box = graph.layout.nodes[at], view = graph.surface.canvas.getBoundingClientRect();
      const x = view.left + graph.camera.x + (box.x + box.width / 2) * graph.camera.scale;
      const y = view.top + graph.camera.y + (box.y + box.height / 2) * graph.camera.scale;
      return x + " " + y + " " + encodeURIComponent(nodes.id[at]);
      """;

  /** The middle of some task of a codelet. */
  static Bench.PageSpot task(String codelet) {
    return new Bench.PageSpot(
        Views.GRAPH,
        """
        const graph = tasklensApp.graph, { nodes } = graph.answer;
        const at = nodes.label.findIndex((label, i) => label === "%s" && nodes.task[i] >= 0);
        if (at < 0) return "";
        const box = graph.layout.nodes[at], view = graph.surface.canvas.getBoundingClientRect();
        const x = view.left + graph.camera.x + (box.x + box.width / 2) * graph.camera.scale;
        const y = view.top + graph.camera.y + (box.y + box.height / 2) * graph.camera.scale;
        return x + " " + y;
        """
            .formatted(codelet));
  }

  /** The codelet of the task that the graph marks, once the page knows all of it; else "". */
  static String marked(Bench bench) throws InterruptedException {
    return bench.script(Views.GRAPH,
        """
        const { graph, store, selectedTask } = tasklensApp, at = graph.chosen();
        const isKnown = at !== null && selectedTask?.task === store.state.selection.task;
        return isKnown ? graph.answer.nodes.label[at] : "";
        """);
  }

  /** How often something was chosen in the page or by the editor. */
  static int choices(Bench bench) throws InterruptedException {
    String past = "return String(tasklensApp.store.past.length)";
    return Integer.parseInt(bench.script(Views.GRAPH, past));
  }

  /** What was chosen after the first {@code before} times: codelets of tasks, and "line". */
  static String choicesAfter(Bench bench, int before) throws InterruptedException {
    return bench.script(Views.GRAPH,
        """
        const { graph, store } = tasklensApp, { nodes } = graph.answer;
        const name = (selection) => {
          if (selection?.task !== undefined) return nodes.label[nodes.task.indexOf(selection.task)];
          return selection?.site !== undefined ? "line" : "other";
        };
        const states = [...store.past, store.state].slice(%d + 1);
        return states.map(({ selection }) => name(selection)).join(" ");
        """
            .formatted(before));
  }

  /** Whether the page shows the tasks of a line as chosen. */
  static boolean isSiteChosen(Bench bench, int site) throws InterruptedException {
    return isSiteChosen(bench, Views.GRAPH, site);
  }

  /** The same of the page of another view. */
  static boolean isSiteChosen(Bench bench, String view, int site) throws InterruptedException {
    String chosen = bench.script(view,
        "const s = tasklensApp.store.state.selection; return s && s.site !== undefined ? String(s.site) : ''");
    return String.valueOf(site).equals(chosen);
  }
}
