// SPDX-License-Identifier: Apache-2.0
// tasklens graph: the task graph in groups, as an outline.
#include <fmt/format.h>

#include "analysis/graph_view.h"
#include "analysis/text.h"
#include "server/answers/answers.h"
#include "server/tools/command.h"
#include "server/tools/trace_command.h"

namespace tasklens {
namespace {

struct Options {
  TraceArguments trace;
  std::vector<std::string> groups{"iteration", "codelet"};
  std::vector<std::string> open;
  uint32_t most = 2000;
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
  return [options] {
    const Result<GraphQuery> query = QueryOf(*options);
    if (!query.ok()) return Fail(query.status());
    return WithTrace(options->trace, kPartDeps | kPartData, [&](const TraceModel& model) {
      const GraphView view = ViewGraph(model, Topology(model), *query);
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
