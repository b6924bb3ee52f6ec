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
  EXPECT_EQ(Again("config", "some # CPUs\n"), "f: line 1: expected 'COUNT # DESCRIPTION'");
  EXPECT_EQ(Again("affinity", "0\t-1\n"), "f: line 1: '-1' is not the number of a node");
}

// StarPU 1.4.12 measured a machine of two CPUs. (Its matrices have as many rows as that build of it
// has memory nodes.)
TEST(BusFiles, OfAMeasuredMachineAreThoseOfStarPU) {
  const Bus bus = MeasuredBus(2, {{0}}, {{0}});
  const std::string real = kPerfmodels + "sampling/bus/node0.";
  EXPECT_EQ(BusConfigText(bus.config), testing::FileText(real + "config"));
  EXPECT_EQ(BusAffinityText(bus.affinity), testing::FileText(real + "affinity"));
  EXPECT_EQ(BusPlatformText(bus, {}, 3), testing::FileText(real + "platform.xml"));
  EXPECT_EQ(BusPlatformText(bus, {}, 4), testing::FileText(real + "platform.v4.xml"));
  const std::string theirs = testing::FileText(real + "bandwidth");
  const std::string first_row = "# to NUMA 0\t\n0.000000e+00\tnan\tnan\tnan";
  EXPECT_TRUE(theirs.starts_with(first_row)) << theirs;
  EXPECT_TRUE(BusMatrixText(bus.bandwidth).starts_with(first_row));
}

TEST(BusFiles, OfAMeasuredMachineNameItsDevices) {
  const Bus bus = MeasuredBus(8, {{0, 12000, 11000}, {13000, 0, NAN}, {10000, 9000, 0}},
                              {{0, 7, 8}, {9, 0, NAN}, {11, 12, 0}});
  EXPECT_TRUE(BusMatrixText(bus.bandwidth)
                  .starts_with("# to NUMA 0\tto CUDA 0\tto CUDA 1\t\n"
                               "0.000000e+00\t1.200000e+04\t1.100000e+04\tnan\t"));
  EXPECT_EQ(BusAffinityText(bus.affinity), "# GPU\tNUMA0\t\n0\t0\t\n1\t0\t\n");
  EXPECT_EQ(bus.Count("CUDA"), 2u);
  const MeasuredDevice devices[] = {{3220897792, true}, {}};
  const std::string platform = BusPlatformText(bus, devices, 4);
  for (const char* part :
       {"   <host id=\"CUDA0\" speed=\"2000000000f\">\n"
        "     <prop id=\"memsize\" value=\"3220897792\"/>\n"
        "     <prop id=\"memcpy_peer\" value=\"1\"/>\n   </host>\n",
        "   <link id=\"NUMA0\" bandwidth=\"13000000000.000000Bps\" latency=\"0.000000s\"/>\n",
        "   <link id=\"CUDA0-RAM\" bandwidth=\"13000000000.000000Bps\" latency=\"0.000009s\"/>\n",
        "   <route src=\"CUDA1\" dst=\"CUDA0\" symmetrical=\"NO\"><link_ctn id=\"CUDA1-CUDA0\"/>"
        "<link_ctn id=\"NUMA0\"/></route>\n"})
    EXPECT_NE(platform.find(part), std::string::npos) << part << platform;
  EXPECT_EQ(platform.find("CUDA0-CUDA1"), std::string::npos) << "nobody measured that way";
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
