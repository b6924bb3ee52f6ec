// SPDX-License-Identifier: Apache-2.0
// The graph as SVG: frames, then curves, then nodes.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "analysis/statistics.h"
#include "analysis/text.h"
#include "converters/writers/task_graph.h"
#include "converters/writers/text.h"
#include "server/pictures/arrangement.h"
#include "server/pictures/svg.h"
#include "server/pictures/svg_text.h"
#include "server/protocol/uri.h"

namespace tasklens {
namespace {

constexpr double kMargin = 14, kCaption = 24;
// A border takes the colour from what is narrower.
constexpr double kLeastWithBorder = 6;
constexpr double kLaneName = 11;  // size

constexpr std::string_view kStyle =
    ".node rect { stroke: #333; stroke-width: 0.6; }\n"
    ".node:hover rect { stroke: #000; stroke-width: 2; }\n"
    ".node text, .frame text { pointer-events: none; }\n"
    ".node text { text-anchor: middle; }\n"
    ".node .slim { stroke: none; }\n"
    ".lane { text-anchor: end; fill: #444; }\n"
    ".frame rect { fill: #000; fill-opacity: 0.045; stroke: #888; stroke-dasharray: 5 3; }\n"
    ".edges path { fill: none; stroke: #777; }\n"
    ".edges .tag { stroke-dasharray: 4 3; }\n";

class GraphDrawing {
 public:
  GraphDrawing(const TraceModel& model, GraphPicture picture, const std::string& directory)
      : model_(model),
        picture_(std::move(picture)),
        directory_(directory),
        shared_(LabelsOf(picture_)) {
    Arrange();
  }

  std::string Draw() {
    const double width = lane_names_ + picture_.width + 2 * kMargin;
    const double foot = kCaption + picture_.height + 2 * kMargin;
    Legend legend_of_used = picture_.legend;
    std::vector<bool> used(legend_of_used.entries.size());
    bool is_any_mixed = false;
    for (const GraphGlyph& glyph : picture_.nodes) {
      if (glyph.kind != GlyphKind::kTask && glyph.kind != GlyphKind::kGroup) continue;
      const bool is_mixed = IsMixed(glyph);
      is_any_mixed |= is_mixed;
      if (!is_mixed) used[glyph.colour] = true;
    }
    legend_of_used.entries.push_back({.label = "several codelets", .rgb = kMixedRgb});
    used.push_back(is_any_mixed);
    double legend_height = 0;
    const std::string legend =
        LegendSvg(legend_of_used, used, kMargin, foot, width - 2 * kMargin, legend_height);
    out_ = SvgHead(std::max(width, 320.), foot + legend_height + kMargin,
                   "Task graph: " + picture_.caption, kStyle);
    fmt::format_to(std::back_inserter(out_),
                   "<defs><marker id=\"arrow\" viewBox=\"0 0 10 10\" refX=\"10\" refY=\"5\" "
                   "markerWidth=\"7\" markerHeight=\"7\" markerUnits=\"userSpaceOnUse\" "
                   "orient=\"auto\"><path d=\"M0,1L10,5L0,9z\" fill=\"#777\"/></marker></defs>\n"
                   "<text x=\"{}\" y=\"{}\" font-size=\"13\">{}</text>\n",
                   kMargin, kMargin + 10, XmlText(picture_.caption));
    fmt::format_to(std::back_inserter(out_), "<g transform=\"translate({},{})\">\n",
                   kMargin + lane_names_, kMargin + kCaption);
    for (const Lane& lane : lanes_)
      fmt::format_to(std::back_inserter(out_),
                     "<text class=\"lane\" x=\"-10\" y=\"{:.1f}\" font-size=\"{}\">{}</text>\n",
                     lane.y + kLaneName * 0.35, kLaneName, XmlText(lane.name));
    for (const GraphGlyph& frame : picture_.frames) DrawFrame(frame);
    // The more there are, the less each hides.
    fmt::format_to(std::back_inserter(out_), "<g class=\"edges\" stroke-opacity=\"{:.2f}\">\n",
                   std::clamp(120. / static_cast<double>(picture_.edges.size() + 1), 0.5, 0.75));
    for (const GraphCurve& edge : picture_.edges) DrawEdge(edge);
    out_ += "</g>\n<g class=\"nodes\">\n";
    for (const GraphGlyph& glyph : picture_.nodes) DrawNode(glyph);
    out_ += "</g>\n</g>\n" + legend + "</svg>\n";
    return std::move(out_);
  }

 private:
  static std::vector<std::string_view> LabelsOf(const GraphPicture& picture) {
    std::vector<std::string_view> labels;
    for (const GraphGlyph& glyph : picture.nodes) labels.push_back(glyph.node.label);
    return labels;
  }

  bool IsMixed(const GraphGlyph& glyph) const {
    return picture_.legend.by == ColourByName(ColourBy::kCodelet) &&
           glyph.kind == GlyphKind::kGroup && !glyph.node.one_name;
  }

