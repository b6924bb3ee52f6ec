// SPDX-License-Identifier: Apache-2.0
// tasklens/graph: the task graph in groups that open, as columns of numbers, or as a picture on
// request, so that a client pays only for a layout that it shows.
#include <algorithm>
#include <map>

#include "analysis/colours.h"
#include "analysis/graph_browser.h"
#include "analysis/statistics.h"
#include "server/answers/answers.h"
#include "server/answers/views.h"
#include "server/handlers/columns.h"
#include "server/handlers/graph_focus.h"
#include "server/handlers/handlers.h"
#include "server/handlers/request.h"
#include "server/pictures/graph_picture.h"
#include "server/pictures/svg.h"

namespace tasklens {
namespace {

// The limit of nodes in one picture; more would be unreadable.
constexpr uint32_t kMaxNodes = 2000;
constexpr uint32_t kMaxEdges = 4000;

using messages::GraphAnswer, messages::GraphParams;

Status CheckParams(const GraphParams& params) {
  const auto refuse = [](const char* why) { return Status(ErrorCode::kInvalidArgument, why); };
  if (params.max_nodes < 2 || params.max_nodes > kMaxNodes)
    return refuse("params.maxNodes must be 2 to 2000");
  if (params.max_edges > kMaxEdges) return refuse("params.maxEdges must be at most 4000");
  return Status::Ok();
}

// The key of a query: everything but the open groups.
std::string KeyOf(const GraphFocus& focus, bool internal, const GraphQuery& query) {
  std::string key = focus.Key() + (internal ? ",internal," : ",");
  for (const uint32_t number : {query.max_nodes, query.max_edges})
    key += std::to_string(number) + ",";
  for (const GroupBy by : query.nesting) key += "," + std::string(GroupByName(by));
  return key;
}

Result<GraphQuery> QueryOf(const OpenTrace& trace, const GraphParams& params,
                           const GraphFocus& focus, const TaskSelection& selection,
                           const Call& call) {
  GraphQuery query;
  query.selection = &selection;
  query.open = params.open;
  query.max_nodes = params.max_nodes;
  query.max_edges = params.max_edges;
  uint64_t tasks = selection.count;
  if (!focus.is_whole()) {
    Result<std::vector<uint32_t>> only = TasksInFocus(trace, selection, focus, call);
    if (!only.ok()) return only.status();
    tasks = only->size();
    query.only = std::move(*only);
  }
  if (!params.group.empty() || tasks <= kFewTasks) query.nesting.clear();
  for (const std::string& name : params.group) query.nesting.push_back(*ParseGroupBy(name));
  return query;
}

// True if the outermost groups are intervals of levels although the request did not ask for them.
bool IsByLevelInstead(const GraphPicture& picture, const std::vector<std::string>& group) {
  const auto is_interval = [](const GraphGlyph& glyph) {
    return glyph.node.id.starts_with("/levels.");
  };
  return std::find(group.begin(), group.end(), GroupByName(GroupBy::kLevels)) == group.end() &&
         (std::any_of(picture.nodes.begin(), picture.nodes.end(), is_interval) ||
          std::any_of(picture.frames.begin(), picture.frames.end(), is_interval));
}

// The columns common to nodes and frames.
messages::GraphItems ItemsOf(const std::vector<GraphGlyph>& glyphs, TextTable& labels) {
  messages::GraphItems items;
  for (const GraphGlyph& glyph : glyphs) {
    items.colour.push_back(glyph.colour);
    items.label.push_back(labels.IndexOf(glyph.node.label));
    items.tasks.push_back(static_cast<int64_t>(glyph.node.tasks));
    items.total_ns.push_back(glyph.node.total_ns);
    items.frame.push_back(OrMinusOne(glyph.frame));
  }
  return items;
}

std::vector<std::string> IdsOf(const std::vector<GraphGlyph>& glyphs) {
  std::vector<std::string> ids;
  for (const GraphGlyph& glyph : glyphs) ids.push_back(glyph.node.id);
  return ids;
}

struct Texts {
  TextTable labels, workers, codelets;
  std::map<std::string, messages::Site> sites;
};

// The index of a text or a row of the node; -1 if it has none.
int64_t WorkerOf(const TraceModel& model, const GraphNode& node, Texts& texts) {
  const uint32_t worker = node.task == kNone ? kNone : model.tasks.worker[node.task];
  if (worker >= model.workers.size()) return -1;
  return texts.workers.IndexOf(model.str(model.workers.name[worker]));
}
int64_t SiteOf(const Session& session, const OpenTrace& trace, const GraphNode& node,
               Texts& texts) {
  const uint32_t site = trace.model->tasks.site[node.first_task];
  if (site >= trace.model->sites.size()) return -1;
  const auto [source, is_new] = texts.sites.try_emplace(std::to_string(site));
  if (is_new) source->second = *SiteMessage(session, trace, site);
  return site;
}

messages::GraphNodes NodesOf(const Session& session, const OpenTrace& trace,
                             const std::vector<GraphGlyph>& glyphs, Texts& texts) {
  const TraceModel& model = *trace.model;
  const auto time = [](int64_t ns) { return ns == kNever ? -1 : ns; };
  messages::GraphNodes nodes{ItemsOf(glyphs, texts.labels)};
  for (const GraphGlyph& glyph : glyphs) {
    const GraphNode& node = glyph.node;
    nodes.kind.push_back(static_cast<int64_t>(glyph.kind));
    nodes.task.push_back(OrMinusOne(node.task));
    nodes.start_ns.push_back(time(node.start_ns));
    nodes.end_ns.push_back(time(node.end_ns));
    nodes.first_level.push_back(node.first_level);
    nodes.last_level.push_back(node.last_level);
    nodes.worker.push_back(WorkerOf(model, node, texts));
    nodes.site.push_back(SiteOf(session, trace, node, texts));
    nodes.can_open.push_back(node.can_open);
    nodes.mixed.push_back(!node.one_name);
    nodes.codelet.push_back(texts.codelets.IndexOf(
        StatisticsLabel(model, StatisticsBy::kCodelet, model.tasks.name[node.first_task])));
    nodes.rgb.push_back(node.task == kNone ? -1 : OrMinusOne(model.tasks.rgb[node.task]));
    nodes.paint.push_back(glyph.paint.rgb);
  }
  return nodes;
}

Result<GraphAnswer> Graph(const Session& session, const GraphParams& params, const Call& call) {
  if (Status s = CheckParams(params); !s.ok()) return s;
  const Result<GraphFocus> focus = FocusOf(params, params.task, "task");
  if (!focus.ok()) return focus.status();
  const auto found = session.Find(params.trace);
  if (!found.ok()) return found.status();
  const OpenTrace& trace = **found;
  const auto colours = trace.views->Colours(*ParseColourBy(params.colour), call.stop());
  const auto selection = trace.views->Selection(params.internal, call.stop());
  if (!colours || !selection) return Cancelled();
  const Result<GraphQuery> query = QueryOf(trace, params, *focus, *selection, call);
  if (!query.ok()) return query.status();
  GraphView view;
  std::vector<double> means;
  const std::string key = KeyOf(*focus, params.internal, *query);
  if (!trace.views->Browse(key, *query, call.stop(), [&](GraphBrowser& browser) {
        view = browser.View();
        if (!colours->values().empty())
          means = browser.Means(colours->legend().by, colours->values());
      }))
    return Cancelled();
  GraphPicture picture = PaintView(view, *colours, means);

  Texts texts;
  GraphAnswer answer{GraphShownMessage(*trace.model, view)};
  answer.trace = trace.id;
  answer.not_found = view.not_found;
  answer.by_level_instead = IsByLevelInstead(picture, params.group);
  answer.nodes = NodesOf(session, trace, picture.nodes, texts);
  answer.frames = ItemsOf(picture.frames, texts.labels);
  answer.legend = LegendMessage(picture.legend);
  for (const GraphCurve& edge : picture.edges) {
    answer.edges.from.push_back(edge.from);
    answer.edges.to.push_back(edge.to);
    answer.edges.count.push_back(static_cast<int64_t>(edge.count));
  }
  answer.texts = {.kinds = {"task", "group"},
                  .ids = IdsOf(picture.nodes),
                  .frames = IdsOf(picture.frames),
                  .labels = texts.labels.Take(),
                  .workers = texts.workers.Take(),
                  .codelets = texts.codelets.Take(),
                  .sites = std::move(texts.sites)};
  if (!params.svg) return answer;
  const bool is_whole = focus->is_whole(), is_plain = is_whole && params.group.empty();
  const Result<GraphPicture> drawn = DrawGraph(
      *trace.model, *selection, *colours, std::move(picture), ParseGraphPlacement(params.layout),
      !is_whole, is_plain ? std::min<size_t>(params.max_nodes, kFewTasks) : 0);
  if (!drawn.ok()) return drawn.status();
  answer.svg = GraphSvg(*trace.model, *drawn, trace.directory);
  return answer;
}

}  // namespace

extern const RequestSpec kGraphRequest = Request<&Graph>("tasklens/graph");

}  // namespace tasklens
