// SPDX-License-Identifier: Apache-2.0
// tasklens/graph: the task graph in groups that open, with coordinates, as columns of numbers.
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
// What Graphviz places at once.
constexpr size_t kMostAutoNodes = 100;

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

GraphQuery QueryOf(const Params& params) {
  GraphQuery query;
  if (!params.group.empty()) query.nesting.clear();
  for (const std::string& name : params.group) query.nesting.push_back(*ParseGroupBy(name));
  query.open = params.open;
  query.max_nodes = params.max_nodes;
  query.max_edges = params.max_edges;
  return query;
}

// All of the query but what is open.
std::string KeyOf(const Params& params, const GraphQuery& query) {
  std::string key = params.focus.Key() + (params.internal ? ",internal," : ",");
  for (const uint32_t number : {query.max_nodes, query.max_edges})
    key += std::to_string(number) + ",";
  for (const GroupBy by : query.nesting) key += "," + std::string(GroupByName(by));
  return key;
}

Result<GraphPicture> Draw(const OpenTrace& trace, const Params& params, const Call& call) {
  const auto colours = trace.views->Colours(params.colour, call.stop());
  const auto selection = trace.views->Selection(params.internal, call.stop());
  if (!colours || !selection) return Cancelled();
  if (params.group.empty() && params.focus.is_whole() &&
      (params.layout == "auto" || params.layout == "graphviz")) {
    auto small = DrawSmallGraph(*trace.model, *selection, *colours,
                                std::min<size_t>(params.max_nodes, kFewTasks));
    if (!small.ok()) return small.status();
    if (*small) {
      (*small)->not_found = params.open;  // it has no groups
      return std::move(**small);
    }
  }
  GraphQuery query = QueryOf(params);
  query.selection = selection.get();
  if (params.group.empty() && params.focus.is_whole() && selection->count <= kFewTasks)
    query.nesting.clear();
  if (!params.focus.is_whole()) {
    Result<std::vector<uint32_t>> tasks = TasksInFocus(trace, *selection, params.focus, call);
    if (!tasks.ok()) return tasks.status();
    if (params.group.empty() && tasks->size() <= kFewTasks) query.nesting.clear();
    query.only = std::move(*tasks);
  }
  GraphView view;
  std::vector<double> means;
  if (!trace.views->Browse(KeyOf(params, query), query, call.stop(), [&](GraphBrowser& browser) {
        view = browser.View();
        if (!colours->values().empty())
          means = browser.Means(colours->legend().by, colours->values());
      }))
    return Cancelled();
  // What is looked at by itself has no place in a larger picture that it should keep.
  const bool is_small = !params.focus.is_whole() && view.nodes.size() <= kMostAutoNodes &&
                        view.edges.size() <= 2 * kMostAutoNodes && view.frames.empty();
  const GraphPlacement placement =
      ParseGraphPlacement(params.layout)
          .value_or(is_small ? GraphPlacement::kGraphviz : GraphPlacement::kLevels);
  return DrawView(view, placement, *colours, means);
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

// Enough digits for the smallest box; all of them would double the answer.
double Rounded(double value) { return std::round(value * 1e4) / 1e4; }

struct Boxes {
  json::array_t x, y, width, height, colour, label, tasks, total_ns, frame;
  void Add(const GraphGlyph& glyph, TextTable& labels) {
    x.emplace_back(Rounded(glyph.x));
    y.emplace_back(Rounded(glyph.y));
    width.emplace_back(Rounded(glyph.width));
    height.emplace_back(Rounded(glyph.height));
    colour.emplace_back(glyph.colour);
    label.emplace_back(labels.IndexOf(glyph.node.label));
    tasks.emplace_back(glyph.node.tasks);
    total_ns.emplace_back(glyph.node.total_ns);
    frame.emplace_back(OrMinusOne(glyph.frame));
  }
  json Take() {
    return {{"x", std::move(x)},           {"y", std::move(y)},
            {"width", std::move(width)},   {"height", std::move(height)},
            {"colour", std::move(colour)}, {"label", std::move(label)},
            {"tasks", std::move(tasks)},   {"totalNs", std::move(total_ns)},
            {"frame", std::move(frame)}};
  }
};

struct Texts {
  TextTable labels, workers, codelets;
  json::array_t ids, frames;
  json sites = json::object();
};

json NodesJson(const Session& session, const OpenTrace& trace, const GraphPicture& picture,
               Texts& texts) {
  const TraceModel& model = *trace.model;
  const auto time = [](int64_t ns) { return ns == kNever ? int64_t{-1} : ns; };
  Boxes boxes;
  json::array_t kind, task, start_ns, end_ns, first_level, last_level, worker, site, can_open,
      mixed, codelet, rgb, paint;
  for (const GraphGlyph& glyph : picture.nodes) {
    const GraphNode& node = glyph.node;
    const bool has_tasks = glyph.kind == GlyphKind::kTask || glyph.kind == GlyphKind::kGroup;
    const uint32_t its_site = has_tasks ? model.tasks.site[node.first_task] : kNone;
    const uint32_t its_worker =
        glyph.kind == GlyphKind::kTask ? model.tasks.worker[node.task] : kNone;
    boxes.Add(glyph, texts.labels);
    texts.ids.emplace_back(node.id);
    kind.emplace_back(static_cast<uint32_t>(glyph.kind));
    task.emplace_back(OrMinusOne(node.task));
    start_ns.emplace_back(time(node.start_ns));
    end_ns.emplace_back(time(node.end_ns));
    first_level.emplace_back(node.first_level);
    last_level.emplace_back(node.last_level);
    can_open.emplace_back(node.can_open ? 1 : 0);
    mixed.emplace_back(node.one_name ? 0 : 1);
    codelet.emplace_back(
        has_tasks ? int64_t{texts.codelets.IndexOf(StatisticsLabel(
                        model, StatisticsBy::kCodelet, model.tasks.name[node.first_task]))}
                  : -1);
    rgb.emplace_back(glyph.kind == GlyphKind::kTask ? OrMinusOne(model.tasks.rgb[node.task]) : -1);
    paint.emplace_back(glyph.paint.rgb);
    worker.emplace_back(
        its_worker < model.workers.size()
            ? int64_t{texts.workers.IndexOf(model.str(model.workers.name[its_worker]))}
            : -1);
    site.emplace_back(its_site < model.sites.size() ? int64_t{its_site} : -1);
    if (its_site >= model.sites.size()) continue;
    json& source = texts.sites[std::to_string(its_site)];
    if (source.is_null()) source = SiteJson(session, trace, its_site);
  }
  json nodes = boxes.Take();
  nodes["kind"] = std::move(kind);
  nodes["task"] = std::move(task);
  nodes["startNs"] = std::move(start_ns);
  nodes["endNs"] = std::move(end_ns);
  nodes["firstLevel"] = std::move(first_level);
  nodes["lastLevel"] = std::move(last_level);
  nodes["worker"] = std::move(worker);
  nodes["site"] = std::move(site);
  nodes["canOpen"] = std::move(can_open);
  nodes["mixed"] = std::move(mixed);
  nodes["codelet"] = std::move(codelet);
  nodes["rgb"] = std::move(rgb);
  nodes["paint"] = std::move(paint);
  return nodes;
}

json EdgesJson(const GraphPicture& picture) {
  json::array_t from, to, count, dashed, points;
  for (const GraphCurve& edge : picture.edges) {
    from.emplace_back(edge.from);
    to.emplace_back(edge.to);
    count.emplace_back(edge.count);
    dashed.emplace_back(edge.dashed ? 1 : 0);
    json::array_t curve;
    for (const GraphCurve::Point& point : edge.points) {
      curve.emplace_back(Rounded(point.x));
      curve.emplace_back(Rounded(point.y));
    }
    points.emplace_back(std::move(curve));
  }
  const bool has_points = picture.placement == GraphPlacement::kGraphviz;
  return {{"from", std::move(from)},
          {"to", std::move(to)},
          {"count", std::move(count)},
          {"dashed", std::move(dashed)},
          {"points", has_points ? json(std::move(points)) : json()}};
}

Result<json> Graph(const Session& session, const Params& params, const Call& call) {
  const auto found = session.Find(params.trace);
  if (!found.ok()) return found.status();
  const OpenTrace& trace = **found;
  const Result<GraphPicture> picture = Draw(trace, params, call);
  if (!picture.ok()) return picture.status();
  if (call.IsCancelled()) return Cancelled();

  Texts texts;
  json nodes = NodesJson(session, trace, *picture, texts);
  Boxes frames;
  for (const GraphGlyph& frame : picture->frames) {
    frames.Add(frame, texts.labels);
    texts.frames.emplace_back(frame.node.id);
  }
  return json{
      {"trace", trace.id},
      {"zeroNs", RunClock(*trace.model).zero_ns()},
      {"caption", picture->caption},
      {"layout", GraphPlacementName(picture->placement)},
      {"width", Rounded(picture->width)},
      {"height", Rounded(picture->height)},
      {"notOpened", picture->not_opened},
      {"notFound", picture->not_found},
      {"byLevelInstead", IsByLevelInstead(*picture, params.group)},
      {"tasksShown", picture->tasks_shown},
      {"tasksTotal", picture->tasks_total},
      {"groups", picture->groups},
      {"dependenciesInside", picture->dependencies_inside},
      {"dependenciesLeftOut", picture->dependencies_left_out},
      {"nodes", std::move(nodes)},
      {"frames", frames.Take()},
      {"edges", EdgesJson(*picture)},
      {"legend", LegendJson(picture->legend)},
      {"svg", params.svg ? json(GraphSvg(*trace.model, *picture, trace.directory)) : json()},
      {"texts",
       {{"kinds", {"task", "group", "tag", "message"}},
        {"ids", std::move(texts.ids)},
        {"frames", std::move(texts.frames)},
        {"labels", texts.labels.Take()},
        {"workers", texts.workers.Take()},
        {"codelets", texts.codelets.Take()},
        {"sites", std::move(texts.sites)}}}};
}

}  // namespace

extern const RequestSpec kGraphRequest;
const RequestSpec kGraphRequest = Request<&Graph>("tasklens/graph");

}  // namespace tasklens
