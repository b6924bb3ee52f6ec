// SPDX-License-Identifier: Apache-2.0
// Draws the timeline: axis, rows, counters, arrows, marks. Has no state. The target is a canvas or
// an object with its methods, such as the SVG recorder.
import { lengthAt, moment, quantity, roundStep, sinceZero } from "../format.js";
import { hex, inkOn } from "../colors.js";
import { firstAtLeast } from "../data/columns.js";
import { fits, fitted } from "./fit.js";
import { heldBy, mixRow, paintMix } from "./timeline_mix.js";
import { LANE, LANE_NAMES, isPathDense, paintArrows, paintFlags, paintLanes, paintLeftOut, paintPath } from "./timeline_over.js";

export const AXIS = 24;
const ROW = { least: 16, most: 48 }, CURVE = { least: 34, most: 64 };

// The width for the names of rows in a picture of this width.
export const gutterOf = (width) => (width < 560 ? 102 : 128);
const DIM = 0.16;
const PALE = 0.55;  // opacity outside of an interval
const LABEL_PAD = 5, LEAST_LETTERS = 3;

// Computes positions: rows with their y, each with its counters below; counters of the run and of
// memory, for which isOfRun(row), below all rows. Above them: `lanes`, by name.
export function arrange(rows, counters, height, isOfRun = () => true, lanes = []) {
  const below = counters.filter(({ row }) => isOfRun(row) || !rows.includes(row));
  const beneath = counters.filter((counter) => !below.includes(counter));
  const clamp = (value, { least, most }) => Math.max(least, Math.min(most, Math.floor(value)));
  const room = height - AXIS - 10 - lanes.length * LANE;
  const each = clamp((room - counters.length * CURVE.least) / Math.max(1, rows.length), ROW);
  const curve = clamp((room - rows.length * each) / Math.max(1, counters.length), CURVE);
  const places = [], curves = [];
  let y = AXIS + 4;
  const above = lanes.map((key, i) => ({ key, y: y + i * LANE, height: LANE - 4 }));
  y += lanes.length * LANE;
  for (const row of rows) {
    places.push({ row, y, height: each - 3 });
    y += each;
    for (const counter of beneath) {
      if (counter.row !== row) continue;
      curves.push({ counter, y: y + 1, height: curve - 6 });
      y += curve;
    }
  }
  below.forEach((counter, i) => curves.push({ counter, y: y + 2 + i * curve, height: curve - 6 }));
  return { lanes: above, places, counters: curves, height: y + below.length * curve + 4 };
}

export function paintTimeline(c, scene) {
  const { width, height, theme } = scene;
  c.fillStyle = theme.background;
  c.fillRect(0, 0, width, height);
  c.save();
  c.beginPath();
  c.rect(scene.gutter, 0, width - scene.gutter, height);
  c.clip();
  paintGrid(c, scene);
  c.save();
  c.beginPath();
  c.rect(scene.gutter, AXIS, width - scene.gutter, height - AXIS);
  c.clip();
  c.translate(0, -scene.scroll);
  for (const place of scene.layout.places) if (isSeen(scene, place)) paintRow(c, scene, place);
  for (const place of scene.layout.counters) if (isSeen(scene, place)) paintCounter(c, scene, place);
  const isDense = isPathDense(scene);
  if (isDense) paintPath(c, scene);  // it dims the rows
  paintArrows(c, scene);
  paintFlags(c, scene);
  if (!isDense) paintPath(c, scene);
  paintLanes(c, scene);
  paintSelection(c, scene);
  c.restore();
  paintLeftOut(c, scene, AXIS);
  c.restore();
  paintStretch(c, scene);
  paintLabels(c, scene);
  paintCursor(c, scene);
}

const isSeen = (scene, { y, height }) => y + height >= scene.scroll && y <= scene.scroll + scene.height;

