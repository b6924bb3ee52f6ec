// SPDX-License-Identifier: Apache-2.0
// starpu_init() to starpu_shutdown(), pause and resume, and the trace around them.
#include <pthread.h>
#include <starpu.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>
#include <vector>

#include "runtime/api/policies.h"
#include "runtime/core/runtime.h"
#include "runtime/core/trace_points.h"
#include "runtime/data/handle_memory.h"
#include "runtime/jobs/job.h"
#include "runtime/jobs/thread_state.h"
#include "runtime/support/environment.h"
#include "runtime/support/message.h"
#include "runtime/support/sync.h"

namespace tasklens::runtime {
namespace {

constexpr int kMagic = 42;

// State that outlives a run: set before starpu_init(), or counted across nested calls.
struct Session {
  Mutex lock;
  int depth GUARDED_BY(lock) = 0;  // number of nested starpu_init() calls
  int trace_id GUARDED_BY(lock) = RankFromEnvironment();
  bool autostart GUARDED_BY(lock) = true;
  std::vector<std::string> traces GUARDED_BY(lock);  // files that this process has recorded into
};
Session& TheSession();

// A child of fork() has one thread and no workers: it behaves as if the runtime had not been
// started, and may start its own. These handlers hold our locks around fork(), so that no other
// thread holds one when the child begins.
void BeforeFork() NO_THREAD_SAFETY_ANALYSIS {
  TheSession().lock.lock();
  LockJobPool();
  LockHandleMemory();
}
void AfterForkInParent() NO_THREAD_SAFETY_ANALYSIS {
  UnlockHandleMemory();
  UnlockJobPool();
  TheSession().lock.unlock();
}
void AfterForkInChild() NO_THREAD_SAFETY_ANALYSIS {
  AfterForkInParent();
  Session& session = TheSession();
  session.traces.clear();
  if (session.depth == 0) return;
  session.depth = 0;
  VirtualTime::Forget();
  Runtime::NoteFork();
  ThreadState& thread = ThisThread();
  thread.worker = nullptr;
  thread.current = nullptr;
}

Session& TheSession() {
  static Session* session = [] {
    pthread_atfork(&BeforeFork, &AfterForkInParent, &AfterForkInChild);
    return new Session;
  }();
  return *session;
}

int CheckConf(const starpu_conf& conf) {
  if (conf.magic != kMagic) {
    Warn("starpu_init(): call starpu_conf_init() on the configuration first");
    return -EINVAL;
  }
  const int of_others[] = {conf.nopencl, conf.nhip,      conf.nmic,    conf.nmax_fpga,
                           conf.nmpi_ms, conf.ntcpip_ms, conf.nmpi_sc, conf.ntcpip_sc};
  if (std::any_of(std::begin(of_others), std::end(of_others), [](int n) { return n > 0; })) {
    Warn("starpu_init(): this runtime has CPU and CUDA workers only; the others are not there");
  }
  return 0;
}

}  // namespace
}  // namespace tasklens::runtime

using namespace tasklens::runtime;  // NOLINT: the definitions below are all of them short

