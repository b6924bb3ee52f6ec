// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <iterator>

#include "drawing/svg.h"
#include "server/pictures/svg.h"

namespace tasklens {

std::string LegendSvg(const Legend& legend, const std::vector<bool>& used, double x, double y,
                      double width, double& height) {
  constexpr double kRow = 18, kBox = 11, kSize = 11;
  std::string out = "<g class=\"legend\">\n";
  double at = x;
  height = kRow;
  for (size_t i = 0; i < legend.entries.size(); ++i) {
    if (i >= used.size() || !used[i]) continue;
    const LegendEntry& entry = legend.entries[i];
    const double takes = kBox + 22 + TextWidth(entry.label, kSize);
    if (at > x && at + takes > x + width) {
      at = x;
      height += kRow;
    }
    const double top = y + height - kRow;
    // An entry for many colours shows three of them.
    if (entry.is_of_many)
      for (size_t band = 0; band < 3; ++band)
        fmt::format_to(std::back_inserter(out),
                       "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{}\" "
                       "fill=\"#{:06x}\"/>",
                       at + kBox / 3 * static_cast<double>(band), top, kBox / 3, kBox,
                       PaletteRgb(band));
    fmt::format_to(std::back_inserter(out),
                   "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{}\" height=\"{}\" "
                   "fill=\"{}\" stroke=\"#555\" stroke-width=\"0.5\"/>{}",
                   at, top, kBox, kBox,
                   entry.is_of_many ? "none" : fmt::format("#{:06x}", entry.rgb & 0xFFFFFF),
                   StripesSvg(entry.paint(), at, top, kBox, kBox));
    fmt::format_to(std::back_inserter(out),
                   "<text x=\"{:.1f}\" y=\"{:.1f}\" font-size=\"{}\">{}</text>\n", at + kBox + 5,
                   top + kBox - 1.5, kSize, XmlText(entry.label));
    at += takes;
  }
  return out + "</g>\n";
}

}  // namespace tasklens
