// SPDX-License-Identifier: Apache-2.0
// Starts and stops the library, and stores the rank of the process.
#include "runtime/mpi/world.h"

#include <sched.h>

#include <cerrno>
#include <ctime>
#include <limits>
#include <random>
#include <thread>
#include <vector>

#include "runtime/core/communication.h"
#include "runtime/mpi/checkpoints.h"
#include "runtime/mpi/data.h"
#include "runtime/mpi/engine.h"
#include "runtime/mpi/reduction.h"
#include "runtime/mpi/statistics.h"

namespace tasklens::mpi {
namespace {

// The state of the process between init and shutdown.
struct World {
  int rank = 0;
  int size = 1;
  bool is_fake = false;
  bool started_runtime = false;
  bool started_mpi = false;
  uint64_t run_key = 0;
  TagRoom tags;
};
World& TheWorld() {
  static World world;
  return world;
}

// Returns the number of processing units on which this process may run. (mpirun binds a rank to one
// core, which std::thread::hardware_concurrency() does not take into account.)
unsigned AllowedUnits() {
  cpu_set_t allowed;
  // Fails if the machine has more units than cpu_set_t can represent.
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0)
    return std::thread::hardware_concurrency();
  return static_cast<unsigned>(CPU_COUNT(&allowed));
}

// The largest tag of data; programs get its address.
int64_t largest_tag = std::numeric_limits<int64_t>::max();

TagRoom DivideTags() {
  const void* value = nullptr;
  int found = 0;
  MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, static_cast<void*>(&value), &found);
  // The least that the standard guarantees.
  const int64_t last = found ? *static_cast<const int*>(value) : 32767;
  TagRoom tags;
  tags.first = static_cast<int>(last / 2 + 1);
  tags.narrow = last / 4;
  tags.wide_header = static_cast<int>(tags.first + tags.narrow);
  tags.wide_first = tags.wide_header + 1;
  tags.wide = last - tags.wide_first + 1;
  return tags;
}

void StartMpi(int* argc, char*** argv) {
  // The program may call MPI itself while the engine's thread does.
  int level = MPI_THREAD_SINGLE;
  if (MPI_Init_thread(argc, argv, MPI_THREAD_MULTIPLE, &level) != MPI_SUCCESS)
    _starpu_communication_fatal("starpu_mpi_init(): MPI does not start");
  TheWorld().started_mpi = true;
}

void CheckThreads() {
  int level = MPI_THREAD_SINGLE;
  MPI_Query_thread(&level);
  if (level >= MPI_THREAD_SERIALIZED) return;
  _starpu_communication_warn(
      "MPI was started without support for threads, which call it here: use MPI_Init_thread() with "
      "MPI_THREAD_SERIALIZED at least, or let starpu_mpi_init() start it");
}

int64_t NowNs() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

