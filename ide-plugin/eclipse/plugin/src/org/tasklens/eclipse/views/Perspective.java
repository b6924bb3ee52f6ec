// SPDX-License-Identifier: Apache-2.0
package org.tasklens.eclipse.views;

import org.eclipse.ui.IFolderLayout;
import org.eclipse.ui.IPageLayout;
import org.eclipse.ui.IPerspectiveFactory;
import org.eclipse.ui.console.IConsoleConstants;

/** The source on the left, the graph on the right, views of the run below. */
public final class Perspective implements IPerspectiveFactory {
  public static final String ID = "org.tasklens.eclipse.perspective";

  @Override
  public void createInitialLayout(IPageLayout layout) {
    String editors = layout.getEditorArea();
    layout.addView(IPageLayout.ID_PROJECT_EXPLORER, IPageLayout.LEFT, 0.16f, editors);
    IFolderLayout right = layout.createFolder("right", IPageLayout.RIGHT, 0.48f, editors);
    right.addView(Views.GRAPH);
    right.addView(Views.TIMELINE);
    IFolderLayout bottom = layout.createFolder("bottom", IPageLayout.BOTTOM, 0.68f, editors);
    bottom.addView(Views.TASKS);
    bottom.addView(Views.ADVICE);
    bottom.addView(Views.RUNS);
    bottom.addView(IConsoleConstants.ID_CONSOLE_VIEW);
    bottom.addView(IPageLayout.ID_PROBLEM_VIEW);
    bottom.addPlaceholder(Views.COMPARE);
    for (String id :
        new String[] {Views.GRAPH, Views.TIMELINE, Views.TASKS, Views.ADVICE, Views.RUNS})
      layout.addShowViewShortcut(id);
    layout.addActionSet("org.eclipse.debug.ui.launchActionSet");
  }
}
