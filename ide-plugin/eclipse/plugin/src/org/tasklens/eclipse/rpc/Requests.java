// SPDX-License-Identifier: Apache-2.0
package org.tasklens.eclipse.rpc;

import com.google.gson.JsonElement;
import java.util.concurrent.CompletableFuture;

/** What the rest of the plugin sees of the server. Any thread; nothing here waits. */
public interface Requests {
  /** The answer, or a {@link ServerError}; cancelling the future cancels the request. */
  CompletableFuture<JsonElement> request(String method, JsonElement params);

  /** Tells a running server; a server that does not run will learn it when it starts. */
  void tell(String method, JsonElement params);

  boolean isRunning();
}
