// SPDX-License-Identifier: Apache-2.0
package org.tasklens.eclipse.rpc;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * JSON-RPC 2.0 over two streams with {@code Content-Length} framing, as language servers use it.
 * Written by hand, because LSP4J is neither in Debian nor in npm, the only sources of packages for
 * this plugin. (Gson is in Debian.)
 *
 * <p>Any thread may send. Sending never blocks: one thread writes, another reads. The peer and the
 * completions of answers are called on the reading thread.
 */
public final class Connection {
  /** Handles requests and notifications of the other side. */
  public interface Peer {
    void notified(String method, JsonObject params);

    /** Returns null if there is no such method. */
    CompletableFuture<JsonElement> requested(String method, JsonObject params);

    /**
     * The streams have ended; all open requests have failed. Called once, on the reading thread.
     */
    void ended();
  }

  /** An open request; cancelling it notifies the server. */
  private final class Call extends CompletableFuture<JsonElement> {
    final int id;

    Call(int id) {
      this.id = id;
    }

    @Override
    public boolean cancel(boolean mayInterrupt) {
      // The answer still arrives, but is ignored.
      if (waiting.remove(id) != null) tell("$/cancelRequest", Json.of("id", id));
      return super.cancel(mayInterrupt);
    }
  }

  // A larger frame is not a message of a language server.
  private static final int MAX_MESSAGE_BYTES = 1 << 30;
  private static final JsonObject LAST = new JsonObject();

  private final InputStream in;
  private final OutputStream out;
  private final Peer peer;
  private final Map<Integer, Call> waiting = new ConcurrentHashMap<>();
  private final AtomicInteger ids = new AtomicInteger();
  private final BlockingQueue<JsonObject> toSend = new LinkedBlockingQueue<>();
  private volatile boolean closed;

  public Connection(InputStream in, OutputStream out, Peer peer) {
    this.in = new BufferedInputStream(in, 1 << 16);
    this.out = new BufferedOutputStream(out, 1 << 16);
    this.peer = peer;
    start("TaskLens reader", this::read);
    start("TaskLens writer", this::write);
  }

  private static void start(String name, Runnable body) {
    Thread thread = new Thread(body, name);
    thread.setDaemon(true);
    thread.start();
  }

  public CompletableFuture<JsonElement> request(String method, JsonElement params) {
    Call call = new Call(ids.incrementAndGet());
    waiting.put(call.id, call);
    send(Json.of("jsonrpc", "2.0", "id", call.id, "method", method), params);
    if (closed) failAll();
    return call;
  }

  public void tell(String method, JsonElement params) {
    send(Json.of("jsonrpc", "2.0", "method", method), params);
  }

  private void send(JsonObject message, JsonElement params) {
    if (params != null) message.add("params", params);
    toSend.add(message);
  }

  /**
   * Closes the output after everything sent so far is written; the server sees the end of its
   * input.
   */
  public void close() {
    toSend.add(LAST);
  }

  private void write() {
    try (out) {
      for (JsonObject message = toSend.take(); message != LAST; message = toSend.take()) {
        byte[] body = Json.write(message).getBytes(StandardCharsets.UTF_8);
        String head = "Content-Length: " + body.length + "\r\n\r\n";
        out.write(head.getBytes(StandardCharsets.US_ASCII));
        out.write(body);
        if (toSend.isEmpty()) out.flush();
      }
    } catch (IOException | InterruptedException e) {
      // The server has ended; the reader notices it as well and reports it.
    }
  }

  private void read() {
    try {
      for (JsonObject message = next(); message != null; message = next()) take(message);
    } catch (IOException | JsonParseException | IllegalStateException e) {
      // Invalid JSON-RPC ends the connection like the end of the stream.
    }
    closed = true;
    close();
    failAll();
    peer.ended();
  }

  private void failAll() {
    for (Integer id : waiting.keySet()) {
      Call call = waiting.remove(id);
      if (call != null)
        call.completeExceptionally(new EOFException("the TaskLens server has ended"));
    }
  }

  private JsonObject next() throws IOException {
    int length = -1;
    for (String line = line(); line == null || !line.isEmpty(); line = line()) {
      if (line == null) return null;
      if (line.toLowerCase(Locale.ROOT).startsWith("content-length:"))
        length = parseLength(line.substring("content-length:".length()).trim());
    }
    if (length < 0) throw new IOException("a message without Content-Length");
    byte[] body = in.readNBytes(length);
    if (body.length < length) return null;
    return JsonParser.parseString(new String(body, StandardCharsets.UTF_8)).getAsJsonObject();
  }

  private static int parseLength(String text) throws IOException {
    try {
      int length = Integer.parseInt(text);
      if (length >= 0 && length <= MAX_MESSAGE_BYTES) return length;
    } catch (NumberFormatException e) {
      // Reported below.
    }
    throw new IOException("Content-Length: " + text);
  }

  private String line() throws IOException {
    StringBuilder text = new StringBuilder();
    for (int c = in.read(); c != '\n'; c = in.read()) {
      if (c < 0 || text.length() > 4096) return null;
      if (c != '\r') text.append((char) c);
    }
    return text.toString();
  }

  private void take(JsonObject message) {
    JsonObject params = Json.object(message, "params");
    if (params == null) params = new JsonObject();
    boolean hasId = message.has("id") && !message.get("id").isJsonNull();
    if (!message.has("method")) {
      Call call = waiting.remove((int) Json.number(message, "id", -1));
      if (call != null) answer(call, message);
    } else if (hasId) {
      reply(message.get("id"), Json.text(message, "method"), params);
    } else {
      peer.notified(Json.text(message, "method"), params);
    }
  }

  private static void answer(Call call, JsonObject message) {
    JsonObject error = Json.object(message, "error");
    if (error == null) call.complete(message.get("result"));
    else
      call.completeExceptionally(
          new ServerError((int) Json.number(error, "code", 0), Json.text(error, "message")));
  }

  private void reply(JsonElement id, String method, JsonObject params) {
    CompletableFuture<JsonElement> answer = peer.requested(method, params);
    JsonObject message = Json.of("jsonrpc", "2.0", "id", id);
    if (answer == null) {
      message.add("error", Json.of("code", -32601, "message", method + ": not known here"));
      toSend.add(message);
      return;
    }
    answer.whenComplete(
        (result, failure) -> {
          if (failure == null) message.add("result", Json.element(result));
          else
            message.add(
                "error", Json.of("code", -32603, "message", ServerError.messageOf(failure)));
          toSend.add(message);
        });
  }
}
