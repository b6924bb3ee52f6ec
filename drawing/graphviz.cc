// SPDX-License-Identifier: Apache-2.0
// The dot engine of Graphviz, through its library, which is loaded for the first graph. No other
// code includes its headers.
//
// The library has global state: one mutex lets one layout run at a time, and its messages are
// caught instead of printed. Only positions are taken from it; nodes have fixed sizes and no text,
// so that no font is looked up and no label from a trace is interpreted.
#include <graphviz/gvc.h>

#include <charconv>
#include <memory>
#include <mutex>

#include "drawing/graph_layout.h"
#include "trace/support/loaded_library.h"

namespace tasklens {
namespace {

constexpr double kPointsPerInch = 72;

struct Graphviz {
  LoadedLibrary library;
  decltype(&gvContext) context = library["gvContext"];
  decltype(&gvFreeContext) free_context = library["gvFreeContext"];
  decltype(&gvLayout) layout = library["gvLayout"];
  decltype(&gvFreeLayout) free_layout = library["gvFreeLayout"];
  decltype(&agopen) open = library["agopen"];
  decltype(&agclose) close = library["agclose"];
  decltype(&agnode) node = library["agnode"];
  decltype(&agedge) edge = library["agedge"];
  decltype(&agattr) attribute = library["agattr"];
  decltype(&agsafeset) set = library["agsafeset"];
  decltype(&agseterrf) set_messages = library["agseterrf"];
  Agdesc_t* directed = library["Agdirected"];  // the kind of graph
};

const Result<Graphviz>& Loaded() {
  static const Result<Graphviz> loaded = LoadedLibrary::Load<Graphviz>(
      "libgvc.so.6", "libgvc6", "is of an unsupported version: Graphviz 2 is needed");
  return loaded;
}

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

// Redirects the library's messages to KeepMessage() during its life.
class CatchMessages {
 public:
  explicit CatchMessages(const Graphviz& graphviz)
      : graphviz_(graphviz), before_(graphviz.set_messages(&KeepMessage)) {
    FirstMessage().clear();
  }
  ~CatchMessages() { graphviz_.set_messages(before_); }

 private:
  const Graphviz& graphviz_;
  const agusererrf before_;
};

using ContextPointer = std::unique_ptr<GVC_t, decltype(&gvFreeContext)>;
using GraphPointer = std::unique_ptr<Agraph_t, decltype(&agclose)>;

// The library takes strings as char*, and copies them.
void SetInches(const Graphviz& graphviz, Agnode_t* node, std::string name, double points) {
  char value[64];
  *std::to_chars(value, value + 60, points / kPointsPerInch, std::chars_format::fixed, 4).ptr = 0;
  std::string none;
  graphviz.set(node, name.data(), value, none.data());
}

void TakePoints(Agedge_t* edge, double height, std::vector<Point>& points) {
  const splines* curve = ED_spl(edge);
  if (curve == nullptr) return;
  for (int i = 0; i < curve->size; ++i) {
    const bezier& part = curve->list[i];
    // A further part begins where the previous one ends.
    for (int j = points.empty() ? 0 : 1; j < part.size; ++j)
      points.push_back({part.list[j].x, height - part.list[j].y});
    // The library leaves room for the arrow head; the picture draws it at the end of the path.
    if (part.eflag) {
      const Point tip{part.ep.x, height - part.ep.y};
      const Point last = points.back();
      points.insert(points.end(), {last, tip, tip});
    }
  }
}

}  // namespace

Status PlaceByGraphviz(std::span<Box* const> boxes, std::span<EdgePath* const> paths,
                       Extent& whole) {
  const std::lock_guard<std::mutex> lock(GraphvizMutex());
  if (!Loaded().ok()) return Loaded().status();
  const Graphviz& graphviz = *Loaded();
  const CatchMessages messages(graphviz);
  const auto failed = [&](const char* what) {
    return Status(ErrorCode::kInternal, std::string("Graphviz ") + what + ": " + FirstMessage());
  };
  const ContextPointer context(graphviz.context(), graphviz.free_context);
  if (!context) return failed("does not start");
  const GraphPointer graph(graphviz.open(const_cast<char*>("G"), *graphviz.directed, nullptr),
                           graphviz.close);
  if (!graph) return failed("makes no graph");
  const auto set_default = [&](int kind, std::string name, std::string value) {
    graphviz.attribute(graph.get(), kind, name.data(), value.data());
  };
  set_default(AGRAPH, "rankdir", "LR");
  set_default(AGRAPH, "nodesep", "0.15");
  set_default(AGRAPH, "ranksep", "0.6");
  // Bounds the work of the network simplex.
  set_default(AGRAPH, "nslimit", "1");
  set_default(AGRAPH, "nslimit1", "1");
  set_default(AGRAPH, "mclimit", "0.3");
  set_default(AGNODE, "shape", "box");
  set_default(AGNODE, "fixedsize", "true");
  set_default(AGNODE, "label", "");
  std::vector<Agnode_t*> nodes;
  for (const Box* box : boxes) {
    std::string name = "n" + std::to_string(nodes.size());
    nodes.push_back(graphviz.node(graph.get(), name.data(), 1));
    SetInches(graphviz, nodes.back(), "width", box->width);
    SetInches(graphviz, nodes.back(), "height", box->height);
  }
  std::vector<Agedge_t*> edges;
  for (const EdgePath* path : paths)
    edges.push_back(graphviz.edge(graph.get(), nodes[path->from], nodes[path->to], nullptr, 1));
  if (graphviz.layout(context.get(), graph.get(), "dot") != 0) return failed("lays out nothing");
  const boxf box = GD_bb(graph.get());
  whole = {box.UR.x, box.UR.y};
  for (size_t i = 0; i < nodes.size(); ++i) {
    boxes[i]->x = ND_coord(nodes[i]).x;
    boxes[i]->y = whole.height - ND_coord(nodes[i]).y;
  }
  for (size_t i = 0; i < edges.size(); ++i) TakePoints(edges[i], whole.height, paths[i]->points);
  graphviz.free_layout(context.get(), graph.get());
  return Status::Ok();
}

}  // namespace tasklens
