// SPDX-License-Identifier: Apache-2.0
// Public queries about workers, memory nodes, priorities and the machine.
#include <starpu.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>

#include "runtime/api/worker_of.h"
#include "runtime/core/eligibility.h"
#include "runtime/core/runtime.h"
#include "runtime/core/submit.h"
#include "runtime/core/task_times.h"
#include "runtime/jobs/codelet.h"
#include "runtime/jobs/thread_state.h"
#include "runtime/support/message.h"

using namespace tasklens::runtime;  // NOLINT: the definitions below are all of them short

namespace {

unsigned WorkerCount(const char* function) {
  return static_cast<unsigned>(Runtime::Get(function).workers().size());
}

std::vector<const Worker*> WorkersOf(starpu_worker_archtype type, const char* function) {
  std::vector<const Worker*> found;
  for (const auto& worker : Runtime::Get(function).workers()) {
    if (type == STARPU_ANY_WORKER || worker->kind == type) found.push_back(worker.get());
  }
  return found;
}

unsigned CountOf(starpu_worker_archtype type, const char* function) {
  return static_cast<unsigned>(WorkersOf(type, function).size());
}

// hwloc's logical numbers of the objects that contain a processing unit; -1: none.
struct UnitAbove {
  int numa = -1, package = -1, core = -1;
};

UnitAbove Above(hwloc_topology_t topology, hwloc_obj_t unit) {
  const auto number = [](hwloc_obj_t object) {
    return object ? static_cast<int>(object->logical_index) : -1;
  };
  const int numa = hwloc_bitmap_first(unit->nodeset);
  return {numa < 0
              ? -1
              : number(hwloc_get_numanode_obj_by_os_index(topology, static_cast<unsigned>(numa))),
          number(hwloc_get_ancestor_obj_by_type(topology, HWLOC_OBJ_PACKAGE, unit)),
          number(hwloc_get_ancestor_obj_by_type(topology, HWLOC_OBJ_CORE, unit))};
}

std::vector<hwloc_obj_t> UnitsOf(hwloc_topology_t topology) {
  std::vector<hwloc_obj_t> units;
  for (hwloc_obj_t unit = nullptr; topology;) {
    unit = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_PU, unit);
    if (!unit) break;
    units.push_back(unit);
  }
  return units;
}

// Prints the workers bound to the unit, and the combined workers that contain one of them.
void PrintWorkersOn(FILE* output, Runtime& runtime, int os_unit) {
  const auto is_on = [&](int id) { return runtime.worker(id)->os_cpu == os_unit; };
  for (const auto& worker : runtime.workers())
    if (is_on(worker->id)) fprintf(output, "%s\t", worker->name.c_str());
  for (size_t i = 0; i < runtime.combined().size(); ++i)
    if (std::ranges::any_of(runtime.combined()[i], is_on)) fprintf(output, "comb %zu\t", i);
}

}  // namespace

