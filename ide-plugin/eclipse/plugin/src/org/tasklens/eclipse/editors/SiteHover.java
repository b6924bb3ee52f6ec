// SPDX-License-Identifier: Apache-2.0
package org.tasklens.eclipse.editors;

import com.google.gson.JsonObject;
import java.util.concurrent.ExecutionException;
import org.eclipse.core.filebuffers.FileBuffers;
import org.eclipse.core.filebuffers.ITextFileBuffer;
import org.eclipse.jface.text.BadLocationException;
import org.eclipse.jface.text.IDocument;
import org.eclipse.jface.text.IRegion;
import org.eclipse.jface.text.ITextHover;
import org.eclipse.jface.text.ITextViewer;
import org.eclipse.jface.text.Region;
import org.tasklens.eclipse.rpc.Json;
import org.tasklens.eclipse.rpc.Requests;

/**
 * The server's hover for the word under the pointer, in the generic text editor. {@code
 * standsBack}: another plugin shows the hovers.
 */
public record SiteHover(Requests server, boolean standsBack) implements ITextHover {
  /** Called on a separate thread for hovers, so it may block. */
  @Override
  @SuppressWarnings("deprecation") // the interface requires this method
  public String getHoverInfo(ITextViewer viewer, IRegion region) {
    IDocument document = viewer.getDocument();
    String uri = uriOf(document);
    if (uri == null || standsBack || !server.isRunning()) return null;
    try {
      int line = document.getLineOfOffset(region.getOffset());
      int column = region.getOffset() - document.getLineOffset(line);
      JsonObject name = Json.of("uri", uri);
      String text = Hovers.ask(server, name, line, column).get();
      return text.isEmpty() ? null : text;
    } catch (BadLocationException | ExecutionException e) {
      return null; // the text changed, or the server has ended
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return null;
    }
  }

  private static String uriOf(IDocument document) {
    ITextFileBuffer buffer = document == null
        ? null
        : FileBuffers.getTextFileBufferManager().getTextFileBuffer(document);
    if (buffer == null || buffer.getFileStore() == null) return null;
    java.net.URI uri = buffer.getFileStore().toURI();
    if (!"file".equals(uri.getScheme()) || !SourceEditors.isSource(uri.getPath())) return null;
    return java.nio.file.Path.of(uri).toUri().toString();
  }

  @Override
  public IRegion getHoverRegion(ITextViewer viewer, int offset) {
    return new Region(offset, 0);
  }
}
