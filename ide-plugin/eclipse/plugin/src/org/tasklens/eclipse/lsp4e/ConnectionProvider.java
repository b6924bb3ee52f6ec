// SPDX-License-Identifier: Apache-2.0
package org.tasklens.eclipse.lsp4e;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import org.eclipse.core.runtime.Platform;
import org.tasklens.eclipse.ui.Ui;

/**
 * What LSP4E asks for a connection to the server: its interface {@code StreamConnectionProvider},
 * answered by a {@link Relay}.
 *
 * <p>LSP4E is in no package that this plugin could be compiled against, and need not be installed;
 * so its interface is looked up when LSP4E asks.
 */
public final class ConnectionProvider {
  private static final String LSP4E = "org.eclipse.lsp4e";
  private static final String INTERFACE = "org.eclipse.lsp4e.server.StreamConnectionProvider";

  /** Whether the standard features come through LSP4E, so that ours stand back. */
  public static boolean isInstalled() {
    return Platform.getBundle(LSP4E) != null;
  }

  private ConnectionProvider() {}

  /** A new one, for LSP4E. */
  public static Object create(Relays relays) {
    try {
      Class<?> asked = Class.forName(INTERFACE);
      Methods methods = new Methods(new Relay(relays));
      return Proxy.newProxyInstance(asked.getClassLoader(), new Class<?>[] {asked}, methods);
    } catch (ClassNotFoundException e) {
      throw new IllegalStateException("this LSP4E has no " + INTERFACE, e);
    }
  }

  private record Methods(Relay relay) implements InvocationHandler {

    @Override
    public Object invoke(Object proxy, Method method, Object[] arguments) throws Throwable {
      switch (method.getName()) {
        case "start":
          relay.start();
          return null;
        case "stop":
          relay.stop();
          return null;
        case "getInputStream":
          return relay.input();
        case "getOutputStream":
          return relay.output();
        case "toString":
          return Ui.PLUGIN;
        case "hashCode":
          return System.identityHashCode(proxy);
        case "equals":
          return proxy == arguments[0];
        default:
          // The rest (options, error stream) is as LSP4E has it.
          return method.isDefault() ? InvocationHandler.invokeDefault(proxy, method, arguments)
                                    : null;
      }
    }
  }
}
