// SPDX-License-Identifier: Apache-2.0
// A program that was measured takes as long when it is simulated.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/runtime/started.h"

namespace tasklens {
namespace {

// A Cholesky factorisation of 6 x 6 tiles whose kernels take their time, and compute nothing.
class Factorisation {
 public:
  static constexpr size_t kTiles = 6;
  // With two CPU workers under dmdas; microseconds.
  double Run() {
    Started started(2, "dmdas");
    std::vector<starpu_data_handle_t> tiles(kTiles * kTiles);
    for (starpu_data_handle_t& tile : tiles)
      starpu_vector_data_register(&tile, -1, 0, 100, sizeof(float));
    const auto at = [&](size_t row, size_t column) { return tiles[row * kTiles + column]; };
    const double start_us = starpu_timing_now();
    const auto submit = [&](Kernel& kernel, std::vector<starpu_data_handle_t> handles) {
      starpu_task* task = starpu_task_create();
      task->cl = &kernel.codelet;
      for (size_t i = 0; i < handles.size(); ++i) task->handles[i] = handles[i];
      EXPECT_EQ(0, starpu_task_submit(task));
    };
    for (size_t i = 0; i < kTiles; ++i)
      for (size_t j = 0; j <= i; ++j) submit(fill_, {at(i, j)});
    for (size_t k = 0; k < kTiles; ++k) {
      submit(potrf_, {at(k, k)});
      for (size_t i = k + 1; i < kTiles; ++i) submit(trsm_, {at(k, k), at(i, k)});
      for (size_t i = k + 1; i < kTiles; ++i) {
        submit(syrk_, {at(i, k), at(i, i)});
        for (size_t j = k + 1; j < i; ++j) submit(gemm_, {at(i, k), at(j, k), at(i, j)});
      }
    }
    starpu_task_wait_for_all();
    const double length_us = starpu_timing_now() - start_us;
    for (starpu_data_handle_t tile : tiles) starpu_data_unregister(tile);
    return length_us;
  }

 private:
  struct Kernel {
    Kernel(const char* symbol, starpu_cpu_func_t function,
           std::vector<starpu_data_access_mode> modes) {
      model.type = STARPU_HISTORY_BASED;
      model.symbol = symbol;
      codelet.cpu_funcs[0] = function;
      codelet.nbuffers = static_cast<int>(modes.size());
      for (size_t i = 0; i < modes.size(); ++i) codelet.modes[i] = modes[i];
      codelet.model = &model;
    }
    starpu_perfmodel model = {};
    starpu_codelet codelet = {};
  };
  template <int kMilliseconds>
  static void Take(void**, void*) {
    starpu_usleep(kMilliseconds * 1000);
  }
  Kernel fill_{"simulated_fill", Take<5>, {STARPU_W}};
  Kernel potrf_{"simulated_potrf", Take<10>, {STARPU_RW}};
  Kernel trsm_{"simulated_trsm", Take<20>, {STARPU_R, STARPU_RW}};
  Kernel syrk_{"simulated_syrk", Take<20>, {STARPU_R, STARPU_RW}};
  Kernel gemm_{"simulated_gemm", Take<40>, {STARPU_R, STARPU_R, STARPU_RW}};
};

// How much longer a simulated run is than the real one that was measured, as a part of it.
double Difference(const std::string& folder) {
  setenv("STARPU_PERF_MODEL_DIR", folder.c_str(), 1);
  Factorisation program;
  setenv("STARPU_CALIBRATE", "1", 1);
  (void)program.Run();  // which knows nothing of its tasks yet
  const double real_us = program.Run();
  unsetenv("STARPU_CALIBRATE");
  setenv("STARPU_NSIM_CUDA", "0", 1);
  const double simulated_us = program.Run();
  unsetenv("STARPU_NSIM_CUDA");
  const double difference = simulated_us / real_us - 1;
  printf("real %.1f ms, simulated %.1f ms: %+.2f %%\n", real_us / 1e3, simulated_us / 1e3,
         difference * 100);
  return difference;
}

// Other programs may keep tasks waiting for a processor, each for another time, which no model
// knows: such a run is made again.
TEST(SimulatedRun, EndsWithinFivePerCentOfTheRealTime) {
  const std::string folder = ::testing::TempDir() + "/simulated_run";
  std::filesystem::remove_all(folder);
  setenv("STARPU_HOSTNAME", "measured", 1);
  setenv("STARPU_CALIBRATE_MINIMUM", "3", 1);
  // On a busy machine tasks of one kind take any time: none is an outlier.
  setenv("STARPU_HISTORY_MAX_ERROR", "100000000", 1);
  constexpr int kTries = 10;
  double difference = 1;
  for (int i = 0; i < kTries && std::abs(difference) > 0.05; ++i)
    difference = Difference(folder + "/" + std::to_string(i));
  EXPECT_NEAR(0, difference, 0.05);
}

}  // namespace
}  // namespace tasklens