const xOf = (scene, ns) =>
  scene.gutter + ((ns - scene.view.from) / (scene.view.to - scene.view.from)) * (scene.width - scene.gutter);

function paintGrid(c, scene) {
  const { view, theme, width, height } = scene;
  const step = roundStep(view.to - view.from, (width - scene.gutter) / 110);
  c.font = `11px ${theme.font}`;
  c.textBaseline = "middle";
  c.textAlign = "left";
  const from = sinceZero(view.from), to = sinceZero(view.to);
  for (let at = Math.ceil(from / step) * step + 0; at <= to; at += step) {
    const x = Math.round(xOf(scene, view.from + (at - from))) + 0.5;
    c.fillStyle = theme.grid;
    c.fillRect(x - 0.5, AXIS - 4, 1, height - AXIS + 4);
    c.fillStyle = theme.faint;
    const text = moment(at, step);
    if (x + 4 + c.measureText(text).width <= width) c.fillText(text, x + 4, AXIS / 2 + 1);
  }
  c.fillStyle = theme.line;
  c.fillRect(scene.gutter, AXIS - 1, width - scene.gutter, 1);
}

function paintRow(c, scene, { row, y, height }) {
  const { answer, theme } = scene;
  c.fillStyle = theme.hover;
  if (scene.hoverRow === row) c.fillRect(scene.gutter, y - 1, scene.width - scene.gutter, height + 2);
  if (scene.marked === row) {
    c.fillStyle = theme.accent;
    c.globalAlpha = 0.16;
    c.fillRect(scene.gutter, y - 1, scene.width - scene.gutter, height + 2);
    c.globalAlpha = 1;
  }
  const shown = answer?.rows.find((one) => one.row === row), layers = shown?.layers || [];
  layers.forEach((layer, depth) => layer && paintLayer(c, scene, layer, depth, y, height, heldBy(shown.mixed, depth)));
  if (shown) paintShared(c, scene, shown, y, height);
  for (const layer of layers) if (layer?.expectedEnd) paintEstimates(c, scene, layer, y + height);
  if (!scene.tail?.layers.has(row)) return;
  const { tail, view } = scene, more = tail.rowAt(row, (view.to - view.from) / (scene.width - scene.gutter));
  const newer = { ...scene, answer: tail, texts: tail, tailPaints: scene.tailPaintsOf(tail) };
  paintLayer(c, newer, more.layers[0], 0, y, height, heldBy(more.mixed, 0));
  paintShared(c, newer, more, y, height);
}

// Converts nanoseconds of the answer to columns of the rows; column 0 is at the gutter.
const columnsOf = ({ answer, view, width, gutter }) => {
  const scale = (width - gutter) / (view.to - view.from);
  return { scale, origin: (answer.fromNs - view.from) * scale, width: Math.max(0, Math.ceil(width - gutter)) };
};

// The contents of a row in its mixed columns, see mixRow().
export function sharesOf(scene, row) {
  const { groups, internal, shown, paints } = scene;
  return mixRow(row, columnsOf(scene), (state, isInternal, name) => {
    const group = groupOf({ groups, internal }, state, isInternal);
    return { group, isShown: state === shown, name: group === "task" && paints.isByName ? name : -1 };
  });
}

