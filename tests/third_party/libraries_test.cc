// SPDX-License-Identifier: Apache-2.0
// Each system library that WORKSPACE names is found, links and runs.
#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <graphviz/gvc.h>
#include <gtest/gtest.h>
#include <hwloc.h>

#include <CLI/CLI.hpp>
#include <QCoreApplication>
#include <QString>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace {

TEST(Libraries, GoogleMockMatches) { EXPECT_THAT("a task", testing::HasSubstr("task")); }

TEST(Libraries, BenchmarkRunsALoop) {
  int rounds = 0;
  benchmark::RegisterBenchmark("loop", [&rounds](benchmark::State& state) {
    for (auto _ : state) ++rounds;
  })->Iterations(3);
  EXPECT_EQ(benchmark::RunSpecifiedBenchmarks(), 1u);
  EXPECT_EQ(rounds, 3);
}

TEST(Libraries, JsonParses) { EXPECT_EQ(nlohmann::json::parse(R"({"id":7})")["id"], 7); }

TEST(Libraries, FmtFormats) { EXPECT_EQ(fmt::format("{:.1f} ms", 1.25), "1.2 ms"); }

TEST(Libraries, Cli11Parses) {
  CLI::App app;
  std::string to;
  app.add_option("--to", to);
  app.parse("--to paje");
  EXPECT_EQ(to, "paje");
}

TEST(Libraries, HwlocSeesAProcessingUnit) {
  hwloc_topology_t topology;
  ASSERT_EQ(hwloc_topology_init(&topology), 0);
  ASSERT_EQ(hwloc_topology_load(topology), 0);
  EXPECT_GE(hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_PU), 1);
  hwloc_topology_destroy(topology);
}

TEST(Libraries, GraphvizLaysOutAGraph) {
  GVC_t* context = gvContext();
  Agraph_t* graph = agmemread("digraph { a -> b }");
  ASSERT_NE(graph, nullptr);
  ASSERT_EQ(gvLayout(context, graph, "dot"), 0);
  char* svg = nullptr;
  unsigned size = 0;
  ASSERT_EQ(gvRenderData(context, graph, "svg", &svg, &size), 0);
  EXPECT_THAT(std::string(svg, size), testing::HasSubstr("<svg"));
  gvFreeRenderData(svg);
  gvFreeLayout(context, graph);
  agclose(graph);
  gvFreeContext(context);
}

TEST(Libraries, QtCoreStarts) {
  int count = 1;
  char name[] = "libraries_test";
  char* arguments[] = {name, nullptr};
  QCoreApplication application(count, arguments);
  EXPECT_EQ(QCoreApplication::applicationFilePath().isEmpty(), false);
}

}  // namespace
