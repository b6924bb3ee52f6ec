// SPDX-License-Identifier: Apache-2.0
// tasklens graph: the task graph in groups, as an outline or a picture.
#include <fmt/format.h>

#include "analysis/graph_browser.h"
#include "analysis/text.h"
#include "server/answers/answers.h"
#include "server/pictures/svg.h"
#include "server/tools/command.h"
#include "server/tools/trace_command.h"

namespace tasklens {
namespace {

struct Options {
  TraceArguments trace;
  std::vector<std::string> groups{"iteration", "codelet"};
  std::vector<std::string> open;
  uint32_t most = 2000;
  std::string svg, layout = "levels", colour = "codelet";
};

Result<GraphQuery> QueryOf(const Options& options) {
  GraphQuery query;
  query.open = options.open;
  query.max_nodes = options.most;
  query.nesting.clear();
  for (const std::string& name : options.groups) {
    const std::optional<GroupBy> by = ParseGroupBy(name);
    if (!by)
      return Status(
          ErrorCode::kInvalidArgument,
          "--group takes iteration, codelet, site, levels, data and worker, not '" + name + "'");
    query.nesting.push_back(*by);
  }
  return query;
}

// Each node with its id, to open it, and where its edges lead.
void Print(const TraceModel& model, const GraphView& view) {
  std::vector<std::string> successors(view.nodes.size());
  for (const GraphEdge& edge : view.edges)
    successors[edge.from] += fmt::format(" {}{}", view.nodes[edge.to].label,
                                         edge.count > 1 ? fmt::format(" x{}", edge.count) : "");
  fmt::print("{}\n", view.Caption());
  for (size_t i = 0; i < view.nodes.size(); ++i) {
    const GraphNode& node = view.nodes[i];
    if (node.task != kNone) {
      fmt::print("{:<28} {:>9}  {}", TaskText(model, node.task), DurationText(node.total_ns),
                 SiteText(model, model.tasks.site[node.task]));
    } else {
      fmt::print("{:<28} {:>9}  {} tasks  [{}]", node.label, DurationText(node.total_ns),
                 CountText(node.tasks), node.id);
    }
    fmt::print("{}{}\n", successors[i].empty() ? "" : "  ->", successors[i]);
  }
}

Status Draw(const TraceModel& model, const Topology& topology, const GraphQuery& query,
            const Options& options) {
  const TaskColours colours(model, *ParseColourBy(options.colour));
  GraphBrowser browser(model, topology, query);
  const std::vector<double> means = colours.values().empty()
                                        ? std::vector<double>()
                                        : browser.Means(options.colour, colours.values());
  const Result<GraphPicture> picture =
      DrawView(browser.View(), *ParseGraphPlacement(options.layout), colours, means);
  if (!picture.ok()) return picture.status();
  std::string directory;
  for (const auto& [key, value] : model.info)
    if (model.str(key) == "directory") directory = model.str(value);
  if (Status s = WriteFile(options.svg, GraphSvg(model, *picture, directory)); !s.ok()) return s;
  fmt::print("{}: {}\n", options.svg, picture->caption);
  return Status::Ok();
}

std::function<int()> Declare(CLI::App& app) {
  auto options = std::make_shared<Options>();
  DeclareTraceArguments(app, options->trace);
  app.add_option("--group", options->groups,
                 "outermost first: iteration, codelet, site, levels, data, worker")
      ->delimiter(',')
      ->capture_default_str();
  app.add_option("--open", options->open, "the id (in brackets) of a group to look into")
      ->take_all();
  app.add_option("--most", options->most, "how many nodes to show")
      ->check(CLI::Range(1, 100000))
      ->capture_default_str();
  app.add_option("--svg,-o", options->svg, "draw a picture into this file");
  app.add_option("--layout", options->layout, "of the picture: levels, time, graphviz (if small)")
      ->check(CLI::IsMember({"levels", "time", "graphviz"}))
      ->capture_default_str();
  app.add_option("--colour", options->colour,
                 "of the picture: codelet, worker, duration, waiting, slack, iteration")
      ->check(CLI::IsMember({"codelet", "worker", "duration", "waiting", "slack", "iteration"}))
      ->capture_default_str();
  return [options] {
    const Result<GraphQuery> query = QueryOf(*options);
    if (!query.ok()) return Fail(query.status());
    return WithTrace(options->trace, kPartDeps | kPartData, [&](const TraceModel& model) {
      const Topology topology(model);
      if (!options->svg.empty()) return Draw(model, topology, *query, *options);
      const GraphView view = ViewGraph(model, topology, *query);
      if (options->trace.json) {
        fmt::print("{}", Dump(GraphAnswer(model, view)));
      } else {
        Print(model, view);
      }
      return Status::Ok();
    });
  };
}

}  // namespace

extern const CommandSpec kGraphCommand = {"graph", "the task graph in groups that open", &Declare};

}  // namespace tasklens
