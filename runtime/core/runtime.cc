// SPDX-License-Identifier: Apache-2.0
// Starts and stops the runtime, and schedules jobs.
#include "runtime/core/runtime.h"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstdlib>
#include <ctime>
#include <numeric>
#include <optional>

#include "runtime/core/combinations.h"
#include "runtime/core/data_host.h"
#include "runtime/core/device_failure.h"
#include "runtime/core/eligibility.h"
#include "runtime/core/lifecycle.h"
#include "runtime/core/scheduling_host.h"
#include "runtime/core/summaries.h"
#include "runtime/core/tags.h"
#include "runtime/core/task_times.h"
#include "runtime/core/team.h"
#include "runtime/core/trace_points.h"
#include "runtime/core/worker_loop.h"
#include "runtime/drivers/bus_calibration.h"
#include "runtime/drivers/device/load_cuda.h"
#include "runtime/jobs/codelet.h"
#include "runtime/jobs/thread_state.h"
#include "runtime/perfmodel/models.h"
#include "runtime/support/environment.h"
#include "runtime/support/message.h"

namespace tasklens::runtime {
namespace {

std::atomic<Runtime*> g_runtime{nullptr};
std::atomic<bool> g_of_parent{false};

// The number of CPU workers, beside `device_threads` threads for devices.
int WantedCpus(const starpu_conf& conf, const Topology& topology, const Simulation* simulation,
               int device_threads) {
  auto ncpu = EnvironmentNumber("STARPU_NCPU");
  if (!ncpu) ncpu = EnvironmentNumber("STARPU_NCPUS");
  int wanted = Wanted(conf, ncpu, conf.ncpus);
  const int reserved = Wanted(conf, EnvironmentNumber("STARPU_RESERVE_NCPU"), conf.reserve_ncpus);
  const int available = simulation && simulation->cpus() > 0
                            ? simulation->cpus()
                            : static_cast<int>(topology.units().size());
  if (wanted == -1) {
    // The worker of a device needs a unit of its own.
    wanted = simulation ? available : std::max(0, available - device_threads);
    if (reserved > 0) wanted = std::max(0, wanted - reserved);
  } else if (wanted > available && !simulation) {
    Warn("%d CPU workers on %d processing units: they will share", wanted, available);
  }
  if (wanted > STARPU_NMAXWORKERS) {
    Warn("%d CPU workers are more than the %d that fit: using %d", wanted, STARPU_NMAXWORKERS,
         STARPU_NMAXWORKERS);
    wanted = STARPU_NMAXWORKERS;
  }
  return wanted;
}

// The unit to bind each worker to, by operating system number; -1: not bound.
std::vector<int> Binding(const starpu_conf& conf, const Topology& topology, int workers) {
  std::vector<int> binding(static_cast<size_t>(workers), -1);
  if (EnvironmentNumber("STARPU_WORKERS_NOBIND").value_or(0)) return binding;
  const std::vector<int>& units = topology.units();
  std::vector<unsigned> order;
  const unsigned last = static_cast<unsigned>(units.size()) - 1;
  auto listed = EnvironmentList("STARPU_WORKERS_CPUID", last);
  if (listed && !(conf.precedence_over_environment_variables && conf.use_explicit_workers_bindid)) {
    order = *listed;
  } else if (conf.use_explicit_workers_bindid) {
    order.assign(conf.workers_bindid, conf.workers_bindid + workers);
  }
  for (int i = 0; i < workers; ++i) {
    const size_t index =
        order.empty() ? static_cast<size_t>(i) : order[static_cast<size_t>(i) % order.size()];
    // With more workers than units, binding would keep the system from sharing the units fairly.
    if (order.empty() && static_cast<size_t>(workers) > units.size()) continue;
    binding[static_cast<size_t>(i)] = units[index % units.size()];
  }
  return binding;
}

// The tools to which a tool library registers: those being loaded, or those of the run.
Tools* ToolsNow() {
  if (Tools* loading = Tools::Loading()) return loading;
  Runtime* runtime = Runtime::Instance();
  return runtime ? &runtime->tools() : nullptr;
}
void AddToolCallback(starpu_prof_tool_event event, starpu_prof_tool_cb_func callback,
                     starpu_prof_tool_command) {
  if (Tools* tools = ToolsNow()) tools->Register(event, callback);
}
void RemoveToolCallback(starpu_prof_tool_event event, starpu_prof_tool_cb_func callback,
                        starpu_prof_tool_command) {
  if (Tools* tools = ToolsNow()) tools->Unregister(event, callback);
}

}  // namespace

Runtime::Runtime(Topology topology, const starpu_conf& conf)
    : settings(conf),
      tools_(&AddToolCallback, &RemoveToolCallback),
      memory_stats_(MemoryStats::Wanted() ? std::make_unique<MemoryStats>() : nullptr),
      data_host_(MakeDataHost(*this)),
      residency_({memory, devices_, disks_, memory_stats_.get()}, *data_host_),
      topology_(std::move(topology)) {}

Runtime* Runtime::Instance() { return g_runtime.load(std::memory_order_acquire); }

Runtime& Runtime::Get(const char* function) {
  Runtime* runtime = Instance();
  if (!runtime) Fatal("%s() was called without a successful starpu_init()", function);
  return *runtime;
}

int Runtime::Start(const starpu_conf& conf, ChoosePolicy& choose) {
  std::unique_ptr<Runtime> runtime(new Runtime(Topology::Load(), conf));
  starpu_prof_tool_info told = OfWorker(-1);
  starpu_conf told_conf = conf;
  told.conf = &told_conf;
  runtime->tools_.Tell(starpu_prof_tool_event_init_begin, told);
  if (VirtualTime::On()) runtime->simulation_ = std::make_unique<Simulation>();
  const Simulation* const simulation = runtime->simulation_.get();
  const int wanted_cuda = Wanted(conf, EnvironmentNumber("STARPU_NCUDA"), conf.ncuda);
  if (!simulation && wanted_cuda != 0 && (wanted_cuda > 0 || MayHaveCuda()))
    runtime->accelerators_ = LoadCuda(&FailOnDeviceTask);
  const int calibrate_bus = Knob(conf, "STARPU_BUS_CALIBRATE", conf.bus_calibrate, -1);
  if (const int error = CalibrateBus(calibrate_bus, runtime->topology_.cores(),
                                     runtime->accelerators_.get(), simulation))
    return error;
  const int available_cuda = simulation ? simulation->cuda_devices()
                             : runtime->accelerators_
                                 ? std::min(runtime->accelerators_->count(), STARPU_MAXCUDADEVS)
                                 : 0;
  const CudaWorkers cuda = CudaWorkers::Wanted(conf, wanted_cuda, available_cuda,
                                               runtime->accelerators_.get(), simulation);
  const int cuda_workers = static_cast<int>(cuda.devices.size());
  const int cpus = std::min(WantedCpus(conf, runtime->topology_, simulation, cuda_workers),
                            STARPU_NMAXWORKERS - cuda_workers);
  const int count = cuda_workers + cpus;
  if (count == 0) return -ENODEV;
  runtime->host_ = MakeSchedulingHost(*runtime);
  ChosenPolicy chosen;
  if (const int error = choose(conf, *runtime->host_, count, chosen)) return error;
  runtime->policy_context_.policy = chosen.face;
  runtime->policy_ = std::move(chosen.policy);
  runtime->program_policy_ = dynamic_cast<ProgramPolicy*>(runtime->policy_.get());
  runtime->TakeSettings(conf, count);

  runtime->MakeWorkers(conf, cpus, cuda);
  if (chosen.runs_parallel_tasks) runtime->CombineAll();
  runtime->tools_.Tell(starpu_prof_tool_event_init, told);
  g_of_parent = false;
  BeginModels(Knob(conf, "STARPU_CALIBRATE", conf.calibrate, 0));
  g_runtime.store(runtime.get(), std::memory_order_release);
  runtime->policy_->Begin(0);
  runtime->policy_->AddWorkers(runtime->policy_context_.workers.ids());
  runtime->StartWorkers();
  runtime->disks_.RegisterFromEnvironment();
  runtime->watchdog_ = Watchdog::FromEnvironment(*runtime);
  runtime->tools_.Tell(starpu_prof_tool_event_init_end, told);
  (void)runtime.release();
  return 0;
}

void Runtime::TakeSettings(const starpu_conf& conf, int count) {
  if (!simulation_)
    hardware_counters_ = HardwareCounters::FromEnvironment(static_cast<size_t>(count));
  contexts_ = std::make_unique<Contexts>(count);
  sleepers_ = std::make_unique<Sleepers>(workers_, count);
  for (int i = 0; i < count; ++i) policy_context_.workers.Add(i);
  hooks_.falls_asleep = conf.callback_worker_going_to_sleep;
  hooks_.wakes_up = conf.callback_worker_waking_up;
  policy_context_.callback =
      conf.sched_policy_callback ? conf.sched_policy_callback : conf.sched_policy_init;
  perf_counters_ = std::make_unique<PerfCounters>(static_cast<size_t>(count));
  if (conf.start_perf_counter_collection) perf_counters_->Start();
  tags_ = std::make_unique<Tags>();
  if (task_breaks_.any()) settings.profiling = true;
  const auto least = EnvironmentNumber("STARPU_MIN_PRIO", -(1 << 30));
  const auto most = EnvironmentNumber("STARPU_MAX_PRIO", -(1 << 30));
  policy_context_.min_priority = least.value_or(-5);
  policy_context_.max_priority = most.value_or(5);
  policy_context_.min_priority_is_set = least.has_value();
  policy_context_.max_priority_is_set = most.has_value();
  for (const char* name :
       {"STARPU_LIMIT_CPU_MEM", "STARPU_LIMIT_CPU_NUMA_MEM", "STARPU_LIMIT_CPU_NUMA_0_MEM"})
    if (const auto mebibytes = EnvironmentNumber(name))
      memory.SetLimit(static_cast<size_t>(*mebibytes) << 20);
}

void Runtime::StartWorkers() {
  std::atomic<int> ready{0};
  int launched = 0;
  for (auto& worker : workers_) {
    if (worker->run_by_program) continue;
    ++launched;
    VirtualTime::Thread* const turn = simulation_ ? VirtualTime::Announce() : nullptr;
    worker->thread = std::thread([&ready, turn, this, w = worker.get()] {
      if (turn) VirtualTime::Enter(turn);
      WorkerLoop loop(*this, *w);
      loop.Begin();
      ready.fetch_add(1, std::memory_order_release);
      loop.RunUntilStopped();
      loop.End();
      if (turn) VirtualTime::Leave();
    });
  }
  while (ready.load(std::memory_order_acquire) < launched) LetOthersRun();
}

// CUDA workers come first, as in StarPU.
void Runtime::MakeWorkers(const starpu_conf& conf, int cpus, const CudaWorkers& cuda) {
  const int cuda_workers = static_cast<int>(cuda.devices.size());
  const int count = cuda_workers + cpus;
  const std::vector<int> binding = simulation_ ? std::vector<int>(static_cast<size_t>(count), -1)
                                               : Binding(conf, topology_, count);
  const std::vector<int>& units = topology_.units();
  workers_.reserve(static_cast<size_t>(count));
  for (int i = 0; i < count; ++i) {
    auto worker = std::make_unique<Worker>();
    worker->id = i;
    const bool is_cuda = i < cuda_workers;
    worker->kind = is_cuda ? STARPU_CUDA_WORKER : STARPU_CPU_WORKER;
    worker->device = is_cuda ? cuda.devices[static_cast<size_t>(i)] : i - cuda_workers;
    worker->arch = is_cuda ? CudaArch(worker->device) : CpuWorkerArch(worker->device);
    worker->os_cpu = binding[static_cast<size_t>(i)];
    const auto unit = std::find(units.begin(), units.end(), worker->os_cpu);
    worker->cpu = unit == units.end() ? -1 : static_cast<int>(unit - units.begin());
    kinds_ |= WhereBit(worker->kind);
    if (worker->cpu >= 0) workers_on_[worker->cpu].push_back(i);
    if (settings.profiling) worker->activity.TurnOn();
    if (is_cuda) {
      // Workers of one device share its memory node.
      const Worker* const before = WorkerOf(worker->kind, worker->device);
      const auto stream = std::count_if(workers_.begin(), workers_.end(), [&](const auto& other) {
        return other->kind == worker->kind && other->device == worker->device;
      });
      worker->node = before        ? before->node
                     : simulation_ ? simulation_->AddMemory(devices_, worker->device)
                                   : AddDeviceMemory(*accelerators_, devices_, worker->device);
      worker->name = "CUDA " + std::to_string(worker->device) + "." + std::to_string(stream) +
                     " (" + (simulation_ ? "simulated" : accelerators_->Describe(worker->device)) +
                     ")";
    } else {
      worker->name = "CPU " + std::to_string(worker->device);
    }
    workers_.push_back(std::move(worker));
  }
  if (accelerators_) {
    copies_ = std::make_unique<DeviceCopies>(*accelerators_, devices_, &FailOnDeviceTask);
    pinned_memory_ = std::make_unique<PinnedMemory>(*accelerators_);
  }
  for (auto& worker : workers_) worker->driver = MakeDriver(*this, *worker);
  disks_.ComeAfter(devices_.count());
  for (unsigned i = 0; i < conf.n_not_launched_drivers; ++i) {
    const starpu_driver& driver = conf.not_launched_drivers[i];
    if (driver.type != STARPU_CPU_WORKER) continue;
    Worker* worker = WorkerOf(driver.type, static_cast<int>(driver.id.cpu_id));
    if (worker) worker->run_by_program = true;
  }
}

Worker* Runtime::WorkerOf(starpu_worker_archtype kind, int device) {
  for (const auto& worker : workers_) {
    if (worker->kind == kind && worker->device == device) return worker.get();
  }
  return nullptr;
}

void Runtime::Drain() {
  pauses_.ResumeAll();
  sleepers_->WakeAll();
  WaitForOutstanding(0);
}

void Runtime::Stop() {
  Runtime* runtime = Instance();
  const std::vector<Team*> booked = runtime->contexts_->bookings().OpenAll();
  runtime->Drain();
  for (Team* team : booked) team->Close();
  runtime->watchdog_.reset();
  PrintSummaries(*runtime);
  runtime->stopping_.store(true);
  runtime->sleepers_->WakeAll();
  {
    const VirtualTime::Outside waiting;
    for (auto& worker : runtime->workers_) {
      if (worker->thread.joinable()) worker->thread.join();
    }
  }
  runtime->policy_->RemoveWorkers(runtime->policy_context_.workers.ids());
  runtime->policy_->End();
  runtime->contexts_->EndPolicies();
  SaveModels();
  runtime->residency_.LeaveDevices();
  runtime->tools_.Tell(starpu_prof_tool_event_terminate, OfWorker(-1));
  g_runtime.store(nullptr, std::memory_order_release);
  delete runtime;
}

void Runtime::GiveTicket(int id, Job* ticket) {
  Worker& worker = *workers_[static_cast<size_t>(id)];
  {
    MutexLock guard(worker.own_lock);
    worker.tickets.Push(ticket);
    worker.own_size.fetch_add(1);
  }
  sleepers_->WakeIfAsleep(id);
}

uint16_t Runtime::CombinedFor(const starpu_codelet& codelet) const {
  if (combined_.size() == 0 || codelet.type == STARPU_SEQ) return 0;
  uint16_t best = 0;
  for (size_t i = 0; i < combined_.size(); ++i) {
    const auto fits = static_cast<int>(combined_[i].size()) <= codelet.max_parallelism;
    if (fits && (best == 0 || combined_[i].size() > combined_[best - 1].size())) {
      best = static_cast<uint16_t>(i + 1);
    }
  }
  return best;
}

void Runtime::CombineAll() {
  // (In a simulation a parallel task runs on one worker.)
  if (simulation_) return;
  for (std::vector<int>& members : FindCombinations(*this, settings.single_combined))
    combined_.Add(std::move(members));
}

int Runtime::Combine(std::vector<int> members) {
  const std::optional<size_t> index = combined_.Add(std::move(members));
  return index ? static_cast<int>(workers_.size() + *index) : -ENOMEM;
}

void Runtime::ScheduleTogether(Job* job) {
  if (!job->parallel) return contexts_->Schedule(*this, job);
  const size_t index = job->parallel - 1u;
  Team::Start(*this, job, combined_[index], Team::RolesFor(*job),
              static_cast<int>(workers_.size() + index));
}

void Runtime::NoteFork() { g_of_parent.store(true, std::memory_order_relaxed); }
bool Runtime::IsOfParent() { return g_of_parent.load(std::memory_order_relaxed); }

void Runtime::Schedule(Job* job) {
  trace::Ready(job);
  job_counts_.Scheduled(ThisThread().counter_slot);
  contexts_->BecameReady(job);
  job->task->status = STARPU_TASK_READY;
  if (job->runners) AskWhoCanRun(job);
  // Once pushed, the job may end at any time, so both times of the push are recorded before it.
  ProfileMoment(job->task, &starpu_profiling_task_info::push_start_time);
  ProfileMoment(job->task, &starpu_profiling_task_info::push_end_time);
  ScheduleAgain(job);
}

void Runtime::ScheduleAgain(Job* job) {
  if (job->parallel && !NamedCombinedWorker(*this, *job->task))
    job->parallel = policy_->ChooseTeam(job);
  if (job->parallel || (job->context && job->pinned_worker < 0)) return ScheduleTogether(job);
  if (job->pinned_worker >= 0) {
    Worker& worker = *workers_[static_cast<size_t>(job->pinned_worker)];
    (void)CanRun(worker.id, job);  // to choose the implementation
    if (ProgramPolicy* policy = program_policy(job->context)) {
      policy->PushedTo(job->task, worker.id);
    }
    return GiveTo(worker, job, /*front=*/false);
  }
  const Worker* self = ThisThread().worker;
  const bool restricted = job->restricted;  // read first: the job may be freed after the push
  // Push(), Size() and the state of Sleepers are sequentially consistent: either the worker that
  // falls asleep sees the job, or this thread sees it asleep.
  int target;
  if (program_policy_) {
    // Only for program policies: ours take some 10 ns, which two events would double.
    trace::Within within(StateKind::kScheduling);
    target = policy_->Push(job, self ? self->id : -1);
  } else {
    target = policy_->Push(job, self ? self->id : -1);
  }
  if (target >= 0) {
    sleepers_->WakeIfAsleep(target);
    return;
  }
  if (sleepers_->none()) return;
  if (restricted || target == kAllWorkers) return sleepers_->WakeThoseAsleep();
  if (sleepers_->Search()) return;
  if (!simulation_ && sleepers_->Nap()) {
    // Some worker is busy. If its jobs are short, it takes this one before another worker could
    // wake up.
    size_t run_by_others = 0;
    for (const auto& worker : workers_) {
      if (!sleepers_->Has(worker->id))
        run_by_others += worker->runs_alone.load(std::memory_order_relaxed);
    }
    if (run_by_others > 0 && policy_->Size() < run_by_others) return;
  }
  sleepers_->WakeOne();
}

void Runtime::GiveTo(Worker& worker, Job* job, bool front) {
  {
    MutexLock guard(worker.own_lock);
    const unsigned order = job->pinned_worker >= 0 ? job->task->workerorder : 0;
    if (order == 0 || !worker.ordered_jobs.emplace(order, job).second) {
      front ? worker.own_jobs.PushFront(job) : worker.own_jobs.Push(job);
    }
    worker.own_size.fetch_add(1);
  }
  sleepers_->WakeIfAsleep(worker.id);
}

void Runtime::Enable(Worker& worker, bool enabled) {
  worker.enabled.store(enabled);
  sleepers_->SetEnabled(worker, enabled);
  // The worker may just be taking a job.
  if (!enabled && !simulation_) pauses_.AwaitBeginOf(worker);
  // A push may have counted on this worker, or the worker may now have a job to take.
  sleepers_->WakeThoseAsleep();
}

void Runtime::WaitForOutstanding(uint64_t left) {
  if (job_counts_.SpinForOutstanding(left)) return;
  if (perf_counters_->on()) perf_counters_->ProgramWaits();
  DoSchedule();  // aborts in a child of fork()
  job_counts_.WaitForOutstanding(left);
}

void Runtime::WaitForEnd(uint64_t ended) {
  DoSchedule();
  job_counts_.WaitForEnd(ended);
}

void Runtime::StopDrivers() {
  drivers_stopping_.store(true);
  sleepers_->WakeAll();
}

void Runtime::DoSchedule() {
  if (IsOfParent()) {
    Fatal("waiting for tasks in a child of fork(), where there are no workers: call starpu_init()");
  }
  LetQueuedGoOn();
  if (policy_->DoSchedule()) sleepers_->WakeThoseAsleep();
  if (contexts_->active()) contexts_->DoSchedule(*this);
}

void Runtime::Pause() {
  pauses_.Pause();
  // (Simulated workers stand still while this thread runs.)
  if (!simulation_) pauses_.AwaitBegins();
}

void Runtime::Resume() {
  if (pauses_.Resume()) sleepers_->WakeAll();
}

}  // namespace tasklens::runtime
