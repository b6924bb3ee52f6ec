// SPDX-License-Identifier: Apache-2.0
package org.tasklens.eclipse.commands;

import java.util.Map;
import org.eclipse.jface.action.IContributionItem;
import org.eclipse.jface.action.MenuManager;
import org.eclipse.jface.action.Separator;
import org.eclipse.swt.SWT;
import org.eclipse.ui.IWorkbenchCommandConstants;
import org.eclipse.ui.menus.CommandContributionItem;
import org.eclipse.ui.menus.CommandContributionItemParameter;
import org.eclipse.ui.menus.ExtensionContributionFactory;
import org.eclipse.ui.menus.IContributionRoot;
import org.eclipse.ui.services.IServiceLocator;
import org.tasklens.eclipse.ui.Images;
import org.tasklens.eclipse.views.Views;

/**
 * The menu of the commands, with the names of StarPU's handbook. It is made here instead of in
 * plugin.xml, because its icons depend on the theme of the workbench.
 */
public final class MenuItems extends ExtensionContributionFactory {
  private static final String COMMAND = "org.tasklens.eclipse.";

  @Override
  public void createContributionItems(IServiceLocator services, IContributionRoot root) {
    MenuManager menu = new MenuManager("Task&Lens", COMMAND + "menu");
    menu.add(item(services, "runTraced", "&Run Traced", "run", Map.of()));
    menu.add(item(services, "runTraced", "Run &Another Program Traced...", "run",
        Map.of(RunTraced.ASK, "true")));
    menu.add(item(services, "stop", "&Stop", "stop", Map.of()));
    menu.add(item(services, "openTrace", "&Open Trace...", "open", Map.of()));
    menu.add(new Separator());
    menu.add(
        item(services, "generateTraces", "Generate Traces (StarPU &FxT Tool)", "fxt", Map.of()));
    menu.add(item(services, "trace", "&Trace", "timeline", Map.of()));
    menu.add(item(services, "taskGraph", "Task &Graph", "graph", Map.of()));
    menu.add(item(services, "graphInBrowser", "Graph in &Browser", "browser", Map.of()));
    menu.add(item(services, "compare", "&Compare", "compare", Map.of()));
    menu.add(new Separator());
    menu.add(view(services, Views.ADVICE, "A&dvice", "advice"));
    menu.add(view(services, Views.TASKS, "Tas&k Costs", "tasks"));
    menu.add(view(services, Views.TIMELINE, "T&imeline", "timeline"));
    menu.add(view(services, Views.RUNS, "R&uns", "runs"));
    menu.add(new Separator());
    menu.add(item(services, "help", "&Help", "help", Map.of()));
    root.addContributionItem(menu, null);
  }

  private static IContributionItem item(IServiceLocator services, String command, String name,
      String icon, Map<String, String> parameters) {
    return command(services, COMMAND + command, name, icon, parameters);
  }

  /** The command that shows a view, with the view's name. */
  private static IContributionItem view(
      IServiceLocator services, String view, String name, String icon) {
    return command(services, IWorkbenchCommandConstants.VIEWS_SHOW_VIEW, name, icon,
        Map.of(IWorkbenchCommandConstants.VIEWS_SHOW_VIEW_PARM_ID, view));
  }

  private static IContributionItem command(IServiceLocator services, String id, String name,
      String icon, Map<String, String> parameters) {
    CommandContributionItemParameter parameter =
        new CommandContributionItemParameter(services, null, id, SWT.PUSH);
    parameter.label = name;
    parameter.icon = Images.descriptor(icon);
    parameter.parameters = parameters;
    return new CommandContributionItem(parameter);
  }
}
