// SPDX-License-Identifier: Apache-2.0
// Draws the graph on a canvas or the SVG recorder. Has no state.
import { inkOn } from "../colors.js";
import { count, duration } from "../format.js";
import { fitted, widthOf } from "./fit.js";

const DIM = 0.18;
const PLUS = 14;  // from the right end of a group to its "+" sign

export function paintGraph(c, scene) {
  const { width, height, theme, layout, camera } = scene;
  c.fillStyle = theme.background;
  c.fillRect(0, 0, width, height);
  if (!layout) return;
  c.save();
  c.translate(camera.x, camera.y);
  c.scale(camera.scale, camera.scale);
  const seen = { left: -camera.x / camera.scale, top: -camera.y / camera.scale,
                 right: (width - camera.x) / camera.scale, bottom: (height - camera.y) / camera.scale };
  paintFrames(c, scene, seen);
  paintEdges(c, scene, seen);
  paintNodes(c, scene, seen);
  c.restore();
}

const isIn = (box, seen) =>
  box.x <= seen.right && box.x + box.width >= seen.left && box.y <= seen.bottom && box.y + box.height >= seen.top;

function paintFrames(c, { layout, answer, theme, camera, chosenFrame }, seen) {
  answer.frames.forEach((frame, i) => {
    const box = layout.frames[i];
    if (!isIn(box, seen)) return;
    rounded(c, box, 6);
    c.fillStyle = theme.group;
    c.globalAlpha = 0.5;
    c.fill();
    c.globalAlpha = 1;
    c.strokeStyle = i === chosenFrame ? theme.text : theme.line;
    c.lineWidth = (i === chosenFrame ? 2 : 1) / camera.scale;
    c.stroke();
    if (camera.scale * 12 < 5) return;
    c.fillStyle = theme.faint;
    c.font = `11px ${theme.font}`;
    c.textBaseline = "middle";
    const tasks = ` · ${count(frame.tasks)}`, room = box.width - 16 - widthOf(c, `− ${tasks}`);
    c.fillText(`− ${fitted(c, frame.label, room)}${tasks}`, box.x + 8, box.y + 10);
  });
}

// The start, end and bend of the arrow between two nodes.
export function edgeEnds(from, to) {
  const begin = { x: from.x + from.width, y: from.y + from.height / 2 }, end = { x: to.x, y: to.y + to.height / 2 };
  return [begin, end, Math.max(16, Math.abs(end.x - begin.x) / 2)];
}

// Draws all lines of one colour, then their tips as one shape. Tips have a constant size on the
// screen, so that directions stay visible when zoomed out.
function paintEdges(c, scene, seen) {
  const { layout, answer, theme, camera, near } = scene;
  const most = Math.max(1, ...answer.edges.map((edge) => edge.count));
  const widthOf = (many, plus) => 1 + 3 * (Math.log1p(many) / Math.log1p(most)) * (most > 1 ? 1 : 0) + plus;
  const size = 1 / Math.min(1, camera.scale);
  const draw = (edges, color, alpha, plus) => {
    const shown = edges.filter(({ from, to }) => {
      const a = layout.nodes[from], b = layout.nodes[to];
      const [{ x: x0, y: y0 }, { x: x1, y: y1 }] = edgeEnds(a, b);
      return Math.max(x0, x1) >= seen.left && Math.min(x0, x1) <= seen.right && Math.max(y0, y1) >= seen.top && Math.min(y0, y1) <= seen.bottom;
    });
    c.strokeStyle = color;
    c.fillStyle = color;
    c.globalAlpha = alpha;
    for (const { from, to, count: many } of shown) {
      const a = layout.nodes[from], b = layout.nodes[to];
      const [{ x: x0, y: y0 }, { x: x1, y: y1 }, bend] = edgeEnds(a, b);
      c.lineWidth = widthOf(many, plus);
      c.beginPath();
      c.moveTo(x0, y0);
      if (x1 < x0 && a.below <= b.above && answer.nodes.frame[from] === answer.nodes.frame[to]) throughGaps(c, a, b);
      else c.bezierCurveTo(x0 + bend, y0, x1 - bend, y1, x1 - tipOf(many), y1);
      c.stroke();
    }
    c.globalAlpha = Math.min(1, alpha + 0.35);
    c.beginPath();
    for (const { to, count: many } of shown) {
      const b = layout.nodes[to], x = b.x, y = b.y + b.height / 2, length = tipOf(many) + 2, half = length * 0.55;
      c.moveTo(x - length, y - half);
      c.lineTo(x, y);
      c.lineTo(x - length, y + half);
      c.closePath();
    }
    c.fill();
    c.globalAlpha = 1;
  };
  // Longer for a thicker line, but not longer than the gap between columns.
  const tipOf = (many) => Math.min((4 + 1.6 * widthOf(many, 0)) * size, 30);
  const isNear = (edge) => near !== null && (edge.from === near || edge.to === near);
  draw(answer.edges.filter((edge) => !isNear(edge)), theme.faint, near === null ? 0.45 : 0.18, 0);
  if (near !== null) draw(answer.edges.filter(isNear), theme.text, 0.9, 0.5);
}

