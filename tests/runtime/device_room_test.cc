// SPDX-License-Identifier: Apache-2.0
// Tasks whose data do not fit their device: what leaves goes ahead, beside the tasks, so that
// nobody waits for it who need not.
#include <string>
#include <vector>

#include "tests/runtime/simulated_devices.h"

namespace tasklens {
namespace {

class DeviceRoomTest : public testing::SimulatedDevices {
 protected:
  static constexpr size_t kHandles = 24, kBytes = 1 << 20;

  // The time of tasks that each read two of the data and change a third, with room for so many.
  double RunUs(unsigned room, const char* policy) {
    setenv("STARPU_LIMIT_CUDA_MEM", std::to_string(room).c_str(), 1);
    starpu_conf conf;
    starpu_conf_init(&conf);
    conf.sched_policy_name = policy;
    conf.ncpus = 0;
    EXPECT_EQ(0, starpu_init(&conf));
    starpu_codelet codelet =
        Codelet(nullptr, [](void**, void*) {}, {STARPU_R, STARPU_R, STARPU_RW});
    codelet.model = &model_;
    std::vector<starpu_data_handle_t> handles(kHandles);
    for (starpu_data_handle_t& handle : handles) {
      starpu_vector_data_register(&handle, -1, 0, kBytes, 1);
      EXPECT_EQ(0, starpu_data_acquire(handle, STARPU_W));
      starpu_data_release(handle);
    }
    const double before_us = starpu_timing_now();
    for (size_t i = 0; i < kHandles; ++i) {
      for (size_t j = 0; j < kHandles; ++j) {
        const size_t changed = (i * 7 + j * 3) % kHandles;
        if (i == j || changed == i || changed == j) continue;
        Run(codelet, {handles[i], handles[j], handles[changed]}, 0);
      }
    }
    starpu_task_wait_for_all();
    const double us = starpu_timing_now() - before_us;
    for (starpu_data_handle_t handle : handles) starpu_data_unregister(handle);
    starpu_shutdown();
    return us;
  }
};

TEST_F(DeviceRoomTest, MoreRoomIsNeverSlower) {
  Devices(1);
  Buses(1, 10, 3000);
  model_.cost_function = [](starpu_task*, unsigned) { return 100.; };
  for (const char* policy : {"lws", "eager", "dmda", "dmdar"}) {
    double with_less_us = RunUs(3, policy);
    for (const unsigned room : {4u, 5u, 6u, 8u, 12u, 16u, 24u}) {
      const double us = RunUs(room, policy);
      EXPECT_LE(us, with_less_us) << policy << ", room for " << room;
      with_less_us = us;
    }
  }
}

}  // namespace
}  // namespace tasklens
