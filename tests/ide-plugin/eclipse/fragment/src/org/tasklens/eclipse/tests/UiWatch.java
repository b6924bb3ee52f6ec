// SPDX-License-Identifier: Apache-2.0
package org.tasklens.eclipse.tests;

import java.io.IOException;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import org.eclipse.swt.SWT;
import org.eclipse.swt.widgets.Display;
import org.tasklens.eclipse.held.Held;

/**
 * Looks at the UI thread every few milliseconds and measures how long code of the plugin holds it
 * within one event, the first time that it runs as well. The time during which the thread could
 * have run but got no processor is taken off, so that a busy machine does not count as a slow
 * plugin; and that of the garbage collector.
 *
 * <p>What only the platform can do, and only on that thread, is measured apart and printed: opening
 * an editor, a view, a dialog or a notice, and making a browser or handing it a text.
 */
final class UiWatch {
  static final double MOST_MS = 50;

  private static final String OURS = "org.tasklens.eclipse.";
  private static final String TESTS = "org.tasklens.eclipse.tests.";
  private static final String HELD = Held.class.getName();
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

  // Nanoseconds that the thread has waited for a processor, or for the garbage collector.
  private long delayNs() {
    long collectedMs = 0;
    for (GarbageCollectorMXBean one : ManagementFactory.getGarbageCollectorMXBeans())
      collectedMs += one.getCollectionTime();
    try {
      return Long.parseLong(Files.readString(schedstat).split(" ")[1]) + collectedMs * 1_000_000;
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  private void sample() {
    while (!stopped) {
      // The watch itself may get no processor between two of these: what it says is at most what
      // was.
      long beforeNs = System.nanoTime();
      long delayNs = delayNs();
      StackTraceElement[] stack = thread.getStackTrace();
      long afterNs = System.nanoTime();
      int ours = -1;
      String platform = null;
      for (int i = 0; i < stack.length; ++i) {
        String frame = stack[i].getClassName() + "." + stack[i].getMethodName();
        if (frame.startsWith(TESTS) || frame.startsWith(HELD) && Held.isNoticed) {
          ours = -1; // a test looks at something
          break;
        }
        if (ours < 0 && frame.startsWith(OURS)) ours = i;
        // Also the widgets that we have made while it opens something.
        boolean isPlatforms = ours < 0 || platform == null && isMakingWidgets(stack);
        if (isPlatforms) for (String call : PLATFORM) if (frame.startsWith(call)) platform = call;
      }
      String kind = ours < 0 ? "" : platform == null ? "ours" : platform;
      synchronized (this) {
        take(kind, beforeNs, afterNs, delayNs, stack);
      }
      java.util.concurrent.locks.LockSupport.parkNanos(4_000_000);
    }
  }

  private static boolean isMakingWidgets(StackTraceElement[] stack) {
    return stack[0].getClassName().startsWith("org.eclipse.swt.");
  }

  private void take(
      String kind, long beforeNs, long afterNs, long delayNs, StackTraceElement[] stack) {
    if (kind.isEmpty() || eventSeen != event || !kind.equals(platformCall)) {
      eventSeen = event;
      platformCall = kind;
      firstNs = afterNs;
      firstDelayNs = delayNs;
      return;
    }
    double ms = Math.max(0, beforeNs - firstNs - (delayNs() - firstDelayNs)) / 1e6;
    if (!kind.equals("ours")) {
      platformMs.merge(kind, ms, Math::max);
      return;
    }
    if (ms > longestMs) {
      longestMs = ms;
      deepest = stack;
    }
    if (ms >= MOST_MS && reported != event) {
      reported = event;
      StringBuilder text = new StringBuilder(String.format("%.0f ms:", ms));
      for (int i = 0; i < Math.min(stack.length, 40); ++i) text.append("\n    ").append(stack[i]);
      tooLong.add(text.toString());
      Held.isNoticed = true;
    }
  }

  /** Holds the UI thread like a slow plugin, and returns when the watch has seen it. */
  void provesItself() {
    display.syncExec(new Held());
    synchronized (this) {
      tooLong.clear();
      longestMs = 0;
      deepest = null;
    }
    System.out.println("ok: the watch on the UI thread sees code that holds it");
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
    platformMs.forEach((call, ms) -> System.out.printf("  %6.1f ms at most in %s%n", ms, call));
    for (String one : tooLong) System.err.println(one);
    if (!tooLong.isEmpty())
      throw new AssertionError("the plugin held the UI thread " + tooLong.size() + " times for "
          + MOST_MS + " ms; where is in the log");
  }
}
