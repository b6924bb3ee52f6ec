// SPDX-License-Identifier: Apache-2.0
// The page computes its own layout, for a served run and for a report: a report opens and closes
// groups without a server, and both must look the same. So the server is asked for the graph
// without positions.
//
// Arranges the nodes of a group graph in columns from left to right; each node is to the right of
// all nodes that it depends on. All positions are computed as if every group were closed. An open
// group is a frame as large as its contents, which are laid out first. It keeps its corner and
// pushes the nodes on its right to the right and those below it down, so that nothing else changes
// its line, column or order. Linear in nodes and edges except for sorting columns; the layout is
// not optimal, but quick.

const NODE = { width: 128, height: 34 }, TASK = { width: 92, height: 24 };
const GAP_X = 46, GAP_Y = 10, PAD = 12, TITLE = 20;
const TALL = 14;    // nodes of a column before it is split into several
const WIDE = 3.2;     // the page has room for pictures this many times as wide as high
const LINE_GAP = 34;
const SWEEPS = 4;

// nodes: [{frame}], frames: [{frame}] (the parent; -1 at the top), edges: [{from, to}] between
// nodes. Returns {width, height, nodes: [{x, y, width, height, above, below}], frames: [...]}, x
// and y of the corner; above and below are the middles of the gaps between its line of columns and
// the next ones.
export function layOut(nodes, frames, edges, isTask) {
  const children = Array.from({ length: frames.length + 1 }, () => []);
  nodes.forEach((node, i) => children[node.frame + 1].push({ node: i, first: i, closed: isTask(i) ? TASK : NODE, ...(isTask(i) ? TASK : NODE) }));
  // The parts of a group, and its frame, take the group's place among the nodes.
  const first = frames.map(() => Infinity);
  nodes.forEach(({ frame }, i) => {
    for (let f = frame; f >= 0; f = frames[f].frame) first[f] = Math.min(first[f], i);
  });
  frames.forEach((frame, i) => children[frame.frame + 1].push({ frameOf: i, first: first[i], closed: NODE }));
  for (const boxes of children) boxes.sort((a, b) => a.first - b.first);
  // The chain of frames around each node, to move an edge up to the level where its ends separate.
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
  // Parents precede their frames, so this order lays out inner frames first.
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

// Sets x and y of each box; edges are pairs of ["n", node] or ["f", frame].
function layers(boxes, edges) {
  if (!boxes.length) return { width: NODE.width, height: NODE.height };
  const index = new Map(boxes.map((box, i) => [box.frameOf === undefined ? "n" + box.node : "f" + box.frameOf, i]));
  // Several edges between two open groups count once, as they do between closed groups.
  const pairs = new Set(edges.map(([from, to]) => index.get(from.join("")) * boxes.length + index.get(to.join(""))));
  const after = boxes.map(() => []), before = boxes.map(() => []);
  for (const pair of [...pairs].sort((a, b) => a - b)) {
    const a = Math.floor(pair / boxes.length), b = pair % boxes.length;
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

// The longest path to each box; edges that would close a cycle are ignored.
function ranks(before, after) {
  const left = before.map((list) => list.length), rank = before.map(() => 0);
  const queue = [];
  left.forEach((count, i) => count || queue.push(i));
  for (let at = 0; at < queue.length; ++at)
    for (const next of after[queue[at]]) {
      rank[next] = Math.max(rank[next], rank[queue[at]] + 1);
      if (--left[next] === 0) queue.push(next);
    }
  // A box without predecessors moves next to the first box that needs it.
  for (let i = 0; i < rank.length; ++i)
    if (!before[i].length && after[i].length) rank[i] = Math.max(0, Math.min(...after[i].map((b) => rank[b])) - 1);
  return rank;
}

// Reduces crossings: sorts each box by the mean place of its neighbours, in a few passes back and
// forth.
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

// Arranges columns from left to right, and breaks a long row of columns into lines.
function coordinates(boxes, columns, before) {
  const parts = [];
  for (const column of columns) {
    if (!column) continue;
    const folds = Math.ceil(column.length / Math.max(TALL, Math.sqrt(boxes.length) * 1.2));
    const each = Math.ceil(column.length / folds);
    for (let fold = 0; fold < folds; ++fold) {
      const part = column.slice(fold * each, (fold + 1) * each);
      parts.push({ boxes: part, width: Math.max(...part.map((i) => boxes[i].closed.width)),
                   gap: fold + 1 < folds ? GAP_Y * 2 : GAP_X,
                   height: part.reduce((sum, i) => sum + boxes[i].closed.height + GAP_Y, -GAP_Y) });
    }
  }
  const long = parts.reduce((sum, part) => sum + part.width + part.gap, 0);
  const high = Math.max(...parts.map((part) => part.height)) + LINE_GAP;
  // The number of lines for a picture about WIDE times as wide as high.
  const lines = long > WIDE * 2 * high ? Math.round(Math.sqrt(long / (WIDE * high))) : 1;
  let x = 0, top = 0, line = [];
  const finish = () => {
    placeLine(boxes, line, before);
    top = growLine(boxes, line, top) + LINE_GAP;
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
  return { width: Math.max(...boxes.map((box) => box.x + box.width)), height: top - LINE_GAP };
}

// Moves each box as close as possible to the middle of its predecessors, with all groups closed.
function placeLine(boxes, line, before) {
  const inLine = new Set(line.flatMap((part) => part.boxes));
  for (const part of line) {
    const wishes = part.boxes.flatMap((i) => before[i].filter((b) => inLine.has(b) && boxes[b].y !== undefined))
      .map((b) => boxes[b].y + boxes[b].closed.height / 2);
    let y = (wishes.length ? wishes.reduce((sum, wish) => sum + wish, 0) / wishes.length : 0) - part.height / 2;
    for (const i of part.boxes) {
      boxes[i].y = y;
      y += boxes[i].closed.height + GAP_Y;
    }
  }
}

// Moves a line to `start`, with room for open groups; returns its lower end.
function growLine(boxes, line, start) {
  const all = line.flatMap((part) => part.boxes), top = Math.min(...all.map((i) => boxes[i].y));
  let right = 0, bottom = start;
  for (const part of line) {
    let down = 0, wider = 0;
    for (const i of part.boxes) {
      const box = boxes[i];
      box.x = part.x + right + (part.width - box.closed.width) / 2;
      box.y += start - top + down;
      down += box.height - box.closed.height;
      wider = Math.max(wider, box.width - box.closed.width);
      bottom = Math.max(bottom, box.y + box.height);
    }
    right += wider;
  }
  for (const i of all) {
    boxes[i].above = start - LINE_GAP / 2;
    boxes[i].below = bottom + LINE_GAP / 2;
  }
  return bottom;
}
