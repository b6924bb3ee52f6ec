// SPDX-License-Identifier: Apache-2.0
package org.tasklens.eclipse.tests;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Predicate;
import org.eclipse.core.resources.IProject;
import org.eclipse.core.resources.IProjectDescription;
import org.eclipse.core.resources.ResourcesPlugin;
import org.eclipse.jface.text.ITextSelection;
import org.eclipse.swt.SWT;
import org.eclipse.swt.browser.Browser;
import org.eclipse.swt.custom.CTabFolder;
import org.eclipse.swt.custom.CTabItem;
import org.eclipse.swt.custom.StyledText;
import org.eclipse.swt.graphics.GC;
import org.eclipse.swt.graphics.Image;
import org.eclipse.swt.graphics.ImageData;
import org.eclipse.swt.graphics.ImageLoader;
import org.eclipse.swt.graphics.Point;
import org.eclipse.swt.graphics.Rectangle;
import org.eclipse.swt.widgets.Button;
import org.eclipse.swt.widgets.Composite;
import org.eclipse.swt.widgets.Control;
import org.eclipse.swt.widgets.Display;
import org.eclipse.swt.widgets.Listener;
import org.eclipse.swt.widgets.Menu;
import org.eclipse.swt.widgets.MenuItem;
import org.eclipse.swt.widgets.Shell;
import org.eclipse.swt.widgets.ToolBar;
import org.eclipse.swt.widgets.ToolItem;
import org.eclipse.swt.widgets.Tree;
import org.eclipse.swt.widgets.TreeItem;
import org.eclipse.ui.IEditorPart;
import org.eclipse.ui.IViewPart;
import org.eclipse.ui.IWorkbenchPage;
import org.eclipse.ui.IWorkbenchWindow;
import org.eclipse.ui.PlatformUI;
import org.eclipse.ui.texteditor.ITextEditor;
import org.tasklens.eclipse.Application;
import org.tasklens.eclipse.views.PageView;

/**
 * The workbench as a user has it: looks at it on the UI thread, acts on it by the X server's mouse
 * and keyboard. Methods are called on the test's thread.
 */
final class Bench {
  /** The plugin as its bundle has made it; also when the bundle was stopped. */
  final Application plugin = Application.of();
  final Display display = PlatformUI.getWorkbench().getDisplay();
  final UiWatch watch = new UiWatch(display);
  final Path outputs = Path.of(System.getProperty("tasklens.outputs"));
  final Path work = Path.of(System.getProperty("tasklens.work"));
  final Path data = Path.of(System.getProperty("tasklens.data"));
  /** When what waits for something gives up, as {@link System#currentTimeMillis}. */
  volatile long givesUpAt = Long.MAX_VALUE;

  // --- On the UI thread

