// SPDX-License-Identifier: Apache-2.0
#include "runtime/mpi/load_balancer.h"

#include <cstdlib>
#include <cstring>
#include <type_traits>
#include <unordered_map>

#include "runtime/core/communication.h"
#include "runtime/mpi/data.h"
#include "runtime/mpi/engine.h"
#include "runtime/mpi/world.h"

namespace tasklens::mpi {
namespace {

constexpr char kPolicy[] = "heat";

double NumberFromEnvironment(const char* name, double otherwise) {
  const char* const text = getenv(name);
  if (!text) return otherwise;
  char* end = nullptr;
  const double value = strtod(text, &end);
  if (end != text && *end == '\0' && value >= 0) return value;
  _starpu_communication_warn("%s='%s' is no number from 0 on: it is taken as %g", name, text,
                             otherwise);
  return otherwise;
}

// Returns `own` of all ranks, concatenated by rank.
template <class Element>
std::vector<Element> Gather(const std::vector<Element>& own) {
  static_assert(std::is_trivially_copyable_v<Element>);
  const MPI_Comm comm = MPI_COMM_WORLD;
  const auto ranks = static_cast<size_t>(SizeOf(comm));
  const int bytes = static_cast<int>(own.size() * sizeof(Element));
  std::vector<int> counts(ranks), starts(ranks);
  Engine::Instance().Collective(comm, [&](MPI_Request* started) {
    return MPI_Iallgather(&bytes, 1, MPI_INT, counts.data(), 1, MPI_INT, comm, started);
  });
  int total = 0;
  for (size_t rank = 0; rank < ranks; ++rank) {
    starts[rank] = total;
    total += counts[rank];
  }
  std::vector<Element> all(static_cast<size_t>(total) / sizeof(Element));
  Engine::Instance().Collective(comm, [&](MPI_Request* started) {
    return MPI_Iallgatherv(own.data(), bytes, MPI_BYTE, all.data(), counts.data(), starts.data(),
                           MPI_BYTE, comm, started);
  });
  return all;
}

}  // namespace

std::atomic<bool> LoadBalancer::is_on_{false};

LoadBalancer& LoadBalancer::Instance() {
  static LoadBalancer balancer;
  return balancer;
}

void LoadBalancer::Start(const char* policy, const starpu_mpi_lb_conf* conf) {
  if (const char* const wanted = getenv("STARPU_MPI_LB")) policy = wanted;
  if (!policy || strcmp(policy, kPolicy) != 0) {
    _starpu_communication_warn(
        "starpu_mpi_lb_init(): load is not balanced: there is no policy '%s', only '%s' "
        "(STARPU_MPI_LB)",
        policy ? policy : "", kPolicy);
    return;
  }
  if (!conf || !conf->get_neighbors || !conf->get_data_unit_to_migrate) {
    _starpu_communication_warn(
        "starpu_mpi_lb_init(): load is not balanced: the configuration lacks get_neighbors or "
        "get_data_unit_to_migrate");
    return;
  }
  if (IsOn())
    _starpu_communication_fatal(
        "starpu_mpi_lb_init() was called twice without starpu_mpi_lb_shutdown()");
  if (IsFake()) return;  // there are no other ranks
  conf_ = *conf;
  int* ids = nullptr;
  int count = 0;
  conf_.get_neighbors(&ids, &count);
  neighbors_.assign(ids, ids + count);
  free(ids);  // NOLINT: the program allocated it with malloc()
  for (const int rank : neighbors_) {
    if (rank < 0 || rank >= SizeOf(MPI_COMM_WORLD))
      _starpu_communication_fatal("get_neighbors() names rank %d, and there are %d", rank,
                                  SizeOf(MPI_COMM_WORLD));
  }
  tasks_between_ = static_cast<int64_t>(NumberFromEnvironment("LB_HEAT_SLEEP_THRESHOLD", 2000));
  if (tasks_between_ < 1) tasks_between_ = 1;
  share_to_await_ = NumberFromEnvironment("LB_HEAT_WAKEUP_RATIO", 0.5);
  if (share_to_await_ > 1) share_to_await_ = 1;
  threshold_us_ = NumberFromEnvironment("LB_HEAT_TIME_THRESHOLD", 2000);
  submitted_ = 0;
  phase_ = 0;
  began_us_ = starpu_timing_now();
  is_on_ = true;
}

void LoadBalancer::BeforeTask(int64_t number) {
  if (number < 0) number = submitted_;
  ++submitted_;
  const int64_t phase = number / tasks_between_;
  if (phase <= phase_) return;
  phase_ = phase;
  Balance();
}

void LoadBalancer::Balance() {
  const std::vector<double> load_us = Gather(std::vector<double>{MeasureLoad()});
  Apply(Gather(ChooseMoves(load_us)));
  began_us_ = starpu_timing_now();
}

double LoadBalancer::MeasureLoad() {
  const int left = starpu_task_nsubmitted();
  const auto may_be_left = static_cast<unsigned>(left * (1 - share_to_await_));
  if (const int error = (starpu_task_wait_for_n_submitted)(may_be_left))
    _starpu_communication_fatal(
        "load cannot be balanced where tasks cannot be waited for (error %d): submit them from the "
        "program's own thread, not from a task or a callback",
        error);
  return starpu_timing_now() - began_us_;
}

std::vector<LoadBalancer::Move> LoadBalancer::ChooseMoves(const std::vector<double>& load_us) {
  const int me = RankIn(MPI_COMM_WORLD);
  int idlest = me;
  for (const int rank : neighbors_) {
    if (load_us[static_cast<size_t>(rank)] < load_us[static_cast<size_t>(idlest)]) idlest = rank;
  }
  const double more_us = load_us[static_cast<size_t>(me)] - load_us[static_cast<size_t>(idlest)];
  if (idlest == me || more_us < threshold_us_) return {};
  starpu_data_handle_t* unit = nullptr;
  int count = 0;
  conf_.get_data_unit_to_migrate(&unit, &count, idlest);
  std::vector<Move> moves;
  for (int i = 0; i < count; ++i) {
    const Data* const data = FindData(unit[i]);
    if (data && data->rank == me && data->comm == MPI_COMM_WORLD)
      moves.push_back({KnownTag(unit[i], "get_data_unit_to_migrate"), idlest});
    else
      _starpu_communication_warn(
          "get_data_unit_to_migrate() gives handle %p '%s' to rank %d, but it is not this rank's "
          "in MPI_COMM_WORLD: it stays",
          static_cast<void*>(unit[i]), unit[i] ? starpu_data_get_name(unit[i]) : "", idlest);
  }
  free(unit);  // NOLINT: the program allocated it with malloc()
  return moves;
}

void LoadBalancer::Apply(const std::vector<Move>& moves) {
  if (moves.empty()) return;
  std::unordered_map<int64_t, starpu_data_handle_t> by_tag;
  for (starpu_data_handle_t handle : AllHandles()) {
    if (DataOf(handle).comm == MPI_COMM_WORLD) by_tag[DataOf(handle).tag] = handle;
  }
  for (const auto& [tag, new_owner] : moves) {
    const auto found = by_tag.find(tag);
    if (found == by_tag.end()) {
      if (new_owner == RankIn(MPI_COMM_WORLD))
        _starpu_communication_fatal(
            "data with tag %lld are to move to rank %d, which has not registered them: use "
            "starpu_mpi_data_register()",
            static_cast<long long>(tag), static_cast<int>(new_owner));
      continue;  // this rank never needs them
    }
    Data& data = DataOf(found->second);
    const int home = data.home == -1 ? data.rank : data.home;
    starpu_mpi_data_migrate(MPI_COMM_WORLD, found->second, static_cast<int>(new_owner));
    data.home = home;
  }
}

void LoadBalancer::Stop() {
  if (!is_on_.exchange(false)) return;
  for (starpu_data_handle_t handle : AllHandles()) {
    const int home = DataOf(handle).home;
    if (home == -1) continue;
    starpu_mpi_data_migrate(MPI_COMM_WORLD, handle, home);
    DataOf(handle).home = -1;  // in case it had been moved back before
  }
}

}  // namespace tasklens::mpi

using tasklens::mpi::LoadBalancer;

extern "C" {

void starpu_mpi_lb_init(const char* policy, starpu_mpi_lb_conf* conf) {
  LoadBalancer::Instance().Start(policy, conf);
}
void starpu_mpi_lb_shutdown(void) { LoadBalancer::Instance().Stop(); }

}  // extern "C"
