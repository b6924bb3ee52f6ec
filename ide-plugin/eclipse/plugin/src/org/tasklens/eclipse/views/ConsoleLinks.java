// SPDX-License-Identifier: Apache-2.0
package org.tasklens.eclipse.views;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.eclipse.jface.text.BadLocationException;
import org.eclipse.ui.console.IHyperlink;
import org.eclipse.ui.console.IPatternMatchListener;
import org.eclipse.ui.console.PatternMatchEvent;
import org.eclipse.ui.console.TextConsole;
import org.tasklens.eclipse.editors.LineOpener;

/** Turns {@code FILE.c:12} in a console into a link to that line. */
final class ConsoleLinks implements IPatternMatchListener {
  private static final String PLACE =
      "([^\\s:;,\"'()\\[\\]<>]{1,500}\\.(?:c|cc|cpp|cxx|cu|h|hh|hpp)):(\\d{1,7})\\b";
  private static final Pattern PARTS = Pattern.compile(PLACE);

  private final LineOpener opener;
  private TextConsole console;

  ConsoleLinks(LineOpener opener) {
    this.opener = opener;
  }

  @Override
  public void connect(TextConsole textConsole) {
    console = textConsole;
  }

  @Override
  public void disconnect() {
    console = null;
  }

  @Override
  public void matchFound(PatternMatchEvent event) {
    try {
      String text = console.getDocument().get(event.getOffset(), event.getLength());
      Matcher parts = PARTS.matcher(text);
      if (!parts.matches()) return;
      String file = parts.group(1);
      int line = Integer.parseInt(parts.group(2));
      console.addHyperlink(new Link(opener, file, line), event.getOffset(), event.getLength());
    } catch (BadLocationException e) {
      // The beginning of the console was cut off meanwhile, and with it this location.
    }
  }

  private record Link(LineOpener opener, String file, int line) implements IHyperlink {
    @Override
    public void linkActivated() {
      opener.showNamed(file, line);
    }

    @Override
    public void linkEntered() {}

    @Override
    public void linkExited() {}
  }

  @Override
  public String getPattern() {
    return PLACE;
  }

  @Override
  public int getCompilerFlags() {
    return 0;
  }

  @Override
  public String getLineQualifier() {
    return null;
  }
}
