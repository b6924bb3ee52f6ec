// SPDX-License-Identifier: Apache-2.0
// Reduces a curve to the pixels of a view.
import { firstAtLeast } from "./columns.js";

// Returns the intervals that overlap [from, to]; times count from `from`, values in units of
// `step`, means of `meanStep`. Intervals that begin in one pixel and are shorter than it are merged
// into one, with their lowest and highest value and their mean over time.
export function curveView({ start, end, low, high, mean }, from, to, pixels, step, meanStep = step) {
  const first = firstAtLeast(end, from), most = Math.max(0, firstAtLeast(start, to + 1) - first), width = (to - from) / pixels;
  const view = { start: new Float64Array(most), end: new Float64Array(most), low: new Float64Array(most), high: new Float64Array(most), ...(mean ? { mean: new Float64Array(most) } : {}) };
  let count = 0, pixel = null, length = 0;  // of the last interval: its pixel, the time with values
  for (let i = first; i < first + most; ++i) {
    const at = end[i] - start[i] < width ? Math.floor((start[i] - from) / width) : null;
    if (at === null || at !== pixel) {
      view.start[count] = start[i] - from;
      view.low[count] = low[i] * step;
      if (mean) view.mean[count] = mean[i] * meanStep;
      view.high[count++] = high[i] * step;
      length = end[i] - start[i];
    } else {
      view.low[count - 1] = Math.min(view.low[count - 1], low[i] * step);
      view.high[count - 1] = Math.max(view.high[count - 1], high[i] * step);
      const more = end[i] - start[i];
      if (mean && length + more > 0) view.mean[count - 1] = (view.mean[count - 1] * length + mean[i] * meanStep * more) / (length + more);
      length += more;
    }
    view.end[count - 1] = end[i] - from;
    pixel = at;
  }
  return Object.fromEntries(Object.entries(view).map(([name, values]) => [name, values.subarray(0, count)]));
}
