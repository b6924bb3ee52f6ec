// SPDX-License-Identifier: Apache-2.0
package org.tasklens.eclipse.editors;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.util.concurrent.CompletableFuture;
import org.tasklens.eclipse.rpc.Json;
import org.tasklens.eclipse.rpc.Requests;

/** {@code textDocument/hover} as plain text. Any thread. */
final class Hovers {
  private static final int MOST_COLUMNS = 100;

  private Hovers() {}

  /** Returns the hover text; empty: there is none. */
  static CompletableFuture<String> ask(
      Requests server, JsonObject document, int line, int character) {
    return server
        .request(
            "textDocument/hover",
            Json.of(
                "textDocument", document,
                "position", Json.of("line", line, "character", character)))
        .thenApply(Hovers::read);
  }

  private static String read(JsonElement answer) {
    if (answer == null || !answer.isJsonObject()) return "";
    JsonElement contents = answer.getAsJsonObject().get("contents");
    if (contents == null) return "";
    if (contents.isJsonPrimitive()) return plain(contents.getAsString());
    return contents.isJsonObject() ? plain(Json.text(contents.getAsJsonObject(), "value")) : "";
  }

  /** Removes the marks of Markdown; the columns of tables are separated by bars. */
  static String plain(String markdown) {
    StringBuilder text = new StringBuilder();
    for (String line : markdown.split("\n")) {
      if (line.matches("[\\s|:-]*") && line.contains("-")) continue; // the rule of a table
      String row = line.strip();
      if (row.startsWith("|"))
        row = row.replaceAll("^\\|\\s*|\\s*\\|$", "").replaceAll("\\s*\\|\\s*", "  |  ");
      row = row.replaceAll("\\*\\*|`|^#+\\s*", "").replaceAll("\\\\(\\p{Punct})", "$1");
      text.append(wrapped(row)).append('\n');
    }
    return text.toString().strip().replaceAll("\n\\s*\n", "\n");
  }

  // Wraps a line, because a hover is as wide as its longest line.
  private static String wrapped(String line) {
    StringBuilder text = new StringBuilder();
    int width = 0;
    for (String word : line.split(" ")) {
      if (width > 0 && width + word.length() > MOST_COLUMNS) {
        text.append("\n    ");
        width = 0;
      } else if (width > 0) {
        text.append(' ');
      }
      text.append(word);
      width += word.length() + 1;
    }
    return text.toString();
  }
}
