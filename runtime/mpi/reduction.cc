// SPDX-License-Identifier: Apache-2.0
#include "runtime/mpi/reduction.h"

#include <algorithm>
#include <mutex>
#include <vector>

#include "runtime/mpi/data.h"
#include "runtime/mpi/requests.h"
#include "runtime/mpi/world.h"

namespace tasklens::mpi {
namespace {

// The handles with a reduction in progress, in the order in which the reductions began, which is
// the same in all ranks. A handle may be unregistered before the end.
struct UnderWay {
  std::mutex lock;
  std::vector<starpu_data_handle_t> handles;
};
UnderWay& TheOnesUnderWay() {
  static UnderWay* const under_way = new UnderWay;
  return *under_way;
}

void Leave(starpu_data_handle_t handle) {
  UnderWay& under_way = TheOnesUnderWay();
  const std::lock_guard guard(under_way.lock);
  std::erase(under_way.handles, handle);
}

// Receives the value of another rank into a handle of its own, and adds it to this rank's value.
void TakeAndAdd(starpu_data_handle_t handle, int source, int64_t tag, MPI_Comm comm, int priority) {
  void* argument = nullptr;
  starpu_codelet* const add = _starpu_communication_reduction(handle, &argument);
  if (!add)
    _starpu_communication_fatal(
        "handle %p '%s' is reduced between ranks, but starpu_data_set_reduction_methods() was not "
        "called for it",
        static_cast<void*>(handle), starpu_data_get_name(handle));
  starpu_data_handle_t other;
  starpu_data_register_same(&other, handle);
  // Earlier messages with the same tag into this rank's handle must have arrived before.
  static starpu_codelet ordering =
      OrderingCodelet(STARPU_R, STARPU_W, "before a reduction between ranks");
  SubmitOrdering(ordering, handle, other);
  ReceiveDetached(other, {.peer = source, .tag = tag, .comm = comm, .priority = priority});
  starpu_task* const task = starpu_task_create();
  task->cl = add;
  task->handles[0] = handle;
  task->handles[1] = other;
  if (add->nbuffers == STARPU_VARIABLE_NBUFFERS) {
    task->nbuffers = 2;
    task->modes[0] = static_cast<starpu_data_access_mode>(STARPU_RW | STARPU_COMMUTE);
    task->modes[1] = STARPU_R;
  }
  task->cl_arg = argument;
  task->priority = priority;
  task->name = "reduction between ranks";
  // The parentheses call the function instead of the macro, which would record this line.
  if (const int error = (starpu_task_submit)(task))
    _starpu_communication_fatal("a task that adds the values of ranks is refused (error %d)",
                                error);
  starpu_data_unregister_submit(other);
}

// Returns the number of values that are added at once. A tree of pairs pays from
// STARPU_MPI_REDUX_ARITY_THRESHOLD bytes on; smaller values are all sent to the owner.
int ArityFor(starpu_data_handle_t handle, int contributors) {
  const int threshold = starpu_getenv_number_default("STARPU_MPI_REDUX_ARITY_THRESHOLD", 1024);
  const bool is_small = threshold < 0 || (threshold > 0 && starpu_data_get_size(handle) <
                                                               static_cast<size_t>(threshold));
  return is_small ? contributors : 2;
}

// `arity` 0: chosen by the size.
void Reduce(MPI_Comm comm, starpu_data_handle_t handle, int priority, int arity) {
  const int owner = KnownOwner(handle, "starpu_mpi_redux_data");
  const int64_t tag = KnownTag(handle, "starpu_mpi_redux_data");
  Data& data = DataOf(handle);
  std::vector<int> ranks;
  for (size_t i = 0; i < data.contributors.size(); ++i) {
    if (data.contributors[i]) ranks.push_back(static_cast<int>(i));
  }
  data.contributors.clear();
  Leave(handle);
  if (ranks.size() < 2) return;
  const int me = RankIn(comm);
  const int count = static_cast<int>(ranks.size());
  if (arity == 0) arity = ArityFor(handle, count);
  const auto width = static_cast<size_t>(arity < 2 ? count : arity);
  // In each round, one rank of each group adds the values of the group; in the owner's group, the
  // owner.
  while (ranks.size() > 1) {
    std::vector<int> next;
    for (size_t first = 0; first < ranks.size(); first += width) {
      const auto begin = ranks.begin() + static_cast<std::ptrdiff_t>(first);
      const auto end =
          ranks.begin() + static_cast<std::ptrdiff_t>(std::min(first + width, ranks.size()));
      const int adds = std::find(begin, end, owner) != end ? owner : *begin;
      next.push_back(adds);
      if (me == adds) {
        for (auto rank = begin; rank != end; ++rank) {
          if (*rank != me) TakeAndAdd(handle, *rank, tag, comm, priority);
        }
      } else if (std::find(begin, end, me) != end) {
        SendDetached(handle, {.peer = adds, .tag = tag, .comm = comm, .priority = priority});
        starpu_data_invalidate_submit(handle);
      }
    }
    ranks = std::move(next);
  }
}

}  // namespace

void NoteContribution(MPI_Comm comm, starpu_data_handle_t handle, int executor) {
  const int owner = KnownOwner(handle, "starpu_mpi_task_insert");
  if (owner < 0) return;  // each rank has a value of its own
  Data& data = DataOf(handle);
  if (data.contributors.empty()) {
    data.contributors.resize(static_cast<size_t>(SizeOf(comm)));
    UnderWay& under_way = TheOnesUnderWay();
    const std::lock_guard guard(under_way.lock);
    under_way.handles.push_back(handle);
  }
  data.contributors[static_cast<size_t>(executor)] = 1;
  data.contributors[static_cast<size_t>(owner)] = 1;
}

void FinishReduction(starpu_data_handle_t handle) {
  const Data* const data = FindData(handle);
  if (data && !data->contributors.empty()) Reduce(data->comm, handle, 0, 0);
}

void FinishReductions() {
  std::vector<starpu_data_handle_t> handles;
  {
    UnderWay& under_way = TheOnesUnderWay();
    const std::lock_guard guard(under_way.lock);
    handles = under_way.handles;
  }
  for (starpu_data_handle_t handle : handles) FinishReduction(handle);
}

void ForgetReduction(starpu_data_handle_t handle) { Leave(handle); }

}  // namespace tasklens::mpi

using tasklens::mpi::Reduce;

extern "C" {

int starpu_mpi_redux_data(MPI_Comm comm, starpu_data_handle_t handle) {
  Reduce(comm, handle, 0, 1);
  return 0;
}
int starpu_mpi_redux_data_prio(MPI_Comm comm, starpu_data_handle_t handle, int prio) {
  Reduce(comm, handle, prio, 1);
  return 0;
}
int starpu_mpi_redux_data_tree(MPI_Comm comm, starpu_data_handle_t handle, int arity) {
  Reduce(comm, handle, 0, arity < 1 ? 1 : arity);
  return 0;
}
int starpu_mpi_redux_data_prio_tree(MPI_Comm comm, starpu_data_handle_t handle, int prio,
                                    int arity) {
  Reduce(comm, handle, prio, arity < 1 ? 1 : arity);
  return 0;
}

}  // extern "C"
