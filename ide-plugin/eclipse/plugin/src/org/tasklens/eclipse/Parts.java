// SPDX-License-Identifier: Apache-2.0
package org.tasklens.eclipse;

import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Function;
import org.eclipse.core.runtime.CoreException;
import org.eclipse.core.runtime.IConfigurationElement;
import org.eclipse.core.runtime.IExecutableExtension;
import org.eclipse.core.runtime.IExecutableExtensionFactory;
import org.eclipse.core.runtime.Status;
import org.tasklens.eclipse.commands.Availability;
import org.tasklens.eclipse.commands.Command;
import org.tasklens.eclipse.commands.Compare;
import org.tasklens.eclipse.commands.GenerateTraces;
import org.tasklens.eclipse.commands.GraphInBrowser;
import org.tasklens.eclipse.commands.Help;
import org.tasklens.eclipse.commands.OpenTrace;
import org.tasklens.eclipse.commands.RunTraced;
import org.tasklens.eclipse.editors.SiteHover;
import org.tasklens.eclipse.editors.SiteMinings;
import org.tasklens.eclipse.lsp4e.ConnectionProvider;
import org.tasklens.eclipse.markers.AdviceResolutions;
import org.tasklens.eclipse.model.Trace;
import org.tasklens.eclipse.preferences.PreferencePage;
import org.tasklens.eclipse.views.AdviceView;
import org.tasklens.eclipse.views.CompareView;
import org.tasklens.eclipse.views.PageView;
import org.tasklens.eclipse.views.RunsView;
import org.tasklens.eclipse.views.TasksView;
import org.tasklens.eclipse.views.Views;
import static java.util.Map.entry;

/**
 * Creates the classes that plugin.xml names as {@code org.tasklens.eclipse.Parts:NAME}, with the
 * arguments of their constructors, when Eclipse asks for them.
 */
public final class Parts implements IExecutableExtension, IExecutableExtensionFactory {
  private static final Map<String, Function<Application, Object>> MAKERS =
      Map.ofEntries(
          entry(
              "RunTraced",
              all ->
                  new RunTraced(
                      all.runs, all.project, all.settings, all.notices, all.dialogSettings)),
          entry("OpenTrace", all -> new OpenTrace(all.traces, all.views, all.notices)),
          entry("Help", all -> new Command(() -> Help.open(all.notices))),
          entry("Stop", all -> new Command(all.runs::stop)),
          entry(
              "GenerateTraces",
              all -> onTrace(all, new GenerateTraces(all.settings, all.notices)::run)),
          entry("ShowTrace", all -> onTrace(all, trace -> all.views.show(Views.TIMELINE))),
          entry("ShowGraph", all -> onTrace(all, trace -> all.views.show(Views.GRAPH))),
          entry(
              "GraphInBrowser",
              all ->
                  onTrace(
                      all, new GraphInBrowser(all.settings, all.notices, all.stateFolder)::run)),
          entry("Compare", all -> onTrace(all, new Compare(all.traces, all.views)::run)),
          entry("Availability", all -> new Availability(all.traces, all.runs)),
          entry("GraphView", all -> page("graph", all)),
          entry("TimelineView", all -> page("timeline", all)),
          entry(
              "TasksView", all -> new TasksView(all.traces, all.server, all.views, all.notices)),
          entry(
              "AdviceView", all -> new AdviceView(all.traces, all.server, all.views, all.notices)),
          entry(
              "RunsView",
              all -> new RunsView(all.traces, all.runs, all.project, all.views, all.notices)),
          entry("CompareView", all -> new CompareView(all.server, all.notices)),
          entry("PreferencePage", all -> new PreferencePage(all.settings, all.applied())),
          entry(
              "SiteMinings",
              all ->
                  new SiteMinings(
                      all.settings, all.sites, all.runs, all.views,
                      ConnectionProvider.isInstalled())),
          entry("SiteHover", all -> new SiteHover(all.server, ConnectionProvider.isInstalled())),
          entry("AdviceResolutions", all -> new AdviceResolutions(all.views, all.notices)),
          entry("ConnectionProvider", all -> ConnectionProvider.create(all.relays)));

  private IConfigurationElement element;
  private String attribute;
  private String name = "";

  // A command for the current trace; without one it does nothing.
  private static Command onTrace(Application all, Consumer<Trace> action) {
    return new Command(
        () -> {
          Trace trace = all.traces.current();
          if (trace != null) action.accept(trace);
        });
  }

  private static PageView page(String name, Application all) {
    return new PageView(name, all.traces, all.server, all.views, all.notices, all.pages);
  }

  @Override
  public void setInitializationData(IConfigurationElement from, String of, Object data) {
    element = from;
    attribute = of;
    name = String.valueOf(data);
  }

  @Override
  public Object create() throws CoreException {
    Application all = Application.of();
    Function<Application, Object> maker = MAKERS.get(name);
    if (maker == null) throw new CoreException(Status.error("Parts makes no " + name));
    if (all == null) throw new CoreException(Status.error("TaskLens is stopped, no " + name));
    Object part = maker.apply(all);
    // A view gets its title from plugin.xml.
    if (part instanceof IExecutableExtension one)
      one.setInitializationData(element, attribute, null);
    return part;
  }
}
