// SPDX-License-Identifier: Apache-2.0
package org.tasklens.eclipse.ui;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.net.URI;
import java.nio.file.Path;
import org.eclipse.core.resources.IProject;
import org.eclipse.core.resources.IResourceChangeEvent;
import org.eclipse.core.resources.IResourceChangeListener;
import org.eclipse.core.resources.IResourceDelta;
import org.eclipse.core.resources.ResourcesPlugin;
import org.tasklens.eclipse.rpc.Json;
import org.tasklens.eclipse.rpc.Requests;

/** The folders of the open projects; reports changes to the running server. */
public final class WorkspaceFolders implements IResourceChangeListener {
  private final Requests server;
  private JsonArray told = new JsonArray();

  public WorkspaceFolders(Requests server) {
    this.server = server;
  }

  /** Follows the workspace, which calls on its own threads. */
  public void start() {
    ResourcesPlugin.getWorkspace().addResourceChangeListener(
        this, IResourceChangeEvent.POST_CHANGE);
  }

  public void stop() {
    ResourcesPlugin.getWorkspace().removeResourceChangeListener(this);
  }

  /** As LSP's {@code WorkspaceFolder[]}, for a server that starts. Any thread. */
  public synchronized JsonArray tell() {
    told = now();
    return told;
  }

  /** The folder of each open project. Any thread. */
  public static JsonArray now() {
    JsonArray folders = new JsonArray();
    for (IProject project : ResourcesPlugin.getWorkspace().getRoot().getProjects()) {
      URI uri = project.getLocationURI();
      if (project.isOpen() && uri != null && "file".equals(uri.getScheme()))
        folders.add(Json.of("uri", Path.of(uri).toUri().toString(), "name", project.getName()));
    }
    return folders;
  }

  @Override
  public void resourceChanged(IResourceChangeEvent event) {
    boolean isOfProjects = false;
    for (IResourceDelta delta : event.getDelta().getAffectedChildren())
      isOfProjects |= delta.getKind() != IResourceDelta.CHANGED
          || (delta.getFlags() & (IResourceDelta.OPEN | IResourceDelta.DESCRIPTION)) != 0;
    if (isOfProjects) compare();
  }

  private void compare() {
    if (!server.isRunning()) return; // a new server gets all of them at its start
    JsonObject change;
    synchronized (this) {
      JsonArray before = told;
      change = Json.of("added", without(tell(), before), "removed", without(before, told));
    }
    server.tell("workspace/didChangeWorkspaceFolders", Json.of("event", change));
  }

  private static JsonArray without(JsonArray some, JsonArray others) {
    JsonArray rest = new JsonArray();
    for (JsonElement one : some)
      if (!others.contains(one)) rest.add(one);
    return rest;
  }
}
