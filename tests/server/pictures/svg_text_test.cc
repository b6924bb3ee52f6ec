// SPDX-License-Identifier: Apache-2.0
// Texts of pictures: what is cut still tells what it is.
#include "server/pictures/svg_text.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

namespace tasklens {
namespace {

TEST(FittingText, LeavesWhatFits) { EXPECT_EQ(FittingText("a < b", 100, 10), "a &lt; b"); }

TEST(FittingText, IsNeverWiderThanItsRoom) {
  for (const std::string text :
       {"demo_cholesky_gemm", "WWWWWWWWWW", "iiiiiiiiiiiiiiiiiii", "a b c d e f"})
    for (double width = 0; width < 150; ++width)
      for (const size_t shared : {size_t{0}, text.size() / 2, text.size()})
        EXPECT_LE(TextWidth(FittingText(text, width, 10, shared), 10), width + 1e-6) << text;
}

TEST(FittingText, KeepsBeginAndEnd) {
  EXPECT_EQ(FittingText("vector_scal_parallel", 70, 10), "vector\u2026allel");
  EXPECT_EQ(FittingText("vector_scal_parallel", 15, 10), "");
}

TEST(FittingText, KeepsWhatTellsANameFromOthers) {
  const size_t shared = std::string("demo_cholesky_").size();
  EXPECT_EQ(FittingText("demo_cholesky_gemm", 45, 10, shared), "\u2026gemm");
  EXPECT_EQ(FittingText("demo_cholesky_gemm", 85, 10, shared), "demo_c\u2026gemm");
  EXPECT_EQ(FittingText("demo_cholesky_gemm", 200, 10, shared), "demo_cholesky_gemm");
}

TEST(FittingText, DoesNotCutWithinACharacter) {
  const std::string text = "\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9";
  for (double width = 0; width < 60; ++width) {
    const std::string fitting = FittingText(text, width, 10);
    EXPECT_EQ(fitting.size() % 2, fitting.find("\u2026") == fitting.npos ? 0u : 1u) << width;
  }
}

TEST(SharedBeginnings, AreTheWordsThatOthersHaveAsWell) {
  const SharedBeginnings shared({"demo_cholesky_gemm", "demo_cholesky_trsm", "iteration 1",
                                 "iteration 12", "spin", "spinner", "alone_here", "",
                                 "demo_cholesky_gemm"});
  EXPECT_EQ(shared.LengthOf("demo_cholesky_gemm"), 14u);
  EXPECT_EQ(shared.LengthOf("demo_cholesky_trsm"), 14u);
  EXPECT_EQ(shared.LengthOf("iteration 12"), 10u);
  EXPECT_EQ(shared.LengthOf("spinner"), 0u);
  EXPECT_EQ(shared.LengthOf("alone_here"), 0u);
  EXPECT_EQ(shared.LengthOf(""), 0u);
}

TEST(SharedBeginnings, LeaveNamesApartHoweverShort) {
  const std::vector<std::string_view> names = {"demo_cholesky_gemm", "demo_cholesky_trsm",
                                               "demo_cholesky_syrk", "demo_cholesky_potrf"};
  const SharedBeginnings shared(names);
  for (double width = 50; width < 130; ++width) {
    std::set<std::string> seen;
    for (const std::string_view name : names)
      seen.insert(FittingText(name, width, 10, shared.LengthOf(name)));
    EXPECT_EQ(seen.size(), names.size()) << width;
    EXPECT_FALSE(seen.contains("")) << width;
  }
}

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
