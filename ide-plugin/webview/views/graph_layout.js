// SPDX-License-Identifier: Apache-2.0
// Places the nodes of a group graph: columns from left to right, each node to the right of all that it
// depends on. An opened group is a frame, as large as what lies in it, laid out first. Linear in
// nodes and edges but for the sorting of columns; no picture waits for an optimal layout.

const NODE = { width: 128, height: 34 }, TASK = { width: 92, height: 24 };
const GAP_X = 46, GAP_Y = 10, PAD = 12, TITLE = 20;
const TALL = 14;    // nodes of a column before it is folded into several
const WIDE = 3.2;     // pictures this many times as wide as high suit the page
const LINE_GAP = 34;
const SWEEPS = 4;

// nodes: [{frame}], frames: [{frame}] (their parents, -1 at the top), edges: [{from, to}] of nodes.
// Returns {width, height, nodes: [{x, y, width, height, above, below}], frames: [...]}, x and y of the
// corner; above and below are the middles of the gaps between its line of columns and the next ones.
export function layOut(nodes, frames, edges, isTask) {
  const children = Array.from({ length: frames.length + 1 }, () => []);
  nodes.forEach((node, i) => children[node.frame + 1].push({ node: i, ...(isTask(i) ? TASK : NODE) }));
  frames.forEach((frame, i) => children[frame.frame + 1].push({ frameOf: i }));
  // The chain of frames around each node, to lift an edge to the level where its ends part.
  const chain = (frame) => {
    const list = [];
    for (let f = frame; f >= 0; f = frames[f].frame) list.push(f);
    return list.reverse();
  };
  const chains = nodes.map((node) => chain(node.frame));
  const lifted = Array.from({ length: frames.length + 1 }, () => []);
  for (const { from, to } of edges) {
    const a = chains[from], b = chains[to];
    let depth = 0;
    while (depth < a.length && depth < b.length && a[depth] === b[depth]) ++depth;
    const level = depth === 0 ? 0 : a[depth - 1] + 1;
    lifted[level].push([depth < a.length ? ["f", a[depth]] : ["n", from], depth < b.length ? ["f", b[depth]] : ["n", to]]);
  }
  const placed = { nodes: new Array(nodes.length), frames: new Array(frames.length) };
  const sizes = new Array(frames.length + 1);
  // Frames come after the frames around them, so inner ones are laid out first this way.
  for (let level = frames.length; level >= 0; --level) {
    const boxes = children[level];
    for (const box of boxes)
      if (box.frameOf !== undefined) Object.assign(box, { width: sizes[box.frameOf + 1].width + 2 * PAD,
                                                          height: sizes[box.frameOf + 1].height + PAD + TITLE });
    sizes[level] = layers(boxes, lifted[level]);
  }
  const put = (level, x, y) => {
    for (const box of children[level]) {
      const at = { x: x + box.x, y: y + box.y, width: box.width, height: box.height,
                   above: y + box.above, below: y + box.below };
      if (box.frameOf === undefined) placed.nodes[box.node] = at;
      else {
        placed.frames[box.frameOf] = at;
        put(box.frameOf + 1, at.x + PAD, at.y + TITLE);
      }
    }
  };
  put(0, 0, 0);
  return { ...sizes[0], ...placed };
}

// Gives each box its x and y; edges are pairs of ["n", node] or ["f", frame].
function layers(boxes, edges) {
  if (!boxes.length) return { width: NODE.width, height: NODE.height };
  const index = new Map(boxes.map((box, i) => [box.frameOf === undefined ? "n" + box.node : "f" + box.frameOf, i]));
  const after = boxes.map(() => []), before = boxes.map(() => []);
  for (const [from, to] of edges) {
    const a = index.get(from.join("")), b = index.get(to.join(""));
    if (a === b) continue;
    after[a].push(b);
    before[b].push(a);
  }
  const rank = ranks(before, after);
  const columns = [];
  boxes.forEach((_, i) => (columns[rank[i]] ||= []).push(i));
  order(columns, before, after);
  return coordinates(boxes, columns, before);
}

