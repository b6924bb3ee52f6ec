// SPDX-License-Identifier: Apache-2.0
package org.tasklens.eclipse.views;

import com.google.gson.JsonObject;
import java.util.concurrent.Executor;
import org.eclipse.swt.SWTError;
import org.eclipse.swt.widgets.Composite;
import org.tasklens.eclipse.model.Trace;
import org.tasklens.eclipse.model.Traces;
import org.tasklens.eclipse.rpc.Requests;
import org.tasklens.eclipse.ui.Notices;
import org.tasklens.eclipse.ui.Ui;

/** A view of the web app; without a browser widget, an outline of the graph. UI thread. */
public final class PageView extends TraceView implements Views.Follower {
  private final String name;
  private final Requests server;
  private final Views views;
  private final Notices notices;
  private final Executor pages;
  private WebPage page;
  private Outline outline;

  /**
   * {@code name}: of the page in {@code tasklens/page}, and of the icon. {@code pages}: reads and
   * writes the messages of all pages in order.
   */
  public PageView(
      String name, Traces traces, Requests server, Views views, Notices notices, Executor pages) {
    super(traces);
    this.name = name;
    this.server = server;
    this.views = views;
    this.notices = notices;
    this.pages = pages;
  }

  @Override
  String icon() {
    return name;
  }

  @Override
  void createContents(Composite parent) {
    try {
      page = new WebPage(parent, name, server, notices, pages, this::chosen);
    } catch (SWTError e) {
      Ui.log("there is no browser widget; the graph is shown as an outline", e);
      outline = new Outline(parent, server, views, notices);
    }
  }

  @Override
  void show(Trace trace) {
    if (page != null) page.show(trace);
    else outline.show(trace);
  }

  @Override
  void opened() {
    views.opened(this, trace());
  }

  // In the page, whose request shows its line.
  private void chosen(JsonObject what) {
    if (trace() != null) views.select(trace(), what, this);
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

  /** The control that shows the page, or the outline. */
  public org.eclipse.swt.widgets.Control control() {
    return page != null ? page.control() : outline.control();
  }
}
