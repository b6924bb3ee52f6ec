// SPDX-License-Identifier: Apache-2.0
// Pieces of SVG that our pictures share.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/colours.h"

namespace tasklens {

// The document's begin: white ground, `style` as its style sheet, `title` for screen readers.
std::string SvgHead(double width, double height, std::string_view title, std::string_view style);

// As many characters of `text` as fit `width` at `size` (both 1/72 inch), escaped; an ellipsis
// where there are more; "" where nothing fits.
std::string FittingText(std::string_view text, double width, double size);

// Black or white, whichever is easier to read on `rgb`.
std::string_view TextColour(uint32_t rgb);

// The stripes of a box that is painted so, from (x, y) on; "" where it has none, or is too small.
std::string StripesSvg(const Paint& paint, double x, double y, double width, double height);

// The entries of `legend` that are used, in rows that are `width` wide, from (x, y) on. Sets
// `height` to what that takes.
std::string LegendSvg(const Legend& legend, const std::vector<bool>& used, double x, double y,
                      double width, double& height);

}  // namespace tasklens