function paintShared(c, scene, row, y, height) {
  const shares = sharesOf(scene, row);
  if (!shares) return;
  const { theme, focus, shown, codelet } = scene, { mixed, layers } = row;
  const isOutside = (isTask, isShown, task) => (shown >= 0 ? !isShown : focus && (!isTask || !focus.has(task)));
  // The task that the slice of a pixel shows.
  const painters = layers.map((layer) => layer && painter(scene, layer));
  const slice = (place) => {
    if (place < -1) return [0, -2 - place];
    for (let depth = 0; place >= 0 && depth < layers.length; ++depth) {
      const layer = layers[depth], i = layer ? firstAtLeast(layer.start, mixed.start[place]) : -1;
      if (i >= 0 && i < layer.start.length && layer.start[i] < mixed.end[place] && groupOf(scene, layer.state[i], layer.internal?.[i]) === "task") return [depth, i];
    }
    return null;
  };
  const byName = scene.tailPaints ?? scene.paints.byName;
  // Adjacent columns of one pixel, each with its parts.
  const last = new Map();
  const taskPaint = (part, place) => {
    const before = last.get(part);
    if (before?.place === place) return before;
    const { isShown, name } = part, [depth, i] = slice(place) ?? [], isOfSlice = depth !== undefined && (name < 0 || layers[depth].name[i] === name);
    // For the other tasks of a pixel, only the codelet is known.
    const isOut = shown < 0 && codelet >= 0 && name >= 0 ? name !== codelet : isOutside(true, isShown, isOfSlice ? layers[depth].task[i] : -1);
    const color = (name >= 0 ? byName[name] ?? scene.paints.none : isOfSlice ? painters[depth](i) : scene.paints.none).color;
    const paint = { place, color, opacity: isOut ? DIM : 1 };
    last.set(part, paint);
    return paint;
  };
  paintMix(c, shares, scene.gutter, y + height, {
    heightOf: (group, depth) => (depth > 0 ? Math.max(3, Math.round(height * 0.3)) : heightOf(group, 0, height)),
    paintOf: (part, task) => (part.group === "task" ? taskPaint(part, task)
      : { color: part.isShown && part.group === "idle" ? theme.accent : theme.kinds[part.group], opacity: isOutside(false, part.isShown, -1) ? 0.35 : 1 }),
    clear: (x, wide) => {
      c.globalAlpha = 1;
      c.fillStyle = scene.hoverRow === row.row ? theme.hover : theme.background;
      c.fillRect(x, y, wide, height);
      if (scene.marked !== row.row) return;
      c.fillStyle = theme.accent;
      c.globalAlpha = 0.16;
      c.fillRect(x, y, wide, height);
      c.globalAlpha = 1;
    },
    dots: theme.faint,
  });
}

// The kind of state that determines how a state is painted.
function groupOf({ groups, internal }, state, isInternal) {
  // The runtime's own tasks count as its overhead, unless they are shown.
  return isInternal && !internal ? "runtime" : groups[state];
}

// The share of a row's height that a slice takes, from the bottom; 0: it is not painted. A state on
// top of a task takes the lower part, so that both are visible.
function heightOf(group, depth, height) {
  if (depth > 0) return group === "idle" ? 0 : Math.max(3, Math.round(height * 0.3));
  return group === "task" ? height : group === "idle" ? 2 : Math.max(3, Math.round(height * 0.42));
}

// True if a slice is painted `above` pixels over the lower edge of its row.
export function reaches({ groups, internal }, layer, i, depth, height, above) {
  return above < heightOf(groupOf({ groups, internal }, layer.state[i], layer.internal?.[i]), depth, height);
}

