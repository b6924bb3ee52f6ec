// SPDX-License-Identifier: Apache-2.0
// Caches the codelets of regions. A program passes a new description for each region, often on its
// stack, but nearly always with the same contents. So equal descriptions share one codelet, with
// our function in place of the program's.
//
// All functions may be called from any thread.
#pragma once

#include <starpu.h>

#include <array>
#include <memory>
#include <string>
#include <unordered_map>

#include "runtime/support/sync.h"

namespace tasklens::runtime::openmp {

// A copy of the program's codelet. Different are only cpu_funcs, the type (one worker runs it), and
// can_execute if only some workers belong to the team.
struct Codelet {
  starpu_codelet codelet;
  std::array<starpu_cpu_func_t, STARPU_MAXIMPLEMENTATIONS> functions;  // those of the program
  int (*can_execute)(unsigned worker, starpu_task* task, unsigned implementation) = nullptr;

 private:
  friend class Codelets;
  size_t users = 0;
};

class Codelets {
 public:
  // Returns the shared codelet for `described`, valid until GiveBack(). `body` replaces each CPU
  // function, `can_execute` the program's can_execute (nullptr: keeps that).
  Codelet* Take(const starpu_codelet& described, starpu_cpu_func_t body,
                int (*can_execute)(unsigned, starpu_task*, unsigned));
  void GiveBack(Codelet* codelet);

 private:
  // From this number of codelets on, unused ones are deleted: a program may describe ever new ones.
  static constexpr size_t kMany = 256;

  Mutex lock_;  // guards codelets_
  std::unordered_map<std::string, std::unique_ptr<Codelet>> codelets_ GUARDED_BY(lock_);
};

}  // namespace tasklens::runtime::openmp
