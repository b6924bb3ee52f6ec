// SPDX-License-Identifier: Apache-2.0
package org.tasklens.eclipse.tests;

import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.eclipse.swt.browser.Browser;
import org.eclipse.swt.browser.LocationListener;

/**
 * Asks the page of a browser without waiting for it on the UI thread. SWT's {@code evaluate} and
 * {@code execute} wait there until the page has answered, which a page whose process has died never
 * does. A page answers by its title, of which SWT tells: it needs no permission of the page's for
 * that, unlike a function of the browser's. SWT hears of the latest title alone: one that the page
 * gives itself meanwhile gives way to the answer. UI thread.
 */
final class PageAnswers {
  private static final String KEY = PageAnswers.class.getName(); // of a browser's data
  private static final String MARK = "test-answer ";

  private final Browser browser;
  private final Map<String, CompletableFuture<String>> waiting = new HashMap<>();
  private int asked;

  private PageAnswers(Browser browser) {
    this.browser = browser;
    browser.addTitleListener(event -> take(event.title));
    // What was asked of another page than the one that is there now.
    browser.addLocationListener(LocationListener.changedAdapter(event -> forget()));
    browser.addDisposeListener(event -> forget());
  }

  static PageAnswers of(Browser browser) {
    if (browser.getData(KEY) instanceof PageAnswers known) return known;
    PageAnswers answers = new PageAnswers(browser);
    browser.setData(KEY, answers);
    return answers;
  }

  /** What the body of a function returns, as text; null: nothing, or the page has gone. */
  CompletableFuture<String> ask(String script) {
    String number = String.valueOf(++asked);
    CompletableFuture<String> answer = new CompletableFuture<>();
    waiting.put(number, answer);
    executeWithoutWaiting(
        """
        {
          let answer = null;
          try {
            answer = (() => { %s })();
          } finally {
            const text = answer === null || answer === undefined ? "-" : "+" + encodeURIComponent(answer);
            const title = `%s%s ${text}`;
            const say = () => document.title === title || (document.title = title);
            globalThis.testAnswer?.disconnect();
            globalThis.testAnswer = new MutationObserver(say);
            say();
            globalThis.testAnswer.observe(document.head, { subtree: true, childList: true, characterData: true });
          }
        }
        """
            .formatted(script, MARK, number));
    return answer;
  }

  // SWT's own way, which it does not show.
  private void executeWithoutWaiting(String script) {
    try {
      Field field = Browser.class.getDeclaredField("webBrowser");
      field.setAccessible(true);
      Object webkit = field.get(browser);
      Method method = webkit.getClass().getDeclaredMethod("nonBlockingExecute", String.class);
      method.setAccessible(true);
      method.invoke(webkit, script);
    } catch (ReflectiveOperationException e) {
      throw new AssertionError("this SWT runs no script without waiting for it", e);
    }
  }

  private void take(String title) {
    if (!title.startsWith(MARK)) return; // the page's own
    String[] parts = title.substring(MARK.length()).split(" ");
    CompletableFuture<String> answer = waiting.remove(parts[0]);
    if (answer == null) return;
    boolean isText = parts[1].startsWith("+");
    String text = parts[1].substring(1);
    answer.complete(isText ? URLDecoder.decode(text, StandardCharsets.UTF_8) : null);
  }

  private void forget() {
    Map<String, CompletableFuture<String>> gone = new HashMap<>(waiting);
    waiting.clear();
    gone.values().forEach(answer -> answer.complete(null));
  }
}
