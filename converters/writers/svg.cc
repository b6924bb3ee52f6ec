// SPDX-License-Identifier: Apache-2.0
// dag.svg: the graph of the tasks as a picture that any browser shows.
//
// Read by browsers, editors' web views, Inkscape, librsvg (SVG 1.1, https://www.w3.org/TR/SVG11/).
// Positions come from Graphviz's library or, for large graphs, from the run. The text is written
// here, so that everything is escaped and each node has the attributes that a client needs to find
// its task.
#include "drawing/svg.h"

#include <fmt/format.h>

#include <iterator>

#include "converters/formats.h"
#include "converters/writers/svg_layout.h"
#include "converters/writers/text.h"

namespace tasklens {
namespace {

constexpr double kMargin = 12;
constexpr std::string_view kStyle =
    ".node text { font-size: 11px; text-anchor: middle; pointer-events: none; }\n"
    ".node rect { stroke: #444; stroke-width: 0.7; }\n"
    ".node:hover rect { stroke: #000; stroke-width: 2; }\n"
    ".edges path { fill: none; stroke: #777; stroke-width: 0.8; }\n"
    ".edges .tag { stroke-dasharray: 4 3; }\n"
    ".edges text { font-size: 9px; fill: #555; text-anchor: middle; }\n";

// Percent-encodes the characters that are not allowed in the path of a URL. The result needs no XML
// escapes.
std::string UrlPath(std::string_view path) {
  static constexpr std::string_view kPlain = "/-_.~+,=@:!()";
  static constexpr char kDigits[] = "0123456789ABCDEF";
  std::string url;
  for (const char c : path) {
    const auto byte = static_cast<unsigned char>(c);
    const bool letter = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    if (letter || kPlain.find(c) != std::string_view::npos) {
      url += c;
    } else {
      url += {'%', kDigits[byte >> 4], kDigits[byte & 15]};
    }
  }
  return url;
}

class SvgDrawing {
 public:
  SvgDrawing(const TraceModel& model, const GraphLayout& layout, const LayoutOptions& options)
      : model_(model), layout_(layout), elements_(model, options.graph.directory) {}

  std::string Draw() {
    out_ = SvgHead(
        layout_.width + 2 * kMargin, layout_.height + 2 * kMargin,
        fmt::format("Task graph: {} nodes, {} edges", layout_.nodes.size(), layout_.edges.size()),
        kStyle);
    out_ += kSvgArrow;
    out_ += fmt::format("<g transform=\"translate({0},{0})\">\n<g class=\"edges\">\n", kMargin);
    for (const PlacedEdge& edge : layout_.edges) DrawEdge(edge);
    out_ += "</g>\n<g class=\"nodes\">\n";
    for (const PlacedNode& node : layout_.nodes) DrawNode(node);
    out_ += "</g>\n</g>\n</svg>\n";
    return std::move(out_);
  }

 private:
  // Ids such as task_0_1 are valid XML names without escapes.
  void DrawEdge(const PlacedEdge& edge) {
    out_ += edge.dashed ? "<path class=\"tag\" data-from=\"" : "<path data-from=\"";
    out_ += layout_.nodes[edge.from].id + "\" data-to=\"" + layout_.nodes[edge.to].id + "\" d=\"";
    out_ += SvgCurve(edge.points) + "\" marker-end=\"url(#arrow)\"/>\n";
    if (edge.label.empty() || edge.points.empty()) return;
    const Point& middle = edge.points[edge.points.size() / 2];
    fmt::format_to(std::back_inserter(out_), "<text x=\"{}\" y=\"{}\">{}</text>\n",
                   SvgNumber(middle.x), SvgNumber(middle.y), XmlText(edge.label));
  }

