// SPDX-License-Identifier: Apache-2.0
// Chooses for each pixel of one layer of a row the most important slice in it. Tasks come first,
// and runtime work before idling; among equals the longest wins, so a short task never disappears.

const FAN = 16;

export class LayerIndex {
  // `start`, `end`: typed arrays of slices that do not overlap, sorted by start. `weight(i)`: the
  // larger, the more important.
  constructor(start, end, weight) {
    this.start = start;
    this.end = end;
    this.weight = new Float64Array(start.length);
    for (let i = 0; i < start.length; ++i) this.weight[i] = weight(i);
    // Level k holds, for each block of FAN entries of the level below, the index of the best one.
    this.levels = [];
    for (let below = start.length; below > FAN; ) {
      const under = this.levels[this.levels.length - 1];
      const level = new Uint32Array(Math.ceil(below / FAN));
      for (let block = 0; block < level.length; ++block) {
        const last = Math.min(below, (block + 1) * FAN);
        let best = -1;
        for (let k = block * FAN; k < last; ++k) {
          const i = under ? under[k] : k;
          if (best < 0 || this.weight[i] > this.weight[best]) best = i;
        }
        level[block] = best;
      }
      this.levels.push(level);
      below = level.length;
    }
  }

  // The most important slice of [begin, end). REQUIRES: begin < end.
  best(begin, end) {
    const { levels, weight } = this;
    let best = begin;
    for (let level = 0; ; ++level) {
      const under = level === 0 ? null : levels[level - 1];
      const innerBegin = Math.ceil(begin / FAN), innerEnd = Math.floor(end / FAN);
      const top = level === levels.length || innerBegin >= innerEnd;
      const first = top ? end : innerBegin * FAN;
      for (let k = begin; k < first; ++k) {
        const i = under ? under[k] : k;
        if (weight[i] > weight[best]) best = i;
      }
      if (top) return best;
      for (let k = innerEnd * FAN; k < end; ++k) {
        const i = under ? under[k] : k;
        if (weight[i] > weight[best]) best = i;
      }
      begin = innerBegin;
      end = innerEnd;
    }
  }

  // The first slice that ends after `time`.
  firstAfter(time, from = 0) {
    let low = from, high = this.end.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.end[middle] > time) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  // The first slice that starts at or after `time`.
  firstFrom(time, from = 0) {
    let low = from, high = this.start.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.start[middle] >= time) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  // Calls show(slice, count, begin, end) from left to right. Slices of at least a pixel are shown
  // as they are; shorter ones between them share pixels.
  visit(from, to, pixels, show) {
    const width = (to - from) / pixels;
    let i = this.firstAfter(from), edge = -Infinity;  // end of the slice before
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
      let last = this.firstFrom(right, i + 1);
      if (last - 1 > i && this.end[last - 1] - this.start[last - 1] >= width) --last;
      const best = this.best(i, last);
      const end = Math.max(this.end[last - 1], Math.min(right, this.start[last] ?? right));
      show(best, last - i, Math.max(left, this.start[i] - width / 2, edge), end);
      edge = end;
      i = last;
    }
  }
}
