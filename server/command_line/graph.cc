// SPDX-License-Identifier: Apache-2.0
// tasklens graph: shows the task graph in groups, as text, JSON or a picture.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "analysis/graph_browser.h"
#include "analysis/neighbourhood.h"
#include "analysis/text.h"
#include "server/answers/views.h"
#include "server/command_line/command.h"
#include "server/command_line/print_text.h"
#include "server/command_line/trace_command.h"
#include "server/pictures/svg.h"
#include "trace/support/read_number.h"

namespace tasklens {
namespace {

struct Options {
  TraceArguments trace;
  std::vector<std::string> groups, open;
  uint32_t most = 2000;
  bool internal = false;
  std::string task, to, line, data, tag;
  uint32_t depth = 2;
  PictureArguments picture;
  std::string layout = "auto";

  bool has_focus() const { return !task.empty() || !line.empty() || !data.empty() || !tag.empty(); }
};

Result<GraphQuery> QueryOf(const Options& options) {
  GraphQuery query;
  query.open = options.open;
  query.max_nodes = options.most;
  if (!options.groups.empty()) query.nesting.clear();
  for (const std::string& name : options.groups) {
    const std::optional<GroupBy> by = ParseGroupBy(name);
    if (!by)
      return Status(
          ErrorCode::kInvalidArgument,
          "--group takes iteration, codelet, site, levels, data or worker, not '" + name + "'");
    query.nesting.push_back(*by);
  }
  return query;
}

std::string KnownLines(const TraceModel& model) {
  constexpr uint32_t kMost = 10;
  const auto sites = static_cast<uint32_t>(model.sites.size());
  if (sites == 0) return "the trace does not say where tasks were submitted";
  std::string lines = "there are ";
  for (uint32_t site = 0; site < std::min(sites, kMost); ++site)
    lines += (site > 0 ? ", " : "") + SiteText(model, site);
  return lines + (sites > kMost ? ", ..." : "");
}

// Warns about each level of --group for which the trace has no data. The graph is shown without it.
void WarnOfMissing(const TraceModel& model, const GraphQuery& query, const Options& options) {
  if (options.groups.empty()) return;
  const TaskTable& tasks = model.tasks;
  const auto none = [&](const auto& tells) {
    for (uint32_t task = 0; task < tasks.size(); ++task)
      if (tells(task)) return false;
    return true;
  };
  for (const GroupBy by : query.nesting) {
    const bool is_missing =
        (by == GroupBy::kIteration && none([&](uint32_t t) { return tasks.iteration[t] >= 0; })) ||
        (by == GroupBy::kSite && model.sites.size() == 0) ||
        (by == GroupBy::kData && model.handles.size() == 0);
    if (is_missing)
      fmt::print(stderr,
                 "tasklens: the trace has nothing to group by {0}; --group {0} is ignored\n",
                 GroupByName(by));
  }
}

// Returns the tasks submitted at `line`, such as "chol.c:102". Its file may be the end of a path.
Result<std::vector<uint32_t>> TasksOfLine(const TraceModel& model, std::string_view line) {
  std::vector<bool> is_here(model.sites.size());
  bool any = false;
  for (uint32_t site = 0; site < model.sites.size(); ++site) {
    const std::string label = SiteText(model, site);
    if (label == line || label.ends_with("/" + std::string(line))) is_here[site] = any = true;
  }
  if (!any)
    return Status(ErrorCode::kNotFound,
                  fmt::format("no task was submitted at '{}'; {}", line, KnownLines(model)));
  std::vector<uint32_t> tasks;
  for (uint32_t task = 0; task < model.tasks.size(); ++task)
    if (model.tasks.site[task] < is_here.size() && is_here[model.tasks.site[task]])
      tasks.push_back(task);
  return tasks;
}

Result<std::vector<uint32_t>> TasksOfData(const TraceModel& model, const std::string& name) {
  uint64_t address = 0;
  const bool is_address = name.starts_with("0x") && ReadNumberOrHex(name, address);
  std::vector<uint32_t> tasks;
  bool any = false;
  for (uint32_t handle = 0; handle < model.handles.size(); ++handle) {
    if (model.str(model.handles.name[handle]) != name && std::to_string(handle) != name &&
        !(is_address && model.handles.address[handle] == address))
      continue;
    any = true;
    const std::vector<uint32_t> more = TasksOfHandle(model, handle);
    tasks.insert(tasks.end(), more.begin(), more.end());
  }
  if (!any)
    return Status(ErrorCode::kNotFound,
                  fmt::format("no data '{}' in the trace; give its name, its number or its address "
                              "(0x...)",
                              name));
  if (tasks.empty())
    return Status(ErrorCode::kNotFound, fmt::format("no task uses the data '{}'", name));
  // A task may use several pieces of data with the same name.
  std::sort(tasks.begin(), tasks.end());
  tasks.erase(std::unique(tasks.begin(), tasks.end()), tasks.end());
  return tasks;
}

Result<std::vector<uint32_t>> TasksOfTagText(const TraceModel& model, const std::string& text) {
  uint64_t tag = 0;
  if (!ReadNumberOrHex(text, tag))
    return Status(ErrorCode::kInvalidArgument,
                  fmt::format("--tag takes a number, such as 12 or 0xc, not '{}'", text));
  std::vector<uint32_t> tasks = TasksOfTag(model, tag);
  if (!tasks.empty()) return tasks;
  std::set<uint64_t> known;
  for (uint32_t task = 0; task < model.tasks.size(); ++task)
    if (model.tasks.has_tag[task]) known.insert(model.tasks.tag[task]);
  if (known.empty())
    return Status(
        ErrorCode::kNotFound,
        fmt::format("no task has the tag {}: the tasks of this trace have no tags", text));
  std::string some;
  for (const uint64_t one : known) {
    if (some.size() > 100) {
      some += ", ...";
      break;
    }
    some += fmt::format("{}{:#x}", some.empty() ? "" : ", ", one);
  }
  return Status(ErrorCode::kNotFound,
                fmt::format("no task has the tag {}; there are {}", text, some));
}

// Returns the tasks that --line, --data, --tag, --task or --to select.
Result<std::vector<uint32_t>> TasksInFocus(const TraceModel& model, const Topology& topology,
                                           const TaskSelection& selection, const Options& options) {
  if (!options.line.empty()) return TasksOfLine(model, options.line);
  if (!options.data.empty()) return TasksOfData(model, options.data);
  if (!options.tag.empty()) return TasksOfTagText(model, options.tag);
  const Result<uint32_t> task = FindTaskByJob(model, options.task);
  if (!task.ok()) return task.status();
  if (options.to.empty()) return TasksAround(model, topology, selection, *task, options.depth);
  const Result<uint32_t> to = FindTaskByJob(model, options.to);
  if (!to.ok()) return to.status();
  std::vector<uint32_t> between = TasksBetween(model, topology, *task, *to);
  if (between.empty())
    return Status(ErrorCode::kNotFound,
                  fmt::format("no path of dependencies leads from {} to {}, nor back",
                              TaskText(model, *task), TaskText(model, *to)));
  return between;
}

// Fails if there is no group for an id of --open. A group that stays closed for lack of space is no
// error; the caption mentions it.
Status CheckOpened(const TraceModel& model, const Topology& topology, const GraphQuery& query) {
  if (query.open.empty()) return Status::Ok();
  const GraphView view = ViewGraph(model, topology, query);
  if (view.not_found.empty()) return Status::Ok();
  const std::string& unknown = view.not_found.front();
  std::string groups;
  size_t named = 0;
  for (const GraphNode& node : view.nodes) {
    if (node.task != kNone) continue;
    if (++named > 20) break;
    groups += (groups.empty() ? "" : ", ") + node.id;
  }
  if (named > 20) groups += ", ...";
  if (groups.empty())
    return Status(
        ErrorCode::kNotFound,
        fmt::format("there is no group '{}' to open: tasks are not grouped; use --group", unknown));
  return Status(ErrorCode::kNotFound,
                fmt::format("there is no group '{}' to open; there are {}", unknown, groups));
}

// The name of a node in a list of successors. Labels of groups may be equal, so a group has its id
// as well.
std::string NameOf(const TraceModel& model, const GraphNode& node) {
  if (node.task != kNone) return TaskText(model, node.task);
  return fmt::format("{} [{}]", node.label, node.id);
}

// Prints a line for each node: groups with the id for --open, then the successors.
void Print(const TraceModel& model, const GraphView& view) {
  std::vector<std::string> successors(view.nodes.size());
  for (const GraphEdge& edge : view.edges) {
    const GraphNode& to = view.nodes[edge.to];
    std::string& text = successors[edge.from];
    text += fmt::format("{} {}{}", text.empty() ? "" : ",", NameOf(model, to),
                        edge.count > 1 ? fmt::format(" x{}", edge.count) : "");
  }
  PrintText("{}\n", view.Caption());
  for (size_t i = 0; i < view.nodes.size(); ++i) {
    const GraphNode& node = view.nodes[i];
    if (node.task != kNone) {
      PrintText("{:<28} {:>9}  {}", TaskText(model, node.task), DurationText(node.total_ns),
                SiteText(model, model.tasks.site[node.task]));
    } else {
      PrintText("{:<28} {:>9}  {}  [{}]", node.label, DurationText(node.total_ns),
                CountText(node.tasks, "task"), node.id);
    }
    PrintText("{}{}\n", successors[i].empty() ? "" : "  ->", successors[i]);
  }
}

Status Draw(const TraceModel& model, const Topology& topology, const GraphQuery& query,
            const Options& options) {
  const TaskColours colours(model, *ParseColourBy(options.picture.colour));
  GraphBrowser browser(model, topology, query);
  const std::vector<double> means = colours.values().empty()
                                        ? std::vector<double>()
                                        : browser.Means(options.picture.colour, colours.values());
  const bool is_plain = options.groups.empty() && !query.only;
  const Result<GraphPicture> picture = DrawGraph(
      model, *query.selection, colours, PaintView(browser.View(), colours, means),
      ParseGraphPlacement(options.layout), query.only.has_value(), is_plain ? kFewTasks : 0);
  if (!picture.ok()) return picture.status();
  std::string directory;
  for (const auto& [key, value] : model.info)
    if (model.str(key) == "directory") directory = model.str(value);
  if (Status s = WriteFile(options.picture.svg, GraphSvg(model, *picture, directory)); !s.ok())
    return s;
  PrintText("{}: {}\n", options.picture.svg, picture->caption);
  return Status::Ok();
}

Status ShowGraph(const TraceModel& model, GraphQuery query, const Options& options) {
  const Topology topology(model);
  const TaskSelection selection(model, options.internal);
  query.selection = &selection;
  uint64_t tasks = selection.count;
  if (options.has_focus()) {
    Result<std::vector<uint32_t>> focus = TasksInFocus(model, topology, selection, options);
    if (!focus.ok()) return focus.status();
    tasks = focus->size();
    query.only = std::move(*focus);
  }
  if (options.groups.empty() && tasks <= kFewTasks) query.nesting.clear();
  WarnOfMissing(model, query, options);
  if (Status s = CheckOpened(model, topology, query); !s.ok()) return s;
  if (!options.picture.svg.empty()) return Draw(model, topology, query, options);
  const GraphView view = ViewGraph(model, topology, query);
  if (options.trace.json) {
    PrintLines(Dump(GraphMessage(model, view)));
  } else {
    Print(model, view);
  }
  return Status::Ok();
}

std::function<int()> Declare(OptionSet& cli) {
  auto options = std::make_shared<Options>();
  DeclareTraceArguments(cli, options->trace);
  cli.Example("tasklens graph -o graph.svg");
  cli.Add("--group BY", options->groups,
          "group tasks by these, outermost first: iteration, codelet, site, levels, data, worker "
          "(default: no groups for few tasks, else iteration, codelet)")
      .SplitAt(',');
  cli.Add("--open ID", options->open,
          "open the group with this id, which stands in brackets (repeatable)");
  cli.Add("--most", options->most, "how many nodes to show").Range(2, 2000).ShowDefault();
  cli.Flag("--internal", options->internal, "show the runtime's own tasks as well");
  const Option task =
      cli.Add("--task TASK", options->task, "show the neighbourhood of this task: JOB or RANK_JOB");
  cli.Add("--depth", options->depth, "show tasks up to this many dependencies away from --task")
      .Needs(task)
      .ShowDefault();
  cli.Add("--to TASK", options->to, "show the paths between --task and this task instead")
      .Needs(task);
  const Option line =
      cli.Add("--line FILE:LINE", options->line, "show the tasks submitted at FILE:LINE")
          .Excludes(task);
  const Option data =
      cli.Add("--data DATA", options->data,
              "show the tasks that use this piece of data: its name, number or address (0x...)")
          .Excludes(task)
          .Excludes(line);
  cli.Add("--tag TAG", options->tag, "show the tasks with this tag: 259, or 0x103 as in tasks.rec")
      .Excludes(task)
      .Excludes(line)
      .Excludes(data);
  const Option svg = DeclarePictureArguments(cli, options->picture);
  cli.Add("--layout", options->layout,
          "layout of the picture: auto, levels, time, graphviz (small graphs only)")
      .OneOf({"auto", "levels", "time", "graphviz"})
      .Needs(svg)
      .ShowDefault();
  return [options] {
    const Result<GraphQuery> query = QueryOf(*options);
    if (!query.ok()) return Fail(query.status());
    return WithTrace(options->trace, kPartDeps | kPartData | kPartMessages,
                     [&](const TraceModel& model) { return ShowGraph(model, *query, *options); });
  };
}

}  // namespace

extern const CommandSpec kGraphCommand = {
    "graph", "show the task graph, in groups that can be opened", &Declare};

}  // namespace tasklens
