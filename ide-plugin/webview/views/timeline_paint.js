// SPDX-License-Identifier: Apache-2.0
// Draws the timeline: axis, rows, counters, arrows, marks. Pure: from what it is given to a canvas (or
// whatever has a canvas context's methods, such as the SVG recorder).
import { duration, moment, quantity, roundStep } from "../format.js";
import { inkOn } from "../colors.js";
import { short } from "../dom.js";

export const GUTTER = 112, AXIS = 24, COUNTER = 34;
const DIM = 0.16;

// Where everything lies: rows with their y, counters below them.
export function arrange(rows, counters, height) {
  const below = counters.length * COUNTER;
  const room = Math.max(60, height - AXIS - below - 6);
  const each = Math.max(13, Math.min(34, Math.floor(room / Math.max(1, rows.length))));
  const places = rows.map((row, i) => ({ row, y: AXIS + 4 + i * each, height: each - 3 }));
  const end = AXIS + 4 + rows.length * each;
  return {
    places,
    counters: counters.map((counter, i) => ({ counter, y: end + 2 + i * COUNTER, height: COUNTER - 6 })),
    height: end + below + 4,
  };
}

export function paintTimeline(c, scene) {
  const { width, height, theme } = scene;
  c.fillStyle = theme.background;
  c.fillRect(0, 0, width, height);
  c.save();
  c.beginPath();
  c.rect(GUTTER, 0, width - GUTTER, height);
  c.clip();
  paintGrid(c, scene);
  c.save();
  c.beginPath();
  c.rect(GUTTER, AXIS, width - GUTTER, height - AXIS);
  c.clip();
  c.translate(0, -scene.scroll);
  for (const place of scene.layout.places) paintRow(c, scene, place);
  for (const place of scene.layout.counters) paintCounter(c, scene, place);
  paintPath(c, scene);
  paintSelection(c, scene);
  c.restore();
  c.restore();
  paintLabels(c, scene);
  paintCursor(c, scene);
}

const xOf = (scene, ns) =>
  GUTTER + ((ns - scene.view.from) / (scene.view.to - scene.view.from)) * (scene.width - GUTTER);

function paintGrid(c, scene) {
  const { view, theme, width, height } = scene;
  const step = roundStep(view.to - view.from, (width - GUTTER) / 110);
  c.font = `11px ${theme.font}`;
  c.textBaseline = "middle";
  c.textAlign = "left";
  for (let at = Math.ceil(view.from / step) * step; at <= view.to; at += step) {
    const x = Math.round(xOf(scene, at)) + 0.5;
    c.fillStyle = theme.grid;
    c.fillRect(x - 0.5, AXIS - 4, 1, height - AXIS + 4);
    c.fillStyle = theme.faint;
    c.fillText(moment(at, step), x + 4, AXIS / 2 + 1);
  }
  c.fillStyle = theme.line;
  c.fillRect(GUTTER, AXIS - 1, width - GUTTER, 1);
}

function paintRow(c, scene, { row, y, height }) {
  const { answer, theme } = scene;
  c.fillStyle = theme.hover;
  if (scene.hoverRow === row) c.fillRect(GUTTER, y - 1, scene.width - GUTTER, height + 2);
  const layers = answer?.rows.find((one) => one.row === row)?.layers || [];
  layers.forEach((layer, depth) => layer && paintLayer(c, scene, layer, depth, y, height));
}

function paintLayer(c, scene, layer, depth, y, height) {
  const { answer, view, theme, texts, colors, focus } = scene;
  const { start, end, state, name, task } = layer;
  const scale = (scene.width - GUTTER) / (view.to - view.from);
  const origin = GUTTER + (answer.fromNs - view.from) * scale;
  const right = scene.width;
  // What was pushed onto a task lies in its lower part, so that both are seen.
  const inner = Math.max(3, Math.round(height * 0.3));
  const thin = Math.max(3, Math.round(height * 0.42));
  const labels = [];
  let fill = null, alpha = 1;
  for (let i = 0; i < start.length; ++i) {
    const x0 = origin + start[i] * scale, x1 = origin + end[i] * scale;
    if (x1 < GUTTER || x0 > right) continue;
    const group = scene.groups[state[i]];
    const isTask = group === "task";
    if (group === "idle" && depth > 0) continue;
    const color = isTask ? colors.of((name[i] < 0 ? "" : texts.names[name[i]]) || "unknown") : theme.kinds[group];
    const opacity = focus && (!isTask || !focus.has(task[i])) ? (isTask ? DIM : 0.35) : 1;
    if (color !== fill) c.fillStyle = fill = color;
    if (opacity !== alpha) c.globalAlpha = alpha = opacity;
    // A gap of half a pixel between neighbours that are wide enough to be told apart.
    const wide = Math.max(1, x1 - x0 - (x1 - x0 > 4 ? 0.75 : 0));
    if (depth > 0) c.fillRect(x0, y + height - inner, wide, inner);
    else if (isTask) c.fillRect(x0, y, wide, height);
    else if (group === "idle") c.fillRect(x0, y + height - 2, wide, 2);
    else c.fillRect(x0, y + height - thin, wide, thin);
    if (isTask && depth === 0 && x1 - x0 > 34 && height >= 12 && opacity === 1)
      labels.push(Math.max(x0, GUTTER), Math.min(x1, right), color, texts.names[name[i]] || "unknown");
  }
  c.globalAlpha = 1;
  c.font = `11px ${theme.font}`;
  c.textBaseline = "middle";
  for (let i = 0; i < labels.length; i += 4) {
    const room = labels[i + 1] - labels[i] - 8;
    const fits = Math.floor(room / 6.2);
    if (fits < 3) continue;
    c.fillStyle = inkOn(labels[i + 2]);
    c.fillText(short(labels[i + 3], fits), labels[i] + 4, y + height / 2 + 0.5);
  }
}

