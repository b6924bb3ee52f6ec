// SPDX-License-Identifier: Apache-2.0
// Any bytes as each of the files about buses.
#include <cstdint>

#include "perfmodel/bus.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace tasklens;  // NOLINT: one function
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  Bus bus;
  if (const auto config = ParseBusConfig(text, "fuzz"); config.ok()) {
    bus.config = *config;
    (void)BusConfigText(*config);
  }
  if (const auto matrix = ParseBusMatrix(text, "fuzz"); matrix.ok()) {
    bus.bandwidth = bus.latency = *matrix;
    (void)BusMatrixText(*matrix);
  }
  if (const auto affinity = ParseBusAffinity(text, "fuzz"); affinity.ok())
    (void)BusAffinityText(*affinity);
  (void)TransferTime(bus, 0, 1, 4096);
  return 0;
}
