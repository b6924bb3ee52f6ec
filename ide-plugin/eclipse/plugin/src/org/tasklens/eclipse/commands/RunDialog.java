// SPDX-License-Identifier: Apache-2.0
package org.tasklens.eclipse.commands;

import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.eclipse.core.resources.IFile;
import org.eclipse.core.resources.IProject;
import org.eclipse.core.resources.ResourcesPlugin;
import org.eclipse.jface.dialogs.IDialogConstants;
import org.eclipse.jface.dialogs.IDialogSettings;
import org.eclipse.jface.dialogs.TitleAreaDialog;
import org.eclipse.jface.layout.GridDataFactory;
import org.eclipse.jface.layout.GridLayoutFactory;
import org.eclipse.swt.SWT;
import org.eclipse.swt.widgets.Button;
import org.eclipse.swt.widgets.Composite;
import org.eclipse.swt.widgets.Control;
import org.eclipse.swt.widgets.DirectoryDialog;
import org.eclipse.swt.widgets.FileDialog;
import org.eclipse.swt.widgets.Label;
import org.eclipse.swt.widgets.Shell;
import org.eclipse.swt.widgets.Text;
import org.eclipse.ui.IEditorPart;
import org.eclipse.ui.PlatformUI;
import org.tasklens.eclipse.model.Program;
import org.tasklens.eclipse.preferences.Settings;
import org.tasklens.eclipse.ui.Ui;

/** Asks for the program to run traced, and remembers the answer. */
final class RunDialog extends TitleAreaDialog {
  private static final String SECTION = "run";

  private final Settings settings;
  private final IDialogSettings remembered;
  private Text program;
  private Text arguments;
  private Text directory;
  private Text environment;
  private Program result;
  private final List<Path> folders = foldersOfProjects();

  RunDialog(Shell parent, Settings settings, IDialogSettings remembered) {
    super(parent);
    this.settings = settings;
    this.remembered = remembered;
    setHelpAvailable(false);
    setShellStyle(getShellStyle() | SWT.RESIZE);
  }

  /** The program to run, after the dialog was closed with Run. */
  public Program result() {
    return result;
  }

  @Override
  protected void configureShell(Shell shell) {
    super.configureShell(shell);
    shell.setText("Run Traced");
    PlatformUI.getWorkbench().getHelpSystem().setHelp(shell, Ui.PLUGIN + ".run");
  }

  @Override
  protected Control createDialogArea(Composite parent) {
    Composite area =
        new Composite((Composite) super.createDialogArea(parent), SWT.NONE);
    GridDataFactory.fillDefaults().grab(true, true).applyTo(area);
    GridLayoutFactory.swtDefaults().numColumns(3).margins(10, 10).applyTo(area);
    setTitle("Run a program and record its tasks");
    setMessage("The program must use TaskLens' runtime, or a StarPU with FxT.");

    IDialogSettings before = section();
    program = field(area, "&Program:", before.get("program"), "");
    program.setMessage(folders.isEmpty() ? "/path/program" : "./program, of the project");
    browse(area, () -> new FileDialog(getShell(), SWT.OPEN).open(), program);
    arguments = field(area, "&Arguments:", before.get("arguments"),
        settings.store().getString(Settings.RUN_ARGUMENTS));
    new Label(area, SWT.NONE);
    directory = field(area, "&Folder to run in:", before.get("directory"), "");
    directory.setMessage("the program's own");
    browse(area, () -> new DirectoryDialog(getShell()).open(), directory);
    Label label = new Label(area, SWT.NONE);
    label.setText("&Variables:");
    GridDataFactory.swtDefaults().align(SWT.BEGINNING, SWT.BEGINNING).applyTo(label);
    environment = new Text(area, SWT.BORDER | SWT.MULTI | SWT.V_SCROLL);
    environment.setMessage("STARPU_NCPU=2");
    environment.setText(text(before.get("environment"), ""));
    GridDataFactory.fillDefaults().grab(true, true).span(2, 1).hint(360, 60).applyTo(environment);
    program.addModifyListener(event -> validate());
    return area;
  }

