// SPDX-License-Identifier: Apache-2.0
// dag.dot: the graph of the tasks.
//
// Read by Graphviz (dot, gvpr, acyclic, ... 2.42 and newer), by xdot, and by StarVZ 0.8, which
// looks only at lines of the shape "task_A"->"task_B".
//
// The file has the shape of StarPU's (nodes task_JOB, tag_HEX, mpi_TAG_N, worker_ID_KIND; href
// FILE#LINE; end_dep; clusters cluster_0 of the graph, cluster_1 of the workers,
// cluster_iterations_N and in it cluster_iterations_N_sub_M). Deliberate differences:
// - labels, files and edge labels are escaped, so that every name gives a valid file;
// - tasks that never ran have their label and link as well;
// - files are absolute paths if the trace (or the option `directory`) has the folder that they are
//   relative to;
// - the predecessors of a shown task are all shown, and theirs in turn; StarPU's tool forgets
//   the predecessors of a task that turns out to be shown later;
// - the workers of several ranks are as many nodes; iterations have labels;
// - with `starvz`, no line but edges looks like an edge to StarVZ: no tags, no labels;
// - above 1,500 nodes every node has a position, computed from the run, so that `neato -n2` draws
//   graphs for which `dot`, which ignores positions, would need minutes.
#include <algorithm>
#include <map>

#include "converters/formats.h"
#include "converters/writers/records.h"
#include "converters/writers/task_graph.h"
#include "converters/writers/text.h"

namespace tasklens {
namespace {

constexpr size_t kMostNodesWithoutPositions = 1500;

// The text between the quotes of a DOT label: escapes quotes, backslashes that would begin an
// escape, and ampersands that would begin an HTML entity.
struct DotText {
  std::string_view text;
  void operator()(TextBuffer& out) const {
    const bool clean = text.find_first_of("\"\\&") == std::string_view::npos && IsCleanText(text);
    if (clean) return out.Put(text);
    for (const char c : CleanText(text, /*keep_newlines=*/true)) {
      if (c == '"' || c == '\\') out.Put('\\');
      if (c == '\n') {
        out.Put("\\n");
      } else if (c == '&') {
        out.Put("&amp;");
      } else {
        out.Put(c);
      }
    }
  }
};

// In a URL, only percent escapes are interpreted.
struct Href {
  std::string_view path;
  void operator()(TextBuffer& out) const {
    for (const char c : path) {
      const auto byte = static_cast<unsigned char>(c);
      if (byte <= 0x20 || byte >= 0x7f ||
          std::string_view("\"\\%#?").find(c) != std::string_view::npos)
        out.Put('%', Hex{byte, 2});
      else
        out.Put(c);
    }
  }
};

class DotWriter {
  // Parts of lines: the names of nodes, and the label of an edge.
  auto Job(uint32_t task) const {
    return [this, task](TextBuffer& out) {
      out.Put(prefixes_[model_.tasks.rank_index[task]], model_.tasks.job[task]);
    };
  }
  auto Task(uint32_t task) const {
    return [this, task](TextBuffer& out) { out.Put("\"task_", Job(task), '"'); };
  }
  auto Tag(uint32_t tag) const {
    return [this, tag](TextBuffer& out) {
      out.Put("\"tag_", prefixes_[model_.tags.rank_index[tag]], Hex{model_.tags.tag[tag]}, '"');
    };
  }
  auto Worker(uint32_t worker) const {
    return [this, worker](TextBuffer& out) {
      out.Put("\"worker_", prefixes_[model_.workers.rank_index[worker]], model_.workers.id[worker],
              '_', WorkerArchName(model_.workers.arch[worker]), '"');
    };
  }
  // Uses the message's number in paje.trace ("mpicom_3").
  auto Message(const GraphMessage& message) const {
    return [this, row = message.message](TextBuffer& out) {
      out.Put("\"mpi_", model_.messages.tag[row], '_', row, '"');
    };
  }
  auto EdgeLabel(std::string_view label) const {
    return [this, label](TextBuffer& out) {
      if (options_.label_deps && !options_.starvz) out.Put(" [label=\"", DotText{label}, "\"]");
    };
  }

 public:
  struct Frames {
    bool workers = false;     // a box with all of them, beside the graph
    bool iterations = false;  // a box with the tasks of each
  };

  DotWriter(const TraceModel& model, const GraphOptions& options, Frames frames, TextBuffer& out)
      : model_(model),
        options_(options),
        frames_(frames),
        out_(out),
        prefixes_(RankPrefixes(model)),
        graph_(SelectTasks(model, options)),
        is_after_14_(IsOfStarpuAfter14(model)) {}

