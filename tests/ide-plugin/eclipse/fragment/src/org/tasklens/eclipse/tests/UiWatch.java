// SPDX-License-Identifier: Apache-2.0
package org.tasklens.eclipse.tests;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.eclipse.swt.SWT;
import org.eclipse.swt.widgets.Display;

/**
 * Looks at the UI thread every few milliseconds and measures how long code of the plugin holds it
 * within one event. The time during which the thread could have run but got no processor is taken
 * off, so that a busy machine does not count as a slow plugin.
 *
 * <p>The first time that a piece of code runs, the virtual machine loads and links it; that may
 * take longer, and is printed.
 *
 * <p>What only the platform can do, and only on that thread, is measured apart and printed: opening
 * an editor, a view, a dialog or a notice, and making a browser or handing it a text.
 */
final class UiWatch {
  static final double MOST_MS = 50;
  static final double MOST_COLD_MS = 250;

  private static final String OURS = "org.tasklens.eclipse.";
  private static final String TESTS = "org.tasklens.eclipse.tests.";
  private static final List<String> PLATFORM =
      List.of(
          "org.eclipse.ui.internal.WorkbenchPage.openEditor",
          "org.eclipse.ui.internal.WorkbenchPage.showView",
          "org.eclipse.ui.internal.WorkbenchPage.bringToTop",
          "org.eclipse.ui.internal.WorkbenchPage.activate",
          "org.eclipse.jface.window.Window.open",
          "org.eclipse.jface.window.Window.runEventLoop",
          "org.eclipse.jface.notifications.AbstractNotificationPopup.open",
          "org.eclipse.swt.browser.Browser.",
          "org.eclipse.ui.texteditor.AbstractTextEditor.selectAndReveal",
          "org.eclipse.ui.internal.browser.");

  private final Display display;
  private final Thread thread;
  private Path schedstat;
  private volatile long event;
  private long eventSeen;
  private long reported = -1;
  private long firstNs;
  private long firstDelayNs;
  private StackTraceElement[] deepest;
  private double longestMs;
  private final Map<String, Long> firstEvent = new TreeMap<>(); // by the method that was called
  private final TreeMap<String, Double> coldMs = new TreeMap<>();
  private final List<String> tooLong = new ArrayList<>();
  private final TreeMap<String, Double> platformMs = new TreeMap<>();
  private String platformCall = "";
  private volatile boolean stopped;

  UiWatch(Display display) {
    this.display = display;
    this.thread = display.getThread();
  }

  void start() {
    display.syncExec(
        () -> {
          try {
            schedstat = Path.of("/proc",
                Files.readSymbolicLink(Path.of("/proc/thread-self")).toString(), "schedstat");
          } catch (IOException e) {
            throw new IllegalStateException(e);
          }
          display.addListener(SWT.PreEvent, e -> event++);
        });
    Thread sampler = new Thread(this::sample, "UI watch");
    sampler.setDaemon(true);
    sampler.setPriority(Thread.MAX_PRIORITY);
    sampler.start();
  }

  // Nanoseconds that the thread has waited for a processor.
  private long delayNs() {
    try {
      return Long.parseLong(Files.readString(schedstat).split(" ")[1]);
    } catch (IOException e) {
      return 0;
    }
  }

  private void sample() {
    while (!stopped) {
      StackTraceElement[] stack = thread.getStackTrace();
      long now = System.nanoTime();
      int ours = -1;
      String platform = null;
      for (int i = 0; i < stack.length; ++i) {
        String frame = stack[i].getClassName() + "." + stack[i].getMethodName();
        if (frame.startsWith(TESTS)) {
          ours = -1; // a test looks at something
          break;
        }
        if (ours < 0 && frame.startsWith(OURS)) ours = i;
        if (ours < 0) for (String call : PLATFORM) if (frame.startsWith(call)) platform = call;
      }
      String kind = ours < 0 ? "" : platform == null ? "ours" : platform;
      synchronized (this) {
        take(kind, now, stack);
      }
      java.util.concurrent.locks.LockSupport.parkNanos(4_000_000);
    }
  }

  private void take(String kind, long now, StackTraceElement[] stack) {
    if (kind.isEmpty() || eventSeen != event || !kind.equals(platformCall)) {
      eventSeen = event;
      platformCall = kind;
      firstNs = now;
      firstDelayNs = delayNs();
      return;
    }
    double ms = (now - firstNs - (delayNs() - firstDelayNs)) / 1e6;
    if (!kind.equals("ours")) {
      platformMs.merge(kind, ms, Math::max);
      return;
    }
    String entry = entryOf(stack);
    boolean isCold = firstEvent.computeIfAbsent(entry, key -> event) == event;
    if (isCold) coldMs.merge(entry, ms, Math::max);
    if (!isCold && ms > longestMs) {
      longestMs = ms;
      deepest = stack;
    }
    if (ms >= (isCold ? MOST_COLD_MS : MOST_MS) && reported != event) {
      reported = event;
      StringBuilder text = new StringBuilder(String.format("%.0f ms:", ms));
      for (int i = 0; i < Math.min(stack.length, 40); ++i) text.append("\n    ").append(stack[i]);
      tooLong.add(text.toString());
    }
  }

  // The method of ours that the platform called.
  private static String entryOf(StackTraceElement[] stack) {
    String entry = "";
    for (StackTraceElement frame : stack)
      if (frame.getClassName().startsWith(OURS))
        entry =
            (frame.getClassName() + "." + frame.getMethodName()).replaceAll("\\$\\$Lambda.*", "");
    return entry;
  }

  /** Prints what was measured; fails when the plugin held the thread for too long. */
  synchronized void check() {
    stopped = true;
    System.out.printf("UI thread: the plugin held it for %.1f ms at most%n", longestMs);
    if (deepest != null)
      for (StackTraceElement frame : deepest)
        if (frame.getClassName().startsWith(OURS)) {
          System.out.println("  in " + frame);
          break;
        }
    coldMs.forEach(
        (entry, ms) -> {
          if (ms >= MOST_MS) System.out.printf("  %6.1f ms the first time in %s%n", ms, entry);
        });
    platformMs.forEach((call, ms) -> System.out.printf("  %6.1f ms at most in %s%n", ms, call));
    for (String one : tooLong) System.err.println(one);
    if (!tooLong.isEmpty())
      throw new AssertionError("the plugin held the UI thread " + tooLong.size() + " times for "
          + MOST_MS + " ms; where is in the log");
  }
}
