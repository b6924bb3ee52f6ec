// SPDX-License-Identifier: Apache-2.0
package org.tasklens.eclipse.preferences;

import org.eclipse.jface.dialogs.MessageDialogWithToggle;
import org.eclipse.jface.preference.BooleanFieldEditor;
import org.eclipse.jface.preference.ComboFieldEditor;
import org.eclipse.jface.preference.FieldEditorPreferencePage;
import org.eclipse.jface.preference.FileFieldEditor;
import org.eclipse.jface.preference.PathEditor;
import org.eclipse.jface.preference.StringFieldEditor;
import org.eclipse.swt.SWT;
import org.eclipse.swt.widgets.Composite;
import org.eclipse.ui.IWorkbench;
import org.eclipse.ui.IWorkbenchPreferencePage;

/** Window > Preferences > TaskLens. */
public final class PreferencePage extends FieldEditorPreferencePage
    implements IWorkbenchPreferencePage {
  /** Called when the user has changed preferences. UI thread. */
  public interface Applied {
    /** The program of the server has changed. */
    void otherServer();

    /** Settings of the same server have changed. */
    void otherSettings();

    /** Called after either: editors may have to show something else. */
    void chosen();
  }

  private final Settings settings;
  private final Applied applied;
  private String serverPath;

  public PreferencePage(Settings settings, Applied applied) {
    super(GRID);
    this.settings = settings;
    this.applied = applied;
    setDescription("Task graphs and timelines of StarPU programs.");
  }

  @Override
  public void init(IWorkbench workbench) {
    setPreferenceStore(settings.store());
    serverPath = settings.serverPath();
  }

  @Override
  protected void createFieldEditors() {
    Composite parent = getFieldEditorParent();
    FileFieldEditor server = new FileFieldEditor(
        Settings.SERVER_PATH, "Program &tasklens (empty: from PATH):", true, parent);
    addField(server);
    addField(new PathEditor(Settings.SOURCE_ROOTS,
        "Folders of &sources besides the projects:", "Choose a folder of sources", parent));
    addField(new StringFieldEditor(
        Settings.SILENCED_RULES, "&Rules of advice not to report (separated by blanks):", parent));
    addField(new StringFieldEditor(Settings.RUN_ARGUMENTS, "&Arguments of a new run:", parent));
    addField(new StringFieldEditor(Settings.RUN_ENVIRONMENT,
        "&Variables of every run (NAME=VALUE, one per line):", StringFieldEditor.UNLIMITED, 4,
        StringFieldEditor.VALIDATE_ON_KEY_STROKE, parent) {
      @Override
      protected org.eclipse.swt.widgets.Text createTextWidget(Composite area) {
        return new org.eclipse.swt.widgets.Text(area, SWT.MULTI | SWT.V_SCROLL | SWT.BORDER);
      }
    });
    addField(new BooleanFieldEditor(
        Settings.SHOW_AFTER_RUN, "Show the task &graph when a run has ended", parent));
    addField(
        new ComboFieldEditor(Settings.OPEN_PERSPECTIVE, "Open the TaskLens &perspective for it:",
            new String[][] {{"Always", MessageDialogWithToggle.ALWAYS},
                {"Never", MessageDialogWithToggle.NEVER}, {"Ask", MessageDialogWithToggle.PROMPT}},
            parent));
    addField(new BooleanFieldEditor(
        Settings.SHOW_MININGS, "Show &costs above the lines that submit tasks", parent));
  }

  @Override
  public boolean performOk() {
    boolean isStored = super.performOk();
    if (!isStored) return false;
    if (settings.serverPath().equals(serverPath)) applied.otherSettings();
    else applied.otherServer();
    serverPath = settings.serverPath();
    applied.chosen();
    return true;
  }
}
