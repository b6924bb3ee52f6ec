// SPDX-License-Identifier: Apache-2.0
#include "server/pictures/arrangement.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "analysis/statistics.h"
#include "drawing/graph_boxes.h"

namespace tasklens {
namespace {

// A picture is magnified until its smallest node has this size and its lowest frame, which has a
// title, this height; or until the picture reaches kMostWidth or kMostHeight.
constexpr double kLeastNodeHeight = 15, kLeastNodeWidth = 46, kMostNodeHeight = 60,
                 kLeastFrameHeight = 80;
constexpr double kMostWidth = 24'000, kMostHeight = 24'000;

// For pictures by time: the height of a row and the share that a node or frame takes; the desired
// width of the narrowest node, as long as the picture is not wider than kWidthByTime; its least
// width; and the width in which time stays proportional.
constexpr double kRow = 36, kRowShare = 0.8, kFrameShare = 0.96;
constexpr double kNarrowestByTime = 12, kNarrowestOfAll = 3;
constexpr double kWidthByTime = 2000, kWidthOfTime = 500;

// A picture that is wider than kLongLine and than kLongProportion times its height is broken into
// bands.
constexpr double kLongLine = 2000, kLongProportion = 4;
constexpr double kScreenProportion = 1.8;

void Scale(GraphGlyph& glyph, double x, double y) {
  glyph.x *= x;
  glyph.width *= x;
  glyph.y *= y;
  glyph.height *= y;
}

// The interval of a node, in nanoseconds from the start of the trace; nodes that never ran come
// last.
Interval StretchOf(const GraphNode& node, double after_ns) {
  if (node.start_ns == kNever) return {after_ns, after_ns + 1};
  const auto begin = static_cast<double>(node.start_ns);
  return {begin, std::max(static_cast<double>(node.end_ns), begin + 1)};
}

// Maps the moments at which something begins or ends to x coordinates.
class TimeScale {
 public:
  // Each of `stretches` is at least `least` wide, the whole at least `width`.
  TimeScale(const std::vector<Interval>& stretches, double width, double least) {
    std::map<double, std::vector<double>> begins_of;  // by end
    for (const Interval& stretch : stretches) {
      begins_of[stretch.begin];
      begins_of[stretch.end].push_back(stretch.begin);
    }
    if (begins_of.empty()) return;
    const double first = begins_of.begin()->first, length = begins_of.rbegin()->first - first;
    double before = first;
    for (const auto& [moment, begins] : begins_of) {
      double x = width_ + (moment - before) / length * width;
      for (const double begin : begins) x = std::max(x, at_[begin] + least);
      at_[moment] = width_ = x;
      before = moment;
    }
  }

  double width() const { return width_; }
  double At(double moment) const { return at_.at(moment); }

