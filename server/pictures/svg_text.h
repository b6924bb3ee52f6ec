// SPDX-License-Identifier: Apache-2.0
// Pieces of SVG that our pictures share.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "analysis/colours.h"

namespace tasklens {

// The document's begin: white ground, `style` as its style sheet, `title` for screen readers.
std::string SvgHead(double width, double height, std::string_view title, std::string_view style);

// About how wide `text` is at `size` (both 1/72 inch): no font is asked.
double TextWidth(std::string_view text, double size);

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

// The entries of `legend` that are used, in rows that are `width` wide, from (x, y) on. Sets
// `height` to what that takes.
std::string LegendSvg(const Legend& legend, const std::vector<bool>& used, double x, double y,
                      double width, double& height);

}  // namespace tasklens