  void Write() {
    const uint32_t tasks = static_cast<uint32_t>(graph_.shown.size());
    const auto shown =
        static_cast<size_t>(std::count(graph_.shown.begin(), graph_.shown.end(), true));
    RunLayout positions;
    const bool placed = shown + model_.tags.size() > kMostNodesWithoutPositions;
    if (placed) positions = LayoutByRun(model_, graph_);
    out_.Put("digraph G {\n\tcolor=white\n\trankdir=LR;\nsubgraph cluster_0 {\n\tcolor=black;\n");
    for (uint32_t task = 0; task < tasks; ++task) {
      if (!graph_.shown[task]) continue;
      WriteTask(task);
      if (placed) WritePosition(Task(task), positions.OfTask(task));
    }
    if (frames_.iterations) WriteIterations();
    for (uint32_t task = 0; task < tasks; ++task) {
      if (!graph_.shown[task]) continue;
      for (const DepEnd& dep : model_.predecessors[task])
        if (dep.task < tasks && graph_.shown[dep.task]) WriteEdge(dep, task);
    }
    if (!options_.starvz) WriteTags();
    for (uint32_t tag = 0; placed && !options_.starvz && tag < model_.tags.size(); ++tag)
      WritePosition(Tag(tag), positions.OfTag(tag));
    for (size_t i = 0; i < graph_.messages.size(); ++i) {
      WriteMessage(graph_.messages[i]);
      if (placed) WritePosition(Message(graph_.messages[i]), positions.OfMessage(i));
    }
    for (const auto& [releaser, delayed] : model_.end_deps) WriteEndDep(releaser, delayed);
    out_.Put("}\n");
    if (frames_.workers) WriteWorkers(placed);
    out_.Put("}\n");
  }

 private:
  void PutRgb(uint32_t rgb) {
    out_.Put("fillcolor=\"#", Hex{rgb, 6},
             NeedsWhiteText(rgb) ? "\", fontcolor=\"white\"" : "\", fontcolor=\"black\"");
  }

  // A colour for each worker: greens for CPUs, reds for the others, as StarPU's tool does.
  void PutWorkerColor(uint32_t worker) {
    static constexpr uint8_t kGreens[] = {7, 6, 5, 4, 9, 3, 2, 1};
    static constexpr uint8_t kReds[] = {9, 6, 3, 1, 8, 7, 4, 2, 1};
    out_.Put("fillcolor=\"");
    if (worker >= model_.workers.size()) {
      out_.Put("#aaaaaa");
    } else if (model_.workers.arch[worker] == WorkerArch::kCpu) {
      out_.Put("/greens9/", kGreens[model_.workers.id[worker] % std::size(kGreens)]);
    } else {
      out_.Put("/ylorrd9/", kReds[model_.workers.id[worker] % std::size(kReds)]);
    }
    out_.Put("\", fontcolor=\"black\"");
  }

  void WriteTask(uint32_t task) {
    const TaskTable& tasks = model_.tasks;
    if (tasks.name[task] != 0) {
      out_.Put("\t ", Task(task), " [ style=filled, label=\"", DotText{model_.TaskNameOf(task)},
               "\", ");
      if (options_.color_by_name || tasks.rgb[task] != kNone) {
        PutRgb(TaskRgb(model_, task));
      } else {
        PutWorkerColor(tasks.worker[task]);
      }
      out_.Put("]\n");
    } else {
      out_.Put("\t ", Task(task), '\n');
    }
    WriteRecursion(task);
    const uint32_t site = tasks.site[task];
    if (site == kNone) return;
    out_.Put("\t ", Task(task), " [ href=\"", Href{SiteFile(site)}, '#', model_.sites.line[site],
             "\" ]\n");
  }

  // A task without inner iteration is placed beside the boxes of the others.
  void WriteIterations() {
    std::map<int32_t, std::map<int32_t, std::vector<uint32_t>>> iterations;
    for (uint32_t task = 0; task < graph_.shown.size(); ++task) {
      const int32_t iteration = model_.tasks.iteration[task];
      if (graph_.shown[task] && iteration >= 0)
        iterations[iteration][std::max(model_.tasks.subiteration[task], -1)].push_back(task);
    }
    const auto begin_frame = [&](const std::string& number, const std::string& label) {
      out_.Put("subgraph cluster_iterations_" + number + " {\n\tlabel=\"iteration " + label +
               "\";\n");
    };
    for (const auto& [outer, inner] : iterations) {
      const std::string number = std::to_string(outer);
      begin_frame(number, number);
      for (const auto& [part, tasks] : inner) {
        const std::string part_number = std::to_string(part);
        if (part >= 0) begin_frame(number + "_sub_" + part_number, number + '.' + part_number);
        for (const uint32_t task : tasks) out_.Put("\t ", Task(task), '\n');
        if (part >= 0) out_.Put("}\n");
      }
      out_.Put("}\n");
    }
  }

