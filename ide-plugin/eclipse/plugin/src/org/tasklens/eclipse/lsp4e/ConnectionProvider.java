// SPDX-License-Identifier: Apache-2.0
package org.tasklens.eclipse.lsp4e;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import org.eclipse.core.runtime.Platform;
import org.tasklens.eclipse.ui.Ui;

/**
 * LSP4E's connection to the server: implements its interface {@code StreamConnectionProvider} with
 * a {@link Relay}.
 *
 * <p>LSP4E is in no package that this plugin could be compiled against, and need not be installed.
 * So its interface is looked up when LSP4E requests a connection.
 */
public final class ConnectionProvider {
  private static final String LSP4E = "org.eclipse.lsp4e";
  private static final String INTERFACE = "org.eclipse.lsp4e.server.StreamConnectionProvider";

  /** True if LSP4E provides the standard features, so that the plugin does not. */
  public static boolean isInstalled() {
    return Platform.getBundle(LSP4E) != null;
  }

  private ConnectionProvider() {}

  /** Creates a connection for LSP4E. */
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
          // The other methods (options, error stream) keep LSP4E's defaults.
          return method.isDefault() ? InvocationHandler.invokeDefault(proxy, method, arguments)
                                    : null;
      }
    }
  }
}
