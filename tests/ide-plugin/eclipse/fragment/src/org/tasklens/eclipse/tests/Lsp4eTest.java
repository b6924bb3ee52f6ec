// SPDX-License-Identifier: Apache-2.0
package org.tasklens.eclipse.tests;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.eclipse.core.runtime.IConfigurationElement;
import org.eclipse.core.runtime.Platform;
import org.tasklens.eclipse.commands.LaunchPrograms;
import org.tasklens.eclipse.model.Program;
import org.tasklens.eclipse.rpc.Connection;
import org.tasklens.eclipse.rpc.Json;
import org.tasklens.eclipse.views.Views;

/**
 * Where LSP4E is installed, it speaks with the one server through the plugin. LSP4E itself is in no
 * package of Debian: a bundle with its name, its extension point and its interface stands for it,
 * and this test says what LSP4E would say.
 */
final class Lsp4eTest implements Main.Scenario {
  private Object provider;

  @Override
  public void run(Bench bench) throws Exception {
    Path source = Steps.cholesky(bench);
    Program cholesky =
        LaunchPrograms.program(bench.data.resolve("examples/cholesky").toString(), "", Map.of(), "");
    provider = server().createExecutableExtension("class");
    Bench.expect(
        "its own".equals(call("getInitializationOptions", URI.class, (Object) null)),
        "what we do not say is as LSP4E has it");
    call("start");
    AtomicInteger refreshes = new AtomicInteger();
    Connection lsp4e =
        new Connection(
            (InputStream) call("getInputStream"),
            (OutputStream) call("getOutputStream"),
            new Peer(refreshes));
    JsonObject client = Json.of("processId", null, "capabilities", new JsonObject());
    JsonObject answer =
        bench.ended("the greeting", lsp4e.request("initialize", client)).getAsJsonObject();
    JsonObject capabilities = Json.object(answer, "capabilities");
    for (String name : List.of("codeLensProvider", "hoverProvider", "callHierarchyProvider"))
      Bench.expect(capabilities.has(name), "LSP4E is offered " + name);
    Bench.expect(!capabilities.has("codeActionProvider"), "advice stays with the plugin's markers");
    lsp4e.tell("initialized", new JsonObject());

    bench.plugin.runs.start(cholesky);
    bench.until("the lenses to be asked for again", () -> refreshes.get() > 0);
    GraphPage.untilReady(bench);
    JsonObject document = Json.of("uri", source.toUri().toString());
    JsonArray lenses =
        bench
            .ended(
                "the lenses",
                lsp4e.request("textDocument/codeLens", Json.of("textDocument", document)))
            .getAsJsonArray();
    // Those of lines that wait come with the analysis, a while later.
    long ofTasks =
        Json.objects(lenses).stream()
            .filter(one -> !Json.text(Json.object(one, "command"), "title").startsWith("waited "))
            .count();
    Bench.expect(ofTasks == 5, "LSP4E gets the lenses, of the trace that the plugin opened");
    JsonObject lens = lenses.get(1).getAsJsonObject();
    JsonObject command = Json.object(lens, "command");
    JsonObject position = Json.object(Json.object(lens, "range"), "start");
    JsonObject place = Json.of("textDocument", document, "position", position);
    String hover = bench.ended("the hover", lsp4e.request("textDocument/hover", place)).toString();
    Bench.expect(hover.contains("6 tasks"), "LSP4E gets the hovers");

    bench.ended("the command", lsp4e.request("workspace/executeCommand", command));
    int site = (int) Json.number(Json.objects(command, "arguments").get(0), "site", -1);
    bench.untilAsked("the tasks of the lens chosen", () -> GraphPage.isSiteChosen(bench, site));
    bench.untilDrawn(Views.GRAPH);
    bench.snap("lsp4e");

    ProcessHandle.of(bench.plugin.server.pid()).orElseThrow().destroyForcibly();
    bench.noticed("and was started again");
    Bench.expect(
        bench.ended("the hover", lsp4e.request("textDocument/hover", place)) != null,
        "LSP4E is answered after the server was started again");
    call("stop");
  }

  private static IConfigurationElement server() {
    for (IConfigurationElement one :
        Platform.getExtensionRegistry()
            .getConfigurationElementsFor("org.eclipse.lsp4e.languageServer"))
      if (one.getName().equals("server")) return one;
    throw new AssertionError("no language server is announced to LSP4E");
  }

  // As the interface has it, which this test is not compiled against either.
  private Object call(String method, Object... typeAndArgument) throws Exception {
    Class<?> kind = provider.getClass().getInterfaces()[0];
    return typeAndArgument.length == 0
        ? kind.getMethod(method).invoke(provider)
        : kind.getMethod(method, (Class<?>) typeAndArgument[0]).invoke(provider, typeAndArgument[1]);
  }

  private record Peer(AtomicInteger refreshes) implements Connection.Peer {
    @Override
    public void notified(String method, JsonObject params) {}

    @Override
    public CompletableFuture<JsonElement> requested(String method, JsonObject params) {
      if (method.equals("workspace/codeLens/refresh")) refreshes.incrementAndGet();
      return CompletableFuture.completedFuture(JsonNull.INSTANCE);
    }

    @Override
    public void ended() {}
  }
}
