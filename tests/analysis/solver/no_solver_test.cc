// SPDX-License-Identifier: Apache-2.0
// Bounds on a machine without Clp, which is asked for when there is something to choose.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <string>

#include "analysis/bounds.h"
#include "analysis/solver/linear_program.h"
#include "tests/testing/test_trace.h"

// Before that of the system: Clp is not installed.
extern "C" void* dlopen(const char* name, int flags) {
  static const auto real =
      reinterpret_cast<void* (*)(const char*, int)>(dlsym(RTLD_NEXT, "dlopen"));
  return real(name && std::string(name).find("Clp") != std::string::npos ? "libnone.so" : name,
              flags);
}

namespace tasklens {
namespace {

using testing::TestTrace;

// A task on each worker: the first a CPU, the second a CPU or a GPU.
TraceModel TwoWorkers(WorkerArch second) {
  TestTrace trace;
  for (const uint32_t w : {0, 1}) {
    trace.Event(0, EventKind::kWorkerNew,
                {w, w == 0 ? WorkerArch::kCpu : second, static_cast<int>(w), 0, static_cast<int>(w),
                 1, "w" + std::to_string(w)},
                1000 + w);
    trace.Event(0, EventKind::kWorkerReady, {w}, 1000 + w);
  }
  trace.Task("a", 0, 8).Task("a", 0, 2, {.worker = 1});
  return trace.Build();
}

TEST(WithoutASolver, SaysWhatToInstall) {
  EXPECT_EQ(Solve({.cost = {1}}).status, SolveStatus::kGaveUp);
  EXPECT_EQ(SolverStatus().message(),
            "libClp.so.1 cannot be loaded: apt-get install coinor-libclp1 "
            "(libnone.so: cannot open shared object file: No such file or directory)");
}

TEST(WithoutASolver, ABoundIsGivenUpWhereThereIsAChoiceOfWorkers) {
  const Bounds bounds = ComputeBounds(TwoWorkers(WorkerArch::kCuda));
  ASSERT_EQ(bounds.area.size(), 1u);
  EXPECT_EQ(bounds.area[0].status, BoundStatus::kGaveUp);
  EXPECT_EQ(bounds.critical_path_ns, 2) << "the rest is there";
}

TEST(WithoutASolver, ABoundIsThereWhereThereIsNone) {
  const AreaBound bound = AreaBounds(TwoWorkers(WorkerArch::kCpu))[0];
  EXPECT_EQ(bound.status, BoundStatus::kOptimal);
  EXPECT_DOUBLE_EQ(bound.bound_ns, 5);
}

}  // namespace
}  // namespace tasklens
