// SPDX-License-Identifier: Apache-2.0
#include "runtime/mpi/data.h"

#include <unordered_set>
#include <utility>

#include "runtime/mpi/reduction.h"
#include "runtime/mpi/statistics.h"
#include "runtime/mpi/world.h"

namespace tasklens::mpi {
namespace {

// All handles of the process with Data.
struct Registry {
  std::mutex lock;
  std::unordered_set<starpu_data_handle_t> handles;
  std::atomic<bool> cache_is_on{true};
};
Registry& TheRegistry() {
  static Registry* const registry = new Registry;  // handles may outlive main()
  return *registry;
}

void Forget(starpu_data_handle_t handle, void* slot) {
  Registry& registry = TheRegistry();
  {
    const std::lock_guard guard(registry.lock);
    registry.handles.erase(handle);
  }
  auto* const data = static_cast<Data*>(slot);
  if (!data->contributors.empty()) ForgetReduction(handle);
  delete data;
}

void Flush(starpu_data_handle_t handle, Data& data, MPI_Comm comm) {
  data.Clear();
  const bool is_ours = data.rank < 0 || data.rank == RankIn(comm);
  data.is_copy = false;
  if (!is_ours) starpu_data_invalidate_submit(handle);
}

}  // namespace

std::vector<starpu_data_handle_t> AllHandles() {
  Registry& registry = TheRegistry();
  const std::lock_guard guard(registry.lock);
  return {registry.handles.begin(), registry.handles.end()};
}

Data& DataOf(starpu_data_handle_t handle) {
  if (Data* const data = FindData(handle)) return *data;
  Registry& registry = TheRegistry();
  const std::lock_guard guard(registry.lock);
  if (Data* const data = FindData(handle)) return *data;
  auto* const data = new Data;
  registry.handles.insert(handle);
  _starpu_communication_set_slot(handle, data);
  return *data;
}

int KnownOwner(starpu_data_handle_t handle, const char* caller) {
  const int owner = OwnerOf(handle);
  if (owner == -1)
    _starpu_communication_fatal(
        "%s(): nobody has said which rank owns handle %p '%s': use starpu_mpi_data_register()",
        caller, static_cast<void*>(handle), starpu_data_get_name(handle));
  return owner;
}

int64_t KnownTag(starpu_data_handle_t handle, const char* caller) {
  const Data* const data = FindData(handle);
  if (!data || data->tag == -1)
    _starpu_communication_fatal("%s(): handle %p '%s' has no tag: use starpu_mpi_data_register()",
                                caller, static_cast<void*>(handle), starpu_data_get_name(handle));
  return data->tag;
}

void NoteSparedSend(starpu_data_handle_t handle, MPI_Comm comm, int dest) {
  Statistics::Instance().SparedBySender();
  _starpu_communication_spared(WorldRank(comm, dest), DataOf(handle).tag, handle);
}

bool CacheIsOn() { return TheRegistry().cache_is_on.load(std::memory_order_relaxed); }

void StartData() {
  _starpu_communication_on_unregister(&Forget);
  TheRegistry().cache_is_on = starpu_getenv_number_default("STARPU_MPI_CACHE", 1) != 0;
}

Data::InComm& Data::In(MPI_Comm comm) {
  for (InComm& each : cached_) {
    if (each.comm == comm) return each;
  }
  return cached_.emplace_back(InComm{.comm = comm, .sent = {}});
}

bool Data::ReceivedFrom(MPI_Comm comm) {
  if (!is_cached_.load(std::memory_order_acquire)) return false;
  const std::lock_guard guard(lock_);
  return In(comm).received;
}
bool Data::SetReceived(MPI_Comm comm) {
  const std::lock_guard guard(lock_);
  is_cached_.store(true, std::memory_order_release);
  return std::exchange(In(comm).received, true);
}
bool Data::SentTo(MPI_Comm comm, int dest) {
  if (!is_cached_.load(std::memory_order_acquire)) return false;
  const std::lock_guard guard(lock_);
  const std::vector<bool>& sent = In(comm).sent;
  const auto index = static_cast<size_t>(dest);
  return index < sent.size() && sent[index];
}
bool Data::SetSent(MPI_Comm comm, int dest) {
  const std::lock_guard guard(lock_);
  is_cached_.store(true, std::memory_order_release);
  std::vector<bool>& sent = In(comm).sent;
  const auto index = static_cast<size_t>(dest);
  if (index >= sent.size()) sent.resize(index + 1);
  const bool before = sent[index];
  sent[index] = true;
  return before;
}
void Data::ClearSlow() {
  const std::lock_guard guard(lock_);
  cached_.clear();
  is_cached_.store(false, std::memory_order_release);
}
void Data::ClearReceived() {
  const std::lock_guard guard(lock_);
  for (InComm& each : cached_) each.received = false;
}
void Data::ClearSent() {
  const std::lock_guard guard(lock_);
  for (InComm& each : cached_) each.sent.clear();
}

}  // namespace tasklens::mpi