  void Arrange() {
    switch (picture_.placement) {
      case GraphPlacement::kGraphviz: bands_ = BreakIntoBands(picture_); break;
      case GraphPlacement::kLevels:
        Magnify(picture_);
        bands_ = BreakIntoBands(picture_);
        break;
      case GraphPlacement::kTime:
        lanes_ = StretchTime(model_, picture_);
        Magnify(picture_);
        picture_.caption += "; time is stretched where tasks are short";
        break;
    }
    for (const Lane& lane : lanes_)
      lane_names_ = std::max(lane_names_, TextWidth(lane.name, kLaneName) + 10);
    bands_.of_node.resize(picture_.nodes.size());
  }

  void DrawRect(const GraphGlyph& glyph, double radius, std::string_view more) {
    fmt::format_to(std::back_inserter(out_),
                   "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" "
                   "rx=\"{:.1f}\"{}/>",
                   glyph.x - glyph.width / 2, glyph.y - glyph.height / 2, glyph.width, glyph.height,
                   radius, more);
  }

  void DrawFrame(const GraphGlyph& frame) {
    const double size = std::min(11., frame.height * 0.12);
    fmt::format_to(std::back_inserter(out_), "<g class=\"frame\" id=\"{}\">",
                   XmlText(frame.node.id));
    DrawRect(frame, 6, "");
    fmt::format_to(std::back_inserter(out_),
                   "<text x=\"{:.1f}\" y=\"{:.1f}\" font-size=\"{:.1f}\">{}</text></g>\n",
                   frame.x - frame.width / 2 + 5, frame.y - frame.height / 2 + size + 2, size,
                   FittingText(frame.node.label, frame.width - 8, size));
  }

  void DrawEdge(const GraphCurve& edge) {
    const GraphGlyph &from = picture_.nodes[edge.from], &to = picture_.nodes[edge.to];
    // The more dependencies, the thicker; ten times as many are one step.
    fmt::format_to(std::back_inserter(out_),
                   "<path{} data-from=\"{}\" data-to=\"{}\" stroke-width=\"{:.2f}\" d=\"",
                   edge.dashed ? " class=\"tag\"" : "", XmlText(from.node.id), XmlText(to.node.id),
                   0.7 + 0.5 * std::log10(static_cast<double>(edge.count)));
    const std::vector<GraphCurve::Point> points =
        edge.points.empty() ? Route(edge.from, edge.to) : edge.points;
    for (size_t i = 0; i < points.size(); ++i)
      fmt::format_to(std::back_inserter(out_), "{}{:.1f},{:.1f}",
                     i == 0   ? "M"
                     : i == 1 ? "C"
                              : " ",
                     points[i].x, points[i].y);
    out_ += "\" marker-end=\"url(#arrow)\">";
    if (edge.count > 1) out_ += "<title>" + CountText(edge.count) + " dependencies</title>";
    out_ += "</path>\n";
  }

  // Between bands out at the right, back through the space above that of `to`, in at the left;
  // else from side to side where one lies beside the other, else from edge to edge above or below.
  std::vector<GraphCurve::Point> Route(uint32_t from_node, uint32_t to_node) const {
    const GraphGlyph &from = picture_.nodes[from_node], &to = picture_.nodes[to_node];
    const double right = from.x + from.width / 2, left = to.x - to.width / 2;
    if (bands_.of_node[from_node] != bands_.of_node[to_node]) {
      const double between = bands_.of_node[to_node] * bands_.step - kBandGap / 2;
      const double out = right + kBandSide, in = left - kBandSide;
      return {{right, from.y}, {out, from.y},   {out, between}, {right, between}, {right, between},
              {left, between}, {left, between}, {in, between},  {in, to.y},       {left, to.y}};
    }
    if (left >= right) {
      const double bend = (left - right) / 2;
      return {{right, from.y}, {right + bend, from.y}, {left - bend, to.y}, {left, to.y}};
    }
    const double side = to.y >= from.y ? 1 : -1;
    const double x0 = std::clamp(to.x, from.x - from.width * 0.4, from.x + from.width * 0.4);
    const double x1 = std::clamp(from.x, to.x - to.width * 0.4, to.x + to.width * 0.4);
    const double y0 = from.y + side * from.height / 2, y1 = to.y - side * to.height / 2;
    const double bend = (y1 - y0) / 2;
    return {{x0, y0}, {x0, y0 + bend}, {x1, y1 - bend}, {x1, y1}};
  }

