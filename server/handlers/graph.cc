// SPDX-License-Identifier: Apache-2.0
// tasklens/graph: the task graph in groups that open, as columns of numbers, and as a picture for
// who asks for one: no client pays for a layout that it does not show.
#include <algorithm>
#include <cmath>

#include "analysis/colours.h"
#include "analysis/graph_browser.h"
#include "analysis/run_clock.h"
#include "analysis/statistics.h"
#include "server/handlers/columns.h"
#include "server/handlers/graph_focus.h"
#include "server/handlers/handlers.h"
#include "server/handlers/request.h"
#include "server/pictures/graph_picture.h"
#include "server/pictures/svg.h"
#include "server/report/overview.h"

namespace tasklens {
namespace {

// What one picture may hold; a client could neither draw nor read more.
constexpr uint32_t kMaxNodes = 2000;
constexpr uint32_t kMaxEdges = 4000;

struct Params {
  std::string trace, layout = "auto";
  std::vector<std::string> group, open;
  uint32_t max_nodes = kMaxNodes, max_edges = kMaxEdges;
  ColourBy colour = ColourBy::kCodelet;
  bool svg = false, internal = false;
  GraphFocus focus;
  void Visit(Fields& fields) {
    fields.Optional("trace", trace);
    focus.Visit(fields, "task");
    fields.Optional("svg", svg);
    fields.Optional("internal", internal);
    fields.Optional("group", group);
    fields.Optional("open", open);
    fields.Optional("layout", layout);
    colour = ReadColour(fields, colour);
    fields.Optional("maxNodes", max_nodes);
    fields.Optional("maxEdges", max_edges);
    for (const std::string& name : group)
      if (!ParseGroupBy(name))
        fields.Fail("group",
                    "takes iteration, codelet, site, levels, data and worker, not '" + name + "'");
    if (layout != "auto" && !ParseGraphPlacement(layout))
      fields.Fail("layout", "is auto, graphviz, levels or time, not '" + layout + "'");
    if (max_nodes < 2 || max_nodes > kMaxNodes) fields.Fail("maxNodes", "must be 2 to 2000");
    if (max_edges > kMaxEdges) fields.Fail("maxEdges", "must be at most 4000");
  }
};

// All of the query but what is open.
std::string KeyOf(const Params& params, const GraphQuery& query) {
  std::string key = params.focus.Key() + (params.internal ? ",internal," : ",");
  for (const uint32_t number : {query.max_nodes, query.max_edges})
    key += std::to_string(number) + ",";
  for (const GroupBy by : query.nesting) key += "," + std::string(GroupByName(by));
  return key;
}

Result<GraphQuery> QueryOf(const OpenTrace& trace, const Params& params,
                           const TaskSelection& selection, const Call& call) {
  GraphQuery query;
  query.selection = &selection;
  query.open = params.open;
  query.max_nodes = params.max_nodes;
  query.max_edges = params.max_edges;
  uint64_t tasks = selection.count;
  if (!params.focus.is_whole()) {
    Result<std::vector<uint32_t>> focus = TasksInFocus(trace, selection, params.focus, call);
    if (!focus.ok()) return focus.status();
    tasks = focus->size();
    query.only = std::move(*focus);
  }
  if (!params.group.empty() || tasks <= kFewTasks) query.nesting.clear();
  for (const std::string& name : params.group) query.nesting.push_back(*ParseGroupBy(name));
  return query;
}

// Whether the outermost groups are intervals of levels that nobody asked for.
bool IsByLevelInstead(const GraphPicture& picture, const std::vector<std::string>& group) {
  const auto is_interval = [](const GraphGlyph& glyph) {
    return glyph.node.id.starts_with("/levels.");
  };
  return std::find(group.begin(), group.end(), GroupByName(GroupBy::kLevels)) == group.end() &&
         (std::any_of(picture.nodes.begin(), picture.nodes.end(), is_interval) ||
          std::any_of(picture.frames.begin(), picture.frames.end(), is_interval));
}

// A column with what `value` says of each row.
template <class Rows, class Value>
json Column(const Rows& rows, Value value) {
  json::array_t column;
  column.reserve(rows.size());
  for (const auto& row : rows) column.emplace_back(value(row));
  return column;
}

// What nodes and frames have alike.
json GlyphColumns(const std::vector<GraphGlyph>& glyphs, TextTable& labels) {
  const auto column = [&](auto value) { return Column(glyphs, value); };
  return {
      {"colour", column([](const GraphGlyph& glyph) { return glyph.colour; })},
      {"label", column([&](const GraphGlyph& glyph) { return labels.IndexOf(glyph.node.label); })},
      {"tasks", column([](const GraphGlyph& glyph) { return glyph.node.tasks; })},
      {"totalNs", column([](const GraphGlyph& glyph) { return glyph.node.total_ns; })},
      {"frame", column([](const GraphGlyph& glyph) { return OrMinusOne(glyph.frame); })}};
}

json IdsOf(const std::vector<GraphGlyph>& glyphs) {
  return Column(glyphs, [](const GraphGlyph& glyph) { return glyph.node.id; });
}

struct Texts {
  TextTable labels, workers, codelets;
  json sites = json::object();
};

json NodesJson(const Session& session, const OpenTrace& trace,
               const std::vector<GraphGlyph>& glyphs, Texts& texts) {
  const TraceModel& model = *trace.model;
  const auto time = [](int64_t ns) { return ns == kNever ? int64_t{-1} : ns; };
  const auto column = [&](auto value) {
    return Column(glyphs, [&](const GraphGlyph& glyph) -> int64_t { return value(glyph.node); });
  };
  json nodes = GlyphColumns(glyphs, texts.labels);
  nodes["kind"] =
      Column(glyphs, [](const GraphGlyph& glyph) { return static_cast<uint32_t>(glyph.kind); });
  nodes["paint"] = Column(glyphs, [](const GraphGlyph& glyph) { return glyph.paint.rgb; });
  nodes["task"] = column([](const GraphNode& node) { return OrMinusOne(node.task); });
  nodes["startNs"] = column([&](const GraphNode& node) { return time(node.start_ns); });
  nodes["endNs"] = column([&](const GraphNode& node) { return time(node.end_ns); });
  nodes["firstLevel"] = column([](const GraphNode& node) { return node.first_level; });
  nodes["lastLevel"] = column([](const GraphNode& node) { return node.last_level; });
  nodes["canOpen"] = column([](const GraphNode& node) { return node.can_open; });
  nodes["mixed"] = column([](const GraphNode& node) { return !node.one_name; });
  nodes["codelet"] = column([&](const GraphNode& node) {
    return texts.codelets.IndexOf(
        StatisticsLabel(model, StatisticsBy::kCodelet, model.tasks.name[node.first_task]));
  });
  nodes["rgb"] = column([&](const GraphNode& node) {
    return node.task == kNone ? -1 : OrMinusOne(model.tasks.rgb[node.task]);
  });
  nodes["worker"] = column([&](const GraphNode& node) {
    const uint32_t worker = node.task == kNone ? kNone : model.tasks.worker[node.task];
    if (worker >= model.workers.size()) return int64_t{-1};
    return int64_t{texts.workers.IndexOf(model.str(model.workers.name[worker]))};
  });
  nodes["site"] = column([&](const GraphNode& node) {
    const uint32_t site = model.tasks.site[node.first_task];
    if (site >= model.sites.size()) return int64_t{-1};
    json& source = texts.sites[std::to_string(site)];
    if (source.is_null()) source = SiteJson(session, trace, site);
    return int64_t{site};
  });
  return nodes;
}

Result<json> Graph(const Session& session, const Params& params, const Call& call) {
  const auto found = session.Find(params.trace);
  if (!found.ok()) return found.status();
  const OpenTrace& trace = **found;
  const auto colours = trace.views->Colours(params.colour, call.stop());
  const auto selection = trace.views->Selection(params.internal, call.stop());
  if (!colours || !selection) return Cancelled();
  const Result<GraphQuery> query = QueryOf(trace, params, *selection, call);
  if (!query.ok()) return query.status();
  GraphView view;
  std::vector<double> means;
  if (!trace.views->Browse(KeyOf(params, *query), *query, call.stop(), [&](GraphBrowser& browser) {
        view = browser.View();
        if (!colours->values().empty())
          means = browser.Means(colours->legend().by, colours->values());
      }))
    return Cancelled();
  GraphPicture picture = PaintView(view, *colours, means);

  Texts texts;
  json nodes = NodesJson(session, trace, picture.nodes, texts);
  json frames = GlyphColumns(picture.frames, texts.labels);
  const auto edges = [&](auto value) { return Column(picture.edges, value); };
  json answer = {{"trace", trace.id},
                 {"zeroNs", RunClock(*trace.model).zero_ns()},
                 {"caption", picture.caption},
                 {"notOpened", picture.not_opened},
                 {"notFound", picture.not_found},
                 {"byLevelInstead", IsByLevelInstead(picture, params.group)},
                 {"tasksShown", picture.tasks_shown},
                 {"tasksTotal", picture.tasks_total},
                 {"groups", picture.groups},
                 {"dependenciesInside", picture.dependencies_inside},
                 {"dependenciesLeftOut", picture.dependencies_left_out},
                 {"nodes", std::move(nodes)},
                 {"frames", std::move(frames)},
                 {"edges",
                  {{"from", edges([](const GraphCurve& edge) { return edge.from; })},
                   {"to", edges([](const GraphCurve& edge) { return edge.to; })},
                   {"count", edges([](const GraphCurve& edge) { return edge.count; })}}},
                 {"legend", LegendJson(picture.legend)},
                 {"svg", nullptr},
                 {"texts",
                  {{"kinds", {"task", "group"}},
                   {"ids", IdsOf(picture.nodes)},
                   {"frames", IdsOf(picture.frames)},
                   {"labels", texts.labels.Take()},
                   {"workers", texts.workers.Take()},
                   {"codelets", texts.codelets.Take()},
                   {"sites", std::move(texts.sites)}}}};
  if (!params.svg) return answer;
  const bool is_whole = params.focus.is_whole(), is_plain = is_whole && params.group.empty();
  const Result<GraphPicture> drawn = DrawGraph(
      *trace.model, *selection, *colours, std::move(picture), ParseGraphPlacement(params.layout),
      !is_whole, is_plain ? std::min<size_t>(params.max_nodes, kFewTasks) : 0);
  if (!drawn.ok()) return drawn.status();
  answer["svg"] = GraphSvg(*trace.model, *drawn, trace.directory);
  return answer;
}

}  // namespace

extern const RequestSpec kGraphRequest;
const RequestSpec kGraphRequest = Request<&Graph>("tasklens/graph");

}  // namespace tasklens
