// SPDX-License-Identifier: Apache-2.0
package org.tasklens.eclipse.model;

import com.google.gson.JsonObject;

/**
 * A line of an editor's text that submitted tasks, or that can run a program.
 *
 * @param line from 0, in the text at the time of the request
 * @param title tasks, total, mean and share, as in a code lens
 * @param details the text of the hover, one line a fact; empty until it is known
 * @param trace and {@code site}: the server's ids
 * @param run the parameters of a run, for a line such as that of {@code main}; null for other lines
 */
public record Site(
    int line, String title, String details, String trace, int site, JsonObject run) {
  /** A site without a line: only the server's ids. */
  public static Site of(String trace, int site) {
    return new Site(-1, "", "", trace, site, null);
  }

  public Site withDetails(String text) {
    return new Site(line, title, text, trace, site, run);
  }

  public Site movedBy(int lines) {
    return new Site(line + lines, title, details, trace, site, run);
  }
}
