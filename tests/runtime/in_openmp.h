// SPDX-License-Identifier: Apache-2.0
// OpenMP for the time of a block, and its regions and tasks of lambdas.
#pragma once

#include <gtest/gtest.h>
#include <starpu.h>

#include <cstdlib>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace tasklens {

class OpenMp {
 public:
  using Variables = std::vector<std::pair<const char*, const char*>>;
  // `variables`: of the environment, for as long as the block.
  explicit OpenMp(int workers, const char* policy = "lws", Variables variables = {})
      : variables_(std::move(variables)) {
    ncpu_ = std::to_string(workers);
    variables_.push_back({"STARPU_NCPU", ncpu_.c_str()});
    variables_.push_back({"STARPU_SCHED", policy});
    for (const auto& [name, value] : variables_) setenv(name, value, 1);
    const int error = starpu_omp_init();
    if (error != 0) ADD_FAILURE() << "starpu_omp_init() returned " << error;
  }
  ~OpenMp() {
    starpu_omp_shutdown();
    for (const auto& [name, value] : variables_) unsetenv(name);
  }
  OpenMp(const OpenMp&) = delete;
  OpenMp& operator=(const OpenMp&) = delete;

 private:
  Variables variables_;
  std::string ncpu_;
};

// A region of so many threads, 0: as many as there would be.
template <class F>
void Parallel(int threads, const F& function, bool if_clause = true) {
  starpu_omp_parallel_region_attr attr = {};
  attr.cl.cpu_funcs[0] = [](void**, void* argument) { (*static_cast<const F*>(argument))(); };
  attr.cl.where = STARPU_CPU;
  attr.cl_arg = const_cast<void*>(static_cast<const void*>(&function));
  attr.if_clause = if_clause;
  attr.num_threads = threads;
  starpu_omp_parallel_region(&attr);
}

struct TaskClauses {
  bool if_clause = true, is_final = false, is_mergeable = false;
  std::vector<std::pair<starpu_data_handle_t, starpu_data_access_mode>> data = {};
  const char* name = nullptr;
};

inline void MakeTask(std::function<void()> function, const TaskClauses& clauses = {}) {
  starpu_omp_task_region_attr attr = {};
  attr.cl.cpu_funcs[0] = [](void**, void* argument) {
    auto* const function = static_cast<std::function<void()>*>(argument);
    (*function)();
    delete function;
  };
  attr.cl.where = STARPU_CPU;
  attr.cl.name = clauses.name;
  std::vector<starpu_data_handle_t> handles;
  for (const auto& [handle, mode] : clauses.data) {
    attr.cl.modes[handles.size()] = mode;
    handles.push_back(handle);
  }
  attr.cl.nbuffers = static_cast<int>(handles.size());
  attr.handles = handles.data();
  attr.cl_arg = new std::function<void()>(std::move(function));
  attr.if_clause = clauses.if_clause;
  attr.final_clause = clauses.is_final;
  attr.mergeable_clause = clauses.is_mergeable;
  starpu_omp_task_region(&attr);
}

}  // namespace tasklens