  <T> T ui(Callable<T> body) {
    FutureTask<T> result = new FutureTask<>(body);
    if (Display.getCurrent() == display) result.run();
    else display.asyncExec(result);
    try {
      return ended("the UI thread", result);
    } catch (ExecutionException e) {
      throw new AssertionError(e.getCause());
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private static final long FOR_A_PICTURE_MS = 10_000; // of a case that was given up

  /** The result of what runs elsewhere, should it end in time. */
  <T> T ended(String what, Future<T> result) throws InterruptedException, ExecutionException {
    try {
      long left = givesUpAt - System.currentTimeMillis();
      return result.get(Math.max(left, FOR_A_PICTURE_MS), TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      AssertionError vain = new AssertionError("waited in vain for " + what);
      vain.setStackTrace(display.getThread().getStackTrace()); // it may be what holds all up
      throw vain;
    }
  }

  /** Waits until {@code body} answers something that is neither null nor false. */
  <T> T until(String what, Callable<T> body) throws InterruptedException {
    return untilAsked(what, () -> ui(body));
  }

  /** The same of what is not to be asked on the UI thread, such as a page. */
  <T> T untilAsked(String what, Callable<T> body) throws InterruptedException {
    System.out.println("... " + what);
    while (true) {
      T value;
      try {
        value = body.call();
      } catch (InterruptedException | RuntimeException e) {
        throw e;
      } catch (Exception e) {
        throw new AssertionError(e);
      }
      if (value != null && !Boolean.FALSE.equals(value)) return value;
      pause(what);
    }
  }

  // Nothing tells what the workbench has drawn, or a page within it: it is looked at again and again.
  private void pause(String what) throws InterruptedException {
    if (System.currentTimeMillis() > givesUpAt)
      throw new AssertionError("waited in vain for " + what);
    Thread.sleep(20);
  }

  /** {@code perspective}: the one that is opened, or null for the workbench as it comes. */
  void prepare(String perspective) throws Exception {
    until("the workbench", () -> PlatformUI.getWorkbench().getActiveWorkbenchWindow());
    ui(
        () -> {
          if (perspective != null)
            PlatformUI.getWorkbench().showPerspective(perspective, window());
          window().getShell().setBounds(0, 0, 1600, 1000);
          return null;
        });
    watch.start();
    watch.provesItself();
  }

  IWorkbenchWindow window() {
    IWorkbenchWindow active = PlatformUI.getWorkbench().getActiveWorkbenchWindow();
    return active != null ? active : PlatformUI.getWorkbench().getWorkbenchWindows()[0];
  }

  IWorkbenchPage page() {
    return window().getActivePage();
  }

  IViewPart view(String id) {
    return page().findView(id);
  }

  <T extends Control> List<T> controls(Class<T> kind) {
    List<T> found = new ArrayList<>();
    for (Shell shell : display.getShells()) collect(shell, kind, found);
    return found;
  }

  <T extends Control> void collect(Control root, Class<T> kind, List<T> found) {
    if (kind.isInstance(root)) found.add(kind.cast(root));
    if (root instanceof Composite parent)
      for (Control child : parent.getChildren()) collect(child, kind, found);
  }

  ToolItem toolItem(String tip) {
    for (ToolBar bar : controls(ToolBar.class))
      for (ToolItem item : bar.getItems())
        if (item.getToolTipText() != null && item.getToolTipText().startsWith(tip)) return item;
    return null;
  }

  Tree tree(String firstColumn, String secondColumn) {
    for (Tree tree : controls(Tree.class))
      if (tree.getColumnCount() > 1
          && tree.getColumn(0).getText().equals(firstColumn)
          && tree.getColumn(1).getText().equals(secondColumn)) return tree;
    return null;
  }

  /** The file and line (from 1) of the caret in the editor in front, such as {@code a.c:7}. */
  String caret() {
    IEditorPart editor = page().getActiveEditor();
    if (editor == null) return "";
    ITextEditor text = editor.getAdapter(ITextEditor.class);
    if (text == null || !(text.getSelectionProvider().getSelection() instanceof ITextSelection at))
      return "";
    return editor.getTitle() + ":" + (at.getStartLine() + 1);
  }

  /** The text of the editor in front. UI thread. */
  StyledText text() {
    return (StyledText) page().getActiveEditor().getAdapter(Control.class);
  }

  // --- By mouse and keyboard

  /** A place on the screen that belongs to a control. */
  record Spot(Control control, Point at) {}

  /**
   * Moves the mouse there, once the place is in sight and stays where it is.
   *
   * @param place answers the place, or null while it is not there
   */
  private void moveTo(String what, Callable<Spot> place) throws Exception {
    System.out.println("... " + what);
    Spot moved = null;
    while (true) {
      Spot now = place.call();
      if (now == null || !ui(() -> isInSight(now))) {
        moved = null;
        if (ui(this::isMouseElsewhere)) xdotool("mousemove", "5", "995"); // a notice waits for that
        pause(what);
      } else if (!now.equals(moved)) {
        xdotool("mousemove", "" + now.at.x, "" + now.at.y);
        moved = now;
      } else if (ui(() -> isUnderMouse(now.control))) {
        return;
      } else {
        pause(what);
      }
    }
  }

  // Nothing lies over it, such as a notice, which goes by itself.
  private boolean isInSight(Spot spot) {
    if (!spot.control.isVisible()) return false;
    for (Shell shell : display.getShells())
      if (shell.isVisible()
          && shell != window().getShell()
          && shell != spot.control.getShell()
          && shell.getBounds().contains(spot.at)) return false;
    return true;
  }

  private boolean isMouseElsewhere() {
    Control control = display.getCursorControl();
    return control != null && control.getShell() != window().getShell();
  }

  private boolean isUnderMouse(Control control) {
    for (Control one = display.getCursorControl(); one != null; one = one.getParent())
      if (one == control) return true;
    return false;
  }

  /** Answers when it was clicked, as {@link System#nanoTime}. */
  long click(String what, Callable<Spot> place) throws Exception {
    moveTo(what, () -> ui(place));
    return click();
  }

  long click(String what, PageSpot place) throws Exception {
    moveTo(what, () -> spotOf(place));
    return click();
  }

  private long click() throws Exception {
    long clicked = System.nanoTime();
    xdotool("click", "1");
    return clicked;
  }

  void doubleClick(String what, Callable<Spot> place) throws Exception {
    moveTo(what, () -> ui(place));
    doubleClick();
  }

  void doubleClick(String what, PageSpot place) throws Exception {
    moveTo(what, () -> spotOf(place));
    doubleClick();
  }

  private void doubleClick() throws Exception {
    xdotool("click", "--repeat", "2", "--delay", "60", "1");
  }

  /** Rests the mouse there, so that a hover appears. */
  void hover(String what, Callable<Spot> place) throws Exception {
    moveTo(what, () -> ui(place));
    // A hover waits for a mouse that moved within the control.
    xdotool("mousemove_relative", "1", "1");
  }

  void clickItem(String what, Tree tree, Callable<TreeItem> item, int column) throws Exception {
    click(what, () -> spotOf(tree, item.call(), column));
  }

  Spot spotOf(Tree tree, TreeItem item, int column) {
    if (item == null) return null;
    Rectangle box = item.getBounds(column);
    if (box.width <= 0 || box.height <= 0) return null;
    return new Spot(
        tree, tree.toDisplay(box.x + Math.min(30, box.width / 2), box.y + box.height / 2));
  }

  /** The place of a column's head. */
  Spot headOf(Tree tree, int column) {
    int x = tree.getColumn(column).getWidth() / 3;
    for (int i = 0; i < column; ++i) x += tree.getColumn(i).getWidth();
    return new Spot(tree, tree.toDisplay(x, -tree.getHeaderHeight() / 2));
  }

  /** The beginning of a text in an editor. */
  Spot spotOf(StyledText text, String part) {
    int at = text.getText().indexOf(part);
    if (at < 0) return null;
    text.setTopIndex(Math.max(0, text.getLineAtOffset(at) - 10));
    Point place = text.getLocationAtOffset(at + 1);
    return new Spot(text, text.toDisplay(place.x, place.y + text.getLineHeight() / 2));
  }

  void press(String... keys) throws Exception {
    String[] command = new String[keys.length + 1];
    command[0] = "key";
    System.arraycopy(keys, 0, command, 1, keys.length);
    xdotool(command);
  }

  void type(String text) throws Exception {
    xdotool("type", "--delay", "4", "--", text);
  }

  void xdotool(String... arguments) throws Exception {
    List<String> command = new ArrayList<>(List.of("xdotool"));
    command.addAll(List.of(arguments));
    int status = new ProcessBuilder(command).inheritIO().start().waitFor();
    if (status != 0) throw new AssertionError("xdotool " + String.join(" ", arguments));
  }

  Spot spotOf(ToolItem item) {
    Rectangle box = item.getBounds();
    return new Spot(item.getParent(),
        item.getParent().toDisplay(box.x + box.width / 2, box.y + box.height / 2));
  }

  Spot spotOf(Control control) {
    Point size = control.getSize();
    return new Spot(control, control.toDisplay(size.x / 2, size.y / 2));
  }

  /** Clicks the tab of a view. */
  void clickTab(String name) throws Exception {
    click(
        "the tab " + name,
        () -> {
          for (CTabFolder folder : controls(CTabFolder.class))
            for (CTabItem item : folder.getItems())
              if (item.getText().equals(name) && item.isShowing()) {
                Rectangle box = item.getBounds();
                return new Spot(
                    folder, folder.toDisplay(box.x + box.width / 2, box.y + box.height / 2));
              }
          return null;
        });
  }

  private final Map<String, String> letters = new ConcurrentHashMap<>(); // of the menu's items

  /** Opens the menu TaskLens by its key, and takes an item of it by its letter. */
  void chooseFromMenu(String name) throws Exception {
    Listener note = event -> {
      if (!(event.widget instanceof Menu menu)) return;
      for (MenuItem item : menu.getItems()) {
        String text = item.getText().replaceAll("\t.*", "");
        int letter = text.indexOf('&') + 1;
        if (letter > 0)
          letters.put(text.replace("&", ""), text.substring(letter, letter + 1).toLowerCase());
      }
    };
    ui(() -> {
      letters.clear();
      display.addFilter(SWT.Show, note);
      window().getShell().forceActive();
      return null;
    });
    press("alt+l");
    press(until(name + " in the menu", () -> letters.get(name)));
    ui(() -> {
      display.removeFilter(SWT.Show, note);
      return null;
    });
  }

  /** Clicks the button with this label, once it is enabled. */
  void clickButton(String label) throws Exception {
    click("the button " + label,
        ()
            -> controls(Button.class)
                   .stream()
                   .filter(one -> one.getText().replace("&", "").equals(label) && one.isEnabled())
                   .findFirst()
                   .map(this::spotOf)
                   .orElse(null));
  }

  void clickTool(String tip) throws Exception {
    click("the enabled button " + tip, () -> {
      ToolItem item = toolItem(tip);
      return item == null || !item.isEnabled() ? null : spotOf(item);
    });
  }

  // --- The web app

  /**
   * What a script in the page of a view answers, as text; null when there is no page yet, or it is
   * being loaded. On the test's thread, which alone waits: a page that has died is waited for in
   * vain, with a workbench that works on.
   */
  String script(String viewId, String script) throws InterruptedException {
    CompletableFuture<String> answer =
        ui(() -> pageOf(viewId) instanceof Browser page ? PageAnswers.of(page).ask(script) : null);
    try {
      return answer == null ? null : ended("an answer of the page of " + viewId, answer);
    } catch (ExecutionException e) {
      throw new AssertionError(e.getCause());
    }
  }

  /**
   * A place in the page of a view.
   *
   * @param script answers "x y" within the page, with whatever behind it, or "" while there is none
   */
  record PageSpot(String view, String script) {}

  private Spot spotOf(PageSpot place) throws InterruptedException {
    String answer = script(place.view, place.script);
    if (answer == null || answer.isEmpty()) return null;
    String[] at = answer.split(" ");
    return ui(() -> {
      Control page = pageOf(place.view);
      return new Spot(page,
          page.toDisplay((int) Double.parseDouble(at[0]), (int) Double.parseDouble(at[1])));
    });
  }

  /**
   * Waits until the page has drawn what it knows now, its largest canvas shows something, and so
   * does the screen: more than three colours.
   */
  void untilDrawn(String viewId) throws InterruptedException {
    untilAsked("the page's next frame", () -> "true".equals(script(viewId, ASK_FRAME)));
    untilAsked(
        "that frame drawn", () -> "true".equals(script(viewId, "return String(testFrames >= 2)")));
    untilAsked("the page drawn", () -> "true".equals(script(viewId, IS_DRAWN)));
    until("the page on the screen", () -> coloursOf(pageOf(viewId)) > MOST_COLOURS_OF_BLANK);
  }

  private static final int MOST_COLOURS_OF_BLANK = 3;

  // Of every fourth pixel that the X server shows of a control.
  private int coloursOf(Control control) {
    Point size = control.getSize();
    if (size.x <= 0 || size.y <= 0) return 0;
    Point corner = control.toDisplay(0, 0);
    ImageData pixels = pixels(new Rectangle(corner.x, corner.y, size.x, size.y));
    Set<Integer> colours = new HashSet<>();
    for (int x = 0; x < pixels.width; x += 2)
      for (int y = 0; y < pixels.height; y += 2) colours.add(pixels.getPixel(x, y));
    return colours.size();
  }

  private ImageData pixels(Rectangle part) {
    Image image = new Image(display, part.width, part.height);
    GC gc = new GC(display);
    gc.copyArea(image, part.x, part.y);
    gc.dispose();
    ImageData pixels = image.getImageData();
    image.dispose();
    return pixels;
  }

  // Two frames: what was under way when it was asked may be the first.
  private static final String ASK_FRAME =
      """
      globalThis.testFrames = 0;
      const count = () => { if (++testFrames < 2) requestAnimationFrame(count); };
      requestAnimationFrame(count);
      return "true";
      """;

  private static final String IS_DRAWN =
      """
      const area = (one) => (one.offsetParent ? one.width * one.height : 0);
      const canvases = [...document.querySelectorAll("canvas")];
      const canvas = canvases.sort((a, b) => area(b) - area(a))[0];
      if (!canvas || !area(canvas)) return "no canvas";
      const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
      const colours = new Set();
      for (let i = 0; i < data.length; i += 4)
        colours.add((data[i] << 16) | (data[i + 1] << 8) | data[i + 2]);
      return String(colours.size > 3);
      """;

  /** The control that shows the page of a view; null while there is no such view. */
  Control pageOf(String viewId) {
    IViewPart view = view(viewId);
    return view instanceof PageView page ? page.control() : null;
  }

  // --- The rest

  IProject project(String name, Path folder) throws Exception {
    IProject project = ResourcesPlugin.getWorkspace().getRoot().getProject(name);
    IProjectDescription description = ResourcesPlugin.getWorkspace().newProjectDescription(name);
    description.setLocation(org.eclipse.core.runtime.Path.fromOSString(folder.toString()));
    project.create(description, null);
    project.open(null);
    return project;
  }

  void snap(String name) throws IOException {
    byte[] png = ui(() -> {
      while (display.readAndDispatch()) {
      } // what waits to be drawn
      display.update();
      ImageLoader loader = new ImageLoader();
      loader.data = new ImageData[] {pixels(display.getBounds())};
      java.io.ByteArrayOutputStream bytes = new java.io.ByteArrayOutputStream();
      loader.save(bytes, SWT.IMAGE_PNG);
      return bytes.toByteArray();
    });
    Files.write(outputs.resolve(name + ".png"), png);
  }

  void trySnap(String name) {
    try {
      snap(name);
    } catch (IOException | AssertionError e) {
      e.printStackTrace();
    }
  }

  void noticed(String part) throws InterruptedException {
    Predicate<String> has = text -> text.contains(part);
    until("the notice " + part, () -> plugin.notices.recent().stream().anyMatch(has));
  }

  static void expect(boolean condition, String what) {
    if (!condition) throw new AssertionError(what);
    System.out.println("ok: " + what);
  }
}