using namespace tasklens::mpi;  // NOLINT: the definitions below are all of them short

extern "C" {

void starpu_mpi_data_register_comm(starpu_data_handle_t handle, starpu_mpi_tag_t tag, int rank,
                                   MPI_Comm comm) {
  if (tag != -1) starpu_mpi_data_set_tag(handle, tag);
  if (rank != -1) starpu_mpi_data_set_rank_comm(handle, rank, comm);
}
void starpu_mpi_data_set_tag(starpu_data_handle_t handle, starpu_mpi_tag_t tag) {
  DataOf(handle).tag = tag;
  _starpu_communication_tag(handle, tag);
}
void starpu_mpi_data_set_rank_comm(starpu_data_handle_t handle, int rank, MPI_Comm comm) {
  Data& data = DataOf(handle);
  // The new owner's value counts; another rank's value is a copy of it.
  if (data.rank != -1) data.is_copy = rank >= 0 && rank != RankIn(comm);
  data.rank = rank;
  data.home = -1;
  data.comm = comm;
  _starpu_communication_owner(handle, WorldRank(comm, rank));
}
int starpu_mpi_data_get_rank(starpu_data_handle_t handle) { return OwnerOf(handle); }
starpu_mpi_tag_t starpu_mpi_data_get_tag(starpu_data_handle_t handle) {
  const Data* const data = FindData(handle);
  return data ? data->tag : -1;
}
char* starpu_mpi_data_get_redux_map(starpu_data_handle_t handle) {
  Data* const data = FindData(handle);
  return data && !data->contributors.empty() ? data->contributors.data() : nullptr;
}

int starpu_mpi_cache_is_enabled(void) { return CacheIsOn(); }
int starpu_mpi_cache_set(int enabled) {
  Registry& registry = TheRegistry();
  if (registry.cache_is_on.exchange(enabled != 0) && !enabled) {
    for (starpu_data_handle_t handle : AllHandles()) DataOf(handle).Clear();
  }
  return 0;
}
void starpu_mpi_cache_flush(MPI_Comm comm, starpu_data_handle_t handle) {
  Data* const data = FindData(handle);
  if (data && CacheIsOn()) Flush(handle, *data, comm);
}
void starpu_mpi_cache_flush_all_data(MPI_Comm comm) {
  if (!CacheIsOn()) return;
  for (starpu_data_handle_t handle : AllHandles()) Flush(handle, DataOf(handle), comm);
}

int starpu_mpi_cached_receive(starpu_data_handle_t handle) {
  Data* const data = FindData(handle);
  return data && CacheIsOn() && data->ReceivedFrom(data->comm);
}
int starpu_mpi_cached_receive_set(starpu_data_handle_t handle) {
  if (!CacheIsOn()) return 0;
  Data& data = DataOf(handle);
  return data.SetReceived(data.comm);
}
int starpu_mpi_cached_cp_receive_set(starpu_data_handle_t handle) {
  return starpu_mpi_cached_receive_set(handle);
}
void starpu_mpi_cached_receive_clear(starpu_data_handle_t handle) {
  if (Data* const data = FindData(handle)) data->ClearReceived();
}
int starpu_mpi_cached_send(starpu_data_handle_t handle, int dest) {
  Data* const data = FindData(handle);
  return data && CacheIsOn() && data->SentTo(data->comm, dest);
}
int starpu_mpi_cached_send_set(starpu_data_handle_t handle, int dest) {
  if (!CacheIsOn()) return 0;
  Data& data = DataOf(handle);
  return data.SetSent(data.comm, dest);
}
void starpu_mpi_cached_send_clear(starpu_data_handle_t handle) {
  if (Data* const data = FindData(handle)) data->ClearSent();
}

}  // extern "C"
