// SPDX-License-Identifier: Apache-2.0
// Polls the progress of a running program a few times a second. Span, tasks, costs of lines and
// rows of workers are updated at once. Everything that needs an analysis is updated when the trace
// has been read again (App.grow), which is rarer for a long run. While the rest of a large trace is
// read, polls the progress of that.

const PAUSE_MS = 300;
const PAUSE_PER_COST = 4;  // so a fifth of the time is spent on requests

export class Live {
  constructor(app) {
    this.app = app;
    this.updates = 0;
    this.isWatching = false;
    this.latest = null;
  }

  // Polls until the program has ended. A hidden page does not poll.
  async watch() {
    if (this.isWatching) return;
    this.isWatching = true;
    while (this.app.isRunning) {
      const begun = performance.now();
      if (!document.hidden) await this.look().catch((error) => this.app.say(error.message));
      const pause = Math.max(PAUSE_MS, PAUSE_PER_COST * (performance.now() - begun));
      await new Promise((resolve) => setTimeout(resolve, pause));
    }
    this.isWatching = false;
  }

  async look() {
    const { app } = this, { readNs: fromNs } = app.timeline;
    const { progress, read } = await app.host.request("tasklens/progress", { fromNs });
    if (app.isPart) return app.showRunning({ read });
    // Ignores progress that ends before the trace as it was read, and answers to earlier requests.
    // If rows have changed, the page does not know them until it has read them itself.
    if (!progress || progress.endNs <= fromNs || app.timeline.readNs !== fromNs || !app.isRunning) return;
    if (progress.rowsTotal !== app.timeline.texts.rows.length) return;
    ++this.updates;
    this.latest = progress;
    app.timeline.setTail(progress);
    this.show();
  }

  // Shows the last progress, if it ends after the trace as it was read.
  show() {
    const { app, latest } = this;
    if (!app.isRunning || !latest || latest.endNs <= app.overview.durationNs) return app.showRunning();
    app.overviewView.show(latest);
    app.showRunning(latest);
  }
}
