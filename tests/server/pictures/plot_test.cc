// SPDX-License-Identifier: Apache-2.0
// Plots in each format: whole, with all that is on the sheet, and nothing of a trace taken for
// code.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <tuple>

#include "server/pictures/plot_canvas.h"
#include "server/pictures/plot_chart.h"
#include "server/pictures/plots.h"
#include "tests/testing/test_trace.h"

namespace tasklens {
namespace {

using testing::TestTrace;

PlotCanvas OneOfEach() {
  PlotCanvas canvas(100, 50, kLightPlot, "a <title> (with) \\signs");
  canvas.Rect(10, 10, 20, 20, uint32_t{0xFF0000}, "<b>&");
  canvas.Line({{0, 0}, {100, 50}}, 0x00FF00, 1, true);
  canvas.Dot(80, 10, 4, 0x0000FF, 0.5);
  canvas.Text(5, 45, 9, "1 \xC2\xB5s <script>) Tj \x1b[31m", 0x000000);
  canvas.TextUpwards(95, 25, 9, "up", 0x000000);
  return canvas;
}

std::string Drawn(PlotFormat format) { return PlotText(std::vector{OneOfEach()}, format); }

TEST(Plot, EscapesTextsInSvg) {
  const std::string svg = Drawn(PlotFormat::kSvg);
  EXPECT_NE(svg.find("&lt;script&gt;"), svg.npos);
  EXPECT_NE(svg.find("&lt;b&gt;&amp;"), svg.npos);
  EXPECT_EQ(svg.find("<script"), svg.npos);
  EXPECT_EQ(svg.find('\x1b'), svg.npos);
  EXPECT_NE(svg.find("stroke-dasharray"), svg.npos);
}

TEST(Plot, IsAPdfWhoseTableFindsEachObject) {
  const std::string pdf = PlotText(std::vector{OneOfEach(), OneOfEach()}, PlotFormat::kPdf);
  ASSERT_EQ(pdf.substr(0, 8), "%PDF-1.4");
  const size_t start = pdf.rfind("startxref\n");
  ASSERT_NE(start, pdf.npos);
  const size_t table = std::stoul(pdf.substr(start + 10));
  ASSERT_EQ(pdf.substr(table, 5), "xref\n");
  size_t entry = pdf.find('\n', table + 5) + 1 + 20;  // behind the free one
  for (int object = 1; object <= 9; ++object, entry += 20) {
    const std::string head = std::to_string(object) + " 0 obj";
    EXPECT_EQ(pdf.substr(std::stoul(pdf.substr(entry, 10)), head.size()), head);
  }
  EXPECT_NE(pdf.find("/Count 2"), pdf.npos);
  EXPECT_NE(pdf.find("(a <title> \\(with\\) \\\\"), pdf.npos);
}

TEST(Plot, IsAPngOfTwoPixelsAPoint) {
  const std::string png = Drawn(PlotFormat::kPng);
  ASSERT_EQ(png.substr(0, 8), "\x89PNG\r\n\x1A\n");
  EXPECT_EQ(png.substr(16, 8), std::string("\0\0\0\xC8\0\0\0\x64", 8));
  EXPECT_EQ(png.substr(png.size() - 8, 4), "IEND");
}

TEST(Plot, IsTheSameEachTime) {
  for (const PlotFormat format :
       {PlotFormat::kSvg, PlotFormat::kPdf, PlotFormat::kPng, PlotFormat::kHtml})
    EXPECT_EQ(Drawn(format), Drawn(format));
}

TEST(Plot, KnowsItsFormatByTheEnding) {
  EXPECT_EQ(PlotFormatOf("a.b/c.svg"), PlotFormat::kSvg);
  EXPECT_EQ(PlotFormatOf("x.pdf"), PlotFormat::kPdf);
  EXPECT_EQ(PlotFormatOf("x.jpg"), std::nullopt);
  EXPECT_EQ(PlotFormatOf("svg"), std::nullopt);
}

TEST(Plot, SaysValuesWithTheirUnit) {
  EXPECT_EQ(PlotValueText(1500, PlotQuantity::kTimeNs), "1.5 \xC2\xB5s");
  EXPECT_EQ(PlotValueText(0, PlotQuantity::kTimeNs), "0 s");
  EXPECT_EQ(PlotValueText(4096, PlotQuantity::kBytes), "4.096 kB");
  EXPECT_EQ(PlotValueText(85, PlotQuantity::kPercent), "85 %");
}

TEST(Plot, HasAnAxisForAnyValues) {
  for (const bool is_log : {false, true})
    for (const std::vector<double>& values :
         {std::vector<double>{}, {0}, {5}, {-3, 8}, {1e-9, 1e18}, {7, 7}, {9e18, 9e18 + 4096}}) {
      const PlotAxis axis = PlotAxisFor(PlotQuantity::kCount, "n", values, is_log);
      EXPECT_LT(axis.low, axis.high);
      if (is_log) {
        EXPECT_GT(axis.low, 0);
      }
      PlotCanvas canvas(300, 200, kDarkPlot, "");
      const PlotChart chart(canvas, {60, 10, 200, 150}, axis, axis);
      PlotAxis far = axis;
      far.low = 9e18;
      far.high = 9e18 + 4096;
      PlotChart(canvas, {60, 10, 200, 150}, far, axis);
      for (const double value : values) {
        EXPECT_GE(chart.X(value), 60);
        EXPECT_LE(chart.Y(value), 160);
      }
    }
}

TEST(Plot, FitsTextsWithoutCuttingALetter) {
  EXPECT_EQ(PlotTextThatFits("abc", 100, 10), "abc");
  const std::string cut = PlotTextThatFits("\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9", 22, 10);
  EXPECT_LT(PlotTextWidth(cut, 10), 22);
  EXPECT_EQ(cut.find("\xC3..."), cut.npos);
}

// Of a sheet taller than any screen, the last rows are as exact as the first.
TEST(Plot, HasPlacesToAHundredthHoweverTallItIs) {
  PlotCanvas canvas(100, 20000, kLightPlot, "");
  canvas.Rect(1, 12345.67, 20, 1.5, uint32_t{0xFF0000});
  const std::string svg = PlotText(std::vector{canvas}, PlotFormat::kSvg);
  EXPECT_NE(svg.find("M1,12345.67L21,12345.67L21,12347.17L1,12347.17Z"), svg.npos) << svg;
}

TEST(Plot, ForAPageLeavesColoursToIt) {
  PlotCanvas canvas(100, 50, kPagePlot, "");
  canvas.Line({{0, 0}, {100, 50}}, canvas.theme().grid);
  canvas.Text(5, 45, 9, "x", canvas.theme().ink);
  canvas.Rect(0, 0, 9, 9, uint32_t{0x123456});
  const std::string svg = PlotText(std::vector{canvas}, PlotFormat::kSvg);
  for (const char* part : {"fill=\"var(--plot-ground)\"", "stroke=\"var(--plot-grid)\"",
                           "fill=\"var(--plot-ink)\"", "fill=\"#123456\""})
    EXPECT_NE(svg.find(part), svg.npos) << part;
}

// Names of one program often begin with the same letters.
TEST(Plot, KeepsBothEndsOfANameThatIsTooLong) {
  const std::string name = "a_library::with_a_long_prefix::and_many_words::kernel_17";
  const std::string cut = PlotTextThatFits(name, 120, 10);
  EXPECT_TRUE(cut.starts_with("a_lib")) << cut;
  EXPECT_TRUE(cut.ends_with("_17")) << cut;
  EXPECT_LE(PlotTextWidth(cut, 10), 120);
  EXPECT_EQ(PlotTextThatFits(name, 1, 10), "...");
}

// Codelets that share a colour have points of other forms.
TEST(Plot, HasAFormOfPointsForEachNumberOfStripes) {
  std::set<std::string> forms;
  for (uint32_t stripes = 0; stripes <= kMostStripes; ++stripes) {
    PlotCanvas canvas(20, 20, kLightPlot, "");
    DrawPlotMark(canvas, 10, 10, 4, {0x336699, stripes});
    forms.insert(PlotText(std::vector{canvas}, PlotFormat::kSvg));
  }
  EXPECT_EQ(forms.size(), kMostStripes + 1);
}

// Each kind draws a run, or says in a line what it lacks.
TEST(PlotKinds, DrawOrSayWhatIsMissing) {
  const TraceModel none = TestTrace().Build();
  const TraceModel some =
      TestTrace().Worker("CPU0").Task("gemm", 0, 10, {.size_bytes = 64, .flops = 100}).Build();
  for (const PlotKind& kind : PlotKinds()) {
    const std::vector<PlotRun> empty{{"empty", &none}}, both{{"a", &some}, {"b", &none}};
    const auto of_empty = kind.draw(empty, {});
    if (kind.name != "summary") {
      ASSERT_FALSE(of_empty.ok()) << kind.name;
      EXPECT_EQ(of_empty.status().code(), ErrorCode::kNotFound);
      EXPECT_EQ(of_empty.status().message().find('\n'), std::string::npos);
    }
    const auto of_both = kind.draw(both, {});
    const bool needs_messages = kind.name.starts_with("message");
    ASSERT_EQ(of_both.ok(), !needs_messages) << kind.name;
    if (of_both.ok()) {
      EXPECT_GT(PlotText(*of_both, PlotFormat::kSvg).size(), 500u);
    }
  }
}

TEST(PlotKinds, RefuseTheChoicesThatTheyHaveNot) {
  for (const PlotKind& kind : PlotKinds()) {
    EXPECT_TRUE(CheckPlotOptions(kind, {}).ok()) << kind.name;
    for (const std::string by : {"size", "worker", "colour"})
      EXPECT_EQ(CheckPlotOptions(kind, {.by = by}).ok(),
                std::ranges::find(kind.by, by) != kind.by.end())
          << kind.name << " by " << by;
    EXPECT_EQ(CheckPlotOptions(kind, {.codelets = {"gemm"}}).ok(), kind.has_codelets) << kind.name;
  }
}

// What was measured stands beside what the perfmodel expected, with how many hundredths that is.
TEST(PlotKinds, SpeedHasDurationsMeasuredAndExpected) {
  const TraceModel model = TestTrace()
                               .Worker("CPU0")
                               .Task("gemm", 0, 1000)
                               .Task("gemm", 1000, 4000)
                               .Task("trsm", 4000, 5000)
                               .Event(0, EventKind::kTaskEstimate, {1, 0, 1500.0, 0.0})
                               .Event(0, EventKind::kTaskEstimate, {2, 0, 1500.0, 0.0})
                               .Build();
  const std::vector<PlotRun> runs{{"a", &model}};
  const auto drawn = (*FindPlotKind("speed"))->draw(runs, {});
  ASSERT_TRUE(drawn.ok());
  const std::string svg = PlotText(*drawn, PlotFormat::kSvg);
  for (const char* text : {">2 \xC2\xB5s<", ">1.5 \xC2\xB5s<", ">75 %<", ">not told<", ">trsm<"})
    EXPECT_NE(svg.find(text), svg.npos) << text;
  EXPECT_EQ(svg.find("GFlop/s"), svg.npos) << "no task says its flop";
}

TEST(PlotKinds, SpeedNamesPerfmodelsOnlyWhereOneExpectedSomething) {
  const TraceModel model = TestTrace().Worker("CPU0").Task("gemm", 0, 1000, {.flops = 2e3}).Build();
  const std::vector<PlotRun> runs{{"a", &model}};
  const auto drawn = (*FindPlotKind("speed"))->draw(runs, {});
  ASSERT_TRUE(drawn.ok());
  const std::string svg = PlotText(*drawn, PlotFormat::kSvg);
  EXPECT_NE(svg.find(">Speed of codelets<"), svg.npos) << svg;
  EXPECT_EQ(svg.find("perfmodels"), svg.npos) << svg;
}

// Of another tool's trace, whose states are not those of a runtime of tasks.
TEST(PlotKinds, ActivityNeedsTasks) {
  const TraceModel model = TestTrace()
                               .Worker("CPU0")
                               .State(0, StateKind::kOverhead)
                               .Event(1000, EventKind::kMessage, {"end"})
                               .Build();
  const std::vector<PlotRun> runs{{"a", &model}};
  EXPECT_FALSE((*FindPlotKind("activity"))->draw(runs, {}).ok());
}

// One task of a thousand that took a thousand times as long leaves the others their bars.
TEST(PlotKinds, SayHowManyAreLongerThanTheBars) {
  TestTrace trace;
  trace.Worker("CPU0");
  for (int64_t i = 0; i < 1000; ++i) trace.Task("gemm", 1000 * i, 1000 * i + 100 + i % 10);
  trace.Task("gemm", 1'000'000, 1'100'000);
  const TraceModel model = trace.Build();
  const std::vector<PlotRun> runs{{"a", &model}};
  const auto drawn = (*FindPlotKind("durations"))->draw(runs, {});
  ASSERT_TRUE(drawn.ok());
  const std::string svg = PlotText(*drawn, PlotFormat::kSvg);
  EXPECT_NE(svg.find(" in 1001<"), svg.npos) << svg;
  EXPECT_NE(svg.find(">1 longer, up to 100 \xC2\xB5s<"), svg.npos) << svg;
  EXPECT_NE(svg.find("<title>100 of 10"), svg.npos) << "a bar of one length";
}

// As all of our texts and axes: zero is the first submission.
TEST(PlotKinds, OverTimeOfManyTasksHasFewDotsAndHidesNoCodelet) {
  TestTrace trace;
  trace.Worker("CPU0");
  constexpr int64_t kTasks = 40'000, kRare = 100;
  for (int64_t i = 0; i < kTasks; ++i)
    trace.Task(i % kRare == 0 ? "rare" : "often", 1000 * i, 1000 * i + 900 + i % 3);
  const TraceModel model = trace.Build();
  const std::vector<PlotRun> runs{{"a", &model}};
  const auto drawn = (*FindPlotKind("over-time"))->draw(runs, {});
  ASSERT_TRUE(drawn.ok());
  std::vector<uint32_t> colours;  // in the order of drawing
  for (const PlotShape& shape : drawn->front().shapes())
    if (shape.kind == PlotShape::Kind::kDot) colours.push_back(shape.rgb);
  colours.resize(colours.size() - 2);  // without the legend
  EXPECT_LT(colours.size(), kTasks / 4);
  const NameColours names(model);
  const uint32_t rare = names.OfName(model.tasks.name[0]).rgb;
  EXPECT_EQ(std::ranges::count(colours, rare), kTasks / kRare);
  EXPECT_EQ(colours.back(), rare);
  EXPECT_TRUE(std::ranges::is_partitioned(colours, [&](uint32_t rgb) { return rgb != rare; }));
}

// Each of its sheets is drawn as it is alone, but lower.
TEST(PlotKinds, SummaryHasTheShapesOfItsSheets) {
  const TraceModel model =
      TestTrace().Worker("CPU0").Task("gemm", 0, 10, {.size_bytes = 64}).Build();
  const std::vector<PlotRun> runs{{"a", &model}};
  const auto shapes = [&](std::string_view kind) {
    std::multiset<std::tuple<PlotShape::Kind, uint32_t, double, double, bool, bool, std::string>>
        all;
    const auto drawn = (*FindPlotKind(kind))->draw(runs, {});
    for (const PlotShape& one : drawn->front().shapes())
      all.emplace(one.kind, one.rgb, one.opacity, one.size, one.is_dashed, one.is_upwards,
                  one.text);
    return all;
  };
  const auto summary = shapes("summary");
  for (const std::string_view kind : {"activity", "over-time", "durations", "sizes"})
    EXPECT_TRUE(std::ranges::includes(summary, shapes(kind))) << kind;
}

TEST(PlotKinds, CountFromTheFirstSubmission) {
  const TraceModel model = TestTrace()
                               .Worker("CPU0")
                               .Task("gemm", 5'000'000, 5'000'010, {.submit_ns = 4'999'990})
                               .Task("gemm", 5'000'020, 5'000'030, {.submit_ns = 4'999'990})
                               .Build();
  const std::vector<PlotRun> runs{{"a", &model}};
  const auto drawn = (*FindPlotKind("over-time"))->draw(runs, {});
  ASSERT_TRUE(drawn.ok());
  const std::string svg = PlotText(*drawn, PlotFormat::kSvg);
  EXPECT_NE(svg.find(">when the task started, after the first submission<"), svg.npos);
  EXPECT_NE(svg.find(">10 ns<"), svg.npos);
  EXPECT_EQ(svg.find(">5 ms<"), svg.npos);
}

TEST(PlotKinds, NameTheCodeletsThatThereAre) {
  const TraceModel model = TestTrace().Worker("CPU0").Task("gemm", 0, 10).Build();
  const std::vector<PlotRun> runs{{"a", &model}};
  PlotOptions options;
  options.codelets = {"gem"};
  const auto drawn = (*FindPlotKind("durations"))->draw(runs, options);
  ASSERT_FALSE(drawn.ok());
  EXPECT_EQ(drawn.status().message(), "no task has the codelet 'gem'; there are gemm");
  EXPECT_FALSE(FindPlotKind("nothing").ok());
}

}  // namespace
}  // namespace tasklens
