// SPDX-License-Identifier: Apache-2.0
package org.tasklens.eclipse.model;

import org.tasklens.eclipse.rpc.ServerError;

/** Sentences for people. Any thread. */
public interface Messages {
  void info(String text);

  void warning(String text);

  void error(String text);

  /** Says why something failed, unless people know. */
  default void failed(Throwable failure) {
    if (!ServerError.isTold(failure)) error(ServerError.messageOf(failure));
  }
}
