// SPDX-License-Identifier: Apache-2.0
package org.tasklens.eclipse;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import java.nio.file.Path;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.eclipse.jface.dialogs.IDialogSettings;
import org.eclipse.ui.plugin.AbstractUIPlugin;
import org.osgi.framework.BundleContext;
import org.osgi.framework.FrameworkUtil;
import org.osgi.framework.ServiceReference;
import org.tasklens.eclipse.editors.CaretFollower;
import org.tasklens.eclipse.editors.Documents;
import org.tasklens.eclipse.editors.LineOpener;
import org.tasklens.eclipse.editors.Sites;
import org.tasklens.eclipse.lsp4e.Relays;
import org.tasklens.eclipse.markers.AdviceMarkers;
import org.tasklens.eclipse.model.Project;
import org.tasklens.eclipse.model.Runs;
import org.tasklens.eclipse.model.ServerClient;
import org.tasklens.eclipse.model.Traces;
import org.tasklens.eclipse.preferences.PreferencePage;
import org.tasklens.eclipse.preferences.Settings;
import org.tasklens.eclipse.rpc.Json;
import org.tasklens.eclipse.rpc.LanguageServer;
import org.tasklens.eclipse.ui.Notices;
import org.tasklens.eclipse.ui.ProgressJobs;
import org.tasklens.eclipse.ui.Ui;
import org.tasklens.eclipse.ui.WorkspaceFolders;
import org.tasklens.eclipse.views.RunConsoles;
import org.tasklens.eclipse.views.RunResults;
import org.tasklens.eclipse.views.Views;

/**
 * Creates and connects the objects that live as long as the bundle is started. None of them
 * contacts the server before the user requests something. When the bundle stops, a caller that
 * still holds one of them gets failed requests, which are not reported to the user.
 */
public final class Application {
  public final Notices notices = new Notices();
  public final Settings settings;
  public final LanguageServer server;
  public final Traces traces;
  public final Runs runs;
  public final Project project;
  public final ProgressJobs progress;
  public final Views views;
  public final Sites sites;

  final Relays relays;
  final Supplier<IDialogSettings> dialogSettings;
  final Path stateFolder;
  // Reads and writes the messages of all pages in order.
  final Executor pages = pageWriter();

  private final ServerClient client;
  private final WorkspaceFolders folders;
  private final Documents documents;
  private final CaretFollower caret;
  private final LineOpener opener;
  private final AdviceMarkers markers;

  Application(AbstractUIPlugin bundle) {
    settings = new Settings(bundle.getPreferenceStore());
    dialogSettings = bundle::getDialogSettings;
    stateFolder = bundle.getStateLocation().toFile().toPath();
    client = new ServerClient(new Workbench(bundle.getBundle().getVersion().toString()), notices);
    server = new LanguageServer(client);
    traces = new Traces(server, notices, Ui::later);
    runs = new Runs(server, notices, Ui::later, settings::runEnvironment);
    project = new Project(server);
    progress = new ProgressJobs(server);
    folders = new WorkspaceFolders(server);
    views = new Views(server, traces, settings, notices);
    documents = new Documents(server);
    sites = new Sites(server, documents);
    caret = new CaretFollower(traces, sites, views);
    opener = new LineOpener(caret, runs, notices);
    markers = new AdviceMarkers(server);
    relays = new Relays(server, runs, views);
    connect();
  }

  // Connects listeners to their sources.
  private void connect() {
    client.on("tasklens/runStarted", runs::started);
    client.on("tasklens/runOutput", runs::output);
    client.on("tasklens/traceUpdated", traces::updated);
    client.on("textDocument/publishDiagnostics", markers::published);
    client.on("$/progress", progress::report);
    client.onAll(views::tell);

    client.answer("window/showDocument", opener::showDocument);
    client.answer(
        "window/workDoneProgress/create",
        params -> {
          progress.create(params);
          return ServerClient.nothing();
        });
    client.answer(
        "workspace/codeLens/refresh",
        params -> {
          sites.refreshAll();
          relays.refresh("workspace/codeLens/refresh");
          return ServerClient.nothing();
        });

    client.onStart(documents::openAll);
    client.onStart(traces::reopen);
    client.onEnd(progress::endAll);
    client.onEnd(runs::serverEnded);
    client.onEnd(documents::closed);
    client.onLoss(traces::lost);

    traces.add(sites);
    runs.follow(new RunConsoles(views, opener));
    runs.follow(new RunResults(server, settings, views, notices));
  }

  void start() {
    caret.start();
    folders.start();
    sites.start();
  }

  void stop() {
    notices.close();
    folders.stop();
    sites.stop();
    caret.stop();
    relays.stop();
    server.stop();
  }

  /**
   * The application of the started bundle, for objects that Eclipse creates itself; null if it is
   * stopped.
   */
  public static Application of() {
    BundleContext context = FrameworkUtil.getBundle(Application.class).getBundleContext();
    ServiceReference<Application> there =
        context == null ? null : context.getServiceReference(Application.class);
    return there == null ? null : context.getService(there);
  }

  // A single thread, which ends when it is idle.
  private static Executor pageWriter() {
    ThreadPoolExecutor executor =
        new ThreadPoolExecutor(
            1,
            1,
            1,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            body -> {
              Thread thread = new Thread(body, "TaskLens pages");
              thread.setDaemon(true);
              return thread;
            });
    executor.allowCoreThreadTimeOut(true);
    return executor;
  }

  private final class Workbench implements ServerClient.Workbench {
    private final String version;

    Workbench(String version) {
      this.version = version;
    }

    @Override
    public String serverPath() {
      return settings.serverPath();
    }

    @Override
    public JsonArray folders() {
      return folders.tell();
    }

    @Override
    public JsonObject settings() {
      return settings.forServer();
    }

    @Override
    public String pluginVersion() {
      return version;
    }
  }

  /** The actions that follow a change of the preferences. */
  PreferencePage.Applied applied() {
    return new PreferencePage.Applied() {
      @Override
      public void otherServer() {
        server.restart(); // the next request starts a new server
        traces.lost();
      }

      @Override
      public void otherSettings() {
        server.tell(
            "workspace/didChangeConfiguration", Json.of("settings", settings.forServer()));
      }

      @Override
      public void chosen() {
        sites.showAnew();
        sites.refreshAll();
      }
    };
  }
}