// `isHeld(start, end, count)`: true if a mixed pixel covers the slice.
function paintLayer(c, scene, layer, depth, y, height, isHeld = () => false) {
  const { answer, view, theme, texts, focus, shown } = scene;
  const { start, end, state, name, task } = layer;
  const paintOf = painter(scene, layer);
  const scale = (scene.width - scene.gutter) / (view.to - view.from);
  const origin = scene.gutter + (answer.fromNs - view.from) * scale;
  const right = scene.width;
  const labels = [];
  // Merges touching neighbours of the same paint into one rectangle: dense rows have few of them.
  let run = null;
  const finish = () => {
    if (!run) return;
    const { x, end, top, high, color, stripes, opacity } = run;
    c.fillStyle = color;
    c.globalAlpha = opacity;
    c.fillRect(x, top, end - x, high);
    if (stripes) c.fillStyle = inkOn(color);
    for (let k = 0; k < stripes; ++k) c.fillRect(x, y + 2 + 3 * k, end - x, 1);
  };
  const put = (x, wide, top, high, color, stripes, opacity) => {
    if (run && x <= run.end && color === run.color && stripes === run.stripes && high === run.high && opacity === run.opacity)
      return void (run.end = Math.max(run.end, x + wide));
    finish();
    run = { x, end: x + wide, top, high, color, stripes, opacity };
  };
  for (let i = 0; i < start.length; ++i) {
    const x0 = origin + start[i] * scale, x1 = origin + end[i] * scale;
    if (x1 < scene.gutter) continue;
    if (x0 > right) break;
    if (isHeld(start[i], end[i], layer.count[i])) continue;
    const group = groupOf(scene, state[i], layer.internal?.[i]), isTask = group === "task", isShown = state[i] === shown;
    // A highlighted state is at least as high as runtime work, and none is as pale as idleness.
    const high = Math.max(heightOf(group, depth, height), isShown ? heightOf("runtime", depth, height) : 0);
    if (!high) continue;
    const paint = isTask ? paintOf(i) : null;
    const color = isTask ? paint.color : isShown && group === "idle" ? theme.accent : theme.kinds[group];
    const isOut = shown >= 0 ? !isShown : focus && (!isTask || !focus.has(task[i]));
    const opacity = isOut ? (isTask ? DIM : 0.35) : 1;
    // Leaves a gap of almost a pixel between neighbours that are wide enough.
    const wide = Math.max(1, x1 - x0 - (x1 - x0 > 4 ? 0.75 : 0));
    put(x0, wide, y + height - high, high, color, isTask && depth === 0 ? paint.stripes : 0, opacity);
    if (isTask && depth === 0 && x1 - x0 > 34 && height >= 12 && opacity === 1)
      labels.push(Math.max(x0, scene.gutter), Math.min(x0 + wide, right), color, name[i] < 0 ? texts.states[state[i]] : texts.names[name[i]] || "unknown");
  }
  finish();
  c.globalAlpha = 1;
  c.font = `11px ${theme.font}`;
  c.textBaseline = "middle";
  for (let i = 0; i < labels.length; i += 4) {
    const text = fitted(c, labels[i + 3], labels[i + 1] - labels[i] - 2 * LABEL_PAD, LEAST_LETTERS);
    if (!text) continue;
    c.fillStyle = inkOn(labels[i + 2]);
    c.fillText(text, labels[i] + LABEL_PAD, y + height / 2 + 0.5);
  }
}

// Draws a line below each task as long as its expected duration, with a tick at its end.
function paintEstimates(c, scene, { start, expectedEnd }, y) {
  const scale = (scene.width - scene.gutter) / (scene.view.to - scene.view.from);
  const origin = scene.gutter + (scene.answer.fromNs - scene.view.from) * scale;
  c.fillStyle = scene.theme.text;
  for (let i = 0; i < start.length; ++i) {
    const x0 = origin + start[i] * scale, x1 = origin + expectedEnd[i] * scale;
    if (x0 > scene.width) break;
    if (expectedEnd[i] < start[i] || x1 < scene.gutter) continue;
    c.fillRect(x0, y, x1 - x0, 2);
    c.fillRect(Math.round(x1) - 1, y - 5, 2, 7);
  }
}

// The paint of task slices. A task's own colour is used unless tasks are coloured by a measure.
function painter(scene, { name, rgb, colour }) {
  const { paints } = scene;
  if (!paints.isByName) return (i) => (colour && paints.byEntry[colour[i]]) ?? paints.none;
  const byName = scene.tailPaints ?? paints.byName;
  const named = (i) => byName[name[i]] ?? paints.none;
  if (!rgb) return named;
  return (i) => (rgb[i] >= 0 && hex(rgb[i]) !== named(i).color ? { color: hex(rgb[i]), stripes: 0 } : named(i));
}