extern "C" {

void starpu_worker_get_current_task_exp_end(unsigned id, timespec* date) {
  *date = ToTimespec(WorkerOf(static_cast<int>(id), __func__).expected_end_ns);
}

unsigned starpu_worker_get_count(void) { return WorkerCount(__func__); }
unsigned starpu_cpu_worker_get_count(void) { return CountOf(STARPU_CPU_WORKER, __func__); }
unsigned starpu_cuda_worker_get_count(void) { return CountOf(STARPU_CUDA_WORKER, __func__); }
unsigned starpu_opencl_worker_get_count(void) { return 0; }
unsigned starpu_hip_worker_get_count(void) { return 0; }
unsigned starpu_mpi_ms_worker_get_count(void) { return 0; }
unsigned starpu_mic_worker_get_count(void) { return 0; }
unsigned starpu_mic_device_get_count(void) { return 0; }

int starpu_worker_get_id(void) {
  const Worker* worker = ThisThread().worker;
  return worker ? worker->id : -1;
}
unsigned _starpu_worker_get_id_check(const char* file, int line) {
  const int id = starpu_worker_get_id();
  if (id < 0) Fatal("%s:%d: starpu_worker_get_id_check() outside of a worker", file, line);
  return static_cast<unsigned>(id);
}
int starpu_worker_get_bindid(int id) { return WorkerOf(id, __func__).cpu; }
int starpu_worker_get_devid(int id) { return WorkerOf(id, __func__).device; }
starpu_worker_archtype starpu_worker_get_type(int id) { return WorkerOf(id, __func__).kind; }

int starpu_worker_get_count_by_type(starpu_worker_archtype type) {
  return static_cast<int>(CountOf(type, __func__));
}
unsigned starpu_worker_get_ids_by_type(starpu_worker_archtype type, int* ids, unsigned room) {
  const auto workers = WorkersOf(type, __func__);
  const auto count = static_cast<unsigned>(workers.size());
  for (unsigned i = 0; i < std::min(count, room); ++i) ids[i] = workers[i]->id;
  return count > room ? static_cast<unsigned>(-ERANGE) : count;
}
int starpu_worker_get_by_type(starpu_worker_archtype type, int number) {
  const auto workers = WorkersOf(type, __func__);
  const auto index = static_cast<size_t>(number);
  return number >= 0 && index < workers.size() ? workers[index]->id : -1;
}
int starpu_worker_get_by_devid(starpu_worker_archtype type, int device) {
  for (const Worker* worker : WorkersOf(type, __func__)) {
    if (worker->device == device) return worker->id;
  }
  return -1;
}
int starpu_worker_get_devids(starpu_worker_archtype type, int* devices, int room) {
  const auto workers = WorkersOf(type, __func__);
  const int count = std::min(static_cast<int>(workers.size()), room);
  for (int i = 0; i < count; ++i) devices[i] = workers[static_cast<size_t>(i)]->device;
  return count;
}
int starpu_bindid_get_workerids(int unit, int** ids) {
  std::vector<int>& workers = Runtime::Get(__func__).workers_on(unit);
  *ids = workers.data();
  return static_cast<int>(workers.size());
}
int starpu_worker_get_stream_workerids(unsigned device, int* ids, starpu_worker_archtype type) {
  int count = 0;
  for (const Worker* worker : WorkersOf(type, __func__)) {
    if (worker->device == static_cast<int>(device)) ids[count++] = worker->id;
  }
  return count;
}
void starpu_worker_get_name(int id, char* target, size_t room) {
  snprintf(target, room, "%s", WorkerOf(id, __func__).name.c_str());
}
void starpu_worker_display_names(FILE* output, starpu_worker_archtype type) {
  const auto workers = WorkersOf(type, __func__);
  const auto count = workers.size();
  if (count == 0) {
    fprintf(output, "No %s worker\n", starpu_worker_get_type_as_string(type));
    return;
  }
  fprintf(output, "%zu %s worker%s:\n", count, starpu_worker_get_type_as_string(type),
          count == 1 ? "" : "s");
  for (const Worker* worker : workers) fprintf(output, "\t%s\n", worker->name.c_str());
}
void starpu_worker_display_all(FILE* output) {
  starpu_worker_display_names(output, STARPU_CPU_WORKER);
  if (starpu_cuda_worker_get_count()) starpu_worker_display_names(output, STARPU_CUDA_WORKER);
}
void starpu_worker_display_count(FILE* output, starpu_worker_archtype type) {
  const int count = starpu_worker_get_count_by_type(type);
  fprintf(output, "%d %s worker%s\n", count, starpu_worker_get_type_as_string(type),
          count == 1 ? "" : "s");
}
const char* starpu_worker_get_type_as_string(starpu_worker_archtype type) { return NameOf(type); }
const char* starpu_worker_get_type_as_env_var(starpu_worker_archtype type) {
  return EnvironmentNameOf(type);
}
hwloc_cpuset_t starpu_worker_get_hwloc_cpuset(int id) {
  const Worker& worker = WorkerOf(id, __func__);
  hwloc_cpuset_t set = hwloc_bitmap_alloc();
  if (worker.os_cpu >= 0) {
    hwloc_bitmap_only(set, static_cast<unsigned>(worker.os_cpu));
  } else {
    for (const int unit : Runtime::Instance()->topology().units()) {
      hwloc_bitmap_set(set, static_cast<unsigned>(unit));
    }
  }
  return set;
}

unsigned starpu_worker_get_local_memory_node(void) {
  const Worker* worker = ThisThread().worker;
  return worker ? worker->node : STARPU_MAIN_RAM;
}
unsigned starpu_worker_get_memory_node(unsigned id) {
  return WorkerOf(static_cast<int>(id), __func__).node;
}
unsigned starpu_memory_nodes_get_count(void) {
  Runtime* runtime = Runtime::Instance();
  return runtime ? runtime->memory_nodes() : 1;
}
int starpu_memory_nodes_get_numa_count(void) { return 1; }
int starpu_memory_nodes_numa_id_to_hwloclogid(unsigned id) { return id == 0 ? 0 : -1; }
int starpu_memory_nodes_numa_id_to_devid(int id) { return id == 0 ? 0 : -1; }
int starpu_memory_nodes_numa_devid_to_id(unsigned id) { return id == 0 ? 0 : -1; }
int starpu_memory_node_get_name(unsigned node, char* name, size_t room) {
  if (node == STARPU_MAIN_RAM) return snprintf(name, room, "NUMA %u", node);
  const Devices& devices = Runtime::Get(__func__).devices();
  if (node <= devices.count()) return snprintf(name, room, "%s", devices.NameOf(node).c_str());
  return snprintf(name, room, "Disk %u", node - devices.count() - 1);
}
int starpu_memory_node_get_devid(unsigned node) {
  if (node == STARPU_MAIN_RAM) return 0;
  const Devices& devices = Runtime::Get(__func__).devices();
  return node <= devices.count() ? devices.NumberOf(node)
                                 : static_cast<int>(node - devices.count()) - 1;
}
starpu_node_kind starpu_node_get_kind(unsigned node) {
  if (node == STARPU_MAIN_RAM) return STARPU_CPU_RAM;
  Runtime* runtime = Runtime::Instance();
  if (runtime && runtime->devices().At(node)) return runtime->devices().KindOf(node);
  return node < starpu_memory_nodes_get_count() ? STARPU_DISK_RAM : STARPU_UNUSED;
}

starpu_sched_policy* starpu_sched_get_sched_policy(void) {
  return &Runtime::Get(__func__).public_policy();
}
int starpu_sched_get_min_priority(void) {
  Runtime* runtime = Runtime::Instance();
  return runtime ? runtime->policy_context(0)->min_priority : -5;
}
int starpu_sched_get_max_priority(void) {
  Runtime* runtime = Runtime::Instance();
  return runtime ? runtime->policy_context(0)->max_priority : 5;
}
int starpu_sched_set_min_priority(int priority) {
  return starpu_sched_ctx_set_min_priority(0, priority);
}
int starpu_sched_set_max_priority(int priority) {
  return starpu_sched_ctx_set_max_priority(0, priority);
}

int starpu_worker_can_execute_task(unsigned worker, starpu_task* task, unsigned implementation) {
  const Worker* of_id = Runtime::Get(__func__).worker(static_cast<int>(worker));
  if (!task->cl || !of_id || !of_id->enabled.load(std::memory_order_relaxed)) return 0;
  if (implementation >= STARPU_MAXIMPLEMENTATIONS || !IsNamed(*of_id, *task)) return 0;
  return HasFunction(*of_id, task, implementation);
}
int starpu_worker_can_execute_task_impl(unsigned worker, starpu_task* task, unsigned* mask) {
  unsigned found = 0;
  for (unsigned i = 0; i < STARPU_MAXIMPLEMENTATIONS; ++i) {
    if (starpu_worker_can_execute_task(worker, task, i)) found |= 1u << i;
  }
  if (mask) *mask = found;
  return found != 0;
}
int starpu_worker_can_execute_task_first_impl(unsigned worker, starpu_task* task,
                                              unsigned* implementation) {
  for (unsigned i = 0; i < STARPU_MAXIMPLEMENTATIONS; ++i) {
    if (!starpu_worker_can_execute_task(worker, task, i)) continue;
    if (implementation) *implementation = i;
    return 1;
  }
  return 0;
}

unsigned starpu_get_next_bindid(unsigned flags, unsigned* preferred, unsigned count) {
  Runtime& runtime = Runtime::Get(__func__);
  const auto& units = runtime.topology().units();
  const auto is_free = [&](int unit) {
    return std::none_of(runtime.workers().begin(), runtime.workers().end(),
                        [unit](const auto& worker) { return worker->os_cpu == unit; });
  };
  std::vector<unsigned> unused;
  for (unsigned i = 0; i < units.size(); ++i) {
    if (is_free(units[i])) unused.push_back(i);
  }
  for (unsigned i = 0; i < count; ++i) {
    if (std::find(unused.begin(), unused.end(), preferred[i]) != unused.end()) return preferred[i];
  }
  if (unused.empty()) return static_cast<unsigned>(units.size() - 1);
  // Threads that may share a unit all get the first unused one; active threads get the others in
  // turn.
  if (!(flags & STARPU_THREAD_ACTIVE)) return unused.front();
  return unused[unused.size() - 1 - runtime.bound_threads.fetch_add(1) % unused.size()];
}
int starpu_bind_thread_on(int cpu, unsigned, const char* name) {
  const Topology& topology = Runtime::Get(__func__).topology();
  if (cpu < 0 || static_cast<size_t>(cpu) >= topology.units().size()) {
    Warn("starpu_bind_thread_on(): there is no processing unit %d for thread '%s'", cpu,
         name ? name : "");
    return -1;
  }
  return topology.BindThisThread(topology.units()[static_cast<size_t>(cpu)]) ? 0 : -1;
}

void starpu_bind_thread_on_worker(unsigned id) {
  const Worker& worker = WorkerOf(static_cast<int>(id), __func__);
  if (worker.os_cpu >= 0) Runtime::Instance()->topology().BindThisThread(worker.os_cpu);
}
void starpu_bind_thread_on_main(void) {
  starpu_bind_thread_on(static_cast<int>(starpu_get_next_bindid(0, nullptr, 0)), 0, "main");
}
void starpu_bind_thread_on_cpu(int cpu) { starpu_bind_thread_on(cpu, 0, ""); }

long starpu_get_memory_location_bitmap(void* pointer, size_t) {
  return pointer ? 1 << STARPU_MAIN_RAM : -1;
}

hwloc_topology_t starpu_get_hwloc_topology(void) {
  return Runtime::Get(__func__).topology().hwloc();
}
int starpu_get_pu_os_index(unsigned logical_index) {
  const auto& units = Runtime::Get(__func__).topology().units();
  return logical_index < units.size() ? units[logical_index] : -1;
}
void starpu_topology_print(FILE* output) {
  Runtime& runtime = Runtime::Get(__func__);
  UnitAbove above;
  for (hwloc_obj_t unit : UnitsOf(runtime.topology().hwloc())) {
    const UnitAbove of_unit = Above(runtime.topology().hwloc(), unit);
    const auto level = [&](const char* form, int number, bool is_new) {
      fprintf(output, is_new && number >= 0 ? form : "\t", number);
    };
    // A number is printed where it changes, or where a number above it changes.
    const bool new_numa = of_unit.numa != above.numa;
    const bool new_package = new_numa || of_unit.package != above.package;
    level("numa %2d\t", of_unit.numa, new_numa);
    level("pack %2d\t", of_unit.package, new_package);
    level("core %d\t", of_unit.core, new_package || of_unit.core != above.core);
    fprintf(output, "PU %u\t", unit->logical_index);
    PrintWorkersOn(output, runtime, static_cast<int>(unit->os_index));
    fprintf(output, "\n");
    above = of_unit;
  }
}
void starpu_display_bindings(void) { starpu_topology_print(stdout); }

void starpu_sleep(float seconds) { starpu_usleep(seconds * 1e6f); }
void starpu_usleep(float microseconds) {
  if (!(microseconds > 0)) return;
  if (VirtualTime::On()) {
    return VirtualTime::SleepUntil(NowNs() +
                                   static_cast<uint64_t>(static_cast<double>(microseconds) * 1e3));
  }
  const double seconds = static_cast<double>(microseconds) * 1e-6;
  timespec left{
      static_cast<time_t>(seconds),
      static_cast<long>((seconds - static_cast<double>(static_cast<time_t>(seconds))) * 1e9)};
  while (nanosleep(&left, &left) != 0 && errno == EINTR) {
  }
}

namespace {
struct EachCall {
  void (*function)(void*);
  void* argument;
};
void RunEach(void**, void* argument) {
  const EachCall* call = static_cast<const EachCall*>(argument);
  call->function(call->argument);
}
}  // namespace

void starpu_execute_on_specific_workers(void (*function)(void*), void* argument, unsigned count,
                                        unsigned* workers, const char* name) {
  EachCall call{function, argument};
  starpu_codelet codelet = {};
  codelet.cpu_funcs[0] = codelet.cuda_funcs[0] = RunEach;
  codelet.name = name ? name : "execute_on_all";
  std::vector<starpu_task*> tasks;
  for (unsigned i = 0; i < count; ++i) {
    starpu_task* task = starpu_task_create();
    task->cl = &codelet;
    task->cl_arg = &call;
    task->execute_on_a_specific_worker = 1;
    task->workerid = workers[i];
    task->detach = 0;
    task->destroy = 0;
    task->type = STARPU_TASK_TYPE_INTERNAL;
    if (SubmitTask(task, {}) != 0)
      Fatal("starpu_execute_on_specific_workers(): no worker %u", workers[i]);
    tasks.push_back(task);
  }
  for (starpu_task* task : tasks) {
    if (starpu_task_wait(task) != 0) Fatal("starpu_execute_on_*() inside a task or callback");
    starpu_task_destroy(task);
  }
}
void starpu_execute_on_each_worker_ex(void (*function)(void*), void* argument, uint32_t where,
                                      const char* name) {
  std::vector<unsigned> workers;
  for (const Worker* worker : WorkersOf(STARPU_ANY_WORKER, "starpu_execute_on_each_worker")) {
    if (where & WhereBit(worker->kind)) workers.push_back(static_cast<unsigned>(worker->id));
  }
  starpu_execute_on_specific_workers(function, argument, static_cast<unsigned>(workers.size()),
                                     workers.data(), name);
}
void starpu_execute_on_each_worker(void (*function)(void*), void* argument, uint32_t where) {
  starpu_execute_on_each_worker_ex(function, argument, where, nullptr);
}

}  // extern "C"
