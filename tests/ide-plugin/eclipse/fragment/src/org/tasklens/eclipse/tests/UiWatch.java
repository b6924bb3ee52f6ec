// SPDX-License-Identifier: Apache-2.0
package org.tasklens.eclipse.tests;

import java.io.IOException;
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
 * within one event, the first time that it runs as well: the processor's time that it takes, and
 * that in which it waits for another thread, for a process or for what it reads. What else makes a
 * call long on a busy machine does not count as a slow plugin: that the thread gets no processor,
 * that the disk or the X server is late, that garbage is collected.
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
      List.of("org.eclipse.ui.internal.Workbench.showPerspective",
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
  // Of the system, while it waits for others: Java counts these as running.
  private static final List<String> READS =
      List.of("java.io.FileInputStream.read", "sun.nio.ch.", "java.lang.ProcessImpl.waitFor");

  private final Display display;
  private final Thread thread;
  private Path schedstat;
  private volatile long event;
  private long eventSeen;
  private long reported = -1;
  private long firstProcessorNs;
  private long lastNs; // when it was looked at, and what had been used then
  private Used last;
  private boolean wasWaiting;
  private long waitedNs;
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

  // Nanoseconds that the thread has had a processor, and those in which it could have had one.
  private record Used(long processorNs, long delayNs) {}

  private Used used() {
    try {
      String[] numbers = Files.readString(schedstat).split(" ");
      return new Used(Long.parseLong(numbers[0]), Long.parseLong(numbers[1]));
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  private void sample() {
    while (!stopped) {
      // The watch itself may get no processor between two of these: what it says is at most what
      // was.
      long beforeNs = System.nanoTime();
      Used used = used();
      Thread.State state = thread.getState();
      StackTraceElement[] stack = thread.getStackTrace();
      long afterNs = System.nanoTime();
      boolean isWaiting = state == Thread.State.WAITING || state == Thread.State.TIMED_WAITING
          || state == Thread.State.BLOCKED;
      for (String read : READS)
        isWaiting |= stack.length > 0
            && (stack[0].getClassName() + "." + stack[0].getMethodName()).startsWith(read);
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
        if (isFirst(kind)) {
          firstProcessorNs = used().processorNs;
          waitedNs = 0;
        } else {
          if (wasWaiting && isWaiting)
            waitedNs += Math.max(0, beforeNs - lastNs - (used.processorNs - last.processorNs)
                    - (used.delayNs - last.delayNs));
          take(kind, (used.processorNs - firstProcessorNs + waitedNs) / 1e6, stack);
        }
        wasWaiting = isWaiting;
        lastNs = afterNs;
        last = used;
      }
      java.util.concurrent.locks.LockSupport.parkNanos(4_000_000);
    }
  }

  private static boolean isMakingWidgets(StackTraceElement[] stack) {
    return stack[0].getClassName().startsWith("org.eclipse.swt.");
  }

  // Whether nobody has seen this call in this event before.
  private boolean isFirst(String kind) {
    if (!kind.isEmpty() && eventSeen == event && kind.equals(platformCall)) return false;
    eventSeen = event;
    platformCall = kind;
    return true;
  }

  private void take(String kind, double ms, StackTraceElement[] stack) {
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