extern "C" {

int starpu_conf_init(starpu_conf* conf) {
  if (!conf) return -EINVAL;
  memset(conf, 0, sizeof(*conf));
  conf->magic = kMagic;
  conf->ncpus = conf->reserve_ncpus = -1;
  conf->ncuda = conf->nhip = conf->nopencl = conf->nmic = conf->nmax_fpga = -1;
  conf->nmpi_ms = conf->ntcpip_ms = conf->nmpi_sc = conf->ntcpip_sc = -1;
  conf->will_use_mpi = -1;
  conf->bus_calibrate = conf->calibrate = conf->single_combined_worker = -1;
  conf->global_sched_ctx_min_priority = conf->global_sched_ctx_max_priority = -1;
  conf->catch_signals = -1;
  conf->driver_spinning_backoff_min = conf->driver_spinning_backoff_max = 0;
  return 0;
}

int starpu_conf_noworker(starpu_conf* conf) {
  if (!conf) return -EINVAL;
  conf->ncpus = conf->ncuda = conf->nhip = conf->nopencl = conf->nmic = conf->nmax_fpga = 0;
  conf->nmpi_ms = conf->ntcpip_ms = conf->nmpi_sc = conf->ntcpip_sc = 0;
  return 0;
}

int starpu_initialize(starpu_conf* user_conf, int*, char***) {
  Session& session = TheSession();
  MutexLock guard(session.lock);
  if (session.depth > 0) {
    ++session.depth;
    return 0;
  }
  starpu_conf conf;
  if (user_conf) {
    conf = *user_conf;
  } else {
    starpu_conf_init(&conf);
  }
  if (const int error = CheckConf(conf)) return error;
  TellOfUnheededVariables();
  if (Simulation::IsWanted()) VirtualTime::Start();
  trace::StartRun(session.trace_id, session.traces, !session.autostart);
  if (const int error = Runtime::Start(conf, ChooseRunPolicy)) {
    trace::StopRun(session.trace_id);
    if (VirtualTime::On()) VirtualTime::Stop();
    return error;
  }
  session.depth = 1;
  const char* policy = Runtime::Instance()->public_policy().policy_name;
  trace::RecordScheduler(policy ? policy : "(no name)");
  return 0;
}

int starpu_init(starpu_conf* conf) { return starpu_initialize(conf, nullptr, nullptr); }

int starpu_is_initialized(void) { return Runtime::Instance() && !Runtime::IsOfParent(); }

void starpu_wait_initialized(void) {
  // The thread in starpu_init() holds the lock until the workers have started.
  while (!Runtime::Instance()) std::this_thread::yield();
  MutexLock guard(TheSession().lock);
}

void starpu_shutdown(void) {
  Session& session = TheSession();
  MutexLock guard(session.lock);
  if (session.depth == 1 && !ThisThread().current) {
    // Tasks may need the lock until they end, for instance to fork.
    guard.unlock();
    Runtime::Instance()->Drain();
    guard.lock();
  }
  if (session.depth == 0) {
    Warn("starpu_shutdown() without starpu_init()");
    return;
  }
  if (ThisThread().current) Fatal("starpu_shutdown() was called inside a task or callback");
  if (--session.depth > 0) return;
  Runtime::Stop();
  trace::StopRun(session.trace_id);
  if (VirtualTime::On()) VirtualTime::Stop();
}

void starpu_pause(void) { Runtime::Get(__func__).Pause(); }
void starpu_resume(void) { Runtime::Get(__func__).Resume(); }
int starpu_is_paused(void) { return Runtime::Get(__func__).pauses().paused(); }

void starpu_profiling_set_id(int id) {
  Session& session = TheSession();
  MutexLock guard(session.lock);
  session.trace_id = id;
}

void starpu_fxt_autostart_profiling(int autostart) {
  Session& session = TheSession();
  MutexLock guard(session.lock);
  session.autostart = autostart != 0;
}
void starpu_fxt_start_profiling(void) {
  if (tasklens::Recorder::Started()) tasklens::Recorder::Resume();
}
void starpu_fxt_stop_profiling(void) {
  if (tasklens::Recorder::Started()) tasklens::Recorder::Pause();
}
int starpu_fxt_is_enabled(void) { return tasklens::Recorder::Started(); }
void starpu_fxt_trace_user_event(unsigned long code) {
  tasklens::Record<tasklens::EventKind::kUserEvent>(code);
}
void starpu_fxt_trace_user_event_string(const char* text) {
  using namespace tasklens;  // NOLINT: the event and its categories
  constexpr uint32_t kCategories =
      CategoryBit(Category::kEvent) | CategoryBit(Category::kEventVerbose);
  RecordIn<EventKind::kMessage>(kCategories, std::string_view(text ? text : ""));
}
void starpu_fxt_trace_user_meta_string(const char* text) {
  using namespace tasklens;  // NOLINT: the event and its category
  RecordIn<EventKind::kMessage>(CategoryBit(Category::kMeta), std::string_view(text ? text : ""));
}

int starpu_asynchronous_copy_disabled(void) { return 0; }
int starpu_asynchronous_cuda_copy_disabled(void) { return 0; }
int starpu_asynchronous_opencl_copy_disabled(void) { return 0; }
int starpu_asynchronous_mic_copy_disabled(void) { return 0; }
int starpu_asynchronous_mpi_ms_copy_disabled(void) { return 0; }

// Libraries of devices that are not supported.
void starpu_hipblas_init(void) {}
void starpu_hipblas_shutdown(void) {}
void starpu_hipsolver_init(void) {}
void starpu_hipsolver_shutdown(void) {}
void starpu_syclblas_init(void) {}
void starpu_syclblas_shutdown(void) {}
void starpu_get_version(int* major, int* minor, int* release) {
  *major = STARPU_MAJOR_VERSION;
  *minor = STARPU_MINOR_VERSION;
  *release = STARPU_RELEASE_VERSION;
}

}  // extern "C"
