// SPDX-License-Identifier: Apache-2.0
package org.tasklens.eclipse.held;

/** Holds the thread that runs it, as code of the plugin must not, until that was noticed. */
public final class Held implements Runnable {
  public static volatile boolean isNoticed;

  @Override
  public void run() {
    while (!isNoticed) Thread.onSpinWait();
  }
}
