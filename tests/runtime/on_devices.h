// SPDX-License-Identifier: Apache-2.0
// Tasks and data on devices, real or simulated, for tests. Device -1 is a CPU.
#pragma once

#include <gtest/gtest.h>
#include <starpu.h>

#include <algorithm>
#include <string>
#include <vector>

namespace tasklens::testing {

// A fixture on top of another one.
template <class Fixture>
class OnDevices : public Fixture {
 protected:
  static unsigned WorkerOf(int device) {
    return static_cast<unsigned>(device < 0
                                     ? starpu_worker_get_by_type(STARPU_CPU_WORKER, 0)
                                     : starpu_worker_get_by_devid(STARPU_CUDA_WORKER, device));
  }
  static unsigned Node(int device) { return starpu_worker_get_memory_node(WorkerOf(device)); }
  static void Run(starpu_codelet& codelet, std::vector<starpu_data_handle_t> handles, int device,
                  void* argument = nullptr) {
    starpu_task* task = starpu_task_create();
    task->cl = &codelet;
    task->cl_arg = argument;
    std::copy(handles.begin(), handles.end(), task->handles);
    task->execute_on_a_specific_worker = 1;
    task->workerid = WorkerOf(device);
    EXPECT_EQ(0, starpu_task_submit(task));
  }
  static starpu_codelet Codelet(starpu_cpu_func_t cpu, starpu_cuda_func_t cuda,
                                const std::vector<starpu_data_access_mode>& modes) {
    starpu_codelet codelet = {};
    codelet.cpu_funcs[0] = cpu;
    codelet.cuda_funcs[0] = cuda;
    codelet.nbuffers = static_cast<int>(modes.size());
    std::copy(modes.begin(), modes.end(), codelet.modes);
    return codelet;
  }
  static starpu_data_handle_t Register(std::vector<uint64_t>& values) {
    starpu_data_handle_t handle;
    starpu_vector_data_register(&handle, STARPU_MAIN_RAM,
                                reinterpret_cast<uintptr_t>(values.data()),
                                static_cast<uint32_t>(values.size()), sizeof(uint64_t));
    return handle;
  }
  // Who has a value: the main memory, then devices.
  static std::string Having(starpu_data_handle_t handle) {
    std::string text;
    for (unsigned node = 0; node < starpu_memory_nodes_get_count(); ++node)
      text += starpu_data_is_on_node(handle, node) ? '+' : '-';
    return text;
  }
};

}  // namespace tasklens::testing
