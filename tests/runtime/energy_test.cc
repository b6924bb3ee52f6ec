// SPDX-License-Identifier: Apache-2.0
// starpu_energy_start() and _stop(), on this machine's counters and on files that look like them.
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "tests/runtime/started.h"

namespace tasklens {
namespace {

namespace fs = std::filesystem;

void Write(const fs::path& path, const char* text) { std::ofstream(path) << text; }

// Two packages; what is in one of them counts once.
class Energy : public ::testing::Test {
 protected:
  Energy() : folder_(fs::path(::testing::TempDir()) / "powercap") {
    for (const char* package : {"intel-rapl:0", "intel-rapl:1", "intel-rapl:0:0"}) {
      fs::create_directories(folder_ / package);
      Write(folder_ / package / "max_energy_range_uj", "10000000\n");
      Set(package, "1000000\n");
    }
    setenv("TASKLENS_POWERCAP", folder_.c_str(), 1);
    model_.type = STARPU_HISTORY_BASED;
    model_.symbol = "energy_test";
    codelet_.cpu_funcs[0] = [](void**, void*) {};
    codelet_.energy_model = &model_;
    task_ = starpu_task_create();
    task_->cl = &codelet_;
  }
  ~Energy() override {
    starpu_task_destroy(task_);
    unsetenv("TASKLENS_POWERCAP");
    fs::remove_all(folder_);
  }
  void Set(const char* package, const char* microjoules) {
    Write(folder_ / package / "energy_uj", microjoules);
  }
  int Stop(unsigned tasks) {
    return starpu_energy_stop(&model_, task_, 0, tasks, -1, STARPU_CPU_WORKER);
  }

  fs::path folder_;
  Started started_{1};
  starpu_perfmodel model_ = {};
  starpu_codelet codelet_ = {};
  starpu_task* task_;
};

TEST_F(Energy, GoesToTheModelByTheTask) {
  ASSERT_EQ(0, starpu_energy_start(-1, STARPU_CPU_WORKER));
  EXPECT_EQ(-EBUSY, starpu_energy_start(-1, STARPU_CPU_WORKER));
  Set("intel-rapl:0", "7000000\n");    // 6 J
  Set("intel-rapl:1", "500000\n");     // over its end: 9.5 J
  Set("intel-rapl:0:0", "9000000\n");  // part of the first
  ASSERT_EQ(0, Stop(31));
  EXPECT_DOUBLE_EQ(0.5,
                   starpu_task_expected_energy(task_, starpu_worker_get_perf_archtype(0, 0), 0));
  EXPECT_EQ(-EINVAL, Stop(31));

  starpu_task_bundle_t bundle;
  starpu_task_bundle_create(&bundle);
  starpu_task* other = starpu_task_create();
  other->cl = &codelet_;
  for (starpu_task* task : {task_, other}) ASSERT_EQ(0, starpu_task_bundle_insert(bundle, task));
  EXPECT_DOUBLE_EQ(
      1, starpu_task_bundle_expected_energy(bundle, starpu_worker_get_perf_archtype(0, 0), 0));
  for (starpu_task* task : {task_, other}) starpu_task_bundle_remove(bundle, task);
  starpu_task_bundle_close(bundle);
  starpu_task_destroy(other);
}

TEST_F(Energy, CannotBeCountedWithoutCounters) {
  fs::remove_all(folder_);
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(-ENOSYS, starpu_energy_start(-1, STARPU_CPU_WORKER));
  EXPECT_EQ("tasklens: starpu_energy_start(): the processors count no energy: " + folder_.string() +
                " has no intel-rapl:0\n",
            ::testing::internal::GetCapturedStderr());
  EXPECT_EQ(-EINVAL, Stop(1));
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(-ENOSYS, starpu_energy_start(0, STARPU_CUDA_WORKER));
  EXPECT_EQ("tasklens: starpu_energy_start(): only the energy of CPUs is measured\n",
            ::testing::internal::GetCapturedStderr());
}

TEST_F(Energy, OfThisMachineGrows) {
  unsetenv("TASKLENS_POWERCAP");
  if (std::ifstream("/sys/class/powercap/intel-rapl:0/energy_uj").get() == EOF)
    GTEST_SKIP() << "this user can read no /sys/class/powercap/intel-rapl:0/energy_uj";
  ASSERT_EQ(0, starpu_energy_start(-1, STARPU_CPU_WORKER));
  volatile double work = 1;
  for (int i = 0; i < 100'000'000; ++i) work = work * 1.0000001;
  ASSERT_EQ(0, Stop(20));
  EXPECT_GT(starpu_task_expected_energy(task_, starpu_worker_get_perf_archtype(0, 0), 0), 0);
}

}  // namespace
}  // namespace tasklens