function paintCounter(c, scene, { counter, y, height }) {
  const { theme, answer } = scene;
  const { start, end, low, high, max } = counter;
  c.fillStyle = theme.grid;
  c.fillRect(GUTTER, y + height, scene.width - GUTTER, 1);
  if (!start.length || !(max > 0)) return;
  const yOf = (value) => y + height - (Math.max(0, value) / max) * (height - 2);
  const at = (ns) => xOf(scene, answer.fromNs + ns);
  const outline = (values) => {
    c.beginPath();
    c.moveTo(at(start[0]), y + height);
    for (let i = 0; i < start.length; ++i) {
      c.lineTo(at(start[i]), yOf(values[i]));
      c.lineTo(at(end[i]), yOf(values[i]));
    }
    c.lineTo(at(end[end.length - 1]), y + height);
    c.closePath();
  };
  // Where a stretch holds several values, what lies between the lowest and the highest is lighter.
  c.fillStyle = theme.accent;
  c.globalAlpha = 0.22;
  outline(low);
  c.fill();
  outline(high);
  c.fill();
  c.globalAlpha = 1;
  c.strokeStyle = theme.accent;
  c.lineWidth = 1;
  c.stroke();
}

// The observed critical path: each step framed in its row, and a line from one to the next.
function paintPath(c, scene) {
  if (!scene.path) return;
  const { theme } = scene;
  c.strokeStyle = theme.critical;
  c.fillStyle = theme.critical;
  c.lineWidth = 1.5;
  let before = null, drawn = -Infinity;
  c.beginPath();
  for (const { task } of scene.path) {
    const place = scene.layout.places.find((one) => one.row === task.row);
    if (!place) continue;
    const x0 = xOf(scene, task.startNs), x1 = xOf(scene, task.endNs);
    const y = place.y + place.height / 2;
    if (before && x1 >= GUTTER && before.x <= scene.width && (x0 - drawn > 0.7 || before.y !== y)) {
      c.moveTo(before.x, before.y);
      c.lineTo(x0, y);
      drawn = x0;
    }
    before = { x: x1, y };
  }
  c.stroke();
  for (const { task } of scene.path) {
    const place = scene.layout.places.find((one) => one.row === task.row);
    if (!place) continue;
    const x0 = xOf(scene, task.startNs), x1 = xOf(scene, task.endNs);
    if (x1 < GUTTER || x0 > scene.width) continue;
    c.fillRect(x0, place.y - 1, Math.max(1, x1 - x0), 2);
    c.fillRect(x0, place.y + place.height - 1, Math.max(1, x1 - x0), 2);
  }
}

function paintSelection(c, scene) {
  const { task, theme } = scene;
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
  c.rect(0, AXIS, GUTTER, height - AXIS);
  c.clip();
  c.translate(0, -scene.scroll);
  c.textBaseline = "middle";
  c.textAlign = "right";
  c.font = `12px ${theme.font}`;
  for (const { row, y, height: high } of layout.places) {
    const { name, rank } = texts.rows[row];
    c.fillStyle = scene.hoverRow === row ? theme.text : theme.faint;
    c.fillText(short(scene.ranks > 1 ? `${rank}: ${name}` : name, 16), GUTTER - 10, y + high / 2 + 0.5);
  }
  c.font = `11px ${theme.font}`;
  for (const { counter, y, height: high } of layout.counters) {
    c.fillStyle = theme.faint;
    const { kind, name, rank } = texts.rows[counter.row];
    const owner = kind === "memory_node" ? name : scene.ranks > 1 ? `rank ${rank}` : "";
    c.fillText(short(owner ? `${counter.name}, ${owner}` : counter.name, 18), GUTTER - 10, y + high / 2 - 6);
    c.fillText(`max ${quantity(counter.max, counter.unit)}`, GUTTER - 10, y + high / 2 + 7);
  }
  c.restore();
  c.textAlign = "left";
}

function paintCursor(c, scene) {
  const { theme, pointer, range, width, height } = scene;
  if (range) {
    const x0 = xOf(scene, Math.min(range.from, range.to)), x1 = xOf(scene, Math.max(range.from, range.to));
    c.globalAlpha = 0.18;
    c.fillStyle = theme.accent;
    c.fillRect(x0, 0, x1 - x0, height);
    c.globalAlpha = 1;
    c.fillStyle = theme.text;
    c.font = `bold 12px ${theme.font}`;
    c.fillText(duration(Math.abs(range.to - range.from)), Math.min(x0 + 6, width - 70), AXIS / 2 + 1);
  } else if (pointer && pointer.x > GUTTER) {
    c.globalAlpha = 0.5;
    c.fillStyle = theme.faint;
    c.fillRect(Math.round(pointer.x), AXIS, 1, height - AXIS);
    c.globalAlpha = 1;
  }
}
