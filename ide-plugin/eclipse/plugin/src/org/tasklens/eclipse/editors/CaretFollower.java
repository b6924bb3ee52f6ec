// SPDX-License-Identifier: Apache-2.0
package org.tasklens.eclipse.editors;

import org.eclipse.jface.text.ITextSelection;
import org.eclipse.jface.viewers.ISelection;
import org.eclipse.swt.widgets.Display;
import org.eclipse.ui.ISelectionListener;
import org.eclipse.ui.IWindowListener;
import org.eclipse.ui.IWorkbenchPart;
import org.eclipse.ui.IWorkbenchWindow;
import org.eclipse.ui.PlatformUI;
import org.eclipse.ui.texteditor.ITextEditor;
import org.tasklens.eclipse.model.Site;
import org.tasklens.eclipse.model.Traces;
import org.tasklens.eclipse.ui.Ui;

/** Highlights the tasks of the submission site at the caret in all views. UI thread. */
public final class CaretFollower implements ISelectionListener, IWindowListener {
  private static final int RESTING_MS = 120;

  private final Traces traces;
  private final Sites sites;
  private final Lights lights;
  private ITextEditor expectedEditor;
  private int expectedLine = -1;
  private int moves;

  public CaretFollower(Traces traces, Sites sites, Lights lights) {
    this.traces = traces;
    this.sites = sites;
    this.lights = lights;
  }

  /** Follows the editors of all windows. Any thread. */
  public void start() {
    Ui.later(
        () -> {
          for (IWorkbenchWindow window : PlatformUI.getWorkbench().getWorkbenchWindows())
            windowOpened(window);
          PlatformUI.getWorkbench().addWindowListener(this);
        });
  }

  /** Any thread. */
  public void stop() {
    Ui.later(
        () -> {
          PlatformUI.getWorkbench().removeWindowListener(this);
          for (IWorkbenchWindow window : PlatformUI.getWorkbench().getWorkbenchWindows())
            windowClosed(window);
        });
  }

  /** Announces that the caret will be moved there for a task that is already selected. */
  void expect(ITextEditor editor, int line) {
    expectedEditor = editor;
    expectedLine = line;
    ++moves; // cancels pending moves of the caret
  }

  @Override
  public void selectionChanged(IWorkbenchPart part, ISelection selection) {
    if (!(selection instanceof ITextSelection) || traces.current() == null) return;
    ITextEditor editor = SourceEditors.textEditor(part);
    if (editor == null) return;
    // The notification may be late: the caret may have moved since.
    if (!(editor.getSelectionProvider().getSelection() instanceof ITextSelection now)) return;
    int line = now.getStartLine();
    boolean isExpected = editor == expectedEditor && line == expectedLine;
    if (!isExpected) expectedEditor = null;
    int move = ++moves;
    if (isExpected) return;
    Display.getCurrent()
        .timerExec(
            RESTING_MS,
            () -> {
              if (move == moves) rested(editor, line);
            });
  }

  private void rested(ITextEditor editor, int line) {
    String uri = editor.getEditorInput() == null ? null : SourceEditors.uriOf(editor);
    Site site = uri == null ? null : sites.at(uri, line);
    if (site != null) lights.light(site);
  }

  @Override
  public void windowOpened(IWorkbenchWindow window) {
    window.getSelectionService().addPostSelectionListener(this);
  }

  @Override
  public void windowClosed(IWorkbenchWindow window) {
    window.getSelectionService().removePostSelectionListener(this);
  }

  @Override
  public void windowActivated(IWorkbenchWindow window) {}

  @Override
  public void windowDeactivated(IWorkbenchWindow window) {}
}
