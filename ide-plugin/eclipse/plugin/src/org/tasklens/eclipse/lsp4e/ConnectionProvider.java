// SPDX-License-Identifier: Apache-2.0
package org.tasklens.eclipse.lsp4e;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import org.eclipse.core.runtime.CoreException;
import org.eclipse.core.runtime.IExecutableExtensionFactory;
import org.eclipse.core.runtime.Platform;
import org.eclipse.core.runtime.Status;
import org.tasklens.eclipse.TaskLens;

/**
 * What LSP4E asks for a connection to the server: its interface {@code StreamConnectionProvider},
 * answered by a {@link Relay}.
 *
 * <p>LSP4E is in no package that this plugin could be compiled against, and need not be installed;
 * so its interface is looked up when LSP4E asks.
 */
public final class ConnectionProvider implements IExecutableExtensionFactory {
  private static final String LSP4E = "org.eclipse.lsp4e";
  private static final String INTERFACE = "org.eclipse.lsp4e.server.StreamConnectionProvider";

  /** Whether the standard features come through LSP4E, so that ours stand back. */
  public static boolean isInstalled() {
    return Platform.getBundle(LSP4E) != null;
  }

  @Override
  public Object create() throws CoreException {
    try {
      Class<?> asked = Class.forName(INTERFACE);
      return Proxy.newProxyInstance(asked.getClassLoader(), new Class<?>[] {asked}, new Methods());
    } catch (ClassNotFoundException e) {
      throw new CoreException(Status.error("this LSP4E has no " + INTERFACE, e));
    }
  }

  private static final class Methods implements InvocationHandler {
    private final Relay relay = new Relay();

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
          return TaskLens.ID;
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
