// SPDX-License-Identifier: Apache-2.0
package org.tasklens.eclipse.lsp4e;

import java.util.Set;
import java.util.concurrent.CopyOnWriteArraySet;
import org.tasklens.eclipse.editors.Lights;
import org.tasklens.eclipse.model.Runs;
import org.tasklens.eclipse.rpc.LanguageServer;

/** All connections of LSP4E, and their shared state. Any thread. */
public final class Relays {
  private final LanguageServer server;
  private final Runs runs;
  private final Lights lights;
  private final Set<Relay> open = new CopyOnWriteArraySet<>();

  public Relays(LanguageServer server, Runs runs, Lights lights) {
    this.server = server;
    this.runs = runs;
    this.lights = lights;
  }

  /** The server requests that lenses or hints are queried again. */
  public void refresh(String method) {
    for (Relay one : open) one.refresh(method);
  }

  /** The plugin is being stopped. */
  public void stop() {
    open.forEach(Relay::stop);
  }

  void add(Relay relay) {
    open.add(relay);
  }

  void remove(Relay relay) {
    open.remove(relay);
  }

  LanguageServer server() {
    return server;
  }

  Runs runs() {
    return runs;
  }

  Lights lights() {
    return lights;
  }
}