  // `placed`: in a column to the left of the graph.
  void WriteWorkers(bool placed) {
    constexpr float kLeftOfGraph = -2 * static_cast<float>(kWidestNode);
    constexpr float kApart = 2 * static_cast<float>(kNodeHeight);
    out_.Put("subgraph cluster_1 {\n\tcolor=green;\n");
    for (uint32_t worker = 0; worker < model_.workers.size(); ++worker) {
      out_.Put("\t ", Worker(worker), " [ shape=box, style=filled, ");
      PutWorkerColor(worker);
      out_.Put("]\n");
      if (placed)
        WritePosition(Worker(worker), {kLeftOfGraph, kApart * static_cast<float>(worker)});
    }
    out_.Put("}\n");
  }

  // Many tasks share few sites, so each path is built once.
  const std::string& SiteFile(uint32_t site) {
    if (site_files_.size() < model_.sites.size()) site_files_.resize(model_.sites.size());
    std::string& path = site_files_[site];
    if (path.empty()) path = SourcePath(model_.str(model_.sites.file[site]), options_.directory);
    return path;
  }

  template <class Node>
  void WritePosition(const Node& node, LevelLayout::Place at) {
    out_.Put("\t ", node, " [ pos=\"", Fixed{at.x, 1}, ',',
             Fixed{-at.y, 1},  // Graphviz counts upwards
             "\" ]\n");
  }

  void WriteEdge(const DepEnd& from, uint32_t to) {
    out_.Put("\t ", Task(from.task), "->", Task(to), EdgeLabel(model_.str(from.label)), '\n');
  }

  void WriteTags() {
    const TagTable& tags = model_.tags;
    for (const auto& [father, child] : tags.deps)
      out_.Put("\t ", Tag(father), "->", Tag(child), EdgeLabel("tag"), '\n');
    for (const auto& [tag, task] : tags.owners)
      if (!model_.tasks.hidden[task])
        out_.Put("\t ", Tag(tag), "->", Task(task), "->", Tag(tag), " [style=dashed]",
                 EdgeLabel("tag"), '\n');
    for (uint32_t tag = 0; tag < tags.size(); ++tag) {
      if (tags.done_ns[tag] == kNever) continue;
      out_.Put("\t ", Tag(tag), " [ style=filled, ");
      if (options_.color_by_name) {
        const std::string_view name = model_.str(tags.name[tag]);
        PutRgb(ColorOfName(name.empty() ? "unknown" : name).Rgb());
      } else {
        out_.Put("fillcolor=\"white\", fontcolor=\"black\"");
      }
      out_.Put("]\n");
    }
  }

  void WriteMessage(const GraphMessage& message) {
    for (const uint32_t before : {message.from, message.before_receive})
      if (before != kNone) out_.Put("\t ", Task(before), "->", Message(message), '\n');
    for (const uint32_t after : {message.after_send, message.to})
      if (after != kNone) out_.Put("\t ", Message(message), "->", Task(after), '\n');
  }

  // Writes an attribute of the task whose end is delayed.
  void WriteEndDep(uint32_t releaser, uint32_t delayed) {
    if (!graph_.shown[delayed]) return;
    out_.Put("\t ", Task(delayed), " [ end_dep=\"", Job(releaser), "\"]\n");
  }

  // Attributes of StarPU's recursive tasks, with the names of its version.
  void WriteRecursion(uint32_t task) {
    const uint32_t parent = model_.tasks.parent[task];
    if (!model_.tasks.is_recursive[task] && parent == kNone) return;
    const std::string_view name = is_after_14_ ? "recursive_task" : "bubble";
    out_.Put("\t ", Task(task), " [ ", name, model_.tasks.is_recursive[task] ? "=\"1\"" : "=\"0\"");
    if (parent != kNone) out_.Put(", ", name, "_parent=\"", Job(parent), '"');
    out_.Put(" ]\n");
  }

  const TraceModel& model_;
  const GraphOptions& options_;
  const Frames frames_;
  TextBuffer& out_;
  std::vector<std::string> prefixes_;
  const GraphTasks graph_;
  const bool is_after_14_;
  std::vector<std::string> site_files_;
};

Status Write(const TraceModel& model, const WriteOptions& options, Outputs& outputs) {
  return WriteText(outputs, "dag.dot", [&](TextBuffer& out) {
    const GraphOptions graph = GraphOptionsOf(model, options);
    const DotWriter::Frames frames{.workers = options.Has("show-workers"),
                                   .iterations = options.Has("iter-clusters")};
    DotWriter(model, graph, frames, out).Write();
  });
}

constexpr std::string_view kOptions[] = {"internal",  "no-acquire",   "label-deps",    "colors",
                                         "directory", "show-workers", "iter-clusters", "starvz"};

}  // namespace

extern const WriterSpec kDotWriter;
const WriterSpec kDotWriter = {
    "dot",
    "dag.dot, the graph of tasks and tags, each linked to its source line",
    "Graphviz, xdot, StarVZ",
    /*in_starpu_set=*/true,
    kOptions,
    kPartPredecessors | kPartMessages,
    &Write};

}  // namespace tasklens
