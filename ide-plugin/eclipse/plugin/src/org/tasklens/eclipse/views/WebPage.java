// SPDX-License-Identifier: Apache-2.0
package org.tasklens.eclipse.views;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.eclipse.swt.SWT;
import org.eclipse.swt.SWTError;
import org.eclipse.swt.browser.Browser;
import org.eclipse.swt.browser.BrowserFunction;
import org.eclipse.swt.browser.LocationEvent;
import org.eclipse.swt.browser.LocationListener;
import org.eclipse.swt.widgets.Composite;
import org.eclipse.swt.widgets.Control;
import org.eclipse.swt.widgets.FileDialog;
import org.tasklens.eclipse.model.Trace;
import org.tasklens.eclipse.rpc.Json;
import org.tasklens.eclipse.rpc.Requests;
import org.tasklens.eclipse.rpc.ServerError;
import org.tasklens.eclipse.ui.Notices;
import org.tasklens.eclipse.ui.Ui;

/**
 * The server's web app in SWT's browser. Carries messages between the page and the server, see "The
 * web app in an editor" in protocol.md. UI thread; messages are parsed and written on other
 * threads.
 */
final class WebPage {
  private final Requests server;
  private final Notices notices;
  private final Executor pages;
  private final Consumer<JsonObject> chosen;
  private final Browser browser;
  private final String view;
  private final Map<String, JsonElement> states = new HashMap<>(); // by the trace's title
  private Trace trace;
  private final List<String> calls = new ArrayList<>(); // not yet passed to the page
  private boolean isPageBusy = true; // until the page has asked for its start parameters
  private boolean isTextThere; // the text of the last load has arrived
  private int loads;

  /**
   * {@code pages}: reads and writes messages, in their order.
   * {@code chosen}: is told of the task or site that is selected in the page.
   *
   * @throws SWTError where the system has no browser widget
   */
  WebPage(Composite parent, String view, Requests server, Notices notices, Executor pages,
      Consumer<JsonObject> chosen) {
    this.view = view;
    this.server = server;
    this.notices = notices;
    this.pages = pages;
    this.chosen = chosen;
    browser = new Browser(parent, SWT.NONE);
    browser.setJavascriptEnabled(true);
    new BrowserFunction(browser, "tasklensPost") {
      @Override
      public Object function(Object[] arguments) {
        if (arguments.length == 1 && arguments[0] instanceof String text) {
          int load = loads;
          pages.execute(() -> take(text, load));
        }
        return null;
      }
    };
    new BrowserFunction(browser, "tasklensIdle") {
      @Override
      public Object function(Object[] arguments) {
        boolean isThisPage =
            arguments.length == 1 && arguments[0] instanceof Double load && load == loads;
        if (isThisPage) {
          isPageBusy = false;
          Ui.later(WebPage.this::handOver);
        }
        return null;
      }
    };
    // The browser only shows this page: links lead nowhere.
    browser.addLocationListener(LocationListener.changingAdapter(
        (LocationEvent event) -> event.doit = event.location.startsWith("about:")));
    Ui.onThemeChange(browser, this::showTheme);
  }

  Control control() {
    return browser;
  }

  void show(Trace shown) {
    trace = shown;
    int load = ++loads;
    calls.clear();
    // From here on messages are for the new page, not for the old one that is still loaded.
    isPageBusy = true;
    isTextThere = false;
    if (shown == null) {
      load(Ui.isDark() ? EMPTY.replace("COLOURS", DARK) : EMPTY.replace("COLOURS", LIGHT));
      return;
    }
    server
        .request("tasklens/page", Json.of("view", view))
        .whenComplete(
            (answer, failure) -> {
              String html =
                  failure == null ? withCalls(Json.text(answer.getAsJsonObject(), "html")) : null;
              if (html != null)
                Ui.later(
                    () -> {
                      if (load == loads && !browser.isDisposed()) load(html);
                    });
              else notices.failed(failure);
            });
  }

  private void load(String html) {
    isTextThere = true;
    browser.setText(html);
  }

  // SWT passes the calls of a page as requests with a URL scheme of its own.
  private static String withCalls(String html) {
    return html.replaceFirst("connect-src 'none'", "connect-src swt:");
  }

  void select(JsonObject what) {
    tell("host/select", what);
  }

  /** A notification for the page. */
  void tell(String method, JsonObject params) {
    int load = loads;
    pages.execute(() -> post(Json.of("method", method, "params", params), load));
  }