 private:
  std::map<double, double> at_;
  double width_ = 0;
};

// Puts each node into the row of its worker, or into a further row if the worker runs several at
// once.
void PlaceInRows(const TraceModel& model, const std::vector<Interval>& of_nodes,
                 const std::vector<Interval>& of_frames, GraphPicture& picture) {
  std::vector<NodeOfRun> nodes, frames;
  std::map<uint32_t, double> top_of;  // top of the rows of each worker
  for (size_t i = 0; i < of_nodes.size(); ++i) {
    const GraphGlyph& glyph = picture.nodes[i];
    uint32_t worker = glyph.node.task == kNone ? kNone : model.tasks.worker[glyph.node.task];
    if (worker >= model.workers.size()) worker = kNone;  // groups and unknown workers come last
    nodes.push_back({.frame = glyph.frame, .time = of_nodes[i], .worker = worker});
  }
  for (size_t i = 0; i < of_frames.size(); ++i)
    frames.push_back({.frame = picture.frames[i].frame, .time = of_frames[i]});
  const GraphBoxes boxes = BoxesOf(BoxesBy::kTime, nodes, frames);
  picture.height = boxes.rows * kRow;
  const auto place = [&](GraphGlyph& glyph, const GraphBox& box, double share) {
    glyph.y = (box.y + box.height / 2) * picture.height;
    glyph.height = box.height * picture.height * share;
  };
  bool has_groups = !frames.empty();
  for (size_t i = 0; i < nodes.size(); ++i) {
    place(picture.nodes[i], boxes.nodes[i], kRowShare);
    top_of.try_emplace(nodes[i].worker, picture.height);
    top_of[nodes[i].worker] = std::min(top_of[nodes[i].worker], picture.nodes[i].y);
    has_groups |= picture.nodes[i].node.task == kNone;
  }
  for (size_t i = 0; i < frames.size(); ++i) place(picture.frames[i], boxes.frames[i], kFrameShare);
  // Next to groups the name of a worker would mislead, because some of its tasks are in groups.
  picture.lanes.clear();
  for (const auto& [worker, y] : top_of)
    if (!has_groups && worker != kNone)
      picture.lanes.push_back({StatisticsLabel(model, StatisticsBy::kWorker, worker), y});
}

// The places where a band can begin: the beginning, and wherever all earlier nodes have ended.
// Never empty.
std::vector<double> Begins(const GraphPicture& picture) {
  std::vector<std::pair<double, double>> taken;
  for (const std::vector<GraphGlyph>* glyphs : {&picture.nodes, &picture.frames})
    for (const GraphGlyph& glyph : *glyphs) taken.emplace_back(glyph.left(), glyph.right());
  std::sort(taken.begin(), taken.end());
  std::vector<double> begins{taken.empty() ? 0 : taken.front().first};
  double right = taken.empty() ? 0 : taken.front().second;
  for (const auto& [begin, end] : taken) {
    if (begin >= right) begins.push_back(begin);
    right = std::max(right, end);
  }
  return begins;
}

void Transpose(GraphPicture& picture) {
  std::swap(picture.width, picture.height);
  for (std::vector<GraphGlyph>* glyphs : {&picture.nodes, &picture.frames})
    for (GraphGlyph& glyph : *glyphs) {
      std::swap(glyph.x, glyph.y);
      std::swap(glyph.width, glyph.height);
    }
  for (GraphCurve& edge : picture.edges)
    for (Point& point : edge.points) std::swap(point.x, point.y);
}

// Breaks a long picture so that the result is about `proportion` times as wide as it is high.
Bands Break(GraphPicture& picture, double proportion) {
  const double step = picture.height + kBandGap;
  Bands result{std::vector<uint32_t>(picture.nodes.size()), step};
  const double bands = std::round(std::sqrt(picture.width / (proportion * step)));
  if (bands < 2) return result;
  const std::vector<double> possible = Begins(picture);
  std::vector<double> begins{possible.front()};
  for (size_t i = 1; i < possible.size(); ++i) {
    const double next = i + 1 < possible.size() ? possible[i + 1] : picture.width;
    // Breaks before the node that would make the line too long.
    if (next - begins.back() > picture.width / bands) begins.push_back(possible[i]);
  }
  const auto move = [&](GraphGlyph& glyph) {
    const auto band = std::upper_bound(begins.begin(), begins.end(), glyph.x) - begins.begin() - 1;
    glyph.x += kBandSide - begins[static_cast<size_t>(band)];
    glyph.y += static_cast<double>(band) * step;
    return static_cast<uint32_t>(band);
  };
  for (size_t i = 0; i < picture.nodes.size(); ++i) result.of_node[i] = move(picture.nodes[i]);
  for (GraphGlyph& frame : picture.frames) move(frame);
  for (GraphCurve& edge : picture.edges) {
    const uint32_t band = result.of_node[edge.from];
    if (band != result.of_node[edge.to]) edge.points.clear();
    for (Point& point : edge.points) {
      point.x += kBandSide - begins[band];
      point.y += band * step;
    }
  }
  double longest = 0;
  for (size_t i = 0; i < begins.size(); ++i)
    longest =
        std::max(longest, (i + 1 < begins.size() ? begins[i + 1] : picture.width) - begins[i]);
  picture.width = longest + 2 * kBandSide;
  picture.height = static_cast<double>(begins.size()) * step - kBandGap;
  return result;
}

}  // namespace

void Magnify(GraphPicture& picture) {
  double narrowest = kLeastNodeWidth, lowest = kLeastNodeHeight;
  for (const GraphGlyph& glyph : picture.nodes) {
    narrowest = std::min(narrowest, glyph.width);
    lowest = std::min(lowest, glyph.height);
  }
  for (const GraphGlyph& frame : picture.frames)
    lowest = std::min(lowest, frame.height * kLeastNodeHeight / kLeastFrameHeight);
  const auto factor = [](double least, double smallest, double length, double most) {
    return std::max(1., std::min(least / std::max(smallest, 1e-3), most / length));
  };
  const double y = factor(kLeastNodeHeight, lowest, picture.height, kMostHeight);
  const double x = picture.placement == GraphPlacement::kLevels
                       ? factor(kLeastNodeWidth, narrowest, picture.width, kMostWidth)
                       : 1;
  picture.width *= x;
  picture.height *= y;
  for (GraphGlyph& frame : picture.frames) Scale(frame, x, y);
  for (GraphGlyph& glyph : picture.nodes) {
    Scale(glyph, x, y);
    // The magnification for small nodes must not make the others huge.
    glyph.height = std::min(glyph.height, kMostNodeHeight);
  }
}

void StretchTime(const TraceModel& model, GraphPicture& picture) {
  double after_ns = 0;
  for (const GraphGlyph& glyph : picture.nodes)
    if (glyph.node.start_ns != kNever)
      after_ns = std::max(after_ns, static_cast<double>(glyph.node.end_ns) + 1);
  const auto stretches_of = [&](const std::vector<GraphGlyph>& glyphs) {
    std::vector<Interval> stretches;
    for (const GraphGlyph& glyph : glyphs) stretches.push_back(StretchOf(glyph.node, after_ns));
    return stretches;
  };
  const std::vector<Interval> of_nodes = stretches_of(picture.nodes);
  const std::vector<Interval> of_frames = stretches_of(picture.frames);
  std::vector<Interval> all = of_nodes;
  all.insert(all.end(), of_frames.begin(), of_frames.end());
  if (all.empty()) return;
  double least = kNarrowestByTime, for_nodes;
  while ((for_nodes = TimeScale(all, 0, least).width()) > kWidthByTime - kWidthOfTime &&
         least > kNarrowestOfAll)
    least *= 0.75;
  const TimeScale scale(all, std::max(kWidthByTime - for_nodes, kWidthOfTime), least);
  picture.width = scale.width();
  const auto place = [&](GraphGlyph& glyph, const Interval& stretch, double space) {
    const double left = scale.At(stretch.begin), right = scale.At(stretch.end);
    glyph.x = (left + right) / 2;
    glyph.width = right - left - std::min(space, (right - left) / 2);
  };
  for (size_t i = 0; i < of_nodes.size(); ++i) place(picture.nodes[i], of_nodes[i], 1);
  for (size_t i = 0; i < of_frames.size(); ++i) place(picture.frames[i], of_frames[i], 0);
  PlaceInRows(model, of_nodes, of_frames, picture);
}

Bands BreakIntoBands(GraphPicture& picture) {
  Bands result{std::vector<uint32_t>(picture.nodes.size()), 0};
  if (picture.width > kLongLine && picture.width > kLongProportion * picture.height) {
    result = Break(picture, kScreenProportion);
  } else if (picture.height > kLongLine && picture.height > kLongProportion * picture.width) {
    Transpose(picture);
    Break(picture, 1 / kScreenProportion);
    Transpose(picture);
  }
  return result;
}

}  // namespace tasklens