  private static Text field(Composite area, String name, String value, String fallback) {
    new Label(area, SWT.NONE).setText(name);
    Text field = new Text(area, SWT.BORDER);
    field.setText(text(value, fallback));
    GridDataFactory.fillDefaults().grab(true, false).applyTo(field);
    return field;
  }

  private static String text(String value, String fallback) {
    return value == null ? fallback : value;
  }

  private static void browse(
      Composite area, java.util.function.Supplier<String> dialog, Text target) {
    Button button = new Button(area, SWT.PUSH);
    button.setText("Browse...");
    button.addListener(
        SWT.Selection,
        event -> {
          String chosen = dialog.get();
          if (chosen != null) target.setText(chosen);
        });
  }

  @Override
  protected void createButtonsForButtonBar(Composite parent) {
    createButton(parent, IDialogConstants.OK_ID, "Run", true);
    createButton(parent, IDialogConstants.CANCEL_ID, IDialogConstants.CANCEL_LABEL, false);
    validate();
  }

  // Checks the disk, which may be slow, on another thread; Run is disabled until it has finished.
  private void validate() {
    String path = program.getText().strip();
    Button run = getButton(IDialogConstants.OK_ID);
    if (run == null) return; // the dialog is being created
    run.setEnabled(false);
    CompletableFuture.supplyAsync(() -> Optional.ofNullable(problemOf(path, folders)))
        .thenAcceptAsync(problem -> {
          if (program.isDisposed() || !program.getText().strip().equals(path)) return;
          setErrorMessage(path.isEmpty() ? null : problem.orElse(null));
          run.setEnabled(problem.isEmpty());
        }, Ui::later);
  }

  private static String problemOf(String path, List<Path> folders) {
    try {
      if (path.isEmpty())
        return "Name a program.";
      Path file = resolve(path, folders);
      if (Files.isRegularFile(file))
        return Files.isExecutable(file) ? null : "This file is not a program.";
      if (path.startsWith("/"))
        return "There is no such file.";
      return folders.isEmpty() ? "No project is open that a relative path could refer to."
                               : "There is no such file in " + folders.get(0) + ".";
    } catch (InvalidPathException e) {
      return "This is not a path.";
    }
  }

  /** Resolves a path: absolute, or relative to the first folder that contains it. */
  static Path resolve(String path, List<Path> folders) {
    for (Path folder : folders)
      if (Files.isRegularFile(folder.resolve(path)))
        return folder.resolve(path).normalize();
    return Path.of(path);
  }

  // The folders of the open projects, the one of the active editor first. UI thread.
  private static List<Path> foldersOfProjects() {
    List<Path> found = new ArrayList<>();
    IEditorPart editor = Ui.page() == null ? null : Ui.page().getActiveEditor();
    IFile inFront = editor == null ? null : editor.getEditorInput().getAdapter(IFile.class);
    for (IProject project : ResourcesPlugin.getWorkspace().getRoot().getProjects()) {
      if (!project.isOpen() || project.getLocation() == null)
        continue;
      boolean isFirst = inFront != null && inFront.getProject().equals(project);
      found.add(isFirst ? 0 : found.size(), Path.of(project.getLocation().toOSString()));
    }
    return found;
  }

  @Override
  protected void okPressed() {
    IDialogSettings now = section();
    now.put("program", program.getText());
    now.put("arguments", arguments.getText());
    now.put("directory", directory.getText());
    now.put("environment", environment.getText());
    result = LaunchPrograms.program(resolve(program.getText().strip(), folders).toString(),
        arguments.getText(), Settings.environment(environment.getText()),
        directory.getText().strip());
    super.okPressed();
  }

  private IDialogSettings section() {
    IDialogSettings section = remembered.getSection(SECTION);
    return section == null ? remembered.addNewSection(SECTION) : section;
  }
}
