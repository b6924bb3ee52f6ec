// SPDX-License-Identifier: Apache-2.0
// trace.html: the components of a modular scheduler, and the paths of tasks through them.
//
// Read by any web browser; the page loads nothing from the network. StarPU's tool writes the whole
// tree again for every step (some 28 KB per task) and loads jQuery; ours holds the tree once and a
// few numbers per step, and replays them. Of a long run the page shows the first 200,000 steps, and
// says so.
#include <algorithm>
#include <unordered_map>

#include "converters/formats.h"
#include "converters/writers/text.h"

namespace tasklens {
namespace {

constexpr size_t kMostSteps = 200'000;

// The page around the data: `C` components as [name, parents...], `S` steps as [time in ns since
// the previous step, 0 push or 1 pull, from, to, task, priority]; -1 is outside of all components.
constexpr std::string_view kHead = R"(<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>Scheduler components</title>
<style>
body { font: 14px sans-serif; margin: 1em; }
.box { border: 1px solid #888; border-radius: 4px; padding: 4px 6px; margin: 3px; display: inline-block;
  vertical-align: top; text-align: center; background: #fff; }
.box.from { border-color: #c00; } .box.to { border-color: #080; }
.task { display: inline-block; min-width: 1.6em; margin: 1px; padding: 1px 2px; font-size: 11px;
  background: #87ceeb; border: 1px solid #48a; border-radius: 3px; }
.task.urgent { background: #f77; border-color: #a33; }
.children { display: flex; justify-content: center; }
#bar { position: sticky; top: 0; background: #fff; padding: 4px 0; }
#at { width: 60%; }
</style>
</head>
<body>
)";

constexpr std::string_view kScript = R"JS(
const rows = [], byId = C.map((c, i) => ({name: c[0], parents: c.slice(1), tasks: new Map(), i}));
let time = 0;
for (const s of S) { time += s[0]; rows.push([time, ...s.slice(1)]); }
const at = document.getElementById('at'), say = document.getElementById('say');
const tree = document.getElementById('tree');
let shown = 0, timer = null;
function reset() { for (const c of byId) c.tasks.clear(); shown = 0; }
function apply(s) {
  // A push through several components is recorded from the inside out: a component may give a
  // task before it gets it. It has the tasks that it got more often than it gave.
  const [, , from, to, task, priority] = s;
  for (const [place, change] of [[from, -1], [to, 1]]) {
    if (place < 0) continue;
    const tasks = byId[place].tasks, [count] = tasks.get(task) ?? [0];
    if (count + change === 0) tasks.delete(task);
    else tasks.set(task, [count + change, priority]);
  }
}
function box(c, from, to, seen) {
  const e = document.createElement('div');
  e.className = 'box' + (c.i === from ? ' from' : '') + (c.i === to ? ' to' : '');
  const name = document.createElement('div');
  name.textContent = c.name;
  e.append(name);
  let count = 0;
  for (const [task, [times, priority]] of c.tasks) {
    if (times <= 0 || ++count > 12) continue;
    const t = document.createElement('span');
    t.className = 'task' + (priority > 0 ? ' urgent' : '');
    t.textContent = task;
    t.title = 'task ' + task + ', priority ' + priority;
    e.append(t);
  }
  if (count > 12) e.append('+' + (count - 12));
  const below = document.createElement('div');
  below.className = 'children';
  // What hangs below several components is drawn below the first.
  for (const child of byId) {
    if (!child.parents.includes(c.i) || seen.has(child.i)) continue;
    seen.add(child.i);
    below.append(box(child, from, to, seen));
  }
  e.append(below);
  return e;
}
function show(step) {
  step = Math.max(0, Math.min(rows.length, step));
  if (step < shown) reset();
  while (shown < step) apply(rows[shown++]);
  at.value = step;
  const s = step > 0 ? rows[step - 1] : null;
  say.textContent = s === null ? 'before the first step' :
      'step ' + step + ' of ' + rows.length + ', ' + (s[0] / 1e6).toFixed(6) + ' ms: task ' + s[4] +
      (s[1] ? ' pulled' : ' pushed') + ' from ' + (s[2] < 0 ? 'outside' : byId[s[2]].name) + ' to ' +
      (s[3] < 0 ? 'outside' : byId[s[3]].name);
  const seen = new Set();
  tree.replaceChildren(...byId.filter(c => c.parents.length === 0)
      .map(c => box(c, s ? s[2] : -1, s ? s[3] : -1, seen)));
}
at.max = rows.length;
at.oninput = () => show(+at.value);
function play() {
  if (timer) { clearInterval(timer); timer = null; return; }
  timer = setInterval(() => { show(shown + 1); if (shown === rows.length) play(); }, 150);
}
document.onkeydown = e => {
  const step = {ArrowLeft: -1, ArrowRight: 1, PageUp: -100, PageDown: 100}[e.key];
  if (step) { show(shown + step); e.preventDefault(); }
};
show(0);
)JS";

// Writes a JavaScript string that is safe inside a <script>.
void PutScriptString(TextBuffer& out, std::string_view text) {
  out.Put('"');
  for (const char c : CleanText(text)) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\' || c == '<' || c == '>' || c == '&') {
      out.Put("\\u00", Hex{byte, 2});
    } else {
      out.Put(c);
    }
  }
  out.Put('"');
}

class PageWriter {
 public:
  PageWriter(const TraceModel& model, TextBuffer& out) : model_(model), out_(out) {}

