// SPDX-License-Identifier: Apache-2.0
// The dot engine of Graphviz, through its library. The only code that includes its headers.
//
// The library has global state: one mutex lets one layout run at a time, and its messages are
// caught instead of being printed. Only positions are taken from it; nodes have fixed sizes and no
// text, so that no font is looked up and no label of a trace is interpreted.
#include <graphviz/gvc.h>

#include <charconv>
#include <memory>
#include <mutex>

#include "converters/writers/svg_layout.h"

namespace tasklens {
namespace {

constexpr double kPointsPerInch = 72;

std::mutex& GraphvizMutex() {
  static std::mutex mutex;
  return mutex;
}

// The first message of the library during a layout; guarded by the mutex.
std::string& FirstMessage() {
  static std::string message;
  return message;
}

int KeepMessage(char* text) {
  std::string& first = FirstMessage();
  if (first.size() < 200) first += text;
  return 0;
}

// Messages go to KeepMessage() during its life.
class CatchMessages {
 public:
  CatchMessages() : before_(agseterrf(&KeepMessage)) { FirstMessage().clear(); }
  ~CatchMessages() { agseterrf(before_); }

 private:
  agusererrf before_;
};

struct CloseContext {
  void operator()(GVC_t* context) const { gvFreeContext(context); }
};
struct CloseGraph {
  void operator()(Agraph_t* graph) const { agclose(graph); }
};
using ContextPointer = std::unique_ptr<GVC_t, CloseContext>;
using GraphPointer = std::unique_ptr<Agraph_t, CloseGraph>;

// The library takes its strings as char*, and copies them.
void Default(Agraph_t* graph, int kind, std::string name, std::string value) {
  agattr(graph, kind, name.data(), value.data());
}

void SetInches(Agnode_t* node, std::string name, double points) {
  char value[64];
  *std::to_chars(value, value + 60, points / kPointsPerInch, std::chars_format::fixed, 4).ptr = 0;
  std::string none;
  agsafeset(node, name.data(), value, none.data());
}

void TakePoints(Agedge_t* edge, double height, PlacedEdge& placed) {
  const splines* curve = ED_spl(edge);
  if (curve == nullptr) return;
  for (int i = 0; i < curve->size; ++i) {
    const bezier& part = curve->list[i];
    // A second part begins where the first ends.
    for (int j = placed.points.empty() ? 0 : 1; j < part.size; ++j)
      placed.points.push_back({part.list[j].x, height - part.list[j].y});
    // The library leaves room for the arrow's head; the picture draws it at the end of the path.
    if (part.eflag) {
      const PlacedEdge::Point tip{part.ep.x, height - part.ep.y};
      const PlacedEdge::Point last = placed.points.back();
      placed.points.insert(placed.points.end(), {last, tip, tip});
    }
  }
}

}  // namespace

Status PlaceByGraphviz(GraphLayout& layout) {
  const std::lock_guard<std::mutex> lock(GraphvizMutex());
  const CatchMessages messages;
  const auto failed = [&](const char* what) {
    return Status(ErrorCode::kInternal, std::string("Graphviz ") + what + ": " + FirstMessage());
  };
  const ContextPointer context(gvContext());
  if (!context) return failed("does not start");
  const GraphPointer graph(agopen(const_cast<char*>("G"), Agdirected, nullptr));
  if (!graph) return failed("makes no graph");
  Default(graph.get(), AGRAPH, "rankdir", "LR");
  Default(graph.get(), AGRAPH, "nodesep", "0.15");
  Default(graph.get(), AGRAPH, "ranksep", "0.6");
  // Bounds on the work of the network simplex.
  Default(graph.get(), AGRAPH, "nslimit", "1");
  Default(graph.get(), AGRAPH, "nslimit1", "1");
  Default(graph.get(), AGRAPH, "mclimit", "0.3");
  Default(graph.get(), AGNODE, "shape", "box");
  Default(graph.get(), AGNODE, "fixedsize", "true");
  Default(graph.get(), AGNODE, "label", "");
  std::vector<Agnode_t*> nodes;
  for (size_t i = 0; i < layout.nodes.size(); ++i) {
    std::string name = "n" + std::to_string(i);
    nodes.push_back(agnode(graph.get(), name.data(), 1));
    SetInches(nodes.back(), "width", layout.nodes[i].width);
    SetInches(nodes.back(), "height", layout.nodes[i].height);
  }
  std::vector<Agedge_t*> edges;
  for (const PlacedEdge& edge : layout.edges)
    edges.push_back(agedge(graph.get(), nodes[edge.from], nodes[edge.to], nullptr, 1));
  if (gvLayout(context.get(), graph.get(), "dot") != 0) return failed("lays out nothing");
  const boxf box = GD_bb(graph.get());
  layout.width = box.UR.x;
  layout.height = box.UR.y;
  for (size_t i = 0; i < nodes.size(); ++i) {
    layout.nodes[i].x = ND_coord(nodes[i]).x;
    layout.nodes[i].y = layout.height - ND_coord(nodes[i]).y;
  }
  for (size_t i = 0; i < edges.size(); ++i) TakePoints(edges[i], layout.height, layout.edges[i]);
  gvFreeLayout(context.get(), graph.get());
  layout.by_graphviz = true;
  return Status::Ok();
}

}  // namespace tasklens
