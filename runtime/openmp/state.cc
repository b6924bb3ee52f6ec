// SPDX-License-Identifier: Apache-2.0
// The instance, the current task, and the end of tasks and regions.
#include "runtime/openmp/state.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>

#include "runtime/core/pausable.h"
#include "runtime/core/runtime.h"
#include "runtime/core/submit.h"
#include "runtime/drivers/sim/simulation.h"
#include "runtime/jobs/codelet.h"
#include "runtime/jobs/thread_state.h"
#include "runtime/support/message.h"
#include "runtime/support/sync.h"

namespace tasklens::runtime::openmp {
namespace {

struct Session {
  Mutex lock;
  int depth GUARDED_BY(lock) = 0;  // number of nested starpu_omp_init() calls
  uint64_t starts GUARDED_BY(lock) = 0;
  std::atomic<State*> state{nullptr};
};
Session& TheSession() {
  // Never destroyed: destructors of the program may use it.
  static Session* const session = new Session;
  return *session;
}

// The initial task of a thread, made on first use.
struct OfThread {
  uint64_t state_number = 0;
  std::unique_ptr<Initial> initial;
};

Initial& InitialOfThisThread(uint64_t state_number, const Environment& environment) {
  // A pointer, as a library loaded by dlopen() has little thread-local storage.
  thread_local std::unique_ptr<OfThread> of_this_thread;
  if (!of_this_thread) of_this_thread = std::make_unique<OfThread>();
  if (of_this_thread->state_number != state_number) {
    of_this_thread->initial = std::make_unique<Initial>(Icvs(environment));
    of_this_thread->state_number = state_number;
  }
  return *of_this_thread->initial;
}

std::vector<int> CpuWorkers(Runtime& runtime) {
  std::vector<int> workers;
  for (const auto& worker : runtime.workers()) {
    if (worker->kind == STARPU_CPU_WORKER && !worker->run_by_program) workers.push_back(worker->id);
  }
  return workers;
}

}  // namespace

// --- The instance ------------------------------------------------------------------------------

State::State()
    : cpu_workers_(CpuWorkers(*Runtime::Instance())),
      start_seconds_(static_cast<double>(NowNs()) * 1e-9),
      number_(++TheSession().starts) {
  environment_ = Environment::Read(static_cast<int>(cpu_workers_.size()));
  Runtime::Instance()->settings.pausable_stack_bytes = environment_.stack_bytes;
  arbiter = starpu_arbiter_create();
}

State* State::Instance() { return TheSession().state.load(std::memory_order_acquire); }

State& State::Get(const char* function) {
  State* const state = Instance();
  if (!state || Runtime::IsOfParent())
    Fatal("%s() was called without a successful starpu_omp_init()", function);
  return *state;
}

int State::Start() {
  Session& session = TheSession();
  MutexLock guard(session.lock);
  if (session.depth > 0) {
    ++session.depth;
    return 0;
  }
  if (Simulation::IsWanted()) {
    Warn("starpu_omp_init(): a simulated machine runs no functions, and OpenMP is made of them");
    return -EINVAL;
  }
  if (const int error = starpu_init(nullptr)) return error;
  if (CpuWorkers(*Runtime::Instance()).empty()) {
    Warn("starpu_omp_init(): OpenMP needs a CPU worker, and there is none");
    starpu_shutdown();
    return -EINVAL;
  }
  session.state.store(new State, std::memory_order_release);
  session.depth = 1;
  return 0;
}

void State::Stop() {
  Session& session = TheSession();
  MutexLock guard(session.lock);
  if (session.depth == 0) {
    Warn("starpu_omp_shutdown() without starpu_omp_init()");
    return;
  }
  if (ThisThread().current) Fatal("starpu_omp_shutdown() was called inside a task");
  if (--session.depth > 0) return;
  State* const state = session.state.exchange(nullptr);
  starpu_arbiter_destroy(state->arbiter);
  starpu_shutdown();
  delete state;
}

Worker& State::first_worker() const { return *Runtime::Instance()->worker(cpu_workers_.front()); }

std::vector<int> State::ChooseWorkers(int first, int threads) {
  std::vector<int> workers{first};
  const auto own = std::find(cpu_workers_.begin(), cpu_workers_.end(), first);
  std::vector<int> others(own, cpu_workers_.end());
  others.insert(others.end(), cpu_workers_.begin(), own);
  MutexLock guard(lock_);
  std::stable_sort(others.begin() + 1, others.end(),
                   [&](int a, int b) NO_THREAD_SAFETY_ANALYSIS {  // holds the lock as well
                     return threads_on_[a] < threads_on_[b];
                   });
  while (static_cast<int>(workers.size()) < threads)
    workers.push_back(others[workers.size() % others.size()]);
  return workers;
}

void State::NoteThreads(const std::vector<int>& workers, bool is_outermost, int change) {
  MutexLock guard(lock_);
  for (size_t i = is_outermost ? 0 : 1; i < workers.size(); ++i) threads_on_[workers[i]] += change;
}

Lock& State::Critical(const char* name) {
  if (!name) return unnamed_critical;
  MutexLock guard(lock_);
  std::unique_ptr<Lock>& critical = criticals_[name];
  if (!critical) critical = std::make_unique<Lock>();
  return *critical;
}

// --- Whose task is running ---------------------------------------------------------------------

Task& State::Current() {
  const Job* const job = ThisThread().current;
  if (job && job->on_end == &OnEnd) return *static_cast<Task*>(job->control)->innermost;
  return InitialOfThisThread(number_, environment_).task;
}

Task& State::CurrentOfTeam(const char* function) {
  Task& task = Current();
  if (task.kind == Task::Kind::kExplicit || task.kind == Task::Kind::kIncluded)
    Fatal("%s() was called in an explicit task: it is for the threads of a region", function);
  return task;
}

int State::ThreadOf(const Task& task) const {
  if (task.kind == Task::Kind::kImplicit) return task.rank;
  const Worker* const worker = ThisThread().worker;
  return worker ? std::max(task.region->ThreadOn(worker->id), 0) : 0;
}

int Region::ThreadOn(int worker) const {
  const auto found = std::find(workers.begin(), workers.end(), worker);
  return found == workers.end() ? -1 : static_cast<int>(found - workers.begin());
}

int Contention::Reserve(int wanted, int limit) {
  int before = threads.load();
  int team;
  do {
    team = std::clamp(wanted, 1, std::max(limit - before + 1, 1));
  } while (!threads.compare_exchange_weak(before, before + team - 1));
  return team;
}

// --- Life of a task ----------------------------------------------------------------------------

Task::Task(Kind kind, Region* region, Task* parent, const Icvs& icvs)
    : kind(kind), region(region), parent(parent), icvs(icvs) {
  if (parent) Hold(*parent);
}

Task::~Task() {
  if (codelet) State::Instance()->codelets.GiveBack(codelet);
  if (parent) LetGo(*parent);
}

void Hold(Task& task) { task.holders.fetch_add(1, std::memory_order_relaxed); }

void LetGo(Task& task) {
  if (task.holders.fetch_sub(1, std::memory_order_acq_rel) == 1) delete &task;
}

Job* MakeJob(Task& task, void* argument, size_t argument_bytes, starpu_data_handle_t* handles,
             const char* name) {
  starpu_task* const made = starpu_task_create();
  starpu_codelet& codelet = task.codelet->codelet;
  made->cl = &codelet;
  made->cl_arg = argument;
  made->cl_arg_size = argument_bytes;
  if (std::string_view(runtime::NameOf(*made)) == "unknown") made->name = name;
  const int count = std::max(codelet.nbuffers, 0);
  starpu_data_handle_t* own = made->handles;
  if (count > STARPU_NMAXBUFS) {
    own = static_cast<starpu_data_handle_t*>(malloc(sizeof(*own) * static_cast<size_t>(count)));
    if (!own) Fatal("no memory for the %d handles of task '%s'", count, runtime::NameOf(*made));
    made->dyn_handles = own;
  }
  std::copy_n(handles, count, own);
  Job* const job = JobOf(made);
  job->pausable = true;
  job->on_end = &OnEnd;
  job->control = &task;
  return job;
}

void Submit(Job* job, const Site& site, const char* function) {
  if (SubmitTask(job->task, site) != 0)
    Fatal("%s(): its task cannot run, for the reason above", function);
}

void RunFunction(void** buffers, void* argument) {
  const Job* const job = ThisThread().current;
  Task& task = *static_cast<Task*>(job->control);
  task.codelet->functions[job->implementation](buffers, argument);
  task.handles.End();
  // Let policies hand out the tasks that this one made now, not only when some task waits.
  Runtime::Instance()->DoSchedule();
}

void OnEnd(Job* job) {
  Task& task = *static_cast<Task*>(job->control);
  Region& region = *task.region;
  const Task::Kind kind = task.kind;
  Waiter* const until_ended = task.until_ended;
  if (kind == Task::Kind::kExplicit) {
    if (TaskGroup* const group = task.born_in) {
      Waiter* waiter = nullptr;
      {
        MutexLock guard(group->leader->lock);
        if (--group->tasks == 0) waiter = std::exchange(group->waiter, nullptr);
      }
      if (waiter) waiter->Wake();
    }
    Waiter* waiter = nullptr;
    {
      MutexLock guard(task.parent->lock);
      if (--task.parent->children == 0)
        waiter = std::exchange(task.parent->until_children, nullptr);
    }
    if (waiter) waiter->Wake();
  }
  LetGo(task);
  if (until_ended) until_ended->Wake();
  region.Ended(kind);
}

void Region::Ended(Task::Kind kind) {
  WaitList passing;
  Waiter* ended = nullptr;
  {
    MutexLock guard(lock);
    if (kind == Task::Kind::kExplicit && --explicit_tasks == 0 && MayPassBarrier()) {
      arrived = 0;
      passing = at_barrier.TakeAll();
    }
    if (--tasks == 0) ended = std::exchange(until_ended, nullptr);
  }
  passing.WakeAll();
  if (ended) ended->Wake();
}

}  // namespace tasklens::runtime::openmp
