// SPDX-License-Identifier: Apache-2.0
package org.tasklens.eclipse.views;

import com.google.gson.JsonObject;
import org.eclipse.swt.SWTError;
import org.eclipse.swt.widgets.Composite;
import org.tasklens.eclipse.TaskLens;
import org.tasklens.eclipse.run.Trace;

/**
 * One view of the web app; where there is no browser widget, an outline of the graph. UI thread.
 */
abstract class PageView extends TraceView implements Views.Follower {
  private WebPage page;
  private Outline outline;

  /** What {@code tasklens/page} calls it. */
  abstract String page();

  @Override
  void createContents(Composite parent) {
    try {
      page = new WebPage(parent, page());
    } catch (SWTError e) {
      TaskLens.log("there is no browser widget; the graph is shown as an outline", e);
      outline = new Outline(parent);
    }
  }

  @Override
  void show(Trace trace) {
    if (page != null) page.show(trace);
    else outline.show(trace);
  }

  @Override
  public void select(JsonObject what) {
    if (page != null) page.select(what);
    else outline.select(what);
  }

  @Override
  public void take(String method, JsonObject params) {
    if (page != null) page.tell(method, params);
  }

  @Override
  public void setFocus() {
    if (page != null) page.control().setFocus();
    else outline.setFocus();
  }

  /** What the page answers to a script; null without a page. For tests. */
  public Object evaluate(String script) {
    return page == null ? null : page.evaluate(script);
  }

  /** The control that shows the page, or the outline. */
  public org.eclipse.swt.widgets.Control control() {
    return page != null ? page.control() : outline.control();
  }
}
