// SPDX-License-Identifier: Apache-2.0
package org.tasklens.eclipse.model;

import com.google.gson.JsonObject;
import org.tasklens.eclipse.rpc.Json;

/** A program that runs, or has run, traced in this session. Any thread. */
public final class TracedRun {
  /** The state of the run. */
  public enum State {
    RUNNING,
    DONE,
    FAILED
  }

  final JsonObject params; // of tasklens/run
  volatile String id = ""; // the server's id, known from its first notification or the end
  private volatile State state = State.RUNNING;
  private volatile String message = "running";
  private volatile String trace = "";
  private volatile String kept = "";

  TracedRun(JsonObject params) {
    this.params = params;
  }

  /** The name for people: the program's, or that of its configuration. */
  public String name() {
    String program = Text.fileName(Json.text(params, "program"));
    if (!program.isEmpty()) return program;
    String configuration = Json.text(params, "configuration");
    return configuration.isEmpty() ? "program" : configuration;
  }

  /** The working directory; empty: the server's choice. */
  public String folder() {
    return Json.text(params, "workingDirectory");
  }

  /** As the user would type it. */
  public String commandLine() {
    String program = Json.text(params, "program");
    String first = program.isEmpty() ? name() : program;
    return String.join(" ", first, String.join(" ", Json.texts(params, "arguments"))).strip();
  }

  public State state() {
    return state;
  }

  /** One sentence for the user. */
  public String message() {
    return message;
  }

  /** The id of its trace; empty while there is none. */
  public String trace() {
    return trace;
  }

  /** Its id among the kept runs; empty without a trace. */
  public String kept() {
    return kept;
  }

  void ended(String sentence, String traceId, String keptId, boolean isGood) {
    message = sentence;
    trace = traceId;
    kept = keptId;
    state = isGood ? State.DONE : State.FAILED;
  }
}
