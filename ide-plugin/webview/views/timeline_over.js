// SPDX-License-Identifier: Apache-2.0
// The marks over the rows of the timeline: the critical path, arrows, flags. A few in view are
// drawn one by one. If they would cover the picture, a lane above the rows shows their density for
// each column.
import { count, counted, duration, share } from "../format.js";
import { markColors } from "../colors.js";

export const LANE = 14;          // height of a lane, with the space below
const ROOM = { path: 3, arrow: 5, flag: 9 };  // columns between two distinguishable marks
const DIMMED = 0.5;              // of the rows below a dense critical path
const WAITING = 0.28;            // opacity of the critical path where it waits

// The lanes above the rows for the requested marks.
export const lanesOf = ({ critical, extras }) => [...(critical ? ["path"] : []), ...["transfer", "message", "steal", "dependency"].filter((key) => extras.includes(key))];
export const LANE_NAMES = { path: "critical path", transfer: "transfers", message: "messages", steal: "steals", dependency: "dependencies" };

const columnsIn = ({ width, gutter }) => Math.max(1, Math.ceil(width - gutter));

// Converts nanoseconds of the answer to columns.
function columnOf({ answer, view, width, gutter }) {
  const scale = (width - gutter) / (view.to - view.from), origin = (answer.fromNs - view.from) * scale;
  return (ns) => origin + ns * scale;
}

// For each column the time that the critical path works, and for each row the time that it is
// there: {work: by column, rows: Map of row to the same, from, to: range of columns, steps: by
// column, in view, isDense}.
export function pathShares(scene) {
  const { row, start, end, count: steps, work } = scene.answer.path, columns = columnsIn(scene), at = columnOf(scene);
  const shares = { work: new Float32Array(columns), steps: new Float32Array(columns), rows: new Map(), from: Infinity, to: -Infinity };
  let inSight = 0;
  for (let i = 0; i < row.length; ++i) {
    const x0 = at(start[i]), x1 = at(end[i]);
    shares.from = Math.min(shares.from, x0);
    shares.to = Math.max(shares.to, x1);
    if (x1 < 0 || x0 > columns) continue;
    ++inSight;
    if (!shares.rows.has(row[i])) shares.rows.set(row[i], new Float32Array(columns));
    const ofRow = shares.rows.get(row[i]), length = Math.max(1, end[i] - start[i]), wide = Math.max(1e-6, x1 - x0);
    const busy = Math.min(1, (work ? work[i] : length) / length);
    shares.steps[Math.max(0, Math.min(columns - 1, Math.floor(x0)))] += steps[i];
    for (let x = Math.max(0, Math.floor(x0)); x < Math.min(columns, Math.max(x1, x0 + 1e-6)); ++x) {
      const part = Math.max(0, Math.min(x1, x + 1) - Math.max(x0, x)) || Math.min(wide, 1);
      shares.work[x] = Math.min(1, shares.work[x] + part * busy);
      ofRow[x] = Math.min(1, ofRow[x] + part * busy);
    }
  }
  return Object.assign(shares, { inSight, isDense: inSight * ROOM.path > columns });
}

// True if the critical path would cover the rows.
export const isPathDense = (scene) => Boolean(scene.answer?.path) && pathShares(scene).isDense;

// For each kind of arrow, how many begin in each column, and whether they are too many to draw: Map
// of kind to {counts, inSight, isDense}.
export function arrowCounts(scene) {
  const { kind, kinds, from, to, count: many } = scene.answer.arrows, columns = columnsIn(scene), at = columnOf(scene);
  const counts = new Map(kinds.map((name) => [name, { counts: new Float64Array(columns), inSight: 0, isDense: false }]));
  for (let i = 0; i < kind.length; ++i) {
    const x0 = at(from[i]), x1 = at(to[i]), of = counts.get(kinds[kind[i]]);
    if (Math.max(x0, x1) < 0 || Math.min(x0, x1) > columns) continue;
    ++of.inSight;
    if (x0 >= 0 && x0 < columns) of.counts[Math.floor(x0)] += many[i];
  }
  for (const of of counts.values()) of.isDense = of.inSight * ROOM.arrow > columns;
  return counts;
}

