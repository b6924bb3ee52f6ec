// SPDX-License-Identifier: Apache-2.0
package org.tasklens.eclipse.rpc;

import java.io.EOFException;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;

/** Why a request was not answered, as one line for people: what, where, what to do. */
public final class ServerError extends Exception {
  private static final long serialVersionUID = 1;
  /** The request was cancelled (the number of JSON-RPC, see protocol.md). */
  public static final int CANCELLED = -32800;
  /** The plugin is stopping and sends no more requests; not a number of JSON-RPC. */
  public static final int CLOSING = -1;

  private final int code;

  public ServerError(int code, String message) {
    super(message);
    this.code = code;
  }

  /** True if the server answered with this error. */
  public static boolean isAnswer(Throwable failure) {
    return causeOf(failure) instanceof ServerError error
        && error.code != 0
        && error.code != CLOSING;
  }

  /** The message for people in the failure of a future. */
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
   * True if the user already knows the failure: the user cancelled the request or is closing the
   * workbench, or the server has ended, which is reported once.
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