  void Write() {
    const size_t steps = FindComponents();
    out_.Put(kHead);
    if (components_.empty()) {
      out_.Put(
          "<p>This run had no modular scheduler (STARPU_SCHED=modular-...), so there are no "
          "components to show.</p>\n</body>\n</html>\n");
      return;
    }
    if (steps > kMostSteps) {
      out_.Put("<p>The first ", kMostSteps, " of ", steps, " steps are shown.</p>\n");
    }
    out_.Put(
        "<div id=\"bar\"><input id=\"at\" type=\"range\" min=\"0\" value=\"0\">\n"
        "<button onclick=\"show(shown - 100)\">-100</button>\n"
        "<button onclick=\"show(shown - 1)\">&lt;</button>\n"
        "<button onclick=\"show(shown + 1)\">&gt;</button>\n"
        "<button onclick=\"show(shown + 100)\">+100</button>\n"
        "<button onclick=\"play()\">play / stop</button>\n"
        "<p id=\"say\"></p></div>\n<div id=\"tree\"></div>\n<script>\n");
    PutComponents();
    PutSteps();
    out_.Put(kScript, "</script>\n</body>\n</html>\n");
  }

 private:
  struct Component {
    StringId name = 0;
    std::vector<uint32_t> parents;
  };

  // A component is identified by its address within its rank.
  uint32_t Index(uint32_t rank_index, uint64_t address) {
    const auto [at, is_new] =
        index_[rank_index].try_emplace(address, static_cast<uint32_t>(components_.size()));
    if (is_new) components_.push_back({});
    return at->second;
  }

  // Fills `components_`; returns the number of steps.
  size_t FindComponents() {
    const PointTable& points = model_.points;
    index_.resize(model_.ranks.size());
    size_t steps = 0;
    for (size_t i = 0; i < points.size(); ++i) {
      const auto args = points.Args(i);
      const uint32_t rank = points.rank_index[i];
      switch (points.kind[i]) {
        case EventKind::kComponentNew:
          components_[Index(rank, args[0])].name = static_cast<StringId>(args[1]);
          break;
        case EventKind::kComponentLink: {
          const uint32_t parent = Index(rank, args[0]), child = Index(rank, args[1]);
          auto& parents = components_[child].parents;
          const bool known = std::find(parents.begin(), parents.end(), parent) != parents.end();
          if (parent != child && !known) parents.push_back(parent);
          break;
        }
        case EventKind::kComponentPush:
        case EventKind::kComponentPull: ++steps; break;
        default: break;
      }
    }
    return steps;
  }

  void PutComponents() {
    out_.Put("const C = [\n");
    for (const Component& component : components_) {
      out_.Put('[');
      PutScriptString(out_, component.name ? model_.str(component.name) : "component");
      for (const uint32_t parent : component.parents) {
        out_.Put(',', parent);
      }
      out_.Put("],\n");
    }
    out_.Put("];\n");
  }

  int64_t Place(uint32_t rank_index, uint64_t address) const {
    const auto at = index_[rank_index].find(address);
    return at == index_[rank_index].end() ? -1 : int64_t{at->second};
  }

  void PutSteps() {
    const PointTable& points = model_.points;
    out_.Put("const S = [\n");
    int64_t last_ns = 0;
    size_t steps = 0;
    std::unordered_map<uint64_t, uint32_t> tasks;  // numbers are shorter than addresses
    for (size_t i = 0; i < points.size() && steps < kMostSteps; ++i) {
      const bool pull = points.kind[i] == EventKind::kComponentPull;
      if (!pull && points.kind[i] != EventKind::kComponentPush) continue;
      const auto args = points.Args(i);
      const uint32_t rank = points.rank_index[i];
      const uint32_t task =
          tasks.try_emplace(args[2], static_cast<uint32_t>(tasks.size() + 1)).first->second;
      const int64_t values[] = {points.time_ns[i] - last_ns, pull, Place(rank, args[0]),
                                Place(rank, args[1]),        task, static_cast<int32_t>(args[3])};
      out_.Put('[');
      for (size_t j = 0; j < std::size(values); ++j) {
        if (j > 0) out_.Put(',');
        out_.PutInteger(values[j]);
      }
      out_.Put("],\n");
      last_ns = points.time_ns[i];
      ++steps;
    }
    out_.Put("];\n");
  }

  const TraceModel& model_;
  TextBuffer& out_;
  std::vector<Component> components_;
  std::vector<std::unordered_map<uint64_t, uint32_t>> index_;  // by rank, then address
};

Status Write(const TraceModel& model, const WriteOptions&, Outputs& outputs) {
  return WriteText(outputs, "trace.html", [&](TextBuffer& out) { PageWriter(model, out).Write(); });
}

}  // namespace

extern const WriterSpec kSchedulerPageWriter;
const WriterSpec kSchedulerPageWriter = {
    "scheduler-page",       "trace.html, tasks moving through a modular scheduler",
    "web browsers",
    /*in_starpu_set=*/true, {},
    kPartSchedulerPoints,   &Write};

}  // namespace tasklens
