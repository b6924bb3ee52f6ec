// SPDX-License-Identifier: Apache-2.0
package org.tasklens.eclipse.views;

import com.google.gson.JsonObject;
import java.util.ArrayList;
import java.util.List;
import org.eclipse.jface.dialogs.IDialogConstants;
import org.eclipse.jface.dialogs.MessageDialogWithToggle;
import org.eclipse.ui.IViewPart;
import org.eclipse.ui.IViewReference;
import org.eclipse.ui.IWorkbenchPage;
import org.eclipse.ui.IWorkbenchWindow;
import org.eclipse.ui.PartInitException;
import org.eclipse.ui.PlatformUI;
import org.eclipse.ui.WorkbenchException;
import org.tasklens.eclipse.editors.Lights;
import org.tasklens.eclipse.model.Site;
import org.tasklens.eclipse.model.Trace;
import org.tasklens.eclipse.model.Traces;
import org.tasklens.eclipse.preferences.Settings;
import org.tasklens.eclipse.rpc.Json;
import org.tasklens.eclipse.rpc.Requests;
import org.tasklens.eclipse.rpc.ServerError;
import org.tasklens.eclipse.ui.Notices;
import org.tasklens.eclipse.ui.Ui;

/** The views by name, and operations on all of them. UI thread, unless stated otherwise. */
public final class Views implements Lights {
  public static final String GRAPH = "org.tasklens.eclipse.graph";
  public static final String TIMELINE = "org.tasklens.eclipse.timeline";
  public static final String TASKS = "org.tasklens.eclipse.tasks";
  public static final String ADVICE = "org.tasklens.eclipse.advice";
  public static final String RUNS = "org.tasklens.eclipse.runs";
  public static final String COMPARE = "org.tasklens.eclipse.compare";

  /** A view that shows the selection. */
  interface Follower {
    /** {@code {task}} or {@code {site}}, as protocol.md's {@code host/select}. */
    void select(JsonObject what);

    /** Receives the server's notifications for the page, unchanged. */
    default void take(String method, JsonObject params) {}
  }

  private final Requests server;
  private final Traces traces;
  private final Settings settings;
  private final Notices notices;
  private Selection selection;

  /** A task or a site, as a {@link Follower} takes it, of a trace. */
  private record Selection(Trace trace, JsonObject what) {}

  public Views(Requests server, Traces traces, Settings settings, Notices notices) {
    this.server = server;
    this.traces = traces;
    this.settings = settings;
    this.notices = notices;
  }

  /**
   * Opens a view and brings it to the front without taking the focus. Returns null if it cannot be
   * opened.
   */
  public IViewPart show(String id) {
    IWorkbenchPage page = Ui.page();
    if (page == null) return null;
    try {
      IViewPart view = page.showView(id, null, IWorkbenchPage.VIEW_VISIBLE);
      page.bringToTop(view); // also over a view with the focus
      return view;
    } catch (PartInitException e) {
      notices.error("the view cannot be opened: " + e.getMessage());
      return null;
    }
  }

  /**
   * Shows the results of a run that has just ended: the costs of its lines, and its graph in front;
   * in the perspective that has room for both, unless the user has declined that.
   */
  public void showResults() {
    offerPerspective();
    show(TASKS);
    show(GRAPH);
  }

  /** Shows the changes from one run to another. */
  public void compare(Trace before, Trace after) {
    if (show(COMPARE) instanceof CompareView view) view.compare(before, after);
  }

  // The answer is remembered unless the user clears the check box, as in the Debug perspective's
  // question.
  private void offerPerspective() {
    IWorkbenchPage page = Ui.page();
    if (page == null || page.getPerspective() == null
        || page.getPerspective().getId().equals(Perspective.ID))
      return;
    String wish = settings.store().getString(Settings.OPEN_PERSPECTIVE);
    boolean opens = wish.equals(MessageDialogWithToggle.ALWAYS);
    if (wish.equals(MessageDialogWithToggle.PROMPT))
      opens = MessageDialogWithToggle
                  .openYesNoQuestion(page.getWorkbenchWindow().getShell(), "TaskLens",
                      "Graph, timeline, costs and advice of a run have their places in the TaskLens"
                          + " perspective. Open it now?",
                      "Remember my decision", true, settings.store(), Settings.OPEN_PERSPECTIVE)
                  .getReturnCode()
          == IDialogConstants.YES_ID;
    if (!opens)
      return;
    try {
      PlatformUI.getWorkbench().showPerspective(Perspective.ID, page.getWorkbenchWindow());
    } catch (WorkbenchException e) {
      notices.error("the perspective cannot be opened: " + e.getMessage());
    }
  }

  /**
   * Selects a task or site of a trace in all views that show it, but the one where that was done
   * (null: in all).
   */
  void select(Trace trace, JsonObject what, Follower where) {
    selection = new Selection(trace, what);
    for (Follower follower : followers()) if (follower != where) follower.select(what);
  }

  /** Selects in a view that was just opened what was selected in its trace before. */
  void opened(Follower follower, Trace trace) {
    if (selection != null && selection.trace.equals(trace)) follower.select(selection.what);
  }

  private List<Follower> followers() {
    List<Follower> found = new ArrayList<>();
    for (IWorkbenchWindow window : PlatformUI.getWorkbench().getWorkbenchWindows())
      for (IWorkbenchPage page : window.getPages())
        for (IViewReference reference : page.getViewReferences())
          if (reference.getView(false) instanceof Follower follower) found.add(follower);
    return found;
  }

  @Override
  public void light(Site site) {
    Trace current = traces.current();
    if (current == null || site.site() < 0) return;
    JsonObject what = Json.of("site", site.site());
    if (site.trace().isEmpty() || site.trace().equals(current.id())) {
      select(current, what, null);
      return;
    }
    // The line belongs to a trace other than the current one: that one becomes current. The views
    // get notified later, first of the trace, then of the line.
    Trace other = traces.find(site.trace());
    if (other == null) return;
    traces.show(other);
    Ui.later(() -> select(other, what, null));
  }

  @Override
  public void showSite(Site site) {
    show(GRAPH);
    light(site);
  }

  /** Shows a line, and highlights its tasks in all views of that trace. */
  public void leadTo(String trace, int site) {
    JsonObject what = Json.of("site", site);
    reveal(trace, what, false);
    // Moving the caret there selects nothing, see CaretFollower.
    Trace current = traces.current();
    if (current == null || !current.id().equals(trace)) return;
    select(current, what, null);
  }

  /** Forwards the server's notifications to its pages. Any thread. */
  public void tell(String method, JsonObject params) {
    // All of our notifications except the output of programs, which has its console.
    if (method.startsWith("tasklens/") && !method.equals("tasklens/runOutput"))
      Ui.later(() -> followers().forEach(follower -> follower.take(method, params)));
  }

  /** Shows the line of a task ({@code {task}}) or site of a trace. Any thread. */
  public void reveal(String trace, JsonObject what, boolean takeFocus) {
    JsonObject params = what.deepCopy();
    params.addProperty("trace", trace);
    params.addProperty("takeFocus", takeFocus);
    server
        .request("tasklens/reveal", params)
        .whenComplete(
            (answer, failure) -> {
              if (failure != null && !ServerError.isTold(failure))
                notices.warning(ServerError.messageOf(failure));
            });
  }
}
