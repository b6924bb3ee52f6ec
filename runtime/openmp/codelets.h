// SPDX-License-Identifier: Apache-2.0
// The codelets of regions. A program describes each region anew, often in a struct on its stack;
// what it says is nearly always the same, so that it is kept once, with our function in the place
// of the program's.
//
// Threads: any.
#pragma once

#include <starpu.h>

#include <array>
#include <memory>
#include <string>
#include <unordered_map>

#include "runtime/support/sync.h"

namespace tasklens::runtime::openmp {

// As the program gave it, but for cpu_funcs, for its type (one worker runs it), and for can_execute
// where only some workers are the team's.
struct Codelet {
  starpu_codelet codelet;
  std::array<starpu_cpu_func_t, STARPU_MAXIMPLEMENTATIONS> functions;  // the program's
  int (*can_execute)(unsigned worker, starpu_task* task, unsigned implementation) = nullptr;

 private:
  friend class Codelets;
  size_t users = 0;
};

class Codelets {
 public:
  // `body`: called instead of each of the program's functions for CPUs; `can_execute`: called
  // instead of its own, nullptr leaves that. The caller uses it until GiveBack().
  Codelet* Take(const starpu_codelet& described, starpu_cpu_func_t body,
                int (*can_execute)(unsigned, starpu_task*, unsigned));
  void GiveBack(Codelet* codelet);

 private:
  // Of a program that describes ever new ones, those that nobody uses go from this number on.
  static constexpr size_t kMany = 256;

  Mutex lock_;  // guards what follows
  std::unordered_map<std::string, std::unique_ptr<Codelet>> codelets_ GUARDED_BY(lock_);
};

}  // namespace tasklens::runtime::openmp
