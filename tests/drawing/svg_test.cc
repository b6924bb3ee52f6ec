// SPDX-License-Identifier: Apache-2.0
// Texts of pictures: what is cut still tells what it is.
#include "drawing/svg.h"

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

TEST(XmlText, MayStandInAnyDocument) {
  EXPECT_EQ(XmlText("a<b>&\"c'\n\x7f"), "a&lt;b&gt;&amp;&quot;c&#39;  ");
  EXPECT_EQ(XmlText("\u00e9\u2026 \U0001F600"), "\u00e9\u2026 \U0001F600");
  // No UTF-8, half a character, and what is no character.
  EXPECT_EQ(XmlText("\xff-\xc3"), "\ufffd-\ufffd");
  EXPECT_EQ(XmlText("\xef\xbf\xbe"), "\ufffd\ufffd\ufffd");
}

TEST(SvgNumber, IsTheNearestTenth) {
  EXPECT_EQ(SvgNumber(12), "12");
  EXPECT_EQ(SvgNumber(12.34), "12.3");
  EXPECT_EQ(SvgNumber(-0.46), "-0.5");
  EXPECT_EQ(SvgNumber(-0.04), "0");
  EXPECT_EQ(SvgNumber(0.96), "1");
}

TEST(SvgCurve, IsAPath) {
  EXPECT_EQ(SvgCurve({}), "");
  const Point points[] = {{0, 1}, {2, 3.5}, {4, 5}, {6, 7}};
  EXPECT_EQ(SvgCurve(points), "M0,1C2,3.5 4,5 6,7");
}

TEST(TextColour, IsTheOneThatCanBeRead) {
  EXPECT_EQ(TextColour(0x000000), "#fff");
  EXPECT_EQ(TextColour(0x0000FF), "#fff");
  EXPECT_EQ(TextColour(0xFFFFFF), "#000");
  EXPECT_EQ(TextColour(0x00FF00), "#000");
}

}  // namespace
}  // namespace tasklens