  void DrawNode(const GraphGlyph& glyph) {
    const GraphNode& node = glyph.node;
    const bool is_task = glyph.kind == GlyphKind::kTask;
    const uint32_t site = is_task ? model_.tasks.site[node.task] : kNone;
    const bool has_site = site < model_.sites.size();
    const uint32_t rgb = glyph.kind == GlyphKind::kTag       ? 0xFFFFFF
                         : glyph.kind == GlyphKind::kMessage ? 0xEEEEEE
                                                             : glyph.paint.rgb;
    fmt::format_to(std::back_inserter(out_), "<{} id=\"{}\" class=\"node {}\"",
                   has_site ? "a" : "g", XmlText(node.id), GlyphKindName(glyph.kind));
    if (is_task)
      fmt::format_to(std::back_inserter(out_), " data-job=\"{}\" data-rank=\"{}\"",
                     model_.tasks.job[node.task],
                     model_.ranks.rank[model_.tasks.rank_index[node.task]]);
    if (has_site) out_ += SiteAttributes(site);
    out_ += "><title>" + Tooltip(glyph) + "</title>";
    const double width = glyph.width, height = glyph.height;
    DrawRect(glyph,
             is_task                           ? std::min({4., height / 4, width / 4})
             : glyph.kind == GlyphKind::kGroup ? 0
                                               : height / 2,
             fmt::format(" fill=\"#{:06x}\"{}", rgb & 0xFFFFFF,
                         width < kLeastWithBorder ? " class=\"slim\"" : ""));
    if (is_task || glyph.kind == GlyphKind::kGroup)
      out_ += StripesSvg(glyph.paint, glyph.x - width / 2, glyph.y - height / 2, width, height);
    DrawLabel(glyph, width - 4, height, TextColour(rgb));
    out_ += has_site ? "</a>\n" : "</g>\n";
  }

  // The name, and of a group that is high enough what is in it below, as far as that fits whole: a
  // number that is cut is a wrong number.
  void DrawLabel(const GraphGlyph& glyph, double room, double height, std::string_view colour) {
    const GraphNode& node = glyph.node;
    const bool has_room_below = glyph.kind == GlyphKind::kGroup && height >= 26;
    double size = std::min(11., height * (has_room_below ? 0.36 : 0.7));
    if (TextWidth(node.label, size) > room) size *= 0.8;  // smaller before shorter
    std::string below;
    if (has_room_below) {
      const std::string tasks = CountText(node.tasks, "task");
      for (const std::string& text :
           {tasks + " \xC2\xB7 " + DurationText(node.total_ns), tasks, CountText(node.tasks)})
        if (below.empty() && TextWidth(text, size * 0.85) <= room) below = text;
    }
    DrawLine(glyph, FittingText(node.label, room, size, shared_.LengthOf(node.label)), size,
             below.empty() ? size * 0.35 : -2, colour);
    DrawLine(glyph, below, size * 0.85, size * 0.85 + 1, colour);
  }

  // `text`: escaped.
  void DrawLine(const GraphGlyph& glyph, const std::string& text, double size, double below,
                std::string_view colour) {
    if (text.empty() || size < 4) return;
    fmt::format_to(std::back_inserter(out_),
                   "<text x=\"{:.1f}\" y=\"{:.1f}\" font-size=\"{:.1f}\" fill=\"{}\">{}</text>",
                   glyph.x, glyph.y + below, size, colour, text);
  }

  std::string Tooltip(const GraphGlyph& glyph) const {
    const GraphNode& node = glyph.node;
    std::string text = XmlText(node.label);
    if (glyph.kind == GlyphKind::kGroup)
      text += "\n" + CountText(node.tasks, "task") + ", " + DurationText(node.total_ns);
    if (glyph.kind != GlyphKind::kTask) return text;
    text += "\njob " + std::to_string(model_.tasks.job[node.task]);
    const uint32_t site = model_.tasks.site[node.task], worker = model_.tasks.worker[node.task];
    if (site < model_.sites.size())
      text += "\n" + XmlText(StatisticsLabel(model_, StatisticsBy::kSite, site));
    if (worker < model_.workers.size())
      text += "\n" + DurationText(node.total_ns) + " on " +
              XmlText(StatisticsLabel(model_, StatisticsBy::kWorker, worker));
    return text;
  }

  // The same for all tasks of a site.
  const std::string& SiteAttributes(uint32_t site) {
    if (sites_.size() < model_.sites.size()) sites_.resize(model_.sites.size());
    std::string& text = sites_[site];
    if (!text.empty()) return text;
    const std::string path = SourcePath(model_.str(model_.sites.file[site]), directory_);
    const uint32_t line = model_.sites.line[site];
    text = fmt::format(" data-file=\"{}\" data-line=\"{}\"", XmlText(path), line);
    if (path.starts_with('/'))
      text +=
          fmt::format(" href=\"{0}#{1}\" xlink:href=\"{0}#{1}\"", XmlText(UriOfPath(path)), line);
    return text;
  }

  const TraceModel& model_;
  GraphPicture picture_;
  const std::string& directory_;
  const SharedBeginnings shared_;  // of the labels
  std::vector<Lane> lanes_;
  double lane_names_ = 0;  // the width of what stands to the left of them
  Bands bands_;
  std::string out_;
  std::vector<std::string> sites_;
};

}  // namespace

std::string GraphSvg(const TraceModel& model, const GraphPicture& picture,
                     const std::string& directory) {
  return GraphDrawing(model, picture, directory).Draw();
}

}  // namespace tasklens
