// SPDX-License-Identifier: Apache-2.0
// The parts of SVG shared by our pictures: escapes, numbers, fitting texts, readable colours. Font
// metrics are estimated, because the viewer's fonts are unknown.
//
// Units: 1/72 inch. Pure functions; any thread.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "drawing/graph_layout.h"
#include "trace/colours/colours.h"

namespace tasklens {

// Returns `text` escaped for use between tags and in attribute values of XML and HTML: invalid
// UTF-8 becomes U+FFFD, a control character a blank.
std::string XmlText(std::string_view text);

// Rounds to a tenth, which is finer than a screen shows: "12", "-0.5".
std::string SvgNumber(double value);

// Returns the document's beginning: white ground, `style` as its style sheet, `title` for screen
// readers.
std::string SvgHead(double width, double height, std::string_view title, std::string_view style);

// The arrow head, for a path with marker-end="url(#arrow)".
inline constexpr std::string_view kSvgArrow =
    "<defs><marker id=\"arrow\" viewBox=\"0 0 10 10\" refX=\"10\" refY=\"5\" markerWidth=\"7\" "
    "markerHeight=\"7\" markerUnits=\"userSpaceOnUse\" orient=\"auto\">"
    "<path d=\"M0,1L10,5L0,9z\" fill=\"#777\" stroke=\"none\"/></marker></defs>\n";

// Returns a path from the right side of one node to the left side of the other if that is further
// right; else from edge to edge above or below.
std::vector<Point> Route(const Box& from, const Box& to);

// Returns the `d` attribute of a path along cubic Bézier curves.
std::string SvgCurve(std::span<const Point> points);

// Returns the approximate width of `text` at `size`.
double TextWidth(std::string_view text, double size);

// Returns the width that a node needs for its label, up to the widest node.
inline constexpr double kLabelSize = 11;
double NodeWidth(std::string_view label);

// Returns letters alternately from the beginning and the end of `text`, as many as there is `room`
// for: names in one program often begin with the same letters.
struct Ends {
  std::string_view head, tail;
};
Ends EndsThatFit(std::string_view text, double room,
                 const std::function<double(std::string_view)>& width_of);

// Returns as much of `text` as fits `width` at `size`, escaped: if it is too long, its beginning
// and end with an ellipsis between them; "" if too little fits to be readable. The text after the
// first `shared` bytes distinguishes it from other texts of the picture, so it has priority.
std::string FittingText(std::string_view text, double width, double size, size_t shared = 0);

// The words at the beginning of each label that other labels have as well: "demo_cholesky_" of
// "demo_cholesky_gemm" beside "demo_cholesky_trsm".
class SharedBeginnings {
 public:
  // The text of `labels` must outlive this.
  explicit SharedBeginnings(std::vector<std::string_view> labels);
  size_t LengthOf(std::string_view label) const;  // in bytes; 0: none, or unknown label

 private:
  std::unordered_map<std::string_view, size_t> length_of_;
};

// Returns black or white, whichever is easier to read on `rgb`.
std::string_view TextColour(uint32_t rgb);

// Returns the stripes of a box with this paint, from (x, y) on; "" if it has none, or is too small.
std::string StripesSvg(const Paint& paint, double x, double y, double width, double height);

}  // namespace tasklens