// The longest way to each box; edges that would close a cycle count for nothing.
function ranks(before, after) {
  const left = before.map((list) => list.length), rank = before.map(() => 0);
  const queue = [];
  left.forEach((count, i) => count || queue.push(i));
  for (let at = 0; at < queue.length; ++at)
    for (const next of after[queue[at]]) {
      rank[next] = Math.max(rank[next], rank[queue[at]] + 1);
      if (--left[next] === 0) queue.push(next);
    }
  // A box without predecessors moves to just before the first that needs it.
  for (let i = 0; i < rank.length; ++i)
    if (!before[i].length && after[i].length) rank[i] = Math.max(0, Math.min(...after[i].map((b) => rank[b])) - 1);
  return rank;
}

// Few crossings: each box by the mean place of its neighbours, a few times forth and back.
function order(columns, before, after) {
  const place = [];
  const number = (column) => column.forEach((box, i) => (place[box] = i / Math.max(1, column.length)));
  columns.forEach(number);
  const mean = (list, own) => (list.length ? list.reduce((sum, i) => sum + place[i], 0) / list.length : own);
  for (let sweep = 0; sweep < SWEEPS; ++sweep) {
    const forth = sweep % 2 === 0;
    const todo = forth ? columns : columns.slice().reverse();
    for (const column of todo) {
      const key = new Map(column.map((i) => [i, mean(forth ? before[i] : after[i], place[i])]));
      column.sort((a, b) => key.get(a) - key.get(b));
      number(column);
    }
  }
}

// Columns from left to right; a long row of them is broken into lines, like a text.
function coordinates(boxes, columns, before) {
  const parts = [];
  for (const column of columns) {
    if (!column) continue;
    const folds = Math.ceil(column.length / Math.max(TALL, Math.sqrt(boxes.length) * 1.2));
    const each = Math.ceil(column.length / folds);
    for (let fold = 0; fold < folds; ++fold) {
      const part = column.slice(fold * each, (fold + 1) * each);
      parts.push({ boxes: part, width: Math.max(...part.map((i) => boxes[i].width)),
                   gap: fold + 1 < folds ? GAP_Y * 2 : GAP_X,
                   height: part.reduce((sum, i) => sum + boxes[i].height + GAP_Y, -GAP_Y) });
    }
  }
  const long = parts.reduce((sum, part) => sum + part.width + part.gap, 0);
  const high = Math.max(...parts.map((part) => part.height)) + LINE_GAP;
  // So many lines that the picture is about WIDE times as wide as it is high.
  const lines = long > WIDE * 2 * high ? Math.round(Math.sqrt(long / (WIDE * high))) : 1;
  let x = 0, width = 0, top = 0, line = [];
  const finish = () => {
    top = placeLine(boxes, line, before, top) + LINE_GAP;
    width = Math.max(width, x);
    x = 0;
    line = [];
  };
  for (const part of parts) {
    if (line.length && x + part.width > long / lines) finish();
    part.x = x;
    x += part.width + part.gap;
    line.push(part);
  }
  finish();
  return { width: width - GAP_X, height: top - LINE_GAP };
}

// Each part as near to the middle of what it depends on as it can be; returns the lower end.
function placeLine(boxes, line, before, start) {
  const inLine = new Set(line.flatMap((part) => part.boxes));
  let top = Infinity, bottom = -Infinity;
  for (const part of line) {
    const wishes = part.boxes.flatMap((i) => before[i].filter((b) => inLine.has(b) && boxes[b].y !== undefined))
      .map((b) => boxes[b].y + boxes[b].height / 2);
    let y = (wishes.length ? wishes.reduce((sum, wish) => sum + wish, 0) / wishes.length : 0) - part.height / 2;
    for (const i of part.boxes) {
      boxes[i].x = part.x + (part.width - boxes[i].width) / 2;
      boxes[i].y = y;
      y += boxes[i].height + GAP_Y;
      top = Math.min(top, boxes[i].y);
      bottom = Math.max(bottom, boxes[i].y + boxes[i].height);
    }
  }
  for (const part of line)
    for (const i of part.boxes) {
      boxes[i].y += start - top;
      boxes[i].above = start - LINE_GAP / 2;
      boxes[i].below = start + bottom - top + LINE_GAP / 2;
    }
  return start + bottom - top;
}
