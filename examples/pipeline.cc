// SPDX-License-Identifier: Apache-2.0
// C++: a pipeline of three stages over many items, each item's stages ordered by its data alone,
// with iterations in the trace and a callback as a lambda.
#include <starpu.h>

#include <atomic>
#include <cstdio>
#include <vector>

namespace {

int& Value(void* buffer) { return *reinterpret_cast<int*>(STARPU_VARIABLE_GET_PTR(buffer)); }

starpu_codelet Stage(const char* name, starpu_cpu_func_t function) {
  starpu_codelet codelet{};
  codelet.name = name;
  codelet.cpu_funcs[0] = function;
  codelet.nbuffers = 1;
  codelet.modes[0] = STARPU_RW;
  return codelet;
}

std::atomic<int> finished{0};

}  // namespace

int main() {
  if (starpu_init(nullptr) != 0) return 77;
  starpu_codelet stages[] = {
      Stage("read", [](void* buffers[], void*) { Value(buffers[0]) += 1; }),
      Stage("square", [](void* buffers[], void*) { Value(buffers[0]) *= Value(buffers[0]); }),
      Stage("write", [](void* buffers[], void*) { Value(buffers[0]) -= 1; }),
  };
  std::vector<int> items(100);
  std::vector<starpu_data_handle_t> handles(items.size());
  for (size_t i = 0; i < items.size(); ++i) {
    items[i] = static_cast<int>(i);
    starpu_variable_data_register(&handles[i], STARPU_MAIN_RAM,
                                  reinterpret_cast<uintptr_t>(&items[i]), sizeof(int));
    starpu_iteration_push(i);
    for (starpu_codelet& stage : stages) {
      starpu_task* task = starpu_task_build(&stage, STARPU_RW, handles[i], 0);
      if (&stage == &stages[2]) task->callback_func = [](void*) { ++finished; };
      if (starpu_task_submit(task) != 0) return 1;
    }
    starpu_iteration_pop();
  }
  starpu_task_wait_for_all();
  for (starpu_data_handle_t handle : handles) starpu_data_unregister(handle);
  starpu_shutdown();
  std::printf("%d items, the last is %d\n", finished.load(), items.back());
  return 0;
}
