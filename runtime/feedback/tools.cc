// SPDX-License-Identifier: Apache-2.0
#include "runtime/feedback/tools.h"

#include <dlfcn.h>
#include <unistd.h>

#include <cstdlib>
#include <string_view>

#include "runtime/jobs/codelet.h"
#include "runtime/support/message.h"

namespace tasklens::runtime {
namespace {

thread_local Tools* loading = nullptr;

}  // namespace

Tools* Tools::Loading() { return loading; }

Tools::Tools(starpu_prof_tool_entry_register_func add,
             starpu_prof_tool_entry_register_func remove) {
  const char* given = getenv("STARPU_PROF_TOOL");
  std::string_view rest = given ? given : "";
  loading = this;
  while (!rest.empty()) {
    const std::string path(rest.substr(0, rest.find(':')));
    rest.remove_prefix(std::min(rest.size(), path.size() + 1));
    if (path.empty()) continue;
    void* library = dlopen(path.c_str(), RTLD_NOW);
    if (!library) {
      Warn("STARPU_PROF_TOOL: %s", dlerror());
      continue;
    }
    libraries_.push_back(library);
    using Entry = decltype(&starpu_prof_tool_library_register);
    const auto entry = reinterpret_cast<Entry>(dlsym(library, "starpu_prof_tool_library_register"));
    if (!entry) {
      Warn("STARPU_PROF_TOOL: %s has no starpu_prof_tool_library_register()", path.c_str());
      continue;
    }
    entry(add, remove);
  }
  loading = nullptr;
}

Tools::~Tools() {
  for (void* library : libraries_) dlclose(library);
}

namespace {
bool IsEvent(starpu_prof_tool_event event) {
  return event > starpu_prof_tool_event_none && event <= starpu_prof_tool_event_user_end;
}
}  // namespace

void Tools::Register(starpu_prof_tool_event event, starpu_prof_tool_cb_func callback) {
  if (IsEvent(event)) callbacks_[event].store(callback, std::memory_order_release);
}
void Tools::Unregister(starpu_prof_tool_event event, starpu_prof_tool_cb_func callback) {
  if (IsEvent(event)) callbacks_[event].compare_exchange_strong(callback, nullptr);
}

void Tools::Tell(starpu_prof_tool_event event, starpu_prof_tool_info info) const {
  const starpu_prof_tool_cb_func callback = callbacks_[event].load(std::memory_order_acquire);
  if (!callback) return;
  info.event_type = event;
  info.starpu_version[0] = STARPU_MAJOR_VERSION;
  info.starpu_version[1] = STARPU_MINOR_VERSION;
  info.starpu_version[2] = STARPU_RELEASE_VERSION;
  info.thread_id = static_cast<int>(gettid());
  starpu_prof_tool_event_info event_info{.event_type = event};
  starpu_prof_tool_api_info api_info{};
  callback(&info, &event_info, &api_info);
}

starpu_prof_tool_info OfWorker(int worker) {
  starpu_prof_tool_info info{};
  info.worker_id = info.device_number = worker;
  info.driver_type = starpu_prof_tool_driver_cpu;
  return info;
}

void ToolCall::Tell(starpu_prof_tool_event event) const {
  starpu_prof_tool_info info = OfWorker(worker_);
  info.fun_ptr = reinterpret_cast<void*>(function_);
  info.task_name = NameOf(*task_);
  info.model_name = ModelOf(*task_);
  tools_.Tell(event, info);
}

}  // namespace tasklens::runtime
