// SPDX-License-Identifier: Apache-2.0
package org.eclipse.lsp4e.server;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.URI;

/** The methods by which LSP4E uses a plugin's server, and one that it has an answer for itself. */
public interface StreamConnectionProvider {
  void start() throws IOException;

  InputStream getInputStream();

  OutputStream getOutputStream();

  void stop();

  default Object getInitializationOptions(URI root) {
    return "its own";
  }
}
