// SPDX-License-Identifier: Apache-2.0
package org.tasklens.eclipse.commands;

import java.util.ArrayList;
import java.util.List;
import org.eclipse.core.commands.AbstractHandler;
import org.eclipse.core.commands.ExecutionEvent;
import org.eclipse.core.resources.IResource;
import org.eclipse.core.runtime.Adapters;
import org.eclipse.jface.viewers.IStructuredSelection;
import org.eclipse.swt.SWT;
import org.eclipse.swt.widgets.FileDialog;
import org.eclipse.ui.handlers.HandlerUtil;
import org.tasklens.eclipse.model.Traces;
import org.tasklens.eclipse.ui.Notices;
import org.tasklens.eclipse.views.Views;

/**
 * Opens the trace files that are selected in an explorer (one for each rank), or asks for files.
 */
public final class OpenTrace extends AbstractHandler {
  /** An absolute path, if the caller knows it. */
  public static final String PATH = "org.tasklens.eclipse.openTrace.path";

  private final Traces traces;
  private final Views views;
  private final Notices notices;

  public OpenTrace(Traces traces, Views views, Notices notices) {
    this.traces = traces;
    this.views = views;
    this.notices = notices;
  }

  @Override
  public Object execute(ExecutionEvent event) {
    List<String> paths = new ArrayList<>();
    if (event.getParameter(PATH) != null) paths.add(event.getParameter(PATH));
    if (paths.isEmpty()
        && HandlerUtil.getCurrentSelection(event) instanceof IStructuredSelection some)
      for (Object one : some) {
        IResource resource = Adapters.adapt(one, IResource.class);
        boolean isTrace = resource != null && resource.getLocation() != null && isTrace(resource);
        if (isTrace) paths.add(resource.getLocation().toOSString());
      }
    if (paths.isEmpty()) paths = ask(event);
    if (!paths.isEmpty()) open(paths);
    return null;
  }

  private static boolean isTrace(IResource resource) {
    return resource.getName().endsWith(".tlt") || resource.getName().startsWith("prof_file_");
  }

  private static List<String> ask(ExecutionEvent event) {
    FileDialog dialog = new FileDialog(HandlerUtil.getActiveShell(event), SWT.OPEN | SWT.MULTI);
    dialog.setText("Open Trace: the files of one run, one for each rank");
    List<String> paths = new ArrayList<>();
    if (dialog.open() == null) return paths;
    for (String name : dialog.getFileNames()) paths.add(dialog.getFilterPath() + "/" + name);
    return paths;
  }

  private void open(List<String> paths) {
    notices.whenDone(
        traces.open(paths),
        trace -> {
          trace.tellProblems(notices);
          views.showResults();
        });
  }
}
