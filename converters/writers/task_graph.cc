// SPDX-License-Identifier: Apache-2.0
// Selects the part of a trace that its task graph shows.
#include "converters/writers/task_graph.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "trace/model/questions.h"

namespace tasklens {
namespace {

bool WantedByType(uint32_t type, const GraphOptions& options) {
  if ((type & kTaskInternal) && !options.internal) return false;
  return !((type & kTaskDataAcquire) && options.no_acquire);
}

// Marks the predecessors of the marked tasks, transitively.
void MarkPredecessors(const TraceModel& model, std::vector<bool>& shown) {
  std::vector<uint32_t> todo;
  for (uint32_t first = 0; first < shown.size(); ++first) {
    if (shown[first]) todo.push_back(first);
    while (!todo.empty()) {
      const uint32_t task = todo.back();
      todo.pop_back();
      for (const DepEnd& dep : model.predecessors[task]) {
        if (dep.task >= shown.size() || shown[dep.task] || model.tasks.hidden[dep.task]) continue;
        shown[dep.task] = true;
        todo.push_back(dep.task);
      }
    }
  }
}

// StarPU's hash: CRC-32C, most significant bit first, no final inversion.
uint32_t Crc32c(std::string_view text, uint32_t seed) {
  for (const char c : text) {
    seed ^= static_cast<uint32_t>(static_cast<unsigned char>(c)) << 24;
    for (int bit = 0; bit < 8; ++bit) seed = (seed << 1) ^ (seed & 0x80000000 ? 0x1EDC6F41 : 0);
  }
  return seed;
}

// Nodes are the rows of tasks, then those of tags, then the messages. A tag follows the task that
// owns it, and precedes the tasks whose tags depend on it; in the drawn graph tag and owner point
// at each other.
class Nodes : public LevelGraph {
 public:
  Nodes(const TraceModel& model, const GraphTasks& graph)
      : model_(model),
        shown_(graph.shown),
        first_tag_(static_cast<uint32_t>(model.tasks.size())),
        first_message_(first_tag_ + static_cast<uint32_t>(model.tags.size())),
        size_(first_message_ + static_cast<uint32_t>(graph.messages.size())) {
    std::vector<uint32_t> owner(model.tags.size(), kNone);
    for (const auto& [tag, task] : model.tags.owners) {
      if (!shown_[task]) continue;
      owner[tag] = task;
      more_.push_back({first_tag_ + tag, task});
    }
    for (const auto& [father, child] : model.tags.deps)
      more_.push_back(
          {owner[child] == kNone ? first_tag_ + child : owner[child], first_tag_ + father});
    for (uint32_t i = 0; i < graph.messages.size(); ++i) {
      more_.push_back({first_message_ + i, graph.messages[i].from});
      more_.push_back({graph.messages[i].to, first_message_ + i});
    }
    std::sort(more_.begin(), more_.end());
  }

  uint32_t first_tag() const { return first_tag_; }
  uint32_t first_message() const { return first_message_; }
  uint32_t size() const override { return size_; }
  bool IsShown(uint32_t node) const override { return node >= first_tag_ || shown_[node]; }

  void AppendBefore(uint32_t node, std::vector<uint32_t>& before) const override {
    if (node < first_tag_) {
      for (const DepEnd& dep : model_.predecessors[node])
        if (dep.task < first_tag_ && shown_[dep.task]) before.push_back(dep.task);
    }
    if (more_.empty()) return;
    for (auto it = std::lower_bound(more_.begin(), more_.end(), std::make_pair(node, uint32_t{0}));
         it != more_.end() && it->first == node; ++it)
      before.push_back(it->second);
  }

