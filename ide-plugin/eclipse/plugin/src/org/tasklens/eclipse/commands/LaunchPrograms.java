// SPDX-License-Identifier: Apache-2.0
package org.tasklens.eclipse.commands;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.eclipse.core.resources.IProject;
import org.eclipse.core.resources.ResourcesPlugin;
import org.eclipse.core.runtime.CoreException;
import org.eclipse.core.runtime.IPath;
import org.eclipse.core.runtime.Path;
import org.eclipse.core.variables.IStringVariableManager;
import org.eclipse.core.variables.VariablesPlugin;
import org.eclipse.debug.core.DebugPlugin;
import org.eclipse.debug.core.ILaunchConfiguration;
import org.eclipse.debug.core.ILaunchManager;
import org.eclipse.debug.ui.DebugUITools;
import org.eclipse.debug.ui.IDebugUIConstants;
import org.tasklens.eclipse.model.Program;
import org.tasklens.eclipse.rpc.ServerError;

/**
 * Programs from launch configurations of the C/C++ tools (CDT). CDT itself is not needed: a launch
 * configuration is a set of names and values.
 */
public final class LaunchPrograms {
  public static final String PROGRAM = "org.eclipse.cdt.launch.PROGRAM_NAME";
  public static final String PROJECT = "org.eclipse.cdt.launch.PROJECT_ATTR";
  public static final String ARGUMENTS = "org.eclipse.cdt.launch.PROGRAM_ARGUMENTS";
  public static final String DIRECTORY = "org.eclipse.cdt.launch.WORKING_DIRECTORY";
  // The type of CDT's configurations that run a local program. The other types attach to a process,
  // open a core file, or run a program remotely.
  private static final String RUNS_A_PROGRAM = "org.eclipse.cdt.launch.applicationLaunchType";

  private LaunchPrograms() {}

  /** The configuration with a program that was launched last, or null. UI thread. */
  public static ILaunchConfiguration active() {
    for (String group : new String[] {
             IDebugUIConstants.ID_RUN_LAUNCH_GROUP, IDebugUIConstants.ID_DEBUG_LAUNCH_GROUP}) {
      ILaunchConfiguration last = DebugUITools.getLastLaunch(group);
      if (last != null && runsAProgram(last)) return last;
    }
    return null;
  }

  private static boolean runsAProgram(ILaunchConfiguration configuration) {
    try {
      return configuration.getType().getIdentifier().equals(RUNS_A_PROGRAM);
    } catch (CoreException e) {
      return false; // it was deleted, or its plugin is gone
    }
  }

  /** Reads a configuration and replaces variables such as {@code ${workspace_loc}}. */
  public static Program of(ILaunchConfiguration configuration) throws CoreException, ServerError {
    IStringVariableManager variables = VariablesPlugin.getDefault().getStringVariableManager();
    String projectName = configuration.getAttribute(PROJECT, "");
    IPath projectFolder = folderOf(projectName);
    String program = variables.performStringSubstitution(configuration.getAttribute(PROGRAM, ""));
    if (program.isBlank())
      throw new ServerError(
          0, "the launch configuration " + configuration.getName() + " names no program");
    IPath path = new Path(program);
    if (!path.isAbsolute() && projectFolder != null) path = projectFolder.append(path);
    String directory =
        variables.performStringSubstitution(configuration.getAttribute(DIRECTORY, ""));
    if (directory.isBlank() && projectFolder != null) directory = projectFolder.toOSString();
    String arguments =
        variables.performStringSubstitution(configuration.getAttribute(ARGUMENTS, ""));
    Map<String, String> environment = new LinkedHashMap<>();
    for (Map.Entry<String, String> entry :
        configuration
            .getAttribute(ILaunchManager.ATTR_ENVIRONMENT_VARIABLES, Map.<String, String>of())
            .entrySet())
      environment.put(
          entry.getKey(), variables.performStringSubstitution(entry.getValue()));
    return program(path.toOSString(), arguments, environment, directory);
  }

  /** Parses arguments as the user typed them, with quotes. */
  public static Program program(
      String path, String arguments, Map<String, String> environment, String directory) {
    return new Program(
        path, List.of(DebugPlugin.parseArguments(arguments)), environment, directory);
  }

  private static IPath folderOf(String projectName) {
    if (projectName.isBlank()) return null;
    IProject project = ResourcesPlugin.getWorkspace().getRoot().getProject(projectName);
    return project.exists() ? project.getLocation() : null;
  }
}
