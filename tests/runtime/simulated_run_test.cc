// SPDX-License-Identifier: Apache-2.0
// A program that was measured takes as long when it is simulated.
//
// Other programs may hold up the real run. Where they hold up tasks, the models have measured that,
// as each task of this program has a footprint of its own; where they hold up workers between
// tasks, the trace shows it. What the trace says the tasks took, one after the other as they
// depended on each other and on their workers, is the real time without that.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/runtime/recorded.h"

namespace tasklens {
namespace {

// Computes for some milliseconds times `argument`.
void Compute(void**, void* argument) {
  volatile double value = 1;
  for (size_t i = reinterpret_cast<uintptr_t>(argument) * 50'000; i > 0; --i)
    value = value * 1.000001 + 1e-9;
}

// A Cholesky factorisation of 6 x 6 tiles whose kernels compute something else. Each tile is of
// another size, each task is told its worker, and each worker the order of its tasks: how long it
// takes follows from how long each task does.
class Factorisation {
 public:
  static constexpr size_t kTiles = 6;
  static constexpr int kWorkers = 2;

  // Of one run of the program: microseconds, and the jobs of its tasks.
  struct Run {
    double length_us = 0;
    std::vector<uint64_t> jobs;
  };
  Run RunOnce() {
    std::vector<starpu_data_handle_t> tiles(kTiles * kTiles);
    for (size_t i = 0; i < tiles.size(); ++i)
      starpu_vector_data_register(&tiles[i], -1, 0, static_cast<uint32_t>(100 + i), sizeof(float));
    const auto at = [&](size_t row, size_t column) { return tiles[row * kTiles + column]; };
    std::vector<starpu_task*> tasks;
    const double start_us = starpu_timing_now();
    const auto submit = [&](Kernel& kernel, std::vector<starpu_data_handle_t> handles) {
      starpu_task* task = starpu_task_create();
      task->cl = &kernel.codelet;
      task->cl_arg = reinterpret_cast<void*>(kernel.work);
      std::copy(handles.begin(), handles.end(), task->handles);
      task->destroy = 0;
      task->execute_on_a_specific_worker = 1;
      task->workerid = static_cast<unsigned>(tasks.size() % kWorkers);
      task->workerorder = ++submitted_[task->workerid];
      EXPECT_EQ(0, starpu_task_submit(task));
      tasks.push_back(task);
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
    Run run{.length_us = starpu_timing_now() - start_us, .jobs = {}};
    for (starpu_task* task : tasks) {
      run.jobs.push_back(starpu_task_get_job_id(task));
      starpu_task_destroy(task);
    }
    for (starpu_data_handle_t tile : tiles) starpu_data_unregister(tile);
    return run;
  }
  // The runtime was started again.
  void Restart() { std::fill(std::begin(submitted_), std::end(submitted_), 0u); }

 private:
  struct Kernel {
    Kernel(const char* symbol, size_t work, std::vector<starpu_data_access_mode> modes)
        : work(work) {
      model.type = STARPU_HISTORY_BASED;
      model.symbol = symbol;
      codelet.cpu_funcs[0] = Compute;
      codelet.nbuffers = static_cast<int>(modes.size());
      std::copy(modes.begin(), modes.end(), codelet.modes);
      codelet.model = &model;
    }
    size_t work;
    starpu_perfmodel model = {};
    starpu_codelet codelet = {};
  };
  Kernel fill_{"simulated_fill", 5, {STARPU_W}};
  Kernel potrf_{"simulated_potrf", 10, {STARPU_RW}};
  Kernel trsm_{"simulated_trsm", 20, {STARPU_R, STARPU_RW}};
  Kernel syrk_{"simulated_syrk", 20, {STARPU_R, STARPU_RW}};
  Kernel gemm_{"simulated_gemm", 40, {STARPU_R, STARPU_R, STARPU_RW}};
  unsigned submitted_[kWorkers] = {};
};

// The jobs of a trace, each as long as it was, but begun as soon as its worker and all that it
// waited for were ready: until the last has ended, in microseconds.
double RecordedUs(const TraceModel& model, const std::vector<uint64_t>& jobs) {
  std::vector<uint32_t> tasks;
  for (const uint64_t job : jobs) tasks.push_back(model.FindTask(0, job));
  std::sort(tasks.begin(), tasks.end(), [&](uint32_t a, uint32_t b) {
    return model.tasks.start_ns[a] < model.tasks.start_ns[b];
  });
  std::vector<int64_t> end_ns(model.tasks.size(), 0);
  int64_t of_worker_ns[Factorisation::kWorkers] = {}, last_ns = 0;
  for (const uint32_t task : tasks) {
    int64_t& idle_ns = of_worker_ns[model.workers.id[model.tasks.worker[task]]];
    int64_t begin_ns = idle_ns;
    for (const DepEnd& before : model.predecessors[task])
      begin_ns = std::max(begin_ns, end_ns[before.task]);
    end_ns[task] = idle_ns = begin_ns + model.tasks.end_ns[task] - model.tasks.start_ns[task];
    last_ns = std::max(last_ns, idle_ns);
  }
  return static_cast<double>(last_ns) / 1000;
}

TEST(SimulatedRun, EndsWithinFivePerCentOfTheRealTime) {
  const std::string folder = ::testing::TempDir() + "/simulated_run";
  std::filesystem::remove_all(folder);
  setenv("STARPU_PERF_MODEL_DIR", folder.c_str(), 1);
  setenv("STARPU_HOSTNAME", "measured", 1);
  setenv("STARPU_CALIBRATE_MINIMUM", "1", 1);
  Factorisation program;
  setenv("STARPU_CALIBRATE", "1", 1);
  Factorisation::Run real;
  const TraceModel model =
      Recorded({.name = "simulated_run", .workers = Factorisation::kWorkers}, [&] {
        program.RunOnce();  // the first measure of a footprint counts for nothing
        real = program.RunOnce();
      });
  unsetenv("STARPU_CALIBRATE");
  const double recorded_us = RecordedUs(model, real.jobs);
  setenv("STARPU_NSIM_CUDA", "0", 1);
  program.Restart();
  double simulated_us;
  {
    Started started(Factorisation::kWorkers);
    simulated_us = program.RunOnce().length_us;
  }
  unsetenv("STARPU_NSIM_CUDA");
  printf("real %.1f ms, of which workers were held up %.1f ms; simulated %.1f ms: %+.2f %%\n",
         real.length_us / 1e3, (real.length_us - recorded_us) / 1e3, simulated_us / 1e3,
         (simulated_us / recorded_us - 1) * 100);
  EXPECT_NEAR(1, simulated_us / recorded_us, 0.05);
  EXPECT_LT(recorded_us, real.length_us) << "workers are held up by the runtime, too";
}

}  // namespace
}  // namespace tasklens
