// SPDX-License-Identifier: Apache-2.0
// While the program runs: asks a few times a second how far it has come. Span, tasks, costs of lines
// and rows of workers grow at once; all that takes an analysis grows when the trace was read anew
// (App.grow), which of a long run is rarer. While the rest of a large trace is read: asks how far
// that is.

const PAUSE_MS = 300;
const PAUSE_PER_COST = 4;  // a fifth of the time is questions

export class Live {
  constructor(app) {
    this.app = app;
    this.updates = 0;
    this.isWatching = false;
    this.latest = null;
  }

  // Until the program has ended. Nobody sees a hidden page, so it does not ask.
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
    // What lies behind the trace as it was read says nothing new; nor does an answer to an old question. Of a
    // reading with other rows the page does not know what they are until it has read it itself.
    if (!progress || progress.endNs <= fromNs || app.timeline.readNs !== fromNs || !app.isRunning) return;
    if (progress.rowsTotal !== app.timeline.texts.rows.length) return;
    ++this.updates;
    this.latest = progress;
    app.timeline.setTail(progress);
    this.show();
  }

  // What was said last of how far the program is, where the trace as it was read ends before.
  show() {
    const { app, latest } = this;
    if (!app.isRunning || !latest || latest.endNs <= app.overview.durationNs) return app.showRunning();
    app.overviewView.show(latest);
    app.showRunning(latest);
  }
}