 private:
  const TraceModel& model_;
  const std::vector<bool>& shown_;
  const uint32_t first_tag_, first_message_, size_;
  std::vector<std::pair<uint32_t, uint32_t>> more_;  // (node, predecessor), sorted
};

}  // namespace

GraphOptions GraphOptionsOf(const TraceModel& model, const WriteOptions& options) {
  GraphOptions graph;
  graph.internal = options.Has("internal");
  graph.no_acquire = options.Has("no-acquire");
  graph.label_deps = options.Has("label-deps");
  graph.color_by_name = options.Has("colors");
  graph.starvz = options.Has("starvz");
  graph.directory = options.Get("directory");
  if (graph.directory.empty()) graph.directory = LastInfo(model, "directory");
  return graph;
}

GraphTasks SelectTasks(const TraceModel& model, const GraphOptions& options) {
  const TaskTable& tasks = model.tasks;
  GraphTasks graph;
  graph.shown.resize(tasks.size());
  for (uint32_t task = 0; task < tasks.size(); ++task) {
    const bool known = tasks.has_submit[task] || tasks.name[task] != 0 ||
                       tasks.start_ns[task] != kNever || !model.predecessors[task].empty();
    graph.shown[task] = known && !tasks.hidden[task] && WantedByType(tasks.type[task], options);
  }
  for (uint32_t row = 0; row < model.messages.size(); ++row) {
    const MessageTable& messages = model.messages;
    const auto task_of = [&](uint32_t rank, uint64_t job) {
      const uint32_t task = job != 0 ? model.FindTask(rank, job) : kNone;
      return task != kNone && tasks.hidden[task] ? kNone : task;
    };
    const uint32_t source = messages.source[row], target = messages.target[row];
    const GraphMessage ends{row, task_of(source, messages.send_job[row]),
                            task_of(target, messages.receive_job[row]),
                            task_of(source, messages.after_send_job[row]),
                            task_of(target, messages.before_receive_job[row])};
    if (ends.from == kNone || ends.to == kNone) continue;
    for (const uint32_t task : {ends.from, ends.to, ends.after_send, ends.before_receive})
      if (task != kNone) graph.shown[task] = true;
    graph.messages.push_back(ends);
  }
  MarkPredecessors(model, graph.shown);
  return graph;
}

RunLayout LayoutByRun(const TraceModel& model, const GraphTasks& graph) {
  const Nodes nodes(model, graph);
  RunLayout layout;
  layout.layout_ = PlaceByLevel(nodes);
  layout.first_tag_ = nodes.first_tag();
  layout.first_message_ = nodes.first_message();
  return layout;
}

TaskGraph SelectGraph(const TraceModel& model, const GraphOptions& options) {
  GraphTasks selected = SelectTasks(model, options);
  TaskGraph graph;
  for (uint32_t task = 0; task < selected.shown.size(); ++task) {
    if (!selected.shown[task]) continue;
    graph.tasks.push_back(task);
    for (const DepEnd& dep : model.predecessors[task])
      if (dep.task < selected.shown.size() && selected.shown[dep.task])
        graph.edges.push_back({dep.task, task, dep.label});
  }
  graph.messages = std::move(selected.messages);
  return graph;
}

NameColor ColorOfName(std::string_view name) {
  const uint32_t seed = Crc32c(name, 0);
  return {Crc32c("red", seed) % 1024, Crc32c("green", seed) % 1024, Crc32c("blue", seed) % 1024};
}

uint32_t TaskRgb(const TraceModel& model, uint32_t task) {
  const uint32_t own = model.tasks.rgb[task];
  return own != kNone ? own & 0xFFFFFF : ColorOfName(model.TaskNameOf(task)).Rgb();
}

std::vector<std::string> RankPrefixes(const TraceModel& model) {
  std::vector<std::string> prefixes(model.ranks.size());
  if (model.ranks.size() <= 1) return prefixes;
  const uint32_t largest = *std::max_element(model.ranks.rank.begin(), model.ranks.rank.end());
  const size_t width = std::to_string(largest).size();
  for (size_t i = 0; i < prefixes.size(); ++i) {
    const std::string digits = std::to_string(model.ranks.rank[i]);
    prefixes[i] = std::string(width - digits.size(), '0') + digits + "_";
  }
  return prefixes;
}

// Compilers often get a name relative to another folder ("../../src/x.c"), which is not below the
// folder of the sources: use its longest ending that exists there.
std::string SourcePath(std::string_view file, std::string_view directory) {
  namespace fs = std::filesystem;
  if (file.empty()) return "";
  const fs::path path(file);
  if (path.is_absolute()) return path.lexically_normal().string();
  if (directory.empty()) return std::string(file);
  const fs::path folder(directory);
  for (auto part = path.begin(); part != path.end(); ++part) {
    fs::path end;
    for (auto rest = part; rest != path.end(); ++rest) end /= *rest;
    std::error_code error;
    if (fs::is_regular_file(folder / end, error)) return (folder / end).lexically_normal().string();
  }
  return (folder / path).lexically_normal().string();
}

}  // namespace tasklens
