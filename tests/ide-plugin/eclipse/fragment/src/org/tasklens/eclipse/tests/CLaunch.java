// SPDX-License-Identifier: Apache-2.0
package org.tasklens.eclipse.tests;

import org.eclipse.core.runtime.IProgressMonitor;
import org.eclipse.debug.core.ILaunch;
import org.eclipse.debug.core.ILaunchConfiguration;
import org.eclipse.debug.core.model.LaunchConfigurationDelegate;

/** Launches nothing: only what a launch configuration holds is looked at. */
public final class CLaunch extends LaunchConfigurationDelegate {
  @Override
  public void launch(
      ILaunchConfiguration configuration, String mode, ILaunch launch, IProgressMonitor monitor) {}
}
