// SPDX-License-Identifier: Apache-2.0
package org.tasklens.eclipse;

import org.eclipse.core.runtime.IStatus;
import org.eclipse.core.runtime.Status;
import org.eclipse.ui.plugin.AbstractUIPlugin;
import org.osgi.framework.BundleContext;
import org.tasklens.eclipse.editors.CaretFollower;
import org.tasklens.eclipse.editors.Documents;
import org.tasklens.eclipse.editors.Sites;
import org.tasklens.eclipse.markers.AdviceMarkers;
import org.tasklens.eclipse.run.Runs;
import org.tasklens.eclipse.run.Traces;
import org.tasklens.eclipse.server.LanguageServer;
import org.tasklens.eclipse.server.ProgressJobs;
import org.tasklens.eclipse.server.ServerClient;
import org.tasklens.eclipse.server.WorkspaceFolders;

/**
 * The bundle: holds what lives as long as the workbench. Nothing of it asks the server before the
 * user asks for something.
 */
public final class TaskLens extends AbstractUIPlugin {
  public static final String ID = "org.tasklens.eclipse";

  private static TaskLens instance;

  private LanguageServer server;
  private Traces traces;
  private Runs runs;
  private Documents documents;
  private Sites sites;
  private AdviceMarkers advice;
  private ProgressJobs progress;
  private CaretFollower caret;
  private WorkspaceFolders folders;

  @Override
  public void start(BundleContext context) throws Exception {
    super.start(context);
    instance = this;
    traces = new Traces();
    runs = new Runs();
    documents = new Documents();
    sites = new Sites();
    advice = new AdviceMarkers();
    progress = new ProgressJobs();
    server = new LanguageServer(new ServerClient());
    caret = new CaretFollower();
    folders = new WorkspaceFolders();
    caret.start();
    folders.start();
    sites.start();
  }

  @Override
  public void stop(BundleContext context) throws Exception {
    folders.stop();
    server.stop();
    instance = null;
    super.stop(context);
  }

  public static TaskLens get() {
    return instance;
  }

  public static LanguageServer server() {
    return instance.server;
  }

  public static Traces traces() {
    return instance.traces;
  }

  public static Runs runs() {
    return instance.runs;
  }

  public static Documents documents() {
    return instance.documents;
  }

  public static Sites sites() {
    return instance.sites;
  }

  public static AdviceMarkers advice() {
    return instance.advice;
  }

  public static ProgressJobs progress() {
    return instance.progress;
  }

  public static CaretFollower caret() {
    return instance.caret;
  }

  public static WorkspaceFolders folders() {
    return instance.folders;
  }

  /** Into the workbench's error log, for whoever looks for the cause of something. */
  public static void log(String message, Throwable cause) {
    if (instance != null) instance.getLog().log(new Status(IStatus.WARNING, ID, message, cause));
  }
}