  void DrawNode(const PlacedNode& node) {
    const bool is_task = node.kind == PlacedNode::Kind::kTask;
    const std::string_view end = is_task ? elements_.Begin(node.row, node.id, out_) : "</g>\n";
    if (!is_task) out_ += "<g id=\"" + node.id + "\" class=\"node\">";
    out_ += "<title>" + XmlText(node.label);
    if (is_task) DrawTooltip(node.row);
    fmt::format_to(std::back_inserter(out_),
                   "</title><rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"{}\" "
                   "fill=\"#{:06x}\"/><text x=\"{}\" y=\"{}\" fill=\"{}\">{}</text>{}",
                   SvgNumber(node.left()), SvgNumber(node.top()), SvgNumber(node.width),
                   SvgNumber(node.height), SvgNumber(is_task ? 5 : node.height / 2), node.rgb,
                   SvgNumber(node.x), SvgNumber(node.y + 4), TextColour(node.rgb),
                   FittingText(node.label, node.width - 6, kLabelSize), end);
  }

  void DrawTooltip(uint32_t task) {
    const TaskTable& tasks = model_.tasks;
    out_ += "\njob " + std::to_string(tasks.job[task]);
    const uint32_t site = tasks.site[task], worker = tasks.worker[task];
    if (site != kNone)
      fmt::format_to(std::back_inserter(out_), "\n{}:{}",
                     XmlText(model_.str(model_.sites.file[site])), model_.sites.line[site]);
    if (tasks.start_ns[task] == kNever || tasks.end_ns[task] == kNever) return;
    fmt::format_to(std::back_inserter(out_), "\n{:.6f} ms",
                   static_cast<double>(tasks.RunNs(task)) / 1e6);
    if (worker < model_.workers.size())
      out_ += " on " + XmlText(model_.str(model_.workers.name[worker]));
  }

  const TraceModel& model_;
  const GraphLayout& layout_;
  SvgTasks elements_;
  std::string out_;
};

Status Write(const TraceModel& model, const WriteOptions& write_options, Outputs& outputs) {
  LayoutOptions options;
  options.graph = GraphOptionsOf(model, write_options);
  Result<GraphLayout> layout = LayoutGraph(model, options);
  if (!layout.ok()) return layout.status().WithPrefix("dag.svg");
  return WriteText(outputs, "dag.svg",
                   [&](TextBuffer& out) { out.Put(DrawSvg(model, *layout, options)); });
}

constexpr std::string_view kOptions[] = {"internal", "no-acquire", "label-deps", "directory"};

}  // namespace

std::string_view SvgTasks::Begin(uint32_t task, std::string_view id, std::string& out) {
  const uint32_t site = model_.tasks.site[task];
  const bool has_site = site < model_.sites.size();
  fmt::format_to(std::back_inserter(out),
                 "<{} id=\"{}\" class=\"node task\" data-job=\"{}\" data-rank=\"{}\"",
                 has_site ? 'a' : 'g', XmlText(id), model_.tasks.job[task],
                 model_.ranks.rank[model_.tasks.rank_index[task]]);
  if (has_site) out += SiteAttributes(site);
  out += '>';
  return has_site ? "</a>\n" : "</g>\n";
}

const std::string& SvgTasks::SiteAttributes(uint32_t site) {
  if (sites_.size() < model_.sites.size()) sites_.resize(model_.sites.size());
  std::string& text = sites_[site];
  if (!text.empty()) return text;
  const std::string path = SourcePath(model_.str(model_.sites.file[site]), directory_);
  const std::string line = std::to_string(model_.sites.line[site]);
  const std::string url = (path.starts_with('/') ? "file://" : "") + UrlPath(path) + "#" + line;
  text = " data-file=\"" + XmlText(path) + "\" data-line=\"" + line + "\" href=\"" + url +
         "\" xlink:href=\"" + url + "\"";
  return text;
}

std::string DrawSvg(const TraceModel& model, const GraphLayout& layout,
                    const LayoutOptions& options) {
  return SvgDrawing(model, layout, options).Draw();
}

extern const WriterSpec kSvgWriter;
const WriterSpec kSvgWriter = {
    "svg",
    "dag.svg, the graph of tasks as a picture, each linked to its source",
    "web browsers, Inkscape, librsvg",
    /*in_starpu_set=*/false,
    kOptions,
    kPartPredecessors | kPartMessages,
    &Write};

}  // namespace tasklens
