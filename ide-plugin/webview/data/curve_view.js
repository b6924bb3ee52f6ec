// SPDX-License-Identifier: Apache-2.0
// A curve as a view has pixels for it.
import { firstAtLeast } from "./columns.js";

// The stretches that overlap [from, to], times from `from` on, values times `step`. Those that begin in one pixel
// and are shorter than it are one, from their lowest to their highest value.
export function curveView({ start, end, low, high }, from, to, pixels, step) {
  const first = firstAtLeast(end, from), most = Math.max(0, firstAtLeast(start, to + 1) - first), width = (to - from) / pixels;
  const view = { start: new Float64Array(most), end: new Float64Array(most), low: new Float64Array(most), high: new Float64Array(most) };
  let count = 0, pixel = null;  // the one in which the last stretch may still grow
  for (let i = first; i < first + most; ++i) {
    const at = end[i] - start[i] < width ? Math.floor((start[i] - from) / width) : null;
    if (at === null || at !== pixel) {
      view.start[count] = start[i] - from;
      view.low[count] = low[i] * step;
      view.high[count++] = high[i] * step;
    } else {
      view.low[count - 1] = Math.min(view.low[count - 1], low[i] * step);
      view.high[count - 1] = Math.max(view.high[count - 1], high[i] * step);
    }
    view.end[count - 1] = end[i] - from;
    pixel = at;
  }
  return Object.fromEntries(Object.entries(view).map(([name, values]) => [name, values.subarray(0, count)]));
}
