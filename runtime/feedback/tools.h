// SPDX-License-Identifier: Apache-2.0
// Tools: the libraries of STARPU_PROF_TOOL, and the callbacks that they registered for events.
#pragma once

#include <starpu_profiling_tool.h>

#include <array>
#include <atomic>
#include <vector>

namespace tasklens::runtime {

class Tools {
 public:
  // Loads the libraries that the environment names; prints a warning for each that cannot be used.
  // The libraries get `add` and `remove`, which register callbacks with Loading() if that is not
  // nullptr, else with the instance of the run.
  Tools(starpu_prof_tool_entry_register_func add, starpu_prof_tool_entry_register_func remove);
  // Returns the instance whose libraries this thread is loading, or nullptr.
  static Tools* Loading();
  ~Tools();
  Tools(const Tools&) = delete;
  Tools& operator=(const Tools&) = delete;

  bool Wants(starpu_prof_tool_event event) const {
    return callbacks_[event].load(std::memory_order_acquire) != nullptr;
  }
  // Completes `info` and calls the event's callback, if there is one.
  void Tell(starpu_prof_tool_event event, starpu_prof_tool_info info) const;

  // Invalid events are ignored.
  void Register(starpu_prof_tool_event event, starpu_prof_tool_cb_func callback);
  void Unregister(starpu_prof_tool_event event, starpu_prof_tool_cb_func callback);

 private:
  static constexpr size_t kEvents = starpu_prof_tool_event_user_end + 1;
  std::array<std::atomic<starpu_prof_tool_cb_func>, kEvents> callbacks_{};
  std::vector<void*> libraries_;
};

// Returns the information common to all events of a worker's thread.
starpu_prof_tool_info OfWorker(int worker);

// Reports the start of a task's function on construction and its end on destruction.
class ToolCall {
 public:
  ToolCall(const Tools& tools, int worker, starpu_cpu_func_t function, const starpu_task* task)
      : tools_(tools), worker_(worker), function_(function), task_(task) {
    if (tools_.Wants(starpu_prof_tool_event_start_cpu_exec)) {
      Tell(starpu_prof_tool_event_start_cpu_exec);
    }
  }
  ~ToolCall() {
    if (tools_.Wants(starpu_prof_tool_event_end_cpu_exec)) {
      Tell(starpu_prof_tool_event_end_cpu_exec);
    }
  }
  ToolCall(const ToolCall&) = delete;
  ToolCall& operator=(const ToolCall&) = delete;

 private:
  void Tell(starpu_prof_tool_event event) const;
  const Tools& tools_;
  const int worker_;
  const starpu_cpu_func_t function_;
  const starpu_task* const task_;
};

}  // namespace tasklens::runtime
