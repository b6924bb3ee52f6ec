// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>

#include "server/pictures/svg.h"

namespace tasklens {
namespace {

TEST(LegendSvg, HasABorderedSwatchForEachEntry) {
  Legend legend;
  legend.entries = {{.label = "other", .rgb = kMixedRgb, .is_of_many = true},
                    {.label = "gemm", .rgb = 1}};
  double height = 0;
  const std::string svg = LegendSvg(legend, {true, true}, 0, 0, 500, height);
  size_t swatches = 0;
  for (size_t at = 0; (at = svg.find("stroke=\"#555\"", at)) != svg.npos; ++at) ++swatches;
  EXPECT_EQ(swatches, 2u) << svg;
}

}  // namespace
}  // namespace tasklens
