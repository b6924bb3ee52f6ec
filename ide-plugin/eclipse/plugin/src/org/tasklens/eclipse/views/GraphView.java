// SPDX-License-Identifier: Apache-2.0
package org.tasklens.eclipse.views;

/** What depends on what. */
public final class GraphView extends PageView {
  @Override
  String page() {
    return "graph";
  }

  @Override
  String icon() {
    return "graph";
  }
}
