// SPDX-License-Identifier: Apache-2.0
package org.tasklens.eclipse;

import org.eclipse.ui.plugin.AbstractUIPlugin;
import org.osgi.framework.BundleContext;
import org.osgi.framework.ServiceRegistration;

/** The bundle. While it is started, its {@link Application} exists. */
public final class TaskLens extends AbstractUIPlugin {
  private Application application;
  private ServiceRegistration<Application> registration;

  @Override
  public void start(BundleContext context) throws Exception {
    super.start(context);
    application = new Application(this);
    registration = context.registerService(Application.class, application, null);
    application.start();
  }

  @Override
  public void stop(BundleContext context) throws Exception {
    registration.unregister();
    application.stop();
    super.stop(context);
  }
}
