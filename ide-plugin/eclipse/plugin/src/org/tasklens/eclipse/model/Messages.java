// SPDX-License-Identifier: Apache-2.0
package org.tasklens.eclipse.model;

import org.tasklens.eclipse.rpc.ServerError;

/** Shows messages to the user. Any thread. */
public interface Messages {
  void info(String text);

  void warning(String text);

  void error(String text);

  /** Reports why something failed, unless the user already knows. */
  default void failed(Throwable failure) {
    if (!ServerError.isTold(failure)) error(ServerError.messageOf(failure));
  }
}
