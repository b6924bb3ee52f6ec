// SPDX-License-Identifier: Apache-2.0
// Libraries of the system link and run. Those whose headers are costly to compile (JSON, CLI11,
// {fmt}, Qt) are left to the tests of the code that uses them.
#include <benchmark/benchmark.h>
#include <gmock/gmock.h>
#include <graphviz/gvc.h>
#include <gtest/gtest.h>
#include <hwloc.h>

#include <string>

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

}  // namespace