function paintCounter(c, scene, { counter, y, height }) {
  const { theme, answer } = scene;
  const { start, end, low, high, mean, max } = counter;
  c.fillStyle = theme.grid;
  c.fillRect(scene.gutter, y + height, scene.width - scene.gutter, 1);
  if (!start.length || !(max > 0)) return;
  const yOf = (value) => y + height - (Math.max(0, value) / max) * (height - 2);
  const scale = (scene.width - scene.gutter) / (scene.view.to - scene.view.from);
  const origin = scene.gutter + (answer.fromNs - scene.view.from) * scale;
  const first = firstAtLeast(end, (scene.gutter - origin) / scale), last = firstAtLeast(start, (scene.width - origin) / scale);
  if (first >= last) return;
  const outline = (values) => {
    c.beginPath();
    c.moveTo(origin + start[first] * scale, y + height);
    for (let i = first; i < last; ++i) {
      const x0 = origin + start[i] * scale, x1 = origin + end[i] * scale;
      c.lineTo(x0, yOf(values[i]));
      if (x1 - x0 > 1) c.lineTo(x1, yOf(values[i]));
    }
    c.lineTo(origin + end[last - 1] * scale, y + height);
    c.closePath();
  };
  // The range between the lowest and the highest value is lighter.
  c.fillStyle = theme.accent;
  c.globalAlpha = 0.22;
  outline(low);
  c.fill();
  outline(high);
  c.fill();
  // The line is the mean: a few high values among many low ones do not make it high.
  if (mean) outline(mean);
  c.globalAlpha = 1;
  c.strokeStyle = theme.accent;
  c.lineWidth = 1;
  c.stroke();
}

// A frame around the selected task or state, and the task's dependencies.
function paintSelection(c, scene) {
  const { framed: task, theme } = scene;
  if (!task || task.startNs === null || task.endNs === null) return;
  const placeOf = (one) => scene.layout.places.find((place) => place.row === one.row);
  const place = placeOf(task);
  if (!place) return;
  const x0 = xOf(scene, task.startNs), x1 = Math.max(x0 + 2, xOf(scene, task.endNs));
  const arrow = (fromX, from, toX, to) => {
    if (!from || !to) return;
    const y0 = from.y + from.height / 2, y1 = to.y + to.height / 2;
    const bend = Math.max(14, Math.abs(toX - fromX) / 2);
    c.moveTo(fromX, y0);
    c.bezierCurveTo(fromX + bend, y0, toX - bend, y1, toX, y1);
    c.moveTo(toX - 6, y1 - 3.5);
    c.lineTo(toX, y1);
    c.lineTo(toX - 6, y1 + 3.5);
  };
  c.strokeStyle = theme.text;
  c.lineWidth = 1.25;
  c.globalAlpha = 0.75;
  c.beginPath();
  for (const before of task.predecessors?.tasks || [])
    if (before.endNs !== null) arrow(xOf(scene, before.endNs), placeOf(before), x0, place);
  for (const after of task.successors?.tasks || [])
    if (after.startNs !== null) arrow(x1, place, xOf(scene, after.startNs), placeOf(after));
  c.stroke();
  c.globalAlpha = 1;
  c.strokeStyle = theme.background;
  c.lineWidth = 4;
  c.strokeRect(x0 - 1, place.y - 1, x1 - x0 + 2, place.height + 2);
  c.strokeStyle = theme.text;
  c.lineWidth = 2;
  c.strokeRect(x0 - 1, place.y - 1, x1 - x0 + 2, place.height + 2);
}

