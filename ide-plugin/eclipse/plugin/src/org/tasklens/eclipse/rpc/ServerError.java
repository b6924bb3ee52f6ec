// SPDX-License-Identifier: Apache-2.0
package org.tasklens.eclipse.rpc;

import java.io.EOFException;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;

/** Why a request was not answered, as one line for people: what, where, what to do. */
public final class ServerError extends Exception {
  private static final long serialVersionUID = 1;
  /** The request is fine and was cancelled (JSON-RPC's numbers, see protocol.md). */
  public static final int CANCELLED = -32800;
  /** The plugin is being stopped, and asks nobody any more; no number of JSON-RPC's. */
  public static final int CLOSING = -1;

  private final int code;

  public ServerError(int code, String message) {
    super(message);
    this.code = code;
  }

  /** Whether a failure is what the server answered. */
  public static boolean isAnswer(Throwable failure) {
    return causeOf(failure) instanceof ServerError error
        && error.code != 0
        && error.code != CLOSING;
  }

  /** The sentence for people within what a future failed with. */
  public static String messageOf(Throwable failure) {
    Throwable cause = causeOf(failure);
    String message = cause.getMessage();
    return message == null || message.isEmpty() ? cause.getClass().getSimpleName() : message;
  }

  public static boolean isCancelled(Throwable failure) {
    Throwable cause = causeOf(failure);
    return cause instanceof CancellationException
        || cause instanceof ServerError error && error.code == CANCELLED;
  }

  /**
   * Whether people know already: they cancelled it, they close the workbench, or the server ended,
   * which is said once.
   */
  public static boolean isTold(Throwable failure) {
    Throwable cause = causeOf(failure);
    return isCancelled(failure)
        || cause instanceof EOFException
        || cause instanceof ServerError error && error.code == CLOSING;
  }

  private static Throwable causeOf(Throwable failure) {
    Throwable cause = failure;
    while ((cause instanceof CompletionException || cause instanceof ExecutionException)
        && cause.getCause() != null) cause = cause.getCause();
    return cause;
  }
}
