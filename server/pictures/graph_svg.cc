// SPDX-License-Identifier: Apache-2.0
// The graph as SVG: frames, then curves, then nodes.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "analysis/statistics.h"
#include "analysis/text.h"
#include "converters/writers/svg_layout.h"
#include "drawing/svg.h"
#include "server/pictures/arrangement.h"
#include "server/pictures/svg.h"

namespace tasklens {
namespace {

constexpr double kMargin = 14, kCaption = 24;
// Narrower nodes have no border, which would hide their colour.
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
        tasks_(model, directory),
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
    out_ += kSvgArrow;
    fmt::format_to(std::back_inserter(out_), "<text x=\"{}\" y=\"{}\" font-size=\"13\">{}</text>\n",
                   kMargin, kMargin + 10, XmlText(picture_.caption));
    fmt::format_to(std::back_inserter(out_), "<g transform=\"translate({},{})\">\n",
                   kMargin + lane_names_, kMargin + kCaption);
    for (const Lane& lane : picture_.lanes)
      fmt::format_to(std::back_inserter(out_),
                     "<text class=\"lane\" x=\"-10\" y=\"{}\" font-size=\"{}\">{}</text>\n",
                     SvgNumber(lane.y + kLaneName * 0.35), kLaneName, XmlText(lane.name));
    for (const GraphGlyph& frame : picture_.frames) DrawFrame(frame);
    // With many edges each is more transparent.
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
        Magnify(picture_);
        picture_.caption += "; time is stretched where tasks are short";
        break;
    }
    for (const Lane& lane : picture_.lanes)
      lane_names_ = std::max(lane_names_, TextWidth(lane.name, kLaneName) + 10);
    bands_.of_node.resize(picture_.nodes.size());
  }

  void DrawRect(const GraphGlyph& glyph, double radius, std::string_view more) {
    fmt::format_to(std::back_inserter(out_),
                   "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"{}\"{}/>",
                   SvgNumber(glyph.left()), SvgNumber(glyph.top()), SvgNumber(glyph.width),
                   SvgNumber(glyph.height), SvgNumber(radius), more);
  }

  void DrawFrame(const GraphGlyph& frame) {
    const double size = std::min(11., frame.height * 0.12);
    fmt::format_to(std::back_inserter(out_), "<g class=\"frame\" id=\"{}\">",
                   XmlText(frame.node.id));
    DrawRect(frame, 6, "");
    fmt::format_to(std::back_inserter(out_),
                   "<text x=\"{}\" y=\"{}\" font-size=\"{}\">{}</text></g>\n",
                   SvgNumber(frame.left() + 5), SvgNumber(frame.top() + size + 2), SvgNumber(size),
                   FittingText(frame.node.label, frame.width - 8, size));
  }

  void DrawEdge(const GraphCurve& edge) {
    const GraphGlyph &from = picture_.nodes[edge.from], &to = picture_.nodes[edge.to];
    // The width grows by one step for ten times as many dependencies.
    fmt::format_to(std::back_inserter(out_),
                   "<path{} data-from=\"{}\" data-to=\"{}\" stroke-width=\"{:.2f}\" d=\"{}\" "
                   "marker-end=\"url(#arrow)\">",
                   edge.dashed ? " class=\"tag\"" : "", XmlText(from.node.id), XmlText(to.node.id),
                   0.7 + 0.5 * std::log10(static_cast<double>(edge.count)),
                   SvgCurve(edge.points.empty() ? RouteInBands(edge.from, edge.to) : edge.points));
    if (edge.count > 1) out_ += "<title>" + CountText(edge.count) + " dependencies</title>";
    out_ += "</path>\n";
  }

  // Between bands: out at the right, back in the space above the band of `to`, in at the left.
  std::vector<Point> RouteInBands(uint32_t from_node, uint32_t to_node) const {
    const Box &from = picture_.nodes[from_node], &to = picture_.nodes[to_node];
    if (bands_.of_node[from_node] == bands_.of_node[to_node]) return Route(from, to);
    const double right = from.right(), left = to.left();
    const double between = bands_.of_node[to_node] * bands_.step - kBandGap / 2;
    const double out = right + kBandSide, in = left - kBandSide;
    return {{right, from.y}, {out, from.y},   {out, between}, {right, between}, {right, between},
            {left, between}, {left, between}, {in, between},  {in, to.y},       {left, to.y}};
  }

  void DrawNode(const GraphGlyph& glyph) {
    const GraphNode& node = glyph.node;
    const bool is_task = glyph.kind == GlyphKind::kTask;
    const uint32_t rgb = glyph.kind == GlyphKind::kTag       ? 0xFFFFFF
                         : glyph.kind == GlyphKind::kMessage ? 0xEEEEEE
                                                             : glyph.paint.rgb;
    const std::string_view end = is_task ? tasks_.Begin(node.task, node.id, out_) : "</g>\n";
    if (!is_task)
      fmt::format_to(std::back_inserter(out_), "<g id=\"{}\" class=\"node {}\">", XmlText(node.id),
                     GlyphKindName(glyph.kind));
    out_ += "<title>" + Tooltip(glyph) + "</title>";
    const double width = glyph.width, height = glyph.height;
    DrawRect(glyph,
             is_task                           ? std::min({4., height / 4, width / 4})
             : glyph.kind == GlyphKind::kGroup ? 0
                                               : height / 2,
             fmt::format(" fill=\"#{:06x}\"{}", rgb & 0xFFFFFF,
                         width < kLeastWithBorder ? " class=\"slim\"" : ""));
    if (is_task || glyph.kind == GlyphKind::kGroup)
      out_ += StripesSvg(glyph.paint, glyph.left(), glyph.top(), width, height);
    DrawLabel(glyph, width - 4, height, TextColour(rgb));
    out_ += end;
  }

  // Draws the name, and in a group that is high enough its contents below, if they fit completely:
  // a number that is cut off would be wrong.
  void DrawLabel(const GraphGlyph& glyph, double room, double height, std::string_view colour) {
    const GraphNode& node = glyph.node;
    const bool has_room_below = glyph.kind == GlyphKind::kGroup && height >= 26;
    double size = std::min(11., height * (has_room_below ? 0.36 : 0.7));
    if (TextWidth(node.label, size) > room) size *= 0.8;  // a smaller font before a shorter text
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

  // `text` is escaped already.
  void DrawLine(const GraphGlyph& glyph, const std::string& text, double size, double below,
                std::string_view colour) {
    if (text.empty() || size < 4) return;
    fmt::format_to(std::back_inserter(out_),
                   "<text x=\"{}\" y=\"{}\" font-size=\"{}\" fill=\"{}\">{}</text>",
                   SvgNumber(glyph.x), SvgNumber(glyph.y + below), SvgNumber(size), colour, text);
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

  const TraceModel& model_;
  GraphPicture picture_;
  SvgTasks tasks_;
  const SharedBeginnings shared_;  // of the labels
  double lane_names_ = 0;          // width of the lane names to the left
  Bands bands_;
  std::string out_;
};

}  // namespace

std::string GraphSvg(const TraceModel& model, const GraphPicture& picture,
                     const std::string& directory) {
  return GraphDrawing(model, picture, directory).Draw();
}

}  // namespace tasklens
