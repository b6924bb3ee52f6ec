// SPDX-License-Identifier: Apache-2.0
package org.tasklens.eclipse.preferences;

import org.eclipse.core.runtime.preferences.AbstractPreferenceInitializer;
import org.eclipse.core.runtime.preferences.DefaultScope;
import org.eclipse.core.runtime.preferences.IEclipsePreferences;
import org.eclipse.jface.dialogs.MessageDialogWithToggle;
import org.osgi.framework.FrameworkUtil;

/** Default values of the preferences; all others are empty by default. */
public final class Defaults extends AbstractPreferenceInitializer {
  @Override
  public void initializeDefaultPreferences() {
    IEclipsePreferences defaults = DefaultScope.INSTANCE.getNode(
        FrameworkUtil.getBundle(Defaults.class).getSymbolicName());
    defaults.putBoolean(Settings.SHOW_AFTER_RUN, true);
    defaults.put(Settings.OPEN_PERSPECTIVE, MessageDialogWithToggle.PROMPT);
    defaults.putBoolean(Settings.SHOW_MININGS, true);
  }
}
