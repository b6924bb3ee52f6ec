// SPDX-License-Identifier: Apache-2.0
// dag.svg: the graph of the tasks as a picture that any browser shows.
//
// Read by browsers, editors' web views, Inkscape, librsvg (SVG 1.1, https://www.w3.org/TR/SVG11/).
// Positions come from Graphviz's library or, for large graphs, from the run; the text is written
// here, so that everything is escaped and each node carries what a client needs to find its task.
#include <algorithm>

#include "converters/formats.h"
#include "converters/writers/svg_layout.h"
#include "converters/writers/text.h"

namespace tasklens {
namespace {

constexpr double kMargin = 12;
constexpr size_t kMostLabelCharacters = 20;

class StringFile : public OutputFile {
 public:
  void Append(std::string_view text) override { text_ += text; }
  Status Close() override { return Status::Ok(); }
  std::string Take() { return std::move(text_); }

 private:
  std::string text_;
};

// Percent-encodes what may not stand in the path of a URL. The result needs no XML escapes.
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

// The first characters of `text` (UTF-8), with an ellipsis when there were more.
std::string Shortened(std::string_view text) {
  size_t characters = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    const bool starts = (static_cast<unsigned char>(text[i]) & 0xC0) != 0x80;
    if (starts && characters++ == kMostLabelCharacters)
      return std::string(text.substr(0, i)) + "\xE2\x80\xA6";
  }
  return std::string(text);
}

// Whether white is easier to read than black on `rgb`, by its luminance.
bool IsDark(uint32_t rgb) {
  return 299 * (rgb >> 16 & 255) + 587 * (rgb >> 8 & 255) + 114 * (rgb & 255) < 118'000;
}

class SvgDrawing {
 public:
  SvgDrawing(const TraceModel& model, const GraphLayout& layout, const LayoutOptions& options,
             TextBuffer& out)
      : model_(model), layout_(layout), options_(options), out_(out) {}

  void Draw() {
    DrawHead();
    out_.Put("<g class=\"edges\">\n");
    for (const PlacedEdge& edge : layout_.edges) DrawEdge(edge);
    out_.Put("</g>\n<g class=\"nodes\">\n");
    for (const PlacedNode& node : layout_.nodes) DrawNode(node);
    out_.Put("</g>\n</svg>\n");
  }

 private:
  void Number(double value) {
    // One decimal is a tenth of a point.
    const int64_t tenths = static_cast<int64_t>(value * 10 + (value < 0 ? -0.5 : 0.5));
    if (tenths < 0) out_.Put('-');
    out_.PutInteger(std::abs(tenths) / 10);
    if (tenths % 10 == 0) return;
    out_.Put('.');
    out_.PutInteger(std::abs(tenths) % 10);
  }

  void Attribute(std::string_view name, double value) {
    out_.Put(' ');
    out_.Put(name);
    out_.Put("=\"");
    Number(value);
    out_.Put('"');
  }

  void DrawHead() {
    const double width = layout_.width + 2 * kMargin, height = layout_.height + 2 * kMargin;
    out_.Put(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\"");
    out_.Put(" xmlns:xlink=\"http://www.w3.org/1999/xlink\" version=\"1.1\"");
    Attribute("width", width);
    Attribute("height", height);
    out_.Put(" viewBox=\"");
    Number(-kMargin);
    out_.Put(' ');
    Number(-kMargin);
    out_.Put(' ');
    Number(width);
    out_.Put(' ');
    Number(height);
    out_.Put("\">\n<title>Task graph: ");
    out_.PutInteger(layout_.nodes.size());
    out_.Put(" nodes, ");
    out_.PutInteger(layout_.edges.size());
    out_.Put(" edges</title>\n");
    out_.Put(
        "<style>\n"
        ".node text { font: 11px sans-serif; text-anchor: middle; pointer-events: none; }\n"
        ".node rect { stroke: #444; stroke-width: 0.7; }\n"
        ".node:hover rect { stroke: #000; stroke-width: 2; }\n"
        ".edges path { fill: none; stroke: #777; stroke-width: 0.8; }\n"
        ".edges .tag { stroke-dasharray: 4 3; }\n"
        ".edges text { font: 9px sans-serif; fill: #555; text-anchor: middle; }\n"
        "</style>\n"
        "<defs><marker id=\"arrow\" viewBox=\"0 0 10 10\" refX=\"10\" refY=\"5\" markerWidth=\"7\" "
        "markerHeight=\"7\" orient=\"auto\"><path d=\"M0,1L10,5L0,9z\" fill=\"#777\" "
        "stroke=\"none\"/>"
        "</marker></defs>\n");
    out_.Put("<rect");
    Attribute("x", -kMargin);
    Attribute("y", -kMargin);
    Attribute("width", width);
    Attribute("height", height);
    out_.Put(" fill=\"#fff\"/>\n");
  }