// The line of a tip for a lane at column `x`; null: nothing.
export function laneText(scene, key, x) {
  const { answer, view, width, gutter } = scene, column = Math.max(0, Math.floor(x - gutter));
  const pixelNs = (view.to - view.from) / (width - gutter);
  if (key === "path") {
    if (!answer?.path) return null;
    const { work, from, to, steps } = pathShares(scene);
    if (column < from - 1 || column > to) return { title: "critical path", lines: ["it is not here"] };
    const busy = work[column] ?? 0;
    return { title: "critical path", lines: [`in tasks ${share(busy)} of ${duration(pixelNs)}, ${duration(busy * pixelNs)}`, `waiting ${share(1 - busy)}, ${duration((1 - busy) * pixelNs)}`,
                                             ...(steps[column] > 0 ? [`${counted(steps[column], "step")} begin${steps[column] === 1 ? "s" : ""} here`] : [])] };
  }
  const of = answer?.arrows && arrowCounts(scene).get(key);
  if (!of) return null;
  return { title: LANE_NAMES[key], lines: [`${count(of.counts[column] ?? 0)} begin in these ${duration(pixelNs)}`, ...(of.isDense ? ["zoom in to see them one by one"] : [])] };
}

// Draws a line of bars, as high as the logarithm of the counts; or as shares if `most` is 1.
function paintBars(c, scene, y, height, values, most, color) {
  c.fillStyle = color;
  for (let x = 0; x < values.length; ++x) {
    if (!(values[x] > 0)) continue;
    const part = most === 1 ? values[x] : Math.log1p(values[x]) / Math.log1p(most);
    let end = x + 1;
    while (end < values.length && values[end] === values[x]) ++end;
    const high = Math.max(1, Math.round(part * height));
    c.fillRect(scene.gutter + x, y + height - high, end - x, high);
    x = end - 1;
  }
}

// Draws the lanes, in the coordinates of the rows.
export function paintLanes(c, scene) {
  const { answer, theme, layout } = scene, colors = markColors(theme);
  for (const { key, y, height } of layout.lanes ?? []) {
    c.fillStyle = theme.grid;
    c.fillRect(scene.gutter, y + height, scene.width - scene.gutter, 1);
    if (key === "path") {
      if (answer?.path) paintPathLane(c, scene, y, height);
      continue;
    }
    const of = answer?.arrows && arrowCounts(scene).get(key);
    if (of) paintBars(c, scene, y, height, of.counts, Math.max(2, ...of.counts), colors[key]);
  }
}

// Draws the share of work in the path's colour, and the share of waiting paler above it.
function paintPathLane(c, scene, y, height) {
  const { work, from, to } = pathShares(scene), columns = work.length;
  const left = Math.max(0, from), right = Math.min(columns, to);
  if (right <= left) return;
  c.fillStyle = scene.theme.critical;
  c.globalAlpha = WAITING;
  c.fillRect(scene.gutter + left, y, right - left, height);
  c.globalAlpha = 1;
  paintBars(c, scene, y, height, work, 1, scene.theme.critical);
}

// The vertical middle of each row, where arrows begin and end.
export const middles = ({ places }) => new Map(places.map(({ row, y, height }) => [row, y + height / 2]));

// Draws arrows, thicker if one stands for several.
export function paintArrows(c, scene) {
  const { answer, theme, layout } = scene;
  if (!answer?.arrows) return;
  const { kind, kinds, fromRow, from, toRow, to, count: many } = answer.arrows;
  const colors = markColors(theme), middle = middles(layout), counts = arrowCounts(scene), at = columnOf(scene);
  for (let which = 0; which < kinds.length; ++which) {
    if (counts.get(kinds[which]).isDense) continue;
    c.strokeStyle = c.fillStyle = colors[kinds[which]];
    c.globalAlpha = kinds[which] === "dependency" ? 0.4 : 0.8;
    for (const [isThick, width] of [[false, 1], [true, 2]]) {
      c.lineWidth = width;
      c.beginPath();
      for (let i = 0; i < kind.length; ++i) {
        if (kind[i] !== which || many[i] > 1 !== isThick) continue;
        const y0 = middle.get(fromRow[i]), y1 = middle.get(toRow[i]);
        if (y0 === undefined || y1 === undefined) continue;
        const x0 = scene.gutter + at(from[i]), x1 = scene.gutter + at(to[i]);
        if (Math.max(x0, x1) < scene.gutter || Math.min(x0, x1) > scene.width) continue;
        c.moveTo(x0, y0);
        c.lineTo(x1, y1);
        const length = Math.hypot(x1 - x0, y1 - y0) || 1, ux = (x1 - x0) / length, uy = (y1 - y0) / length;
        if (length < 5) continue;
        c.moveTo(x1 - 6 * ux - 3 * uy, y1 - 6 * uy + 3 * ux);
        c.lineTo(x1, y1);
        c.lineTo(x1 - 6 * ux + 3 * uy, y1 - 6 * uy - 3 * ux);
      }
      c.stroke();
    }
  }
  c.globalAlpha = 1;
}