function paintLabels(c, scene) {
  const { theme, texts, layout, height } = scene;
  c.save();
  c.beginPath();
  c.rect(0, AXIS, scene.gutter, height - AXIS);
  c.clip();
  c.translate(0, -scene.scroll);
  c.textBaseline = "middle";
  c.textAlign = "right";
  c.font = `12px ${theme.font}`;
  const room = scene.gutter - 14;
  for (const { row, y, height: high } of layout.places) {
    if (!isSeen(scene, { y, height: high })) continue;
    const { name, rank } = texts.rows[row];
    if (scene.marked === row) {
      c.fillStyle = theme.accent;
      c.fillRect(0, y - 1, 4, high + 2);
    }
    c.fillStyle = scene.hoverRow === row || scene.marked === row ? theme.text : theme.faint;
    c.fillText(fitted(c, scene.ranks > 1 ? `${rank}: ${name}` : name, room), scene.gutter - 10, y + high / 2 + 0.5);
  }
  c.font = `11px ${theme.font}`;
  c.fillStyle = theme.faint;
  for (const { key, y, height: high } of layout.lanes ?? []) c.fillText(fitted(c, LANE_NAMES[key], room), scene.gutter - 10, y + high / 2 + 0.5);
  for (const { counter, y, height: high } of layout.counters) {
    if (!isSeen(scene, { y, height: high })) continue;
    c.fillStyle = theme.faint;
    const { kind, name, rank } = scene.texts.rows[counter.row];
    const owner = kind === "memory_node" ? name.replace(/^memory /, "") : "";
    const prefix = scene.ranks > 1 && ["memory_node", "scheduler"].includes(kind) ? `${rank}: ` : "";
    c.fillText(fitted(c, prefix + counter.name, room), scene.gutter - 10, y + high / 2 - 6);
    if (scene.valueOf) c.fillStyle = theme.text;
    const most = quantity(counter.max, counter.unit);
    const values = scene.valueOf ? [scene.valueOf(counter)] : [`max ${most}`, most];
    const texts = values.map((value) => (owner ? `${owner}, ${value}` : value));
    c.fillText(fitted(c, texts.find((text) => fits(c, text, room)) ?? texts.at(-1), room), scene.gutter - 10, y + high / 2 + 7);
  }
  c.restore();
  c.textAlign = "left";
}

// Draws the interval that is selected or being drawn with the pointer: the rest is paler, and its
// length is written on the axis between its edges.
function paintStretch(c, scene) {
  const { stretch, theme, width, height, gutter, view } = scene;
  if (!stretch) return;
  const x0 = xOf(scene, stretch.from), x1 = xOf(scene, stretch.to);
  if (x1 < gutter || x0 > width) return;
  const left = Math.max(gutter, x0), right = Math.min(width, x1);
  c.fillStyle = theme.background;
  c.globalAlpha = PALE;
  c.fillRect(gutter, AXIS, left - gutter, height - AXIS);
  c.fillRect(right, AXIS, width - right, height - AXIS);
  c.globalAlpha = 1;
  c.fillStyle = theme.accent;
  c.fillRect(left, AXIS - 4, Math.max(1, right - left), 3);
  for (const x of [x0, x1]) if (x >= gutter && x <= width) c.fillRect(Math.min(x, width - 1.5), 0, 1.5, height);
  const text = lengthAt(stretch.to - stretch.from, (view.to - view.from) / (width - gutter));
  c.font = `bold 11px ${theme.font}`;
  c.textAlign = "left";
  c.textBaseline = "middle";
  const wide = c.measureText(text).width + 10;
  // Written beside an interval that is too short for it.
  const middle = (left + right - wide) / 2, at = right - left >= wide + 4 ? middle : right + 3 + wide <= width ? right + 3 : left - 3 - wide;
  c.fillRect(at, 2, wide, 17);
  c.fillStyle = theme.background;
  c.fillText(text, at + 5, 11);
}

function paintCursor(c, scene) {
  const { theme, pointer, height } = scene;
  if (!pointer || pointer.x <= scene.gutter) return;
  c.globalAlpha = 0.5;
  c.fillStyle = theme.faint;
  c.fillRect(Math.round(pointer.x), AXIS, 1, height - AXIS);
  c.globalAlpha = 1;
}