  void DrawEdge(const PlacedEdge& edge) {
    out_.Put(edge.dashed ? "<path class=\"tag\" data-from=\"" : "<path data-from=\"");
    out_.Put(layout_.nodes[edge.from].id);
    out_.Put("\" data-to=\"");
    out_.Put(layout_.nodes[edge.to].id);
    out_.Put("\" d=\"");
    for (size_t i = 0; i < edge.points.size(); ++i) {
      out_.Put(i == 0 ? 'M' : i == 1 ? 'C' : ' ');
      Number(edge.points[i].x);
      out_.Put(',');
      Number(edge.points[i].y);
    }
    out_.Put("\" marker-end=\"url(#arrow)\"/>\n");
    if (edge.label.empty() || edge.points.empty()) return;
    const PlacedEdge::Point& middle = edge.points[edge.points.size() / 2];
    out_.Put("<text");
    Attribute("x", middle.x);
    Attribute("y", middle.y);
    out_.Put('>');
    out_.Put(XmlText(edge.label));
    out_.Put("</text>\n");
  }

  // XML names of ids: the characters of task_0_1 are all allowed.
  void DrawNode(const PlacedNode& node) {
    const bool is_task = node.kind == PlacedNode::Kind::kTask;
    const uint32_t site = is_task ? model_.tasks.site[node.row] : kNone;
    out_.Put(site != kNone ? "<a id=\"" : "<g id=\"");
    out_.Put(node.id);
    out_.Put(is_task ? "\" class=\"node task\"" : "\" class=\"node\"");
    if (is_task) DrawTaskData(node.row);
    if (site != kNone) DrawLink(site);
    out_.Put("><title>");
    out_.Put(XmlText(node.label));
    if (is_task) DrawTooltip(node.row, site);
    out_.Put("</title><rect");
    Attribute("x", node.x - node.width / 2);
    Attribute("y", node.y - node.height / 2);
    Attribute("width", node.width);
    Attribute("height", node.height);
    Attribute("rx", is_task ? 5 : node.height / 2);
    out_.Put(" fill=\"#");
    out_.PutHex(node.rgb, 6);
    out_.Put("\"/><text");
    Attribute("x", node.x);
    Attribute("y", node.y + 4);
    out_.Put(IsDark(node.rgb) ? " fill=\"#fff\">" : " fill=\"#000\">");
    out_.Put(XmlText(Shortened(node.label)));
    out_.Put(site != kNone ? "</text></a>\n" : "</text></g>\n");
  }

  void DrawTaskData(uint32_t task) {
    out_.Put(" data-job=\"");
    out_.PutInteger(model_.tasks.job[task]);
    out_.Put("\" data-rank=\"");
    out_.PutInteger(model_.ranks.rank[model_.tasks.rank_index[task]]);
    out_.Put('"');
  }

  // What an attribute list says of a submission site; the same for all its tasks.
  const std::string& SiteAttributes(uint32_t site) {
    if (sites_.size() < model_.sites.size()) sites_.resize(model_.sites.size());
    std::string& text = sites_[site];
    if (!text.empty()) return text;
    const std::string path =
        SourcePath(model_.str(model_.sites.file[site]), options_.graph.directory);
    const std::string line = std::to_string(model_.sites.line[site]);
    const std::string url = (path.starts_with('/') ? "file://" : "") + UrlPath(path) + "#" + line;
    text = " data-file=\"" + XmlText(path) + "\" data-line=\"" + line + "\" href=\"" + url +
           "\" xlink:href=\"" + url + "\"";
    return text;
  }

  void DrawLink(uint32_t site) { out_.Put(SiteAttributes(site)); }

  void DrawTooltip(uint32_t task, uint32_t site) {
    out_.Put("\njob ");
    out_.PutInteger(model_.tasks.job[task]);
    if (site != kNone) {
      out_.Put("\n");
      out_.Put(XmlText(model_.str(model_.sites.file[site])));
      out_.Put(':');
      out_.PutInteger(model_.sites.line[site]);
    }
    const int64_t start_ns = model_.tasks.start_ns[task], end_ns = model_.tasks.end_ns[task];
    if (start_ns == kNever || end_ns == kNever) return;
    out_.Put("\n");
    out_.PutMs(model_.tasks.RunNs(task));
    out_.Put(" ms");
    const uint32_t worker = model_.tasks.worker[task];
    if (worker >= model_.workers.size()) return;
    out_.Put(" on ");
    out_.Put(XmlText(model_.str(model_.workers.name[worker])));
  }

  const TraceModel& model_;
  const GraphLayout& layout_;
  const LayoutOptions& options_;
  TextBuffer& out_;
  std::vector<std::string> sites_;
};

Status Write(const TraceModel& model, const WriteOptions& write_options, Outputs& outputs) {
  LayoutOptions options;
  options.graph = GraphOptionsOf(model, write_options);
  Result<GraphLayout> layout = LayoutGraph(model, options);
  if (!layout.ok()) return layout.status().WithPrefix("dag.svg");
  auto file = outputs.Open("dag.svg");
  if (!file.ok()) return file.status();
  (*file)->Append(layout->svg);
  return (*file)->Close();
}

constexpr std::string_view kOptions[] = {"internal", "no-acquire", "label-deps", "directory"};

}  // namespace

std::string DrawSvg(const TraceModel& model, const GraphLayout& layout,
                    const LayoutOptions& options) {
  StringFile text;
  TextBuffer out(&text);
  SvgDrawing(model, layout, options, out).Draw();
  out.Flush();
  return text.Take();
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
