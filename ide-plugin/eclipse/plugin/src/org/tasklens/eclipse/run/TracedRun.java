// SPDX-License-Identifier: Apache-2.0
package org.tasklens.eclipse.run;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.util.concurrent.CompletableFuture;

/** A program that runs, or has run, traced in this session. */
public final class TracedRun {
  /** How it stands. */
  public enum State {
    RUNNING,
    DONE,
    FAILED
  }

  final Program program;
  final RunConsole console;
  CompletableFuture<JsonElement> call;
  volatile String id = ""; // the server's, known with its first output or its end
  private volatile State state = State.RUNNING;
  private volatile String message = "running";
  private volatile String trace = "";

  TracedRun(Program program, RunConsole console) {
    this.program = program;
    this.console = console;
  }

  public Program program() {
    return program;
  }

  public State state() {
    return state;
  }

  /** One sentence for people. */
  public String message() {
    return message;
  }

  /** The id of its trace, empty while there is none. */
  public String trace() {
    return trace;
  }

  void ended(JsonObject answer, String sentence, String traceId, boolean isGood) {
    message = sentence;
    trace = traceId;
    state = isGood ? State.DONE : State.FAILED;
  }
}
