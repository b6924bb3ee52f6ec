// SPDX-License-Identifier: Apache-2.0
package org.tasklens.eclipse.editors;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.eclipse.core.runtime.IProgressMonitor;
import org.eclipse.jface.text.BadLocationException;
import org.eclipse.jface.text.IDocument;
import org.eclipse.jface.text.ITextViewer;
import org.eclipse.jface.text.codemining.AbstractCodeMiningProvider;
import org.eclipse.jface.text.codemining.ICodeMining;
import org.eclipse.jface.text.codemining.LineHeaderCodeMining;
import org.eclipse.jface.text.source.ISourceViewerExtension5;
import org.eclipse.swt.events.MouseEvent;
import org.eclipse.ui.texteditor.ITextEditor;
import org.tasklens.eclipse.model.Runs;
import org.tasklens.eclipse.model.Site;
import org.tasklens.eclipse.preferences.Settings;
import org.tasklens.eclipse.ui.Ui;

/** Shows the number and cost of tasks above each submission site. A click selects them. */
public final class SiteMinings extends AbstractCodeMiningProvider {
  private final Settings settings;
  private final Sites sites;
  private final Runs runs;
  private final Lights lights;
  private final boolean standsBack;

  /** {@code standsBack}: another plugin shows the lenses. */
  public SiteMinings(
      Settings settings, Sites sites, Runs runs, Lights lights, boolean standsBack) {
    this.settings = settings;
    this.sites = sites;
    this.runs = runs;
    this.lights = lights;
    this.standsBack = standsBack;
  }

  static void update(ITextEditor editor) {
    if (SourceEditors.viewer(editor) instanceof ISourceViewerExtension5 viewer)
      viewer.updateCodeMinings();
  }

  @Override
  public CompletableFuture<List<? extends ICodeMining>> provideCodeMinings(
      ITextViewer viewer, IProgressMonitor monitor) {
    ITextEditor editor = getAdapter(ITextEditor.class);
    CompletableFuture<List<? extends ICodeMining>> minings = new CompletableFuture<>();
    Ui.later(() -> minings.complete(of(editor, viewer.getDocument())));
    return minings;
  }

  private List<ICodeMining> of(ITextEditor editor, IDocument document) {
    List<ICodeMining> found = new ArrayList<>();
    String uri = editor == null || document == null ? null : SourceEditors.uriOf(editor);
    if (uri == null || standsBack || !settings.showMinings()) return found;
    for (Site site : sites.of(uri)) {
      try {
        found.add(new SiteMining(site, document));
      } catch (BadLocationException e) {
        // The text became shorter; its new sites have been requested.
      }
    }
    return found;
  }

  private final class SiteMining extends LineHeaderCodeMining {
    private final Site site;

    SiteMining(Site site, IDocument document) throws BadLocationException {
      super(site.line(), document, SiteMinings.this);
      this.site = site;
      setLabel(site.title());
    }

    @Override
    public Consumer<MouseEvent> getAction() {
      if (site.run() == null) return event -> lights.showSite(site);
      return event -> CompletableFuture.runAsync(() -> runs.start(site.run()));
    }
  }
}
