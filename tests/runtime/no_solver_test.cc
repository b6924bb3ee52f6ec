// SPDX-License-Identifier: Apache-2.0
// The bound on a machine without Cbc, which is asked for when a program is to be solved.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "tests/runtime/started.h"

// Before that of the system: Cbc is not installed.
extern "C" void* dlopen(const char* name, int flags) {
  static const auto real =
      reinterpret_cast<void* (*)(const char*, int)>(dlsym(RTLD_NEXT, "dlopen"));
  return real(name && std::string(name).find("Cbc") != std::string::npos ? "libnone.so" : name,
              flags);
}

namespace tasklens {
namespace {

std::string Printed(void (*print)(FILE*)) {
  char* text = nullptr;
  size_t size = 0;
  FILE* const file = open_memstream(&text, &size);
  print(file);
  fclose(file);
  const std::string printed(text, size);
  free(text);
  return printed;
}

TEST(BoundWithoutASolver, SaysWhatIsMissingAndStillWritesItsProgram) {
  starpu_perfmodel model = {};
  model.type = STARPU_COMMON;
  model.cost_function = [](starpu_task*, unsigned) { return 1000.0; };
  starpu_codelet codelet = {};
  codelet.cpu_funcs[0] = [](void**, void*) {};
  codelet.model = &model;
  codelet.name = "bound";
  Started started(1);
  starpu_bound_start(0, 0);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(0, starpu_task_insert(&codelet, 0));
  starpu_task_wait_for_all();
  starpu_bound_stop();
  const auto missing = [](const char* function) {
    return "tasklens: " + std::string(function) +
           "(): libCbcSolver.so.3 cannot be loaded: apt-get install coinor-libcbc3 "
           "(libnone.so: cannot open shared object file: No such file or directory)\n";
  };
  double relaxed = -1, whole = -1;
  ::testing::internal::CaptureStderr();
  starpu_bound_compute(&relaxed, nullptr, 0);
  EXPECT_EQ(missing("starpu_bound_compute"), ::testing::internal::GetCapturedStderr());
  EXPECT_EQ(0, relaxed) << "no schedule is shorter than that";
  ::testing::internal::CaptureStderr();
  starpu_bound_compute(nullptr, &whole, 1);
  EXPECT_EQ(missing("starpu_bound_compute"), ::testing::internal::GetCapturedStderr());
  EXPECT_EQ(0, whole);
  ::testing::internal::CaptureStderr();
  EXPECT_EQ("", Printed([](FILE* file) { starpu_bound_print(file, 0); }));
  EXPECT_EQ(missing("starpu_bound_print"), ::testing::internal::GetCapturedStderr());
  EXPECT_NE(std::string::npos, Printed(starpu_bound_print_lp).find("min: tmax"));
  EXPECT_NE(std::string::npos, Printed(starpu_bound_print_mps).find("ROWS"));
}

}  // namespace
}  // namespace tasklens
