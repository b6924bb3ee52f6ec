// SPDX-License-Identifier: Apache-2.0
package org.tasklens.eclipse.rpc;

import com.google.gson.JsonElement;
import java.util.concurrent.CompletableFuture;

/** The interface of the server for the rest of the plugin. Any thread; never blocks. */
public interface Requests {
  /** The answer, or a {@link ServerError}; cancelling the future cancels the request. */
  CompletableFuture<JsonElement> request(String method, JsonElement params);

  /** Notifies a running server; others get the same information when they start. */
  void tell(String method, JsonElement params);

  boolean isRunning();
}
