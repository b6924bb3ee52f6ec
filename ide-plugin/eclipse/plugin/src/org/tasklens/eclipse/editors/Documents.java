// SPDX-License-Identifier: Apache-2.0
package org.tasklens.eclipse.editors;

import com.google.gson.JsonObject;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.eclipse.jface.text.BadLocationException;
import org.eclipse.jface.text.DocumentEvent;
import org.eclipse.jface.text.IDocument;
import org.eclipse.jface.text.IDocumentListener;
import org.eclipse.ui.texteditor.ITextEditor;
import org.tasklens.eclipse.rpc.Json;
import org.tasklens.eclipse.rpc.Requests;
import org.tasklens.eclipse.ui.Ui;

/**
 * Sends the contents of open editors to the server, including unsaved changes. UI thread, except
 * {@link #openAll} and {@link #closed}.
 */
public final class Documents {
  /** Listens for changes. UI thread. */
  public interface Listener {
    /** Lines were added or removed: the text from line {@code from} on moves. */
    void moved(String uri, int from, int lines);

    void textChanged(String uri);
  }

  private final Requests server;
  private final List<Listener> listeners = new CopyOnWriteArrayList<>();
  private final Map<String, Open> open = new HashMap<>(); // by URI

  public Documents(Requests server) {
    this.server = server;
  }

  void add(Listener listener) {
    listeners.add(listener);
  }

  /** A server has started. Any thread. */
  public void openAll() {
    Ui.later(() -> SourceEditors.open().forEach(this::opened));
  }

  /** The server has ended. Any thread. */
  public void closed() {
    Ui.later(
        () -> {
          open.values().forEach(Open::dispose);
          open.clear();
        });
  }

  /** An editor of a source became visible. */
  void opened(ITextEditor editor) {
    String uri = SourceEditors.uriOf(editor);
    IDocument document = SourceEditors.document(editor);
    if (uri == null || document == null || open.containsKey(uri)) return;
    if (!server.isRunning()) return;
    open.put(uri, new Open(uri, document));
    server.tell("textDocument/didOpen",
        Json.of("textDocument",
            Json.of(
                "uri", uri, "languageId", languageOf(uri), "version", 1, "text", document.get())));
  }

  /** An editor was closed; another one may still show the same document. */
  void closed(ITextEditor editor) {
    String uri = SourceEditors.uriOf(editor);
    boolean isShown =
        SourceEditors.open().stream()
            .anyMatch(other -> other != editor && SourceEditors.uriOf(other).equals(uri));
    Open document = isShown ? null : open.remove(uri);
    if (document == null) return;
    document.dispose();
    server
        .tell("textDocument/didClose", Json.of("textDocument", Json.of("uri", uri)));
  }

  private static String languageOf(String uri) {
    return uri.endsWith(".c") ? "c" : "cpp";
  }

  private final class Open implements IDocumentListener {
    private final String uri;
    private final IDocument document;
    private int version = 1;
    private JsonObject range; // replaced range; null: send the whole text
    private int firstMoved; // first line that moves when lines are added or removed
    private int lines; // of the text before the change

    Open(String uri, IDocument document) {
      this.uri = uri;
      this.document = document;
      document.addDocumentListener(this);
    }

    void dispose() {
      document.removeDocumentListener(this);
    }

    @Override
    public void documentAboutToBeChanged(DocumentEvent event) {
      try {
        range =
            Json.of(
                "start", position(event.getDocument(), event.getOffset()),
                "end", position(event.getDocument(), event.getOffset() + event.getLength()));
        firstMoved = firstMoved(event.getDocument(), event.getOffset() + event.getLength());
        lines = event.getDocument().getNumberOfLines();
      } catch (BadLocationException e) {
        range = null;
      }
    }

    // The line of `end` moves only if its text is after `end`.
    private static int firstMoved(IDocument document, int end) throws BadLocationException {
      int line = document.getLineOfOffset(end);
      int start = document.getLineOffset(line);
      return document.get(start, end - start).isBlank() ? line : line + 1;
    }

    private static JsonObject position(IDocument document, int offset) throws BadLocationException {
      int line = document.getLineOfOffset(offset);
      return Json.of("line", line, "character", offset - document.getLineOffset(line));
    }

    @Override
    public void documentChanged(DocumentEvent event) {
      JsonObject change =
          range != null
              ? Json.of("range", range, "text", event.getText() == null ? "" : event.getText())
              : Json.of("text", event.getDocument().get());
      server
          .tell(
              "textDocument/didChange",
              Json.of(
                  "textDocument", Json.of("uri", uri, "version", ++version),
                  "contentChanges", List.of(change)));
      int more = event.getDocument().getNumberOfLines() - lines;
      for (Listener one : listeners) {
        if (range != null && more != 0) one.moved(uri, firstMoved, more);
        one.textChanged(uri);
      }
    }
  }
}
