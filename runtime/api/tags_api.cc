// SPDX-License-Identifier: Apache-2.0
// starpu_tag_*: tags of tasks, and dependencies between tags.
#include <starpu.h>

#include <cerrno>

#include "runtime/core/runtime.h"
#include "runtime/core/tags.h"
#include "runtime/core/trace_points.h"
#include "runtime/jobs/thread_state.h"
#include "runtime/support/arguments.h"

using namespace tasklens::runtime;  // NOLINT: the definitions below are all of them short

namespace {

Tags& TheTags(const char* function) { return Runtime::Get(function).tags(); }

}  // namespace

extern "C" {

void starpu_tag_declare_deps_array(starpu_tag_t id, unsigned count, starpu_tag_t* deps) {
  TheTags(__func__).DeclareDeps(id, {deps, count});
}

void starpu_tag_declare_deps(starpu_tag_t id, unsigned count, ...) {
  WITH_ARGS_AFTER(count, const auto deps = ReadArgs<starpu_tag_t>(count, args));
  TheTags(__func__).DeclareDeps(id, deps);
}

int starpu_tag_wait_array(unsigned count, starpu_tag_t* tags) {
  Runtime& runtime = Runtime::Get(__func__);
  if (ThisThread().current) return -EDEADLK;
  trace::Waiting waiting(tasklens::StateKind::kWaitingTask);
  runtime.DoSchedule();
  runtime.tags().Wait({tags, count});
  return 0;
}
int starpu_tag_wait(starpu_tag_t tag) { return starpu_tag_wait_array(1, &tag); }

void starpu_tag_restart(starpu_tag_t id) { TheTags(__func__).Restart(id); }
void starpu_tag_clear(void) { TheTags(__func__).Clear(); }
void starpu_tag_remove(starpu_tag_t id) { TheTags(__func__).Remove(id); }
void starpu_tag_notify_from_apps(starpu_tag_t id) { TheTags(__func__).Done(id); }
void starpu_tag_notify_restart_from_apps(starpu_tag_t id) {
  Tags& tags = TheTags(__func__);
  tags.Done(id);
  tags.Restart(id);
}
starpu_task* starpu_tag_get_task(starpu_tag_t id) { return TheTags(__func__).TaskOf(id); }

}  // extern "C"
