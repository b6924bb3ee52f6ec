// SPDX-License-Identifier: Apache-2.0
// Devices of a simulated machine on which functions run for real, for tests of where data are.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "tests/runtime/on_devices.h"
#include "tests/runtime/simulated.h"

namespace tasklens::testing {

class SimulatedDevices : public OnDevices<Simulated> {
 protected:
  static uint64_t* Words(void* buffer) {
    return reinterpret_cast<uint64_t*>(STARPU_VECTOR_GET_PTR(buffer));
  }
  static size_t Count(void* buffer) { return STARPU_VECTOR_GET_NX(buffer); }

  void SetUp() override {
    Simulated::SetUp();
    model_.type = STARPU_COMMON;
    model_.arch_cost_function = nullptr;
    model_.cost_function = [](starpu_task*, unsigned) { return 0.; };
    fill_ = Computing(
        [](void** buffers, void*) { std::fill_n(Words(buffers[0]), Count(buffers[0]), 1); },
        {STARPU_W});
    add_ = Computing(
        [](void** buffers, void*) {
          for (size_t i = 0; i < Count(buffers[0]); ++i) ++Words(buffers[0])[i];
        },
        {STARPU_RW});
    read_ = Computing([](void**, void*) {}, {STARPU_R});
  }
  void TearDown() override {
    unsetenv("STARPU_LIMIT_CUDA_MEM");
    Simulated::TearDown();
  }
  starpu_codelet Computing(starpu_cpu_func_t function,
                           const std::vector<starpu_data_access_mode>& modes) {
    starpu_codelet codelet = Codelet(function, function, modes);
    codelet.flags = STARPU_CODELET_SIMGRID_EXECUTE;
    codelet.model = &model_;
    return codelet;
  }

  // From and to which memory nodes data went, in the order of their transfers.
  using Hop = std::pair<uint32_t, uint32_t>;
  static std::vector<Hop> Hops(const TraceModel& model) {
    std::vector<Hop> hops;
    for (size_t i = 0; i < model.transfers.size(); ++i)
      hops.emplace_back(model.transfers.source_node[i], model.transfers.target_node[i]);
    return hops;
  }

  starpu_codelet fill_, add_, read_;
};

}  // namespace tasklens::testing