// Returns how far the clock of rank `other` is ahead of rank 0's, from the shortest of several
// round trips. Called by these two ranks; the result is valid in rank 0.
int64_t MeasureOffset(int other) {
  constexpr int kRoundTrips = 20, kTag = 0;
  int64_t shortest = std::numeric_limits<int64_t>::max(), offset = 0;
  for (int i = 0; i < kRoundTrips; ++i) {
    int64_t theirs = 0;
    if (TheWorld().rank != 0) {
      MPI_Recv(&theirs, 1, MPI_INT64_T, 0, kTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      theirs = NowNs();
      MPI_Send(&theirs, 1, MPI_INT64_T, 0, kTag, MPI_COMM_WORLD);
      continue;
    }
    const int64_t before = NowNs();
    MPI_Send(&theirs, 1, MPI_INT64_T, other, kTag, MPI_COMM_WORLD);
    MPI_Recv(&theirs, 1, MPI_INT64_T, other, kTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    const int64_t took = NowNs() - before;
    if (took >= shortest) continue;
    shortest = took;
    offset = theirs - (before + took / 2);
  }
  return offset;
}

// Records the same moment in the traces of all ranks. Ranks of one machine share a clock; the first
// rank of each machine measures its offset from rank 0's clock.
void SynchronizeClocks() {
  const World& world = TheWorld();
  MPI_Comm machine;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, world.rank, MPI_INFO_NULL, &machine);
  int rank_on_machine = 0;
  MPI_Comm_rank(machine, &rank_on_machine);
  std::vector<int> ranks_on_machine(static_cast<size_t>(world.size));
  MPI_Allgather(&rank_on_machine, 1, MPI_INT, ranks_on_machine.data(), 1, MPI_INT, MPI_COMM_WORLD);
  int64_t offset = 0;
  for (int rank = 1; rank < world.size; ++rank) {
    if (ranks_on_machine[static_cast<size_t>(rank)] != 0) continue;
    if (world.rank == 0) {
      const int64_t theirs = MeasureOffset(rank);
      MPI_Send(&theirs, 1, MPI_INT64_T, rank, 0, MPI_COMM_WORLD);
    } else if (world.rank == rank) {
      MeasureOffset(rank);
      MPI_Recv(&offset, 1, MPI_INT64_T, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
  }
  MPI_Bcast(&offset, 1, MPI_INT64_T, 0, machine);
  int64_t moment = NowNs();
  MPI_Bcast(&moment, 1, MPI_INT64_T, 0, MPI_COMM_WORLD);
  _starpu_communication_barrier(static_cast<unsigned>(world.rank),
                                static_cast<unsigned>(world.size), world.run_key,
                                static_cast<uint64_t>(moment + offset));
  MPI_Comm_free(&machine);
}

// Returns the processing unit that the user wants for the engine's thread, or -1.
int WantedUnit() {
  const int unit = starpu_getenv_number_default("STARPU_MPI_THREAD_CPUID", -1);
  return unit >= 0 ? unit : starpu_getenv_number_default("STARPU_MPI_THREAD_COREID", -1);
}

// Returns the processing unit for the engine's thread, or -1.
int UnitToBindTo() {
  if (const int unit = WantedUnit(); unit >= 0) return unit;
  if (starpu_getenv_number_default("STARPU_MPI_NOBIND", 0) > 0 ||
      starpu_getenv_number_default("STARPU_WORKERS_NOBIND", 0) > 0)
    return -1;
  // A unit without a worker, if there is one.
  const unsigned workers = starpu_worker_get_count_by_type(STARPU_CPU_WORKER);
  if (workers >= AllowedUnits()) return -1;
  return static_cast<int>(starpu_get_next_bindid(STARPU_THREAD_ACTIVE, nullptr, 0));
}

int Start(int* argc, char*** argv, bool starts_mpi, MPI_Comm comm) {
  World& world = TheWorld();
  if (Engine::Instance().IsRunning())
    _starpu_communication_fatal("starpu_mpi_init() was called twice without starpu_mpi_shutdown()");
  if (starts_mpi && comm != MPI_COMM_WORLD)
    _starpu_communication_fatal(
        "starpu_mpi_init_comm(): a communicator of the program's exists only when MPI is started: "
        "initialize_mpi must be 0");
  int is_started = 0;
  MPI_Initialized(&is_started);
  if (starts_mpi && !is_started)
    StartMpi(argc, argv);
  else if (!is_started)
    _starpu_communication_fatal(
        "starpu_mpi_init(): MPI has not been started: call MPI_Init_thread() before, or set "
        "initialize_mpi");
  CheckThreads();
  MPI_Comm_rank(MPI_COMM_WORLD, &world.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &world.size);
  world.tags = DivideTags();
  const int fake_size = starpu_getenv_number_default("STARPU_MPI_FAKE_SIZE", -1);
  const int fake_rank = starpu_getenv_number_default("STARPU_MPI_FAKE_RANK", -1);
  world.is_fake = fake_size > 0;
  if (world.is_fake) {
    world.size = fake_size;
    world.rank = fake_rank >= 0 ? fake_rank : 0;
  } else {
    uint64_t key = 0;
    if (world.rank == 0) key = std::random_device()() | uint64_t{1} << 32;
    MPI_Bcast(&key, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
    world.run_key = key;
    SynchronizeClocks();
  }
  Statistics::Instance().Start(world.size);
  StartData();
  Engine::Instance().Start(UnitToBindTo());
  return 0;
}

void WaitForTasksAndRequests() {
  Engine& engine = Engine::Instance();
  do {
    starpu_task_wait_for_all();
    engine.WaitForAll();
  } while (engine.outstanding() > 0 || starpu_task_nsubmitted() > 0);
}

int End() {
  World& world = TheWorld();
  if (!Engine::Instance().IsRunning()) return -EINVAL;
  WaitForTasksAndRequests();
  Checkpoints::Instance().Stop();
  Engine::Instance().Stop();
  if (!world.is_fake) SynchronizeClocks();
  Statistics::Instance().Stop(world.rank);
  const bool ends_runtime = world.started_runtime, ends_mpi = world.started_mpi;
  world = {};
  if (ends_runtime) starpu_shutdown();
  if (ends_mpi) MPI_Finalize();
  return 0;
}

// Whether the rank in this communicator, and its size, are those of TheWorld().
bool IsKnown(MPI_Comm comm) {
  return TheWorld().is_fake || (comm == MPI_COMM_WORLD && Engine::Instance().IsRunning());
}

}  // namespace

int RankIn(MPI_Comm comm) {
  if (IsKnown(comm)) return TheWorld().rank;
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  return rank;
}

int SizeOf(MPI_Comm comm) {
  if (IsKnown(comm)) return TheWorld().size;
  int size = 1;
  MPI_Comm_size(comm, &size);
  return size;
}

int WorldRank(MPI_Comm comm, int rank) {
  if (comm == MPI_COMM_WORLD || rank < 0) return rank;
  MPI_Group group, world;
  MPI_Comm_group(comm, &group);
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  int translated = rank;
  MPI_Group_translate_ranks(group, 1, &rank, world, &translated);
  MPI_Group_free(&group);
  MPI_Group_free(&world);
  return translated;
}

bool IsFake() { return TheWorld().is_fake; }

const TagRoom& Tags() { return TheWorld().tags; }

}  // namespace tasklens::mpi

using namespace tasklens::mpi;  // NOLINT: the definitions below are all of them short

extern "C" {

int starpu_mpi_init_comm(int* argc, char*** argv, int initialize_mpi, MPI_Comm comm) {
  return Start(argc, argv, initialize_mpi != 0, comm);
}
int starpu_mpi_init(int* argc, char*** argv, int initialize_mpi) {
  return Start(argc, argv, initialize_mpi != 0, MPI_COMM_WORLD);
}
int starpu_mpi_initialize(void) { return Start(nullptr, nullptr, false, MPI_COMM_WORLD); }
int starpu_mpi_initialize_extended(int* rank, int* world_size) {
  const int error = Start(nullptr, nullptr, true, MPI_COMM_WORLD);
  if (error) return error;
  *rank = RankIn(MPI_COMM_WORLD);
  *world_size = SizeOf(MPI_COMM_WORLD);
  return 0;
}
int starpu_mpi_init_conf(int* argc, char*** argv, int initialize_mpi, MPI_Comm comm,
                         starpu_conf* conf) {
  starpu_conf own;
  starpu_conf_init(&own);
  if (!conf) conf = &own;
  // Reserve a unit for the engine's thread, if that leaves one for a worker.
  if (WantedUnit() < 0 && conf->ncpus == -1 && AllowedUnits() > 1)
    conf->reserve_ncpus = conf->reserve_ncpus > 0 ? conf->reserve_ncpus + 1 : 1;
  conf->will_use_mpi = 1;
  if (const int error = starpu_init(conf)) return error;
  TheWorld().started_runtime = true;
  return Start(argc, argv, initialize_mpi != 0, comm);
}
int starpu_mpi_shutdown(void) { return End(); }
int starpu_mpi_shutdown_comm(MPI_Comm) { return End(); }

int starpu_mpi_comm_register(MPI_Comm) { return 0; }
int starpu_mpi_comm_size(MPI_Comm comm, int* size) {
  *size = SizeOf(comm);
  return 0;
}
int starpu_mpi_comm_rank(MPI_Comm comm, int* rank) {
  *rank = RankIn(comm);
  return 0;
}
int starpu_mpi_world_rank(void) { return RankIn(MPI_COMM_WORLD); }
int starpu_mpi_world_size(void) { return SizeOf(MPI_COMM_WORLD); }
int starpu_mpi_comm_get_attr(MPI_Comm, int keyval, void* attribute_val, int* flag) {
  *flag = keyval == STARPU_MPI_TAG_UB;
  if (*flag) *static_cast<int64_t**>(attribute_val) = &largest_tag;
  return 0;
}
int starpu_mpi_get_thread_cpuid(void) { return Engine::Instance().bound_to(); }

int starpu_mpi_barrier(MPI_Comm comm) {
  Engine::Instance().Barrier(comm);
  return 0;
}
int starpu_mpi_wait_for_all(MPI_Comm) {
  FinishReductions();
  WaitForTasksAndRequests();
  return 0;
}

}  // extern "C"
