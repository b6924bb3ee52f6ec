// SPDX-License-Identifier: Apache-2.0
// The pieces of SVG that our pictures share: escapes, numbers, texts that fit, colours that can be
// read. No font is asked: what a viewer has is not known.
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

// `text` as it may stand between tags and inside attribute values of XML and HTML: what is no valid
// UTF-8 becomes U+FFFD, a control character a blank.
std::string XmlText(std::string_view text);

// To a tenth, which no screen shows: "12", "-0.5".
std::string SvgNumber(double value);

// The document's begin: white ground, `style` as its style sheet, `title` for screen readers.
std::string SvgHead(double width, double height, std::string_view title, std::string_view style);

// Of a path with marker-end="url(#arrow)".
inline constexpr std::string_view kSvgArrow =
    "<defs><marker id=\"arrow\" viewBox=\"0 0 10 10\" refX=\"10\" refY=\"5\" markerWidth=\"7\" "
    "markerHeight=\"7\" markerUnits=\"userSpaceOnUse\" orient=\"auto\">"
    "<path d=\"M0,1L10,5L0,9z\" fill=\"#777\" stroke=\"none\"/></marker></defs>\n";

// From the right side of one node to the left side of the other where that lies further right;
// else from edge to edge above or below.
std::vector<Point> Route(const Box& from, const Box& to);

// The d of a path along cubic Bézier curves.
std::string SvgCurve(std::span<const Point> points);

// About how wide `text` is at `size`.
double TextWidth(std::string_view text, double size);

// How wide a node has to be for its label, as far as it may become so wide.
inline constexpr double kLabelSize = 11;
double NodeWidth(std::string_view label);

// Letters from the begin and the end of `text` in turn, as many as there is `room` for: names of
// one program often begin with the same letters.
struct Ends {
  std::string_view head, tail;
};
Ends EndsThatFit(std::string_view text, double room,
                 const std::function<double(std::string_view)>& width_of);

// As much of `text` as fits `width` at `size`, escaped: where it is too long, its begin and its end
// with an ellipsis between; "" where too little fits to be read. What comes after the first
// `shared` bytes tells it from other texts of the picture: it is kept before all else.
std::string FittingText(std::string_view text, double width, double size, size_t shared = 0);

// The words at the begin of each label that others have as well: "demo_cholesky_" of
// "demo_cholesky_gemm" beside "demo_cholesky_trsm".
class SharedBeginnings {
 public:
  // What `labels` point to must outlive this.
  explicit SharedBeginnings(std::vector<std::string_view> labels);
  size_t LengthOf(std::string_view label) const;  // in bytes; 0: none, or not among the labels

 private:
  std::unordered_map<std::string_view, size_t> length_of_;
};

// Black or white, whichever is easier to read on `rgb`.
std::string_view TextColour(uint32_t rgb);

// The stripes of a box that is painted so, from (x, y) on; "" where it has none, or is too small.
std::string StripesSvg(const Paint& paint, double x, double y, double width, double height);

}  // namespace tasklens