// A path to a node in a later line of columns, along the gaps between lines; paths that skip lines
// go around on the left.
function throughGaps(c, a, b) {
  const y0 = a.y + a.height / 2, y1 = b.y + b.height / 2, out = a.x + a.width + 12, into = b.x - 16;
  const corners = [[out, y0], [out, a.below]];
  if (a.below < b.above) corners.push([-16, a.below], [-16, b.above]);
  corners.push([into, b.above], [into, y1]);
  corners.forEach(([x, y], i) => {
    const [nextX, nextY] = corners[i + 1] || [b.x - 5, y1];
    c.arcTo(x, y, nextX, nextY, 7);
  });
  c.lineTo(b.x - 5, y1);
}

function paintNodes(c, scene, seen) {
  const { layout, answer, camera, theme, chosen, holder, isOnPath } = scene;
  const { task, tasks } = answer.nodes;
  // A vector picture may be enlarged later.
  const readable = scene.isVector || camera.scale * 11 >= 5.5;
  c.textBaseline = "middle";
  for (let i = 0; i < layout.nodes.length; ++i) {
    const box = layout.nodes[i];
    if (!isIn(box, seen)) continue;
    const { color, stripes } = scene.paintOf(i);
    const opacity = scene.isWithout(i) ? DIM : 1;
    paintBox(c, box, { color, stripes, opacity, isStack: tasks[i] > 1 });
    if (isOnPath && task[i] >= 0 && isOnPath(task[i])) {
      c.strokeStyle = theme.critical;
      c.lineWidth = 3;
      c.stroke();
    }
    // What is selected is never dimmed.
    if (i === chosen || i === holder) c.globalAlpha = 1;
    const edge = 1 / Math.min(1, camera.scale);
    if (i === chosen) paintFrame(c, box, theme.text, edge);
    if (scene.isOfLine(i) || i === holder) paintFrame(c, box, theme.accent, edge);
    // The group that contains the selected task has a pin at its corner, because it is not selected
    // itself.
    if (i === holder) {
      c.fillStyle = theme.accent;
      c.fillRect(box.x - 3 - 4 * edge, box.y - 3 - 4 * edge, 8 * edge, 8 * edge);
    }
    if (readable) paintText(c, box, answer.nodes, i, color, theme.font);
    c.globalAlpha = 1;
  }
}

// Leaves the outline of the box as the current path.
function paintBox(c, box, { color, stripes, opacity, isStack }) {
  c.fillStyle = color;
  // A stack indicates that the group has parts.
  if (isStack) {
    c.globalAlpha = opacity === 1 ? 0.35 : opacity / 2;
    c.fillRect(box.x + 4, box.y + 4, box.width, box.height);
  }
  c.globalAlpha = opacity;
  rounded(c, box, 4);
  c.fill();
  if (!stripes) return;
  c.fillStyle = inkOn(color);
  for (let k = 0; k < stripes; ++k) c.fillRect(box.x + 4, box.y + box.height - 4 - 4 * k, box.width - 8, 1.5);
}

// A frame around a box, at least two pixels of the screen wide.
function paintFrame(c, box, color, edge) {
  rounded(c, { x: box.x - 3, y: box.y - 3, width: box.width + 6, height: box.height + 6 }, 6);
  c.strokeStyle = color;
  c.lineWidth = 2 * edge;
  c.stroke();
}

function paintText(c, box, { label, tasks, totalNs, canOpen }, i, color, font) {
  c.fillStyle = inkOn(color);
  if (tasks[i] <= 1) {
    c.font = `11px ${font}`;
    c.fillText(fitted(c, label[i], box.width - 14), box.x + 7, box.y + box.height / 2 + 0.5);
    return;
  }
  c.font = `bold 12px ${font}`;
  c.fillText(fitted(c, label[i], box.width - (canOpen[i] ? PLUS + 12 : 14)), box.x + 8, box.y + 12);
  c.font = `11px ${font}`;
  c.fillText(`${count(tasks[i])} × · ${duration(totalNs[i])}`, box.x + 8, box.y + 25);
  if (!canOpen[i]) return;
  c.font = `bold 13px ${font}`;
  c.fillText("+", box.x + box.width - PLUS, box.y + 12);
}

function rounded(c, { x, y, width, height }, radius) {
  c.beginPath();
  c.moveTo(x + radius, y);
  c.arcTo(x + width, y, x + width, y + height, radius);
  c.arcTo(x + width, y + height, x, y + height, radius);
  c.arcTo(x, y + height, x, y, radius);
  c.arcTo(x, y, x + width, y, radius);
  c.closePath();
}
