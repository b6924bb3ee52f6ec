// SPDX-License-Identifier: Apache-2.0
// StarPU's files about buses.
#include "perfmodel/bus.h"

#include <gtest/gtest.h>

#include "tests/perfmodel/real_files.h"

namespace tasklens {
namespace {

using testing::kPerfmodels;

// What is read of `text`, written again, or the message of what is wrong.
std::string Again(std::string_view kind, const std::string& text) {
  if (kind == "config") {
    const auto read = ParseBusConfig(text, "f");
    return read.ok() ? BusConfigText(*read) : read.status().message();
  }
  if (kind == "affinity") {
    const auto read = ParseBusAffinity(text, "f");
    return read.ok() ? BusAffinityText(*read) : read.status().message();
  }
  const auto read = ParseBusMatrix(text, "f");
  return read.ok() ? BusMatrixText(*read) : read.status().message();
}

TEST(BusFiles, AreWrittenAsTheyWereByteForByte) {
  size_t files = 0;
  for (const auto& [path, text] : testing::AllFiles()) {
    if (path.find("bus/") == std::string::npos || path.ends_with(".xml")) continue;
    EXPECT_EQ(Again(path.substr(path.rfind('.') + 1), text), text) << path;
    ++files;
  }
  EXPECT_EQ(files, 28u);
}

TEST(BusFiles, SayWhereTheyAreWrong) {
  EXPECT_EQ(Again("bandwidth", "1 x\n"), "f: line 1: 'x' is not a number");
  EXPECT_EQ(Again("bandwidth", "# h\n1 2\n1\n"), "f: line 3: has 1 numbers, the first line has 2");
  EXPECT_EQ(Again("latency", "1 2\n"), "f: ends after line 1, before line 2 of the matrix");
  EXPECT_EQ(Again("config", "some # CPUs\n"), "f: line 1: this is not 'COUNT # what is counted'");
  EXPECT_EQ(Again("affinity", "0\t-1\n"), "f: line 1: '-1' is not the number of a node");
}

Bus Mirage() {
  auto files = testing::PublishedFiles();
  return Bus{*ParseBusConfig(files["bus/mirage.config"], "c"),
             *ParseBusMatrix(files["bus/mirage.bandwidth"], "b"),
             *ParseBusMatrix(files["bus/mirage.latency"], "l"),
             *ParseBusAffinity(files["bus/mirage.affinity"], "a")};
}

TEST(Bus, TellsWhatATransferTakes) {
  Bus bus = Mirage();
  EXPECT_EQ(bus.Count("CUDA"), 3u);
  EXPECT_EQ(bus.Count("OpenCL"), 3u);
  EXPECT_EQ(bus.Count("HIP"), 0u);
  EXPECT_DOUBLE_EQ(TransferTime(bus, 0, 0, 1000), 0);
  EXPECT_DOUBLE_EQ(TransferTime(bus, 0, 1, 6030996), 9.836008 + 2 * 6 * 6030996 / 6030.996807);
  EXPECT_DOUBLE_EQ(TransferTime(bus, 0, 20, 1000), 0) << "nobody measured it";
  EXPECT_DOUBLE_EQ(TransferTime(bus, 99, 0, 1000), 0);
}

TEST(Bus, IsFoundByItsHost) {
  const auto bus = FindBus({{kPerfmodels + "sampling_1_3", kPerfmodels + "sampling"}, "node0"});
  ASSERT_TRUE(bus.ok()) << bus.status().message();
  EXPECT_EQ(bus->Count("CPU"), 2u);
  EXPECT_EQ(FindBus({{kPerfmodels + "sampling"}, "other"}).status().code(), ErrorCode::kNotFound);
}

}  // namespace
}  // namespace tasklens
