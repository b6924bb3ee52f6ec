// SPDX-License-Identifier: Apache-2.0
// The critical path in a report, reduced to a view of the timeline, as analysis/path_view.h does.
import { firstAtLeast } from "./columns.js";

// `columns`: {row, start, end, count, work} of intervals, in order. Returns at most one interval a
// row for each pixel, and the intervals just before and after the view.
export function pathView({ row, start, end, count, work }, from, to, pixels) {
  const view = { row: [], start: [], end: [], count: [], work: [] };
  const width = (to - from) / pixels;
  let ofPixel = 0, pixel = -1;
  for (let i = Math.max(0, firstAtLeast(end, from) - 1); i < row.length; ++i) {
    const at = Math.floor((start[i] - from) / width);
    if (at > pixel || start[i] < from) [ofPixel, pixel] = [view.row.length, at];
    let same = -1;
    for (let k = ofPixel; k < view.row.length && same < 0; ++k) if (view.row[k] === row[i]) same = k;
    if (same < 0) {
      view.row.push(row[i]);
      view.start.push(start[i] - from);
      view.end.push(end[i] - from);
      view.count.push(count[i]);
      view.work.push(work[i]);
    } else {
      view.end[same] = Math.max(view.end[same], end[i] - from);
      view.count[same] += count[i];
      view.work[same] += work[i];
    }
    if (start[i] >= to) break;
  }
  return view;
}