// By row, whether the flags in view are so close that they would cover the row.
export function denseFlags(scene) {
  const { row, at } = scene.answer.flags, columns = columnsIn(scene), column = columnOf(scene), many = new Map();
  for (let i = 0; i < row.length; ++i) {
    const x = column(at[i]);
    if (x >= 0 && x <= columns) many.set(row[i], (many.get(row[i]) ?? 0) + 1);
  }
  return new Set([...many].filter(([, flags]) => flags * ROOM.flag > columns).map(([one]) => one));
}

// Draws flags on their rows; on the scheduler's row they are pushes and pops. If there are too
// many, draws bars along the upper edge of the row, as high as the logarithm of their number.
export function paintFlags(c, scene) {
  const { answer, theme, layout } = scene;
  if (!answer?.flags) return;
  const { row, at, count: many } = answer.flags, column = columnOf(scene), columns = columnsIn(scene);
  const places = new Map(layout.places.map((place) => [place.row, place]));
  const colors = markColors(theme), dense = denseFlags(scene), bars = new Map();
  const colorOf = (one) => (scene.texts.rows[one].kind === "scheduler" ? colors.pushes : colors.flags);
  for (let i = 0; i < row.length; ++i) {
    const place = places.get(row[i]), x = scene.gutter + column(at[i]);
    if (!place || x < scene.gutter - 6 || x > scene.width) continue;
    if (dense.has(row[i])) {
      if (!bars.has(row[i])) bars.set(row[i], new Float64Array(columns));
      bars.get(row[i])[Math.max(0, Math.min(columns - 1, Math.floor(x - scene.gutter)))] += many[i];
      continue;
    }
    c.fillStyle = colorOf(row[i]);
    c.fillRect(x - 0.5, place.y, 1, place.height);
    c.beginPath();
    c.moveTo(x, place.y);
    c.lineTo(x + 6, place.y + 3);
    c.lineTo(x, place.y + 6);
    c.closePath();
    c.fill();
  }
  for (const [one, values] of bars) {
    const { y, height } = places.get(one);
    paintBars(c, scene, y, Math.max(3, Math.round(height * 0.35)), values, Math.max(2, ...values), colorOf(one));
  }
}

// Says what is not shown.
export function paintLeftOut(c, scene, axis) {
  const leftOut = scene.answer?.arrows?.leftOut;
  if (!leftOut) return;
  const text = `${count(leftOut)} more arrows begin before this view`;
  c.font = `11px ${scene.theme.font}`;
  const width = 6 * text.length;
  c.fillStyle = scene.theme.background;
  c.fillRect(scene.width - width - 12, axis, width + 12, 16);
  c.fillStyle = scene.theme.faint;
  c.textAlign = "right";
  c.textBaseline = "middle";
  c.fillText(text, scene.width - 6, axis + 9);
  c.textAlign = "left";
}

// Draws the observed critical path: a frame around each interval in its row, and lines between
// them. If that would cover the rows, dims them and shows along the upper edge of each row the
// share of the path.
export function paintPath(c, scene) {
  const { answer, theme, layout } = scene;
  if (!answer?.path) return;
  const { row, start, end } = answer.path, at = columnOf(scene), shares = pathShares(scene);
  const places = new Map(layout.places.map((place) => [place.row, place]));
  if (shares.isDense) {
    c.fillStyle = theme.background;
    c.globalAlpha = DIMMED;
    for (const { y, height } of layout.places) c.fillRect(scene.gutter, y - 1, scene.width - scene.gutter, height + 3);
    c.globalAlpha = 1;
    for (const [one, values] of shares.rows) {
      const place = places.get(one);
      if (place) paintBars(c, scene, place.y, Math.max(3, Math.round(place.height * 0.35)), values, 1, theme.critical);
    }
    return;
  }
  c.strokeStyle = theme.critical;
  c.fillStyle = theme.critical;
  c.lineWidth = 1.5;
  const xOf = (ns) => scene.gutter + at(ns);
  let beforeX = 0, beforeY = null;
  c.beginPath();
  for (let i = 0; i < row.length; ++i) {
    const place = places.get(row[i]);
    if (!place) continue;
    const x0 = xOf(start[i]), x1 = xOf(end[i]), y = place.y + place.height / 2;
    if (beforeY !== null && x1 >= scene.gutter && beforeX <= scene.width && (x0 - beforeX > 0.7 || beforeY !== y)) {
      c.moveTo(beforeX, beforeY);
      c.lineTo(x0, y);
    }
    [beforeX, beforeY] = [x1, y];
  }
  c.stroke();
  for (let i = 0; i < row.length; ++i) {
    const place = places.get(row[i]);
    const x0 = xOf(start[i]), x1 = xOf(end[i]);
    if (!place || x1 < scene.gutter || x0 > scene.width) continue;
    c.fillRect(x0, place.y - 1, Math.max(1, x1 - x0), 2);
    c.fillRect(x0, place.y + place.height - 1, Math.max(1, x1 - x0), 2);
  }
}
