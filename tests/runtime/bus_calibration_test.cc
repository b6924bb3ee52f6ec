// SPDX-License-Identifier: Apache-2.0
// Bus files that the runtime writes.
#include <cerrno>
#include <filesystem>
#include <string>

#include "tests/runtime/simulated.h"

namespace tasklens {
namespace {

class BusCalibration : public testing::Simulated {
 protected:
  void SetUp() override {
    Simulated::SetUp();
    setenv("STARPU_BUS_CALIBRATE", "1", 1);
  }
  void TearDown() override {
    unsetenv("STARPU_BUS_CALIBRATE");
    Simulated::TearDown();
  }
  Bus Found() const {
    auto bus = FindBus({{folder_}, "simulated"});
    EXPECT_TRUE(bus.ok()) << bus.status().message();
    return bus.ok() ? *bus : Bus();
  }
};

TEST_F(BusCalibration, OfASimulatedMachineFindsWhatItsFilesSay) {
  Devices(2);
  Buses(2, /*latency_us=*/7, /*megabytes_per_s=*/12000);
  const std::string before = BusMatrixText(Found().latency);
  { Started started(1); }
  const Bus bus = Found();
  EXPECT_NE(before, BusMatrixText(bus.latency)) << "they are written anew";
  EXPECT_EQ(4u, bus.Count("CPU"));
  EXPECT_EQ(2u, bus.Count("CUDA"));
  for (size_t from = 0; from < 3; ++from) {
    for (size_t to = 0; to < 3; ++to) {
      EXPECT_NEAR(from == to ? 0 : 7, bus.latency.rows[from][to], 1e-6);
      EXPECT_NEAR(from == to ? 0 : 12000, bus.bandwidth.rows[from][to], 1e-2);
    }
  }
  for (const char* kind : {"affinity", "platform.xml", "platform.v4.xml"})
    EXPECT_TRUE(std::filesystem::exists(BusPath(folder_, "simulated", kind))) << kind;
}

TEST_F(BusCalibration, OfASimulatedMachineNeedsItsFiles) {
  Devices(1);
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(-EIO, starpu_init(nullptr));
  EXPECT_NE(std::string::npos,
            ::testing::internal::GetCapturedStderr().find("tasklens: buses are not measured: "));
}

TEST_F(BusCalibration, OfAMachineWithoutDevicesWritesThatThereAreNone) {
  { Started started(1); }
  EXPECT_GE(Found().Count("CPU"), 1u);
  EXPECT_EQ(0u, Found().Count("CUDA"));
}

TEST_F(BusCalibration, IsLeftWhereNobodyAsks) {
  unsetenv("STARPU_BUS_CALIBRATE");
  { Started started(1); }
  EXPECT_FALSE(std::filesystem::exists(folder_ + "/bus"));
}

}  // namespace
}  // namespace tasklens
