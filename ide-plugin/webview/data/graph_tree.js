// SPDX-License-Identifier: Apache-2.0
// The graph of the visible groups: each group of the hierarchy is open, closed, or inside a closed
// one. Dependencies between the smallest parts are summed up between the visible groups.

const MOST_NODES = 2000, MOST_EDGES = 4000;
const SMALL = 500;  // a graph of at most this many tasks is shown task by task

export class GraphTree {
  constructor(data, graph) {
    const column = (name) => data.column(graph.column + name);
    this.header = data.header;
    this.graph = graph;
    this.rows = data.column("taskRow");
    for (const name of ["Parent", "Label", "Task", "Name", "Mixed", "Site", "Tasks", "Total", "Start", "End",
                        "From", "To", "Count"])
      this[name.toLowerCase()] = column(name);
    this.rgb = data.column("taskRgb");
    // Decoded on first use; of leaves there is one value a task.
    this.leafColumn = () => column("Leaf");
    this.colourColumn = (by) => column("Colour" + by);
    this.size = this.parent.length;
    this.firstPart = new Int32Array(this.size).fill(-1);
    this.parts = new Int32Array(this.size);
    for (let i = 1; i < this.size; ++i) {
      if (this.firstPart[this.parent[i]] < 0) this.firstPart[this.parent[i]] = i;
      ++this.parts[this.parent[i]];
    }
  }

  // The ids of groups are their rows, which are valid as long as the page shows the same report.
  id(i) {
    return this.graph.group.join("+") + (this.graph.internal ? "+internal." : ".") + i;
  }

  // The row of the group with this id; -1 if there is none.
  rowOf(id) {
    const row = Number(id.slice(id.lastIndexOf(".") + 1));
    return row > 0 && row < this.size && this.id(row) === id ? row : -1;
  }

  // For each kept task, the row of the smallest group that contains it.
  get leaf() {
    return (this.leaves ??= this.leafColumn());
  }

  // The ids of the groups around the kept task at `place`, the outermost first; the last may be a
  // group whose parts are not kept. null: the graph does not show the task.
  groupsAround(place) {
    const groups = [];
    if (this.leaf[place] < 0) return null;
    for (let row = this.leaf[place]; row > 0; row = this.parent[row]) if (this.tasks[row] > 1) groups.unshift(this.id(row));
    return groups;
  }

  // The places of the kept tasks of a group, the number of its tasks, and their common line.
  members(row) {
    const places = [], sites = new Set(), isInside = new Uint8Array(this.size);
    isInside[row] = 1;
    for (let i = row; i < this.size; ++i) {
      if (i > row) isInside[i] = isInside[this.parent[i]];
      if (!isInside[i] || this.parts[i] > 0) continue;
      // A group of several tasks has only the line of its first task.
      sites.add(this.tasks[i] === 1 || this.graph.group.join() === "site" ? this.site[i] : -1);
    }
    for (let place = 0; place < this.leaf.length; ++place) if (this.leaf[place] >= 0 && isInside[this.leaf[place]]) places.push(place);
    const [site] = sites;
    return { count: this.tasks[row], places, site: sites.size === 1 && site >= 0 ? site : null };
  }

  isSmall() {
    return this.size > 0 && this.tasks[0] <= SMALL;
  }

  // The graph task by task, without groups. REQUIRES: it is small.
  flat(legend) {
    const shown = [];
    for (let i = 0; i < this.size; ++i) if (this.parts[i] === 0) shown.push({ row: i, frame: -1 });
    return { ...this.answer(shown, [], [], legend), group: [] };
  }

  view(open, legend) {
    const wanted = new Set(open), shown = [], frames = [], notOpened = [];
    const frameOf = new Map();
    let room = MOST_NODES;
    const add = (i, frame) => {
      if (i > 0 && this.parts[i] > 0 && wanted.has(this.id(i))) {
        if (this.parts[i] <= room) {
          room -= this.parts[i];
          frameOf.set(i, frames.length);
          frames.push({ id: this.id(i), label: this.labelOf(i), tasks: this.tasks[i], totalNs: this.total[i], frame });
          this.eachPart(i, (part) => add(part, frames.length - 1 >= 0 ? frameOf.get(i) : -1));
          return;
        }
        notOpened.push(this.id(i));
      }
      shown.push({ row: i, frame });
    };
    if (this.size === 1) shown.push({ row: 0, frame: -1 });
    if (this.size > 1) {
      room -= this.parts[0];
      this.eachPart(0, (part) => add(part, -1));
    }
    return { ...this.answer(shown, frames, notOpened, legend), byLevelInstead: this.graph.byLevelInstead };
  }

  eachPart(i, visit) {
    for (let k = 0; k < this.parts[i]; ++k) visit(this.firstPart[i] + k);
  }

  labelOf(i) {
    return this.graph.labels[this.label[i]];
  }

  // For each row of the hierarchy the index of the visible node that contains it; -1 above the
  // visible nodes.
  shownBy(shown) {
    const by = new Int32Array(this.size).fill(-1);
    shown.forEach(({ row }, index) => (by[row] = index));
    for (let i = 1; i < this.size; ++i) if (by[i] < 0) by[i] = by[this.parent[i]];
    return by;
  }

  answer(shown, frames, notOpened, legend) {
    const colour = this.colourColumn(legend.by);
    const by = this.shownBy(shown), counts = new Map();
    let total = 0;
    for (let e = 0; e < this.from.length; ++e) {
      const from = by[this.from[e]], to = by[this.to[e]];
      total += this.count[e];
      if (from !== to) counts.set(from * MOST_NODES * 2 + to, (counts.get(from * MOST_NODES * 2 + to) || 0) + this.count[e]);
    }
    let edges = Array.from(counts, ([key, count]) =>
      ({ from: Math.floor(key / (MOST_NODES * 2)), to: key % (MOST_NODES * 2), count }));
    let leftOut = 0;
    if (edges.length > MOST_EDGES) {
      edges.sort((a, b) => b.count - a.count);
      for (const edge of edges.splice(MOST_EDGES)) leftOut += edge.count;
    }
    const pick = (column) => shown.map(({ row }) => column[row]);
    const tasksShown = shown.filter(({ row }) => this.tasks[row] === 1).length;
    return {
      group: this.graph.group,
      tasksTotal: this.size ? this.tasks[0] : 0,
      groups: shown.length - tasksShown,
      legend,
      dependenciesLeftOut: leftOut,
      dependenciesTotal: total,
      notOpened,
      nodes: {
        id: shown.map(({ row }) => this.id(row)),
        label: shown.map(({ row }) => this.labelOf(row)),
        codelet: shown.map(({ row }) => this.header.texts.names[this.name[row]] || "unknown"),
        task: shown.map(({ row }) => (this.task[row] < 0 ? -1 : this.rows[this.task[row]])),
        tasks: pick(this.tasks),
        totalNs: pick(this.total),
        startNs: pick(this.start),
        endNs: pick(this.end),
        site: pick(this.site),
        frame: shown.map(({ frame }) => frame),
        mixed: pick(this.mixed),
        canOpen: shown.map(({ row }) => this.parts[row] > 0),
        colour: shown.map(({ row }) => colour?.[row] ?? 0),
        ...(this.rgb ? { rgb: shown.map(({ row }) => (this.task[row] < 0 ? -1 : this.rgb[this.task[row]])) } : {}),
      },
      frames,
      edges,
    };
  }
}
