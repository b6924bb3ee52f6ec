// SPDX-License-Identifier: Apache-2.0
// While the program runs: asks a few times a second how far it has come. Span, tasks, costs of lines
// and rows of workers grow at once; all that takes an analysis grows when the trace was read anew
// (App.grow), which of a long run is rarer.

const PAUSE_MS = 300;
const PAUSE_PER_COST = 4;  // a fifth of the time is questions

export class Live {
  constructor(app) {
    this.app = app;
    this.updates = 0;
    this.isWatching = false;
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
    const { app } = this, fromNs = app.overview.durationNs;
    const { progress } = await app.host.request("tasklens/progress", { fromNs });
    // What lies behind the trace as it was read says nothing new; nor does an answer to an old question.
    if (!progress || progress.endNs <= fromNs || app.overview.durationNs !== fromNs || !app.isRunning) return;
    ++this.updates;
    app.timeline.setTail(progress);
    app.overviewView.show(progress);
    app.showRunning(progress);
  }
}
