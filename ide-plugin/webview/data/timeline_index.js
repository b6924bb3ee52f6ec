// SPDX-License-Identifier: Apache-2.0
// Chooses for each pixel of one layer of a row the most important slice in it. Tasks come first,
// and runtime work before idling; among equals the longest wins, so a short task never disappears.
import { firstAbove, firstAtLeast } from "./columns.js";

export class LayerIndex {
  // `start`, `end`: typed arrays of slices that do not overlap, sorted by start. `weight(i)`: the
  // larger, the more important.
  constructor(start, end, weight) {
    this.start = start;
    this.end = end;
    this.weight = new Float64Array(start.length);
    for (let i = 0; i < start.length; ++i) this.weight[i] = weight(i);
  }

  // The most important slice of [begin, end). REQUIRES: begin < end.
  best(begin, end) {
    const { weight } = this;
    let best = begin;
    for (let i = begin + 1; i < end; ++i) if (weight[i] > weight[best]) best = i;
    return best;
  }

  // Calls show(slice, count, begin, end) from left to right. Slices of at least a pixel are shown
  // as they are; shorter ones between them share pixels.
  visit(from, to, pixels, show) {
    const width = (to - from) / pixels;
    let i = firstAbove(this.end, from), edge = -Infinity;  // end of the slice before
    while (i < this.start.length && this.start[i] < to) {
      if (this.end[i] - this.start[i] >= width) {
        show(i, 1, this.start[i], this.end[i]);
        edge = this.end[i];
        ++i;
        continue;
      }
      const pixel = Math.floor((this.start[i] - from) / width);
      const left = from + pixel * width, right = left + width;
      // All slices that begin within this pixel; a long one among them gets its own place
      // afterwards.
      let last = firstAtLeast(this.start, right, i + 1);
      if (last - 1 > i && this.end[last - 1] - this.start[last - 1] >= width) --last;
      const best = this.best(i, last);
      const end = Math.max(this.end[last - 1], Math.min(right, this.start[last] ?? right));
      show(best, last - i, Math.max(left, this.start[i] - width / 2, edge), end);
      edge = end;
      i = last;
    }
  }
}