  // Runs on a worker thread.
  private void take(String text, int load) {
    JsonObject message;
    try {
      message = JsonParser.parseString(text).getAsJsonObject();
    } catch (JsonParseException | IllegalStateException e) {
      Ui.log("the page sent no message", e);
      return;
    }
    String method = Json.text(message, "method");
    JsonElement id = message.get("id");
    JsonObject params = Json.object(message, "params");
    answer(method, params == null ? new JsonObject() : params, load)
        .whenComplete(
            (result, failure) -> {
              if (id == null || id.isJsonNull()) return;
              JsonObject answer = Json.of("id", id);
              if (failure == null) answer.add("result", Json.element(result));
              else answer.add("error", Json.of("message", ServerError.messageOf(failure)));
              post(answer, load);
            });
  }

  private CompletableFuture<JsonElement> answer(String method, JsonObject params, int load) {
    if (method.equals("tasklens/reveal")) Ui.later(() -> tellChosen(params, load));
    if (method.startsWith("tasklens/")) return server.request(method, params);
    CompletableFuture<JsonElement> done = new CompletableFuture<>();
    switch (method) {
      case "host/start" -> Ui.later(
          () -> {
            started(load);
            done.complete(start());
          });
      case "host/store" -> Ui.later(
          () -> {
            if (trace != null) states.put(trace.title(), params.get("state"));
            done.complete(null);
          });
      case "host/save" -> Ui.later(() -> save(params, done));
      default -> done.completeExceptionally(new ServerError(0, method + ": not known here"));
    }
    return done;
  }

  private void tellChosen(JsonObject place, int load) {
    if (load != loads) return; // in a page that is gone
    JsonObject what = new JsonObject();
    for (String kind : List.of("task", "site"))
      if (place.has(kind)) what.add(kind, place.get(kind));
    if (what.size() > 0) chosen.accept(what);
  }

  // By now the page takes messages: it keeps those for which it is not ready.
  private void started(int load) {
    if (load != loads || !isTextThere) return; // the page was replaced
    isPageBusy = false;
    handOver();
  }

  private JsonObject start() {
    return Json.of(
        "trace", trace == null ? null : trace.id(),
        "theme", theme(),
        "state", trace == null ? null : states.get(trace.title()));
  }

  private static String theme() {
    return Ui.isDark() ? "dark" : "light";
  }

  private void showTheme() {
    if (browser.isDisposed()) return;
    if (trace == null) show(null);
    else tell("host/theme", Json.of("theme", theme()));
  }

  private void save(JsonObject params, CompletableFuture<JsonElement> done) {
    if (browser.isDisposed()) return;
    FileDialog dialog = new FileDialog(browser.getShell(), SWT.SAVE);
    dialog.setFileName(Json.text(params, "name"));
    dialog.setOverwrite(true);
    String path = dialog.open();
    if (path == null) {
      done.complete(null);
      return;
    }
    CompletableFuture.runAsync(
        () -> {
          try {
            Files.write(Path.of(path), Base64.getDecoder().decode(Json.text(params, "base64")));
            done.complete(null);
          } catch (IOException | IllegalArgumentException e) {
            done.completeExceptionally(
                new ServerError(0, path + " cannot be written: " + e.getMessage()));
          }
        });
  }

  // The text is made here, off the UI thread; only passing it to the page happens there.
  private void post(JsonObject message, int load) {
    // JSON within JSON: the page gets a string, so its contents are not executed.
    String call = "globalThis.tasklensTake?.(" + scriptText(Json.write(message)) + ");";
    Ui.later(
        () -> {
          if (load != loads || browser.isDisposed()) return; // the page was replaced
          calls.add(call);
          handOver();
        });
  }

  // SWT waits until a script has ended. So messages are passed when the page is idle, and the page
  // handles them after the script.
  private void handOver() {
    if (isPageBusy || calls.isEmpty() || browser.isDisposed()) return;
    String script = "setTimeout(() => { try {" + String.join("\n", calls)
        + "} finally { tasklensIdle(" + loads + "); } }, 0)";
    calls.clear();
    isPageBusy = true; // the page may report completion before execute() returns
    if (!browser.execute(script)) isPageBusy = false;
  }

  private static String scriptText(String text) {
    return Json.write(Json.element(text)).replace("\u2028", "\\u2028").replace("\u2029", "\\u2029");
  }

  // The colours of the web app, see its style.css.
  private static final String LIGHT = "background: #f1f3f6; color: #1a2230";
  private static final String DARK = "background: #0f1318; color: #e6ebf2";
  private static final String EMPTY =
      "<!doctype html><meta http-equiv='Content-Security-Policy'"
          + " content=\"default-src 'none'; style-src 'unsafe-inline'\">"
          + "<style>body { font: 14px sans-serif; COLOURS }</style>"
          + "<p>No trace is open. Use <b>TaskLens &gt; Run Traced</b>, or <b>Open Trace</b>.</p>";
}
